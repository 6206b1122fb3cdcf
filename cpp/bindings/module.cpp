#include "border.hpp"

namespace nb = nanobind;

namespace littlestone::bindings {
void bind_class_readings(nb::module_& m);
void bind_one_versus_rest(nb::module_& m);
void bind_literals(nb::module_& m);
void bind_plain_json(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_packing(nb::module_& m);
}  // namespace littlestone::bindings

NB_MODULE(_main_core, m) {
  // Learners that are still alive when the interpreter exits are not leaks.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of littlestone. Private: use the Python front.";
  littlestone::bindings::bind_labels(m);
  littlestone::bindings::bind_rows(m);
  littlestone::bindings::bind_lines(m);
  littlestone::bindings::bind_svmlight(m);
  littlestone::bindings::bind_text(m);
  littlestone::bindings::bind_vw(m);
  littlestone::bindings::bind_json_lines(m);
  littlestone::bindings::bind_table(m);
  littlestone::bindings::bind_plain_json(m);
  littlestone::bindings::bind_chain(m);
  littlestone::bindings::bind_hashing(m);
  littlestone::bindings::bind_packing(m);
  littlestone::bindings::bind_kept(m);
  littlestone::bindings::bind_maps(m);
  littlestone::bindings::bind_counting(m);
  littlestone::bindings::bind_linear(m);
  littlestone::bindings::bind_one_versus_rest(m);
  littlestone::bindings::bind_class_readings(m);
  littlestone::bindings::bind_experts(m);
  littlestone::bindings::bind_halving(m);
  littlestone::bindings::bind_boolean(m);
  littlestone::bindings::bind_literals(m);
  littlestone::bindings::bind_margins(m);
}

/// What Python calls at the import. nanobind keeps one set of types in a process: made
/// again for a second interpreter, they would no longer be those of the first.
extern "C" NB_EXPORT PyObject* PyInit__core() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(
        PyExc_ImportError,
        "littlestone must be imported in the main interpreter, got another");
    return nullptr;
  }
  return PyInit__main_core();
}
