// What an update rule is, and the one loop that plays every rule.
#pragma once

#include <cmath>     // std::isfinite
#include <concepts>  // std::same_as
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>  // std::as_const
#include <vector>

#include "littlestone/rows.hpp"
#include "littlestone/weights.hpp"

namespace littlestone {

/// A rule scores a row and, told the label, may change the weights. It says yes exactly
/// when the score is at least 0. `fault(x)` refuses what voids its theorem.
template <class R>
concept Rule = requires(R rule, const R fixed, WeightView w, ResolvedRow x,
                        double score, bool label) {
  { R::initial_weight } -> std::convertible_to<double>;
  { fixed.fault(x) } noexcept -> std::same_as<Finding>;
  { fixed.score(w, x) } noexcept -> std::same_as<double>;
  { rule.learn(w, x, score, label) } noexcept -> std::same_as<bool>;  // changed?
  { fixed.state() } -> std::same_as<std::vector<double>>;  // learned beside the weights
  rule.restore(std::span<const double>{});
};

[[nodiscard]] constexpr bool says_yes(double score) noexcept { return score >= 0.0; }

/// The weighted sum, in the order of the row.
template <class Row>
[[nodiscard]] double dot(WeightView w, const Row& x) noexcept {
  double sum = 0.0;
  std::size_t k = 0;
  // Unrolled by hand, the order kept: less bookkeeping per feature lets the processor
  // run further ahead into the next rows.
  for (; k + 4 <= x.size(); k += 4) {
    sum += w[x.index(k)] * x.value(k);
    sum += w[x.index(k + 1)] * x.value(k + 1);
    sum += w[x.index(k + 2)] * x.value(k + 2);
    sum += w[x.index(k + 3)] * x.value(k + 3);
  }
  for (; k < x.size(); ++k) sum += w[x.index(k)] * x.value(k);
  return sum;
}

/// The first value for which `refused` is true, or a clean finding.
template <class Row, class Refused>
[[nodiscard]] Finding first_value(const Row& x, Fault fault, Refused refused) noexcept {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (refused(x.value(k))) return {fault, k};
  }
  return {};
}

/// What is wrong with a row whose score is not finite. A value that is NaN or infinite
/// always shows in the score, so a good row pays for one test and no more.
template <class Row>
[[nodiscard]] Finding why_not_finite(const Row& x) noexcept {
  const auto found =
      first_value(x, Fault::not_finite, [](double v) { return !std::isfinite(v); });
  return found.fault == Fault::none ? Finding{Fault::score_overflow, 0} : found;
}

/// One round: the score, whether the weights changed, and what stopped it if anything.
struct Round {
  double score = 0.0;
  bool updated = false;
  Finding finding{};
};

template <Rule R, class Row>
[[nodiscard]] Round scored(const R& rule, WeightView w, const Row& x) noexcept {
  if (const auto found = rule.fault(x); found.fault != Fault::none) {
    return {.finding = found};
  }
  const double score = rule.score(w, x);
  if (!std::isfinite(score)) return {.finding = why_not_finite(x)};
  return {.score = score};
}

template <Rule R, class Row>
Round play_one(R& rule, WeightView w, const Row& x, bool label) noexcept {
  Round round = scored(std::as_const(rule), w, x);
  if (round.finding.fault == Fault::none) {
    round.updated = rule.learn(w, x, round.score, label);
  }
  return round;
}

/// How far a block was played. The round that stopped it left nothing behind.
struct Played {
  std::size_t rounds = 0;
  std::size_t updates = 0;
  Finding finding{};
};

/// The one loop over rows [first, last): checks each row's columns, then hands the row
/// to `one_round`, until a round is refused.
template <class B, class OneRound>
Played each_row(const B& block, std::size_t first, std::size_t last,
                OneRound one_round) {
  const B rows = block;  // a copy the compiler can keep in registers
  std::vector<std::uint64_t> scratch;
  std::size_t updates = 0;
  for (std::size_t t = first; t < last; ++t) {
    if (!rows.plain(t)) [[unlikely]] {
      const Finding found = rows.check(t, scratch);
      if (found.fault != Fault::none) return {t, updates, found};
    }
    const Round round = one_round(t, rows[t]);
    if (round.finding.fault != Fault::none) [[unlikely]] {
      return {t, updates, round.finding};
    }
    updates += round.updated ? 1U : 0U;
  }
  return {last, updates, {}};
}

/// Plays rows [first, last) in order: predict, be told, learn.
template <Rule R, class B>
Played play(R& rule, WeightView w, const B& block, std::span<const bool> labels,
            std::span<bool> predictions, std::size_t first, std::size_t last) {
  R local = rule;  // in registers: a store to a weight cannot change it
  const Played played = each_row(block, first, last, [&](std::size_t t, const auto& x) {
    const Round round = play_one(local, w, x, labels[t]);
    predictions[t] = says_yes(round.score);
    return round;
  });
  rule = local;
  return played;
}

/// Scores rows [first, last) without learning.
template <Rule R, class B>
Played score(const R& rule, WeightView w, const B& block, std::span<double> scores,
             std::size_t first, std::size_t last) {
  return each_row(block, first, last, [&](std::size_t t, const auto& x) {
    const Round round = scored(rule, w, x);
    scores[t] = round.score;
    return round;
  });
}

}  // namespace littlestone
