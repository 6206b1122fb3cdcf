// Reads examples of true and false features, and numbers the features.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "border.hpp"
#include "example_reader.hpp"
#include "interruptible.hpp"
#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/truths.hpp"
#include "littlestone/features.hpp"
#include "littlestone/names.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using boolean::Index;

/// The number of a feature that was not met yet.
inline constexpr Index unmet = std::numeric_limits<Index>::max();

/// The features met so far, columns and names, each with its number.
class Universe {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] nb::object operator[](std::size_t at) const { return features_[at]; }
  [[nodiscard]] const nb::list& features() const noexcept { return features_; }

  [[nodiscard]] Index of_column(std::uint64_t column) const {
    if (column < near_.size()) return near_[column];
    if (column < nearest) return unmet;
    const auto found = far_.find(column);
    return found == far_.end() ? unmet : found->second;
  }
  [[nodiscard]] Index of_name(PyObject* name) const {
    PyObject* found = PyDict_GetItemWithError(names_.ptr(), name);
    if (found == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return unmet;
    }
    return static_cast<Index>(PyLong_AsUnsignedLong(found));
  }

  /// The numbers of columns 0, 1, 2, … as far as an array holds them.
  [[nodiscard]] std::span<const Index> near() const noexcept { return near_; }
  /// How many columns from 0 on have their own number.
  [[nodiscard]] std::size_t in_place() const noexcept { return in_place_; }

  /// The number of a feature as Python writes it.
  [[nodiscard]] Index of(nb::handle feature) const {
    if (PyUnicode_Check(feature.ptr())) return of_name(feature.ptr());
    if (!PyLong_Check(feature.ptr())) return unmet;
    const auto column = column_of_int(feature.ptr());
    return column ? of_column(*column) : unmet;
  }

  void add(nb::handle feature) {
    const bool named = PyUnicode_Check(feature.ptr());
    const nb::object known = named ? plain_name(feature) : nb::borrow(feature);
    if (of(known) != unmet) throw nb::value_error("duplicate feature");
    if (named) {
      add_name(known);
    } else {
      add_column(nb::cast<std::uint64_t>(known));
    }
  }
  Index add_column(std::uint64_t column) {
    const auto number = static_cast<Index>(size());
    if (column < nearest) {
      if (column >= near_.size()) near_.resize(column + 1, unmet);
      near_[column] = number;
      in_place_ += column == in_place_ && number == column ? 1 : 0;
    } else {
      far_[column] = number;
    }
    features_.append(nb::cast(column));
    ++size_;
    return number;
  }
  Index add_name(nb::handle name) {
    const auto number = static_cast<Index>(size());
    names_[name] = number;
    features_.append(name);
    ++size_;
    return number;
  }

 private:
  // Columns below this number have a place in an array, up to the largest one met.
  static constexpr std::uint64_t nearest = std::uint64_t{1} << 24U;

  std::vector<Index> near_;
  std::size_t in_place_ = 0;
  std::unordered_map<std::uint64_t, Index, KeyedHash> far_;
  nb::dict names_;
  nb::list features_;
  std::size_t size_ = 0;  // which may be asked without the interpreter
};

/// The features that are true in an example. New ones are put in order, columns before
/// names, so that the order in which a learner meets features does not depend on the
/// way an example is written.
class Truths {
 public:
  struct Name {
    std::string_view text;
    nb::object name;  // null until it is needed
    std::size_t slot;
  };

  std::vector<Index> known;  // later all of them, in order
  std::vector<std::uint64_t> columns;
  std::vector<Name> names;

  void clear() {
    known.clear();
    columns.clear();
    names.clear();
  }
  [[nodiscard]] std::size_t fresh() const noexcept {
    return columns.size() + names.size();
  }
  /// Puts everything in order; new features get the numbers from `size` on.
  void settle(std::size_t size) {
    if (std::ranges::adjacent_find(known, std::greater_equal<>()) != known.end()) {
      order(size);
    }
    if (fresh() == 0) return;
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::ranges::sort(names, {}, &Name::text);
    for (std::size_t i = 0; i < fresh(); ++i) {
      known.push_back(static_cast<Index>(size + i));
    }
  }

 private:
  /// Puts what is known in order: numbers below `size`. The rules rely on each coming
  /// once, even if another thread has changed a row after it was checked.
  void order(std::size_t size) {
    constexpr std::size_t sparse = 4 * bits * bits;
    if (known.size() * sparse < size) {
      std::ranges::sort(known);
      known.erase(std::unique(known.begin(), known.end()), known.end());
      return;
    }
    // A bit for each feature, and a bit for each word of those, so that nothing is
    // compared and few words without bits are read.
    words_.resize(std::max(words_.size(), size / bits + 1));
    groups_.resize(words_.size() / bits + 1);
    for (const Index j : known) {
      const std::size_t word = j / bits;
      words_[word] |= std::uint64_t{1} << (j % bits);
      groups_[word / bits] |= std::uint64_t{1} << (word % bits);
    }
    std::size_t count = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      each_bit(groups_[g], [&](std::size_t in_group) {
        const std::size_t word = g * bits + in_group;
        each_bit(words_[word], [&](std::size_t bit) {
          known[count++] = static_cast<Index>(word * bits + bit);
        });
      });
    }
    known.resize(count);
  }

  static constexpr std::size_t bits = 64;

  /// Calls `take` with each bit that is set, in order, and clears it.
  template <class Take>
  static void each_bit(std::uint64_t& word, Take take) {
    for (std::uint64_t left = std::exchange(word, 0); left != 0; left &= left - 1) {
      take(static_cast<std::size_t>(std::countr_zero(left)));
    }
  }

  // Both without a bit between calls.
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> groups_;
};

/// Reads examples whose features are true or false into `truths`.
class TruthReader {
 public:
  /// A closed universe refuses features it does not have.
  TruthReader(const Owner& owner, bool closed) : owner_(owner), closed_(closed) {}

  Universe universe;
  Truths truths;

  /// Reads one example. Names may point into the object returned, which must be kept
  /// until the round is over.
  [[nodiscard]] nb::object read(nb::handle x) {
    slots_.clear();
    looked_up_ = 0;
    truths.clear();
    nb::object names;
    if (!PyDict_CheckExact(x.ptr()) || !read_plain(x.ptr())) {
      truths.clear();
      // However it is written, it becomes a plain dict without zeros.
      nb::dict example = examples_.read(x);
      if (!read_plain(example.ptr())) refuse_values(example);
      names = std::move(example);
    }
    settle(std::nullopt);
    return names;
  }

  /// Reads the rows one after another, and calls `play(t)` after each. Without `order`,
  /// features that were met stay in the order of the row.
  template <class Play>
  void each_row(const Rows& rows, std::size_t first, std::size_t last, bool order,
                Play play) {
    constexpr std::size_t chunk = 64;
    if (!knows(rows.words)) look_up_names(rows);
    looked_up_ = 0;
    rows.visit([&](auto block) {
      constexpr bool named = requires { block[first].ids; };
      for (std::size_t at = first; at < last;) {
        if constexpr (named) {
          // Where every name was met, a round needs no Python, which other threads may
          // use meanwhile: those that read a file would wait for it.
          if (std::ranges::find(slots_, unmet) == slots_.end()) {
            truths.clear();
            at = each_chunk(at, last, chunk, [&](std::size_t from, std::size_t to) {
              for (std::size_t t = from; t < to; ++t) {
                if (!read_at_once(block[t])) return t;
                if (order) truths.settle(universe.size());
                play(t);
              }
              return to;
            });
          }
        }
        // Features are numbered in Python's dicts, so the interpreter is held.
        const std::size_t end = named ? std::min(last, at + chunk) : last;
        at = each_chunk<Interpreter::held>(at, end, chunk,
                                           [&](std::size_t from, std::size_t to) {
                                             for (std::size_t t = from; t < to; ++t) {
                                               read_row(rows, block, t, first, order);
                                               play(t);
                                             }
                                             return to;
                                           });
      }
    });
    if (rows.words.any() && rows.words.used == nullptr) {
      looked_up_ = rows.words.table->edition();
      met_ = universe.size();
    }
  }

  /// The first feature of the example that the universe does not have.
  [[nodiscard]] nb::object first_fresh() const {
    if (!truths.columns.empty()) return nb::cast(truths.columns[0]);
    return name_of(truths.names[0]);
  }

  /// Adds the new features of the example to the universe.
  void enter() {
    for (const std::uint64_t column : truths.columns) universe.add_column(column);
    for (const Truths::Name& name : truths.names) {
      const Index number = universe.add_name(name_of(name));
      if (name.slot < slots_.size()) slots_[name.slot] = number;
    }
  }

 private:
  /// Whether the names of a block are still looked up: a block is often played in many
  /// pieces. No other example may have brought a feature since.
  [[nodiscard]] bool knows(const BlockNames& words) const noexcept {
    return words.any() && words.used == nullptr &&
           words.table->edition() == looked_up_ && words.size() == slots_.size() &&
           universe.size() == met_;
  }
  void look_up_names(const Rows& rows) {
    slots_.clear();
    for (const nb::handle name : rows.names) {
      // A name without UTF-8 is refused before a row is played.
      (void)checked_name(name.ptr(), owner_);
      slots_.push_back(universe.of_name(name.ptr()));
    }
    rows.each_word([&](std::string_view name) {
      const nb::str text(name.data(), name.size());
      slots_.push_back(universe.of_name(text.ptr()));
    });
  }

  [[nodiscard]] static nb::object name_of(const Truths::Name& name) {
    if (name.name.is_valid()) return name.name;
    return nb::str(name.text.data(), name.text.size());
  }

  /// Puts the example in order; refuses features that a closed universe does not have.
  void settle(std::optional<Place> place) {
    truths.settle(universe.size());
    if (closed_ && truths.fresh() > 0) {
      nb::dict facts = owner_.facts(place);
      facts["feature"] = first_fresh();
      refuse("undeclared", facts);
    }
  }

  /// Reads a dict of plain keys whose values are 0 or 1; false if it is not one.
  bool read_plain(PyObject* x) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(x, &position, &key, &value) != 0) {
      const std::optional<bool> truth = truth_of(value);
      if (!truth) return false;
      if (PyUnicode_CheckExact(key)) {
        const Index number = *truth ? universe.of_name(key) : unmet;
        if (number != unmet) {
          truths.known.push_back(number);
          continue;
        }
        const auto text = utf8_of(key);
        if (!text) return false;
        if (!*truth) continue;
        truths.names.push_back({*text, nb::borrow(key), slots_.size()});
      } else if (PyLong_CheckExact(key)) {
        const auto column = column_of_int(key);
        if (!column) return false;
        if (*truth) take_column(*column);
      } else {
        return false;
      }
    }
    return true;
  }

  void take_column(std::uint64_t column) {
    const Index number = universe.of_column(column);
    if (number == unmet) {
      truths.columns.push_back(column);
    } else {
      truths.known.push_back(number);
    }
  }

  [[nodiscard]] static std::optional<bool> truth_of(PyObject* value) noexcept {
    if (value == Py_True) return true;
    if (value == Py_False) return false;
    double number = 0.5;
    if (PyFloat_CheckExact(value)) {
      number = PyFloat_AsDouble(value);
    } else if (PyLong_CheckExact(value)) {
      int overflow = 0;
      const long whole = PyLong_AsLongAndOverflow(value, &overflow);
      if (overflow == 0) number = static_cast<double>(whole);
    }
    if (number == 0.0) return false;
    if (number == 1.0) return true;
    return std::nullopt;
  }

  [[noreturn]] void refuse_values(const nb::dict& example) const {
    for (const auto [key, value] : example) {
      if (!truth_of(value.ptr())) owner_.refuse_entry("boolean", key, value);
    }
    throw nb::type_error("unreachable");
  }

  template <class Block>
  void read_row(const Rows& rows, const Block& block, std::size_t t, std::size_t first,
                bool order) {
    truths.clear();
    const auto x = block[t];
    if constexpr (requires { read_dense(x); }) {
      if (slots_.empty() && read_dense(x)) return;
    }
    if (!block.sound(block.to_score(t))) {
      const Finding found = block.check(x, scratch_);
      if (found.fault != Fault::none) refuse_entry(rows, x, t, first, found);
    }
    if (read_at_once(x)) {
      if (order) truths.settle(universe.size());
      return;
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      if (value != 1.0) refuse_entry(rows, x, t, first, {Fault::not_boolean, k});
      if constexpr (requires { x.ids; }) {
        take_slot(rows, x.ids[k]);
      } else {
        if (slots_.empty()) {
          take_column(static_cast<std::uint64_t>(x.index(k)));
        } else {
          take_slot(rows, k);
        }
      }
    }
    if (truths.fresh() != 0) {
      settle(Place{t, first});
    } else if (order) {
      truths.settle(universe.size());
    }
  }

  /// Reads a row of columns that were met, without a branch for each cell, which could
  /// not be predicted, and skips eight zeros at once; false if the row needs more
  /// checks.
  template <class V>
  bool read_dense(const DenseRow<V>& x) {
    constexpr std::size_t many = 8;
    room_.resize(x.size() + many);
    if (x.size() <= universe.in_place()) {  // already in order
      const auto count = boolean::true_cells(x.values, room_.data());
      if (count) truths.known.assign(room_.data(), room_.data() + *count);
      return count.has_value();
    }
    const auto numbers = universe.near();
    if (x.size() > numbers.size()) return false;
    std::size_t count = 0;
    unsigned odd = 0;
    const auto take = [&](std::size_t k) {
      const V value = read_once(x.values[k]);
      const auto truth = static_cast<unsigned>(value == V{1});
      odd |= truth ^ static_cast<unsigned>(value != V{0});
      odd |= truth & static_cast<unsigned>(numbers[k] == unmet);
      room_[count] = numbers[k];
      count += truth;
    };
    std::size_t k = 0;
    for (; k + many <= x.size(); k += many) {
      unsigned any = 0;
      for (std::size_t i = k; i < k + many; ++i) {
        any |= static_cast<unsigned>(x.values[i] != V{0});
      }
      if (any == 0) continue;
      for (std::size_t i = k; i < k + many; ++i) take(i);
    }
    for (; k < x.size(); ++k) take(k);
    if (odd != 0) return false;
    truths.known.assign(room_.data(), room_.data() + count);
    truths.settle(universe.size());
    return true;
  }

  template <class Row>
  bool read_at_once(const Row& x) {
    if constexpr (requires { x.ids; }) {
      const Index* const slots = slots_.data();
      return read_met(x, [&](std::size_t k) { return slots[x.ids[k]]; });
    } else if constexpr (requires { x.columns; }) {
      if (!slots_.empty()) return false;
      const auto numbers = universe.near();
      return read_met(x, [&](std::size_t k) {
        const auto column = static_cast<std::size_t>(x.columns[k]);
        return column < numbers.size() ? numbers[column] : unmet;
      });
    } else {
      return false;
    }
  }

  /// Reads a row of features that were met, all of them true, without a branch for
  /// each; false, and nothing, if the row is not one. `number(k)` is that of the k-th.
  template <class Row, class Number>
  bool read_met(const Row& x, Number number) {
    truths.known.resize(x.size());
    Index* const known = truths.known.data();
    unsigned odd = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      known[k] = number(k);
      odd |= static_cast<unsigned>(x.value(k) != 1.0) |
             static_cast<unsigned>(known[k] == unmet);
    }
    if (odd != 0) truths.known.clear();
    return odd == 0;
  }

  /// One of the names of a block.
  void take_slot(const Rows& rows, std::size_t slot) {
    if (slots_[slot] != unmet) return truths.known.push_back(slots_[slot]);
    if (rows.words.any()) {
      return truths.names.push_back({rows.words[slot], nb::object(), slot});
    }
    nb::object name = rows.names[slot];
    const std::string_view text = checked_name(name.ptr(), owner_);
    truths.names.push_back({text, std::move(name), slot});
  }

  template <class Row>
  [[noreturn]] void refuse_entry(const Rows& rows, const Row& x, std::size_t t,
                                 std::size_t first, const Finding& found) {
    nb::dict facts = owner_.facts(Place{t, first});
    const double value = x.value(found.position);
    const bool finite = found.fault != Fault::not_boolean || std::isfinite(value);
    facts["value"] = value;
    facts["feature"] = rows.feature(x, found.position);
    refuse(kind_of(finite ? found.fault : Fault::not_finite), facts);
  }

  const Owner& owner_;
  bool closed_;
  Features features_;  // none: names and columns are kept in the universe
  ExampleReader examples_{owner_, features_};
  std::vector<Index> slots_;     // the numbers of a block's names
  std::uint64_t looked_up_ = 0;  // the edition of those names; 0 if they may differ
  std::size_t met_ = 0;          // how many features there were then
  std::vector<std::uint64_t> scratch_;
  std::vector<Index> room_;  // of read_dense
};

}  // namespace littlestone::bindings
