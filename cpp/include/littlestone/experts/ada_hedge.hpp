// AdaHedge: exponential weights with a rate set by the past.
//
// The rate is ln N over the sum of the mixability gaps so far: the amounts by which the
// weighted mean of the charges exceeded the mix loss. While there is no gap the rate is
// infinite, and the experts with the smallest total have equal weights.
#pragma once

#include "littlestone/experts/exponential_weights.hpp"

namespace littlestone {

/// The sum of weights times what charges are above the smallest.
LITTLESTONE_WIDE inline void add_above(Lanes& to, const double* w,
                                       const double* charges, double least,
                                       std::size_t n) noexcept {
  Pack sums(to.sums.data());
  const Lanes all{{least, least, least, least, least, least, least, least}};
  const Pack below(all.sums.data());
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    sums = sums + Pack(w + k) * (Pack(charges + k) - below);
  }
  sums.store(to.sums.data());
  for (std::size_t k = whole; k < n; ++k) {
    to.sums[k - whole] += w[k] * (charges[k] - least);
  }
}
[[nodiscard]] inline double sum_above(std::span<const double> weights,
                                      std::span<const double> charges,
                                      double least) noexcept {
  Lanes lanes;
  add_above(lanes, weights.data(), charges.data(), least, charges.size());
  return lanes.total();
}

/// The smallest second part of the totals with this first part.
LITTLESTONE_WIDE inline double least_low(const Totals& totals, double high) noexcept {
  Lanes found;
  found.sums.fill(std::numeric_limits<double>::infinity());
  const Pack none(found.sums.data());
  const Lanes same{{high, high, high, high, high, high, high, high}};
  const Pack first(same.sums.data());
  Pack least = none;
  const std::size_t whole = totals.size() - totals.size() % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    const Pack h(totals.high.data() + k);
    const Pack l(totals.low.data() + k);
    least.lower({h.a == first.a ? l.a : none.a, h.b == first.b ? l.b : none.b});
  }
  double low = least.least();
  for (std::size_t k = whole; k < totals.size(); ++k) {
    if (totals.high[k] == high) low = std::min(low, totals.low[k]);
  }
  return low;
}

struct AdaHedge {
  static constexpr bool tiled = false;
  Potential potential{};
  Exact gap{};  // the sum of the gaps
  double log_n =
      0.0;  // ln N, with N at least 2, so that a single expert has a rate too

  void begin(std::span<const double> priors) {
    potential.begin(priors);
    log_n = log_of(std::max(2.0, static_cast<double>(priors.size())));
  }
  void join(double share) {
    std::vector<double> weights(potential.totals.size());
    weigh(0, weights);
    const double prior = share / (1.0 - share) * sum(weights);
    potential.enter(prior);  // log_n counts only the first experts
  }

  [[nodiscard]] double rate() const noexcept {
    // An infinite rate would give the best expert, whose difference is 0, a weight of
    // NaN.
    return std::min(log_n / gap.value(), std::numeric_limits<double>::max());
  }

  void weigh(std::size_t first, std::span<double> out) const noexcept {
    if (gap.value() > 0.0) {
      potential.weigh(rate(), first, out);
    } else {
      lead(potential.base, {}, first, out);
    }
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    if (gap.value() > 0.0) {
      potential.weigh_awake(rate(), asleep, out);
    } else {
      lead(potential.smallest(asleep), asleep, 0, out);
    }
  }

  void learn(std::size_t, std::span<const double> charges, double) {
    std::vector<double> weights(charges.size());
    weigh(0, weights);
    learn_weighed(charges, weights);
  }
  /// The same as `learn_awake`, if nobody sleeps, with the weights before the round,
  /// which are changed.
  void learn_weighed(std::span<const double> charges, std::span<double> weights) {
    Extent extent;
    measure(extent, charges.data(), charges.size());
    const double least = extent.low;
    const double mass = sum(weights);
    const double mean = sum_above(weights, charges, least) / mass;
    Exact mixed{-potential.base.high, -potential.base.low};
    const double high = potential.totals.add(0, charges);
    potential.base = {high, least_low(potential.totals, high)};
    mixed.add(potential.base);
    mixed.add(-least);
    if (gap.value() > 0.0) {
      weigh(0, weights);
      mixed.add(-log_of(sum(weights) / mass) / rate());
    }
    if (mean > mixed.value()) gap.add(mean - mixed.value());
  }
  /// Charges are relative to the smallest one: if all are large, rounding of their sums
  /// would swamp the gap.
  void learn_awake(Asleep asleep, std::span<const double> charges) {
    const std::size_t n = potential.totals.size();
    const auto awake = [&](std::size_t i) { return asleep.empty() || asleep[i] == 0; };
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      if (awake(i)) least = std::min(least, charges[i]);
    }
    std::vector<double> weights(n);
    weigh_some(asleep, weights);
    const double mass = sum(weights);
    Lanes more;
    for (std::size_t i = 0; i < n; ++i) {
      if (awake(i)) more.sums[i % Lanes::count] += weights[i] * (charges[i] - least);
    }
    const double mean = more.total() / mass;
    const Exact before = potential.smallest(asleep);
    for (std::size_t i = 0; i < n; ++i) {
      if (awake(i)) potential.totals.add(i, charges[i]);
    }
    const Exact after = potential.smallest(asleep);
    Exact mixed{-before.high, -before.low};
    mixed.add(after);
    mixed.add(-least);
    if (gap.value() > 0.0) {
      potential.base = after;
      weigh_some(asleep, weights);
      mixed.add(-log_of(sum(weights) / mass) / rate());
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (awake(i)) continue;
      potential.totals.add(i, least);
      potential.totals.add(i, mixed);
    }
    potential.base = potential.smallest();
    if (mean > mixed.value()) gap.add(mean - mixed.value());
  }
  void settle() const noexcept {}

  [[nodiscard]] Exact loss(std::size_t i) const noexcept {
    return potential.totals.at(i);
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    potential.visit(visitor);
    visitor(gap.high, gap.low, log_n);
  }

 private:
  void weigh_some(Asleep asleep, std::span<double> out) const noexcept {
    if (asleep.empty()) {
      weigh(0, out);
    } else {
      weigh_awake(asleep, out);
    }
  }
  void lead(Exact best, Asleep asleep, std::size_t first,
            std::span<double> out) const noexcept {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t i = first + k;
      const bool awake = asleep.empty() || asleep[i] == 0;
      const bool leads = potential.totals.at(i) - best == 0.0;
      out[k] = awake && leads ? potential.priors.of(i) : 0.0;
    }
  }
};

}  // namespace littlestone
