// The second-order Perceptron, with a diagonal matrix: features that were often active
// in mistakes get less weight.
//
// Cesa-Bianchi, Conconi and Gentile (2005). The matrix is r + the sum of x_i^2 over the
// mistakes and the current example.
#pragma once

#include <cmath>  // std::abs
#include <cstddef>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/near_tie.hpp"

namespace littlestone {

struct DiagonalSecondOrderPerceptron {
  struct Cell {
    double sum = 0.0;     // of y x over the mistakes
    double square = 0.0;  // of x^2 over the mistakes
  };
  static constexpr RowCheck row_check = RowCheck::squares;

  double r = 1.0;
  Constant<Cell> constant{};

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    return cell.sum / (r + cell.square);
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    each_entry(x, [&](auto index, double v) { sum += share(w[index], v); });
    sum += share(constant.cell, constant.value);
    if (std::abs(sum) < small_score) [[unlikely]]
      return cleared(*this, w, to_learn(x), sum);
    return sum;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool label) noexcept {
    double step = 0.0;
    if (!moves(score, 0.0, label, step)) return false;
    each_cell(w, x, constant,
              [step](Cell& cell, double value) { move(cell, value, step); });
    return true;
  }

  // The parts of a round, which learners of many classes share.

  [[nodiscard, gnu::always_inline]] double share(const Cell& cell,
                                                 double value) const noexcept {
    return cell.sum * value / (r + cell.square + value * value);
  }
  /// Adds what a feature gives to a score.
  void add(const Cell& cell, double value, double& sum,
           double& /*spread*/) const noexcept {
    sum += share(cell, value);
  }
  /// Whether to learn from a score, and if so, by what step.
  [[nodiscard]] static bool moves(double score, double /*spread*/, bool label,
                                  double& step) noexcept {
    step = label ? 1.0 : -1.0;
    return says(score) != label;
  }
  static void move(Cell& cell, double value, double step) noexcept {
    cell.sum += step * value;
    cell.square += value * value;
  }

  [[nodiscard]] std::vector<double> state() const { return constant.state(); }
  void restore(std::span<const double> state) { constant.restore(state, sound); }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(const Cell& cell) noexcept {
    return cell.square >= 0.0;
  }

 private:
  /// The score, or 0 if it is no more than the rounding of divisions.
  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] static double cleared(
      DiagonalSecondOrderPerceptron rule, View<Cell> w, Row x, double score) noexcept {
    return unless_rounding(score, [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k)
        take(rule.share(w[x.index(k)], x.value(k)));
      take(rule.share(rule.constant.cell, rule.constant.value));
    });
  }
};

static_assert(Rule<DiagonalSecondOrderPerceptron>);

}  // namespace littlestone
