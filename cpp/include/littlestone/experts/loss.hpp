// Losses: what a prediction costs once the outcome is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "littlestone/logarithm.hpp"
#include "littlestone/wide.hpp"

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
  given,  // computed by somebody else
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
    double value = 0.0;
    of_all(&p, y, &value, 1);
    return value;
  }

  /// The derivative in the prediction; at a kink one of those that support the loss.
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

  void of_all(const double* p, double y, double* out, std::size_t n) const noexcept {
    switch (kind) {
      case LossKind::zero_one: return zero_one_all(p, y, out, n);
      case LossKind::absolute: return absolute_all(p, y, out, n);
      case LossKind::square: return square_all(p, y, out, n);
      case LossKind::log: return log_all(p, y, out, n);
      case LossKind::brier: return brier_all(p, y, out, n);
      case LossKind::pinball: return pinball_all(p, y, tau, out, n);
      case LossKind::percentage: return percentage_all(p, y, out, n);
      case LossKind::given: return;
    }
  }

  /// The same for a distribution and the number of the outcome that came.
  [[nodiscard]] double of(std::span<const double> p, std::size_t y) const noexcept {
    if (kind == LossKind::log) return surprise(p[y]);
    double sum = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double miss = p[k] - (k == y ? 1.0 : 0.0);
      sum += miss * miss;
    }
    return sum;
  }

  /// The slope in each of its probabilities, applied to another distribution.
  [[nodiscard]] double slope(std::span<const double> p, std::size_t y,
                             const double* f) const noexcept {
    if (kind == LossKind::log) return -f[y] / p[y];
    double sum = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      sum += 2.0 * (p[k] - (k == y ? 1.0 : 0.0)) * f[k];
    }
    return sum;
  }

 private:
  [[nodiscard]] static double sign(double x) noexcept {
    return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);
  }

  LITTLESTONE_WIDE static void zero_one_all(const double* p, double y, double* out,
                                            std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) out[k] = p[k] != y ? 1.0 : 0.0;
  }
  LITTLESTONE_WIDE static void absolute_all(const double* p, double y, double* out,
                                            std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) out[k] = std::abs(p[k] - y);
  }
  LITTLESTONE_WIDE static void square_all(const double* p, double y, double* out,
                                          std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) out[k] = (p[k] - y) * (p[k] - y);
  }
  static void log_all(const double* p, double y, double* out, std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) out[k] = surprise(y != 0.0 ? p[k] : 1.0 - p[k]);
  }
  LITTLESTONE_WIDE static void brier_all(const double* p, double y, double* out,
                                         std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) out[k] = 2.0 * ((p[k] - y) * (p[k] - y));
  }
  LITTLESTONE_WIDE static void pinball_all(const double* p, double y, double tau,
                                           double* out, std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = y >= p[k] ? (y - p[k]) * tau : (p[k] - y) * (1.0 - tau);
    }
  }
  LITTLESTONE_WIDE static void percentage_all(const double* p, double y, double* out,
                                              std::size_t n) noexcept {
    const double size = std::abs(y);
    for (std::size_t k = 0; k < n; ++k) out[k] = std::abs(p[k] - y) / size;
  }
};

}  // namespace littlestone
