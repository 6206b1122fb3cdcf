#include "littlestone/linear/second_order.hpp"

#include "../learners.hpp"
#include "littlestone/linear/arow.hpp"
#include "littlestone/linear/full_matrix.hpp"
#include "littlestone/linear/one_versus_rest.hpp"

namespace littlestone::bindings {

Binary second_order_perceptron(double r, bool diagonal, double bias) {
  if (diagonal) {
    return std::make_unique<Linear<DiagonalSecondOrderPerceptron>>(
        DiagonalSecondOrderPerceptron{r, {bias}});
  }
  return std::make_unique<Linear<FullSecondOrder>>(
      FullSecondOrder{false, 1.0, bias, std::make_shared<FullMatrix>(1.0 / r)});
}

Binary arow(double r, bool diagonal, double bias) {
  if (diagonal) {
    return std::make_unique<Linear<DiagonalArow>>(DiagonalArow{r, {bias}});
  }
  return std::make_unique<Linear<FullSecondOrder>>(
      FullSecondOrder{true, r, bias, std::make_shared<FullMatrix>(1.0)});
}

Blocks second_order_blocks(double r, bool diagonal, double bias) {
  if (diagonal) {
    return std::make_unique<SideBySide<DiagonalSecondOrderPerceptron>>(
        DiagonalSecondOrderPerceptron{r, {bias}});
  }
  return std::make_unique<SeparateBlocks>(
      [=] { return second_order_perceptron(r, false, bias); });
}

Blocks arow_blocks(double r, bool diagonal, double bias) {
  if (diagonal) {
    return std::make_unique<SideBySide<DiagonalArow>>(DiagonalArow{r, {bias}});
  }
  return std::make_unique<SeparateBlocks>([=] { return arow(r, false, bias); });
}

}  // namespace littlestone::bindings
