// Online gradient descent with a fixed rate (THEORY: OGD).
//
// Zinkevich (2003).
#pragma once

#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

template <class L>
struct GradientDescent : Charged<L> {
  using Cell = double;

  double rate = 0.1;
  Constant<double> constant{};
  double squares = 0.0;  // the squared lengths of all gradients
  double square_ = 0.0;  // that of this round

  [[nodiscard]] static constexpr double initial() noexcept { return 0.0; }
  [[nodiscard]] static double weight(double cell) noexcept { return cell; }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<double> w,
                                                 const Row& x) const noexcept {
    return dot(w, x) + constant.cell * constant.value;
  }

  template <class Row>
  [[nodiscard]] Finding objection(View<double> /*w*/, const Row& x, double score,
                                  L label) noexcept {
    const Finding found = this->appraise(score, label);
    if (found.fault != Fault::none) return found;
    square_ = this->gradient_square(x, constant.value);
    return this->judged(square_, score);
  }

  template <class Row>
  bool learn(View<double> w, const Row& x, double /*score*/, L /*label*/) noexcept {
    this->charge();
    const double slope = this->price.slope;
    if (slope == 0.0) return false;
    const double step = rate * slope;
    each_cell(w, x, constant,
              [=](double& cell, double value) { cell -= step * value; });
    squares += square_;
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    return {constant.cell, this->lost, this->last, squares};
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == 4 && state[3] >= 0.0);
    constant.cell = state[0];
    this->lost = state[1];
    this->last = state[2];
    squares = state[3];
  }
};

static_assert(Rule<GradientDescent<bool>> && Rule<GradientDescent<double>>);

}  // namespace littlestone
