// AIOLI: second-order logistic regression that weighs both labels of the example at
// hand before it predicts (THEORY: AIOLI).
//
// Jezequel, Gaillard and Rudi (2020). With S the inverse of a I + the sum of h x x', w
// the weights least for the quadratics so far, r = w.x and v = x'S x, the score z has
// z + v tanh(z/2) = r. The quadratic of a round has the slope g of the loss at z and
// the bend h, the second derivative there over 1 + reach.
#pragma once

#include <cmath>  // std::abs, std::isfinite
#include <span>
#include <vector>

#include "littlestone/linear/full_matrix.hpp"
#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

/// The z with z + v tanh(z/2) = r. The left side rises, and is concave above 0, so that
/// Newton's steps from 0 never go too far.
[[nodiscard]] inline double settled(double r, double v) noexcept {
  constexpr int most_steps = 64;
  const double size = std::abs(r);
  double z = 0.0;
  for (int step = 0; step < most_steps; ++step) {
    const double e = bounded_exp(-z);
    const double above = 1.0 + e;
    const double left = size - (z + v * ((1.0 - e) / above));
    const double next = z + left / (1.0 + 2.0 * v * (e / (above * above)));
    if (!(next > z)) break;
    z = next;
  }
  return r < 0.0 ? -z : z;
}

struct Aioli : Charged<bool>, Pulled {
  double reach = 1.0;

  template <class Row>
  [[nodiscard]] double score(View<Cell> w, const Row& x) const {
    look(w, x);
    // Values that are not finite may be of features without a weight.
    if (!std::isfinite(ridge_) || !std::isfinite(spread_)) return ridge_ + spread_;
    return settled(ridge_, spread_);
  }

  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& /*x*/, double score,
                                  bool label) noexcept {
    const double e = bounded_exp(-std::abs(score));
    bend_ = importance * (e / ((1.0 + e) * (1.0 + e))) / (1.0 + reach);
    return appraise(score, label);
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool /*label*/) {
    charge();
    if (price.slope == 0.0 || !enter(w, x)) return false;
    const double divisor = 1.0 + bend_ * spread_;
    matrix->step_by(-(price.slope + bend_ * (ridge_ - score)) / divisor);
    if (bend_ > 0.0) matrix->take_by(divisor / bend_);
    return true;
  }

  [[nodiscard]] std::vector<double> state() const { return state_with(lost, last); }
  void restore(std::span<const double> state) { restore_with(state, lost, last); }

 private:
  double bend_ = 0.0;
};

static_assert(Rule<Aioli>);

}  // namespace littlestone
