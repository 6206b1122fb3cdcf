// Compares the parser with a second reader, slow and simple, on random tables, whole
// and cut.
//
//   fuzz_table COUNT [SEED]
//
// Equal seeds give equal inputs. Each text is in a buffer of exactly its size, so that
// the address sanitizer finds every read beyond it.

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "littlestone/parsing/table.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

/// Features and the bits of their values: NaN equals itself, and -0 is not 0.
using Exact = std::vector<std::pair<std::string, std::uint64_t>>;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Records as most tables have them.
std::string orderly(Random& random, std::size_t width) {
  static constexpr std::array others{"red"sv,      "1"sv,     ""sv,
                                     "NA"sv,       "1e3"sv,   "a text of sixteen"sv,
                                     "eightbyt"sv, "four"sv,  "sixteen bytes al"sv,
                                     "\xC3\xA9"sv, "\"q\""sv, "nine byte"sv};
  std::string text;
  for (std::size_t records = 1 + random.below(4); records > 0; --records) {
    const std::size_t cells = random.once_in(20) ? random.below(12) : width;
    for (std::size_t c = 0; c < cells; ++c) {
      if (c > 0) text += ',';
      text += random.once_in(6) ? others[random.below(others.size())]
                                : std::string_view(short_number(random));
    }
    text += random.once_in(9) ? "\r\n" : "\n";
  }
  return text;
}

std::string some_text(Random& random, std::size_t width) {
  static constexpr std::array pieces{"\""sv,
                                     "\""sv,
                                     "\"\""sv,
                                     ","sv,
                                     ","sv,
                                     ","sv,
                                     "\n"sv,
                                     "\n"sv,
                                     "\r"sv,
                                     "\r\n"sv,
                                     "1,"sv,
                                     "\n1,"sv,
                                     "\n0,"sv,
                                     "0"sv,
                                     "1"sv,
                                     "-"sv,
                                     "."sv,
                                     "2.5"sv,
                                     "e"sv,
                                     "1e3"sv,
                                     "-1.25"sv,
                                     "NA"sv,
                                     "nan"sv,
                                     "inf"sv,
                                     "?"sv,
                                     " "sv,
                                     "a"sv,
                                     "b"sv,
                                     "red"sv,
                                     "\xC3\xA9"sv,
                                     "\0"sv,
                                     "="sv,
                                     "12345678"sv,
                                     "\"x,\ny\""sv,
                                     "\"a\"\"b\""sv,
                                     ",\"\n"sv,
                                     "\",a\r"sv,
                                     "\n\","sv,
                                     "\"\n"sv,
                                     "0.123456789"sv,
                                     "a long text, of more bytes"sv};
  if (random.once_in(2)) return orderly(random, width);
  return some_pieces(pieces, 200, random);
}

TableRule some_rule(Random& random) {
  TableRule rule;
  const std::size_t width = 1 + random.below(random.once_in(2) ? 4 : 12);
  for (std::size_t c = 0; c < width; ++c) {
    static constexpr std::array kinds{ColumnKind::number, ColumnKind::category,
                                      ColumnKind::ignored};
    const std::size_t kind = random.once_in(2) ? 0 : random.below(kinds.size());
    rule.columns.push_back({kinds[kind], "c" + std::to_string(c)});
  }
  rule.unlabelled = static_cast<Unlabelled>(random.below(3));
  if (rule.unlabelled == Unlabelled::refuse || random.once_in(2)) {
    rule.columns[random.below(width)].kind = ColumnKind::label;
  }
  rule.missing = static_cast<MissingCells>(random.below(3));
  rule.dense = random.once_in(3);
  rule.labels = static_cast<LabelKind>(random.below(4));
  rule.positive = {WrittenLabel("1"), WrittenLabel("a")};
  if (random.once_in(2)) rule.negative = {WrittenLabel("0"), WrittenLabel("b")};
  return rule;
}

// The second reader ---------------------------------------------------------

/// A record byte by byte: its cells, or a fault, and how many bytes it takes.
struct Record {
  std::vector<std::string> cells{""};
  LineFault fault = LineFault::none;
  std::size_t bytes = 0;
  std::size_t lines = 1;
  bool blank = false;
};

Record read_record(const std::string& text, std::size_t begin) {
  enum class At { start, bare, marked, after, ends };
  Record record;
  At at = At::start;
  std::size_t k = begin;
  bool ended = false;
  /// Whether a byte ends the cell, or more.
  const auto ends_cell = [&](char c) {
    if (c == ',') {
      record.cells.emplace_back();
      at = At::start;
    } else if (c == '\r') {
      at = At::ends;
    }
    ended = c == '\n';
    return c == ',' || c == '\r' || c == '\n';
  };
  for (; k < text.size() && !ended && record.fault == LineFault::none; ++k) {
    const char c = text[k];
    switch (at) {
      case At::start:
      case At::bare:
        if (c == '"' && at == At::start) {
          at = At::marked;
        } else if (!ends_cell(c)) {
          record.cells.back() += c;
          at = At::bare;
        }
        break;
      case At::marked:
        if (c == '"') {
          at = At::after;
        } else {
          record.cells.back() += c;
          record.lines += c == '\n';
        }
        break;
      case At::after:
        if (c == '"') {
          record.cells.back() += c;
          at = At::marked;
        } else if (!ends_cell(c)) {
          record.fault = LineFault::after_mark;
        }
        break;
      case At::ends:
        if (c == '\n') {
          ended = true;
        } else if (c != '\r') {
          record.fault = LineFault::stray_return;
        }
        break;
    }
  }
  if (record.fault == LineFault::none && !ended && at == At::marked) {
    record.fault = LineFault::open_mark;
  }
  if (record.fault != LineFault::none) {
    record.lines = 1;
    for (k = begin; k < text.size() && text[k] != '\n';) ++k;
    k += k < text.size() ? 1 : 0;
  }
  record.bytes = k - begin;
  const std::string raw = text.substr(begin, record.bytes);
  record.blank = raw.find_first_not_of("\r\n") == std::string::npos;
  if (record.fault == LineFault::none && !record.blank) {
    if (!is_utf8(raw)) {
      record.fault = LineFault::encoding;
    } else if (raw.find('\0') != std::string::npos) {
      record.fault = LineFault::nul;
    }
  }
  return record;
}

std::string bare(const std::string& cell) {
  const auto first = cell.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  std::string found = cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
  return found;
}

/// A finite number in `value`, or a fault.
LineFault number_in(const std::string& cell, double& value) {
  const std::string text = bare(cell);
  if (!is_decimal(text)) {
    const std::string word = lowercase(text);
    for (const auto* name : {"inf", "infinity"}) {
      for (const auto* sign : {"", "+", "-"}) {
        if (word == std::string(sign) + name) return LineFault::not_finite;
      }
    }
    return LineFault::number;
  }
  value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? LineFault::none : LineFault::not_finite;
}

bool is_gone(const std::string& cell) {
  const std::string word = lowercase(bare(cell));
  for (const auto* name :
       {"", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?"}) {
    if (word == name) return true;
  }
  return false;
}

bool is_missing(const std::string& cell, ColumnKind kind, const TableRule& rule) {
  if (kind == ColumnKind::number) {
    const std::string word = lowercase(bare(cell));
    const bool infinite = word.find("inf") != std::string::npos;
    double value = 0.0;
    return is_gone(cell) ||
           (rule.dense && infinite && number_in(cell, value) == LineFault::not_finite);
  }
  return cell.empty() || (rule.missing == MissingCells::refuse && cell == "?");
}

LineFault label_fault(const std::string& cell, const TableRule& rule, bool& yes) {
  double value = 0.0;
  const bool number = number_in(cell, value) == LineFault::none;
  const bool one = number && value == 1.0;
  const bool zero = number && value == 0.0;
  switch (rule.labels) {
    case LabelKind::label:
      yes = one;
      return one || zero || (number && value == -1.0) ? LineFault::none
                                                      : LineFault::label;
    case LabelKind::named:
      yes = one || cell == "a";
      if (yes || zero || cell == "b") return LineFault::none;
      return cell.empty() || !rule.negative.empty() ? LineFault::no_label
                                                    : LineFault::none;
    case LabelKind::class_: return cell.empty() ? LineFault::no_label : LineFault::none;
    case LabelKind::number: return number ? LineFault::none : LineFault::outcome;
  }
  return LineFault::none;
}

LineFault features_of(const Record& record, const TableRule& rule, Exact& features,
                      bool& yes, bool& labelled) {
  labelled = false;
  if (record.cells.size() != rule.columns.size()) return LineFault::columns;
  for (std::size_t c = 0; c < record.cells.size(); ++c) {
    const std::string& cell = record.cells[c];
    const auto& [kind, name] = rule.columns[c];
    LineFault fault = LineFault::none;
    double value = 0.0;
    if (kind == ColumnKind::label) {
      const bool words =
          rule.labels == LabelKind::class_ || rule.labels == LabelKind::named;
      labelled = rule.unlabelled == Unlabelled::refuse ||
                 !(words ? cell.empty() : is_gone(cell));
      if (labelled) fault = label_fault(cell, rule, yes);
    } else if (kind == ColumnKind::ignored) {
      continue;
    } else if (is_missing(cell, kind, rule)) {
      if (rule.missing == MissingCells::refuse) {
        fault = LineFault::missing;
      } else if (rule.missing == MissingCells::literal) {
        features.emplace_back(name + "=?", bits(1.0));
      } else if (rule.dense && kind == ColumnKind::number) {
        features.emplace_back(name, bits(std::numeric_limits<double>::quiet_NaN()));
      }
    } else if (kind == ColumnKind::category) {
      features.emplace_back(name + "=" + cell, bits(1.0));
    } else {
      fault = number_in(cell, value);
      if (fault == LineFault::none && (value != 0.0 || rule.dense)) {
        features.emplace_back(name, bits(value));
      }
    }
    if (fault != LineFault::none) return fault;
  }
  return LineFault::none;
}

// The comparison ------------------------------------------------------------

Exact features(const TableBlock& block, std::size_t t) {
  Exact made;
  const WordsRow x = block.rows()[t];
  for (std::size_t k = 0; k < x.size(); ++k) {
    made.emplace_back(block.names[x.ids[k]], bits(x.value(k)));
  }
  return made;
}

void try_text(const std::string& text, const TableRule& rule, bool skip,
              TableBlock& block) {
  const std::vector<char> exact(text.begin(), text.end());
  block.parse({exact.data(), exact.size()}, rule, skip);
  std::size_t row = 0;
  std::size_t line = 0;
  std::size_t skipped = 0;
  std::size_t left_out = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Record record = read_record(text, at);
    at += record.bytes;
    Exact expected;
    bool yes = false;
    bool labelled = false;
    LineFault fault = record.fault;
    if (fault == LineFault::none && !record.blank) {
      fault = features_of(record, rule, expected, yes, labelled);
    }
    if (fault != LineFault::none && !skip) {
      if (block.fault != fault || block.fault_line != line) report("fault", text);
      break;
    }
    skipped += fault != LineFault::none;
    const bool whole = fault == LineFault::none && !record.blank;
    const bool leaves = !labelled && rule.unlabelled == Unlabelled::skip;
    left_out += whole && leaves;
    if (whole && !leaves) {
      const auto& without = block.unlabelled;
      if (std::count(without.begin(), without.end(), row) != (labelled ? 0 : 1)) {
        report("unlabelled", text);
      }
      if (row >= block.size() || block.lines[row] != line) report("line", text);
      if (features(block, row) != expected) report("row", text);
      const bool two =
          rule.labels == LabelKind::label || rule.labels == LabelKind::named;
      if (two && (block.labels[row] != 0) != yes) report("label", text);
      ++row;
    }
    line += record.lines;
  }
  if (block.size() != row || block.skipped != skipped || block.left_out != left_out)
    report("count", text);
}

/// Cut after its whole records, a text reads as it does in one piece.
void try_cut(const std::string& text, const TableRule& rule, std::size_t end,
             const TableBlock& block) {
  const std::vector<char> start(text.begin(),
                                text.begin() + static_cast<std::ptrdiff_t>(end));
  const char* const p = start.data();
  const auto cut = static_cast<std::size_t>(whole_records(p, p + end, ',') - p);
  TableBlock first;
  TableBlock second;
  first.parse(std::string_view(text).substr(0, cut), rule, true);
  second.parse(std::string_view(text).substr(cut), rule, true);
  if (first.size() + second.size() != block.size() ||
      first.skipped + second.skipped != block.skipped ||
      first.line_count + second.line_count != block.line_count) {
    report("what is cut", text);
  }
  for (std::size_t t = 0; t < block.size(); ++t) {
    const bool before = t < first.size();
    const Exact found =
        before ? features(first, t) : features(second, t - first.size());
    const std::size_t line =
        before ? first.lines[t] : first.line_count + second.lines[t - first.size()];
    if (found != features(block, t) || line != block.lines[t]) {
      report("a row of what is cut", text);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return fuzz("fuzz_table", argc, argv,
              [reused = TableBlock()](Random& random) mutable {
                const TableRule rule = some_rule(random);
                std::string text = some_text(random, rule.columns.size());
                // Records that are followed by others are read in a quicker way.
                if (random.once_in(2)) text += std::string(70, '\n');
                const bool skip = random.once_in(2);
                try_text(text, rule, skip, reused);
                if (skip) try_cut(text, rule, random.below(text.size() + 1), reused);
              });
}
