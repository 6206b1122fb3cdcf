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
    if (says(score) == label) return false;
    const double y = label ? 1.0 : -1.0;
    each_cell(w, x, constant, [y](Cell& cell, double value) {
      cell.sum += y * value;
      cell.square += value * value;
    });
    return true;
  }

  [[nodiscard]] std::vector<double> state() const { return constant.state(); }
  void restore(std::span<const double> state) { constant.restore(state, sound); }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(const Cell& cell) noexcept {
    return cell.square >= 0.0;
  }

 private:
  [[nodiscard, gnu::always_inline]] double share(const Cell& cell,
                                                 double value) const noexcept {
    return cell.sum * value / (r + cell.square + value * value);
  }

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
