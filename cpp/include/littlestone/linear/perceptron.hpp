// The Perceptron: adds or subtracts the examples it got wrong (THEORY: PERC).
//
// Rosenblatt (1958); the bound is Novikoff's (1962), and Freund and Schapire's (1999)
// if no separator exists.
#pragma once

#include <cmath>  // std::abs, std::isfinite, std::isnormal, std::sqrt
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "littlestone/linear/rule.hpp"
#include "littlestone/math/near_tie.hpp"

namespace littlestone {

/// With `Normalize` each row is scaled to length 1, and with `Strict` a tie is a no.
/// They are template parameters because tests in every round would slow the loop down.
template <bool Normalize, bool Strict = false>
struct BasicPerceptron {
  using Cell = double;
  static constexpr bool additive = true;
  // What a tie scores: a yes is a score of at least 0 wherever scores are read, so a
  // tie that is a no must score below it, by as little as a double can.
  static constexpr double tie =
      Strict ? -std::numeric_limits<double>::denorm_min() : 0.0;

  bool on_margin = false;  // update on a tie as well, not on mistakes alone
  Constant<double> constant{};

  [[nodiscard]] static constexpr double initial() noexcept { return 0.0; }
  [[nodiscard]] static double weight(double cell) noexcept { return cell; }

  /// w.x, the constant feature last. Always inlined: a row whose address is taken must
  /// be in memory, which costs a quarter of the time.
  template <class Row>
  [[nodiscard, gnu::always_inline]] double score(View<double> w,
                                                 const Row& x) const noexcept {
    if constexpr (Normalize) {
      const double norm = length(x);
      if (!std::isfinite(norm)) return norm;
      const double score =
          dot(w, Scaled<Row>{x, norm}) + constant.cell * constant.value;
      return decided(std::abs(score) < small_score
                         ? cleared(*this, w, to_learn(x), norm, score)
                         : score);
    } else {
      return decided(dot(w, x) + constant.cell * constant.value);
    }
  }

  template <class Row>
  bool learn(View<double> w, const Row& x, double score, bool label) noexcept {
    const bool update =
        on_margin ? (label ? score <= 0.0 : score >= tie) : says(score) != label;
    if (!update) return false;
    const double y = label ? 1.0 : -1.0;
    if constexpr (Normalize) {
      add(w, Scaled<Row>{x, length(x)}, y);
    } else {
      add(w, x, y);
    }
    constant.cell += y * constant.value;
    return true;
  }

  /// What it has learned besides the weights of the features.
  [[nodiscard]] std::vector<double> state() const { return constant.state(); }
  void restore(std::span<const double> state) { constant.restore(state); }

 private:
  [[nodiscard, gnu::always_inline]] static double decided(double score) noexcept {
    if constexpr (Strict) return score == 0.0 ? tie : score;
    return score;
  }

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

  // A weight that should be 0 is off by what the examples, of length 1, were rounded
  // by.
  static constexpr double unit_rounding = 0x1p-10;  // times near_tie

  /// The score, or 0 if it is no more than the rounding of lengths.
  template <class Row>
  [[nodiscard, gnu::noinline, gnu::cold]] static double cleared(BasicPerceptron rule,
                                                                View<double> w, Row x,
                                                                double norm,
                                                                double score) noexcept {
    return unless_rounding(score, [&](auto take) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        take(w[x.index(k)] * (x.value(k) / norm));
      }
      take(rule.constant.cell * rule.constant.value);
      take(unit_rounding);
    });
  }

  /// The L2 norm; 1 for a zero row, which is not changed; infinite if the squares
  /// overflow or underflow, so that the round is refused instead of scaled wrongly.
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
  static void add(View<double> w, const Row& x, double y) noexcept {
    for (std::size_t k = 0; k < x.size(); ++k) w[x.index(k)] += y * x.value(k);
  }
};

using Perceptron = BasicPerceptron<false>;
using NormalizedPerceptron = BasicPerceptron<true>;

static_assert(Rule<Perceptron> && Rule<NormalizedPerceptron>);
static_assert(Rule<BasicPerceptron<false, true>> && Rule<BasicPerceptron<true, true>>);

}  // namespace littlestone
