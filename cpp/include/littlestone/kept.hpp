// What a record keeps of a stream: the examples of some rounds, and the bytes it hashes
// for the digest.
//
// Values of 0 are left out of both, so that a dense row and the sparse one are the same
// example. The bytes are specified in docs/explanation/digest.md, with a plain Python
// version in verifying/_digest.py.
#pragma once

#include <algorithm>  // std::max
#include <array>
#include <bit>  // std::bit_cast
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <limits>
#include <span>
#include <stdexcept>  // std::length_error
#include <string_view>
#include <vector>

#include "littlestone/features.hpp"  // direct_columns
#include "littlestone/growing.hpp"
#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// The position of a feature among the names of its block, or its column number if
/// features have no names.
template <class Row>
[[nodiscard]] std::uint64_t place_of(const Row& x, std::size_t k, bool named) noexcept {
  if constexpr (requires { x.ids; }) {
    return x.ids[k];
  } else {
    return named ? k : static_cast<std::uint64_t>(x.index(k));
  }
}

/// Examples whose features are numbered in the order of their first occurrence.
class KeptExamples {
 public:
  Growing<std::int64_t> ends;     // where each example ends
  Growing<std::int32_t> columns;  // the numbers of the features
  Growing<double> values;

  [[nodiscard]] std::size_t features() const noexcept { return features_.size(); }

  /// Calls one of two functions with a feature: its column number, or its name.
  template <class Column, class Name>
  void visit(std::size_t number, Column column, Name name) const {
    const std::int64_t feature = features_[number];
    if (feature >= 0) {
      column(static_cast<std::uint64_t>(feature));
      return;
    }
    const std::string_view key = names_[static_cast<std::size_t>(-1 - feature)];
    if (is_column_key(key)) {
      column(column_of(key));
    } else {
      name(key);
    }
  }

  void add_column(std::uint64_t column, double value) {
    if (value != 0.0) add(number_of_column(column), value);
  }
  void add_name(std::string_view name, double value) {
    if (value != 0.0) add(number_of_name(name), value);
  }
  void end_example() { ends.push_back(static_cast<std::int64_t>(values.size())); }

  /// Keeps the rows of [first, last) that changed the learner. The names are those of
  /// the block's features; without names, features are columns.
  template <class B>
  void add_changed(const B& rows, std::span<const std::string_view> names,
                   std::span<const bool> changed, std::size_t first, std::size_t last) {
    std::vector<std::int32_t> numbers(names.size(), unknown);
    for (std::size_t t = first; t < last; ++t) {
      if (!read_once(changed[t])) continue;
      const auto x = rows[t];
      std::int32_t* const to_columns = columns.room_for(x.size());
      double* const to_values = values.room_for(x.size());
      std::size_t count = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double value = x.value(k);
        if (value == 0.0) continue;
        const std::uint64_t place = place_of(x, k, !names.empty());
        if (names.empty()) {
          to_columns[count] = number_of_column(place);
        } else {
          std::int32_t& number = numbers[place];
          if (number == unknown) number = number_of_name(names[place]);
          to_columns[count] = number;
        }
        to_values[count] = value;
        ++count;
      }
      columns.came(count);
      values.came(count);
      end_example();
    }
  }

 private:
  static constexpr std::int32_t unknown = -1;

  void add(std::int32_t number, double value) {
    columns.push_back(number);
    values.push_back(value);
  }

  [[nodiscard]] std::int32_t number_of_column(std::uint64_t column) {
    if (column < by_column_.size() && by_column_[column] != unknown) [[likely]] {
      return by_column_[column];
    }
    return enter_column(column);
  }

  /// The number of a column that is new, or too large for the array.
  [[nodiscard, gnu::noinline]] std::int32_t enter_column(std::uint64_t column) {
    if (column >= direct_columns) {
      const ColumnKey key = column_key(column);
      return number_of_name({key.data(), key.size()});
    }
    if (column >= by_column_.size()) {
      by_column_.resize(std::max<std::size_t>(column + 1, 2 * by_column_.size()),
                        unknown);
    }
    return by_column_[column] = enter(static_cast<std::int64_t>(column));
  }

  [[nodiscard]] std::int32_t number_of_name(std::string_view name) {
    const std::size_t slot = names_.enter(name);
    if (slot == by_slot_.size()) {
      by_slot_.push_back(enter(-1 - static_cast<std::int64_t>(slot)));
    }
    return by_slot_[slot];
  }

  [[nodiscard]] std::int32_t enter(std::int64_t feature) {
    if (features_.size() == std::numeric_limits<std::int32_t>::max()) {
      throw std::length_error("features");
    }
    features_.push_back(feature);
    return static_cast<std::int32_t>(features_.size() - 1);
  }

  std::vector<std::int64_t> features_;  // columns, and names as -1 - slot
  std::vector<std::int32_t> by_column_;
  std::vector<std::int32_t> by_slot_;
  Names names_;
};

/// Writes the bytes of a digest; the caller makes sure that they `fit`.
class CanonicalWriter {
 public:
  static constexpr std::size_t number_size = 9;
  static constexpr std::size_t column_size = 9;
  [[nodiscard]] static std::size_t name_size(std::string_view name) noexcept {
    return 5 + name.size();
  }

  explicit CanonicalWriter(std::span<char> room) noexcept
      : to_(room.data()), end_(room.data() + room.size()) {}

  [[nodiscard]] bool fits(std::size_t size) const noexcept {
    return size <= static_cast<std::size_t>(end_ - to_);
  }
  [[nodiscard]] bool full() const noexcept { return to_ == end_; }

  void column(std::uint64_t column) noexcept {
    *to_++ = 'c';
    little(column);
  }
  void name(std::string_view name) noexcept {
    *to_++ = 'n';
    little(static_cast<std::uint32_t>(name.size()));
    bytes(name);
  }
  void number(double value) noexcept {
    *to_++ = 'd';
    little(std::bit_cast<std::uint64_t>(value));
  }
  void label(const bool& label) noexcept {
    *to_++ = 'y';
    *to_++ = read_once(label) ? '\1' : '\0';
  }
  void label(std::string_view written) noexcept { bytes(written); }

 private:
  void bytes(std::string_view text) noexcept {
    if (text.empty()) return;
    std::memcpy(to_, text.data(), text.size());
    to_ += text.size();
  }
  template <class U>
  void little(U number) noexcept {
    std::array<char, sizeof number> digits;
    for (std::size_t k = 0; k < sizeof number; ++k) {
      digits[k] = static_cast<char>(number >> (8 * k) & 0xFFU);
    }
    std::memcpy(to_, digits.data(), digits.size());
    to_ += sizeof number;
  }

  char* to_;
  char* end_;
};

/// The size of a label in bytes.
[[nodiscard]] inline std::size_t size_of_label(const bool& /*label*/) noexcept {
  return 2;
}
[[nodiscard]] inline std::size_t size_of_label(std::string_view written) noexcept {
  return written.size();
}

/// Rows that are written together, and their size in bytes.
struct Stretch {
  std::size_t last = 0;
  std::size_t size = 0;
};

/// The rows from `first` on that make about `enough` bytes.
template <class B, class Label>
[[nodiscard]] Stretch measure(const B& rows, std::span<const std::string_view> names,
                              std::span<const Label> labels, std::size_t first,
                              std::size_t last, std::size_t enough) noexcept {
  Stretch stretch{first, 0};
  for (; stretch.last < last && stretch.size < enough; ++stretch.last) {
    const auto x = rows[stretch.last];
    std::size_t nonzeros = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const bool there = x.value(k) != 0.0;
      nonzeros += there ? 1 : 0;
      if (there && !names.empty()) {
        stretch.size += CanonicalWriter::name_size(names[place_of(x, k, true)]);
      }
    }
    if (names.empty()) stretch.size += nonzeros * CanonicalWriter::column_size;
    stretch.size += nonzeros * CanonicalWriter::number_size;
    stretch.size += size_of_label(labels[stretch.last]);
  }
  return stretch;
}

/// Writes the rows [first, last) into the room that was measured. False if they do not
/// fill it exactly, because another thread has changed them since.
template <class B, class Label>
[[nodiscard]] bool write(const B& rows, std::span<const std::string_view> names,
                         std::span<const Label> labels, std::size_t first,
                         std::size_t last, std::span<char> room) noexcept {
  CanonicalWriter writer(room);
  for (std::size_t t = first; t < last; ++t) {
    const auto x = rows[t];
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      const std::uint64_t place = place_of(x, k, !names.empty());
      const std::size_t size = names.empty() ? CanonicalWriter::column_size
                                             : CanonicalWriter::name_size(names[place]);
      if (!writer.fits(size + CanonicalWriter::number_size)) return false;
      if (names.empty()) {
        writer.column(place);
      } else {
        writer.name(names[place]);
      }
      writer.number(value);
    }
    if (!writer.fits(size_of_label(labels[t]))) return false;
    writer.label(labels[t]);
  }
  return writer.full();
}

}  // namespace littlestone
