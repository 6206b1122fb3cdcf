// svmlight text to rows: `label [qid:n] index:value index:value ... # comment`.
//
// Every number is validated and correctly rounded; indices are columns as they are
// written.
#pragma once

#include <algorithm>  // std::max, std::min
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "littlestone/labels.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/parsing/marks.hpp"
#include "littlestone/parsing/utf8.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

struct SvmlightBlock : LineBlock {
  std::uint32_t largest = 0;  // the largest index of the block

  [[nodiscard]] ParsedBlock rows() const noexcept {
    return {offsets, columns, values, std::size_t{largest} + 1};
  }

  void parse(std::string_view text, const LabelRule& label_rule, bool skip) {
    clear();
    largest = 0;
    const char* const limit = text.data() + text.size();
    each_line(text, skip, [&](const char* p, const char* end) {
      // A pair takes at least four bytes, "1:0 ", so this is enough room for a whole
      // line, and writing needs no checks.
      make_room(offsets.back() + static_cast<std::size_t>(end - p) / 4 + 1);
      return parse_line(p, end, limit, label_rule);
    });
  }

 private:
  std::vector<std::uint64_t> scratch_;
  Marks marks_{' ', ':', '|'};

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

  [[nodiscard]] LineFault parse_line(const char* p, const char* end, const char* limit,
                                     const LabelRule& label_rule) {
    p = skip_spaces(p, end);
    if (p == end || *p == '#') return LineFault::none;

    const char* stop = token_end(p, end);
    std::string_view token(p, static_cast<std::size_t>(stop - p));
    // A token with a colon is a feature, where the label should be.
    const bool feature =
        label_rule.may_miss() && token.find(':') != std::string_view::npos;
    if (feature) token = {};
    const Label label = label_rule(token);
    if (label == Label::other ||
        (label == Label::zero && token.find(':') != std::string_view::npos)) {
      return blame_label(label_rule, token);
    }
    if (label_rule.skips(label)) {
      ++left_out;
      return LineFault::none;
    }
    if (label_rule.kind() == LabelKind::class_ && !is_utf8(token))
      return LineFault::encoding;
    if (!feature) p = skip_spaces(stop, end);
    if (end - p >= 4 && std::string_view(p, 4) == "qid:") {
      p = skip_spaces(token_end(p, end), end);
    }

    Pairs pairs{columns.data() + offsets.back(), values.data() + offsets.back()};
    marks_.find(p, end, limit);
    while (true) {
      if (marks_.found()) p = skip_spaces(read_short_pairs(p, pairs), end);
      if (p == end || *p == '#') break;
      if (const auto fault = read_pair(p, end, pairs); fault != LineFault::none) {
        return fault;
      }
    }

    const std::span<const std::uint32_t> row(columns.data() + offsets.back(),
                                             pairs.column);
    if (ascending(row)) {
      if (!row.empty()) largest = std::max(largest, row.back());
    } else {
      if (duplicate_in(row, scratch_) != row.size()) return LineFault::duplicate;
      for (const auto column : row) largest = std::max(largest, column);
    }
    add_row(label, token, label_rule, row.size());
    return LineFault::none;
  }

  /// Reads the pairs of a line.
  struct Pairs {
    std::uint32_t* column;
    double* value;

    void add(std::uint64_t index, double number) noexcept {
      *column++ = static_cast<std::uint32_t>(index);
      *value++ = number;
    }
  };

  /// Reads a pair of any form, and the spaces after it.
  [[nodiscard]] static LineFault read_pair(const char*& p, const char* end,
                                           Pairs& pairs) {
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
    pairs.add(index, number.value);
    p = skip_spaces(number.end, end);
    return LineFault::none;
  }

  /// Reads pairs from `p` on as long as they have at most eight digits before the colon
  /// and a short number after it; returns where anything else begins.
  [[nodiscard]] const char* read_short_pairs(const char* p, Pairs& pairs) {
    const char* const line = marks_.line;
    const std::uint32_t line_end = marks_.end;
    std::uint32_t from = marks_.pass(p);
    const std::uint32_t* mark = marks_.next;
    Pairs read = pairs;
    unsigned wait = 0;  // pairs to read one by one
    unsigned patience = 4;
    while (from < line_end) {
      if (wait-- == 0) {
        const std::size_t ready =
            marks_.read_four_pairs(mark, from, read.column, read.value);
        read.column += ready;
        read.value += ready;
        mark += 2 * ready;
        if (ready > 0) from = mark[-1] + 1;
        // Where numbers are written otherwise, trying is in vain.
        patience = ready > 0 ? 4 : std::min(2 * patience, 64U);
        wait = patience - 1;
        if (from >= line_end) break;  // the space after the last was cut off
      }
      const std::uint32_t colon = mark[0];
      const std::uint32_t digits = colon - from;
      if (line[colon] != ':' || digits - 1 >= 8) break;
      const std::uint32_t stop = mark[1];
      std::uint64_t word = 0;
      std::memcpy(&word, line + from, 8);
      word = (word ^ detail::eight_zeros) << (64 - 8 * digits);
      ShortDecimal number;
      if (!detail::are_digits(word) ||
          !read_short_token(line + colon + 1, line + stop, number) ||
          (!is_space(line[stop]) && stop != line_end)) {
        break;
      }
      read.add(detail::digits_value(word), number.value());
      mark += 2;
      from = stop + 1;
    }
    pairs = read;
    marks_.stop_before(mark);
    return line + std::min(from, line_end);
  }

  /// More than ten digits: valid if the first ones are zeros.
  [[nodiscard]] static bool long_index(const char* p, const char* end,
                                       std::uint64_t& index) noexcept {
    while (end - p > 10) {
      if (*p++ != '0') return false;
    }
    index = 0;
    detail::digits(p, end, index);
    return true;
  }

  /// nan and inf are not finite; anything else is not a number at all.
  [[nodiscard]] static LineFault names_no_number(const char* p, const char* end) {
    return names_not_finite(p, token_end(p, end)) ? LineFault::not_finite
                                                  : LineFault::pair;
  }
};

}  // namespace littlestone
