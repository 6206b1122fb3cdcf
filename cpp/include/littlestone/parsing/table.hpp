// A table to rows: each record is an example, and each cell gives at most one feature.
//
// A column of numbers gives the feature `name` with the number as its value, a column
// of categories the feature `name=text` with the value 1. As in text, features have
// names: each block has a table of its names, to which its rows refer.
#pragma once

#include <algorithm>  // std::any_of, std::copy, std::max, std::min
#include <array>
#include <bit>    // std::bit_width
#include <cmath>  // std::isfinite
#include <cstddef>
#include <cstdint>
#include <cstring>     // std::memcpy
#include <functional>  // std::less_equal
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // std::move
#include <vector>

#include "littlestone/names.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/parsing/marks.hpp"
#include "littlestone/parsing/records.hpp"
#include "littlestone/parsing/utf8.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// The kind of a column. Categories must be present if missing cells are refused; ? is
/// missing then, too.
enum class ColumnKind : std::uint8_t {
  ignored,
  label,
  weight,
  number,
  category,
  present
};

/// How missing cells are treated.
enum class MissingCells : std::uint8_t { leave_out, refuse, literal };

struct TableColumn {
  ColumnKind kind = ColumnKind::ignored;
  std::string name;
};

/// A label given by its text or number: +1, 1 and 1.0 are the same.
class WrittenLabel {
 public:
  explicit WrittenLabel(std::string text) : text_(std::move(text)) {
    const char* const end = text_.data() + text_.size();
    const Decimal read = read_decimal(text_.data(), end);
    numeric_ = read.ok && read.end == end;
    number_ = read.value;
  }

  [[nodiscard]] bool equals(std::string_view token,
                            const Decimal& number) const noexcept {
    return token == text_ || (numeric_ && number.ok && number.value == number_);
  }

 private:
  std::string text_;
  bool numeric_ = false;
  double number_ = 0.0;
};

struct TableRule {
  std::vector<TableColumn> columns;  // all columns of a record
  char delimiter = ',';
  MissingCells missing = MissingCells::leave_out;
  // Whether every column of numbers has an entry in every row, also for 0; a missing or
  // infinite number is then NaN, unless it is refused.
  bool dense = false;
  LabelKind labels = LabelKind::label;
  Unlabelled unlabelled = Unlabelled::refuse;
  std::vector<WrittenLabel> positive;  // the labels that mean yes
  std::vector<WrittenLabel> negative;  // those that mean no; empty: all others
};

namespace detail {

[[nodiscard]] inline std::string_view trimmed(std::string_view cell) noexcept {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!cell.empty() && blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

/// The number in a cell, which may have blanks around it.
[[nodiscard]] inline Decimal whole_decimal(std::string_view cell) noexcept {
  if (cell.size() == 1 && is_digit(cell[0])) {  // like most labels
    return {cell.data() + 1, static_cast<double>(cell[0] - '0'), true};
  }
  cell = trimmed(cell);
  const char* const end = cell.data() + cell.size();
  Decimal read = read_decimal(cell.data(), end);
  read.ok = read.ok && read.end == end;
  return read;
}

/// Whether the cell is a number of few digits; a cell that is not a piece of the text,
/// or has not enough text after it to tell, is not.
[[nodiscard]] inline bool is_short(std::string_view cell,
                                   std::string_view text) noexcept {
  constexpr std::size_t margin = 8;
  const std::less_equal<const char*> before;
  const char* const first = cell.data();
  const char* const end = text.data() + text.size();
  if (cell.empty() || !before(text.data(), first) || !before(first, end)) return false;
  if (static_cast<std::size_t>(end - first) <= cell.size() + margin) return false;
  ShortDecimal read;
  return read_short_token(first, first + cell.size(), read);
}

/// Whether the cell is one of these words, ignoring case.
template <std::size_t Count>
[[nodiscard]] bool is_word(std::string_view cell,
                           const std::array<std::string_view, Count>& words) noexcept {
  return std::any_of(words.begin(), words.end(), [cell](std::string_view word) {
    if (cell.size() != word.size()) return false;
    for (std::size_t k = 0; k < cell.size(); ++k) {
      const char c = cell[k];
      const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (low != word[k]) return false;
    }
    return true;
  });
}

/// Whether a cell marks a missing number.
[[nodiscard]] inline bool is_missing_number(std::string_view cell) noexcept {
  static constexpr std::array<std::string_view, 9> words{
      "", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?"};
  return is_word(trimmed(cell), words);
}

[[nodiscard]] inline bool is_infinite(std::string_view cell) noexcept {
  static constexpr std::array<std::string_view, 6> words{
      "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"};
  return is_word(trimmed(cell), words);
}

}  // namespace detail

/// Guesses which columns hold numbers, from at most `most` records of `width` cells:
/// those in which every cell is a number or missing. An infinite number counts, so that
/// it is refused as one.
[[nodiscard]] inline std::vector<bool> columns_of_numbers(std::string_view text,
                                                          char delimiter,
                                                          std::size_t width,
                                                          std::size_t most) {
  std::vector<bool> numbers(width, true);
  RecordReader records(text, delimiter);
  const char* p = text.data();
  const char* const end = p + text.size();
  for (std::size_t count = 0; p != end && count < most;) {
    p = records.read(p);
    if (records.fault != LineFault::none || records.cells.size() != width) continue;
    ++count;
    for (std::size_t c = 0; c < width; ++c) {
      const std::string_view cell = records.cells[c];
      numbers[c] = numbers[c] &&
                   (detail::is_short(cell, text) || detail::whole_decimal(cell).ok ||
                    detail::is_missing_number(cell) || detail::is_infinite(cell));
    }
  }
  return numbers;
}

/// How many records of `width` cells a text has, or of as many as its first valid
/// record if that is 0; at most `most`.
[[nodiscard]] inline std::size_t count_records(std::string_view text, char delimiter,
                                               std::size_t width, std::size_t most) {
  RecordReader records(text, delimiter);
  const char* p = text.data();
  const char* const end = p + text.size();
  std::size_t count = 0;
  while (p != end && count < most) {
    p = records.read(p);
    if (records.fault != LineFault::none || records.cells.empty()) continue;
    if (width == 0) width = records.cells.size();
    count += records.cells.size() == width ? 1 : 0;
  }
  return count;
}

struct TableBlock : LineBlock {
  Names names;
  std::vector<double> outcomes;   // if labels are numbers
  std::size_t fault_column = 0;   // the column of the cell at fault
  std::size_t fault_columns = 0;  // or how many columns the record has instead
  std::string fault_value;

  [[nodiscard]] WordsBlock rows() const noexcept {
    return {offsets, columns, values, {}};
  }

  void parse(std::string_view text, const TableRule& rule, bool skip) {
    begin(text, rule);
    const char* p = text.data();
    while (p != end_) {
      const char* const record = here_ = p;
      claim_room();
      record_lines_ = 1;
      fault_column = fault_columns = 0;
      blamed_ = {};
      LineFault found = LineFault::none;
      if (const char* const next = detail::past_blank_line(p, end_)) {
        p = next;
      } else if (rest_ != 0 || !read_plain(p, rule)) {
        rest_ = rest_ != 0 ? rest_ - 1 : until_tried_again;
        found = read_record(p, rule);
      }
      if (found != LineFault::none) {
        if (!skip) {
          const char* const line_end = detail::find_byte(record, end_, '\n');
          const auto size = (line_end == nullptr ? end_ : line_end) - record;
          fault = found;
          fault_line = line_count;
          fault_text.assign(record, record + std::min(size, shown));
          fault_value.assign(blamed_.substr(0, shown));
          return;
        }
        ++skipped;
      }
      line_count += record_lines_;
    }
  }

 private:
  static constexpr std::ptrdiff_t shown =
      200;  // bytes of a bad record or cell in an error
  static constexpr std::uint32_t no_id = static_cast<std::uint32_t>(-1);
  static constexpr std::uint32_t not_numbers = no_id - 1;

  /// A short text, and its feature in a column of this block. There are no NUL bytes
  /// in it but those that fill it up.
  struct alignas(32) Known {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::uint32_t block = 0;
    std::uint32_t id = no_id;

    [[nodiscard]] bool same(const Known& asked) const noexcept {
      return ((head ^ asked.head) | (tail ^ asked.tail) | (block ^ asked.block)) == 0;
    }
  };
  static constexpr std::size_t longest_known = 16;
  static constexpr unsigned most_known_bits = 11;  // of one column
  static constexpr unsigned all_known_bits = 14;   // of all columns

  struct Column {
    ColumnKind kind = ColumnKind::ignored;
    std::size_t known = 0;  // its number among the columns of categories
    std::string prefix;     // the name and =
  };
  /// An entry of the row with a feature that may be new.
  struct Pending {
    std::size_t at = 0;  // where in `columns` its number goes
    std::size_t column = 0;
    std::string_view text;  // of a category
    bool number = false;
  };

  const char* end_ = nullptr;
  bool dense_ = false;
  bool weighs_ = false;  // whether a column has weights
  StopFinder stops_{','};
  Marks marks_{'\r', ',', '"'};
  static constexpr std::uint8_t until_tried_again = 15;  // records
  static constexpr std::size_t window = 8192;  // bytes whose marks are found at once
  static constexpr std::size_t in_vain = 8;    // entries that may be written in vain
  std::uint8_t rest_ = 0;        // records until the quick way is tried again
  std::optional<bool> suspect_;  // whether some byte is NUL or not UTF-8, once asked
  std::uint32_t block_ = 0;
  std::vector<Column> plan_;
  std::vector<std::uint32_t> ids_;  // of columns of numbers whose names were entered
  // How many successive columns of numbers begin at a column, and how many records to
  // wait until they are tried several at a time again.
  static constexpr std::uint32_t at_once = 3;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint8_t> rests_;
  /// Successive columns of one kind: numbers, categories, or a single other one.
  struct Run {
    ColumnKind kind = ColumnKind::ignored;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<Run> runs_;
  std::vector<Known> known_;  // 2^known_bits_ for each column with categories
  unsigned known_bits_ = 0;
  std::vector<Pending> pending_;
  std::string spelled_;
  std::string key_;
  std::size_t record_lines_ = 1;
  std::string_view blamed_;

  // The current record.
  std::size_t at_ = 0;  // where its next entry goes
  Label label_ = Label::other;
  std::string_view token_;
  double outcome_ = 0.0;
  double weight_ = 1.0;

  void begin(std::string_view text, const TableRule& rule) {
    clear();
    names.clear();
    outcomes.clear();
    fault_value.clear();
    whole_ = text;
    end_ = text.data() + text.size();
    dense_ = rule.dense;
    weighs_ = false;
    stops_ = StopFinder(rule.delimiter);
    marks_.look_for('\r', rule.delimiter, '"');
    marks_.forget();
    suspect_.reset();
    rest_ = 0;
    spelled_.reserve(text.size());
    plan_.resize(rule.columns.size());
    ids_.resize(plan_.size() + in_vain);
    std::size_t known = 0;
    for (std::size_t c = 0; c < plan_.size(); ++c) {
      const bool literal = rule.missing == MissingCells::literal;
      const bool refused = rule.missing == MissingCells::refuse;
      const ColumnKind kind = rule.columns[c].kind;
      const bool category = kind == ColumnKind::category;
      weighs_ |= kind == ColumnKind::weight;
      plan_[c].kind = category && refused ? ColumnKind::present : kind;
      ids_[c] = kind == ColumnKind::number ? no_id : not_numbers;
      plan_[c].known = known;
      plan_[c].prefix = rule.columns[c].name + '=';
      known += category || literal ? 1 : 0;
    }
    numbers_.assign(plan_.size() + 1, 0);
    rests_.assign(plan_.size(), 0);
    for (std::size_t c = plan_.size(); c-- > 0;) {
      numbers_[c] = ids_[c] == not_numbers ? 0 : numbers_[c + 1] + 1;
    }
    runs_.clear();
    for (std::size_t c = 0; c < plan_.size(); ++c) {
      const ColumnKind kind = plan_[c].kind;
      const bool many = kind == ColumnKind::number || kind == ColumnKind::category;
      if (c == 0 || !many || runs_.back().kind != kind) runs_.push_back({kind, c, c});
      runs_.back().last = c + 1;
    }
    const auto share = static_cast<unsigned>(std::bit_width(known));
    known_bits_ = std::min(most_known_bits, all_known_bits - std::min(share, 10U));
    known <<= known_bits_;
    if (known_.size() < known) known_.resize(known);
    if (++block_ == 0) {  // entries of 2^32 blocks ago must not become valid
      known_.assign(known_.size(), Known{});
      block_ = 1;
    }
  }

  /// Everything is checked before a name is entered: a bad record changes nothing.
  [[nodiscard]] LineFault read_record(const char*& p, const TableRule& rule) {
    const char* const record = p;
    const std::size_t width = plan_.size();
    begin_record();
    LineFault found = LineFault::none;
    std::size_t c = 0;
    for (bool more = true; more; ++c) {
      const ColumnKind kind = c < width ? plan_[c].kind : ColumnKind::ignored;
      std::string_view cell;
      detail::CellEnd stop;
      bool room = true;  // whether 16 bytes from the cell on are readable
      if (p != end_ && *p == '"') {
        const MarkedCell marked = MarkedCell::read(p, end_, rule.delimiter, spelled_);
        if (marked.fault != LineFault::none) {
          return refuse_line(marked.fault, record, p);
        }
        cell = marked.text;
        room = cell.data() == p + 1;  // it is not a copy
        record_lines_ += marked.newlines;
        stop = marked.end;
      } else {
        const char* const q = stops_.find(p, end_);
        cell = {p, static_cast<std::size_t>(q - p)};
        stop = detail::after_cell(q, end_, rule.delimiter);
        if (stop.after == detail::After::stray_return) {
          return refuse_line(LineFault::stray_return, record, p);
        }
      }
      p = stop.next;
      more = stop.after == detail::After::cell;
      if (found != LineFault::none || kind == ColumnKind::ignored) continue;
      room = room && end_ - p >= 16;
      if (kind == ColumnKind::category && !cell.empty()) {
        add_category(c, cell, room);
        continue;
      }
      if (room && kind == ColumnKind::number && add_short_number(c, cell)) continue;
      found = read_cell(cell, c, rule);
      if (found != LineFault::none) {
        fault_column = c;
        blamed_ = cell;
      }
    }
    // A fault of the whole record is reported before that of a cell.
    const std::string_view text(record, static_cast<std::size_t>(p - record));
    if (suspect_.value_or(true)) {
      if (!is_utf8(text)) return refuse_whole(LineFault::encoding);
      if (text.find('\0') != std::string_view::npos)
        return refuse_whole(LineFault::nul);
    }
    if (c != width) {
      fault_columns = c;
      return refuse_whole(LineFault::columns);
    }
    if (found == LineFault::none) add_record(rule);
    return found;
  }

  /// Reads cells of numbers from column c on, several at a time; returns how many.
  [[nodiscard]] std::size_t read_cells(std::size_t c, char delimiter) {
    if (rests_[c] != 0) {
      --rests_[c];
      return 0;
    }
    const std::uint32_t* const mark = marks_.next + c;
    std::size_t count = 0;
    if (marks_.reads_cells()) {
      // The first record of a text may have too little before it.
      if (marks_.line + *mark < whole_.data() + 16) return 0;
      const Marks::Cells cells = marks_.read_cells(mark, numbers_[c], dense_, &ids_[c],
                                                   no_id, &columns[at_], &values[at_]);
      count = cells.read;
      at_ += cells.written;
    } else if (c != 0) {
      count = marks_.read_fours<Marks::Between::neighbours>(
          mark - 1, numbers_[c], delimiter, delimiter, 1.0, &values[at_]);
      for (std::size_t k = 0; k < count; ++k, ++at_) {
        columns[at_] = ids_[c + k];
        if (ids_[c + k] == no_id) pending_.push_back({at_, c + k, {}, true});
      }
    }
    if (count == 0) rests_[c] = until_tried_again;
    return count;
  }

  void begin_record() {
    make_room(offsets.back() + plan_.size() + in_vain);
    at_ = offsets.back();
    label_ = Label::none;  // unless there is one
    token_ = {};
    weight_ = 1.0;
    outcome_ = std::numeric_limits<double>::quiet_NaN();
    pending_.clear();
    spelled_.clear();
  }

  [[nodiscard]] bool suspect() {
    if (!suspect_) {
      suspect_ = !is_utf8(whole_) || whole_.find('\0') != std::string_view::npos;
    }
    return *suspect_;
  }

  /// Finds the marks of the record at `p`, and of those after it; returns false if they
  /// are not those of a plain record.
  [[nodiscard]] bool find_marks(const char* p) {
    const std::size_t width = plan_.size();
    if (!marks_.reach(p, width)) {
      const auto left = static_cast<std::size_t>(end_ - p);
      if (width == 0 || left <= Marks::margin) return false;
      const std::size_t size = std::max(window, width * std::size_t{32});
      marks_.find_with_stops(p, p + std::min(size, left - Marks::margin), end_);
      if (!marks_.reach(p, width)) return false;
    }
    // Nothing but delimiters before the end of the line.
    if (*marks_.stop != marks_.next[width - 1]) return false;
    const char* const last = marks_.line + *marks_.stop;
    if (*last != '\n' && (*last != '\r' || last[1] != '\n')) return false;
    return marks_.ascii || !suspect();
  }

  /// Reads a valid record without quotation marks; returns false, and changes nothing,
  /// if it is not one.
  [[nodiscard]] bool read_plain(const char*& p, const TableRule& rule) {
    if (!find_marks(p)) return false;
    begin_record();
    const char* const line = marks_.line;
    const std::uint32_t* const mark = marks_.next - 1;  // the end of the line before
    const std::size_t width = plan_.size();
    const auto text_of = [=](std::size_t c) {
      const char* const cell = line + (mark[c] + 1);
      return std::string_view(cell,
                              static_cast<std::size_t>(line + mark[c + 1] - cell));
    };
    for (const Run& run : runs_) {
      for (std::size_t c = run.first; c < run.last; ++c) {
        if (run.kind == ColumnKind::number) {
          if (numbers_[c] >= at_once) c += read_cells(c, rule.delimiter);
          if (c == run.last) break;
          if (add_short_number(c, text_of(c))) continue;
        } else if (run.kind == ColumnKind::category) {
          c += read_known(c, run.last, line, mark);
          if (c == run.last) break;
        }
        if (read_cell(text_of(c), c, rule) != LineFault::none) return false;
      }
    }
    const char* const last = line + mark[width];
    p = last + (*last == '\r' ? 2 : 1);
    marks_.next = mark + width + 1;
    add_record(rule);
    return true;
  }

  /// Reads cells of categories from column c on, as long as their texts are short;
  /// returns how many. Sixteen bytes from the beginning of each are readable.
  [[nodiscard]] std::size_t read_known(std::size_t c, std::size_t last,
                                       const char* line, const std::uint32_t* mark) {
    // Copies that the compiler can keep in registers: no store changes them.
    const std::size_t first = c;
    const std::size_t apart = std::size_t{1} << known_bits_;
    const unsigned shift = 65U - known_bits_;
    const std::uint32_t block = block_;
    const Known* known = known_of(c);
    std::uint32_t* const ids = &columns[at_];
    double* const ones = &values[at_];
    const char* cell = line + (mark[c] + 1);
    for (; c < last; ++c, known += apart) {
      const char* const end = line + mark[c + 1];
      const auto size = static_cast<std::size_t>(end - cell);
      if (size - 1 >= longest_known) break;
      const std::uint32_t id = id_of(known, shift, key_with_room(cell, size, block));
      ids[c - first] = id;
      ones[c - first] = 1.0;
      if (id == no_id) pending_.push_back({at_ + c - first, c, {cell, size}, false});
      cell = end + 1;
    }
    at_ += c - first;
    return c - first;
  }

  [[nodiscard]] LineFault refuse_whole(LineFault found) noexcept {
    blamed_ = {};
    return found;
  }
  /// The end of the record is unknown: skips its first line.
  [[nodiscard]] LineFault refuse_line(LineFault found, const char* record,
                                      const char*& p) {
    p = detail::next_line(record, end_);
    record_lines_ = 1;
    return refuse_whole(found);
  }

  [[nodiscard]] LineFault read_cell(std::string_view cell, std::size_t c,
                                    const TableRule& rule) {
    switch (plan_[c].kind) {
      case ColumnKind::ignored: return LineFault::none;
      case ColumnKind::label: return read_label(cell, rule);
      case ColumnKind::weight: return read_weight(cell);
      case ColumnKind::number: {
        const Decimal read = detail::whole_decimal(cell);
        if (!read.ok) {
          const bool infinite = detail::is_infinite(cell);
          if (detail::is_missing_number(cell) || (dense_ && infinite)) {
            return miss(c, rule);
          }
          return infinite ? LineFault::not_finite : LineFault::number;
        }
        if (!std::isfinite(read.value)) return LineFault::not_finite;
        add_number(c, read.value);
        return LineFault::none;
      }
      case ColumnKind::category:
        if (cell.empty()) return miss(c, rule);
        add_category(c, cell);
        return LineFault::none;
      case ColumnKind::present:
        if (cell.empty() || cell == "?") return miss(c, rule);
        add_category(c, cell);
        return LineFault::none;
    }
    return LineFault::none;
  }

  [[nodiscard]] LineFault miss(std::size_t c, const TableRule& rule) {
    if (rule.missing == MissingCells::refuse) return LineFault::missing;
    if (rule.missing == MissingCells::literal) {
      add_category(c, "?");
    } else if (dense_ && plan_[c].kind == ColumnKind::number) {
      add_number(c, std::numeric_limits<double>::quiet_NaN());
    }
    return LineFault::none;
  }

  [[nodiscard]] LineFault read_weight(std::string_view cell) {
    const Decimal read = detail::whole_decimal(cell);
    weight_ = read.value;
    const bool sound = read.ok && std::isfinite(weight_) && weight_ >= 0.0;
    return sound ? LineFault::none : LineFault::weight;
  }

  [[nodiscard]] LineFault read_label(std::string_view cell, const TableRule& rule) {
    const bool words =
        rule.labels == LabelKind::class_ || rule.labels == LabelKind::named;
    if (rule.unlabelled != Unlabelled::refuse &&
        (words ? cell.empty() : detail::is_missing_number(cell))) {
      return LineFault::none;
    }
    token_ = cell;
    label_ = Label::zero;
    if (rule.labels == LabelKind::class_) {
      return cell.empty() ? LineFault::no_label : LineFault::none;
    }
    if (rule.labels == LabelKind::label) {
      label_ = label_of_digit(cell);
      if (label_ != Label::other) return LineFault::none;
    }
    const Decimal number = detail::whole_decimal(cell);
    if (rule.labels == LabelKind::number) {
      outcome_ = number.value;
      return number.ok && std::isfinite(outcome_) ? LineFault::none
                                                  : LineFault::outcome;
    }
    if (rule.labels == LabelKind::label) {
      label_ = number.ok ? label_of(number.value) : Label::other;
      return label_ == Label::other ? LineFault::label : LineFault::none;
    }
    const auto among = [&](const std::vector<WrittenLabel>& labels) {
      return std::any_of(labels.begin(), labels.end(), [&](const WrittenLabel& label) {
        return label.equals(cell, number);
      });
    };
    if (among(rule.positive)) {
      label_ = Label::yes;
    } else if (rule.negative.empty() ? cell.empty() : !among(rule.negative)) {
      return LineFault::no_label;
    }
    return LineFault::none;
  }

  /// Adds a number of few digits; false for anything else. Eight bytes after the cell
  /// are readable.
  [[nodiscard, gnu::always_inline]] inline bool add_short_number(
      std::size_t c, std::string_view cell) {
    ShortDecimal number;
    if (!read_short_token(cell.data(), cell.data() + cell.size(), number)) return false;
    values[at_] = number.value();
    columns[at_] = ids_[c];
    if (number.digits != 0 || dense_) {  // 0 means absent
      if (ids_[c] == no_id) pending_.push_back({at_, c, {}, true});
      ++at_;
    }
    return true;
  }
  void add_number(std::size_t c, double value) {
    if (value == 0.0 && !dense_) return;
    values[at_] = value;
    columns[at_] = ids_[c];
    if (ids_[c] == no_id) pending_.push_back({at_, c, {}, true});
    ++at_;
  }

  /// With `room`, 16 bytes from the beginning of the text on are readable.
  void add_category(std::size_t c, std::string_view text, bool room = false) {
    values[at_] = 1.0;
    std::uint32_t id = no_id;
    if (text.size() <= longest_known) {
      const Known asked =
          room ? key_with_room(text.data(), text.size(), block_) : key_of(text);
      id = id_of(known_of(c), 65U - known_bits_, asked);
    }
    columns[at_] = id;
    if (id == no_id) pending_.push_back({at_, c, text, false});
    ++at_;
  }

  /// A text of at most 16 bytes as two numbers.
  [[nodiscard]] Known key_of(std::string_view text) const noexcept {
    std::array<char, longest_known> bytes{};
    std::copy(text.begin(), text.end(), bytes.begin());
    return key_with_room(bytes.data(), text.size(), block_);
  }
  [[nodiscard, gnu::always_inline]] static inline Known key_with_room(
      const char* text, std::size_t size, std::uint32_t block) noexcept {
    // The length of a text is unpredictable, so there are no branches here.
    static constexpr auto kept = [] {
      std::array<std::uint8_t, 2 * longest_known> bytes{};
      for (std::size_t k = 0; k < longest_known; ++k) bytes[k] = 0xFF;
      return bytes;
    }();
    const auto half = [=](std::size_t from) {
      std::uint64_t word = 0;
      std::uint64_t mask = 0;
      std::memcpy(&word, text + from, 8);
      std::memcpy(&mask, kept.data() + longest_known - size + from, 8);
      return word & mask;
    };
    return {half(0), half(8), block, no_id};
  }
  /// The known texts of a column.
  [[nodiscard]] Known* known_of(std::size_t c) noexcept {
    return &known_[plan_[c].known << known_bits_];
  }
  /// The first of the two places of a text among those of its column.
  [[nodiscard]] static std::size_t place_of(const Known& key, unsigned shift) noexcept {
    const std::uint64_t mixed =
        (key.head ^ (key.tail * 0xD6E8FEB86659FD93U)) * 0x9E3779B97F4A7C15U;
    return 2 * static_cast<std::size_t>(mixed >> shift);
  }
  [[nodiscard]] static std::uint32_t id_of(const Known* known, unsigned shift,
                                           const Known& asked) noexcept {
    const Known* const found = known + place_of(asked, shift);
    if (found[0].same(asked)) return found[0].id;
    return found[1].same(asked) ? found[1].id : no_id;
  }

  void add_record(const TableRule& rule) {
    if (weight_ == 0.0) {
      ++left_out;
      return;
    }
    if (label_ == Label::none) {
      if (rule.unlabelled == Unlabelled::skip) {
        ++left_out;
        return;
      }
      unlabelled.push_back(size());
    }
    if (weighs_) weights.push_back(weight_);
    for (const Pending& entry : pending_) enter(entry);
    const std::size_t entries = at_ - offsets.back();
    if (rule.labels == LabelKind::class_) {
      label_codes.push_back(static_cast<std::uint32_t>(label_names.enter(token_)));
    } else if (rule.labels == LabelKind::number) {
      outcomes.push_back(outcome_);
    } else {
      alphabet.meet(label_, size());
      if (rule.labels == LabelKind::named && label_ == Label::zero) meet_other(token_);
      labels.push_back(label_ == Label::yes ? 1 : 0);
    }
    lines.push_back(static_cast<std::uint32_t>(line_count));
    offsets.push_back(offsets.back() + entries);
  }

  void enter(const Pending& entry) {
    const Column& column = plan_[entry.column];
    std::string_view name = column.prefix;
    if (entry.number) {
      name.remove_suffix(1);
    } else {
      key_.assign(column.prefix);
      key_ += entry.text;
      name = key_;
    }
    const auto id = static_cast<std::uint32_t>(names.enter(name));
    columns[entry.at] = id;
    if (entry.number) {
      ids_[entry.column] = id;
    } else if (entry.text.size() <= longest_known) {
      Known key = key_of(entry.text);
      key.id = id;
      Known* const place = known_of(entry.column) + place_of(key, 65U - known_bits_);
      place[place->block == block_ ? 1 : 0] = key;
    }
  }
};

}  // namespace littlestone
