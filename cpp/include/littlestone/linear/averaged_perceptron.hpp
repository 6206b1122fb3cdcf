// The averaged Perceptron: learns as the Perceptron does, and predicts with the mean of
// all weight vectors so far, weighted by the rounds each lasted.
//
// Freund and Schapire (1999). Computing the mean only needs the features of a row: a
// change d in round s is in the vectors after rounds s, s + 1, ..., t, so their sum is
// (t + 1) w - m, where m is the sum of s d.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"

namespace littlestone {

struct AveragedPerceptron {
  struct Cell {
    double weight = 0.0;
    double moment = 0.0;  // each change times the number of its round
  };

  Constant<Cell> constant{};
  double next = 1.0;             // the number of the next round
  mutable double margin_ = 0.0;  // w.x of the row last scored

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] double weight(const Cell& cell) const noexcept {
    return mean(cell.weight, cell.moment);
  }

  /// The score by the mean vector. Also computes the score by the latest one.
  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double latest = 0.0;
    double moment = 0.0;
    each_entry(x, [&](auto index, double value) {
      const Cell cell = w[index];
      latest += cell.weight * value;
      moment += cell.moment * value;
    });
    margin_ = latest + constant.cell.weight * constant.value;
    return mean(margin_, moment + constant.cell.moment * constant.value);
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double margin(View<Cell> w,
                                                  const Row& x) const noexcept {
    double latest = 0.0;
    each_entry(x, [&](auto index, double value) { latest += w[index].weight * value; });
    return margin_ = latest + constant.cell.weight * constant.value;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, bool label) noexcept {
    const double round = next;
    next += 1.0;
    if (says(margin_) == label) return false;
    const double y = label ? 1.0 : -1.0;
    each_cell(w, x, constant, [=](Cell& cell, double value) {
      cell.weight += y * value;
      cell.moment += y * value * round;
    });
    return true;
  }

  /// Counts rounds that change nothing.
  void survive(std::uint32_t rounds) noexcept { next += rounds; }

  [[nodiscard]] std::vector<double> state() const {
    return {constant.cell.weight, constant.cell.moment, next};
  }
  void restore(std::span<const double> state) {
    check_state(state.size() == 3 && state[2] >= 1.0);
    constant.cell = {state[0], state[1]};
    next = state[2];
  }

 private:
  [[nodiscard]] double mean(double weight, double moment) const noexcept {
    const double rounds = next > 1.0 ? next - 1.0 : 1.0;
    return (next * weight - moment) / rounds;
  }
};

static_assert(Rule<AveragedPerceptron>);

}  // namespace littlestone
