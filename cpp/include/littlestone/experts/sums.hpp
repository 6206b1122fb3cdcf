// Sums over experts, in an order that suits vector registers, and sums over rounds,
// which stay accurate over any number of rounds.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "littlestone/math/partials.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

// A function that ends in `_here` is inlined into its caller, and compiled for the
// caller's registers; the function of the same name without it chooses by the machine.

/// Eight numbers side by side, in registers of four, which most machines have.
struct Pack {
  using Four = double __attribute__((vector_size(32)));
  Four a;
  Four b;

  [[gnu::always_inline]] explicit Pack(const double* from) noexcept {
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + 4, sizeof b);
  }
  [[gnu::always_inline]] Pack(const Four& first, const Four& second) noexcept
      : a(first), b(second) {}
  [[gnu::always_inline]] void store(double* to) const noexcept {
    std::memcpy(to, &a, sizeof a);
    std::memcpy(to + 4, &b, sizeof b);
  }
  [[gnu::always_inline]] double least() const noexcept {
    const Four x = b < a ? b : a;
    const double p = x[1] < x[0] ? x[1] : x[0];
    const double q = x[3] < x[2] ? x[3] : x[2];
    return q < p ? q : p;
  }
  [[gnu::always_inline]] double most() const noexcept {
    const Four x = b > a ? b : a;
    const double p = x[1] > x[0] ? x[1] : x[0];
    const double q = x[3] > x[2] ? x[3] : x[2];
    return q > p ? q : p;
  }
  /// For numbers that are 0 or NaN, so that the order does not matter.
  [[gnu::always_inline]] double total() const noexcept {
    const Four x = a + b;
    return (x[0] + x[1]) + (x[2] + x[3]);
  }
  [[gnu::always_inline]] Pack operator+(const Pack& o) const noexcept {
    return {a + o.a, b + o.b};
  }
  [[gnu::always_inline]] Pack operator-(const Pack& o) const noexcept {
    return {a - o.a, b - o.b};
  }
  [[gnu::always_inline]] Pack operator*(const Pack& o) const noexcept {
    return {a * o.a, b * o.b};
  }
  [[gnu::always_inline]] void lower(const Pack& o) noexcept {
    a = o.a < a ? o.a : a;
    b = o.b < b ? o.b : b;
  }
  [[gnu::always_inline]] void raise(const Pack& o) noexcept {
    a = o.a > a ? o.a : a;
    b = o.b > b ? o.b : b;
  }
  /// A function of each half.
  template <class F>
  [[nodiscard, gnu::always_inline]] Pack mapped(F f) const noexcept {
    return {f(a), f(b)};
  }

  /// Whether many numbers from 0 on are at most a limit, and none is NaN.
  struct Within {
    double limit;
    decltype(Four{} < Four{}) bad{};

    [[gnu::always_inline]] explicit Within(double most) noexcept : limit(most) {}
    [[gnu::always_inline]] void look(const Pack& x) noexcept {
      bad |= ~(x.a <= limit) | ~(x.b <= limit);
    }
    [[gnu::always_inline]] bool all_within() const noexcept {
      return (bad[0] | bad[1] | bad[2] | bad[3]) == 0;
    }
  };
};

/// The same in one register, for a loop that is compiled for AVX-512.
struct WidePack {
  using Eight = double __attribute__((vector_size(64)));
  Eight all;

  [[gnu::always_inline]] explicit WidePack(const double* from) noexcept {
    std::memcpy(&all, from, sizeof all);
  }
  [[gnu::always_inline]] explicit WidePack(const Eight& eight) noexcept : all(eight) {}
  [[gnu::always_inline]] void store(double* to) const noexcept {
    std::memcpy(to, &all, sizeof all);
  }
  [[gnu::always_inline]] WidePack operator+(const WidePack& o) const noexcept {
    return WidePack(all + o.all);
  }
  [[gnu::always_inline]] WidePack operator-(const WidePack& o) const noexcept {
    return WidePack(all - o.all);
  }
  [[gnu::always_inline]] WidePack operator*(const WidePack& o) const noexcept {
    return WidePack(all * o.all);
  }
  [[gnu::always_inline]] void lower(const WidePack& o) noexcept {
    all = o.all < all ? o.all : all;
  }
  template <class F>
  [[nodiscard, gnu::always_inline]] WidePack mapped(F f) const noexcept {
    return WidePack(f(all));
  }

  /// The same as that of `Pack`. The bits of numbers from 0 on are in the order of the
  /// numbers, and NaN is above all of them.
  struct Within {
    using Bits = std::uint64_t __attribute__((vector_size(64)));
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    double limit;
    Bits most{};

    [[gnu::always_inline]] explicit Within(double most) noexcept : limit(most) {}
    [[gnu::always_inline]] void look(const WidePack& x) noexcept {
      const Bits bits = __builtin_bit_cast(Bits, x.all) & ~sign;  // as -0 is 0
      most = bits > most ? bits : most;
    }
    [[gnu::always_inline]] bool all_within() const noexcept {
      bool sound = true;
      for (std::size_t k = 0; k < 8; ++k) {
        sound &= std::bit_cast<double>(std::uint64_t{most[k]}) <= limit;
      }
      return sound;
    }
  };
};

/// Eight running sums: expert i is added to sum i mod 8; the sums are added at the end.
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
  Pack sums(to.sums.data());
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) sums = sums + Pack(a + k);
  sums.store(to.sums.data());
  for (std::size_t k = whole; k < n; ++k) to.sums[k - whole] += a[k];
}

[[nodiscard]] inline double sum(std::span<const double> a) noexcept {
  Lanes lanes;
  add_all(lanes, a.data(), a.size());
  return lanes.total();
}

/// Adds weights to one sum, and weights times values to another.
[[gnu::always_inline]] inline void add_weighted_here(Lanes& weight, Lanes& weighted,
                                                     const double* w, const double* f,
                                                     std::size_t n) noexcept {
  Pack plain(weight.sums.data());
  Pack times(weighted.sums.data());
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    const Pack weights(w + k);
    plain = plain + weights;
    times = times + weights * Pack(f + k);
  }
  plain.store(weight.sums.data());
  times.store(weighted.sums.data());
  for (std::size_t k = whole; k < n; ++k) {
    weight.sums[k - whole] += w[k];
    weighted.sums[k - whole] += w[k] * f[k];
  }
}
LITTLESTONE_WIDE inline void add_weighted(Lanes& weight, Lanes& weighted,
                                          const double* w, const double* f,
                                          std::size_t n) noexcept {
  add_weighted_here(weight, weighted, w, f, n);
}

/// The smallest and the largest of many numbers, and whether all were finite.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double spoilt = 0.0;  // 0 if every number was finite, else NaN

  [[nodiscard]] bool finite() const noexcept { return spoilt == 0.0; }
  void add(double x) noexcept {
    low = x < low ? x : low;
    high = x > high ? x : high;
    spoilt += x - x;  // NaN for NaN and for infinity
  }
};

[[gnu::always_inline]] inline void measure_here(Extent& extent, const double* a,
                                                std::size_t n) noexcept {
  const std::size_t whole = n - n % Lanes::count;
  if (whole > 0) {
    Pack low(a);
    Pack high = low;
    Pack spoilt = low - low;
    for (std::size_t k = Lanes::count; k < whole; k += Lanes::count) {
      const Pack x(a + k);
      low.lower(x);
      high.raise(x);
      spoilt = spoilt + (x - x);
    }
    const double least = low.least();
    const double most = high.most();
    extent.low = least < extent.low ? least : extent.low;
    extent.high = most > extent.high ? most : extent.high;
    extent.spoilt += spoilt.total();
  }
  for (std::size_t k = whole; k < n; ++k) extent.add(a[k]);
}
LITTLESTONE_WIDE inline void measure(Extent& extent, const double* a,
                                     std::size_t n) noexcept {
  measure_here(extent, a, n);
}

/// A sum of two doubles: the second has what the first cannot hold.
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

/// Adds to eight such sums; returns the first parts. If none of these is smaller than
/// the number added to it, what their sum cannot hold takes fewer operations; it is
/// exact either way, and so the same.
template <bool Larger = false, class Numbers>
[[gnu::always_inline]] inline Numbers add_exactly_here(double* highs, double* lows,
                                                       const Numbers& x) noexcept {
  Numbers high(highs);
  Numbers low(lows);
  const Numbers sum = high + x;
  const Numbers part = sum - high;
  if constexpr (Larger) {
    low = low + (x - part);
  } else {
    low = low + ((high - (sum - part)) + (x - part));
  }
  high = sum + low;
  low = low - (high - sum);
  high.store(highs);
  low.store(lows);
  return high;
}

/// Adds to many such sums; returns the smallest first part.
[[gnu::always_inline]] inline double add_exactly_here(double* highs, double* lows,
                                                      const double* xs,
                                                      std::size_t n) noexcept {
  double smallest = std::numeric_limits<double>::infinity();
  const std::size_t whole = n - n % Lanes::count;
  if (whole > 0) {
    std::array<double, Lanes::count> none{};
    none.fill(smallest);
    Pack least(none.data());
    for (std::size_t k = 0; k < whole; k += Lanes::count) {
      least.lower(add_exactly_here(highs + k, lows + k, Pack(xs + k)));
    }
    smallest = least.least();
  }
  for (std::size_t k = whole; k < n; ++k) {
    Exact sum{highs[k], lows[k]};
    sum.add(xs[k]);
    highs[k] = sum.high;
    lows[k] = sum.low;
    smallest = sum.high < smallest ? sum.high : smallest;
  }
  return smallest;
}
LITTLESTONE_WIDE inline double add_exactly(double* highs, double* lows,
                                           const double* xs, std::size_t n) noexcept {
  return add_exactly_here(highs, lows, xs, n);
}

/// Memory aligned to cache lines, so that a load of four numbers touches only one.
template <class T>
struct Aligned {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) noexcept {}  // NOLINT: all allocators are equal

  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), line));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, line); }
  bool operator==(const Aligned&) const noexcept { return true; }
};

using Row = std::vector<double, Aligned<double>>;

/// One such sum for each expert.
struct Totals {
  Row high;
  Row low;

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
  double add(std::size_t first, std::span<const double> x) noexcept {
    return add_exactly(high.data() + first, low.data() + first, x.data(), x.size());
  }
};

}  // namespace littlestone
