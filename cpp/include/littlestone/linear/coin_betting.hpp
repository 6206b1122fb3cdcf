// Coin betting, by Krichevsky and Trofimov's rule for each feature: no rate to choose
// (THEORY: COIN).
//
// Orabona and Pal (2016). A feature starts with some wealth and bets a share of it on
// the sign of its next gradient; the weight is the bet. The share is that of the
// gradients so far which would have won, up - down, in all of them and one scale more.
#pragma once

#include <algorithm>  // std::max
#include <bit>        // std::bit_cast
#include <cmath>      // std::abs, std::sqrt
#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

template <class L>
struct CoinBetting : Charged<L> {
  struct Cell {
    double wealth = 0.0;   // 0 until its first gradient
    double up = 0.0;       // the sizes of the gradients that call for a larger weight
    double down = 0.0;     // and of those that call for a smaller one
    double largest = 0.0;  // the largest size of its values so far
  };

  double wealth = 4.0;  // what the features of a row share at first
  double scale = 0.0;   // no gradient is larger; 0 to find out
  Constant<Cell> constant{};
  double steepest = 0.0;         // the largest slope so far, or of the loss
  mutable double length_ = 0.0;  // of the row last scored, each value by its largest

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    return bet(cell, cell.largest);
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    double length = 0.0;
    const auto take = [&](const Cell& cell, double value) {
      if (value == 0.0) return;
      const double largest = std::max(cell.largest, std::abs(value));
      const double share = value / largest;
      length += share * share;
      sum += bet(cell, largest) * value;
    };
    each_entry(x, [&](auto index, double value) { take(w[index], value); });
    take(constant.cell, constant.value);
    length_ = length;
    return sum;
  }

  /// Also refuses a gradient beyond the scale, if one was declared.
  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& x, double score,
                                  L label) noexcept {
    const Finding found = this->appraise(score, label);
    if (found.fault != Fault::none || scale == 0.0) return found;
    const double slope = this->price.slope;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double gradient = slope * x.value(k);
      if (std::abs(gradient) > scale) return {Fault::beyond_gradient, k, gradient};
    }
    const double gradient = slope * constant.value;
    if (std::abs(gradient) <= scale) return {};
    return {Fault::beyond_gradient, x.size(), gradient};
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, L /*label*/) noexcept {
    this->charge();
    const double slope = this->price.slope;
    if (slope == 0.0) return false;
    const double size = std::abs(slope);
    if (steepest == 0.0) steepest = size;  // nobody has bet yet
    // A slope beyond all before counts as the largest of them, once.
    const bool beyond = scale == 0.0 && size > steepest;
    const double held = beyond ? (slope > 0.0 ? steepest : -steepest) : slope;
    const double start = wealth / std::sqrt(length_);
    each_cell(w, x, constant, [&](Cell& cell, double value) {
      const double gradient = held * value;
      if (gradient == 0.0) return;
      const double largest = std::max(cell.largest, std::abs(value));
      if (cell.wealth == 0.0) {
        cell.wealth = start;
      } else {
        cell.wealth -= gradient * bet(cell, largest);
      }
      if (gradient < 0.0) {
        cell.up -= gradient;
      } else {
        cell.down += gradient;
      }
      cell.largest = largest;
    });
    steepest = std::max(steepest, size);
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = constant.state();
    all.insert(all.end(), {this->lost, this->last, steepest});
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == 7 && state[6] >= 0.0);
    constant.restore(state.first(4), sound);
    this->lost = state[4];
    this->last = state[5];
    steepest = state[6];
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(const Cell& cell) noexcept {
    return cell.wealth >= 0.0 && cell.up >= 0.0 && cell.down >= 0.0 &&
           cell.largest >= 0.0;
  }

 private:
  // Products beyond these may lose digits; the bits of those within are a range.
  static constexpr auto least = std::bit_cast<std::uint64_t>(0x1p-900);
  static constexpr auto within = std::bit_cast<std::uint64_t>(0x1p+900) - least;

  [[gnu::cold, gnu::noinline]] static double far(double share, double wealth,
                                                 double most) noexcept {
    return share * (wealth / most);
  }

  /// The weight of a feature, whose values have at most this size.
  [[nodiscard, gnu::always_inline]] double bet(const Cell& cell,
                                               double largest) const noexcept {
    if (cell.wealth == 0.0) return 0.0;
    const double most = scale > 0.0 ? scale : steepest * largest;
    const double bets = cell.up + cell.down + most;
    const double below = bets * most;
    const double wins = cell.up - cell.down;
    if (std::bit_cast<std::uint64_t>(below) - least < within) [[likely]]
      return wins * cell.wealth / below;
    return far(wins / bets, cell.wealth, most);
  }
};

static_assert(Rule<CoinBetting<bool>> && Rule<CoinBetting<double>>);

}  // namespace littlestone
