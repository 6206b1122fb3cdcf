// svmlight text to rows: `label [qid:n] index:value index:value ... # comment`.
//
// One call parses one buffer of whole lines into a block that is reused, so a file of
// any length needs the memory of a few buffers. Every number is validated and correctly
// rounded; indices keep the number they are written with; a bad line is reported with
// its number, or counted and left out.
#pragma once

#include <algorithm>  // std::adjacent_find, std::max, std::min, std::sort
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memchr
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>  // std::move
#include <vector>

#include "littlestone/decimal.hpp"
#include "littlestone/labels.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// Why a line cannot be read.
enum class LineFault : std::uint8_t {
  none,
  label,            // the label is not 1, 0 or -1
  pair,             // not index:value
  index_too_large,  // beyond 2^32 - 1
  not_finite,       // the value is NaN, infinite or too large for a double
  duplicate,        // the index stands twice
};

/// What the label column means: numbers by default, or one label that means yes.
class LabelRule {
 public:
  LabelRule() = default;
  explicit LabelRule(std::string positive) : given_(true), text_(std::move(positive)) {
    const char* const end = text_.data() + text_.size();
    const Decimal read = read_decimal(text_.data(), end);
    numeric_ = read.ok && read.end == end;
    number_ = read.value;
  }

  [[nodiscard]] Label operator()(std::string_view token) const noexcept {
    if (given_ && token == text_) return Label::yes;
    const char* const end = token.data() + token.size();
    const Decimal read = read_decimal(token.data(), end);
    const bool number = read.ok && read.end == end;
    if (!given_) return number ? label_of(read.value) : Label::other;
    // Every other label means no; +1, 1 and 1.0 are the same label. A token with a
    // colon is a feature in the label's place.
    if (numeric_ && number && read.value == number_) return Label::yes;
    return token.find(':') == std::string_view::npos ? Label::zero : Label::other;
  }

 private:
  bool given_ = false;
  bool numeric_ = false;
  double number_ = 0.0;
  std::string text_;
};

struct SvmlightBlock {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;  // with room to spare: offsets.back() are in use
  std::vector<double> values;
  std::vector<std::uint8_t> labels;
  std::vector<std::uint32_t> lines;  // the line each row came from, 0 the first
  std::size_t line_count = 0;        // lines read, blank ones and comments included
  std::size_t skipped = 0;           // bad lines left out
  std::uint32_t largest = 0;         // the largest index of the block
  Alphabet alphabet;
  LineFault fault = LineFault::none;
  std::size_t fault_line = 0;
  std::string fault_text;

  [[nodiscard]] std::size_t size() const noexcept { return labels.size(); }

  [[nodiscard]] ParsedBlock rows() const noexcept {
    return {offsets, columns, values, std::size_t{largest} + 1};
  }

  /// Drops the rows from `count` on.
  void truncate(std::size_t count) {
    offsets.resize(count + 1);
    labels.resize(count);
    lines.resize(count);
  }

  /// Parses whole lines; the last may lack its line end. With `skip`, bad lines are
  /// counted and left out; otherwise parsing stops at the first.
  void parse(std::string_view text, const LabelRule& label_rule, bool skip) {
    clear();
    // A pair takes four bytes at least, "1:0 ", so this is room for all of them: the
    // loop below writes without asking. The block is reused, so the room is made once.
    columns.resize(std::max(columns.size(), text.size() / 4 + 1));
    values.resize(columns.size());
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      const auto* newline = static_cast<const char*>(
          std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      const char* const line_end = newline == nullptr ? end : newline;
      const LineFault found = parse_line(p, line_end, label_rule);
      if (found != LineFault::none) {
        if (!skip) {
          fault = found;
          fault_line = line_count;
          fault_text.assign(p, p + std::min(line_end - p, shown));
          return;
        }
        ++skipped;
      }
      ++line_count;
      p = newline == nullptr ? end : newline + 1;
    }
  }

 private:
  static constexpr std::ptrdiff_t shown = 200;  // of a bad line, to be shown
  std::vector<std::uint64_t> scratch_;

  void clear() noexcept {
    offsets.resize(1);
    labels.clear();
    lines.clear();
    line_count = skipped = fault_line = 0;
    largest = 0;
    alphabet = {};
    fault = LineFault::none;
    fault_text.clear();
  }

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
    const Label label = label_rule({p, static_cast<std::size_t>(stop - p)});
    if (label == Label::other) return LineFault::label;
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
    alphabet.meet(label, size());
    labels.push_back(label == Label::yes ? 1 : 0);
    lines.push_back(static_cast<std::uint32_t>(line_count));
    offsets.push_back(offsets.back() + row.size());
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
    if (p != end && (*p == '-' || *p == '+')) ++p;
    std::string word(p, token_end(p, end));
    for (char& c : word) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    const bool named = word == "nan" || word == "inf" || word == "infinity";
    return named ? LineFault::not_finite : LineFault::pair;
  }
};

}  // namespace littlestone
