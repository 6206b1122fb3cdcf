// All that a linear learner has learned, as arrays, and back.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "border.hpp"
#include "littlestone/features.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/parsing/utf8.hpp"
#include "saved.hpp"

namespace littlestone::bindings {

/// The names concatenated, where each ends, and whether it is a column number.
inline void save_names(const Names& names, nb::dict& saved) {
  const std::size_t size = names.size();
  auto* const kinds = add_array<std::uint8_t>(saved, "names.kinds", size);
  auto* const ends = add_array<std::uint64_t>(saved, "names.ends", size);
  bool plain = true;
  for (std::size_t slot = 0; slot < size; ++slot) {
    kinds[slot] = is_column_key(names[slot]) ? 1 : 0;
    plain = plain && kinds[slot] == 0;
  }
  std::string written;  // if columns are among them, as digits
  for (std::size_t slot = 0; !plain && slot < size; ++slot) {
    if (kinds[slot] == 0) {
      written += names[slot];
    } else {
      written += std::to_string(column_of(names[slot]));
    }
    ends[slot] = written.size();
  }
  if (plain) std::ranges::copy(names.ends(), ends);
  const std::string_view text = plain ? names.text() : std::string_view(written);
  auto* const bytes = add_array<std::uint8_t>(saved, "names.text", text.size());
  if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
}

inline void load_names(Names& names, std::string_view text,
                       std::span<const std::uint64_t> ends,
                       std::span<const std::uint8_t> kinds, std::uint64_t width) {
  check_saved(
      kinds.size() == ends.size() &&
          (ends.empty() ? 0 : ends.back()) == static_cast<std::uint64_t>(text.size()),
      "names that end where the text does");
  std::size_t begin = 0;
  for (std::size_t slot = 0; slot < ends.size(); ++slot) {
    const std::uint64_t end = ends[slot];
    check_saved(end >= begin && end <= text.size(), "names one after another");
    std::string_view name = text.substr(begin, end - begin);
    ColumnKey key;
    check_saved(kinds[slot] <= 1, "names and columns, and nothing else");
    if (kinds[slot] == 1) {
      std::uint64_t column = 0;
      const auto [at, error] =
          std::from_chars(name.data(), name.data() + name.size(), column);
      check_saved(error == std::errc() && at == name.data() + name.size() &&
                      name.front() != '0' && column >= direct_columns && column < width,
                  "column numbers below the width");
      key = column_key(column);
      name = {key.data(), key.size()};
    } else {
      check_saved(is_utf8(name), "names in UTF-8");
    }
    check_saved(names.enter(name) == slot, "each name once");
    begin = end;
  }
}

/// Also saves names without a weight, so that a copy lists its weights in the same
/// order later on. Columns are listed if most have no weight yet.
template <class Label>
[[nodiscard]] nb::dict save(LinearLearner<Label>& learner) {
  learner.lookup.clear();
  learner.reserve(0, learner.names.size());
  const std::size_t each = learner.numbers();
  const auto changed = learner.count_changed();
  const bool dense = 2 * changed.count >= changed.end;
  const std::size_t rows = dense ? changed.end : changed.count;
  nb::dict saved;
  double* const cells = add_array<double>(saved, "columns.cells", rows, each);
  if (dense) {
    learner.read_columns({cells, rows * each});
  } else {
    const std::vector<std::uint32_t> which = learner.changed_columns();
    learner.read_columns(which, {cells, rows * each});
    std::ranges::copy(which, add_array<std::uint32_t>(saved, "columns", which.size()));
  }
  save_names(learner.names, saved);
  const std::size_t named = learner.names.size();
  learner.read_names(
      {add_array<double>(saved, "names.cells", named, each), named * each});
  const std::vector<double> state = learner.state();
  std::ranges::copy(state, add_array<double>(saved, "rule", state.size()));
  saved["updates"] = learner.updates;
  saved["width"] = learner.width;
  return saved;
}

/// The arrays of save().
struct SavedLinear {
  std::optional<Vector<const std::uint32_t>> columns;
  Matrix<const double> column_cells;
  Vector<const std::uint8_t> text;
  Vector<const std::uint64_t> ends;
  Vector<const std::uint8_t> kinds;
  Matrix<const double> name_cells;
  Vector<const double> rule;
  std::uint64_t updates;
  std::uint64_t width;
};

/// Restores a new learner from what save() returned. The arrays may come from anywhere.
template <class Label>
void load(LinearLearner<Label>& learner, const SavedLinear& saved) {
  check_saved(learner.names.size() == 0 && learner.updates == 0, "a new learner");
  const std::size_t count = saved.column_cells.shape(0);
  learner.restore(as_span(saved.rule), count + saved.ends.shape(0));
  const std::size_t each = learner.numbers();
  check_saved(
      saved.column_cells.shape(1) == each && saved.name_cells.shape(1) == each &&
          saved.name_cells.shape(0) == saved.ends.shape(0) && count <= direct_columns,
      "as many numbers for each feature as the learner keeps");
  const bool listed = saved.columns.has_value();
  const auto which =
      listed ? as_span(*saved.columns) : std::span<const std::uint32_t>{};
  if (listed) {
    check_saved(which.size() == count && std::ranges::is_sorted(which) &&
                    std::ranges::adjacent_find(which) == which.end(),
                "column numbers that rise");
  }
  const std::uint64_t last =
      listed ? (which.empty() ? 0 : which.back() + std::uint64_t{1}) : count;
  check_saved(last <= direct_columns && last <= saved.width &&
                  saved.width <= largest_column + 1,
              "column numbers below the width");
  load_names(learner.names,
             {reinterpret_cast<const char*>(saved.text.data()), saved.text.shape(0)},
             as_span(saved.ends), as_span(saved.kinds), saved.width);
  learner.reserve(last, learner.names.size());
  const auto put = [&](std::int64_t index, const double* cell) {
    learner.write(index, {cell, each});
    check_saved(learner.sound(index), "numbers that the learner can have");
  };
  for (std::size_t k = 0; k < count; ++k) {
    put(static_cast<std::int64_t>(listed ? which[k] : k),
        saved.column_cells.data() + k * each);
  }
  for (std::size_t slot = 0; slot < learner.names.size(); ++slot) {
    put(index_of_slot(slot), saved.name_cells.data() + slot * each);
  }
  learner.updates = saved.updates;
  learner.width = saved.width;
}

}  // namespace littlestone::bindings
