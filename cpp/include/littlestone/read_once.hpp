// Reading arrays that another thread may write to.
//
// That may give any result, but never a read or write outside an array: a number that
// decides where to read or write is read once, and then forced into its range.
#pragma once

#include <type_traits>  // std::is_same_v

namespace littlestone {

/// A number that may change: the compiler must not read it a second time, so what was
/// checked is what is used. A truth value may be any byte.
template <class T>
[[nodiscard]] T read_once(const T& number) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const volatile unsigned char*>(&number) != 0;
  } else {
    return *static_cast<const volatile T*>(&number);
  }
}

}  // namespace littlestone
