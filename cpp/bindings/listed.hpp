// A copy of the items of a sequence, whatever its length is said to be.
#pragma once

#include <nanobind/nanobind.h>

namespace littlestone::bindings {

namespace nb = nanobind;

/// The items of a sequence in a list of our own; invalid, with an error set, if there
/// are none to be had. They are counted as they come: what `__len__` says may be a lie.
[[nodiscard]] inline nb::object listed(nb::handle sequence) {
  const nb::object items = nb::steal(PyObject_GetIter(sequence.ptr()));
  nb::object list = nb::steal(PyList_New(0));
  if (!items.is_valid() || !list.is_valid()) return {};
  while (PyObject* next = PyIter_Next(items.ptr())) {
    const nb::object item = nb::steal(next);
    if (PyList_Append(list.ptr(), item.ptr()) != 0) return {};
  }
  return PyErr_Occurred() != nullptr ? nb::object() : list;
}

}  // namespace littlestone::bindings
