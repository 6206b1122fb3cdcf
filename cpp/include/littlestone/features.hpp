// The features that a learner knows, and the example that is being looked up.
#pragma once

#include <algorithm>  // std::max, std::min
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// Larger column numbers are kept in the name table: one stray index of four billion
/// must not cost 32 GB.
inline constexpr std::uint64_t direct_columns = std::uint64_t{1} << 24U;

/// The index of the name in a slot: negative, unlike that of any column.
[[nodiscard]] constexpr std::int64_t index_of_slot(std::size_t slot) noexcept {
  return -1 - static_cast<std::int64_t>(slot);
}

/// One example with its features looked up. New features get the next free slots, and
/// are entered in the table once the round is accepted.
class Lookup {
 public:
  std::vector<std::string_view> fresh;
  std::uint64_t width = 0;   // one more than the largest column
  std::uint64_t direct = 0;  // the same for columns that index cells directly

  void clear() noexcept {
    size_ = 0;
    fresh.clear();
    keys_.clear();
    width = 0;
    direct = 0;
  }
  [[gnu::always_inline]] void add(std::int64_t index, double value) {
    if (size_ == indices_.size()) [[unlikely]] {
      indices_.resize(2 * size_ + 16);
      values_.resize(2 * size_ + 16);
    }
    indices_[size_] = index;
    values_[size_] = value;
    ++size_;
  }
  /// Entries that have yet to be written.
  struct Room {
    std::span<std::int64_t> indices;
    std::span<double> values;
  };
  /// Makes it so many entries, which the caller writes.
  [[nodiscard]] Room resize(std::size_t size) {
    if (size > indices_.size()) {
      indices_.resize(size);
      values_.resize(size);
    }
    size_ = size;
    return {{indices_.data(), size}, {values_.data(), size}};
  }
  [[nodiscard]] std::string_view keep(const ColumnKey& key) {
    const ColumnKey& kept = keys_.emplace_back(key);
    return {kept.data(), kept.size()};
  }

  [[nodiscard]] std::span<const std::int64_t> indices() const noexcept {
    return {indices_.data(), size_};
  }
  [[nodiscard]] ResolvedRow row() const noexcept {
    return {indices(), {values_.data(), size_}};
  }

 private:
  std::size_t size_ = 0;
  std::vector<std::int64_t> indices_;
  std::vector<double> values_;
  std::deque<ColumnKey> keys_;  // what `fresh` points to for large column numbers
};

/// The features a learner knows, and the example that is being looked up.
class Features {
 public:
  Names names;
  std::uint64_t width = 0;  // one more than the largest column met
  Lookup lookup;            // reused, so that a round allocates nothing

  void look_up_name(std::string_view name, double value) {
    const std::size_t slot = names.find(name);
    if (slot != Names::absent) {
      lookup.add(index_of_slot(slot), value);
    } else {
      lookup.add(index_of_slot(names.size() + lookup.fresh.size()), value);
      lookup.fresh.push_back(name);
    }
  }

  void look_up_column(std::uint64_t column, double value) {
    lookup.width = std::max(lookup.width, column + 1);
    if (column < direct_columns) {
      lookup.direct = std::max(lookup.direct, column + 1);
      lookup.add(static_cast<std::int64_t>(column), value);
      return;
    }
    look_up_name(lookup.keep(column_key(column)), value);
  }

  /// Looks up the columns that were written to the lookup as its indices; false if one
  /// is negative or beyond the largest.
  [[nodiscard]] bool look_up_columns(std::uint64_t largest) {
    std::uint64_t last = 0;
    for (const std::int64_t column : lookup.indices()) {
      last = std::max(last, static_cast<std::uint64_t>(column));
    }
    if (last > largest) return false;
    if (last < direct_columns) {
      lookup.width = lookup.direct = lookup.indices().empty() ? 0 : last + 1;
      return true;
    }
    const ResolvedRow row = lookup.row();
    const std::vector<std::int64_t> columns(row.columns.begin(), row.columns.end());
    const std::vector<double> values(row.values.begin(), row.values.end());
    lookup.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      look_up_column(static_cast<std::uint64_t>(columns[k]), values[k]);
    }
    return true;
  }

  /// Enters the new features of the example looked up.
  void enter() {
    width = std::max(width, lookup.width);
    for (const auto name : lookup.fresh) names.insert(name);
  }

  /// The index of a name; a new one gets a slot at once.
  [[nodiscard]] std::int64_t index_of_name(std::string_view name) {
    return index_of_slot(names.enter(name));
  }

  /// The indices of all names of a block.
  void index_of_words(const BlockNames& words, std::vector<std::int64_t>& indices) {
    if (words.used == nullptr) return index_of_names(*words.table, indices);
    std::vector<std::int64_t>& known = known_of(*words.table);
    indices.reserve(indices.size() + words.size());
    for (const std::uint32_t slot : *words.used) {
      if (known[slot] == unknown) known[slot] = index_of_name((*words.table)[slot]);
      indices.push_back(known[slot]);
    }
  }

 private:
  /// The indices of a table of names that several blocks share.
  struct Known {
    std::uint64_t edition = 0;
    std::vector<std::int64_t> indices;
  };
  // At most six parts of a file are parsed at a time, each with its own table.
  static constexpr std::size_t most_known = 6;
  static constexpr std::int64_t unknown = 0;  // the index of a column, never of a name

  std::array<Known, most_known> known_;
  std::size_t oldest_ = 0;  // the entry to be replaced next

  [[nodiscard]] std::vector<std::int64_t>& known_of(const NameList& table) {
    Known* found = nullptr;
    for (Known& each : known_) {
      if (each.edition == table.edition()) found = &each;
    }
    if (found == nullptr) {
      found = &known_[oldest_];
      oldest_ = (oldest_ + 1) % most_known;
      *found = {table.edition(), {}};
    }
    if (found->indices.size() < table.size()) {
      found->indices.resize(table.size(), unknown);
    }
    return found->indices;
  }

  /// The same for a whole table. While one name is looked up, the next few are
  /// prefetched.
  void index_of_names(const NameList& all, std::vector<std::int64_t>& indices) {
    constexpr std::size_t ahead = 16;
    std::array<std::uint64_t, ahead> hashes{};
    const auto fetch = [&](std::size_t id) {
      names.fetch(hashes[id % ahead] = names.hash_of(all[id]));
    };
    indices.reserve(indices.size() + all.size());
    for (std::size_t id = 0; id < std::min(ahead, all.size()); ++id) fetch(id);
    for (std::size_t id = 0; id < all.size(); ++id) {
      const std::uint64_t hash = hashes[id % ahead];
      if (id + ahead < all.size()) fetch(id + ahead);
      indices.push_back(index_of_slot(names.enter(all[id], hash)));
    }
  }
};

}  // namespace littlestone
