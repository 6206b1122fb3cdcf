// Rules that weigh experts by their regrets: what the learner was charged minus what
// the expert was. Each expert has a rate of its own, set by its own past.
//
// An expert that sleeps has no regret, and nothing of it changes. Where no weight is
// above 0 the priors decide.
#pragma once

#include "littlestone/experts/weighing.hpp"

namespace littlestone {

/// Regrets and their squares, and what every expert brings along.
struct Regrets {
  Totals sums;
  std::vector<double> squares;
  Priors priors;
  double unit = 1.0;  // what they are counted in, a power of two

  void begin(std::span<const double> given) {
    sums.resize(given.size());
    squares.assign(given.size(), 0.0);
    priors.begin(given);
  }
  /// One more, who brings `share` of what the others bring together.
  void join(double share) {
    const std::size_t n = squares.size();
    double others = 0.0;
    for (std::size_t i = 0; i < n; ++i) others += priors.of(i);
    priors.join(n, share / (1.0 - share) * others);
    sums.resize(n + 1);
    squares.push_back(0.0);
  }
  [[nodiscard]] std::size_t size() const noexcept { return squares.size(); }

  /// Makes room for regrets whose squares no double could hold: from then on they are
  /// counted in a larger unit. Returns the factor by which to make older ones smaller.
  double make_room(std::span<const double> charges, double own,
                   bool logarithms = false) noexcept {
    constexpr double step = 0x1p600;
    double largest = 0.0;
    for (const double charge : charges) {
      largest = std::max(largest, std::abs(own - charge));
    }
    if (largest / unit < 0x1p500) return 1.0;
    unit *= step;
    if (!logarithms) {  // which no unit changes
      for (double& high : sums.high) high /= step;
      for (double& low : sums.low) low /= step;
    }
    for (double& square : squares) square = square / step / step;
    return 1.0 / step;
  }
  [[nodiscard]] double log_size() const noexcept {
    return log_of(static_cast<double>(size()));
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor(sums.high, sums.low, squares, priors.each, unit);
  }
};

/// Weights from logarithms, of which the largest weighs 1; -inf weighs nothing.
inline void weigh_logarithms(const Priors& priors, std::span<double> out) noexcept {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double z : out) largest = std::max(largest, z);
  for (double& z : out) {
    z = z == -std::numeric_limits<double>::infinity() ? 0.0 : weight_of(z - largest);
  }
  priors.apply(0, out);
}

/// ML-Poly: regrets above 0, over 1 plus the squares so far; in opera's form over the
/// largest square so far plus the squares.
struct Polynomial {
  static constexpr bool tiled = false;
  bool scaled;  // opera's form, which needs no range
  Regrets regrets{};
  double largest = 0.0;

  void begin(std::span<const double> priors) {
    regrets.begin(priors);
    if (!scaled) largest = 1.0;
  }
  void join(double share) { regrets.join(share); }

  void weigh(std::size_t, std::span<double> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double regret = regrets.sums.at(i).value();
      out[i] = regret > 0.0 ? regret / (largest + regrets.squares[i]) : 0.0;
    }
    regrets.priors.apply(0, out);
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    const double shrunk = regrets.make_room(charges, own);
    largest = largest * shrunk * shrunk;
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double regret = (own - charges[i]) / regrets.unit;
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
};

/// ML-Prod: products of 1 + eta r, with rates that fall as the squares grow.
struct Product {
  static constexpr bool tiled = false;
  bool scaled;        // opera's form
  Regrets regrets{};  // the sums are logarithms of the products
  std::vector<double> rates{};
  std::vector<double> largest{};  // of the regrets' sizes

  void begin(std::span<const double> priors) {
    regrets.begin(priors);
    largest.assign(priors.size(), 0.0);
    rates.assign(priors.size(), rate(0));
  }
  void join(double share) {
    regrets.join(share);
    largest.push_back(0.0);
    rates.push_back(rate(regrets.size() - 1));
  }

  void weigh(std::size_t, std::span<double> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = rates[i] > 0.0 ? log_of(rates[i]) + regrets.sums.at(i).value()
                              : -std::numeric_limits<double>::infinity();
    }
    weigh_logarithms(regrets.priors, out);
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    const double shrunk = regrets.make_room(charges, own, true);
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double regret = (own - charges[i]) / regrets.unit;
      const double old = rates[i] / shrunk;
      regrets.squares[i] += regret * regret;
      largest[i] = std::max(largest[i] * shrunk, std::abs(regret));
      rates[i] = rate(i);
      const double kept = old > 0.0 ? rates[i] / old : 0.0;
      const double log_product = regrets.sums.at(i).value();
      // The published product takes the rate that was known before the round.
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
    const double one = 1.0 / regrets.unit / regrets.unit;
    const double even = std::sqrt(regrets.log_size() / (one + regrets.squares[i]));
    const double cap = !scaled            ? 0.5
                       : largest[i] > 0.0 ? 1.0 / (2.0 * largest[i])
                                          : std::numeric_limits<double>::infinity();
    return std::min(cap, even);
  }
};

/// opera's MLewa: exponential weights with a rate an expert, sqrt(ln N over squares).
struct RatedExponential {
  static constexpr bool tiled = false;
  Regrets regrets{};

  void begin(std::span<const double> priors) { regrets.begin(priors); }
  void join(double share) { regrets.join(share); }

  void weigh(std::size_t, std::span<double> out) const noexcept {
    const double log_n = regrets.log_size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = regrets.squares[i] > 0.0
                   ? std::sqrt(log_n / regrets.squares[i]) * regrets.sums.at(i).value()
                   : 0.0;
    }
    weigh_logarithms(regrets.priors, out);
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    regrets.make_room(charges, own);
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double regret = (own - charges[i]) / regrets.unit;
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

/// BOA: exponential weights of regrets less their squares times the rate.
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
    surprises.push_back(log_of(1.0 / share));
    rates.push_back(0.0);
    rates.back() = rate(rates.size() - 1);
  }

  /// opera leaves experts without a regret so far the share they brought.
  void weigh(std::size_t, std::span<double> out) const noexcept {
    double mass = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = rates[i] > 0.0 ? log_of(rates[i]) + rates[i] * regrets.sums.at(i).value()
                              : -std::numeric_limits<double>::infinity();
      if (rates[i] > 0.0) mass += regrets.priors.of(i);
    }
    weigh_logarithms(regrets.priors, out);
    if (!scaled || mass == 0.0) return;
    const double total = sum(out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = rates[i] > 0.0 ? out[i] / total * mass : regrets.priors.of(i);
    }
  }
  void learn(std::size_t, std::span<const double> charges, double own) noexcept {
    regrets.make_room(charges, own);
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double regret = (own - charges[i]) / regrets.unit;
      const double old = rates[i];
      regrets.squares[i] += regret * regret;
      rates[i] = rate(i);
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
