// Passive-Aggressive: keeps the weights if the margin is at least 1, or else moves them
// as little as the example requires, within limits.
//
// Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006).
#pragma once

#include <algorithm>  // std::min
#include <cmath>      // std::abs
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/near_tie.hpp"

namespace littlestone {

/// The size of a step: not limited, at most C, or damped by C.
struct StepSize {
  enum class Mode : std::uint8_t { full, capped, damped };

  Mode mode = Mode::full;
  double c = 1.0;

  /// The step for an example of this loss and squared length.
  [[nodiscard]] double operator()(double loss, double square) const noexcept {
    if (mode == Mode::damped) return loss / (square + 0.5 / c);
    const double step = loss / square;
    return mode == Mode::capped ? std::min(c, step) : step;
  }
};

struct PassiveAggressive {
  using Cell = double;
  static constexpr RowCheck row_check = RowCheck::squares;

  StepSize step{};
  Constant<double> constant{};

  [[nodiscard]] static constexpr double initial() noexcept { return 0.0; }
  [[nodiscard]] static double weight(double cell) noexcept { return cell; }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<double> w,
                                                 const Row& x) const noexcept {
    const double score = dot(w, x) + constant.cell * constant.value;
    if (std::abs(score) < small_score) [[unlikely]]
      return cleared(*this, w, to_learn(x), score);
    return score;
  }

  template <class Row>
  bool learn(View<double> w, const Row& x, double score, bool label) noexcept {
    const double y = label ? 1.0 : -1.0;
    const double loss = 1.0 - y * score;
    if (!(loss > 0.0)) return false;
    const double square = square_of(x) + constant.value * constant.value;
    if (square == 0.0) return false;  // a zero example cannot be corrected
    const double size = step(loss, square);
    each_cell(w, x, constant,
              [=](double& cell, double value) { cell += size * y * value; });
    return true;
  }

  [[nodiscard]] std::vector<double> state() const { return constant.state(); }
  void restore(std::span<const double> state) { constant.restore(state); }

 private:
  /// The score, or 0 if it is no more than the rounding of steps.
  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] static double cleared(PassiveAggressive rule,
                                                                View<double> w, Row x,
                                                                double score) noexcept {
    return unless_rounding(score, [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)] * x.value(k));
      take(rule.constant.cell * rule.constant.value);
    });
  }
};

static_assert(Rule<PassiveAggressive>);

}  // namespace littlestone
