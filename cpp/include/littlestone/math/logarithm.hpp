// The logarithm, by additions, multiplications and divisions alone: the same bits on
// every machine, as for the exponential.
#pragma once

#include <bit>  // std::bit_cast
#include <cstdint>

namespace littlestone {

/// ln x for a normal x above 0, to within a few units in the last place.
[[nodiscard, gnu::always_inline]] inline double log_of(double x) noexcept {
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)), so that ln x loses no digits.
  constexpr std::uint64_t half = 0x3FE6A09E667F3BCDU;  // sqrt(1/2)
  // Counting k from -1024 on, and making it a double by its bits: vector registers can
  // neither shift negative numbers nor convert large ones before AVX-512.
  constexpr std::uint64_t lowest = std::uint64_t{1024} << 52U;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t counted = bits - half + lowest;
  const double k = std::bit_cast<double>(counted >> 52U | std::uint64_t{0x433} << 52U) -
                   (0x1p52 + 1024.0);
  const auto m = std::bit_cast<double>(bits - (counted >> 52U << 52U) + lowest);
  // ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), below 0.172.
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double a = (1.0 / 3.0 + 1.0 / 5.0 * z) + (1.0 / 7.0 + 1.0 / 9.0 * z) * z2;
  const double b = (1.0 / 11.0 + 1.0 / 13.0 * z) + (1.0 / 15.0 + 1.0 / 17.0 * z) * z2;
  const double c = (1.0 / 19.0 + 1.0 / 21.0 * z) + 1.0 / 23.0 * z2;
  const double more = 2.0 * s * (z * ((a + b * z4) + c * (z4 * z4)));
  return k * 0.6931471803691238 + (2.0 * s + (more + k * 1.9082149292705877e-10));
}

/// ln(1 + u), accurate for small u too.
[[nodiscard, gnu::always_inline]] inline double log1p_of(double u) noexcept {
  const double sum = 1.0 + u;
  return log_of(sum) + (u - (sum - 1.0)) / sum;
}

}  // namespace littlestone
