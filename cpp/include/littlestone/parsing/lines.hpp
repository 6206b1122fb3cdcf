// What all parsers of lines share: labels, positions, faults, and the loop over lines.
//
// One call parses one buffer of whole lines into a block that is reused, so a file of
// any length needs the memory of a few buffers. A bad line is reported with its number,
// or counted and skipped.
#pragma once

#include <algorithm>  // std::max, std::min
#include <cmath>      // std::isfinite
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
  no_label,         // the label is missing, where any would do
  encoding,         // not UTF-8
  pair,             // not index:value
  index_too_large,  // beyond 2^32 - 1
  not_finite,       // the value is NaN, infinite or too large for a double
  duplicate,        // duplicate index or feature
  columns,          // too few columns, or not as many as the header
  unlabelled,       // the label is missing, and such lines are refused
  bar,              // there is no bar between label and features
  head,             // more before the bar than label, weight and initial prediction
  weight,           // not a weight, or not an accepted one
  initial,          // an initial prediction other than 0
  scale,            // the scale of a namespace is not a number
  name,             // a feature without a name
  value,            // looks like a number but is not, or is missing
  prefix,           // the common prefix of many names is too long
  object,           // the line is not a JSON object
  json,             // not JSON
  depth,            // nested too deeply
  open_mark,        // a quotation mark without its partner
  after_mark,       // text after a quoted cell
  stray_return,     // a CR that is not at the end of a line
  nul,              // a NUL byte
  number,           // not a number, in a column of numbers
  missing,          // a cell that is missing
  outcome,          // the outcome is not a finite number
};

/// How lines without a label are treated; lines that are kept can be predicted.
enum class Unlabelled : std::uint8_t { refuse, skip, keep };

/// How labels are read: as 1, 0 or -1; by texts that mean yes; as any text, which is a
/// class; or as any number.
enum class LabelKind : std::uint8_t { label, named, class_, number };

/// The labels of lines.
class LabelRule {
 public:
  Unlabelled unlabelled = Unlabelled::refuse;

  LabelRule() = default;
  explicit LabelRule(LabelKind kind) : kind_(kind) {}
  explicit LabelRule(std::string positive)
      : kind_(LabelKind::named), text_(std::move(positive)) {
    const char* const end = text_.data() + text_.size();
    const Decimal read = read_decimal(text_.data(), end);
    numeric_ = read.ok && read.end == end;
    number_ = read.value;
  }

  [[nodiscard]] LabelKind kind() const noexcept { return kind_; }
  /// Whether a line without a label is no fault.
  [[nodiscard]] bool may_miss() const noexcept {
    return unlabelled != Unlabelled::refuse;
  }
  /// Whether a line with this label is left out.
  [[nodiscard]] bool skips(Label label) const noexcept {
    return label == Label::none && unlabelled == Unlabelled::skip;
  }
  /// The fault of a label that cannot be read.
  [[nodiscard]] LineFault fault() const noexcept {
    if (kind_ == LabelKind::number) return LineFault::outcome;
    return kind_ == LabelKind::label ? LineFault::label : LineFault::no_label;
  }

  /// The label of a token; if any label is allowed, all tokens give the same.
  [[nodiscard]] Label operator()(std::string_view token) const noexcept {
    if (kind_ == LabelKind::named && token == text_) return Label::yes;
    if (token.empty()) return may_miss() ? Label::none : Label::other;
    if (kind_ == LabelKind::class_) return Label::zero;
    if (kind_ == LabelKind::label) {
      const Label plain = label_of_digit(token);
      if (plain != Label::other) return plain;
    }
    const char* const end = token.data() + token.size();
    const Decimal read = read_decimal(token.data(), end);
    const bool number = read.ok && read.end == end;
    if (kind_ == LabelKind::number) {
      return number && std::isfinite(read.value) ? Label::zero : Label::other;
    }
    if (kind_ == LabelKind::label) return number ? label_of(read.value) : Label::other;
    // Every other label means no; +1, 1 and 1.0 are the same label.
    return numeric_ && number && read.value == number_ ? Label::yes : Label::zero;
  }

 private:
  LabelKind kind_ = LabelKind::label;
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
  std::vector<std::uint32_t> label_codes;  // or, if any label is allowed, which
  Names label_names;                       // the texts of the codes
  std::vector<double> label_numbers;       // or, if numbers are asked for, these
  std::vector<double> weights;             // how much rows count, where that is read
  std::vector<std::uint32_t> lines;        // the line each row came from, 0 the first
  std::vector<std::size_t> unlabelled;     // rows whose label means nothing
  std::string other_label;                 // what no is called, where yes has a name
  bool other_labels = false;               // and whether it is called otherwise, too
  std::size_t line_count = 0;  // lines read, including those without an example
  std::size_t skipped = 0;     // bad lines skipped
  std::size_t left_out = 0;    // good lines without an example
  Alphabet alphabet;
  LineFault fault = LineFault::none;
  std::size_t fault_line = 0;
  std::string fault_text;
  std::size_t fault_character = 0;  // where in the line, from 1; 0 if unknown
  std::string fault_token;          // the text at fault

  [[nodiscard]] std::size_t size() const noexcept { return lines.size(); }

  /// Drops the rows from `count` on.
  void truncate(std::size_t count) {
    offsets.resize(count + 1);
    labels.resize(std::min(count, labels.size()));
    label_codes.resize(std::min(count, label_codes.size()));
    label_numbers.resize(std::min(count, label_numbers.size()));
    weights.resize(std::min(count, weights.size()));
    lines.resize(count);
  }

 protected:
  void clear() {
    truncate(0);
    label_names.clear();
    other_label.clear();
    other_labels = false;
    unlabelled.clear();
    line_count = skipped = left_out = fault_line = fault_character = 0;
    alphabet = {};
    fault = LineFault::none;
    fault_text.clear();
    fault_token.clear();
    blamed_ = {};
    columns_claimed_ = values_claimed_ = 0;
  }

  /// Returns a fault, and remembers the piece of the line at fault.
  [[nodiscard]] LineFault blame(LineFault found, const char* first, const char* last) {
    blamed_ = {first, static_cast<std::size_t>(last - first)};
    return found;
  }
  [[nodiscard]] LineFault blame(LineFault found, std::string_view piece) {
    blamed_ = piece;
    return found;
  }

  /// Returns the fault of a label: the label is to blame, or the line if it has none.
  [[nodiscard]] LineFault blame_label(const LabelRule& rule, std::string_view token) {
    return token.empty() ? rule.fault() : blame(rule.fault(), token);
  }

  /// Makes room for so many entries, and for those that the rest of the text will
  /// probably have: new memory costs time.
  void make_room(std::size_t needed) {
    if (needed <= columns.size()) return;
    columns.resize(enough(needed, columns.size()));
    values.resize(columns.size());
  }
  /// A size for what grows with the entries, that must be at least `needed`.
  [[nodiscard]] std::size_t enough(std::size_t needed, std::size_t now) const noexcept {
    const auto done = static_cast<double>(here_ - whole_.data() + 1);
    const auto expected =
        static_cast<std::size_t>(1.125 * static_cast<double>(offsets.back()) *
                                 static_cast<double>(whole_.size()) / done);
    return std::max({needed, expected, now + now / 2});
  }
  /// Claims the room of the next entries, from `next` on and not yet `claimed`. When a
  /// block is used again, the core that learned from it has what was there, and every
  /// write would wait for it.
  template <class T>
  static void claim(const std::vector<T>& room, std::size_t next,
                    std::size_t& claimed) noexcept {
    constexpr std::size_t ahead = 512;            // entries
    constexpr std::size_t line = 64 / sizeof(T);  // of the cache
    if (claimed > next + ahead / 2) return;
    const std::size_t end = std::min(next + ahead, room.size());
    std::size_t at = std::max(claimed, next);
    for (; at < end; at += line) {
#if defined(__x86_64__) && defined(__GNUC__)
      // Compilers for every processor know only how to fetch what will be read.
      asm volatile("prefetchw %0" : : "m"(room[at]));
#elif defined(__GNUC__)
      __builtin_prefetch(&room[at], 1);
#endif
    }
    claimed = at;
  }
  void claim_room() noexcept {
    claim(columns, offsets.back(), columns_claimed_);
    claim(values, offsets.back(), values_claimed_);
  }
  std::string_view whole_;      // the text that is parsed
  const char* here_ = nullptr;  // the line that is

  /// Calls `parse_line` with each line, without its line end, which the last line may
  /// lack. With `skip`, bad lines are counted and skipped; otherwise the first one ends
  /// the loop.
  template <class ParseLine>
  void each_line(std::string_view text, bool skip, ParseLine parse_line) {
    whole_ = text;
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      here_ = p;
      claim_room();
      const auto* newline = static_cast<const char*>(
          std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      const char* const line_end = newline == nullptr ? end : newline;
      const LineFault found = parse_line(p, line_end);
      if (found != LineFault::none) {
        if (!skip) {
          fault = found;
          fault_line = line_count;
          fault_text.assign(p, p + std::min(line_end - p, shown));
          show_blamed(p);
          return;
        }
        ++skipped;
        blamed_ = {};
      }
      ++line_count;
      p = newline == nullptr ? end : newline + 1;
    }
  }

  /// Remembers what no is called.
  void meet_other(std::string_view token) {
    if (other_label.empty()) {
      other_label.assign(token);
    } else if (token != other_label) {
      other_labels = true;
    }
  }

  /// Completes a row whose entries were written.
  void add_row(Label label, std::string_view token, const LabelRule& label_rule,
               std::size_t entries) {
    if (label == Label::none) unlabelled.push_back(size());
    if (label_rule.kind() == LabelKind::class_) {
      label_codes.push_back(static_cast<std::uint32_t>(label_names.enter(token)));
    } else if (label_rule.kind() == LabelKind::number) {
      label_numbers.push_back(
          read_decimal(token.data(), token.data() + token.size()).value);
    } else {
      alphabet.meet(label, size());
      if (label_rule.kind() == LabelKind::named && label == Label::zero)
        meet_other(token);
      labels.push_back(label == Label::yes ? 1 : 0);
    }
    lines.push_back(static_cast<std::uint32_t>(line_count));
    offsets.push_back(offsets.back() + entries);
  }

 private:
  static constexpr std::ptrdiff_t shown = 200;  // bytes of a bad line in an error
  std::string_view blamed_;
  std::size_t columns_claimed_ = 0;  // up to where room was claimed
  std::size_t values_claimed_ = 0;

  void show_blamed(const char* line) {
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
