// AROW, adaptive regularization of weight vectors, with a diagonal covariance: a mean
// and a variance for each feature; the weights of rare features move far, those of
// frequent ones little.
//
// Crammer, Kulesza and Dredze (2009).
#pragma once

#include <cmath>  // std::abs
#include <cstddef>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/near_tie.hpp"

namespace littlestone {

struct DiagonalArow {
  struct Cell {
    double mean = 0.0;
    double variance = 1.0;
  };
  static constexpr RowCheck row_check = RowCheck::squares;

  double r = 1.0;
  Constant<Cell> constant{};
  mutable double spread_ = 0.0;  // of the row last scored

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& cell) noexcept { return cell.mean; }

  /// The score by the means. Also computes its variance, which `learn` needs.
  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    double spread = 0.0;
    each_entry(x, [&](auto index, double value) { add(w[index], value, sum, spread); });
    add(constant.cell, constant.value, sum, spread);
    spread_ = spread;
    if (std::abs(sum) < small_score) [[unlikely]]
      return cleared(*this, w, to_learn(x), sum);
    return sum;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool label) noexcept {
    double step = 0.0;
    if (!moves(score, spread_, label, step)) return false;
    // Two features at a time: their divisions share a register.
    std::size_t k = 0;
    for (; k + 2 <= x.size(); k += 2) {
      Cell& left = w[x.index(k)];
      Cell& right = w[x.index(k + 1)];
      const Pair value{x.value(k), x.value(k + 1)};
      const Pair variance{left.variance, right.variance};
      const Pair pull = variance * value;
      const Pair change = step * pull;
      const Pair shrunk = variance * (r / (r + pull * value));
      left = {left.mean + change[0], shrunk[0]};
      right = {right.mean + change[1], shrunk[1]};
    }
    if (k < x.size()) move(w[x.index(k)], x.value(k), step);
    if (constant.value != 0.0) move(constant.cell, constant.value, step);
    return true;
  }

  // The parts of a round, which learners of many classes share.

  [[nodiscard]] static double share(const Cell& cell, double value) noexcept {
    return cell.mean * value;
  }
  /// Adds what a feature gives to a score, and to its variance.
  [[gnu::always_inline]] static void add(const Cell& cell, double value, double& sum,
                                         double& spread) noexcept {
    sum += cell.mean * value;
    spread += value * value * cell.variance;
  }
  /// Whether to learn from a score of this variance, and if so, by what step.
  [[nodiscard, gnu::always_inline]] bool moves(double score, double spread, bool label,
                                               double& step) const noexcept {
    const double y = label ? 1.0 : -1.0;
    const double loss = 1.0 - y * score;
    if (!(loss > 0.0)) return false;
    if (spread == 0.0) return false;  // a zero example cannot be corrected
    step = loss / (spread + r) * y;
    return true;
  }
  void move(Cell& cell, double value, double step) const noexcept {
    const double pull = cell.variance * value;
    cell = {cell.mean + step * pull, cell.variance * (r / (r + pull * value))};
  }

  [[nodiscard]] std::vector<double> state() const { return constant.state(); }
  void restore(std::span<const double> state) { constant.restore(state, sound); }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(const Cell& cell) noexcept {
    return cell.variance >= 0.0;
  }

 private:
  using Pair [[gnu::vector_size(16)]] = double;

  /// The score, or 0 if it is no more than the rounding of means.
  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] static double cleared(DiagonalArow rule,
                                                                View<Cell> w, Row x,
                                                                double score) noexcept {
    return unless_rounding(score, [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) take(share(w[x.index(k)], x.value(k)));
      take(share(rule.constant.cell, rule.constant.value));
    });
  }
};

static_assert(Rule<DiagonalArow>);

}  // namespace littlestone
