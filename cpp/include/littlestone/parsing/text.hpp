// Text to rows: each line is a document, with columns separated by tabs, whose words
// are features.
//
// A word is a run of ASCII letters, digits and bytes from 0x80 on, so that a word in
// UTF-8 stays whole whatever its script. Features have names: each block has a table of
// its names, to which its rows refer.
#pragma once

#include <algorithm>  // std::find, std::max, std::min
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>  // std::move
#include <vector>

#include "littlestone/names.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/parsing/utf8.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// Which columns are read, and how their words become features.
struct TextRule {
  LabelRule label_rule;
  static constexpr std::size_t no_column = static_cast<std::size_t>(-1);
  std::size_t label = 0;             // the column of the label, or no_column
  std::vector<std::size_t> columns;  // of the text; empty: all but the label
  std::size_t width = 0;     // how many columns a line must have; 0: at least `needed`
  std::size_t shortest = 1;  // how many words make a feature
  std::size_t longest = 1;
  bool lowercase = true;
  bool counts = false;

  [[nodiscard]] bool is_text(std::size_t column) const noexcept {
    if (columns.empty()) return column != label;
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  }
  /// Whether a line of so many columns lacks only that of its label.
  [[nodiscard]] bool lacks_label(std::size_t count) const noexcept {
    return label_rule.may_miss() && label != no_column &&
           count + 1 == (width != 0 ? width : needed());
  }
  /// How many columns a line must have at least.
  [[nodiscard]] std::size_t needed() const noexcept {
    const bool labelled = label != no_column;
    std::size_t most =
        labelled ? std::max<std::size_t>(label, columns.empty() ? 1 : 0) : 0;
    for (const auto column : columns) most = std::max(most, column);
    return most + 1;
  }
};

/// What each byte becomes: 0 separates words, others are replaced by the byte given.
using WordBytes = std::array<char, 256>;

[[nodiscard]] constexpr WordBytes word_bytes(bool lowercase) noexcept {
  WordBytes table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool upper = byte >= 'A' && byte <= 'Z';
    const bool word = upper || (byte >= 'a' && byte <= 'z') ||
                      (byte >= '0' && byte <= '9') || byte >= 0x80;
    if (!word) continue;
    table[byte] = static_cast<char>(upper && lowercase ? byte - 'A' + 'a' : byte);
  }
  return table;
}

/// The words of a text, joined by spaces, so that successive words are a piece of one
/// string.
class Words {
 public:
  void read(std::string_view text, const WordBytes& table) {
    ends_.clear();
    joined_.resize(text.size() + 1);
    char* out = joined_.data();
    const char* p = text.data();
    const char* const end = p + text.size();
    while (true) {
      while (p != end && table[static_cast<unsigned char>(*p)] == 0) ++p;
      if (p == end) return;
      for (char c = 0; p != end && (c = table[static_cast<unsigned char>(*p)]) != 0;
           ++p) {
        *out++ = c;
      }
      ends_.push_back(static_cast<std::size_t>(out - joined_.data()));
      *out++ = ' ';
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  /// `count` words from `first` on.
  [[nodiscard]] std::string_view piece(std::size_t first,
                                       std::size_t count) const noexcept {
    const std::size_t begin = first == 0 ? 0 : ends_[first - 1] + 1;
    return std::string_view(joined_).substr(begin, ends_[first + count - 1] - begin);
  }

 private:
  std::string joined_;
  std::vector<std::size_t> ends_;
};

struct TextBlock : LineBlock {
  Names names;

  [[nodiscard]] WordsBlock rows() const noexcept {
    return {offsets, columns, values, {}};
  }

  void parse(std::string_view text, const TextRule& rule, bool skip) {
    clear();
    columns.clear();
    values.clear();
    names.clear();
    seen_.clear();
    const WordBytes table = word_bytes(rule.lowercase);
    each_line(text, skip, [&](const char* p, const char* end) {
      if (p != end && end[-1] == '\r') --end;
      if (p == end) return LineFault::none;
      return parse_line({p, static_cast<std::size_t>(end - p)}, rule, table);
    });
  }

 private:
  struct Seen {
    std::size_t row = static_cast<std::size_t>(-1);  // the last row with this name
    std::size_t position = 0;                        // its position in `values`
  };
  std::vector<Seen> seen_;  // one for each name
  std::vector<std::string_view> fields_;
  Words words_;
  std::vector<std::uint64_t> hashes_;

  [[nodiscard]] LineFault parse_line(std::string_view line, const TextRule& rule,
                                     const WordBytes& table) {
    // Everything is checked before a name is entered: a bad line changes nothing.
    fields_.clear();
    std::string_view token;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++count) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      const std::string_view field = line.substr(begin, end - begin);
      if (count == rule.label) token = field;
      if (rule.is_text(count)) fields_.push_back(field);
      begin = end + 1;
    }
    if (rule.lacks_label(count)) {
      token = {};
      read_fields(line, rule);
    } else if (rule.width != 0 ? count != rule.width : count < rule.needed()) {
      return LineFault::columns;
    }
    const Label label = rule.label_rule(token);
    if (label == Label::other) return blame_label(rule.label_rule, token);
    if (rule.label_rule.skips(label)) {
      ++left_out;
      return LineFault::none;
    }
    if (!is_utf8(token)) return LineFault::encoding;
    for (const auto field : fields_) {
      if (!is_utf8(field)) return LineFault::encoding;
    }

    for (const auto field : fields_) {
      words_.read(field, table);
      // Two passes over the pieces: the first prefetches what the second looks up.
      hashes_.clear();
      each_piece(rule, [&](std::string_view name) {
        names.fetch(hashes_.emplace_back(names.hash_of(name)));
      });
      const std::uint64_t* hash = hashes_.data();
      each_piece(rule,
                 [&](std::string_view name) { meet(name, *hash++, rule.counts); });
    }
    add_row(label, token, rule.label_rule, columns.size() - offsets.back());
    return LineFault::none;
  }

  /// Reads the texts of a line without a label: those after it are a column earlier.
  void read_fields(std::string_view line, const TextRule& rule) {
    fields_.clear();
    std::size_t column = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++column) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      if (rule.is_text(column < rule.label ? column : column + 1)) {
        fields_.push_back(line.substr(begin, end - begin));
      }
      begin = end + 1;
    }
  }

  template <class Take>
  void each_piece(const TextRule& rule, Take take) const {
    for (std::size_t first = 0; first < words_.size(); ++first) {
      const std::size_t most = std::min(rule.longest, words_.size() - first);
      for (std::size_t n = rule.shortest; n <= most; ++n) take(words_.piece(first, n));
    }
  }

  void meet(std::string_view name, std::uint64_t hash, bool counts) {
    const std::size_t id = names.enter(name, hash);
    if (id == seen_.size()) seen_.emplace_back();
    Seen& seen = seen_[id];
    if (seen.row == size()) {
      if (counts) values[seen.position] += 1.0;
      return;
    }
    seen = {size(), values.size()};
    columns.push_back(static_cast<std::uint32_t>(id));
    values.push_back(1.0);
  }
};

}  // namespace littlestone
