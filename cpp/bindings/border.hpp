// The border: Python objects on one side, the core on the other. All input is checked
// here; the error texts are written in Python (littlestone/errors.py).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "littlestone/labels.hpp"

namespace littlestone::bindings {

namespace nb = nanobind;

template <class T, class... Shape>
using Array = nb::ndarray<T, Shape..., nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = Array<T, nb::ndim<1>>;
template <class T>
using Matrix = Array<T, nb::ndim<2>>;

template <class T>
[[nodiscard]] std::span<T> as_span(const Vector<T>& array) noexcept {
  return {array.data(), array.shape(0)};
}

/// Checks room for the scores of rows [first, last), each for so many classes.
inline void check_scores(const Matrix<double>& scores, std::size_t first,
                         std::size_t last, std::size_t classes) {
  if (first > last || scores.shape(0) < last - first || scores.shape(1) < classes) {
    throw nb::value_error("scores must have room for every row and class");
  }
}

inline constexpr std::uint64_t largest_column =
    std::numeric_limits<std::uint32_t>::max();

// Refusals ------------------------------------------------------------------------

/// Raises the exception that `littlestone.errors.refusal` makes of these facts.
[[noreturn]] inline void refuse(const char* kind, const nb::dict& facts) {
  const nb::object error =
      nb::module_::import_("littlestone.errors").attr("refusal")(kind, **facts);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

/// A row of a block that is played from row `first` on.
struct Place {
  std::size_t row;
  std::size_t first;
};

/// The learner in whose name something is refused; the name may be empty.
class Owner {
 public:
  explicit Owner(std::string name = "") : name_(std::move(name)) {}

  /// The facts that every refusal has.
  [[nodiscard]] nb::dict facts(std::optional<Place> place = std::nullopt) const {
    nb::dict facts;
    if (!name_.empty()) facts["owner"] = name_;
    if (place) {
      facts["row"] = place->row;
      facts["rounds"] = place->row - place->first;
    }
    return facts;
  }

  [[noreturn]] void refuse_feature(const char* kind, nb::handle feature) const {
    nb::dict known = facts();
    known["feature"] = feature;
    refuse(kind, known);
  }
  [[noreturn]] void refuse_value(const char* kind, nb::handle value) const {
    nb::dict known = facts();
    known["value"] = value;
    refuse(kind, known);
  }
  [[noreturn]] void refuse_entry(const char* kind, nb::handle feature,
                                 nb::handle value) const {
    nb::dict known = facts();
    known["feature"] = feature;
    known["value"] = value;
    refuse(kind, known);
  }

 private:
  std::string name_;
};

// Numbers, labels and features of Python ------------------------------------------

/// Clears the error of a failed conversion. Errors that do not say "this is not a
/// number" are raised: Ctrl-C, a lack of memory, and a learner that is busy.
inline void clear_conversion_error() {
  if (PyErr_Occurred() == nullptr) return;
  const nb::python_error error;
  const nb::object busy = nb::module_::import_("littlestone.errors").attr("BusyError");
  if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError) ||
      error.matches(busy)) {
    throw error;
  }
}

/// The value of a real number; nothing for other objects. Text and complex numbers are
/// refused even if a subclass can be converted.
[[nodiscard]] inline std::optional<double> number_of(PyObject* value) {
  if (PyFloat_CheckExact(value)) return PyFloat_AsDouble(value);
  if (PyComplex_Check(value) || PyUnicode_Check(value)) return std::nullopt;
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    clear_conversion_error();
    return std::nullopt;
  }
  return number;
}

/// The label of a Python object: yes for True, 1 or +1, no for False, 0 or -1.
[[nodiscard]] inline Label label_of_object(nb::handle y) {
  if (y.ptr() == Py_True) return Label::yes;
  if (y.ptr() == Py_False) return Label::zero;
  // Text and containers are not numbers, even if Python could convert them.
  const bool number = PyFloat_Check(y.ptr()) || PyIndex_Check(y.ptr()) ||
                      (PyNumber_Check(y.ptr()) && !PySequence_Check(y.ptr()));
  if (!number) return Label::other;
  const double value = PyFloat_AsDouble(y.ptr());
  if (PyErr_Occurred() != nullptr) {
    clear_conversion_error();
    return Label::other;
  }
  return label_of(value);
}

/// Yes or no; anything else is refused.
[[nodiscard]] inline bool checked_label(nb::handle y) {
  const Label label = label_of_object(y);
  if (label == Label::other) Owner().refuse_value("label", y);
  return label == Label::yes;
}

/// A label that is a number.
[[nodiscard]] inline double checked_outcome(nb::handle y) {
  const auto number = number_of(y.ptr());
  if (!number || !std::isfinite(*number)) Owner().refuse_value("outcome", y);
  return *number;
}

/// The UTF-8 text of a str; nothing if it has lone surrogates.
[[nodiscard]] inline std::optional<std::string_view> utf8_of(PyObject* name) noexcept {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(text, static_cast<std::size_t>(size));
}

/// The same for the name of a feature, which is refused if it has lone surrogates.
[[nodiscard]] inline std::string_view checked_name(PyObject* name, const Owner& owner) {
  const auto text = utf8_of(name);
  if (!text) owner.refuse_feature("feature", name);
  return *text;
}

/// A str without the methods that a subclass may have, such as an __eq__ that changes
/// what is being read.
[[nodiscard]] inline nb::object plain_name(nb::handle name) {
  if (PyUnicode_CheckExact(name.ptr())) return nb::borrow(name);
  const nb::object plain = nb::steal(PyUnicode_FromObject(name.ptr()));
  if (!plain.is_valid()) throw nb::python_error();
  return plain;
}

/// The column number of an int; nothing if it is negative or too large.
[[nodiscard]] inline std::optional<std::uint64_t> column_of_int(PyObject* number) {
  const unsigned long long column = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred() != nullptr || column > largest_column) {
    PyErr_Clear();
    return std::nullopt;
  }
  return column;
}

/// The same for any object that converts to an int, such as NumPy's integers.
[[nodiscard]] inline std::optional<std::uint64_t> column_of_object(PyObject* feature) {
  if (!PyIndex_Check(feature)) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Index(feature));
  if (!number.is_valid()) {
    clear_conversion_error();
    return std::nullopt;
  }
  return column_of_int(number.ptr());
}

// ---------------------------------------------------------------------------------

void bind_labels(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_margins(nb::module_& m);
void bind_experts(nb::module_& m);
void bind_halving(nb::module_& m);
void bind_boolean(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_svmlight(nb::module_& m);
void bind_text(nb::module_& m);
void bind_vw(nb::module_& m);
void bind_json_lines(nb::module_& m);
void bind_table(nb::module_& m);
void bind_hashing(nb::module_& m);
void bind_kept(nb::module_& m);
void bind_maps(nb::module_& m);
void bind_counting(nb::module_& m);

}  // namespace littlestone::bindings
