// Labels: 1 means yes; 0 or -1 means no. Only this file knows it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>  // std::is_signed_v

namespace littlestone {

/// `other` is not a label, and `none` is where a label may be missing and is.
enum class Label : std::uint8_t { minus, zero, yes, other, none };

template <class T>
[[nodiscard]] constexpr bool is_yes(T y) noexcept {
  return y == T{1};
}
template <class T>
[[nodiscard]] constexpr bool is_zero(T y) noexcept {
  return y == T{0};
}
template <class T>
[[nodiscard]] constexpr bool is_minus(T y) noexcept {
  return std::is_signed_v<T> && y == static_cast<T>(-1);
}

template <class T>
[[nodiscard]] constexpr Label label_of(T y) noexcept {
  if (is_yes(y)) return Label::yes;
  if (is_zero(y)) return Label::zero;
  return is_minus(y) ? Label::minus : Label::other;
}

/// The label of a text of one digit, maybe after a sign; other if it is not that, and
/// may be a label all the same. Labels are unpredictable, so there is no branch for
/// each.
[[nodiscard]] constexpr Label label_of_digit(std::string_view text) noexcept {
  constexpr std::array<Label, 4> labels{Label::zero, Label::yes, Label::zero,
                                        Label::minus};
  if (text.empty() || text.size() > 2) return Label::other;
  const unsigned minus = text.front() == '-' ? 1U : 0U;
  const unsigned plus = text.front() == '+' ? 1U : 0U;
  const unsigned single = text.size() == 1 ? 1U : 0U;
  const auto digit = static_cast<unsigned char>(text.back() - '0');
  if (digit > 1 || (minus | plus | single) == 0) return Label::other;
  return labels[2 * minus + digit];
}

/// Whether a stream writes no as 0 or as -1, and the first row of each. A stream that
/// uses both is refused: {0, 1} and {-1, +1} are never mixed.
struct Alphabet {
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::size_t first_zero = never;
  std::size_t first_minus = never;

  constexpr void meet(Label label, std::size_t row) noexcept {
    // Labels are unpredictable: what is known of the rows before is asked first.
    if (first_zero == never && label == Label::zero) first_zero = row;
    if (first_minus == never && label == Label::minus) first_minus = row;
  }
};

}  // namespace littlestone
