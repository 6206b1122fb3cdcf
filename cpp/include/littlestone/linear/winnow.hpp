// Winnow: multiplicative updates, so that irrelevant features cost only a logarithm
// (THEORY: WIN1 with elimination, WIN2 with demotion).
//
// Littlestone (1988), Learning quickly when irrelevant attributes abound.
#pragma once

#include <algorithm>  // std::max, std::min
#include <array>
#include <cmath>  // std::abs
#include <cstddef>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/exponential.hpp"
#include "littlestone/math/near_tie.hpp"
#include "littlestone/math/whole_powers.hpp"

namespace littlestone {

/// With `Eliminate` a false positive sets the active weights to zero (WIN1). It is a
/// template parameter because a test in every round is slow.
template <bool Eliminate>
struct BasicWinnow {
  using Cell = double;
  // The smallest weight: no promotion could raise a weight of zero, and arithmetic with
  // subnormal numbers is slow.
  static constexpr double smallest_weight = 0x1p-960;

  double threshold = 1.0;  // theta >= 1
  double promotion = 2.0;  // beta > 1
  double log_promotion = 0.6931471805599453;

  [[nodiscard]] static constexpr double initial() noexcept { return 1.0; }
  [[nodiscard]] static double weight(double cell) noexcept { return cell; }

  /// WIN2 accepts values in [0, 1], WIN1 only 0 and 1.
  template <class Row>
  [[nodiscard]] Finding fault(View<double> /*w*/, const Row& x) const noexcept {
    const bool refused =
        Eliminate ? any_value(x.values, not_boolean) : any_beyond<false>(x.values, 1.0);
    return refused ? why_refused(x) : Finding{};
  }

  /// w.x - theta, with the sign of exact arithmetic if all values so far were 0 or 1.
  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<double> w, const Row& x) const {
    const double score = dot(w, x) - threshold;
    if (std::abs(score) <= near_tie * threshold) [[unlikely]] {
      return settled(*this, w, to_learn(x), score);
    }
    return score;
  }

  template <class Row>
  bool learn(View<double> w, const Row& x, double score, bool label) noexcept {
    if (says(score) == label) return false;
    const auto change = [this, label](double& weight) {
      if (label) {
        weight *= promotion;
      } else {
        weight = Eliminate ? 0.0 : std::max(weight / promotion, smallest_weight);
      }
    };
    // For most rows of fractions the first value is one.
    const auto values = x.values;
    const bool fraction = !values.empty() && not_boolean(values[0]);
    if (!fraction && !any_value(values, not_boolean)) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (x.value(k) != 0.0) change(w[x.index(k)]);
      }
      return true;
    }
    // The powers of fractions, several at a time.
    std::array<double, 128> factors;
    const double log = label ? log_promotion : -log_promotion;
    for (std::size_t first = 0; first < x.size(); first += factors.size()) {
      const std::size_t count = std::min(factors.size(), x.size() - first);
      for (std::size_t k = 0; k < count; ++k) factors[k] = x.value(first + k) * log;
      exp_all(factors.data(), count);
      if (label) {
        for (std::size_t k = 0; k < count; ++k) {
          const bool whole = values[first + k] == 1;
          w[x.index(first + k)] *= whole ? promotion : factors[k];
        }
        continue;
      }
      for (std::size_t k = 0; k < count; ++k) {
        double& weight = w[x.index(first + k)];
        if (values[first + k] == 1) {
          change(weight);
        } else {
          weight = std::max(weight * factors[k], smallest_weight);
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<double> state() const { return {}; }
  void restore(std::span<const double> state) { check_state(state.empty()); }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(double cell) noexcept { return cell >= 0.0; }

 private:
  static constexpr auto not_boolean = [](auto v) { return (v != 0) & (v != 1); };

  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] static double settled(BasicWinnow rule,
                                                                View<double> w, Row x,
                                                                double score) {
    return settled_by_powers(score, rule.threshold, rule.promotion, [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) take(w[x.index(k)], x.value(k));
    });
  }

  /// Not inlined: a row whose address is taken must be in memory, which is slow.
  template <class Row>
  [[nodiscard, gnu::noinline]] static Finding why_refused(Row x) noexcept {
    const auto found = not_finite_in(x);
    if (found.fault != Fault::none) return found;
    return Eliminate ? first_value(x, Fault::not_boolean, not_boolean)
                     : first_value(x, Fault::outside_unit,
                                   [](double v) { return !(v >= 0.0 && v <= 1.0); });
  }
};

using Winnow = BasicWinnow<false>;
using EliminatingWinnow = BasicWinnow<true>;

static_assert(Rule<Winnow> && Rule<EliminatingWinnow>);

}  // namespace littlestone
