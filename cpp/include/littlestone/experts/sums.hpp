// Sums over experts, in an order that vector registers can keep, and sums over rounds,
// which lose nothing however many rounds there are.
#pragma once

#include <algorithm>  // std::min
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "littlestone/wide.hpp"

namespace littlestone {

/// Eight running sums: expert i is added to number i mod 8, and they meet at the end.
struct Lanes {
  static constexpr std::size_t count = 8;
  std::array<double, count> sums{};

  [[nodiscard]] double total() const noexcept {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
};

LITTLESTONE_WIDE inline void add_all(Lanes& to, const double* a,
                                     std::size_t n) noexcept {
  Lanes lanes = to;
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    for (std::size_t j = 0; j < Lanes::count; ++j) lanes.sums[j] += a[k + j];
  }
  for (std::size_t k = whole; k < n; ++k) lanes.sums[k - whole] += a[k];
  to = lanes;
}

[[nodiscard]] inline double sum(std::span<const double> a) noexcept {
  Lanes lanes;
  add_all(lanes, a.data(), a.size());
  return lanes.total();
}

/// Adds weights to one sum, and weights times values to another.
LITTLESTONE_WIDE inline void add_weighted(Lanes& weight, Lanes& weighted,
                                          const double* w, const double* f,
                                          std::size_t n) noexcept {
  Lanes plain = weight;
  Lanes times = weighted;
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    for (std::size_t j = 0; j < Lanes::count; ++j) plain.sums[j] += w[k + j];
    for (std::size_t j = 0; j < Lanes::count; ++j) times.sums[j] += w[k + j] * f[k + j];
  }
  for (std::size_t k = whole; k < n; ++k) {
    plain.sums[k - whole] += w[k];
    times.sums[k - whole] += w[k] * f[k];
  }
  weight = plain;
  weighted = times;
}

/// The smallest and the largest of many numbers; either is NaN if one of them is.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double spoilt = 0.0;  // 0 while every number was finite, then NaN

  [[nodiscard]] bool finite() const noexcept { return spoilt == 0.0; }
};

LITTLESTONE_WIDE inline void measure(Extent& extent, const double* a,
                                     std::size_t n) noexcept {
  std::array<double, Lanes::count> low{};
  std::array<double, Lanes::count> high{};
  std::array<double, Lanes::count> spoilt{};
  low.fill(extent.low);
  high.fill(extent.high);
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    for (std::size_t j = 0; j < Lanes::count; ++j) {
      low[j] = a[k + j] < low[j] ? a[k + j] : low[j];
      high[j] = a[k + j] > high[j] ? a[k + j] : high[j];
      spoilt[j] += a[k + j] - a[k + j];  // NaN for NaN and for infinity
    }
  }
  for (std::size_t k = whole; k < n; ++k) {
    low[0] = a[k] < low[0] ? a[k] : low[0];
    high[0] = a[k] > high[0] ? a[k] : high[0];
    spoilt[0] += a[k] - a[k];
  }
  for (std::size_t j = 0; j < Lanes::count; ++j) {
    extent.low = std::min(extent.low, low[j]);
    extent.high = std::max(extent.high, high[j]);
    extent.spoilt += spoilt[j];
  }
}

/// A sum in two parts: what one double cannot hold of it is in the second.
struct Exact {
  double high = 0.0;
  double low = 0.0;

  [[nodiscard]] double value() const noexcept { return high + low; }
  [[nodiscard]] double operator-(const Exact& other) const noexcept {
    return (high - other.high) + (low - other.low);
  }

  void add(double x) noexcept {
    const double sum = high + x;
    const double part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum + low;
    low -= high - sum;
  }
  void add(const Exact& other) noexcept {
    add(other.high);
    add(other.low);
  }
};

LITTLESTONE_WIDE inline void add_exactly(double* high, double* low, const double* x,
                                         std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    Exact sum{high[k], low[k]};
    sum.add(x[k]);
    high[k] = sum.high;
    low[k] = sum.low;
  }
}

/// One such sum an expert.
struct Totals {
  std::vector<double> high;
  std::vector<double> low;

  void resize(std::size_t n) {
    high.resize(n);
    low.resize(n);
  }
  [[nodiscard]] std::size_t size() const noexcept { return high.size(); }
  [[nodiscard]] Exact at(std::size_t i) const noexcept { return {high[i], low[i]}; }
  void set(std::size_t i, Exact sum) noexcept {
    high[i] = sum.high;
    low[i] = sum.low;
  }
  void add(std::size_t i, double x) noexcept {
    Exact sum = at(i);
    sum.add(x);
    set(i, sum);
  }
  void add(std::size_t i, const Exact& x) noexcept {
    Exact sum = at(i);
    sum.add(x);
    set(i, sum);
  }
  void add(std::size_t first, std::span<const double> x) noexcept {
    add_exactly(high.data() + first, low.data() + first, x.data(), x.size());
  }
};

}  // namespace littlestone
