// What every reader of lines shares: labels, places, faults, and the loop over lines.
//
// One call parses one buffer of whole lines into a block that is reused, so a file of
// any length needs the memory of a few buffers. A bad line is reported with its number,
// or counted and left out.
#pragma once

#include <algorithm>  // std::min
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memchr
#include <string>
#include <string_view>
#include <utility>  // std::move
#include <vector>

#include "littlestone/labels.hpp"
#include "littlestone/names.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/utf8.hpp"

namespace littlestone {

/// Why a line cannot be read.
enum class LineFault : std::uint8_t {
  none,
  label,            // the label is not 1, 0 or -1
  no_label,         // any label would do, but there is none
  encoding,         // not UTF-8
  pair,             // not index:value
  index_too_large,  // beyond 2^32 - 1
  not_finite,       // the value is NaN, infinite or too large for a double
  duplicate,        // the index stands twice
  columns,          // too few columns, or not as many as the header
  unlabelled,       // a line without a label, where that is no example
  bar,              // no bar parts the label from the features
  head,             // more before the bar than a label, a weight and an initial
  weight,           // not a weight, or not one that is taken
  initial,          // an initial prediction other than 0
  scale,            // the number after a namespace is none
  name,             // a feature without a name
  value,            // begins like a number and is none, or is missing
  prefix,           // what stands before many names is too long
  object,           // the line is not a JSON object
  json,             // not JSON
  depth,            // nested too deeply
  open_mark,        // a quotation mark that nothing closes
  after_mark,       // something stands after a quoted cell
  stray_return,     // a CR that ends no line
  nul,              // a NUL byte
  number,           // a cell of numbers that holds none
  missing,          // a cell that is missing
  outcome,          // an outcome that is no finite number
};

/// What the label column means: numbers by default, one label that means yes, or
/// whatever is written.
class LabelRule {
 public:
  LabelRule() = default;
  explicit LabelRule(std::string positive)
      : kind_(Kind::positive), text_(std::move(positive)) {
    const char* const end = text_.data() + text_.size();
    const Decimal read = read_decimal(text_.data(), end);
    numeric_ = read.ok && read.end == end;
    number_ = read.value;
  }
  [[nodiscard]] static LabelRule any() {
    LabelRule rule;
    rule.kind_ = Kind::any;
    return rule;
  }

  [[nodiscard]] bool takes_any() const noexcept { return kind_ == Kind::any; }
  /// What is wrong with a label that is none.
  [[nodiscard]] LineFault fault() const noexcept {
    return kind_ == Kind::two ? LineFault::label : LineFault::no_label;
  }

  /// The label a token means; where any will do, every token is alike.
  [[nodiscard]] Label operator()(std::string_view token) const noexcept {
    if (kind_ == Kind::positive && token == text_) return Label::yes;
    if (token.empty()) return Label::other;
    if (kind_ == Kind::any) return Label::zero;
    const char* const end = token.data() + token.size();
    const Decimal read = read_decimal(token.data(), end);
    const bool number = read.ok && read.end == end;
    if (kind_ == Kind::two) return number ? label_of(read.value) : Label::other;
    // Every other label means no; +1, 1 and 1.0 are the same label.
    return numeric_ && number && read.value == number_ ? Label::yes : Label::zero;
  }

 private:
  enum class Kind : std::uint8_t { two, positive, any };
  Kind kind_ = Kind::two;
  bool numeric_ = false;
  double number_ = 0.0;
  std::string text_;
};

/// Sparse rows parsed from lines. A format adds `rows()` and `parse`.
struct LineBlock {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;  // maybe more: offsets.back() are in use
  std::vector<double> values;
  std::vector<std::uint8_t> labels;        // yes or no
  std::vector<std::uint32_t> label_codes;  // or, where any label will do, which
  Names label_names;                       // of these
  std::vector<std::uint32_t> lines;        // the line each row came from, 0 the first
  std::size_t line_count = 0;              // lines read, also those without an example
  std::size_t skipped = 0;                 // bad lines left out
  std::size_t left_out = 0;                // sound lines that are no example
  Alphabet alphabet;
  LineFault fault = LineFault::none;
  std::size_t fault_line = 0;
  std::string fault_text;
  std::size_t fault_character = 0;  // where in the line, from 1; 0: not told
  std::string fault_token;          // and what stands there

  [[nodiscard]] std::size_t size() const noexcept { return lines.size(); }

  /// Drops the rows from `count` on.
  void truncate(std::size_t count) {
    offsets.resize(count + 1);
    labels.resize(std::min(count, labels.size()));
    label_codes.resize(std::min(count, label_codes.size()));
    lines.resize(count);
  }

 protected:
  void clear() {
    truncate(0);
    label_names.clear();
    line_count = skipped = left_out = fault_line = fault_character = 0;
    alphabet = {};
    fault = LineFault::none;
    fault_text.clear();
    fault_token.clear();
    blamed_ = {};
  }

  /// Returns a fault, and keeps what is to blame: a piece of the line.
  [[nodiscard]] LineFault blame(LineFault found, const char* first, const char* last) {
    blamed_ = {first, static_cast<std::size_t>(last - first)};
    return found;
  }
  [[nodiscard]] LineFault blame(LineFault found, std::string_view piece) {
    blamed_ = piece;
    return found;
  }

  /// Hands over each line without its line end; the last may lack one. With `skip`, bad
  /// lines are counted and left out; otherwise the first of them is the last.
  template <class ParseLine>
  void each_line(std::string_view text, bool skip, ParseLine parse_line) {
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      const auto* newline = static_cast<const char*>(
          std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      const char* const line_end = newline == nullptr ? end : newline;
      const LineFault found = parse_line(p, line_end);
      if (found != LineFault::none) {
        if (!skip) {
          fault = found;
          fault_line = line_count;
          fault_text.assign(p, p + std::min(line_end - p, shown));
          tell_blamed(p);
          return;
        }
        ++skipped;
        blamed_ = {};
      }
      ++line_count;
      p = newline == nullptr ? end : newline + 1;
    }
  }

  /// Completes a row of which the entries have been written.
  void add_row(Label label, std::string_view token, const LabelRule& label_rule,
               std::size_t entries) {
    if (label_rule.takes_any()) {
      label_codes.push_back(static_cast<std::uint32_t>(label_names.enter(token)));
    } else {
      alphabet.meet(label, size());
      labels.push_back(label == Label::yes ? 1 : 0);
    }
    lines.push_back(static_cast<std::uint32_t>(line_count));
    offsets.push_back(offsets.back() + entries);
  }

 private:
  static constexpr std::ptrdiff_t shown = 200;  // of a bad line, to be shown
  std::string_view blamed_;

  void tell_blamed(const char* line) {
    if (blamed_.data() == nullptr) return;
    fault_token.assign(blamed_.substr(0, shown));
    fault_character = 1;
    for (const char* p = line; p != blamed_.data(); ++p) {
      fault_character += is_continuation(*p) ? 0 : 1;
    }
  }
  [[nodiscard]] static bool is_continuation(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  }
};

}  // namespace littlestone
