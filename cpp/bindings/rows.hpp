// Rows that come from Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "border.hpp"
#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"

namespace littlestone::bindings {

using ColumnNames = nb::typed<nb::list, nb::str>;

/// A block of rows, with the object that keeps its numbers alive.
struct Rows {
  Block block;
  ColumnNames names;  // for a NamedBlock
  nb::object owner;
  BlockNames words{};  // for a WordsBlock, whose names are not Python objects

  [[nodiscard]] std::size_t size() const noexcept {
    return std::visit([](const auto& rows) { return rows.size(); }, block);
  }

  template <class Take>
  void each_word(Take take) const {
    for (std::size_t id = 0; id < words.size(); ++id) take(words[id]);
  }

  /// The names of the features; none if they are columns.
  [[nodiscard]] std::vector<std::string_view> all_names() const {
    std::vector<std::string_view> all;
    for (const nb::handle name : names)
      all.push_back(checked_name(name.ptr(), Owner()));
    each_word([&](std::string_view name) { all.push_back(name); });
    return all;
  }

  /// The feature at position k of a row, by name or column number.
  template <class Row>
  [[nodiscard]] nb::object feature(const Row& x, std::size_t k) const {
    if constexpr (requires { x.ids; }) {
      const std::string_view name = words[x.ids[k]];
      return nb::str(name.data(), name.size());
    } else {
      if (names.size() > 0) return names[k];
      return nb::cast(x.index(k));
    }
  }

  /// The block whose names have their weights at these indices.
  [[nodiscard]] Block with_indices(std::span<const std::int64_t> indices) const {
    Block copy = block;
    std::visit(
        [&](auto& rows) {
          if constexpr (requires { rows.indices; }) rows.indices = indices;
        },
        copy);
    return copy;
  }

  /// Visits the block for its values and features; the indices of weights are not set.
  template <class Take>
  auto visit(Take take) const {
    const std::vector<std::int64_t> none(
        names.size());  // a row of names needs its size
    return std::visit(take, with_indices(none));
  }

  /// Refuses a range of rows that an array beside them, or the block, does not have.
  void check_range(std::size_t first, std::size_t last, std::size_t other) const {
    if (first > last || last > size() || last > other) {
      throw nb::value_error("rows out of range");
    }
  }
};

/// Refuses offsets that do not rise from the first entry to the last.
template <class O>
void check_offsets(std::span<const O> offsets, bool sound) {
  for (std::size_t t = 1; t < offsets.size(); ++t) {
    sound &= offsets[t - 1] <= offsets[t];
  }
  if (!sound) {
    throw nb::value_error("the offsets of rows must rise from 0 to the end of values");
  }
}

}  // namespace littlestone::bindings
