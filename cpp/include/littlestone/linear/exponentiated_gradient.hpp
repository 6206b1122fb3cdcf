// Exponentiated gradient with weights of either sign: steps that multiply large weights
// and add to small ones, for truths of few features among many (THEORY: EG).
//
// Kivinen and Warmuth (1997); in this form Ghai, Hazan and Singer (2020). The weight is
// scale sinh(a), where a is the rate times the sum of the gradients, with its sign
// turned: the difference of two weights whose product stays scale^2 / 4.
#pragma once

#include <algorithm>  // std::clamp
#include <cmath>      // std::isfinite
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"
#include "littlestone/math/exponential.hpp"

namespace littlestone {

template <class L>
struct ExponentiatedGradient : Charged<L> {
  struct Cell {
    double log = 0.0;     // a
    double weight = 0.0;  // scale sinh(a)
  };

  double rate = 0.1;
  double scale = 0.01;
  Constant<Cell> constant{};

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& cell) noexcept { return cell.weight; }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    each_entry(x, [&](auto index, double value) { sum += w[index].weight * value; });
    return sum + constant.cell.weight * constant.value;
  }

  /// Also refuses a step after which a weight would be beyond the range of doubles.
  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> w, const Row& x, double score,
                                  L label) noexcept {
    const Finding found = this->appraise(score, label);
    if (found.fault != Fault::none) return found;
    const double step = rate * this->price.slope;
    double most = std::abs(constant.cell.log - step * constant.value);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double log = std::abs(w[x.index(k)].log - step * x.value(k));
      if (!(log <= most)) most = log;
    }
    return most <= largest_log ? Finding{} : Finding{Fault::loss_overflow, 0, score};
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, L /*label*/) noexcept {
    this->charge();
    const double slope = this->price.slope;
    if (slope == 0.0) return false;
    const double step = rate * slope;
    each_cell(w, x, constant, [=, this](Cell& cell, double value) {
      if (value == 0.0) return;
      cell.log -= step * value;
      cell.weight = scale * sinh_of(cell.log);
    });
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    return {constant.cell.log, constant.cell.weight, this->lost, this->last};
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == 4);
    constant.cell = {state[0], state[1]};
    this->lost = state[2];
    this->last = state[3];
  }

 private:
  static constexpr double largest_log = 600.0;
};

static_assert(Rule<ExponentiatedGradient<bool>> && Rule<ExponentiatedGradient<double>>);

}  // namespace littlestone
