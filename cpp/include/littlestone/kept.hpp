// What a record keeps of a stream: the examples of some rounds. Values of 0 are left
// out, so that a dense row and the sparse one are the same example.
#pragma once

#include <algorithm>  // std::max, std::min
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

/// The position of a feature among the names of its block.
template <class Row>
[[nodiscard]] std::uint64_t place_of(const Row& x, std::size_t k) noexcept {
  if constexpr (requires { x.ids; }) {
    return x.ids[k];
  } else {
    return k;
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
    // Memory that is asked for at once is often still mapped from before; growing step
    // by step costs more than the copy itself.
    std::size_t entries = 0;
    each_changed(changed, first, last,
                 [&](std::size_t t) { entries += rows[t].size(); });
    (void)columns.room_for(entries);
    (void)values.room_for(entries);
    each_changed(changed, first, last, [&](std::size_t t) {
      const auto x = rows[t];
      std::int32_t* const to_columns = columns.room_for(x.size());
      double* const to_values = values.room_for(x.size());
      const std::size_t count =
          names.empty() ? copy_columns(x, to_columns, to_values)
                        : copy_names(x, names, numbers, to_columns, to_values);
      columns.came(count);
      values.came(count);
      end_example();
    });
  }

 private:
  static constexpr std::int32_t unknown = -1;

  /// Calls a function with each round that changed the learner. Most did not, so eight
  /// are asked at once.
  template <class Take>
  static void each_changed(std::span<const bool> changed, std::size_t first,
                           std::size_t last, Take take) {
    for (std::size_t t = first; t < last;) {
      const std::size_t end = std::min(last, t + 8);
      std::uint64_t eight = 1;
      if (end == t + 8) std::memcpy(&eight, changed.data() + t, sizeof eight);
      for (; eight != 0 && t < end; ++t) {
        if (read_once(changed[t])) take(t);
      }
      t = end;
    }
  }

  /// Copies the values of a row that are not 0, with the numbers of their columns, and
  /// returns how many there are. A value of 0 is overwritten by the next one, which is
  /// quicker than to ask; a row with a column that is new is copied again.
  template <class Row>
  [[nodiscard]] std::size_t copy_columns(const Row& x, std::int32_t* to_columns,
                                         double* to_values) {
    const std::int32_t* const known = by_column_.data();
    const std::size_t width = by_column_.size();
    std::size_t count = 0;
    bool met = true;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      const auto column = static_cast<std::uint64_t>(x.index(k));
      const std::int32_t number = column < width ? known[column] : unknown;
      to_columns[count] = number;
      to_values[count] = value;
      const bool there = value != 0.0;
      met &= !there || number != unknown;
      count += there ? 1 : 0;
    }
    if (met) [[likely]]
      return count;
    count = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      to_columns[count] = number_of_column(static_cast<std::uint64_t>(x.index(k)));
      to_values[count++] = value;
    }
    return count;
  }

  /// The same for features that have names; `numbers` has those met in the block.
  template <class Row>
  [[nodiscard]] std::size_t copy_names(const Row& x,
                                       std::span<const std::string_view> names,
                                       std::vector<std::int32_t>& numbers,
                                       std::int32_t* to_columns, double* to_values) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      const std::uint64_t place = place_of(x, k);
      std::int32_t& number = numbers[place];
      if (number == unknown) number = number_of_name(names[place]);
      to_columns[count] = number;
      to_values[count++] = value;
    }
    return count;
  }

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

}  // namespace littlestone
