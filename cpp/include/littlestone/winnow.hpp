// Winnow: multiply, do not add, and irrelevant features cost only a logarithm
// (THEORY: WIN1 with elimination, WIN2 with demotion).
//
// Littlestone (1988), Learning quickly when irrelevant attributes abound.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::pow
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>  // std::conditional_t
#include <vector>

#include "littlestone/rule.hpp"

namespace littlestone {

struct Winnow {
  static constexpr double initial_weight = 1.0;
  // A weight demoted thousands of times in a row stays a normal number: at zero no
  // promotion could ever bring it back, and subnormal numbers are slow.
  static constexpr double smallest_weight = std::numeric_limits<double>::min();

  double threshold = 1.0;  // theta >= 1
  double promotion = 2.0;  // beta > 1
  bool eliminate = false;  // a false alarm zeroes the active weights (WIN1)

  /// WIN2 takes values in [0, 1], WIN1 only 0 and 1.
  template <class Row>
  [[nodiscard]] Finding fault(const Row& x) const noexcept {
    const auto outside = [](auto v) { return !((v >= 0) & (v <= 1)); };
    const auto not_boolean = [](auto v) { return (v != 0) & (v != 1); };
    if (!(eliminate ? any(x.values, not_boolean) : any(x.values, outside))) return {};
    const auto found = why_not_finite(x);
    if (found.fault == Fault::not_finite) return found;
    return eliminate ? first_value(x, Fault::not_boolean, not_boolean)
                     : first_value(x, Fault::outside_unit, outside);
  }

  /// w.x - theta.
  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(WeightView w,
                                                 const Row& x) const noexcept {
    return dot(w, x) - threshold;
  }

  template <class Row>
  bool learn(WeightView w, const Row& x, double score, bool label) noexcept {
    if (says_yes(score) == label) return false;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      double& weight = w[x.index(k)];
      const double factor = value == 1.0 ? promotion : std::pow(promotion, value);
      if (label) {
        weight *= factor;
      } else {
        weight = eliminate ? 0.0 : std::max(weight / factor, smallest_weight);
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<double> state() const { return {}; }
  void restore(std::span<const double> /*state*/) noexcept {}

 private:
  /// True if some value is refused. A flag as wide as the values and no early exit keep
  /// the loop in vector registers.
  template <class V, class Refused>
  [[nodiscard]] static bool any(std::span<const V> values, Refused refused) noexcept {
    std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t> found = 0;
    for (const V value : values) found |= refused(value) ? 1U : 0U;
    return found != 0;
  }
};

static_assert(Rule<Winnow>);

}  // namespace littlestone
