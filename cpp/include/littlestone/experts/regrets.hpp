// Rules that weigh experts by their regrets: the learner's charge minus the expert's.
// Each expert has its own rate, set by its own past.
//
// An expert that sleeps has no regret, and its state does not change. If no weight is
// above 0, the priors are used.
#pragma once

#include "littlestone/experts/weighing.hpp"

namespace littlestone {

/// Regrets and their squares, and the priors.
struct Regrets {
  static constexpr double step = 0x1p600;

  Totals sums;
  std::vector<double> squares;
  std::vector<double> units;  // the unit of each expert's regrets: 1, or `step`
  Priors priors;
  bool widened = false;  // whether some unit is not 1

  void begin(std::span<const double> given) {
    sums.resize(given.size());
    squares.assign(given.size(), 0.0);
    units.assign(given.size(), 1.0);
    widened = false;
    priors.begin(given);
  }
  /// Adds an expert with this share.
  void join(double share) {
    const std::size_t n = squares.size();
    double others = 0.0;
    for (std::size_t i = 0; i < n; ++i) others += priors.of(i);
    priors.join(n, share / (1.0 - share) * others);
    sums.resize(n + 1);
    squares.push_back(0.0);
    units.push_back(1.0);
  }
  [[nodiscard]] std::size_t size() const noexcept { return squares.size(); }

  /// Whether the square of a regret, or a sum of many, could overflow.
  [[nodiscard]] bool crowded(std::size_t i, double regret) const noexcept {
    return std::abs(regret) / units[i] >= 0x1p500;
  }
  /// Counts this expert's regrets in the larger unit from now on. Only this one's: the
  /// regrets of others might underflow.
  void widen(std::size_t i, bool logarithms = false) noexcept {
    units[i] *= step;
    widened = true;
    squares[i] = squares[i] / step / step;
    if (logarithms) return;  // no unit changes those
    sums.high[i] /= step;
    sums.low[i] /= step;
  }
  /// Makes room if it is needed. Returns the factor for older numbers.
  double make_room(std::size_t i, double regret, bool logarithms = false) noexcept {
    if (!crowded(i, regret)) return 1.0;
    widen(i, logarithms);
    return 1.0 / step;
  }
  /// The logarithm of a rate, whatever its unit.
  [[nodiscard]] double log_rate(std::size_t i, double rate) const noexcept {
    return units[i] == 1.0 ? log_of(rate) : log_of(rate) - log_of(units[i]);
  }
  [[nodiscard]] double log_size() const noexcept {
    return log_of(static_cast<double>(size()));
  }

  /// Whether every regret of a round can be counted in the unit 1. Almost always, and
  /// then the loops below do several experts at a time.
  [[nodiscard]] bool plain(std::span<const double> charges, double own) const noexcept {
    if (widened) return false;
    Extent extent;
    measure(extent, charges.data(), charges.size());
    // Differences round in order, so the largest is that from one of the two ends.
    return std::max(std::abs(own - extent.low), std::abs(own - extent.high)) < 0x1p500;
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor(sums.high, sums.low, squares, units);
    visitor.maybe(priors.each);
    widened = std::ranges::any_of(units, [](double unit) { return unit != 1.0; });
  }
};

/// The weights of sleeping experts must not count: they may dwarf all others.
[[nodiscard]] inline bool sleeps(Asleep asleep, std::size_t i) noexcept {
  return !asleep.empty() && asleep[i] != 0;
}

LITTLESTONE_WIDE inline void weigh_below(double largest, double* z,
                                         std::size_t n) noexcept {
  constexpr double none = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    const double weight = weight_of(z[k] - largest);
    z[k] = z[k] == none ? 0.0 : weight;
  }
}

/// Weights from their logarithms: the largest becomes 1, and -inf becomes 0.
inline void weigh_logarithms(const Priors& priors, std::span<double> out) noexcept {
  Extent extent;
  measure(extent, out.data(), out.size());
  weigh_below(extent.high, out.data(), out.size());
  priors.apply(0, out);
}

/// One expert's regret of a round in the unit 1, added to its sum.
[[gnu::always_inline]] inline void add_regret(double& high, double& low,
                                              double regret) noexcept {
  Exact sum{high, low};
  sum.add(regret);
  high = sum.high;
  low = sum.low;
}

// The rules' loops over experts, if nobody sleeps and every unit is 1.

/// The positive part of every sum, and the largest of them.
LITTLESTONE_WIDE inline double positive_sums(const Totals& sums, double* out) noexcept {
  constexpr Pack::Four zero{};
  Pack best{zero, zero};
  const std::size_t n = sums.size();
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    const Pack sum = Pack(sums.high.data() + k) + Pack(sums.low.data() + k);
    const Pack above{sum.a < zero ? zero : sum.a, sum.b < zero ? zero : sum.b};
    above.store(out + k);
    best.raise(above);
  }
  double most = best.most();
  for (std::size_t k = whole; k < n; ++k) {
    out[k] = std::max(sums.at(k).value(), 0.0);
    most = std::max(most, out[k]);
  }
  return most;
}

/// Dividing by a power of two is multiplying by another: neither rounds twice.
LITTLESTONE_WIDE inline void divide_polynomial(double* __restrict out,
                                               const double* __restrict squares,
                                               double largest, double per_near,
                                               double per_far, std::size_t n) noexcept {
  constexpr double smallest = std::numeric_limits<double>::min();
  for (std::size_t k = 0; k < n; ++k) {
    const double sum = largest + squares[k];
    const double over = sum < smallest ? smallest : sum;
    out[k] = out[k] * per_near / (over * per_far);
  }
}

/// Returns the largest square.
LITTLESTONE_WIDE inline double learn_polynomial(Totals& sums,
                                                double* __restrict squares,
                                                const double* __restrict charges,
                                                double own) noexcept {
  const Pack::Four mine{own, own, own, own};
  constexpr Pack::Four zero{};
  Pack most{zero, zero};
  const std::size_t n = sums.size();
  const std::size_t whole = n - n % Lanes::count;
  for (std::size_t k = 0; k < whole; k += Lanes::count) {
    const Pack regret = Pack{mine, mine} - Pack(charges + k);
    (void)add_exactly_here(sums.high.data() + k, sums.low.data() + k, regret);
    const Pack square = regret * regret;
    (Pack(squares + k) + square).store(squares + k);
    most.raise(square);
  }
  double largest = most.most();
  for (std::size_t k = whole; k < n; ++k) {
    const double regret = own - charges[k];
    add_regret(sums.high[k], sums.low[k], regret);
    squares[k] += regret * regret;
    largest = std::max(largest, regret * regret);
  }
  return largest;
}

LITTLESTONE_WIDE inline void weigh_bernstein(const double* __restrict rates,
                                             const double* __restrict high,
                                             const double* __restrict low,
                                             double* __restrict out,
                                             std::size_t n) noexcept {
  constexpr double none = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    const double log_weight = log_of(rates[k]) + rates[k] * (high[k] + low[k]);
    out[k] = rates[k] > 0.0 ? log_weight : none;
  }
}

/// The weights of opera's form: experts without regret keep their prior, 1.
LITTLESTONE_WIDE inline void share_bernstein(const double* __restrict rates,
                                             double total, double mass,
                                             double* __restrict out,
                                             std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    const double share = out[k] / total * mass;
    out[k] = rates[k] > 0.0 ? share : 1.0;
  }
}

template <bool Scaled>
LITTLESTONE_WIDE inline void learn_bernstein(
    double* __restrict high, double* __restrict low, double* __restrict squares,
    double* __restrict rates, const double* __restrict surprises,
    const double* __restrict charges, double own, std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    const double regret = own - charges[k];
    const double square = regret * regret;
    const double old = rates[k];
    squares[k] += square;
    if constexpr (Scaled) {
      const double rate = 1.0 / std::sqrt(2.2 * squares[k]);
      rates[k] = squares[k] > 0.0 ? rate : 0.0;
    } else {
      const double even = std::sqrt(surprises[k] / squares[k]);
      const double some = even < 0.5 ? even : 0.5;
      const double rate = squares[k] > 0.0 ? some : 0.5;
      rates[k] = rate < old ? rate : old;
    }
    add_regret(high[k], low[k], regret - (Scaled ? rates[k] : old) * square);
  }
}

LITTLESTONE_WIDE inline void weigh_product(const double* __restrict rates,
                                           const double* __restrict high,
                                           const double* __restrict low,
                                           double* __restrict out,
                                           std::size_t n) noexcept {
  constexpr double none = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    const double log_weight = log_of(rates[k]) + (high[k] + low[k]);
    out[k] = rates[k] > 0.0 ? log_weight : none;
  }
}

template <bool Scaled>
LITTLESTONE_WIDE inline void learn_product(double* __restrict high,
                                           double* __restrict low,
                                           double* __restrict squares,
                                           double* __restrict rates,
                                           double* __restrict largest,
                                           const double* __restrict charges, double own,
                                           double log_n, std::size_t n) noexcept {
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    const double regret = own - charges[k];
    const double old = rates[k];
    squares[k] += regret * regret;
    const double size = std::abs(regret);
    largest[k] = largest[k] < size ? size : largest[k];
    const double even = std::sqrt(log_n / (1.0 + squares[k]));
    const double most = 1.0 / (2.0 * largest[k]);
    const double cap = !Scaled ? 0.5 : largest[k] > 0.0 ? most : endless;
    const double rate = even < cap ? even : cap;
    const double lower = rate < old ? rate : old;
    rates[k] = old > 0.0 ? lower : rate;  // a single expert has had no rate
    const double part = rates[k] / old;
    const double kept = old > 0.0 ? part : 0.0;
    const double log_product = high[k] + low[k];
    high[k] = Scaled ? kept * log_product + log1p_of(rates[k] * regret)
                     : kept * (log_product + log1p_of(old * regret));
    low[k] = 0.0;
  }
}

/// ML-Poly: positive regrets, divided by 1 plus the sum of squares so far; in opera's
/// form by the largest square plus that sum.
struct Polynomial {
  static constexpr bool tiled = false;
  bool scaled;  // opera's form, which needs no range
  Regrets regrets{};
  double largest = 0.0;

  void begin(std::span<const double> priors) {
    regrets.begin(priors);
    if (!scaled) largest = 1.0;
  }
  void join(double share) {
    const double unit = regrets.units[0];
    regrets.join(share);
    regrets.units.back() = unit;
  }

  void weigh(std::size_t, std::span<double> out) const noexcept {
    const double best = positive_sums(regrets.sums, out.data());
    divide_polynomial(out.data(), regrets.squares.data(), largest,
                      1.0 / nearest_power(best), 1.0 / nearest_power(largest),
                      out.size());
    regrets.priors.apply(0, out);
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    double best = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = sleeps(asleep, i) ? 0.0 : std::max(regrets.sums.at(i).value(), 0.0);
      best = std::max(best, out[i]);
    }
    // Scaling by powers of two does not round, and keeps the quotients in range.
    constexpr double smallest = std::numeric_limits<double>::min();
    const double near = nearest_power(best);
    const double far = nearest_power(largest);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double over = std::max(largest + regrets.squares[i], smallest);
      out[i] = out[i] / near / (over / far);
    }
    regrets.priors.apply(0, out);
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    if (regrets.plain(charges, own)) {
      const double most =
          learn_polynomial(regrets.sums, regrets.squares.data(), charges.data(), own);
      if (scaled) largest = std::max(largest, most);
      return;
    }
    // All are compared with the largest, so they have one unit.
    double most = 0.0;
    for (const double charge : charges) most = std::max(most, std::abs(own - charge));
    if (regrets.crowded(0, most)) {
      for (std::size_t i = 0; i < charges.size(); ++i) regrets.widen(i);
      largest = largest / Regrets::step / Regrets::step;
    }
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double regret = (own - charges[i]) / regrets.units[i];
      regrets.sums.add(i, regret);
      regrets.squares[i] += regret * regret;
      if (scaled) largest = std::max(largest, regret * regret);
    }
  }
  void settle() const noexcept {}

  template <class Visitor>
  void visit(Visitor& visitor) {
    regrets.visit(visitor);
    visitor(largest);
  }

 private:
  /// The power of two below a number, or a nearby one.
  [[nodiscard]] static double nearest_power(double x) noexcept {
    return std::ldexp(1.0, x > 0.0 ? std::clamp(std::ilogb(x), -1000, 1000) : -1000);
  }
};

/// ML-Prod: products of 1 + eta r, with rates that decrease as the squares grow.
struct Product {
  static constexpr bool tiled = false;
  bool scaled;        // opera's form
  Regrets regrets{};  // the sums are logarithms of the products
  std::vector<double> rates{};
  std::vector<double> largest{};  // the largest absolute regrets

  void begin(std::span<const double> priors) {
    regrets.begin(priors);
    largest.assign(priors.size(), 0.0);
    rates.assign(priors.size(), rate(0));
  }
  void join(double share) {
    regrets.join(share);
    largest.push_back(0.0);
    rates.push_back(0.0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] == 0.0) rates[i] = rate(i);  // new, or alone until now
    }
  }

  void weigh(std::size_t, std::span<double> out) const noexcept {
    if (regrets.widened) return weigh_awake({}, out);
    weigh_product(rates.data(), regrets.sums.high.data(), regrets.sums.low.data(),
                  out.data(), out.size());
    weigh_logarithms(regrets.priors, out);
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = rates[i] > 0.0 && !sleeps(asleep, i)
                   ? regrets.log_rate(i, rates[i]) + regrets.sums.at(i).value()
                   : -std::numeric_limits<double>::infinity();
    }
    weigh_logarithms(regrets.priors, out);
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    if (regrets.plain(charges, own)) {
      (scaled ? learn_product<true>
              : learn_product<false>)(regrets.sums.high.data(), regrets.sums.low.data(),
                                      regrets.squares.data(), rates.data(),
                                      largest.data(), charges.data(), own,
                                      regrets.log_size(), charges.size());
      return;
    }
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double shrunk = regrets.make_room(i, own - charges[i], true);
      const double regret = (own - charges[i]) / regrets.units[i];
      const double old = rates[i] / shrunk;
      regrets.squares[i] += regret * regret;
      largest[i] = std::max(largest[i] * shrunk, std::abs(regret));
      // A new expert raises ln N, but the theorem requires rates that do not rise.
      rates[i] = old > 0.0 ? std::min(old, rate(i)) : rate(i);
      const double kept = old > 0.0 ? rates[i] / old : 0.0;
      const double log_product = regrets.sums.at(i).value();
      // The published product uses the rate before the round.
      const double grown = scaled ? kept * log_product + log1p_of(rates[i] * regret)
                                  : kept * (log_product + log1p_of(old * regret));
      regrets.sums.set(i, {grown, 0.0});
    }
  }
  void settle() const noexcept {}

  template <class Visitor>
  void visit(Visitor& visitor) {
    regrets.visit(visitor);
    visitor(rates, largest);
  }

 private:
  [[nodiscard]] double rate(std::size_t i) const noexcept {
    const double one = 1.0 / regrets.units[i] / regrets.units[i];
    const double even = std::sqrt(regrets.log_size() / (one + regrets.squares[i]));
    const double cap = !scaled            ? 0.5
                       : largest[i] > 0.0 ? 1.0 / (2.0 * largest[i])
                                          : std::numeric_limits<double>::infinity();
    return std::min(cap, even);
  }
};

/// opera's MLewa: exponential weights with a rate for each expert, sqrt(ln N /
/// squares).
struct RatedExponential {
  static constexpr bool tiled = false;
  Regrets regrets{};

  void begin(std::span<const double> priors) { regrets.begin(priors); }
  void join(double share) { regrets.join(share); }

  void weigh(std::size_t, std::span<double> out) const noexcept {
    weigh_awake({}, out);
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    const double log_n = regrets.log_size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = sleeps(asleep, i) ? -std::numeric_limits<double>::infinity()
               : regrets.squares[i] > 0.0
                   ? std::sqrt(log_n / regrets.squares[i]) * regrets.sums.at(i).value()
                   : 0.0;
    }
    weigh_logarithms(regrets.priors, out);
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    for (std::size_t i = 0; i < charges.size(); ++i) {
      regrets.make_room(i, own - charges[i]);
      const double regret = (own - charges[i]) / regrets.units[i];
      regrets.sums.add(i, regret);
      regrets.squares[i] += regret * regret;
    }
  }
  void settle() const noexcept {}

  template <class Visitor>
  void visit(Visitor& visitor) {
    regrets.visit(visitor);
  }
};

/// BOA: exponential weights of the regrets minus the rate times their squares.
struct Bernstein {
  static constexpr bool tiled = false;
  bool scaled;  // opera's form
  Regrets regrets{};
  std::vector<double> rates{};
  std::vector<double> surprises{};  // ln of 1 over the prior

  void begin(std::span<const double> priors) {
    regrets.begin(priors);
    for (const double prior : priors) surprises.push_back(log_of(1.0 / prior));
    rates.assign(priors.size(), 0.0);
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = rate(i);
  }
  void join(double share) {
    regrets.join(share);
    const double more = log_of(1.0 / (1.0 - share));
    for (double& surprise : surprises) surprise += more;  // their priors have shrunk
    surprises.push_back(log_of(1.0 / share));
    rates.push_back(0.0);
    rates.back() = rate(rates.size() - 1);
  }

  /// In opera, experts without regret keep their prior.
  void weigh(std::size_t, std::span<double> out) const noexcept {
    const bool even = regrets.priors.each.empty();
    if (regrets.widened || (scaled && !even)) return weigh_awake({}, out);
    weigh_bernstein(rates.data(), regrets.sums.high.data(), regrets.sums.low.data(),
                    out.data(), out.size());
    weigh_logarithms(regrets.priors, out);
    if (!scaled) return;
    const auto known =
        std::ranges::count_if(rates, [](double rate) { return rate > 0.0; });
    if (known == 0) return;
    share_bernstein(rates.data(), sum(out), static_cast<double>(known), out.data(),
                    out.size());
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    double mass = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool known = rates[i] > 0.0 && !sleeps(asleep, i);
      out[i] =
          known ? regrets.log_rate(i, rates[i]) + rates[i] * regrets.sums.at(i).value()
                : -std::numeric_limits<double>::infinity();
      if (known) mass += regrets.priors.of(i);
    }
    weigh_logarithms(regrets.priors, out);
    if (!scaled || mass == 0.0) return;
    const double total = sum(out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (sleeps(asleep, i)) continue;
      out[i] = rates[i] > 0.0 ? out[i] / total * mass : regrets.priors.of(i);
    }
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    if (regrets.plain(charges, own)) {
      (scaled ? learn_bernstein<true>
              : learn_bernstein<false>)(regrets.sums.high.data(),
                                        regrets.sums.low.data(), regrets.squares.data(),
                                        rates.data(), surprises.data(), charges.data(),
                                        own, charges.size());
      return;
    }
    for (std::size_t i = 0; i < charges.size(); ++i) {
      regrets.make_room(i, own - charges[i]);
      const double regret = (own - charges[i]) / regrets.units[i];
      const double old = rates[i];
      regrets.squares[i] += regret * regret;
      // A new expert raises the others' ln(1 / prior), but no rate may rise.
      rates[i] = scaled ? rate(i) : std::min(old, rate(i));
      regrets.sums.add(i, regret - (scaled ? rates[i] : old) * (regret * regret));
    }
  }
  void settle() const noexcept {}

  template <class Visitor>
  void visit(Visitor& visitor) {
    regrets.visit(visitor);
    visitor(rates, surprises);
  }

 private:
  [[nodiscard]] double rate(std::size_t i) const noexcept {
    const double squares = regrets.squares[i];
    if (scaled) return squares > 0.0 ? 1.0 / std::sqrt(2.2 * squares) : 0.0;
    return squares > 0.0 ? std::min(0.5, std::sqrt(surprises[i] / squares)) : 0.5;
  }
};

}  // namespace littlestone
