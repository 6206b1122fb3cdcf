#include "../learners.hpp"
#include "littlestone/linear/averaged_perceptron.hpp"
#include "littlestone/linear/perceptron.hpp"

namespace littlestone::bindings {

namespace {

template <bool Strict>
Binary perceptron_of(bool on_margin, bool normalize, double bias) {
  using Plain = BasicPerceptron<false, Strict>;
  using Normalized = BasicPerceptron<true, Strict>;
  if (normalize) {
    return std::make_unique<Linear<Normalized>>(Normalized{on_margin, {bias}});
  }
  return std::make_unique<Linear<Plain>>(Plain{on_margin, {bias}});
}

}  // namespace

Binary perceptron(bool on_margin, bool normalize, bool strict, double bias) {
  return strict ? perceptron_of<true>(on_margin, normalize, bias)
                : perceptron_of<false>(on_margin, normalize, bias);
}

Binary averaged_perceptron(double bias) {
  return std::make_unique<Linear<AveragedPerceptron>>(
      AveragedPerceptron{.constant = {bias}});
}

}  // namespace littlestone::bindings
