// The border: Python objects on one side, the core on the other. Every check of what
// comes in is made here; what an error says is written in Python
// (littlestone/errors.py).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "littlestone/labels.hpp"
#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"

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

using NameList = nb::typed<nb::list, nb::str>;

/// Rows that Python has handed over, with what keeps them alive.
struct Rows {
  Block block;
  NameList names;  // of the columns, for a NamedBlock
  nb::object owner;
  BlockNames words{};  // for a WordsBlock, whose names no Python object has

  [[nodiscard]] std::size_t size() const noexcept {
    return std::visit([](const auto& rows) { return rows.size(); }, block);
  }

  template <class Take>
  void each_word(Take take) const {
    for (std::size_t id = 0; id < words.size(); ++id) take(words[id]);
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
};

/// Raises the exception that `littlestone.errors.refusal` makes of these facts.
[[noreturn]] inline void refuse(const char* kind, const nb::dict& facts) {
  const nb::object error =
      nb::module_::import_("littlestone.errors").attr("refusal")(kind, **facts);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

/// Forgets that an object could not be read as a number. What is no answer to that
/// goes on its way: the user who wants to stop, and a learner that is busy.
inline void forget_no_number() {
  if (PyErr_Occurred() == nullptr) return;
  const nb::python_error error;
  const nb::object busy = nb::module_::import_("littlestone.errors").attr("BusyError");
  if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError) ||
      error.matches(busy)) {
    throw error;
  }
}

/// The label of a Python object: True, 1 or +1 against False, 0 or -1.
[[nodiscard]] inline Label label_of_object(nb::handle y) {
  if (y.ptr() == Py_True) return Label::yes;
  if (y.ptr() == Py_False) return Label::zero;
  // Text and containers are no numbers, even where Python could make one of them.
  const bool number = PyFloat_Check(y.ptr()) || PyIndex_Check(y.ptr()) ||
                      (PyNumber_Check(y.ptr()) && !PySequence_Check(y.ptr()));
  if (!number) return Label::other;
  const double value = PyFloat_AsDouble(y.ptr());
  if (PyErr_Occurred() != nullptr) {
    forget_no_number();
    return Label::other;
  }
  return label_of(value);
}

/// Yes or no; anything else is refused.
[[nodiscard]] inline bool checked_label(nb::handle y) {
  const Label label = label_of_object(y);
  if (label == Label::other) {
    nb::dict facts;
    facts["value"] = y;
    refuse("label", facts);
  }
  return label == Label::yes;
}

void bind_labels(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_margins(nb::module_& m);
void bind_experts(nb::module_& m);
void bind_boolean(nb::module_& m);
void bind_streams(nb::module_& m);
void bind_hashing(nb::module_& m);
void bind_kept(nb::module_& m);

}  // namespace littlestone::bindings
