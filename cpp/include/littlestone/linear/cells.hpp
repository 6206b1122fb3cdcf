// A long array of cells that are equal at first.
#pragma once

#include <algorithm>  // std::all_of, std::fill_n
#include <array>
#include <bit>  // std::bit_cast
#include <cstddef>
#include <cstdint>
#include <cstdlib>  // std::calloc, std::free
#include <memory>   // std::unique_ptr
#include <new>      // std::bad_alloc
#if defined(__linux__)
#include <sys/mman.h>  // madvise
#endif

namespace littlestone {

/// Cells of zeros cost nothing until they are used: the system makes a page when it is
/// touched. Many have huge pages if the system gives them, so that it makes a few
/// hundred times fewer, and finds a cell far from the last one without a table walk.
template <class Cell>
class Cells {
 public:
  Cells() = default;
  Cells(std::size_t size, const Cell& initial)
      : size_(size), cells_(static_cast<Cell*>(std::calloc(size, sizeof(Cell)))) {
    if (size > 0 && cells_ == nullptr) throw std::bad_alloc();
    ask_for_huge_pages();
    const auto bytes = std::bit_cast<std::array<unsigned char, sizeof(Cell)>>(initial);
    const auto is_zero = [](unsigned char byte) { return byte == 0; };
    if (!std::all_of(bytes.begin(), bytes.end(), is_zero)) {
      std::fill_n(data(), size, initial);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Cell* data() const noexcept { return cells_.get(); }

 private:
  void ask_for_huge_pages() noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(data());
    const auto first = (begin + page - 1) / page * page;
    const std::size_t bytes = size_ * sizeof(Cell);
    if (bytes < (std::size_t{1} << 22U)) return;
    // If the system refuses, nothing is lost but time.
    (void)madvise(reinterpret_cast<void*>(first), bytes - (first - begin),
                  MADV_HUGEPAGE);
#endif
  }

  struct Free {
    void operator()(Cell* cells) const noexcept { std::free(cells); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<Cell, Free> cells_;
};

}  // namespace littlestone
