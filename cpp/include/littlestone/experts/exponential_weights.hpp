// Exponential weights: an expert's weight is e^(-eta L), where L is its total charge.
#pragma once

#include <cstdint>

#include "littlestone/experts/loss.hpp"
#include "littlestone/experts/weighing.hpp"

namespace littlestone {

/// Numbers that one loop passes to the next: as many as fit into the first cache.
inline constexpr std::size_t tile = 512;
struct alignas(64) Tile : std::array<double, tile> {};

/// The first half of an exponential: e^z = scale e^rest.
[[gnu::always_inline]] inline void reduce_here(const double* high, const double* low,
                                               Exact base, double eta, double* scale,
                                               double* rest, std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    const double z = -eta * ((high[k] - base.high) + (low[k] - base.low));
    const bool far = z < -largest_exponent;  // far behind: its weight is 0
    const Reduced parts = reduced(far ? -largest_exponent : z);
    rest[k] = parts.x;
    scale[k] = far ? 0.0 : parts.scale;
  }
}

/// In two loops: each waits for its own results half as long as one loop would.
[[gnu::always_inline]] inline void weigh_totals_here(const double* high,
                                                     const double* low, Exact base,
                                                     double eta, double* out,
                                                     std::size_t n) noexcept {
  Tile rest;
  for (std::size_t i = 0; i < n; i += tile) {
    const std::size_t m = std::min(tile, n - i);
    reduce_here(high + i, low + i, base, eta, out + i, rest.data(), m);
    for (std::size_t k = 0; k < m; ++k) out[i + k] *= 1.0 + more_of(rest[k]);
  }
}
LITTLESTONE_WIDE inline void weigh_totals(const double* high, const double* low,
                                          Exact base, double eta, double* out,
                                          std::size_t n) noexcept {
  weigh_totals_here(high, low, base, eta, out, n);
}

/// Turns totals into weights, and back.
struct Potential {
  Totals totals;
  Priors priors;
  Exact base{};  // near the smallest total; weights are relative to it

  void begin(std::span<const double> given) {
    totals.resize(given.size());
    priors.begin(given);
  }

  void weigh(double eta, std::size_t first, std::span<double> out) const noexcept {
    weigh_totals(totals.high.data() + first, totals.low.data() + first, base, eta,
                 out.data(), out.size());
    priors.apply(first, out);
  }

  /// The smallest total, of the experts awake if some sleep.
  [[nodiscard]] Exact smallest(Asleep asleep = {}) const noexcept {
    Exact best{std::numeric_limits<double>::infinity(), 0.0};
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const Exact total = totals.at(i);
      const bool better =
          total.high < best.high || (total.high == best.high && total.low < best.low);
      if (better && (asleep.empty() || asleep[i] == 0)) best = total;
    }
    return best;
  }

  /// The weights of the experts awake, relative to the best of them.
  void weigh_awake(double eta, Asleep asleep, std::span<double> out) const noexcept {
    const Exact best = smallest(asleep);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double z = -eta * (totals.at(i) - best);
      out[i] = asleep[i] != 0 ? 0.0 : priors.of(i) * weight_of(z);
    }
  }

  /// Charges the experts awake, and charges the others so that their shares do not
  /// change: minus ln of the factor by which the weight of those awake shrinks, over
  /// eta. Summed in two doubles: beside a huge charge one would lose the logarithm.
  void learn_awake(double eta, Asleep asleep, std::span<const double> charges) {
    const Exact before = smallest(asleep);
    Exact mixed{-before.high, -before.low};
    std::vector<double> weights(asleep.size());
    weigh_awake(eta, asleep, weights);
    const double mass = sum(weights);
    for (std::size_t i = 0; i < asleep.size(); ++i) {
      if (asleep[i] == 0) totals.add(i, charges[i]);
    }
    weigh_awake(eta, asleep, weights);
    mixed.add(smallest(asleep));
    mixed.add(-log_of(sum(weights) / mass) / eta);
    for (std::size_t i = 0; i < asleep.size(); ++i) {
      if (asleep[i] != 0) totals.add(i, mixed);
    }
    base = smallest();
  }

  /// Adds an expert with this share of the total weight.
  void join(double eta, double share) {
    std::vector<double> weights(totals.size());
    weigh(eta, 0, weights);
    enter(share / (1.0 - share) * sum(weights));
  }
  void enter(double prior) {
    priors.join(totals.size(), prior);
    totals.high.push_back(base.high);
    totals.low.push_back(base.low);
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor(totals.high, totals.low);
    visitor.maybe(priors.each);
    visitor(base.high, base.low);
  }
};

/// Asks for memory that may be read soon, and need not be there.
[[gnu::always_inline]] inline void fetch_ahead(const double* from,
                                               std::size_t beyond) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(from) + beyond * sizeof *from;
  __builtin_prefetch(reinterpret_cast<const void*>(place), 0, 2);
}

/// A whole round in one function: predicts the weighted mean, and charges the experts.
/// Returns false, and changes nothing, if something may be wrong with the round. The
/// charges do not depend on the prediction, so once the losses are checked, one pass
/// over the experts is enough.
template <LossKind Kind, class Numbers>
[[gnu::always_inline]] inline bool sprint_here(Totals& totals, Exact base, double eta,
                                               double tau, const double* f, double y,
                                               const Limits& limits,
                                               Sprint& found) noexcept {
  // No valid prediction is further from y, whatever the loss. Their sum is finite.
  const double reach = (1.0 + limits.high) / std::min(tau, 1.0 - tau);
  const bool small = std::abs(y) + reach < 0x1p900 && 4.0 * limits.high < limits.room;
  if (!small) return false;
  Tile weights;
  Tile rest;
  const std::size_t n = totals.size();
  if (!Loss::at_most_here<Kind>(f, y, tau, limits.high, n)) return false;
  Lanes weight;
  Lanes weighted;
  Lanes least;
  least.sums.fill(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; i += tile) {
    const std::size_t m = std::min(tile, n - i);
    double* const high = totals.high.data() + i;
    double* const low = totals.low.data() + i;
    reduce_here(high, low, base, eta, weights.data(), rest.data(), m);
    Numbers plain(weight.sums.data());
    Numbers times(weighted.sums.data());
    Numbers smallest(least.sums.data());
    const std::size_t whole = m - m % Lanes::count;
    for (std::size_t k = 0; k < whole; k += Lanes::count) {
      fetch_ahead(f, n + i + k);
      const Numbers p(f + i + k);
      const Numbers w =
          Numbers(weights.data() + k) *
          Numbers(rest.data() + k).mapped([](auto x) __attribute__((always_inline)) {
            return 1.0 + more_of(x);
          });
      plain = plain + w;
      times = times + w * p;
      const auto loss = p.mapped([=](auto x) __attribute__((always_inline)) {
        return Loss::of_kind<Kind>(x, y, tau);
      });
      smallest.lower(add_exactly_here(high + k, low + k, loss));
    }
    plain.store(weight.sums.data());
    times.store(weighted.sums.data());
    smallest.store(least.sums.data());
    for (std::size_t k = whole; k < m; ++k) {
      const double w = weights[k] * (1.0 + more_of(rest[k]));
      weight.sums[k - whole] += w;
      weighted.sums[k - whole] += w * f[i + k];
      Exact total{high[k], low[k]};
      total.add(Loss::of_kind<Kind>(f[i + k], y, tau));
      high[k] = total.high;
      low[k] = total.low;
      least.sums[0] = std::min(least.sums[0], total.high);
    }
  }
  const double mean = weighted.total() / weight.total();
  const double own = Loss::of_kind<Kind>(mean, y, tau);
  found = {mean, own, std::max(limits.high, own), std::ranges::min(least.sums)};
  return true;
}

template <LossKind Kind>
LITTLESTONE_WIDE inline bool sprint_wide(Totals& totals, Exact base, double eta,
                                         double tau, const double* f, double y,
                                         const Limits& limits, Sprint& found) noexcept {
  return sprint_here<Kind, Pack>(totals, base, eta, tau, f, y, limits, found);
}

/// With AVX-512 in full registers: half as many operations, in the same order.
template <LossKind Kind>
LITTLESTONE_WIDEST inline bool sprint_widest(Totals& totals, Exact base, double eta,
                                             double tau, const double* f, double y,
                                             const Limits& limits,
                                             Sprint& found) noexcept {
  return sprint_here<Kind, WidePack>(totals, base, eta, tau, f, y, limits, found);
}

template <LossKind Kind>
[[nodiscard]] inline bool sprint(Totals& totals, Exact base, double eta, double tau,
                                 const double* f, double y, const Limits& limits,
                                 Sprint& found) noexcept {
  const bool many = totals.size() >= 64;  // fewer do not gain
  const auto play = many && has_widest() ? sprint_widest<Kind> : sprint_wide<Kind>;
  return play(totals, base, eta, tau, f, y, limits, found);
}

struct ExponentialWeights {
  static constexpr bool tiled = true;
  double eta;
  Potential potential{};
  double smallest = std::numeric_limits<double>::infinity();  // of this round so far

  void begin(std::span<const double> priors) { potential.begin(priors); }
  void join(double share) { potential.join(eta, share); }

  void weigh(std::size_t first, std::span<double> out) const noexcept {
    potential.weigh(eta, first, out);
  }
  void learn(std::size_t first, std::span<const double> charges, double) noexcept {
    smallest = std::min(smallest, potential.totals.add(first, charges));
  }
  void settle() noexcept {
    // The second part of a total is below 2^-53 of the first: only for a huge total can
    // it make a weight vanish.
    const bool huge = eta * std::abs(smallest) > 0x1p53;
    potential.base = huge ? potential.smallest() : Exact{smallest, 0.0};
    smallest = std::numeric_limits<double>::infinity();
  }

  /// Plays a whole round at once, if the advice is numbers and the priors are equal.
  [[nodiscard]] bool play(const Loss& loss, const double* f, double y,
                          const Limits& limits, Sprint& found) noexcept {
    // These losses are never below 0, so that one limit is enough.
    const bool known = limits.low <= 0.0 && std::isfinite(limits.high);
    if (!known || !potential.priors.each.empty()) return false;
    bool played = false;
    switch (loss.kind) {
      case LossKind::absolute:
        played = sprint<LossKind::absolute>(potential.totals, potential.base, eta,
                                            loss.tau, f, y, limits, found);
        break;
      case LossKind::square:
        played = sprint<LossKind::square>(potential.totals, potential.base, eta,
                                          loss.tau, f, y, limits, found);
        break;
      case LossKind::pinball:
        played = sprint<LossKind::pinball>(potential.totals, potential.base, eta,
                                           loss.tau, f, y, limits, found);
        break;
      default: break;
    }
    if (!played) return false;
    smallest = found.smallest;
    settle();
    return true;
  }

  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    potential.weigh_awake(eta, asleep, out);
  }
  void learn_awake(Asleep asleep, std::span<const double> charges) {
    potential.learn_awake(eta, asleep, charges);
  }

  [[nodiscard]] Exact loss(std::size_t i) const noexcept {
    return potential.totals.at(i);
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    potential.visit(visitor);
  }
};

}  // namespace littlestone
