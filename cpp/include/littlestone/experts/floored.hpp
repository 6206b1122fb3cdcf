// Weighted majority with a floor: a wrong expert is halved only while its weight is
// above the floor, so that it can recover within any interval of rounds.
#pragma once

#include "littlestone/experts/weighing.hpp"

namespace littlestone {

struct Floored {
  static constexpr bool tiled = false;
  std::vector<double> weights{};
  std::vector<double> priors{};  // empty while all are equal
  double total = 0.0;

  void begin(std::span<const double> given) {
    weights.assign(given.begin(), given.end());
    priors.clear();
    if (all_equal(given)) {
      // 1/N is rounded and 1 is not, and then neither are halves nor their sums.
      std::ranges::fill(weights, 1.0);
    } else {
      priors = weights;
    }
    total = sum(weights);
  }
  void join(double share) {
    const std::size_t n = weights.size();
    const double odds = share / (1.0 - share);
    if (priors.empty() && share != 1.0 / static_cast<double>(n + 1)) {
      priors.assign(n, 1.0);
    }
    if (!priors.empty()) priors.push_back(odds * sum(priors));
    weights.push_back(odds * total);
    total = sum(weights);
  }

  void weigh(std::size_t first, std::span<double> out) const noexcept {
    std::ranges::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(first),
                        static_cast<std::ptrdiff_t>(out.size()), out.begin());
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = asleep[i] != 0 ? 0.0 : weights[i];
    }
  }

  void learn(std::size_t, std::span<const double> charges, double) noexcept {
    // The floor is a quarter of the share that the expert started with. A weight is its
    // prior times a power of two, so only the sums may round.
    const bool equal = priors.empty();
    const double parts =
        4.0 * (equal ? static_cast<double>(weights.size()) : sum(priors));
    for (std::size_t i = 0; i < charges.size(); ++i) {
      if (charges[i] == 0.0) continue;
      const double left = equal ? weights[i] : weights[i] / priors[i];
      if (left * parts >= total) weights[i] *= 0.5;
    }
    settle();
  }
  void learn_awake(Asleep asleep, std::span<const double> charges) {
    std::vector<double> charged(charges.begin(), charges.end());
    for (std::size_t i = 0; i < asleep.size(); ++i) {
      if (asleep[i] != 0) charged[i] = 0.0;
    }
    learn(0, charged, 0.0);
  }
  void settle() noexcept {
    // Multiplying by a power of two does not round, so no share changes.
    constexpr double small = 0x1p-400;
    total = sum(weights);
    if (total >= small) return;
    for (double& weight : weights) weight *= 1.0 / small;
    total *= 1.0 / small;
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor(weights, total);
    visitor.at_the_end(priors);
  }
};

}  // namespace littlestone
