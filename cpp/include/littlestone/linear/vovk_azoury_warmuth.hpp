// Vovk, Azoury and Warmuth's forecaster: ridge regression that takes the example at
// hand into its matrix before it predicts (THEORY: VAW).
//
// Vovk (2001); Azoury and Warmuth (2001). With S the inverse of a I + sum of x x' over
// the examples before, and w the ridge weights, it predicts w.x / (1 + x'S x).
#pragma once

#include <cmath>  // std::isfinite
#include <span>
#include <vector>

#include "littlestone/linear/full_matrix.hpp"
#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

struct VovkAzouryWarmuth : Charged<double>, Pulled {
  template <class Row>
  [[nodiscard]] double score(View<Cell> w, const Row& x) const {
    look(w, x);
    // Values that are not finite may be of features without a weight.
    return ridge_ / (1.0 + spread_) + (std::isfinite(spread_) ? 0.0 : spread_);
  }

  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& /*x*/, double score,
                                  double label) noexcept {
    outcome_ = label;
    skipped_ = importance == 0.0;
    return appraise(score, label);
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, double /*label*/) {
    charge();
    if (skipped_ || !enter(w, x)) return false;
    matrix->move_by(outcome_ - ridge_, 1.0 + spread_);
    return true;
  }

  [[nodiscard]] std::vector<double> state() const { return state_with(lost, last); }
  void restore(std::span<const double> state) { restore_with(state, lost, last); }

 private:
  double outcome_ = 0.0;
  bool skipped_ = false;
};

static_assert(Rule<VovkAzouryWarmuth>);

}  // namespace littlestone
