// Whether a decimal number is the shortest text of a double, so that nothing is lost.
#pragma once

#include <array>
#include <charconv>  // std::to_chars
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <version>  // __cpp_lib_to_chars

#include "littlestone/parsing/decimal.hpp"

namespace littlestone {

namespace detail {

/// A number without its sign: 0.d1d2d3... times a power of ten, d1 not 0.
struct Digits {
  std::array<char, 17> digit{};
  std::size_t count = 0;
  std::int64_t power = 0;

  friend bool operator==(const Digits&, const Digits&) = default;
};

/// The digits of a decimal number; nothing if it has more than any double needs.
[[nodiscard]] inline std::optional<Digits> digits_of(std::string_view text) noexcept {
  Digits found;
  std::size_t zeros = 0;  // after the last digit that is not 0
  bool point = false;
  std::size_t k = text.starts_with('-') ? 1 : 0;
  for (; k < text.size() && (is_digit(text[k]) || text[k] == '.'); ++k) {
    if (text[k] == '.') {
      point = true;
      continue;
    }
    const bool leading = found.count == 0;
    if (text[k] == '0') {
      if (leading && point) --found.power;
      if (!leading) ++zeros;
    } else {
      if (found.count + zeros >= found.digit.size()) return std::nullopt;
      for (; zeros > 0; --zeros) found.digit[found.count++] = '0';
      found.digit[found.count++] = text[k];
    }
    if (!point && !(leading && text[k] == '0')) ++found.power;
  }
  if (found.count == 0) return Digits{};
  if (k == text.size()) return found;
  ++k;  // the e
  if (k < text.size() && text[k] == '+') ++k;
  std::int64_t exponent = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + k, end, exponent);
  if (read.ec != std::errc() || read.ptr != end || exponent > 9999 || exponent < -9999)
    return std::nullopt;
  found.power += exponent;
  return found;
}

}  // namespace detail

/// Whether a decimal number has the digits of the shortest text that is read as this
/// double: no other number is meant. If it cannot be found out, the answer is no.
[[nodiscard]] inline bool is_shortest([[maybe_unused]] std::string_view text,
                                      [[maybe_unused]] double value) noexcept {
#ifdef __cpp_lib_to_chars
  std::array<char, 32> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                     value, std::chars_format::scientific);
  const auto given = detail::digits_of(text);
  return given && given == detail::digits_of({buffer.data(), written.ptr});
#else
  return false;
#endif
}

}  // namespace littlestone
