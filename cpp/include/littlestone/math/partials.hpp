// Sums of doubles without rounding.
#pragma once

#include <cmath>  // std::abs
#include <cstddef>
#include <utility>  // std::swap
#include <vector>

namespace littlestone {

/// A sum that never rounds: doubles that do not overlap, the smallest first.
struct Partials {
  std::vector<double> parts{};

  void add(double x) {
    std::size_t kept = 0;
    for (double part : parts) {
      if (std::abs(x) < std::abs(part)) std::swap(x, part);
      const double sum = x + part;
      const double rest = part - (sum - x);
      if (rest != 0.0) parts[kept++] = rest;
      x = sum;
    }
    parts.resize(kept);
    if (x != 0.0) parts.push_back(x);
  }
  /// The sum in one double.
  [[nodiscard]] double total() const noexcept {
    double sum = 0.0;
    for (const double part : parts) sum += part;
    return sum;
  }
  [[nodiscard]] bool negative() const noexcept {
    return !parts.empty() && parts.back() < 0.0;
  }
};

}  // namespace littlestone
