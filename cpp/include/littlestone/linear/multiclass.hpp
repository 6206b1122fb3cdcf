// Many classes: each has a weight vector, and the largest score wins. A mistake moves
// the right class towards the example and one wrong class away from it, and no other
// (an ultraconservative update).
//
// Crammer and Singer (2003); Crammer and others (2006) for the Passive-Aggressive step.
#pragma once

#include <algorithm>  // std::fill, std::max
#include <cstddef>
#include <span>
#include <vector>

#include "littlestone/linear/passive_aggressive.hpp"
#include "littlestone/linear/rule.hpp"

namespace littlestone {

/// What the rules for many classes share. A feature has `stride` cells side by side,
/// one for each class; `known` of them are in use. A new class gets the number `known`;
/// its score was 0 so far.
struct Classes {
  using Cell = double;

  std::size_t known = 0;
  std::size_t stride = 4;
  double bias = 0.0;
  std::vector<double> constant = std::vector<double>(4, 0.0);
  mutable std::vector<double> scores = std::vector<double>(4, 0.0);

  [[nodiscard]] static constexpr double initial() noexcept { return 0.0; }

  /// Before a class is known there is no score that would show a bad value.
  template <class Row>
  [[nodiscard]] Finding fault(View<double> /*w*/, const Row& x) const noexcept {
    return known > 0 ? Finding{} : not_finite_in(x);
  }

  /// One score for each class; valid until the next call.
  template <class Row>
  [[nodiscard]] ClassScores score(View<double> w, const Row& x) const noexcept {
    double* const __restrict to = scores.data();
    const std::size_t width = stride;
    std::fill(scores.begin(), scores.end(), 0.0);
    each_entry(x, [=](auto index, double value) {
      if (value == 0.0) return;
      const double* const from = at(w, index, width);
      // Four classes at a time: the stride is a multiple of four.
      for (std::size_t c = 0; c < width; c += 4) {
        to[c] += from[c] * value;
        to[c + 1] += from[c + 1] * value;
        to[c + 2] += from[c + 2] * value;
        to[c + 3] += from[c + 3] * value;
      }
    });
    for (std::size_t c = 0; c < width; ++c) to[c] += constant[c] * bias;
    return {scores.data(), known};
  }

  void make_room_for(std::size_t classes) {
    while (stride < classes) stride += std::max<std::size_t>(4, stride / 8 * 4);
    constant.resize(stride, 0.0);
    scores.resize(stride, 0.0);
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all{static_cast<double>(known)};
    all.insert(all.end(), constant.begin(),
               constant.begin() + static_cast<std::ptrdiff_t>(known));
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(!state.empty() && state[0] == static_cast<double>(state.size() - 1));
    known = static_cast<std::size_t>(state[0]);
    std::vector<double>(state.begin() + 1, state.end()).swap(constant);
    stride = std::max<std::size_t>(4, (known + 3) / 4 * 4);
    make_room_for(known);
    constant.resize(stride, 0.0);
    scores.resize(stride, 0.0);
  }

 protected:
  template <class I>
  [[nodiscard]] static double* at(View<double> w, I index, std::size_t width) noexcept {
    return w.origin +
           static_cast<std::ptrdiff_t>(index) * static_cast<std::ptrdiff_t>(width);
  }

  /// The best of the other classes, if there are any.
  [[nodiscard]] static ClassId rival(ClassScores scores, ClassId label) noexcept {
    ClassId best = no_class;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const auto candidate = static_cast<ClassId>(c);
      if (candidate == label) continue;
      if (best == no_class || scores[c] > scores[static_cast<std::size_t>(best)]) {
        best = candidate;
      }
    }
    return best;
  }

  /// Enters a class if it is new; returns its score.
  double meet(ClassScores scores, ClassId label) noexcept {
    const auto c = static_cast<std::size_t>(label);
    known = std::max(known, c + 1);
    return c < scores.size() ? scores[c] : 0.0;
  }

  /// Moves the right class towards the example, and the wrong one away.
  template <class Row>
  void move(View<double> w, const Row& x, ClassId right, ClassId wrong,
            double step) noexcept {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      double* const cell = at(w, x.index(k), stride);
      cell[right] += step * value;
      cell[wrong] -= step * value;
    }
    constant[static_cast<std::size_t>(right)] += step * bias;
    constant[static_cast<std::size_t>(wrong)] -= step * bias;
  }
};

struct MulticlassPerceptron : Classes {
  template <class Row>
  bool learn(View<double> w, const Row& x, ClassScores scores, ClassId label) {
    const ClassId said = says(scores);
    meet(scores, label);
    if (said == label || said == no_class) return false;
    move(w, x, label, said, 1.0);
    return true;
  }
};

struct MulticlassPassiveAggressive : Classes {
  StepSize step{};

  template <class Row>
  [[nodiscard]] Finding fault(View<double> w, const Row& x) const noexcept {
    const Finding found = Classes::fault(w, x);
    return found.fault == Fault::none ? square_fault(x) : found;
  }

  template <class Row>
  bool learn(View<double> w, const Row& x, ClassScores scores, ClassId label) {
    const ClassId wrong = rival(scores, label);
    const double right_score = meet(scores, label);
    if (wrong == no_class) return false;
    const double loss = 1.0 - (right_score - scores[static_cast<std::size_t>(wrong)]);
    if (!(loss > 0.0)) return false;
    const double square = square_of(x) + bias * bias;
    if (square == 0.0) return false;  // a zero example cannot be corrected
    move(w, x, label, wrong, step(loss, 2.0 * square));
    return true;
  }
};

static_assert(Rule<MulticlassPerceptron> && Rule<MulticlassPassiveAggressive>);

}  // namespace littlestone
