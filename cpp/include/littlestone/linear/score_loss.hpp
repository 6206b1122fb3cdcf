// Losses of a score, convex in it, and what the learners that follow their slopes
// share.
//
// Labels are bool for the losses of yes and no, and numbers for the others. Logarithms
// and exponentials are our own, so the bits are the same everywhere.
#pragma once

#include <algorithm>  // std::clamp
#include <cmath>      // std::abs, std::isfinite
#include <cstdint>
#include <span>
#include <type_traits>  // std::is_same_v
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/exponential.hpp"
#include "littlestone/math/logarithm.hpp"

namespace littlestone {

/// What a round costs, and how fast that rises with the score.
struct Price {
  double loss = 0.0;
  double slope = 0.0;
};

/// e^z, 0 far below 0, and the largest that doubles hold far above.
[[nodiscard]] inline double bounded_exp(double z) noexcept {
  return z < -largest_exponent ? 0.0
                               : exp_of(z < largest_exponent ? z : largest_exponent);
}

/// 1 / (1 + e^-z).
[[nodiscard]] inline double chance_of(double score) noexcept {
  const double e = bounded_exp(-std::abs(score));
  return score >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

struct ScoreLoss {
  enum class Kind : std::uint8_t {
    logistic,
    hinge,
    square,
    absolute,
    pinball,
    huber,
    poisson,
  };
  Kind kind = Kind::logistic;
  double parameter = 0.0;  // the level of pinball, the bend of huber

  [[nodiscard]] Price operator()(double score, bool label) const noexcept {
    const double y = label ? 1.0 : -1.0;
    const double margin = y * score;
    if (kind == Kind::hinge) {
      return margin < 1.0 ? Price{1.0 - margin, -y} : Price{};
    }
    const double e = bounded_exp(-std::abs(margin));
    if (margin >= 0.0) return {log1p_of(e), -y * (e / (1.0 + e))};
    return {log1p_of(e) - margin, -y * (1.0 / (1.0 + e))};
  }

  [[nodiscard]] Price operator()(double score, double y) const noexcept {
    const double miss = score - y;
    switch (kind) {
      case Kind::absolute:
        return {std::abs(miss), miss > 0.0 ? 1.0 : miss < 0.0 ? -1.0 : 0.0};
      case Kind::pinball:
        return miss > 0.0 ? Price{(1.0 - parameter) * miss, 1.0 - parameter}
                          : Price{parameter * -miss, -parameter};
      case Kind::huber: {
        const double size = std::abs(miss);
        if (size <= parameter) return {0.5 * miss * miss, miss};
        return {parameter * (size - 0.5 * parameter),
                miss > 0.0 ? parameter : -parameter};
      }
      case Kind::poisson: {
        const double mean = bounded_exp(score);
        // Beyond the largest exponent the loss is refused, as the mean is not known.
        const double past = score > largest_exponent ? score * score * 1e300 : 0.0;
        return {mean - y * score + past, mean - y};
      }
      default: return {miss * miss, 2.0 * miss};
    }
  }

  /// The prediction that a score stands for.
  [[nodiscard]] double mean(double score) const noexcept {
    return kind == Kind::poisson ? bounded_exp(score) : score;
  }
  /// The largest size of a slope; 0 if there is none.
  [[nodiscard]] double steepest() const noexcept {
    switch (kind) {
      case Kind::logistic:
      case Kind::hinge:
      case Kind::absolute: return 1.0;
      case Kind::pinball: return parameter > 0.5 ? parameter : 1.0 - parameter;
      case Kind::huber: return parameter;
      default: return 0.0;
    }
  }
};

/// What a rule keeps that is charged by a loss of its score. The loop asks it first if
/// it objects to a round, which computes the price that it then learns from.
template <class L>
struct Charged {
  using Label = L;

  ScoreLoss loss{};
  double importance = 1.0;  // how often this round counts
  double lost = 0.0;        // in all rounds
  double last = 0.0;        // in the latest one
  Price price{};

  [[nodiscard]] L said(double score) const noexcept {
    if constexpr (std::is_same_v<L, bool>) {
      return says(score);
    } else {
      return loss.mean(score);
    }
  }

  /// Prices the round; the fault of a label or loss that no learner can take.
  [[nodiscard]] Finding appraise(double score, L label) noexcept {
    price = importance == 0.0 ? Price{} : loss(score, label);
    price.loss *= importance;
    price.slope *= importance;
    if constexpr (!std::is_same_v<L, bool>) {
      if (loss.kind == ScoreLoss::Kind::poisson && label < 0.0) [[unlikely]] {
        return {Fault::negative_label, 0, label};
      }
    }
    return judged(price.slope * price.slope, score);
  }
  /// The fault of a loss, or of squared gradients, that are not finite.
  [[nodiscard]] Finding judged(double squares, double score) const noexcept {
    if (std::isfinite(price.loss) && std::isfinite(squares)) [[likely]]
      return {};
    return {Fault::loss_overflow, 0, score};
  }

  /// The squared length of the gradient of a row and a constant feature.
  template <class Row>
  [[nodiscard]] double gradient_square(const Row& x, double constant) const noexcept {
    return price.slope * price.slope * (square_of(x) + constant * constant);
  }

  /// Books the loss of the round.
  void charge() noexcept {
    last = price.loss;
    lost += price.loss;
  }
};

}  // namespace littlestone
