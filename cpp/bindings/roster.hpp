// The experts of a learner by name, and the reader of their advice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "listed.hpp"

namespace littlestone::bindings {

/// The advice of an expert that sleeps.
inline constexpr double asleep = std::numeric_limits<double>::quiet_NaN();

/// Writes the probabilities of two outcomes, that of the second given. What is no
/// probability is written twice, so that it is refused as it came.
inline void put_pair(double chance, double* out) noexcept {
  out[0] = chance >= 0.0 && chance <= 1.0 ? 1.0 - chance : chance;
  out[1] = chance;
}

class Roster {
 public:
  explicit Roster(std::string owner) : owner_(std::move(owner)) {}

  [[nodiscard]] const Owner& owner() const noexcept { return owner_; }

  /// Sets the names in order; None if experts are known by their position.
  void name(const nb::object& names, std::size_t size) {
    names_.reset();
    index_.reset();
    in_order_.clear();
    if (names.is_none()) return;
    // A list of our own: the caller's grows by itself when an expert joins, and may
    // change while names are hashed.
    const nb::list copy = nb::list(names);
    const nb::tuple fixed = nb::tuple(names);
    if (fixed.size() != size || copy.size() != size)
      throw nb::value_error("there must be one name for each expert");
    nb::dict index;
    plain_names_ = true;
    for (std::size_t at = 0; at < size; ++at) {
      plain_names_ &= is_plain_name(nb::object(fixed[at]).ptr());
      index[fixed[at]] = at;
      in_order_.push_back(nb::object(fixed[at]).ptr());
    }
    names_ = copy;
    index_ = index;
  }
  void add(nb::handle name) {
    if (!names_.is_valid()) return;
    plain_names_ &= is_plain_name(name.ptr());
    nb::borrow<nb::dict>(index_)[name] = nb::len(names_);
    nb::borrow<nb::list>(names_).append(name);
    in_order_.push_back(name.ptr());
  }
  [[nodiscard]] nb::object of(std::size_t i) const {
    return names_.is_valid() ? nb::object(names_[i]) : nb::cast(i);
  }

  /// Reads a label for each expert, 1 or 0; returns whether any sleeps.
  bool read_labels(nb::handle x, std::span<double> out) const {
    return read(x, out, [&](std::size_t i, PyObject* value) {
      const Label label = label_of_object(value);
      if (label == Label::other) owner_.refuse_entry("expert_label", of(i), value);
      return label == Label::yes ? 1.0 : 0.0;
    });
  }

  /// Reads a number for each expert; returns whether any sleeps.
  bool read_numbers(nb::handle x, std::span<double> out) const {
    return read(x, out, [&](std::size_t i, PyObject* value) {
      const auto number = number_of(value);
      if (!number || !std::isfinite(*number)) refuse_number(i, value);
      return *number;
    });
  }

  /// Reads a distribution over some outcomes for each expert in order; with `pairs`
  /// also the probability of the second of two. False unless all are plain numbers,
  /// which run no Python code.
  bool read_spread(nb::handle x, std::span<double> out, std::size_t outcomes,
                   bool pairs) const {
    const std::size_t n = out.size() / outcomes;
    const auto reads = [&](std::size_t i, PyObject* given) {
      return read_chances(given, out.subspan(i * outcomes, outcomes), pairs);
    };
    if (PyDict_CheckExact(x.ptr())) {
      const bool known = plain_names_ && in_order_.size() == n;
      if (!known || nb::len(x) != n) return false;
      Py_ssize_t position = 0;
      PyObject* key = nullptr;
      PyObject* given = nullptr;
      for (std::size_t i = 0; PyDict_Next(x.ptr(), &position, &key, &given) != 0; ++i) {
        const std::size_t at = key == in_order_[i] ? i : plain_place(key, n);
        if (at == n || !reads(at, given)) return false;
      }
      return true;
    }
    const bool listed = PyList_CheckExact(x.ptr()) || PyTuple_CheckExact(x.ptr());
    if (!listed || names_.is_valid() || nb::len(x) != n) return false;
    for (std::size_t i = 0; i < n; ++i) {
      if (!reads(i, item_of(x.ptr(), i))) return false;
    }
    return true;
  }

 private:
  /// Where an expert of this name is, if that is plain to see; else `size`.
  [[nodiscard]] std::size_t plain_place(PyObject* key, std::size_t size) const {
    if (!is_plain_name(key)) return size;
    PyObject* const found = PyDict_GetItemWithError(index_.ptr(), key);
    return found == nullptr ? size : PyLong_AsSize_t(found);
  }
  /// An item of a list or tuple, borrowed.
  [[nodiscard]] static PyObject* item_of(PyObject* items, std::size_t i) {
    const auto at = static_cast<Py_ssize_t>(i);
    return PyTuple_CheckExact(items) ? PyTuple_GetItem(items, at)
                                     : PyList_GetItem(items, at);
  }
  [[nodiscard]] static bool read_chances(PyObject* given, std::span<double> out,
                                         bool pairs) {
    if (PyFloat_Check(given)) {
      if (!pairs || out.size() != 2) return false;
      put_pair(PyFloat_AsDouble(given), out.data());
      return true;
    }
    const bool listed = PyList_CheckExact(given) || PyTuple_CheckExact(given);
    if (!listed || nb::len(given) != out.size()) return false;
    for (std::size_t j = 0; j < out.size(); ++j) {
      PyObject* const chance = item_of(given, j);
      if (!PyFloat_Check(chance)) return false;
      out[j] = PyFloat_AsDouble(chance);
    }
    return true;
  }

  [[noreturn]] void refuse_number(std::size_t i, nb::handle value) const {
    owner_.refuse_entry("expert", of(i), value);
  }
  [[noreturn]] void refuse_advice(nb::handle x) const {
    PyErr_Clear();
    owner_.refuse_value("advice", x);
  }

  template <class Number>
  bool read(nb::handle x, std::span<double> out, Number number) const {
    if (PyDict_CheckExact(x.ptr())) return read_dict(x.ptr(), out, number);
    if (PyList_CheckExact(x.ptr()) || PyTuple_CheckExact(x.ptr())) {
      return read_sequence(x, out, number);
    }
    if (nb::hasattr(x, "keys")) {
      const nb::object copy = nb::module_::import_("builtins").attr("dict")(x);
      return read_dict(copy.ptr(), out, number);
    }
    if (PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr()) || PyAnySet_Check(x.ptr()) ||
        nb::hasattr(x, "mask")) {
      refuse_advice(x);
    }
    const nb::object list = listed(x);
    if (!list.is_valid()) refuse_advice(x);
    return read_sequence(list, out, number);
  }

  template <class Number>
  bool read_sequence(nb::handle x, std::span<double> out, Number number) const {
    // A copy, because reading an item may run Python code that changes the list.
    const nb::object copy = PyTuple_CheckExact(x.ptr())
                                ? nb::borrow(x)
                                : nb::steal(PyList_AsTuple(x.ptr()));
    const auto size = static_cast<std::size_t>(PyTuple_Size(copy.ptr()));
    if (size != out.size()) {
      owner_.refuse_entry("experts", nb::cast(out.size()), nb::cast(size));
    }
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = number(i, PyTuple_GetItem(copy.ptr(), static_cast<Py_ssize_t>(i)));
    }
    return false;
  }

  template <class Number>
  bool read_dict(PyObject* x, std::span<double> out, Number number) const {
    const auto size = static_cast<std::size_t>(PyDict_Size(x));
    if (size == out.size() && read_in_order(x, out, number)) return false;
    std::ranges::fill(out, asleep);
    // Reading a key or value that is not plain may run Python code, which may change
    // the dict.
    const nb::object copy = is_plain(x) ? nb::borrow(x) : nb::steal(PyDict_Copy(x));
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(copy.ptr(), &position, &key, &value) != 0) {
      const std::size_t i = find(key, out.size());
      out[i] = number(i, value);
    }
    if (size < out.size()) return true;
    // Two keys may name one expert, and then the advice of another is missing.
    const auto silent =
        std::ranges::find_if(out, [](double said) { return std::isnan(said); });
    if (silent != out.end()) {
      refuse_number(static_cast<std::size_t>(silent - out.begin()), nb::cast(asleep));
    }
    return false;
  }

  /// Reads a dict whose keys are the very names of the experts, in their order, and
  /// whose values run no Python code; false if it is another.
  template <class Number>
  bool read_in_order(PyObject* x, std::span<double> out, Number number) const {
    if (!plain_names_ || in_order_.size() != out.size()) return false;
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    std::size_t i = 0;
    while (i < out.size() && PyDict_Next(x, &position, &key, &value) != 0 &&
           key == in_order_[i] && is_plain_value(value)) {
      out[i] = number(i, value);
      ++i;
    }
    return i == out.size();
  }

  [[nodiscard]] static bool is_plain_value(PyObject* value) noexcept {
    return PyFloat_CheckExact(value) || PyBool_Check(value);
  }
  [[nodiscard]] static bool is_plain_name(PyObject* name) noexcept {
    return PyUnicode_CheckExact(name) || PyLong_CheckExact(name);
  }
  [[nodiscard]] bool is_plain(PyObject* x) const noexcept {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    if (!plain_names_) return false;
    while (PyDict_Next(x, &position, &key, &value) != 0) {
      if (!is_plain_name(key)) return false;
      if (!is_plain_value(value)) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t find(PyObject* key, std::size_t size) const {
    if (index_.is_valid()) {
      PyObject* found = PyDict_GetItemWithError(index_.ptr(), key);
      // A name may be ahead of its expert, if there was no memory for that one.
      const std::size_t i = found == nullptr ? size : PyLong_AsSize_t(found);
      if (i < size) return i;
    } else if (const auto i = column_of_object(key); i && *i < size) {
      return *i;
    }
    PyErr_Clear();
    owner_.refuse_feature("stranger", key);
  }

  Owner owner_;
  nb::object names_;
  nb::object index_;
  std::vector<PyObject*> in_order_;  // the names again, which `names_` holds
  bool plain_names_ = true;  // str and int, which compare without running Python code
};

}  // namespace littlestone::bindings
