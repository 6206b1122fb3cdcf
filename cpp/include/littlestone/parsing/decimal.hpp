// Decimal text to double: validated, correctly rounded, fast in the common case.
#pragma once

#include <algorithm>  // std::min
#include <bit>        // std::countr_zero, std::endian
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <string>
#include <system_error>

namespace littlestone {

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return static_cast<unsigned char>(c - '0') <= 9;
}

/// Where reading stopped, and what was read. `ok` is false if there was no number.
struct Decimal {
  const char* end = nullptr;
  double value = 0.0;
  bool ok = false;
};

namespace detail {

// Powers of ten that a double holds exactly.
inline constexpr double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t exact_integer = std::uint64_t{1} << 53U;

inline constexpr std::uint64_t integer_power[] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Sets the high bit of the first byte of `word` that is not a digit. Bytes above it
/// may be flagged wrongly, because of carries.
[[nodiscard]] constexpr std::uint64_t not_digits(std::uint64_t word) noexcept {
  return ((word + 0x4646464646464646U) | (word - 0x3030303030303030U)) &
         0x8080808080808080U;
}

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030U;  // as digits

/// Whether all bytes are at most 9.
[[nodiscard]] constexpr bool are_digits(std::uint64_t word) noexcept {
  return (((word + 0x7676767676767676U) | word) & 0x8080808080808080U) == 0;
}

/// The number of eight digits, the first in the lowest byte; each byte is at most 9.
[[nodiscard]] constexpr std::uint64_t digits_value(std::uint64_t word) noexcept {
  word = word * 2561 >> 8U;
  word = (word & 0x00FF00FF00FF00FFU) * 6553601 >> 16U;
  return (word & 0x0000FFFF0000FFFFU) * 42949672960001U >> 32U;
}
/// The same for ASCII digits; a zero byte counts as '0'.
[[nodiscard]] constexpr std::uint64_t eight_value(std::uint64_t word) noexcept {
  return digits_value(word & 0x0F0F0F0F0F0F0F0FU);
}

/// Appends the digits at `p` to `mantissa`, which overflows after 19 of them: the
/// caller counts.
inline const char* digits(const char* p, const char* end,
                          std::uint64_t& mantissa) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - p >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, 8);
      const std::uint64_t stops = not_digits(word);
      const int count = stops == 0 ? 8 : std::countr_zero(stops) / 8;
      if (count == 0) return p;
      mantissa =
          mantissa * integer_power[count] + eight_value(word << (64 - 8 * count));
      p += count;
      if (count < 8) return p;
    }
  }
  while (p != end && is_digit(*p)) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
  }
  return p;
}

/// The same for runs that are short, or as long as the run before: a loop whose end is
/// predicted lets the processor read ahead, while a computed length makes it wait.
inline const char* few_digits(const char* p, const char* end,
                              std::uint64_t& mantissa) noexcept {
  while (p != end && is_digit(*p)) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
  }
  return p;
}

/// The slow way, always correct, for [sign]digits[.digits][e[sign]digits] already
/// validated.
[[nodiscard]] inline double careful(const char* first, const char* last,
                                    std::int64_t decimal_exponent) noexcept {
  double value = 0.0;
  if (*first == '+') ++first;  // from_chars does not accept a plus
  const auto result = std::from_chars(first, last, value);
  if (result.ec != std::errc::result_out_of_range) return value;
  // Too large or too small: see the sign of the decimal exponent.
  const double size =
      decimal_exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return *first == '-' ? -size : size;
}

}  // namespace detail

/// Reads [sign]digits[.digits][e[sign]digits]; at least one digit before the exponent.
/// The value is infinite if the number is too large for a double.
[[nodiscard]] inline Decimal read_decimal(const char* const first,
                                          const char* const end) noexcept {
  const char* p = first;
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;

  const char* const whole = p;
  std::uint64_t mantissa = 0;
  p = detail::few_digits(p, end, mantissa);
  std::int64_t count = p - whole;
  std::int64_t exponent = 0;
  if (p != end && *p == '.') {
    const char* const fraction = ++p;
    p = detail::digits(p, end, mantissa);
    exponent = fraction - p;
    count -= exponent;
  }
  if (count == 0) return {first, 0.0, false};

  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    const bool down = q != end && *q == '-';
    if (q != end && (*q == '-' || *q == '+')) ++q;
    if (q == end || !is_digit(*q)) return {first, 0.0, false};
    std::int64_t shift = 0;
    for (; q != end && is_digit(*q); ++q) {
      if (shift < 1'000'000'000) shift = shift * 10 + (*q - '0');
    }
    exponent += down ? -shift : shift;
    p = q;
  }

  // Both the integer and the power are exact, so one operation rounds once. Leading
  // zeros count as digits here; such rare numbers take the slow way.
  if (count <= 19 && mantissa <= detail::exact_integer && exponent >= -22 &&
      exponent <= 22) {
    const auto integer = static_cast<double>(mantissa);
    const double value = exponent < 0 ? integer / detail::exact_power[-exponent]
                                      : integer * detail::exact_power[exponent];
    return {p, negative ? -value : value, true};
  }
  // The position of the first nonzero digit decides between huge and tiny.
  std::int64_t leading = 0;
  for (const char* q = whole; q != p && (*q == '0' || *q == '.'); ++q) {
    leading += *q == '0' ? 1 : 0;
  }
  return {p, detail::careful(first, p, count - leading + exponent), true};
}

/// Whether a text names a number that cannot be used: nan, inf or infinity, whatever
/// its sign and case.
[[nodiscard]] inline bool names_not_finite(const char* p, const char* end) {
  if (p != end && (*p == '-' || *p == '+')) ++p;
  std::string word(p, std::min(end, p + 9));
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return word == "nan" || word == "inf" || word == "infinity";
}

/// A number of few digits: an integer, and the power of ten that divides it.
struct ShortDecimal {
  std::int64_t digits = 0;
  std::ptrdiff_t places = 0;

  [[nodiscard]] double value() const noexcept {
    return static_cast<double>(digits) / detail::exact_power[places];
  }
};

/// Reads [-]digits[.digits] with at most 7 digits before the point and 8 after it, to
/// the same value as `read_decimal`, if the end is known: a byte that is not a digit,
/// with 8 more readable bytes after it. Returns false for anything else.
[[nodiscard, gnu::always_inline]] inline bool read_short_token(
    const char* p, const char* const end, ShortDecimal& read) noexcept {
  if constexpr (std::endian::native != std::endian::little) return false;
  // Signs are random: a branch would be mispredicted half of the time.
  const std::int64_t negative = static_cast<std::int64_t>(*p == '-');
  p += negative;
  auto mantissa = static_cast<std::uint64_t>(static_cast<unsigned char>(*p - '0'));
  if (mantissa > 9) return false;
  ++p;
  std::ptrdiff_t places = end - p - 1;
  if (*p != '.') [[unlikely]] {
    const char* const whole = p;
    while (is_digit(*p))
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (p - whole > 6) return false;
    places = p == end ? 0 : end - p - 1;
    if (p != end && *p != '.') return false;
  }
  if (static_cast<std::size_t>(places - 1) < 8) [[likely]] {
    std::uint64_t word = 0;
    std::memcpy(&word, p + 1, 8);
    word = (word ^ detail::eight_zeros)
           << (std::uint64_t{0} - 8 * static_cast<std::uint64_t>(places)) % 64;
    if (!detail::are_digits(word)) return false;
    mantissa = mantissa * detail::integer_power[places] + detail::digits_value(word);
  } else if (p != end) {
    return false;
  }
  const auto digits = static_cast<std::int64_t>(mantissa);
  read = {(digits ^ -negative) + negative, places};
  return negative <= digits;  // -0 is not an integer
}

}  // namespace littlestone
