// A long array that grows at its end.
#pragma once

#include <algorithm>  // std::max
#include <cstddef>
#include <cstdlib>  // std::free, std::realloc
#include <memory>   // std::unique_ptr
#include <new>      // std::bad_alloc
#include <span>

namespace littlestone {

/// A long array that grows in place if the system can do that, at a fifth of the cost
/// of copying.
template <class T>
class Growing {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return numbers_.get(); }
  [[nodiscard]] std::span<const T> span() const noexcept {
    return {numbers_.get(), size_};
  }

  /// Makes room for more numbers, and returns where to write them.
  [[nodiscard]] T* room_for(std::size_t more) {
    if (size_ + more > capacity_) {
      const std::size_t wanted = std::max(size_ + more, 2 * capacity_ + 16);
      void* const grown = std::realloc(numbers_.get(), wanted * sizeof(T));
      if (grown == nullptr) throw std::bad_alloc();
      (void)numbers_.release();
      numbers_.reset(static_cast<T*>(grown));
      capacity_ = wanted;
    }
    return numbers_.get() + size_;
  }
  void came(std::size_t more) noexcept { size_ += more; }
  void push_back(T number) {
    *room_for(1) = number;
    came(1);
  }

  /// Hands the numbers over to the caller, who must free them; none are left.
  [[nodiscard]] T* release() noexcept {
    size_ = capacity_ = 0;
    return numbers_.release();
  }

 private:
  struct Free {
    void operator()(T* numbers) const noexcept { std::free(numbers); }
  };
  std::unique_ptr<T, Free> numbers_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace littlestone
