// The records of a table: cells separated by a delimiter, with quoted cells.
//
// A cell that begins with a quotation mark ends at the next one, and may contain line
// ends; two marks stand for one. A mark elsewhere in a cell is an ordinary character. A
// record ends at LF or CR LF. If the marks of a record make no sense, its end is
// unknown: reading resumes at the line after its first.
#pragma once

#include <algorithm>  // std::count
#include <bit>        // std::countr_zero, std::endian
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memchr
#include <string>
#include <string_view>
#include <vector>

#include "littlestone/parsing/lines.hpp"

namespace littlestone {

namespace detail {

[[nodiscard]] inline const char* find_byte(const char* p, const char* end,
                                           char byte) noexcept {
  // memchr needs a valid pointer even for an empty range.
  if (p == end) return nullptr;
  return static_cast<const char*>(
      std::memchr(p, byte, static_cast<std::size_t>(end - p)));
}

/// Where the next line begins.
[[nodiscard]] inline const char* next_line(const char* p, const char* end) noexcept {
  const char* const newline = find_byte(p, end, '\n');
  return newline == nullptr ? end : newline + 1;
}

/// What follows a cell.
enum class After : std::uint8_t { cell, record, text_end, stray_return, more_text };

struct CellEnd {
  After after = After::text_end;
  const char* next = nullptr;  // where the next cell, record or text begins
};

/// Finds out what follows at `p`, where a cell has ended.
[[nodiscard]] inline CellEnd after_cell(const char* p, const char* end,
                                        char delimiter) noexcept {
  if (p == end) return {After::text_end, p};
  if (*p == delimiter) return {After::cell, p + 1};
  if (*p == '\n') return {After::record, p + 1};
  if (*p != '\r') return {After::more_text, p};
  while (p != end && *p == '\r') ++p;
  if (p == end) return {After::text_end, p};
  return *p == '\n' ? CellEnd{After::record, p + 1} : CellEnd{After::stray_return, p};
}

/// Where the next line begins if this one is blank, else null.
[[nodiscard]] inline const char* past_blank_line(const char* p,
                                                 const char* end) noexcept {
  if (*p != '\n' && *p != '\r') return nullptr;
  const auto [after, next] = after_cell(p, end, ',');
  return after == After::stray_return ? nullptr : next;
}

/// The mark that closes the cell opened by the mark at `p`, or null; also finds out
/// whether the cell has doubled marks.
[[nodiscard]] inline const char* closing_mark(const char* p, const char* end,
                                              bool& doubled) noexcept {
  doubled = false;
  for (++p; (p = find_byte(p, end, '"')) != nullptr; p += 2) {
    if (p + 1 == end || p[1] != '"') return p;
    doubled = true;
  }
  return nullptr;
}

/// Whether a line has a CR before the ones at its end.
[[nodiscard]] inline bool stray_return_in(const char* p, const char* newline) noexcept {
  p = find_byte(p, newline, '\r');
  if (p == nullptr) return false;
  while (p != newline && *p == '\r') ++p;
  return p != newline;
}

}  // namespace detail

/// Finds the end of a cell without marks, the delimiter or a line end, eight bytes at a
/// time: the length of a cell is unpredictable.
class StopFinder {
 public:
  explicit constexpr StopFinder(char delimiter) noexcept
      : delimiter_(delimiter),
        delimiters_(ones * static_cast<unsigned char>(delimiter)) {}

  /// The first such byte, or the end.
  [[nodiscard]] const char* find(const char* p, const char* end) const noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      for (; end - p >= 8; p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, 8);
        const std::uint64_t found = zeros(word ^ delimiters_) |
                                    zeros(word ^ ones * '\n') |
                                    zeros(word ^ ones * '\r');
        if (found != 0) return p + std::countr_zero(found) / 8;
      }
    }
    while (p != end && *p != delimiter_ && *p != '\n' && *p != '\r') ++p;
    return p;
  }

 private:
  static constexpr std::uint64_t ones = 0x0101010101010101U;

  /// Flags the first zero byte of a word; flags above it may be wrong.
  [[nodiscard]] static constexpr std::uint64_t zeros(std::uint64_t word) noexcept {
    return (word - ones) & ~word & 0x8080808080808080U;
  }

  char delimiter_;
  std::uint64_t delimiters_;
};

/// The end of the last record that more text could not change; `p`, where a record
/// begins, if there is none.
[[nodiscard]] inline const char* whole_records(const char* p, const char* end,
                                               char delimiter) noexcept {
  const char* record = p;
  bool spans = false;  // whether the current record contains a line end
  while (true) {       // p is outside quotation marks
    const char* const mark = detail::find_byte(p, end, '"');
    const char* const stop = mark == nullptr ? end : mark;
    const char* const newline = detail::find_byte(p, stop, '\n');
    bool sense = true;
    if (newline == nullptr) {
      if (mark == nullptr) return record;
      sense = detail::find_byte(p, mark, '\r') == nullptr;
    } else {
      // A record on one line ends with it, whatever is wrong with the record.
      sense = !spans || !detail::stray_return_in(p, newline);
    }
    if (sense && newline != nullptr) {
      p = stop;
      while (p[-1] != '\n') --p;
      record = p;
      spans = false;
      if (mark == nullptr) return record;
      sense = detail::find_byte(p, mark, '\r') == nullptr;
    }
    if (sense) {
      if (mark != record && mark[-1] != delimiter) {
        p = mark + 1;
        continue;
      }
      bool doubled = false;
      const char* const closing = detail::closing_mark(mark, end, doubled);
      if (closing == nullptr) return record;
      const auto [after, next] = detail::after_cell(closing + 1, end, delimiter);
      if (after == detail::After::text_end) return record;
      sense = after == detail::After::cell || after == detail::After::record;
      p = next;
      spans = spans || detail::find_byte(mark, closing, '\n') != nullptr;
      if (after == detail::After::record) {
        record = next;
        spans = false;
      }
    }
    if (!sense) {
      const char* const line = detail::find_byte(record, end, '\n');
      if (line == nullptr) return record;
      record = p = line + 1;
      spans = false;
    }
  }
}

/// Reads a cell that begins with a mark. `spelled` must have room for its text.
struct MarkedCell {
  std::string_view text;
  LineFault fault = LineFault::none;
  detail::CellEnd end;
  std::size_t newlines = 0;

  [[nodiscard]] static MarkedCell read(const char* p, const char* end, char delimiter,
                                       std::string& spelled) {
    MarkedCell cell;
    bool doubled = false;
    const char* const closing = detail::closing_mark(p, end, doubled);
    if (closing == nullptr) {
      cell.fault = LineFault::open_mark;
      return cell;
    }
    cell.text = {p + 1, static_cast<std::size_t>(closing - p - 1)};
    cell.newlines =
        static_cast<std::size_t>(std::count(cell.text.begin(), cell.text.end(), '\n'));
    if (doubled) {
      const std::size_t begin = spelled.size();
      for (const char* q = p + 1; q != closing; q += *q == '"' ? 2 : 1) spelled += *q;
      cell.text = std::string_view(spelled).substr(begin);
    }
    cell.end = detail::after_cell(closing + 1, end, delimiter);
    if (cell.end.after == detail::After::more_text) {
      cell.fault = LineFault::after_mark;
    } else if (cell.end.after == detail::After::stray_return) {
      cell.fault = LineFault::stray_return;
    }
    return cell;
  }
};

/// Reads records one after another, cell by cell.
class RecordReader {
 public:
  std::vector<std::string_view>
      cells;              // valid until the next record; empty for a blank line
  std::size_t lines = 0;  // how many lines the record takes
  LineFault fault = LineFault::none;

  RecordReader(std::string_view text, char delimiter)
      : end_(text.data() + text.size()), delimiter_(delimiter), stops_(delimiter) {
    spelled_.reserve(text.size());
  }

  /// Reads the record at `p`, which is not the end; returns where the next begins.
  const char* read(const char* const record) {
    cells.clear();
    spelled_.clear();
    lines = 1;
    fault = LineFault::none;
    const char* p = record;
    if (const char* const next = detail::past_blank_line(p, end_)) return next;
    while (true) {
      detail::CellEnd stop;
      if (p != end_ && *p == '"') {
        const MarkedCell cell = MarkedCell::read(p, end_, delimiter_, spelled_);
        if (cell.fault != LineFault::none) return refuse(cell.fault, record);
        cells.push_back(cell.text);
        lines += cell.newlines;
        stop = cell.end;
      } else {
        const char* const q = stops_.find(p, end_);
        cells.emplace_back(p, static_cast<std::size_t>(q - p));
        stop = detail::after_cell(q, end_, delimiter_);
        if (stop.after == detail::After::stray_return) {
          return refuse(LineFault::stray_return, record);
        }
      }
      p = stop.next;
      if (stop.after != detail::After::cell) return p;
    }
  }

 private:
  [[nodiscard]] const char* refuse(LineFault found, const char* record) {
    fault = found;
    lines = 1;
    return detail::next_line(record, end_);
  }

  const char* end_;
  char delimiter_;
  StopFinder stops_;
  std::string spelled_;
};

}  // namespace littlestone
