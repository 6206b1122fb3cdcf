// Arrays of what is saved.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>  // std::is_same_v

#include "border.hpp"

namespace littlestone::bindings {

/// Adds an array to a dict, and returns where to write it. NumPy allocates it, since it
/// is fast at getting a lot of memory.
template <class T, class... Extents>
[[nodiscard]] T* add_array(nb::dict& saved, const char* name, Extents... extents) {
  const char* const kind = std::is_same_v<T, double> ? "f8"
                           : sizeof(T) == 8          ? "u8"
                           : sizeof(T) == 4          ? "u4"
                                                     : "u1";
  const nb::object array =
      nb::module_::import_("numpy").attr("empty")(nb::make_tuple(extents...), kind);
  saved[name] = array;
  return nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(array).data();
}

inline void check_saved(bool sound, const char* expected) {
  if (!sound) throw nb::value_error((std::string("expected ") + expected).c_str());
}

}  // namespace littlestone::bindings
