#include "littlestone/linear/passive_aggressive.hpp"

#include "../learners.hpp"
#include "littlestone/linear/multiclass.hpp"

namespace littlestone::bindings {

namespace {

[[nodiscard]] StepSize step_size(std::string_view mode, double c) {
  using Mode = StepSize::Mode;
  return {mode == "I" ? Mode::capped : mode == "II" ? Mode::damped : Mode::full, c};
}

template <class R>
[[nodiscard]] Many many(R rule, std::size_t classes, double bias) {
  rule.known = classes;
  rule.make_room_for(classes);
  rule.bias = bias;
  return std::make_unique<Linear<R>>(std::move(rule));
}

}  // namespace

Binary passive_aggressive(std::string_view mode, double c, double bias) {
  return std::make_unique<Linear<PassiveAggressive>>(
      PassiveAggressive{step_size(mode, c), {bias}});
}

Many multiclass_perceptron(std::size_t classes, double bias) {
  return many(MulticlassPerceptron{}, classes, bias);
}

Many multiclass_passive_aggressive(std::size_t classes, std::string_view mode, double c,
                                   double bias) {
  MulticlassPassiveAggressive rule;
  rule.step = step_size(mode, c);
  return many(std::move(rule), classes, bias);
}

}  // namespace littlestone::bindings
