// The cells of a linear learner, one for each feature, in an array that grows at both
// ends.
//
// Column j has cell w[j]; the feature in name slot s has w[-1 - s]. Columns grow to the
// right and names to the left, so columns are indexed without a look-up, and every rule
// sees a single array. A cell is the weight alone, or the weight and what else the rule
// keeps for a feature. Unused cells have the initial value.
#pragma once

#include <algorithm>  // std::copy_n, std::max
#include <array>
#include <bit>  // std::bit_cast
#include <cstddef>
#include <utility>  // std::move

#include "littlestone/linear/cells.hpp"

namespace littlestone {

/// Where a rule reads and writes; the origin is column 0.
template <class Cell>
struct View {
  Cell* origin;

  template <class I>
  [[nodiscard]] Cell& operator[](I index) const noexcept {
    return origin[static_cast<std::ptrdiff_t>(index)];
  }
};

/// The numbers of a cell, to save or compare them.
template <class Cell>
inline constexpr std::size_t numbers_in = sizeof(Cell) / sizeof(double);

template <class Cell>
[[nodiscard]] constexpr auto numbers_of(const Cell& cell) noexcept {
  return std::bit_cast<std::array<double, numbers_in<Cell>>>(cell);
}

template <class Cell>
class Weights {
 public:
  explicit Weights(const Cell& initial) : initial_(initial) {}

  [[nodiscard]] View<Cell> view() noexcept { return {storage_.data() + named_}; }
  [[nodiscard]] const Cell& initial() const noexcept { return initial_; }
  [[nodiscard]] std::size_t columns() const noexcept {
    return storage_.size() - named_;
  }

  /// Makes room; new cells have the initial value.
  void reserve(std::size_t columns, std::size_t named) {
    if (columns <= this->columns() && named <= named_) return;
    const auto right = grown(this->columns(), columns);
    const auto left = grown(named_, named);
    Cells<Cell> wider(left + right, initial_);
    std::copy_n(storage_.data(), storage_.size(), wider.data() + (left - named_));
    storage_ = std::move(wider);
    named_ = left;
  }

 private:
  [[nodiscard]] static std::size_t grown(std::size_t have, std::size_t need) noexcept {
    return need <= have ? have : std::max(need, have + have / 2);
  }

  Cell initial_;
  std::size_t named_ = 0;  // how many slots are left of the origin
  Cells<Cell> storage_;
};

}  // namespace littlestone
