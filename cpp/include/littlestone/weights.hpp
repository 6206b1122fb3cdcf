// The weights of a linear learner: one array, two ends.
//
// Column j weighs w[j]; the feature in name slot s weighs w[-1 - s]. Columns grow to
// the right and names to the left, so dense and sparse columns are indexed without a
// look-up and every rule sees a single array. Slots not yet handed out hold the initial
// weight.
#pragma once

#include <algorithm>  // std::copy_n, std::max
#include <cstddef>
#include <cstdint>
#include <vector>

namespace littlestone {

/// Where a rule reads and writes; the origin is column 0.
struct WeightView {
  double* origin;

  template <class I>
  [[nodiscard]] double& operator[](I index) const noexcept {
    return origin[static_cast<std::ptrdiff_t>(index)];
  }
};

class Weights {
 public:
  explicit Weights(double initial) : initial_(initial) {}

  [[nodiscard]] static constexpr std::int64_t index_of_slot(std::size_t slot) noexcept {
    return -1 - static_cast<std::int64_t>(slot);
  }

  [[nodiscard]] WeightView view() noexcept { return {storage_.data() + named_}; }
  [[nodiscard]] double initial() const noexcept { return initial_; }
  [[nodiscard]] std::size_t columns() const noexcept {
    return storage_.size() - named_;
  }

  /// Makes room; a weight that was never written is the initial one.
  void reserve(std::size_t columns, std::size_t named) {
    if (columns <= this->columns() && named <= named_) return;
    const auto right = grown(this->columns(), columns);
    const auto left = grown(named_, named);
    std::vector<double> wider(left + right, initial_);
    std::copy(storage_.begin(), storage_.end(),
              wider.begin() + static_cast<std::ptrdiff_t>(left - named_));
    storage_.swap(wider);
    named_ = left;
  }

 private:
  [[nodiscard]] static std::size_t grown(std::size_t have, std::size_t need) noexcept {
    return need <= have ? have : std::max(need, have + have / 2);
  }

  double initial_;
  std::size_t named_ = 0;  // how many slots lie left of the origin
  std::vector<double> storage_;
};

}  // namespace littlestone
