#include "../learners.hpp"
#include "littlestone/linear/averaged_perceptron.hpp"
#include "littlestone/linear/perceptron.hpp"

namespace littlestone::bindings {

Binary perceptron(bool on_margin, bool normalize, double bias) {
  if (normalize) {
    return std::make_unique<Linear<NormalizedPerceptron>>(
        NormalizedPerceptron{on_margin, {bias}});
  }
  return std::make_unique<Linear<Perceptron>>(Perceptron{on_margin, {bias}});
}

Binary averaged_perceptron(double bias) {
  return std::make_unique<Linear<AveragedPerceptron>>(
      AveragedPerceptron{.constant = {bias}});
}

}  // namespace littlestone::bindings
