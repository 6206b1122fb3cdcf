// The cosine, by additions and multiplications alone: the same bits on every machine,
// as for the exponential. Angles are in turns, so that a whole turn is subtracted
// without rounding.
#pragma once

#include <cmath>  // std::abs
#include <cstddef>

#include "littlestone/math/wide.hpp"

namespace littlestone {

/// cos(2 pi s), to within a few units in the last place; 1 from 2^51 turns on, where
/// doubles no longer tell the parts of a turn.
[[nodiscard, gnu::always_inline]] inline double cosine_of_turns(double s) noexcept {
  // Adding 1.5 * 2^52 rounds a number to an integer.
  constexpr double shift = 6755399441055744.0;
  const double part = std::abs(s) < 0x1p51 ? s - ((s + shift) - shift) : 0.0;
  // cos(2 pi part) is the sine of a quarter turn less |part|. sin(2 pi q)/q is a
  // function of q^2; the coefficients interpolate it at Chebyshev nodes.
  const double q = 0.25 - std::abs(part);
  const double y = q * q;
  double p = 0.10089695501646812;
  p = p * y + -0.7177337921413454;
  p = p * y + 3.8199280942271643;
  p = p * y + -15.0946416761179;
  p = p * y + 42.058693925428685;
  p = p * y + -76.70585975282492;
  p = p * y + 81.60524927607362;
  p = p * y + -41.341702240399755;
  p = p * y + 6.283185307179586;
  return q * p;
}

/// values[k] = size cos(2 pi (values[k] scale + phases[k])).
LITTLESTONE_WIDE inline void wave_all(double* values, const double* phases,
                                      std::size_t count, double scale,
                                      double size) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    values[k] = size * cosine_of_turns(values[k] * scale + phases[k]);
  }
}

/// to[k] += factor from[k].
LITTLESTONE_WIDE inline void add_scaled(double* to, const double* from,
                                        std::size_t count, double factor) noexcept {
  for (std::size_t k = 0; k < count; ++k) to[k] += factor * from[k];
}

}  // namespace littlestone
