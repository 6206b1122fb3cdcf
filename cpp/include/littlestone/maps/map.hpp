// What a map is: it turns the features of an example into others, before a learner.
//
// A map sees an example as its values that are not 0, in the order given, with the
// features numbered as they are met. Equal examples in equal order are mapped to equal
// bits, in whatever form they come.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "littlestone/features.hpp"
#include "littlestone/hashing.hpp"
#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

/// Features, numbered in the order in which they are met: columns and names.
class Numbering {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = std::numeric_limits<Number>::max();

  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }

  /// The number of a feature; a new one gets the next.
  Number of_column(std::uint64_t column) {
    if (column >= direct_columns) {
      const ColumnKey key = column_key(column);
      return of_name({key.data(), key.size()});
    }
    Number& number = place_of(column);
    if (number == none) {
      number = static_cast<Number>(size());
      slots_.push_back(static_cast<std::int64_t>(column));
    }
    return number;
  }
  Number of_name(std::string_view name) {
    const std::size_t slot = names_.enter(name);
    if (slot == numbers_.size()) {
      numbers_.push_back(static_cast<Number>(size()));
      slots_.push_back(index_of_slot(slot));
    }
    return numbers_[slot];
  }

  [[nodiscard]] bool is_column(Number number) const noexcept {
    return slots_[number] >= 0 || is_column_key(name(number));
  }
  [[nodiscard]] std::uint64_t column(Number number) const noexcept {
    const std::int64_t slot = slots_[number];
    return slot >= 0 ? static_cast<std::uint64_t>(slot) : column_of(name(number));
  }
  [[nodiscard]] std::string_view name(Number number) const noexcept {
    return names_[slot_of(number)];
  }
  /// The place of a name in `names`.
  [[nodiscard]] std::size_t slot_of(Number number) const noexcept {
    return static_cast<std::size_t>(-1 - slots_[number]);
  }
  [[nodiscard]] const Names& names() const noexcept { return names_; }

  /// Forgets the features from `count` on.
  void truncate(std::size_t count) noexcept {
    for (; size() > count; slots_.pop_back()) {
      if (slots_.back() >= 0) {
        place_of(static_cast<std::size_t>(slots_.back())) = none;
      } else {
        numbers_.pop_back();
      }
    }
    names_.truncate(numbers_.size());
  }

 private:
  static constexpr std::size_t page = 4096;  // columns

  /// Where the number of a column is. One stray column must not cost a whole array.
  [[nodiscard]] Number& place_of(std::size_t column) {
    if (column / page >= pages_.size()) pages_.resize(column / page + 1);
    std::vector<Number>& numbers = pages_[column / page];
    if (numbers.empty()) numbers.assign(page, none);
    return numbers[column % page];
  }

  std::vector<std::vector<Number>> pages_;  // by column
  Names names_;
  std::vector<Number> numbers_;      // of the names
  std::vector<std::int64_t> slots_;  // of the features: a column, or the slot of a name
};

/// A value that is not 0: its feature, and its position in the example.
struct Entry {
  Numbering::Number feature;
  std::size_t position;
  double value;
};
using Entries = std::span<const Entry>;

/// Examples that were mapped, up to the first one that cannot be.
struct Mapped {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> features;  // numbers; none if the rows are dense
  std::vector<double> values;
  Finding finding{};

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  void add(std::uint32_t feature, double value) {
    features.push_back(feature);
    values.push_back(value);
  }
  /// Drops what was added since the last row that was completed.
  void drop_row() {
    values.resize(offsets.back());
    if (!features.empty()) features.resize(offsets.back());
  }
};

/// Whether a map learns from the examples that it maps.
enum class Learning : bool { no, yes };

class Map {
 public:
  Map() = default;
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;
  virtual ~Map() = default;

  Numbering met;  // the features of examples

  /// The features of mapped examples.
  [[nodiscard]] virtual const Numbering& made() const noexcept { return met; }
  /// How many features every mapped example has; 0 if it may be any number.
  [[nodiscard]] virtual std::size_t width() const noexcept { return 0; }

  /// Maps rows [first, last). `name_of` gives the names of a block whose features have
  /// names; they are met in the order of the rows, as one by one.
  template <class B, class NameOf>
  [[nodiscard]] Mapped map(const B& rows, std::size_t first, std::size_t last,
                           Learning learning, NameOf name_of) {
    Mapped made;
    std::vector<Numbering::Number> numbers;  // of the block's names
    const auto number = [&](std::size_t id) {
      if (id >= numbers.size()) numbers.resize(id + 1 + id / 2, Numbering::none);
      if (numbers[id] == Numbering::none) numbers[id] = met.of_name(name_of(id));
      return numbers[id];
    };
    std::vector<std::uint64_t> scratch;
    for (std::size_t t = first; t < last; ++t) {
      const auto x = rows[t];
      if (!rows.sound(rows.to_score(t))) made.finding = rows.check(x, scratch);
      if (made.finding.fault != Fault::none) break;
      const std::size_t before = met.size();
      entries_.clear();
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double value = x.value(k);
        if (value == 0.0) continue;
        if constexpr (requires { x.ids; }) {
          entries_.push_back({number(x.ids[k]), k, value});
        } else if constexpr (requires { rows.indices; }) {
          entries_.push_back({number(k), k, value});
        } else {
          const auto column = static_cast<std::uint64_t>(x.index(k));
          entries_.push_back({met.of_column(column), k, value});
        }
      }
      if (add_row(entries_, learning, made)) continue;
      if (learning == Learning::yes) forget(before);
      break;
    }
    return made;
  }

  /// Maps one example; false if it cannot be.
  bool add_row(Entries x, Learning learning, Mapped& to) {
    for (const Entry& entry : x) {
      if (std::isfinite(entry.value)) continue;
      to.finding = {Fault::not_finite, entry.position};
      return false;
    }
    while (known_ < met.size()) meet(static_cast<Numbering::Number>(known_++));
    to.finding = put(x, learning, to);
    if (to.finding.fault != Fault::none) {
      to.drop_row();
      return false;
    }
    to.offsets.push_back(to.values.size());
    return true;
  }

  /// Forgets the features met since there were `count`, unless a map learns nothing of
  /// them.
  virtual void forget(std::size_t /*count*/) {}

  /// How much it holds that it could compute again.
  [[nodiscard]] virtual std::size_t held() const noexcept { return 0; }
  /// Ends a prediction, before which there were so many features and so much was held.
  /// What predictions have added is dropped when it is much, and a good part of all:
  /// strangers may ask for ever.
  void predicted(std::size_t features, std::size_t held_before) {
    forget(features);
    idle_ += held() - held_before;
    if (idle_ <= std::max(most_idle, held() / 2)) return;
    drop();
    idle_ = 0;
  }

  /// Remembers what was learned so far, so that `undo` can return to it.
  virtual void mark() { marked_ = met.size(); }
  virtual void undo() { forget(marked_); }

  /// What was learned from examples, if the map learns.
  [[nodiscard]] virtual std::vector<double> state() const { return {}; }
  /// Returns whether such a state can have been saved.
  virtual bool restore(std::span<const double> state) { return state.empty(); }

 protected:
  /// A feature was met for the first time.
  virtual void meet(Numbering::Number /*feature*/) {}
  /// Adds the mapped example, or says what is wrong with it.
  [[nodiscard]] virtual Finding put(Entries x, Learning learning, Mapped& to) = 0;
  /// Forgets all that it could compute again.
  virtual void drop() {
    met = {};
    known_ = 0;
  }

  std::size_t known_ = 0;   // how many features were met
  std::size_t marked_ = 0;  // how many there were then

 private:
  static constexpr std::size_t most_idle = std::size_t{1} << 18U;

  std::size_t idle_ = 0;  // what predictions have added to what is held
  std::vector<Entry> entries_;
};

/// The hash of a feature, as `streams.hashed` computes it.
[[nodiscard]] inline std::uint64_t hash_of(const Numbering& features,
                                           Numbering::Number number) noexcept {
  return features.is_column(number) ? hash_of_column(features.column(number))
                                    : hash_of_name(features.name(number));
}

}  // namespace littlestone
