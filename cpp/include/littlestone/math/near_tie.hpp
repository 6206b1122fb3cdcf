// When a sum is so small beside its terms that rounding may have made all of it.
#pragma once

#include <cmath>  // std::abs

namespace littlestone {

/// Relative to the sizes of its terms, a sum of rounded weights may be that much off: a
/// weight rounds by 2^-53 at each change, the sum at each addition.
inline constexpr double near_tie = 0x1p-36;

/// A score below this is looked at again. Larger ones are never ties of learners that
/// strive for scores of size 1 or more.
inline constexpr double small_score = 0x1p-30;

/// The score, or 0 if rounding may have made all of it. `each` calls its argument with
/// every product that was added.
template <class Each>
[[nodiscard]] double unless_rounding(double score, Each each) noexcept {
  double size = 0.0;
  each([&](double product) { size += std::abs(product); });
  return std::abs(score) <= near_tie * size ? 0.0 : score;
}

}  // namespace littlestone
