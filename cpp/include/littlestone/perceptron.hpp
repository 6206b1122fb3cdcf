// The Perceptron: add the examples you got wrong (THEORY: PERC).
//
// Rosenblatt (1958); the bound is Novikoff's (1962), and Freund and Schapire's (1999)
// where no separator exists.
#pragma once

#include <array>
#include <cmath>  // std::isfinite, std::isnormal, std::sqrt
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "littlestone/rule.hpp"

namespace littlestone {

struct Perceptron {
  static constexpr double initial_weight = 0.0;

  bool on_margin = false;    // update on a tie as well, not on mistakes alone
  bool normalize = false;    // scale each row to length 1
  double bias = 0.0;         // the constant feature's value; 0: there is none
  double bias_weight = 0.0;  // and its weight

  template <class Row>
  [[nodiscard]] Finding fault(const Row& /*x*/) const noexcept {
    return {};
  }

  /// w.x, the constant feature last.
  template <class Row>
  [[nodiscard]] double score(WeightView w, const Row& x) const noexcept {
    if (!normalize) return dot(w, x) + bias_weight * bias;
    const double norm = length(x);
    if (!std::isfinite(norm)) return norm;
    return dot(w, Scaled<Row>{x, norm}) + bias_weight * bias;
  }

  /// The scores of two rows under the same weights.
  template <class Row>
  [[nodiscard]] std::array<double, 2> scores(WeightView w, const Row& x,
                                             const Row& next) const noexcept {
    if (normalize) return {score(w, x), score(w, next)};
    const auto sums = dots(w, x, next);
    return {sums[0] + bias_weight * bias, sums[1] + bias_weight * bias};
  }

  template <class Row>
  bool learn(WeightView w, const Row& x, double score, bool label) noexcept {
    const bool update =
        on_margin ? (label ? score <= 0.0 : score >= 0.0) : says_yes(score) != label;
    if (!update) return false;
    const double y = label ? 1.0 : -1.0;
    if (normalize) {
      add(w, Scaled<Row>{x, length(x)}, y);
    } else {
      add(w, x, y);
    }
    bias_weight += y * bias;
    return true;
  }

  /// What it has learned besides the weights of the features.
  [[nodiscard]] std::vector<double> state() const { return {bias_weight}; }
  void restore(std::span<const double> state) noexcept { bias_weight = state[0]; }

 private:
  /// A row divided by its length.
  template <class Row>
  struct Scaled {
    const Row& row;
    double length;

    [[nodiscard]] std::size_t size() const noexcept { return row.size(); }
    [[nodiscard]] auto index(std::size_t k) const noexcept { return row.index(k); }
    [[nodiscard]] double value(std::size_t k) const noexcept {
      return row.value(k) / length;
    }
  };

  /// The L2 norm; 1 for a zero row, which stays as it is; infinite where the squares
  /// overflow or vanish, so that the round is refused rather than scaled by a wrong
  /// number.
  template <class Row>
  [[nodiscard]] static double length(const Row& x) noexcept {
    double squares = 0.0;
    bool zero = true;
    for (std::size_t k = 0; k < x.size(); ++k) {
      squares += x.value(k) * x.value(k);
      zero &= x.value(k) == 0.0;
    }
    if (std::isnormal(squares)) return std::sqrt(squares);
    return zero ? 1.0 : std::numeric_limits<double>::infinity();
  }

  template <class Row>
  static void add(WeightView w, const Row& x, double y) noexcept {
    for (std::size_t k = 0; k < x.size(); ++k) w[x.index(k)] += y * x.value(k);
  }
};

static_assert(Rule<Perceptron>);

}  // namespace littlestone
