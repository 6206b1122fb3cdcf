// Reads one example as Python users write them: a mapping, a dense row, a pair of
// columns and values, or a one-row CSR matrix.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "border.hpp"
#include "listed.hpp"
#include "littlestone/features.hpp"
#include "littlestone/values.hpp"
#include "numbers.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

/// The kind of refusal in littlestone/errors.py.
[[nodiscard]] inline const char* kind_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::not_finite: return "finite";
    case Fault::outside_unit: return "unit";
    case Fault::not_boolean: return "boolean";
    case Fault::beyond_scale: return "scale";
    case Fault::too_many: return "many";
    case Fault::duplicate: return "duplicate";
    case Fault::beyond_width: return "width";
    case Fault::score_overflow: return "overflow";
    case Fault::map_overflow: return "mapped";
    case Fault::too_many_products: return "products";
    case Fault::too_many_centered: return "centered";
    case Fault::loss_overflow: return "loss_overflow";
    case Fault::beyond_gradient: return "gradient";
    case Fault::negative_label: return "negative";
    case Fault::none: break;
  }
  return "";
}

/// Asks for what will be read soon.
inline void fetch_line([[maybe_unused]] const void* address) noexcept {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}

/// Python strings seen recently, and the indices of their weights: a key object that
/// comes again is found by its address, without hashing or reading it. Holds a
/// reference, so that an address cannot come to mean another string.
class RecentNames {
 public:
  RecentNames() = default;
  RecentNames(const RecentNames&) = delete;
  RecentNames& operator=(const RecentNames&) = delete;
  ~RecentNames() {
    for (const Pair& pair : pairs_) {
      for (const Entry& entry : pair.entries) Py_XDECREF(entry.name);
    }
  }

  [[nodiscard]] const std::int64_t* find(PyObject* name) const noexcept {
    const Pair& pair = pairs_[place(name)];
    const Entry& entry = pair.entries[pair.entries[0].name == name ? 0 : 1];
    return entry.name == name ? &entry.index : nullptr;
  }

  /// Fetches where a string would be found.
  void fetch(PyObject* name) const noexcept { fetch_line(&pairs_[place(name)]); }

  /// Remembers a string; there is room for the names of the learner, up to a limit.
  void keep(PyObject* name, std::int64_t index, std::size_t names) {
    if (names > 2 * pairs_.size() && pairs_.size() < most) widen();
    Py_INCREF(name);
    put({name, index});
  }

 private:
  struct Entry {
    PyObject* name = nullptr;
    std::int64_t index = 0;
  };
  /// Two strings that have the same place; as long as half a line of the cache.
  struct alignas(32) Pair {
    std::array<Entry, 2> entries;  // the later one first
  };

  void put(const Entry& entry) {
    Pair& pair = pairs_[place(entry.name)];
    Py_XDECREF(pair.entries[1].name);
    pair.entries = {entry, pair.entries[0]};
  }

  /// Strings made one after another, 48 or 64 bytes apart, have places side by side,
  /// which are soon in the cache together.
  [[nodiscard]] std::size_t place(PyObject* name) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(name);
    return (address >> 6U ^ address >> 20U) & (pairs_.size() - 1);
  }

  void widen() {
    std::vector<Pair> wider(4 * pairs_.size());
    pairs_.swap(wider);
    for (const Pair& pair : wider) {
      if (pair.entries[1].name != nullptr) put(pair.entries[1]);
      if (pair.entries[0].name != nullptr) put(pair.entries[0]);
    }
  }

  static constexpr std::size_t most = std::size_t{1} << 15U;
  std::vector<Pair> pairs_ = std::vector<Pair>(std::size_t{1} << 7U);
};

/// Looks examples up among the features of a learner. A learner that keeps its features
/// elsewhere uses `read`, which returns an example as a plain dict.
class ExampleReader {
 public:
  ExampleReader(const Owner& owner, Features& features)
      : owner_(owner), features_(features) {}

  /// Looks up an example. Its names may point into the object returned, which must be
  /// kept for as long as the look-up is used.
  [[nodiscard]] nb::object look_up(nb::handle x) {
    features_.lookup.clear();
    fresh_.clear();
    if (PyDict_CheckExact(x.ptr())) return look_up_dict(x.ptr());
    if (PyObject_CheckBuffer(x.ptr()) && !PyBytes_Check(x.ptr())) {
      look_up_dense(x);
    } else if (PyTuple_Check(x.ptr()) && PyTuple_Size(x.ptr()) == 2 &&
               PySequence_Check(PyTuple_GetItem(x.ptr(), 0)) &&
               !PyUnicode_Check(PyTuple_GetItem(x.ptr(), 0))) {
      look_up_pair(x, PyTuple_GetItem(x.ptr(), 0), PyTuple_GetItem(x.ptr(), 1));
    } else if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr())) {
      look_up_sequence(x);
    } else if (look_up_csr(x)) {
      return {};
    } else if (nb::hasattr(x, "keys")) {
      return look_up_copy(nb::module_::import_("builtins").attr("dict")(x));
    } else {
      refuse_example(x);
    }
    return {};
  }

  /// Remembers the new names of the example looked up, which have been entered. The
  /// example must not have changed since.
  void remember_fresh() {
    for (const auto& [name, index] : fresh_) {
      recent_.keep(name, index, features_.names.size());
    }
  }

  /// Adds one feature, known by its name or column number, to the example looked up;
  /// false if it is neither.
  bool look_up_feature(PyObject* feature, double value) {
    if (PyUnicode_Check(feature)) {
      features_.look_up_name(checked_name(feature, owner_), value);
      return true;
    }
    const auto column = column_of_object(feature);
    if (column) features_.look_up_column(*column, value);
    return column.has_value();
  }

  /// The features and values of an example, without those of value 0.
  [[nodiscard]] nb::dict read(nb::handle x) {
    const nb::object names = look_up(x);
    const ResolvedRow row = features_.lookup.row();
    if (const auto found = not_finite_in(row); found.fault != Fault::none) {
      refuse_looked_up(found);
    }
    nb::dict example;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.value(k) != 0.0) example[feature_of(row.index(k))] = row.value(k);
    }
    return example;
  }

  /// The same for a row of a block.
  [[nodiscard]] nb::dict read_row(const Rows& rows, Place place) const {
    const std::size_t row = place.row;
    rows.check_range(row, row + 1, rows.size());
    nb::dict example;
    rows.visit([&](const auto& block) {
      std::vector<std::uint64_t> scratch;
      const auto x = block[row];
      Finding found = block.check(x, scratch);
      if (found.fault == Fault::none) found = not_finite_in(x);
      if (found.fault != Fault::none) refuse_row(rows, place, found);
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (x.value(k) != 0.0) example[rows.feature(x, k)] = x.value(k);
      }
    });
    return example;
  }

  /// The name or column number of an index, also for a new feature of the look-up.
  [[nodiscard]] nb::object feature_of(std::int64_t index) const {
    if (index >= 0) return nb::cast(index);
    const auto slot = static_cast<std::size_t>(-1 - index);
    const std::size_t known = features_.names.size();
    const std::string_view name =
        slot < known ? features_.names[slot] : features_.lookup.fresh[slot - known];
    if (is_column_key(name)) return nb::cast(column_of(name));
    return nb::str(name.data(), name.size());
  }

  /// Refuses the example looked up.
  [[noreturn]] void refuse_looked_up(const Finding& finding) const {
    refuse_in(features_.lookup.row(), owner_.facts(), finding,
              [&](const auto& x, std::size_t k) { return feature_of(x.index(k)); });
  }

  /// Refuses a row of a block.
  [[noreturn]] void refuse_row(const Rows& rows, Place place,
                               const Finding& finding) const {
    rows.visit([&](const auto& block) {
      refuse_in(block[place.row], owner_.facts(place), finding,
                [&](const auto& x, std::size_t k) { return rows.feature(x, k); });
    });
    throw nb::value_error("unreachable");
  }

 private:
  template <class Row, class FeatureAt>
  [[noreturn]] static void refuse_in(const Row& x, nb::dict facts,
                                     const Finding& finding, FeatureAt feature_at) {
    const std::size_t k = finding.position;
    if (finding.fault == Fault::loss_overflow ||
        finding.fault == Fault::negative_label) {
      facts["value"] = finding.amount;
    } else if (finding.fault != Fault::score_overflow &&
               finding.fault != Fault::map_overflow) {
      facts["feature"] = k < x.size() ? feature_at(x, k) : nb::none();
      facts["value"] = finding.fault == Fault::beyond_gradient ? finding.amount
                       : k < x.size()                          ? x.value(k)
                                                               : 0.0;
    }
    refuse(kind_of(finding.fault), facts);
  }

  [[noreturn]] void refuse_example(nb::handle x) const {
    clear_conversion_error();
    owner_.refuse_value("example", x);
  }

  [[nodiscard]] double number(nb::handle feature, PyObject* value) const {
    const auto result = number_of(value);
    if (!result) owner_.refuse_entry("number", feature, value);
    return *result;
  }

  // Mappings ------------------------------------------------------------------------

  [[nodiscard]] nb::object look_up_dict(PyObject* x) {
    if (look_up_entries(x, Plain::required)) return {};
    return look_up_copy(nb::steal(PyDict_Copy(x)));
  }

  /// Looks up our own copy of a dict, whose keys may be anything.
  [[nodiscard]] nb::object look_up_copy(nb::object copy) {
    features_.lookup.clear();
    fresh_.clear();
    look_up_entries(copy.ptr(), Plain::optional);
    // The keys of a dict differ, but two that are not plain may be one feature.
    check_duplicates();
    return copy;
  }

  enum class Plain : bool { optional, required };

  /// False at an entry that is not plain, if all must be: to read it may run Python
  /// code, which may change the dict. Where all are plain, what a number of entries
  /// need is fetched before the first of them is read.
  bool look_up_entries(PyObject* x, Plain plain) {
    std::array<std::pair<PyObject*, PyObject*>, 64> some;
    const std::size_t most = plain == Plain::required ? some.size() : 1;
    Py_ssize_t position = 0;
    for (std::size_t count = most; count == most;) {
      count = 0;
      PyObject* name = nullptr;
      PyObject* number = nullptr;
      while (count < most && PyDict_Next(x, &position, &name, &number) != 0) {
        fetch_line(number);
        recent_.fetch(name);
        some[count++] = {name, number};
      }
      bool fetched = false;
      for (std::size_t k = 0; k < count; ++k) {
        const auto [key, value] = some[k];
        if (look_up_recent(key, value)) continue;
        if (!fetched) fetch_names(std::span(some).subspan(k + 1, count - k - 1));
        fetched = true;
        if (!look_up_entry(key, value, plain)) return false;
      }
    }
    return true;
  }

  /// Fetches the names that are not found by their addresses.
  void fetch_names(std::span<const std::pair<PyObject*, PyObject*>> entries) const {
    for (const auto& [name, value] : entries) {
      if (recent_.find(name) != nullptr) continue;
      fetch_line(name);
      fetch_line(reinterpret_cast<const char*>(name) + 63);  // where its text may be
    }
  }

  [[gnu::always_inline]] bool look_up_recent(PyObject* key, PyObject* value) {
    if (!PyFloat_CheckExact(value)) return false;
    const std::int64_t* const index = recent_.find(key);
    if (index != nullptr) features_.lookup.add(*index, float_of(value));
    return index != nullptr;
  }

  bool look_up_entry(PyObject* key, PyObject* value, Plain plain) {
    Lookup& lookup = features_.lookup;
    if (plain == Plain::required && !is_plain(key, value)) return false;
    const std::size_t fresh = lookup.fresh.size();
    if (!look_up_feature(key, number(key, value)))
      owner_.refuse_feature("feature", key);
    if (PyUnicode_CheckExact(key)) {
      const std::int64_t index = lookup.indices().back();
      if (lookup.fresh.size() == fresh) {
        recent_.keep(key, index, features_.names.size());
      } else {
        fresh_.emplace_back(key, index);
      }
    }
    return true;
  }

  [[nodiscard]] static bool is_plain(PyObject* key, PyObject* value) noexcept {
    return (PyUnicode_CheckExact(key) || PyLong_CheckExact(key)) &&
           (PyFloat_Check(value) || PyLong_CheckExact(value) || PyBool_Check(value));
  }

  /// The value of an exact float.
  [[nodiscard]] double float_of(PyObject* value) const noexcept {
    if (float_at_ == 0) return PyFloat_AsDouble(value);
    double number = 0.0;
    std::memcpy(&number, reinterpret_cast<const char*>(value) + float_at_,
                sizeof number);
    return number;
  }

  /// Where a float keeps its number: to read it there saves a call for every feature.
  /// The stable ABI does not say where, so it is found out; 0 if it cannot be.
  [[nodiscard]] static std::size_t where_floats_are() {
    static const std::size_t found = [] {
      const nb::handle type(reinterpret_cast<PyObject*>(&PyFloat_Type));
      const auto at =
          nb::cast<std::size_t>(type.attr("__basicsize__")) - sizeof(double);
      for (const double number : {0x1.23456789abcdep-67, -0x1.fedcba9876543p+89}) {
        const nb::object probe = nb::cast(number);
        double there = 0.0;
        std::memcpy(&there, reinterpret_cast<const char*>(probe.ptr()) + at,
                    sizeof there);
        if (there != number) return std::size_t{0};
      }
      return at;
    }();
    return found;
  }

  // Rows ----------------------------------------------------------------------------

  void look_up_dense(nb::handle x) {
    if (!x.type().is(plain_type_)) {
      // A masked array has numbers that are not meant.
      if (nb::hasattr(x, "mask")) refuse_example(x);
      plain_type_ = nb::borrow(x.type());
    }
    if (!look_up_numbers(x)) look_up_sequence(x);  // objects, half floats: one by one
  }

  /// False if a buffer has other objects than numbers.
  bool look_up_numbers(nb::handle x) {
    const Numbers numbers(x);
    Lookup& lookup = features_.lookup;
    const auto room = lookup.resize(numbers.size());
    std::iota(room.indices.begin(), room.indices.end(), std::int64_t{0});
    if (numbers.copy(0, room.values) && features_.look_up_columns(largest_column)) {
      return true;
    }
    lookup.clear();
    return false;
  }

  void look_up_sequence(nb::handle x) {
    const nb::object items = listed(x);
    if (!items.is_valid()) refuse_example(x);
    std::uint64_t column = 0;
    for (const nb::handle item : nb::borrow<nb::list>(items)) {
      const auto value = number_of(item.ptr());
      if (!value) owner_.refuse_entry("number", nb::cast(column), item);
      features_.look_up_column(column, *value);
      ++column;
    }
  }

  /// A sparse row as a pair: column numbers and their values.
  void look_up_pair(nb::handle x, nb::handle columns, nb::handle values) {
    const nb::object first = listed(columns);
    if (!first.is_valid()) refuse_example(x);
    const nb::object second = listed(values);
    if (!second.is_valid() || nb::len(first) != nb::len(second)) refuse_example(x);
    for (std::size_t k = 0; k < nb::len(first); ++k) {
      const nb::object column = first[k];
      if (PyUnicode_Check(column.ptr()) ||
          !look_up_feature(column.ptr(), number(column, nb::object(second[k]).ptr()))) {
        owner_.refuse_feature("feature", column);
      }
    }
    check_sparse();
  }

  /// One row of a SciPy sparse matrix or array; false if x is something else.
  bool look_up_csr(nb::handle x) {
    static PyObject* const indptr = PyUnicode_InternFromString("indptr");
    static PyObject* const indices = PyUnicode_InternFromString("indices");
    static PyObject* const data = PyUnicode_InternFromString("data");
    const nb::object offsets = nb::steal(PyObject_GetAttr(x.ptr(), indptr));
    if (!offsets.is_valid()) {
      PyErr_Clear();
      return false;
    }
    if (!is_csr(x)) refuse_example(x);
    const nb::object columns = nb::steal(PyObject_GetAttr(x.ptr(), indices));
    const nb::object values = nb::steal(PyObject_GetAttr(x.ptr(), data));
    if (!columns.is_valid() || !values.is_valid()) refuse_example(x);
    if (!look_up_between(offsets, columns, values)) refuse_example(x);
    check_sparse();
    return true;
  }

  /// The columns and values between two offsets; false if they are not sound.
  bool look_up_between(nb::handle offsets, nb::handle columns, nb::handle values) {
    const Numbers bounds(offsets);
    std::array<std::int64_t, 2> range{};
    if (bounds.size() != range.size() || !bounds.copy<std::int64_t>(0, range))
      return false;
    const Numbers those(columns);
    const Numbers numbers(values);
    if (range[0] < 0 || range[0] > range[1] ||
        std::cmp_greater(range[1], std::min(those.size(), numbers.size()))) {
      return false;
    }
    const auto first = static_cast<std::size_t>(range[0]);
    const auto count = static_cast<std::size_t>(range[1]) - first;
    const auto room = features_.lookup.resize(count);
    return those.copy(first, room.indices) && numbers.copy(first, room.values) &&
           features_.look_up_columns(largest_column);
  }

  /// SciPy computes the format slowly, so the type that had it is remembered.
  [[nodiscard]] bool is_csr(nb::handle x) {
    if (x.type().is(csr_type_)) return true;
    const nb::object format = nb::steal(PyObject_GetAttrString(x.ptr(), "format"));
    if (!format.is_valid() || !PyUnicode_Check(format.ptr())) return false;
    if (utf8_of(format.ptr()) != "csr") return false;
    csr_type_ = nb::borrow(x.type());
    return true;
  }

  // Duplicates ----------------------------------------------------------------------

  void check_sparse() const {
    if (!ascending(features_.lookup.indices())) check_duplicates();
  }

  void check_duplicates() const {
    const Lookup& lookup = features_.lookup;
    const auto indices = lookup.indices();
    std::vector<std::uint64_t> scratch;
    std::size_t k = duplicate_in(indices, scratch);
    // Features not met before have been given different slots, so compare the names.
    std::vector<std::size_t> order(lookup.fresh.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return std::pair(lookup.fresh[left], left) <
             std::pair(lookup.fresh[right], right);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (lookup.fresh[order[i - 1]] != lookup.fresh[order[i]]) continue;
      const auto slot = index_of_slot(features_.names.size() + order[i]);
      const auto at = std::find(indices.begin(), indices.end(), slot);
      k = std::min(k, static_cast<std::size_t>(at - indices.begin()));
      break;
    }
    if (k < indices.size()) refuse_looked_up({Fault::duplicate, k});
  }

  const Owner& owner_;
  Features& features_;
  RecentNames recent_;
  // The new names of the example looked up, and the indices that they will have.
  std::vector<std::pair<PyObject*, std::int64_t>> fresh_;
  nb::object csr_type_;
  nb::object plain_type_;
  std::size_t float_at_ = where_floats_are();
};

}  // namespace littlestone::bindings
