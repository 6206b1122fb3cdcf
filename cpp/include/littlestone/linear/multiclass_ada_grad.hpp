// AdaGrad for many classes: the log loss of the probabilities that the scores give
// (softmax), and a rate for each class and feature (THEORY: MCADAGRAD).
//
// As ada_grad.hpp in the space that joins the classes. A class that comes up is priced
// as if it had been known, with a score of 0.
#pragma once

#include <algorithm>  // std::all_of, std::copy_n, std::fill, std::max, std::max_element
#include <cmath>      // std::abs, std::isfinite, std::sqrt
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "littlestone/linear/multiclass.hpp"
#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// Turns the scores of classes into their probabilities, in place. Returns the sum of
/// what e^(score - best) is for all but the first best, and sets `best`.
inline double soften(std::span<double> scores, double& best) noexcept {
  const auto first = std::max_element(scores.begin(), scores.end());
  best = *first;
  double others = 0.0;
  for (auto at = scores.begin(); at != scores.end(); ++at) {
    if (at == first) continue;
    *at = bounded_exp(*at - best);
    others += *at;
  }
  *first = 1.0;
  const double sum = 1.0 + others;
  for (double& score : scores) score /= sum;
  return others;
}

/// Moves the weights of a feature against the slopes of all classes.
LITTLESTONE_WIDE inline void follow_slopes(const double* __restrict slopes,
                                           std::size_t classes, double share,
                                           double step, double* __restrict weights,
                                           double* __restrict squares) noexcept {
  for (std::size_t c = 0; c < classes; ++c) {
    const double gradient = slopes[c] * share;
    squares[c] += gradient * gradient;
    // Where nothing has moved yet, the root of 1 does no harm: the gradient is 0.
    const double root = std::sqrt(squares[c] > 0.0 ? squares[c] : 1.0);
    const double moved = step * gradient / root;
    weights[c] -= squares[c] > 0.0 ? moved : 0.0;
  }
}

template <bool Normalize>
struct MulticlassAdaGrad : Classes {
  double rate = 1.0;
  double importance = 1.0;  // how often this round counts
  double lost = 0.0;        // in all rounds
  double last = 0.0;        // in the latest one
  double lengths = 0.0;     // the squared lengths of the rows learned from, normalized
  double rows = 0.0;        // how many they are
  std::vector<double> constant_squares = std::vector<double>(4, 0.0);

  MulticlassAdaGrad() {
    weights = std::make_shared<ClassWeights>(2, Normalize ? 4 : 0);
  }

  template <class Row>
  [[nodiscard]] ClassScores score(View<Cell> w, const Row& x) const noexcept {
    if constexpr (Normalize) {
      const std::size_t at = scale_at();
      double length = 0.0;
      const ClassScores found = score_shares(
          w, x, share_of_constant(), [=, &length](const double* numbers, double value) {
            const double share = value / std::max(numbers[at], std::abs(value));
            length += share * share;
            return share;
          });
      length_ = bias == 0.0 ? length : length + 1.0;
      return found;
    } else {
      return Classes::score(w, x);
    }
  }

  /// Prices the round; refuses a loss, or squared gradients, that are not finite.
  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& x, ClassScores scores,
                                  ClassId label) noexcept {
    cost_ = 0.0;
    moves_ = false;
    skipped_ = importance == 0.0 || !fits(label);
    if (skipped_) return {};
    const auto right = static_cast<std::size_t>(label);
    const std::size_t count = std::max(known, right + 1);
    const double own = right < scores.size() ? scores[right] : 0.0;
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    std::copy_n(scores.begin(), scores.size(), slopes_.begin());
    double best = 0.0;
    const double others = soften({slopes_.data(), count}, best);
    cost_ = importance * (log1p_of(others) + (best - own));
    double rest = 0.0;  // more exact than 1 less the probability of the class
    for (std::size_t c = 0; c < count; ++c) {
      if (c != right) rest += slopes_[c];
    }
    slopes_[right] = -rest;
    double squares = 0.0;
    for (double& slope : slopes_) {
      slope *= importance;
      squares += slope * slope;
      moves_ = moves_ || slope != 0.0;
    }
    if constexpr (!Normalize) squares *= square_of(x) + bias * bias;
    if (std::isfinite(cost_) && std::isfinite(squares)) [[likely]]
      return {};
    return {Fault::loss_overflow, 0, own};
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, ClassScores /*scores*/, ClassId label) {
    last = cost_;
    lost += cost_;
    if (skipped_) return false;
    const bool fresh = static_cast<std::size_t>(label) >= known;
    meet({}, label);
    if (!moves_) return fresh;
    double step = rate;
    if constexpr (Normalize) {
      lengths += length_;
      rows += 1.0;
      if (lengths > 0.0) step = rate / std::sqrt(lengths / rows);
    }
    const std::size_t stride = weights->stride();
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      double* const numbers = row_of(w[x.index(k)]);
      double share = value;
      if constexpr (Normalize) {
        double& scale = numbers[scale_at()];
        scale = std::max(scale, std::abs(value));
        share = value / scale;
      }
      follow(numbers, numbers + stride, share, step);
    }
    if (bias != 0.0) {
      follow(constant.data(), constant_squares.data(), share_of_constant(), step);
    }
    return true;
  }

  void make_room_for(std::size_t classes) {
    Classes::make_room_for(classes);
    constant_squares.resize(weights->stride(), 0.0);
    slopes_.resize(weights->stride(), 0.0);
  }

  // What a feature keeps: its weights, squared gradients and scale.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return 2 * known + (Normalize ? 1 : 0);
  }
  void copy(Cell cell, double* out) const noexcept {
    const double* const from = weights->row(cell.row);
    out = std::copy_n(from, known, out);
    out = std::copy_n(from + weights->stride(), known, out);
    if constexpr (Normalize) *out = from[scale_at()];
  }
  void set_weights(Cell& cell, std::span<const double> given) {
    if (std::all_of(given.begin(), given.end(), is_initial)) return;
    double* const to = row_of(cell);
    std::copy_n(given.data(), known, to);
    std::copy_n(given.data() + known, known, to + weights->stride());
    if constexpr (Normalize) to[scale_at()] = given.back();
  }
  [[nodiscard]] bool has_changed(Cell cell) const noexcept { return cell.row != 0; }
  void weigh(Cell cell, std::span<double> out) const noexcept {
    const double* const from = weights->row(cell.row);
    const double scale = Normalize ? from[scale_at()] : 1.0;
    for (std::size_t c = 0; c < known; ++c)
      out[c] = scale > 0.0 ? from[c] / scale : 0.0;
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] bool sound(Cell cell) const noexcept {
    const double* const from = weights->row(cell.row);
    const double* const squares = from + weights->stride();
    return std::all_of(squares, squares + known, [](double s) { return s >= 0.0; }) &&
           (!Normalize || from[scale_at()] >= 0.0);
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = Classes::state();
    all.insert(all.end(), constant_squares.begin(),
               constant_squares.begin() + static_cast<std::ptrdiff_t>(known));
    all.insert(all.end(), {lost, last, lengths, rows});
    return all;
  }
  void restore(std::span<const double> state) {
    check_state(state.size() >= 5 && state[0] * 2.0 + 5.0 == double(state.size()));
    const std::size_t classes = (state.size() - 5) / 2;
    Classes::restore(state.first(classes + 1));
    make_room_for(classes);
    const auto squares = state.subspan(classes + 1, classes);
    check_state(std::all_of(squares.begin(), squares.end(),
                            [](double s) { return s >= 0.0; }) &&
                state[state.size() - 2] >= 0.0 && state.back() >= 0.0);
    std::copy_n(squares.begin(), classes, constant_squares.begin());
    lost = state[state.size() - 4];
    last = state[state.size() - 3];
    lengths = state[state.size() - 2];
    rows = state.back();
  }

 private:
  std::vector<double> slopes_ = std::vector<double>(4, 0.0);  // of the latest round
  double cost_ = 0.0;
  bool moves_ = false;  // whether any slope is not 0
  bool skipped_ = false;
  mutable double length_ = 0.0;  // of the row last scored

  [[nodiscard]] std::size_t scale_at() const noexcept { return 2 * weights->stride(); }
  /// The value of the constant feature over its largest: its sign.
  [[nodiscard]] double share_of_constant() const noexcept {
    return !Normalize ? bias : bias > 0.0 ? 1.0 : bias < 0.0 ? -1.0 : 0.0;
  }

  void follow(double* weight, double* squares, double share,
              double step) const noexcept {
    follow_slopes(slopes_.data(), weights->stride(), share, step, weight, squares);
  }
};

static_assert(Rule<MulticlassAdaGrad<false>> && Rule<MulticlassAdaGrad<true>>);

}  // namespace littlestone
