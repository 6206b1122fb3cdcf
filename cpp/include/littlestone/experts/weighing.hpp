// What the rules that weigh experts share.
//
// A rule keeps numbers for each expert and turns them into weights. `weigh` writes
// weights, up to a common factor, for experts from `first` on; `learn` takes the charge
// of each of them and of the learner itself. A rule that is `tiled` can be called for
// one tile of experts after another, so that the data stay in the first cache; `settle`
// then ends the round. Other rules are always called for all experts at once.
//
// `learn_awake` gets a mask of the experts that sleep; their shares do not change. A
// rule that learns from regrets does not have it: sleeping experts are charged what the
// learner is, and so have no regret.
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

/// Which experts sleep: one byte for each, 1 if it does.
using Asleep = std::span<const std::uint8_t>;

/// e^z, or 0 if that underflows. Weights are relative to the best, so z is at most
/// slightly above 0.
[[nodiscard, gnu::always_inline]] inline double weight_of(double z) noexcept {
  const double weight = exp_of(z);
  return z < -largest_exponent ? 0.0 : weight;
}

[[nodiscard]] inline bool all_equal(std::span<const double> given) noexcept {
  return std::ranges::all_of(given, [&](double x) { return x == given[0]; });
}

/// The priors; empty if all are equal.
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
    if (!all_equal(given)) each.assign(given.begin(), given.end());
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
  rule.begin(priors);                          // above 0, with a sum of 1 to 2
  rule.join(number);                           // one more expert, with this share
  fixed.weigh(std::size_t{}, out);             // for experts from the first on
  rule.learn(std::size_t{}, charges, number);  // the last: what the learner is charged
  rule.settle();
};

template <class R>
concept Mixing = requires(R rule, const R fixed, Asleep asleep, std::span<double> out,
                          std::span<const double> charges) {
  fixed.weigh_awake(asleep, out);
  rule.learn_awake(asleep, charges);
};

/// Numbers of advice, and what came true.
struct AdviceRow {
  const double* advice;
  double y;
  bool checked = false;  // every loss is in the range
};

/// The result of a round played at once.
struct Sprint {
  double prediction;
  double own;
  double largest;   // of the losses, including the learner's own
  double smallest;  // of the totals afterwards
};

/// The range of losses, and how large they may be without overflow.
struct Limits {
  double low;
  double high;
  double room;
};

/// A rule that keeps the experts' losses itself.
template <class R>
concept KeepsLosses = requires(const R rule, std::size_t i) {
  { rule.loss(i) } -> std::same_as<Exact>;
};

}  // namespace littlestone
