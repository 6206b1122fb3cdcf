// AdaGrad: gradient descent with a rate for each feature, which falls with the size of
// its gradients (THEORY: ADAGRAD).
//
// Duchi, Hazan and Singer (2011); McMahan and Streeter (2010). With `Normalize` each
// value is divided by the largest of its feature so far, and the rate by the root of
// the mean squared length of such rows, as Ross, Mineiro and Langford (2013) do.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::abs, std::sqrt
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/linear/score_loss.hpp"

namespace littlestone {

/// What a feature keeps: the weight of its value divided by `scale`, and the sum of its
/// squared gradients.
template <bool Normalize>
struct AdaGradCell {
  double weight = 0.0;
  double squares = 0.0;
};
template <>
struct AdaGradCell<true> {
  double weight = 0.0;
  double squares = 0.0;
  double scale = 0.0;  // the largest size of its values so far
};

template <class L, bool Normalize>
struct AdaGrad : Charged<L> {
  using Cell = AdaGradCell<Normalize>;

  double rate = 1.0;
  Constant<Cell> constant{};
  double lengths = 0.0;  // the squared lengths of the rows learned from, normalized
  double rows = 0.0;     // how many they are
  mutable double length_ = 0.0;  // of the row last scored

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& cell) noexcept {
    if constexpr (Normalize) {
      return cell.scale > 0.0 ? cell.weight / cell.scale : 0.0;
    } else {
      return cell.weight;
    }
  }

  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<Cell> w,
                                                 const Row& x) const noexcept {
    double sum = 0.0;
    double length = 0.0;
    const auto take = [&](const Cell& cell, double value) {
      if constexpr (Normalize) {
        if (value == 0.0) return;
        const double share = value / std::max(cell.scale, std::abs(value));
        sum += cell.weight * share;
        length += share * share;
      } else {
        sum += cell.weight * value;
      }
    };
    each_entry(x, [&](auto index, double value) { take(w[index], value); });
    take(constant.cell, constant.value);
    length_ = length;
    return sum;
  }

  template <class Row>
  [[nodiscard]] Finding objection(View<Cell> /*w*/, const Row& x, double score,
                                  L label) noexcept {
    const Finding found = this->appraise(score, label);
    if (Normalize || found.fault != Fault::none) return found;
    return this->judged(this->gradient_square(x, constant.value), score);
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, L /*label*/) noexcept {
    this->charge();
    const double slope = this->price.slope;
    if (slope == 0.0) return false;
    double step = rate;
    if constexpr (Normalize) {
      lengths += length_;
      rows += 1.0;
      if (lengths > 0.0) step = rate / std::sqrt(lengths / rows);
    }
    each_cell(w, x, constant, [=](Cell& cell, double value) {
      if (value == 0.0) return;
      double gradient = slope * value;
      if constexpr (Normalize) {
        cell.scale = std::max(cell.scale, std::abs(value));
        gradient = slope * (value / cell.scale);
      }
      cell.squares += gradient * gradient;
      if (cell.squares > 0.0) cell.weight -= step * gradient / std::sqrt(cell.squares);
    });
    return true;
  }

  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all = constant.state();
    all.insert(all.end(), {this->lost, this->last, lengths, rows});
    return all;
  }
  void restore(std::span<const double> state) {
    constexpr std::size_t cell = numbers_in<Cell>;
    check_state(state.size() == cell + 4 && state[cell + 2] >= 0.0 &&
                state[cell + 3] >= 0.0);
    constant.restore(state.first(cell), sound);
    this->lost = state[cell];
    this->last = state[cell + 1];
    lengths = state[cell + 2];
    rows = state[cell + 3];
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] static bool sound(const Cell& cell) noexcept {
    if constexpr (Normalize) {
      return cell.squares >= 0.0 && cell.scale >= 0.0;
    } else {
      return cell.squares >= 0.0;
    }
  }
};

static_assert(Rule<AdaGrad<bool, false>> && Rule<AdaGrad<double, true>>);

}  // namespace littlestone
