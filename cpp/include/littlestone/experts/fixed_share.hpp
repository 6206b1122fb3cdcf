// Fixed Share: exponential weights that redistribute a part of every weight after each
// round, so that the best expert may change.
#pragma once

#include "littlestone/experts/weighing.hpp"

namespace littlestone {

struct FixedShare {
  static constexpr bool tiled = false;
  double eta;
  double alpha;  // above 0, so that no share becomes 0
  std::vector<double> shares{};

  void begin(std::span<const double> priors) {
    shares.assign(priors.begin(), priors.end());
  }
  void join(double share) {
    for (double& other : shares) other *= 1.0 - share;
    shares.push_back(share);
  }

  void weigh(std::size_t first, std::span<double> out) const noexcept {
    std::ranges::copy_n(shares.begin() + static_cast<std::ptrdiff_t>(first),
                        static_cast<std::ptrdiff_t>(out.size()), out.begin());
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = asleep[i] != 0 ? 0.0 : shares[i];
    }
  }

  void learn(std::size_t, std::span<const double> charges, double) {
    learn_awake({}, charges);
  }
  /// The experts awake redistribute their weights among themselves.
  void learn_awake(Asleep asleep, std::span<const double> charges) {
    const auto awake = [&](std::size_t i) { return asleep.empty() || asleep[i] == 0; };
    double least = std::numeric_limits<double>::infinity();
    std::size_t count = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!awake(i)) continue;
      least = std::min(least, charges[i]);
      ++count;
    }
    std::vector<double> kept(shares.size());
    std::vector<double> before(shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!awake(i)) continue;
      before[i] = shares[i];
      kept[i] = shares[i] * weight_of(-eta * (charges[i] - least));
    }
    const double mass = asleep.empty() ? 1.0 : sum(before);
    const double total = sum(kept);
    // A product may underflow to 0, from which a share cannot recover.
    const double given = std::max(alpha * mass / static_cast<double>(count),
                                  std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (awake(i)) shares[i] = (1.0 - alpha) * mass * (kept[i] / total) + given;
    }
  }
  void settle() const noexcept {}

  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor(shares);
  }
};

}  // namespace littlestone
