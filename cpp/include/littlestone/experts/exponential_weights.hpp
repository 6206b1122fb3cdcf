// Exponential weights: an expert's weight is e^(-eta L), where L is its total charge.
#pragma once

#include <cstdint>

#include "littlestone/experts/loss.hpp"
#include "littlestone/experts/weighing.hpp"

namespace littlestone {

/// Weights of which the first half is made: e^z = scale e^rest.
template <class Numbers>
struct HalfMade {
  Numbers scale;
  Numbers rest;

  [[nodiscard, gnu::always_inline]] static HalfMade of(const double* high,
                                                       const double* low, Exact base,
                                                       double eta) noexcept {
    const auto behind = Numbers(high).mapped([=](auto x) LITTLESTONE_INLINED {
      return x - base.high;
    }) + Numbers(low).mapped([=](auto x) LITTLESTONE_INLINED { return x - base.low; });
    const auto z = behind.mapped([=](auto x) LITTLESTONE_INLINED { return -eta * x; });
    // Far behind: its weight is 0.
    return {z.mapped([](auto x) LITTLESTONE_INLINED {
              return x < -largest_exponent ? decltype(x){} : reduced(x).scale;
            }),
            z.mapped([](auto x) LITTLESTONE_INLINED {
              return x < -largest_exponent ? decltype(x){} : reduced(x).x;
            })};
  }
  [[nodiscard, gnu::always_inline]] Numbers weights() const noexcept {
    return scale *
           rest.mapped([](auto x) LITTLESTONE_INLINED { return 1.0 + more_of(x); });
  }
};

/// Calls `use(k, weights)` for eight experts after another, as long as there are eight.
/// A weight waits for a long row of operations, so the next ones are begun before it is
/// used.
template <class Numbers, class Use>
[[gnu::always_inline]] inline void weigh_eights_here(const double* high,
                                                     const double* low, Exact base,
                                                     double eta, std::size_t n,
                                                     Use use) noexcept {
  if (n < Lanes::count) return;
  const std::size_t last = n - n % Lanes::count - Lanes::count;
  auto next = HalfMade<Numbers>::of(high, low, base, eta);
  for (std::size_t k = 0; k < last; k += Lanes::count) {
    const auto now = next;
    const std::size_t then = k + Lanes::count;
    next = HalfMade<Numbers>::of(high + then, low + then, base, eta);
    use(k, now.weights());
  }
  use(last, next.weights());
}

template <class Numbers>
[[gnu::always_inline]] inline void weigh_totals_here(const double* high,
                                                     const double* low, Exact base,
                                                     double eta, double* out,
                                                     std::size_t n) noexcept {
  weigh_eights_here<Numbers>(high, low, base, eta, n,
                             [=](std::size_t k, const Numbers& w)
                                 LITTLESTONE_INLINED { w.store(out + k); });
  for (std::size_t k = n - n % Lanes::count; k < n; ++k) {
    out[k] = weight_of(-eta * (Exact{high[k], low[k]} - base));
  }
}
LITTLESTONE_WIDE inline void weigh_totals_wide(const double* high, const double* low,
                                               Exact base, double eta, double* out,
                                               std::size_t n) noexcept {
  weigh_totals_here<Pack>(high, low, base, eta, out, n);
}
LITTLESTONE_WIDEST inline void weigh_totals_widest(const double* high,
                                                   const double* low, Exact base,
                                                   double eta, double* out,
                                                   std::size_t n) noexcept {
  weigh_totals_here<WidePack>(high, low, base, eta, out, n);
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
    const auto weigh = has_widest() ? weigh_totals_widest : weigh_totals_wide;
    weigh(totals.high.data() + first, totals.low.data() + first, base, eta, out.data(),
          out.size());
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
  __builtin_prefetch(reinterpret_cast<const void*>(place));
}

/// A whole round in one function: predicts the weighted mean, and charges the experts.
/// Returns false, and changes nothing, if something may be wrong with the round. The
/// charges do not depend on the prediction, so once the losses are checked, one pass
/// over the experts is enough; it checks those of the next row as well. `Larger` says
/// that no loss in range exceeds a total.
template <LossKind Kind, class Numbers, bool Larger>
[[gnu::always_inline]] inline bool sprint_here(Totals& totals, Exact base, double eta,
                                               double tau, const AdviceRow& row,
                                               const Limits& limits, AdviceRow& next,
                                               Sprint& found) noexcept {
  const double* const f = row.advice;
  const double* const coming = next.advice;
  const double y = row.y;
  const double next_y = next.y;
  // No valid prediction is further from y, whatever the loss. Their sum is finite.
  const double reach = (1.0 + limits.high) / std::min(tau, 1.0 - tau);
  const bool small = std::abs(y) + reach < 0x1p900 && 4.0 * limits.high < limits.room;
  if (!small) return false;
  const std::size_t n = totals.size();
  if (!row.checked && !Loss::at_most_here<Kind, Numbers>(f, y, tau, limits.high, n)) {
    return false;
  }
  const auto losses = [=](const Numbers& p, double outcome) LITTLESTONE_INLINED {
    return p.mapped([=](auto x) LITTLESTONE_INLINED {
      return Loss::of_kind<Kind>(x, outcome, tau);
    });
  };
  double* const high = totals.high.data();
  double* const low = totals.low.data();
  Lanes weight;
  Lanes weighted;
  Lanes least;
  least.sums.fill(std::numeric_limits<double>::infinity());
  Numbers plain(weight.sums.data());
  Numbers times(weighted.sums.data());
  Numbers smallest(least.sums.data());
  typename Numbers::Within within(limits.high);
  weigh_eights_here<Numbers>(
      high, low, base, eta, n,
      [&](std::size_t k, const Numbers& w) LITTLESTONE_INLINED {
        // By itself the processor fetches no further than to the end of a page.
        fetch_ahead(coming, k + 2048);
        fetch_ahead(f, k + 512);
        fetch_ahead(high, k + 512);
        fetch_ahead(low, k + 512);
        const Numbers p(f + k);
        plain = plain + w;
        times = times + w * p;
        smallest.lower(add_exactly_here<Larger>(high + k, low + k, losses(p, y)));
        within.look(losses(Numbers(coming + k), next_y));
      });
  plain.store(weight.sums.data());
  times.store(weighted.sums.data());
  smallest.store(least.sums.data());
  next.checked = within.all_within();
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = whole; k < n; ++k) {
    const double w = weight_of(-eta * (totals.at(k) - base));
    weight.sums[k - whole] += w;
    weighted.sums[k - whole] += w * f[k];
    totals.add(k, Loss::of_kind<Kind>(f[k], y, tau));
    least.sums[0] = std::min(least.sums[0], high[k]);
    next.checked &= Loss::of_kind<Kind>(coming[k], next_y, tau) <= limits.high;
  }
  const double mean = weighted.total() / weight.total();
  const double own = Loss::of_kind<Kind>(mean, y, tau);
  found = {mean, own, std::max(limits.high, own), std::ranges::min(least.sums)};
  return true;
}

template <LossKind Kind, bool Larger>
LITTLESTONE_WIDE inline bool sprint_wide(Totals& totals, Exact base, double eta,
                                         double tau, const AdviceRow& row,
                                         const Limits& limits, AdviceRow& next,
                                         Sprint& found) noexcept {
  return sprint_here<Kind, Pack, Larger>(totals, base, eta, tau, row, limits, next,
                                         found);
}

/// With AVX-512 in full registers: half as many operations, in the same order.
template <LossKind Kind, bool Larger>
LITTLESTONE_WIDEST inline bool sprint_widest(Totals& totals, Exact base, double eta,
                                             double tau, const AdviceRow& row,
                                             const Limits& limits, AdviceRow& next,
                                             Sprint& found) noexcept {
  return sprint_here<Kind, WidePack, Larger>(totals, base, eta, tau, row, limits, next,
                                             found);
}

template <LossKind Kind>
[[nodiscard]] inline bool sprint(Totals& totals, Exact base, double eta, double tau,
                                 const AdviceRow& row, const Limits& limits,
                                 AdviceRow& next, Sprint& found) noexcept {
  const bool many = totals.size() >= 64;         // fewer do not gain
  const bool larger = base.high >= limits.high;  // the base is the smallest total
  const auto play =
      many && has_widest()
          ? (larger ? sprint_widest<Kind, true> : sprint_widest<Kind, false>)
          : (larger ? sprint_wide<Kind, true> : sprint_wide<Kind, false>);
  return play(totals, base, eta, tau, row, limits, next, found);
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
  [[nodiscard]] bool play(const Loss& loss, const AdviceRow& row, const Limits& limits,
                          AdviceRow& next, Sprint& found) noexcept {
    // These losses are never below 0, so that one limit is enough.
    const bool known = limits.low <= 0.0 && std::isfinite(limits.high);
    if (!known || !potential.priors.each.empty()) return false;
    bool played = false;
    switch (loss.kind) {
      case LossKind::absolute:
        played = sprint<LossKind::absolute>(potential.totals, potential.base, eta,
                                            loss.tau, row, limits, next, found);
        break;
      case LossKind::square:
        played = sprint<LossKind::square>(potential.totals, potential.base, eta,
                                          loss.tau, row, limits, next, found);
        break;
      case LossKind::pinball:
        played = sprint<LossKind::pinball>(potential.totals, potential.base, eta,
                                           loss.tau, row, limits, next, found);
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
    Visitor::check(potential.base.high == potential.smallest().high);
  }
};

}  // namespace littlestone
