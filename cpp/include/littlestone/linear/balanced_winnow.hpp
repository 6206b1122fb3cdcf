// Balanced Winnow: two weights for each feature, for and against, with multiplicative
// updates (THEORY: BWIN).
//
// The weights of a feature are exp(a) and exp(-a), where a is the rate times the sum of
// y x over the mistakes. Normalizing all weights to sum to 1 would not change a
// prediction: its sign is that of the sum of x sinh(a). So only the logarithm a is
// kept, and a new feature, a = 0, has two weights of 1.
#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <array>
#include <cmath>  // std::abs, std::copysign
#include <limits>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/exponential.hpp"

namespace littlestone {

struct BalancedWinnow {
  struct Cell {
    double log = 0.0;     // a
    double weight = 0.0;  // sinh(a), clamped to a finite double
  };
  // Up to this, sums of weights cannot overflow; beyond, a row is scaled by its
  // largest.
  static constexpr double safe_log = 600.0;
  static constexpr double largest = std::numeric_limits<double>::max();

  double rate = 1.0;
  double scale = 1.0;  // every |x| is at most this
  Constant<Cell> constant{};
  bool wide = false;  // some |a| exceeds safe_log

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& cell) noexcept { return cell.weight; }

  template <class Row>
  [[nodiscard]] Finding fault(View<Cell> /*w*/, const Row& x) const noexcept {
    return any_beyond<true>(x.values, scale) ? why_refused(x) : Finding{};
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    each_entry(x, [&](auto index, double value) { sum += w[index].weight * value; });
    sum += constant.cell.weight * constant.value;
    return wide ? wide_score(w, x, sum) : sum;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool label) noexcept {
    if (says(score) == label) return false;
    const double step = label ? rate : -rate;
    std::array<double, 128> sines;
    for (std::size_t first = 0; first < x.size(); first += sines.size()) {
      const std::size_t count = std::min(sines.size(), x.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        Cell& cell = w[x.index(first + k)];
        sines[k] = held(cell.log += step * x.value(first + k));
      }
      sinh_all(sines.data(), count);
      for (std::size_t k = 0; k < count; ++k) w[x.index(first + k)].weight = sines[k];
    }
    if (constant.value != 0.0) {
      constant.cell.weight = sinh_of(held(constant.cell.log += step * constant.value));
    }
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    return {constant.cell.log, constant.cell.weight, wide ? 1.0 : 0.0};
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == 3);
    constant.cell = {state[0], state[1]};
    wide = state[2] != 0.0;
  }

 private:
  template <class Row>
  [[nodiscard, gnu::noinline]] Finding why_refused(Row x) const noexcept {
    const auto found = not_finite_in(x);
    if (found.fault != Fault::none) return found;
    return first_value(x, Fault::beyond_scale,
                       [this](double v) { return std::abs(v) > scale; });
  }

  /// A logarithm whose hyperbolic sine is a double.
  [[nodiscard]] double held(double log) noexcept {
    wide |= std::abs(log) > safe_log;
    return std::clamp(log, -largest_exponent, largest_exponent);
  }

  /// e^z for a z of at most 0.
  [[nodiscard]] static double falling(double z) noexcept {
    return z < -largest_exponent ? 0.0 : exp_of(z);
  }

  /// The score if weights may overflow: computed relative to the largest in the row,
  /// then scaled back as far as doubles allow.
  template <class Row>
  [[nodiscard, gnu::noinline]] double wide_score(View<Cell> w, Row x,
                                                 double sum) const noexcept {
    double most = 0.0;
    const auto each = [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (x.value(k) != 0.0) take(w[x.index(k)], x.value(k));
      }
      if (constant.value != 0.0) take(constant.cell, constant.value);
    };
    each([&](const Cell& cell, double /*value*/) {
      most = std::max(most, std::abs(cell.log));
    });
    if (!(most > safe_log)) return sum;
    double relative = 0.0;
    each([&](const Cell& cell, double value) {
      const double size =
          falling(std::abs(cell.log) - most) - falling(-std::abs(cell.log) - most);
      relative += std::copysign(size, cell.log) * value;
    });
    if (std::isnan(relative) || relative == 0.0) return relative;
    const double score = 0.5 * relative * exp_of(std::min(most, largest_exponent));
    return std::isfinite(score) ? score : std::copysign(largest, relative);
  }
};

static_assert(Rule<BalancedWinnow>);

}  // namespace littlestone
