// What the rows of a ledger say, as a service writes it: compact JSON of one form.
//
// Whatever is written in another way is left to a reader that knows all of JSON: no
// spaces and no escapes, and names in their usual order.
#pragma once

#include <charconv>  // std::from_chars
#include <cmath>     // std::isfinite
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/utf8.hpp"

namespace littlestone {

/// Takes a JSON text without escapes, in its quotes; nothing, and `at` stays, if
/// something else comes.
[[nodiscard]] inline std::optional<std::string_view> plain_text(
    const char*& at, const char* end) noexcept {
  if (at == end || *at != '"') return std::nullopt;
  const char* p = at + 1;
  bool ascii = true;
  for (; p != end && *p != '"'; ++p) {
    const auto byte = static_cast<unsigned char>(*p);
    if (byte < ' ' || byte == '\\') return std::nullopt;
    ascii &= byte < 0x80;
  }
  if (p == end) return std::nullopt;
  const std::string_view found(at + 1, static_cast<std::size_t>(p - at - 1));
  if (!ascii && !is_utf8(found)) return std::nullopt;
  at = p + 1;
  return found;
}

/// A number of a JSON text, as the double that it is nearest to.
struct JsonNumber {
  double value;
  bool integer;  // without a point and an exponent
};

/// Takes a number that is not infinite; nothing, and `at` stays, if something else
/// comes.
[[nodiscard]] inline std::optional<JsonNumber> json_number(const char*& at,
                                                           const char* end) noexcept {
  constexpr std::ptrdiff_t most_digits = 18;  // of an integer, which 64 bits hold
  const char* p = at;
  if (p != end && *p == '-') ++p;
  const char* const whole = p;
  while (p != end && is_digit(*p)) ++p;
  const std::ptrdiff_t digits = p - whole;
  if (digits == 0 || (digits > 1 && *whole == '0')) return std::nullopt;
  const bool integer = p == end || (*p != '.' && *p != 'e' && *p != 'E');
  if (integer && digits > most_digits) return std::nullopt;
  if (p != end && *p == '.' && (++p == end || !is_digit(*p))) return std::nullopt;
  const Decimal found = read_decimal(at, end);
  if (!found.ok || !std::isfinite(found.value)) return std::nullopt;
  if (found.end != end && (*found.end == 'e' || *found.end == 'E'))
    return std::nullopt;  // an exponent without digits
  at = found.end;
  return JsonNumber{found.value, integer};
}

/// Reads compact JSON from left to right; each `take` leaves the text as it was if
/// something else comes.
class CompactJson {
 public:
  explicit CompactJson(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool over() const noexcept { return at_ == end_; }

  [[nodiscard]] bool take(std::string_view expected) noexcept {
    if (!std::string_view(at_, left()).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  [[nodiscard]] std::optional<bool> truth() noexcept {
    if (take("true")) return true;
    if (take("false")) return false;
    return std::nullopt;
  }

  /// A text without escapes.
  [[nodiscard]] std::optional<std::string_view> text() noexcept {
    return plain_text(at_, end_);
  }

  /// A number as a double that it is nearest to; nothing if that is infinite.
  [[nodiscard]] std::optional<double> number() noexcept {
    const auto found = json_number(at_, end_);
    if (!found) return std::nullopt;
    return found->integer ? found->value + 0.0 : found->value;  // the integer -0 is 0
  }

  [[nodiscard]] std::optional<std::int64_t> count() noexcept {
    std::int64_t value = 0;
    const auto result = std::from_chars(at_, end_, value);
    const bool padded = result.ptr - at_ > 1 && *at_ == '0';
    if (result.ec != std::errc() || value < 0 || padded) return std::nullopt;
    at_ = result.ptr;
    return value;
  }

 private:
  [[nodiscard]] std::size_t left() const noexcept {
    return static_cast<std::size_t>(end_ - at_);
  }

  const char* at_;
  const char* end_;
};

/// What was answered to a prediction.
struct Said {
  bool prediction = false;
  double score = 0.0;
  std::int64_t learned = 0;
  std::int64_t mistakes = 0;
};

/// Reads {"prediction":true,"score":0.5,"learned":7,"mistakes":3}, and nothing else.
[[nodiscard]] inline std::optional<Said> read_said(std::string_view text) noexcept {
  CompactJson json(text);
  if (!json.take(R"({"prediction":)")) return std::nullopt;
  const auto prediction = json.truth();
  if (!prediction || !json.take(R"(,"score":)")) return std::nullopt;
  const auto score = json.number();
  if (!score || !json.take(R"(,"learned":)")) return std::nullopt;
  const auto learned = json.count();
  if (!learned || !json.take(R"(,"mistakes":)")) return std::nullopt;
  const auto mistakes = json.count();
  if (!mistakes || !json.take("}") || !json.over()) return std::nullopt;
  return Said{*prediction, *score, *learned, *mistakes};
}

/// Reads {"features":{"a":1,"b":true}} and passes on each name and number, in order;
/// false for anything else, and for more than so many.
template <class Take>
[[nodiscard]] bool read_features(std::string_view body, std::size_t most, Take take) {
  CompactJson json(body);
  if (!json.take(R"({"features":{)")) return false;
  std::size_t count = 0;
  if (!json.take("}")) {
    do {
      const auto name = json.text();
      if (!name || !json.take(":") || ++count > most) return false;
      if (const auto truth = json.truth()) {
        take(*name, *truth ? 1.0 : 0.0);
      } else if (const auto number = json.number()) {
        take(*name, *number);
      } else {
        return false;
      }
    } while (json.take(","));
    if (!json.take("}")) return false;
  }
  return json.take("}") && json.over();
}

}  // namespace littlestone
