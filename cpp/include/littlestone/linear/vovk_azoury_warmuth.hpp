// Vovk, Azoury and Warmuth's forecaster: ridge regression that takes the example at
// hand into its matrix before it predicts (THEORY: VAW).
//
// Vovk (2001); Azoury and Warmuth (2001). With S the inverse of a I + sum of x x' over
// the examples before, and w the ridge weights, it predicts w.x / (1 + x'S x).
#pragma once

#include <cmath>  // std::isfinite
#include <memory>
#include <span>
#include <vector>

#include "littlestone/linear/full_matrix.hpp"
#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

struct VovkAzouryWarmuth : Charged<double> {
  using Cell = FullSecondOrder::Cell;

  double bias = 0.0;
  std::shared_ptr<FullMatrix> matrix;  // shared with the copies that loops make
  double bias_number = -1.0;

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    return weight_of(cell.number);
  }

  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> w, const Row& x) const noexcept {
    return FullSecondOrder{true, 1.0, bias, matrix, bias_number}.fault(w, x);
  }

  template <class Row>
  [[nodiscard]] double score(View<Cell> w, const Row& x) const {
    double sum = 0.0;
    double fresh = 0.0;  // what features without a number add to x'S x
    auto& numbers = matrix->numbers;
    auto& values = matrix->values;
    numbers.clear();
    values.clear();
    const auto take = [&](double number, double value) {
      if (value == 0.0) return;
      if (number < 0.0) {
        fresh += value * value * matrix->start();
        return;
      }
      sum += weight_of(number) * value;
      numbers.push_back(static_cast<std::size_t>(number));
      values.push_back(value);
    };
    for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)].number, x.value(k));
    take(bias_number, bias);
    const double spread = matrix->spread(numbers, values) + fresh;
    // Values that are not finite may be of features without a weight.
    return sum / (1.0 + spread) + (std::isfinite(spread) ? 0.0 : spread);
  }

  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& /*x*/, double score,
                                  double label) noexcept {
    outcome_ = label;
    skipped_ = importance == 0.0;
    return appraise(score, label);
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, double /*label*/) {
    charge();
    if (skipped_) return false;
    std::vector<std::size_t> numbers;
    std::vector<double> values;
    double ridge = 0.0;
    const auto take = [&](double& number, double value) {
      if (value == 0.0) return;
      // `fault` has counted the features, but a value may have changed since.
      if (number < 0.0 && matrix->size() >= matrix->room) return;
      if (number < 0.0) number = static_cast<double>(matrix->add());
      ridge += weight_of(number) * value;
      numbers.push_back(static_cast<std::size_t>(number));
      values.push_back(value);
    };
    for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)].number, x.value(k));
    take(bias_number, bias);
    if (numbers.empty()) return false;
    matrix->update(numbers, values, outcome_ - ridge, 1.0);
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = matrix->state();
    all.insert(all.end(), {bias_number, lost, last});
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(state.size() >= 3);
    const std::size_t size = state.size() - 3;
    matrix->restore(state.first(size));
    bias_number = state[size];
    lost = state[size + 1];
    last = state[size + 2];
    check_state(sound({bias_number}));
  }
  [[nodiscard]] bool sound(const Cell& cell) const noexcept {
    return cell.number == -1.0 ||
           is_below(cell.number, static_cast<double>(matrix->size()));
  }

 private:
  double outcome_ = 0.0;
  bool skipped_ = false;

  [[nodiscard]] double weight_of(double number) const noexcept {
    return number < 0.0 ? 0.0 : matrix->weights[static_cast<std::size_t>(number)];
  }
};

static_assert(Rule<VovkAzouryWarmuth>);

}  // namespace littlestone
