// Checks of the values of a row, as fast as the vector registers allow.
#pragma once

#include <algorithm>  // std::min
#include <bit>        // std::bit_cast
#include <cmath>      // std::isfinite, std::nextafter
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>  // std::conditional_t

#include "littlestone/rows.hpp"

namespace littlestone {

template <class V>
using BitsOf = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

/// True if some value is refused. A flag as wide as the values and no early exit keep
/// the loop in vector registers.
template <class V, class Refused>
[[nodiscard]] bool any_value(std::span<const V> values, Refused refused) noexcept {
  BitsOf<V> found = 0;
  for (const V value : values) found |= refused(value) ? 1U : 0U;
  return found != 0;
}

/// True if the size of some value exceeds the limit, or it is NaN, or, unless `Signed`,
/// negative (which includes -0). Compares bits, which are ordered as the numbers are:
/// three operations for each register of values.
template <bool Signed, class V>
[[nodiscard]] bool any_beyond(std::span<const V> values, double limit) noexcept {
  constexpr BitsOf<V> sign = BitsOf<V>{1} << (8 * sizeof(V) - 1);
  auto most = static_cast<V>(std::min<double>(limit, std::numeric_limits<V>::max()));
  if (static_cast<double>(most) > limit) most = std::nextafter(most, V{0});
  const auto highest = std::bit_cast<BitsOf<V>>(most);
  BitsOf<V> found = 0;
  for (const V value : values) {
    const auto bits = std::bit_cast<BitsOf<V>>(value);
    if constexpr (Signed) {
      found |= highest - (bits & ~sign);
    } else {
      found |= (highest - bits) | bits;
    }
  }
  return (found & sign) != 0;
}

/// True if the sum of the squares, of up to 2^24 values, is a normal number, or all
/// values are zero. Single precision always is.
template <class V>
[[nodiscard]] bool squares_hold(std::span<const V> values) noexcept {
  if constexpr (sizeof(V) == 4) {
    return true;
  } else {
    constexpr BitsOf<V> sign = BitsOf<V>{1} << (8 * sizeof(V) - 1);
    constexpr auto high = std::bit_cast<BitsOf<V>>(V{0x1p499});
    constexpr auto low = std::bit_cast<BitsOf<V>>(V{0x1p-500});
    BitsOf<V> beyond = 0;
    BitsOf<V> below = sign;
    BitsOf<V> any = 0;
    for (const V value : values) {
      const auto size = std::bit_cast<BitsOf<V>>(value) & ~sign;
      beyond |= high - size;
      below &= size - low;
      any |= size;
    }
    return (beyond & sign) == 0 && ((below & sign) == 0 || any == 0);
  }
}

/// The first value for which `refused` is true, if any.
template <class Row, class Refused>
[[nodiscard]] Finding first_value(const Row& x, Fault fault, Refused refused) noexcept {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (refused(x.value(k))) return {fault, k};
  }
  return {};
}

/// The first value that is NaN or infinite, for rules whose score might not show it.
template <class Row>
[[nodiscard]] Finding not_finite_in(const Row& x) noexcept {
  if (!any_beyond<true>(x.values, std::numeric_limits<double>::max())) return {};
  return first_value(x, Fault::not_finite, [](double v) { return !std::isfinite(v); });
}

/// What is wrong with a row whose score is not finite. A value that is NaN or infinite
/// always shows in the score, so a good row costs only one test.
template <class Row>
[[nodiscard, gnu::noinline]] Finding why_not_finite(Row x) noexcept {
  const auto found = not_finite_in(x);
  return found.fault == Fault::none ? Finding{Fault::score_overflow, 0} : found;
}

/// The fault of rules that divide by squares.
template <class Row>
[[nodiscard, gnu::always_inline]] inline Finding square_fault(const Row& x) noexcept {
  return squares_hold(x.values) ? Finding{} : why_not_finite(x);
}

}  // namespace littlestone
