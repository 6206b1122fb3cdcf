// Follow the proximally regularized leader: AdaGrad whose weights are 0 until a feature
// has shown that it matters (THEORY: FTRL-L1).
//
// McMahan (2011). The weight of a feature makes its linearized losses least, plus what
// each step adds to the regularization, centred where the step was taken, plus l1 |w|
// and (l2 + beta/rate) w^2/2. Values are normalized as by AdaGrad.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::abs, std::sqrt
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

template <class L>
struct Ftrl : Charged<L> {
  struct Cell {
    double sum = 0.0;      // of the gradients, less the weights times the steps
    double squares = 0.0;  // of the gradients
    double scale = 0.0;    // the largest size of its values so far
  };

  double rate = 1.0;
  double l1 = 1.0;
  double l2 = 0.0;
  bool normalize = true;
  Constant<Cell> constant{};

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    const double inner = inner_weight(cell);
    return inner == 0.0 || !normalize ? inner : inner / cell.scale;
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    const auto take = [&](const Cell& cell, double value) {
      if (value == 0.0) return;
      sum += inner_weight(cell) * share(cell, value);
    };
    each_entry(x, [&](auto index, double value) { take(w[index], value); });
    take(constant.cell, constant.value);
    return sum;
  }

  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& x, double score,
                                  L label) noexcept {
    const Finding found = this->appraise(score, label);
    if (normalize || found.fault != Fault::none) return found;
    return this->judged(this->gradient_square(x, constant.value), score);
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, L /*label*/) noexcept {
    this->charge();
    const double slope = this->price.slope;
    if (slope == 0.0) return false;
    each_cell(w, x, constant, [&](Cell& cell, double value) {
      if (value == 0.0) return;
      const double inner = inner_weight(cell);
      const double gradient = slope * share(cell, value);
      cell.scale = std::max(cell.scale, std::abs(value));
      const double squares = cell.squares + gradient * gradient;
      const double step = (std::sqrt(squares) - std::sqrt(cell.squares)) / rate;
      cell.sum += gradient - step * inner;
      cell.squares = squares;
    });
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = constant.state();
    all.insert(all.end(), {this->lost, this->last});
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == 5);
    constant.restore(state.first(3), sound);
    this->lost = state[3];
    this->last = state[4];
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(const Cell& cell) noexcept {
    return cell.squares >= 0.0 && cell.scale >= 0.0;
  }

 private:
  static constexpr double beta = 1.0;

  /// The weight of a value divided by the largest.
  [[nodiscard, gnu::always_inline]] double inner_weight(
      const Cell& cell) const noexcept {
    const double size = std::abs(cell.sum);
    if (size <= l1) return 0.0;
    const double beyond = cell.sum > 0.0 ? l1 - size : size - l1;
    return beyond / ((beta + std::sqrt(cell.squares)) / rate + l2);
  }
  [[nodiscard, gnu::always_inline]] double share(const Cell& cell,
                                                 double value) const noexcept {
    return normalize ? value / std::max(cell.scale, std::abs(value)) : value;
  }
};

static_assert(Rule<Ftrl<bool>> && Rule<Ftrl<double>>);

}  // namespace littlestone
