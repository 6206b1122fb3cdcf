#include "../learners.hpp"
#include "littlestone/linear/kernel_perceptron.hpp"
#include "littlestone/linear/voted_perceptron.hpp"

namespace littlestone::bindings {

Binary kernel_perceptron(std::string_view kernel, double gamma, double offset,
                         std::uint32_t degree, bool on_margin,
                         std::optional<std::size_t> budget, std::uint64_t seed) {
  using Kind = Kernel::Kind;
  const Kind kind = kernel == "linear"       ? Kind::linear
                    : kernel == "polynomial" ? Kind::polynomial
                                             : Kind::gaussian;
  return std::make_unique<Linear<KernelPerceptron>>(
      KernelPerceptron{{kind, gamma, offset, degree},
                       on_margin,
                       budget.value_or(KernelPerceptron::no_budget),
                       {seed}});
}

Binary voted_perceptron(double bias) {
  return std::make_unique<Linear<VotedPerceptron>>(VotedPerceptron{{bias}});
}

}  // namespace littlestone::bindings
