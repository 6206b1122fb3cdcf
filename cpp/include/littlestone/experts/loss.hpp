// Losses: what a prediction costs once the outcome is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "littlestone/experts/sums.hpp"
#include "littlestone/math/logarithm.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// In the order in which littlestone.losses counts them.
enum class LossKind : int {
  zero_one,
  absolute,
  square,
  log,
  brier,
  pinball,
  percentage,
  given,  // computed by the caller
};

/// -ln p; infinite for p = 0, and defined on all of [0, 1].
[[nodiscard, gnu::always_inline]] inline double surprise(double p) noexcept {
  constexpr double smallest = 2.2250738585072014e-308;
  return p < smallest ? (p > 0.0 ? 744.4400719213812 : HUGE_VAL) : -log_of(p);
}

struct Loss {
  LossKind kind = LossKind::square;
  double tau = 0.5;

  [[nodiscard]] double of(double p, double y) const noexcept {
    switch (kind) {
      case LossKind::zero_one: return of_kind<LossKind::zero_one>(p, y, tau);
      case LossKind::absolute: return of_kind<LossKind::absolute>(p, y, tau);
      case LossKind::square: return of_kind<LossKind::square>(p, y, tau);
      case LossKind::log: return of_kind<LossKind::log>(p, y, tau);
      case LossKind::brier: return of_kind<LossKind::brier>(p, y, tau);
      case LossKind::pinball: return of_kind<LossKind::pinball>(p, y, tau);
      case LossKind::percentage: return of_kind<LossKind::percentage>(p, y, tau);
      case LossKind::given: break;
    }
    return 0.0;
  }

  /// The derivative in the prediction; at a kink, a subgradient.
  [[nodiscard]] double slope(double p, double y) const noexcept {
    switch (kind) {
      case LossKind::absolute: return sign(p - y);
      case LossKind::square: return 2.0 * (p - y);
      case LossKind::log: return y != 0.0 ? -1.0 / p : 1.0 / (1.0 - p);
      case LossKind::brier: return 4.0 * (p - y);
      case LossKind::pinball: return (y < p ? 1.0 : 0.0) - tau;
      case LossKind::percentage: return sign(p - y) / std::abs(y);
      default: return 0.0;
    }
  }

  /// The same for many predictions.
  void of_all(const double* p, double y, double* out, std::size_t n) const noexcept {
    switch (kind) {
      case LossKind::zero_one: return of_each<LossKind::zero_one>(p, y, tau, out, n);
      case LossKind::absolute: return of_each<LossKind::absolute>(p, y, tau, out, n);
      case LossKind::square: return of_each<LossKind::square>(p, y, tau, out, n);
      case LossKind::log: return of_each<LossKind::log>(p, y, tau, out, n);
      case LossKind::brier: return of_each<LossKind::brier>(p, y, tau, out, n);
      case LossKind::pinball: return of_each<LossKind::pinball>(p, y, tau, out, n);
      case LossKind::percentage:
        return of_each<LossKind::percentage>(p, y, tau, out, n);
      case LossKind::given: return;
    }
  }

  /// The same for a distribution and the number of the outcome.
  [[nodiscard]] double of(std::span<const double> p, std::size_t y) const noexcept {
    if (kind == LossKind::log) return surprise(p[y]);
    double sum = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double miss = p[k] - (k == y ? 1.0 : 0.0);
      sum += miss * miss;
    }
    return sum;
  }

  /// The gradient in the probabilities, times another distribution.
  [[nodiscard]] double slope(std::span<const double> p, std::size_t y,
                             const double* f) const noexcept {
    if (kind == LossKind::log) return -f[y] / p[y];
    double sum = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      sum += 2.0 * (p[k] - (k == y ? 1.0 : 0.0)) * f[k];
    }
    return sum;
  }

  /// The loss of one prediction, or of a vector of them.
  template <LossKind Kind, class Number>
  [[nodiscard, gnu::always_inline]] static Number of_kind(Number p, double y,
                                                          double tau) noexcept {
    if constexpr (Kind == LossKind::zero_one) return p != y ? 1.0 : 0.0;
    if constexpr (Kind == LossKind::absolute) return p < y ? y - p : p - y;
    if constexpr (Kind == LossKind::square) return (p - y) * (p - y);
    if constexpr (Kind == LossKind::log) return surprise(y != 0.0 ? p : 1.0 - p);
    if constexpr (Kind == LossKind::brier) return 2.0 * ((p - y) * (p - y));
    if constexpr (Kind == LossKind::pinball) {
      return y >= p ? (y - p) * tau : (p - y) * (1.0 - tau);
    }
    if constexpr (Kind == LossKind::percentage) return std::abs(p - y) / std::abs(y);
  }

  template <LossKind Kind>
  [[gnu::always_inline]] static void of_each_here(const double* p, double y, double tau,
                                                  double* out, std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) out[k] = of_kind<Kind>(p[k], y, tau);
  }

  /// Whether every loss is at most `limit`, and none is NaN.
  template <LossKind Kind, class Numbers>
  [[nodiscard, gnu::always_inline]] static bool at_most_here(const double* p, double y,
                                                             double tau, double limit,
                                                             std::size_t n) noexcept {
    const std::size_t whole = n - n % Lanes::count;
    typename Numbers::Within within(limit);
    for (std::size_t k = 0; k < whole; k += Lanes::count) {
      within.look(Numbers(p + k).mapped([=](auto x) __attribute__((always_inline)) {
        return of_kind<Kind>(x, y, tau);
      }));
    }
    bool sound = within.all_within();
    for (std::size_t k = whole; k < n; ++k) {
      sound &= of_kind<Kind>(p[k], y, tau) <= limit;
    }
    return sound;
  }

 private:
  [[nodiscard]] static double sign(double x) noexcept {
    return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);
  }

  template <LossKind Kind>
  LITTLESTONE_WIDE static void of_each(const double* p, double y, double tau,
                                       double* out, std::size_t n) noexcept {
    of_each_here<Kind>(p, y, tau, out, n);
  }
};

}  // namespace littlestone
