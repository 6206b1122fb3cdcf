// Labels: 1 means yes; 0 or -1 means no. This is the only place that says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace littlestone {

enum class Label : std::uint8_t { minus, zero, yes, other };

[[nodiscard]] constexpr bool is_yes(double y) noexcept { return y == 1.0; }
[[nodiscard]] constexpr bool is_zero(double y) noexcept { return y == 0.0; }
[[nodiscard]] constexpr bool is_minus(double y) noexcept { return y == -1.0; }

[[nodiscard]] constexpr Label label_of(double y) noexcept {
  if (is_yes(y)) return Label::yes;
  if (is_zero(y)) return Label::zero;
  return is_minus(y) ? Label::minus : Label::other;
}

/// Which of the two ways of saying no a stream uses, and where each was first met.
/// A stream that uses both is refused: {0, 1} and {-1, +1} are never mixed.
struct Alphabet {
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::size_t first_zero = never;
  std::size_t first_minus = never;

  constexpr void meet(Label label, std::size_t row) noexcept {
    if (label == Label::zero && first_zero == never) first_zero = row;
    if (label == Label::minus && first_minus == never) first_minus = row;
  }
};

}  // namespace littlestone
