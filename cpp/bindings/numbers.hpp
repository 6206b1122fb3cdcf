// The numbers in an array that Python hands in, whatever their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <span>
#include <type_traits>

#include "border.hpp"

namespace littlestone::bindings {

/// The numbers of a one-dimensional buffer; none of any other object.
class Numbers {
 public:
  explicit Numbers(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
      PyErr_Clear();
      return;
    }
    if (view_.ndim != 1) return;
    const char* const format = view_.format == nullptr ? "B" : view_.format;
    if (format[0] != '\0' && format[1] == '\0') kind_ = format[0];
    size_ = static_cast<std::size_t>(view_.shape[0]);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() { PyBuffer_Release(&view_); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Copies the numbers from the first on; false if there are not so many, or if they
  /// are of a type that `Out` does not take.
  template <class Out>
  [[nodiscard]] bool copy(std::size_t first, std::span<Out> out) const noexcept {
    if (first > size_ || out.size() > size_ - first) return false;
    switch (kind_) {
      case 'd': return copy_as<double>(first, out);
      case 'f': return copy_as<float>(first, out);
      case 'b': return copy_as<std::int8_t>(first, out);
      case '?':
      case 'B': return copy_as<std::uint8_t>(first, out);
      case 'h': return copy_as<short>(first, out);
      case 'H': return copy_as<unsigned short>(first, out);
      case 'i': return copy_as<int>(first, out);
      case 'I': return copy_as<unsigned>(first, out);
      case 'l': return copy_as<long>(first, out);
      case 'L': return copy_as<unsigned long>(first, out);
      case 'q': return copy_as<long long>(first, out);
      case 'Q': return copy_as<unsigned long long>(first, out);
      default: return false;
    }
  }

 private:
  template <class T, class Out>
  [[nodiscard]] bool copy_as(std::size_t first, std::span<Out> out) const noexcept {
    if constexpr (std::is_integral_v<Out> && !std::is_integral_v<T>) {
      return false;
    } else {
      const auto apart = static_cast<std::ptrdiff_t>(view_.strides[0]);
      const char* const begin = static_cast<const char*>(view_.buf) +
                                static_cast<std::ptrdiff_t>(first) * apart;
      const auto number = [](const char* at) {
        T read{};
        std::memcpy(&read, at, sizeof read);
        return static_cast<Out>(read);
      };
      if (apart == sizeof(T)) {  // a loop that the compiler vectorizes
        for (std::size_t k = 0; k < out.size(); ++k) {
          out[k] = number(begin + k * sizeof(T));
        }
      } else {
        for (std::size_t k = 0; k < out.size(); ++k) {
          out[k] = number(begin + static_cast<std::ptrdiff_t>(k) * apart);
        }
      }
      return true;
    }
  }

  Py_buffer view_{};
  char kind_ = '\0';  // as `struct` names it; '\0' if these are no numbers
  std::size_t size_ = 0;
};

}  // namespace littlestone::bindings
