// The exponential, by additions, multiplications and one division.
//
// The C library's differs in the last bit between machines, and takes one argument at a
// time. This one is defined by the operations below, which the Python twin repeats, and
// works on vector registers. Its error is less than one unit in the last place; that of
// the hyperbolic sine is less than two.
#pragma once

#include <cmath>  // std::abs, std::copysign
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "littlestone/math/wide.hpp"

namespace littlestone {

/// The size of an argument of exp_of must not exceed this.
inline constexpr double largest_exponent = 708.0;

/// e^z = scale (1 + more), where the scale is a power of two.
struct Power {
  double scale;
  double more;
};

/// z = k ln 2 + x, and 2^k; of one number, or of a vector of them.
template <class Number>
struct Reduced {
  Number scale;
  Number x;
};

template <class Number>
[[nodiscard, gnu::always_inline]] inline Reduced<Number> reduced(Number z) noexcept {
  // Adding 1.5 * 2^52 rounds a number to an integer, which is then in the lowest bits.
  constexpr double shift = 6755399441055744.0;
  using Bits = std::conditional_t<std::is_same_v<Number, double>, std::uint64_t,
                                  decltype(z < z)>;
  const Number rounded = z * 1.4426950408889634 + shift;
  const Number k = rounded - shift;
  const Number x = (z - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
  // Not std::bit_cast: where nothing is inlined, it would be a function that returns a
  // vector, compiled for other registers than its caller.
  const Bits exponent = __builtin_bit_cast(Bits, rounded) << 52U;
  const Bits one = __builtin_bit_cast(Bits, Number{} + 1.0);
  return {__builtin_bit_cast(Number, exponent + one), x};
}

/// e^x - 1 for a reduced x; for one number, or a vector of them.
template <class Number>
[[nodiscard, gnu::always_inline]] inline Number more_of(Number x) noexcept {
  // x coth(x/2) - 2 is x^2 times a function of x^2, of which five terms are enough; the
  // coefficients are those of its interpolation at Chebyshev nodes.
  const Number x2 = x * x;
  const Number x4 = x2 * x2;
  const Number p = (0.1666666666666666 + -0.0027777777777564404 * x2) +
                   ((6.613756471622828e-05 + -1.6534060033836456e-06 * x2) +
                    4.1437662804024295e-08 * x4) *
                       x4;
  const Number c = x - x2 * p;
  return x + x * c / (2.0 - c);
}

[[nodiscard, gnu::always_inline]] inline Power power_of(double z) noexcept {
  const Reduced<double> parts = reduced(z);
  return {parts.scale, more_of(parts.x)};
}

[[nodiscard, gnu::always_inline]] inline double exp_of(double z) noexcept {
  const Power power = power_of(z);
  return power.scale * (1.0 + power.more);
}

/// The hyperbolic sine, from e^|z| - 1, which is exact where e^|z| is nearly 1.
[[nodiscard, gnu::always_inline]] inline double sinh_of(double z) noexcept {
  const Power power = power_of(std::abs(z));
  const double less_1 = power.scale * power.more + (power.scale - 1.0);
  return std::copysign(0.5 * (less_1 + less_1 / (less_1 + 1.0)), z);
}

LITTLESTONE_WIDE inline void exp_all(double* values, std::size_t size) noexcept {
  for (std::size_t k = 0; k < size; ++k) values[k] = exp_of(values[k]);
}

LITTLESTONE_WIDE inline void sinh_all(double* values, std::size_t size) noexcept {
  for (std::size_t k = 0; k < size; ++k) values[k] = sinh_of(values[k]);
}

}  // namespace littlestone
