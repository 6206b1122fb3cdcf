// svmlight text to rows: `label [qid:n] index:value index:value ... # comment`.
//
// Every number is validated and correctly rounded; indices keep the number they are
// written with.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "littlestone/decimal.hpp"
#include "littlestone/labels.hpp"
#include "littlestone/lines.hpp"
#include "littlestone/rows.hpp"
#include "littlestone/utf8.hpp"

namespace littlestone {

struct SvmlightBlock : LineBlock {
  std::uint32_t largest = 0;  // the largest index of the block

  [[nodiscard]] ParsedBlock rows() const noexcept {
    return {offsets, columns, values, std::size_t{largest} + 1};
  }

  void parse(std::string_view text, const LabelRule& label_rule, bool skip) {
    clear();
    largest = 0;
    // A pair takes four bytes at least, "1:0 ", so this is room for all of them: the
    // loop below writes without asking. The block is reused, so the room is made once.
    columns.resize(std::max(columns.size(), text.size() / 4 + 1));
    values.resize(columns.size());
    each_line(text, skip, [&](const char* p, const char* end) {
      return parse_line(p, end, label_rule);
    });
  }

 private:
  std::vector<std::uint64_t> scratch_;

  [[nodiscard]] static bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r';
  }
  [[nodiscard]] static const char* skip_spaces(const char* p,
                                               const char* end) noexcept {
    while (p != end && is_space(*p)) ++p;
    return p;
  }
  [[nodiscard]] static const char* token_end(const char* p, const char* end) noexcept {
    while (p != end && !is_space(*p) && *p != '#') ++p;
    return p;
  }

  [[nodiscard]] LineFault parse_line(const char* p, const char* end,
                                     const LabelRule& label_rule) {
    p = skip_spaces(p, end);
    if (p == end || *p == '#') return LineFault::none;

    const char* stop = token_end(p, end);
    const std::string_view token(p, static_cast<std::size_t>(stop - p));
    const Label label = label_rule(token);
    // A token with a colon is a feature in the label's place.
    if (label == Label::other ||
        (label == Label::zero && token.find(':') != std::string_view::npos)) {
      return label_rule.fault();
    }
    if (label_rule.takes_any() && !is_utf8(token)) return LineFault::encoding;
    p = skip_spaces(stop, end);
    if (end - p >= 4 && std::string_view(p, 4) == "qid:") {
      p = skip_spaces(token_end(p, end), end);
    }

    bool sorted = true;
    std::int64_t previous = -1;
    std::uint32_t* column = columns.data() + offsets.back();
    double* value = values.data() + offsets.back();
    while (p != end && *p != '#') {
      std::uint64_t index = 0;
      const char* const colon = detail::few_digits(p, end, index);
      if (colon == p || colon == end || *colon != ':') return LineFault::pair;
      if (colon - p > 10 && !long_index(p, colon, index)) {
        return LineFault::index_too_large;
      }
      if (index > std::numeric_limits<std::uint32_t>::max()) {
        return LineFault::index_too_large;
      }
      const Decimal number = read_decimal(colon + 1, end);
      if (!number.ok) return names_no_number(colon + 1, end);
      if (number.end != end && !is_space(*number.end) && *number.end != '#') {
        return LineFault::pair;
      }
      if (!std::isfinite(number.value)) return LineFault::not_finite;
      sorted &= previous < static_cast<std::int64_t>(index);
      previous = static_cast<std::int64_t>(index);
      *column++ = static_cast<std::uint32_t>(index);
      *value++ = number.value;
      p = skip_spaces(number.end, end);
    }

    const std::span<const std::uint32_t> row(columns.data() + offsets.back(), column);
    if (!sorted && duplicate_in(row, scratch_) != row.size())
      return LineFault::duplicate;
    for (const auto column : row) largest = std::max(largest, column);
    add_row(label, token, label_rule, row.size());
    return LineFault::none;
  }

  /// More than ten digits: fine if the rest are leading zeros.
  [[nodiscard]] static bool long_index(const char* p, const char* end,
                                       std::uint64_t& index) noexcept {
    while (end - p > 10) {
      if (*p++ != '0') return false;
    }
    index = 0;
    detail::digits(p, end, index);
    return true;
  }

  /// nan and inf are numbers that cannot be used; anything else is not a number at all.
  [[nodiscard]] static LineFault names_no_number(const char* p, const char* end) {
    return names_not_finite(p, token_end(p, end)) ? LineFault::not_finite
                                                  : LineFault::pair;
  }
};

}  // namespace littlestone
