// What the rules that weigh experts share.
//
// A rule keeps numbers for each expert and turns them into weights. `weigh` writes
// weights, of any common scale, for experts first to last - 1; `learn` takes what each
// of them is charged and what the learner itself is charged. A rule that is `tiled`
// may be asked tile by tile, so that a large crowd goes through the first cache;
// `settle` then ends the round. The others are always asked for everyone at once.
//
// Of experts that sleep, `learn_awake` is told by a mask. Their shares stay what they
// were. A rule that learns from regrets has none: it is told that they were charged
// what the learner was, and so have no regret.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/experts/sums.hpp"
#include "littlestone/math/exponential.hpp"
#include "littlestone/math/logarithm.hpp"

namespace littlestone {

/// Who sleeps: one byte an expert, 1 for asleep.
using Asleep = std::span<const std::uint8_t>;

/// e^z, and 0 where doubles end below. Weights are relative to the best, so z is at
/// most a little above 0.
[[nodiscard, gnu::always_inline]] inline double weight_of(double z) noexcept {
  const double weight = exp_of(z);
  return z < -largest_exponent ? 0.0 : weight;
}

/// What every expert brings along; nothing is kept while they all bring the same.
struct Priors {
  std::vector<double> each;

  [[nodiscard]] double of(std::size_t i) const noexcept {
    return each.empty() ? 1.0 : each[i];
  }
  void apply(std::size_t first, std::span<double> weights) const noexcept {
    if (each.empty()) return;
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] *= each[first + k];
  }
  void begin(std::span<const double> given) {
    const bool same =
        std::ranges::all_of(given, [&](double p) { return p == given[0]; });
    if (!same) each.assign(given.begin(), given.end());
  }
  void join(std::size_t n, double prior) {
    if (each.empty()) {
      if (prior == 1.0) return;
      each.assign(n, 1.0);
    }
    each.push_back(prior);
  }
};

template <class R>
concept Weighing = requires(R rule, const R fixed, std::span<const double> priors,
                            std::span<double> out, std::span<const double> charges,
                            double number) {
  { R::tiled } -> std::convertible_to<bool>;
  rule.begin(priors);                          // priors that sum to one
  rule.join(number);                           // one more expert, with this share
  fixed.weigh(std::size_t{}, out);             // of experts from here on
  rule.learn(std::size_t{}, charges, number);  // the last: what the learner is charged
  rule.settle();
};

template <class R>
concept Mixing = requires(R rule, const R fixed, Asleep asleep, std::span<double> out,
                          std::span<const double> charges) {
  fixed.weigh_awake(asleep, out);
  rule.learn_awake(asleep, charges);
};

/// What a round of a few experts comes to.
struct Sprint {
  double prediction;
  double own;
  double largest;   // of the losses, the learner's own among them
  double smallest;  // of the totals afterwards
};

/// What losses may be, and twice of what there is still room for.
struct Limits {
  double low;
  double high;
  double room;
};

/// A rule whose own books are the experts' losses.
template <class R>
concept KeepsLosses = requires(const R rule, std::size_t i) {
  { rule.loss(i) } -> std::same_as<Exact>;
};

}  // namespace littlestone
