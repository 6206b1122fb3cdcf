// What an update rule is, and the one loop that plays every rule.
#pragma once

#include <algorithm>  // std::min
#include <array>
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
  { fixed.scores(w, x, x) } noexcept -> std::same_as<std::array<double, 2>>;
  { rule.learn(w, x, score, label) } noexcept -> std::same_as<bool>;  // changed?
  { fixed.state() } -> std::same_as<std::vector<double>>;  // learned beside the weights
  rule.restore(std::span<const double>{});
};

[[nodiscard]] constexpr bool says_yes(double score) noexcept { return score >= 0.0; }

/// The weighted sum, in the order of the row.
template <class Row>
[[nodiscard]] double dot(WeightView w, const Row& x) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += w[x.index(k)] * x.value(k);
  return sum;
}

/// The weighted sums of two rows, each in its own order. An addition must wait for the
/// one before it, so two sums side by side take little longer than one.
template <class Row>
[[nodiscard]] std::array<double, 2> dots(WeightView w, const Row& x,
                                         const Row& next) noexcept {
  std::array<double, 2> sums{};
  const std::size_t both = std::min(x.size(), next.size());
  for (std::size_t k = 0; k < both; ++k) {
    sums[0] += w[x.index(k)] * x.value(k);
    sums[1] += w[next.index(k)] * next.value(k);
  }
  for (std::size_t k = both; k < x.size(); ++k) {
    sums[0] += w[x.index(k)] * x.value(k);
  }
  for (std::size_t k = both; k < next.size(); ++k) {
    sums[1] += w[next.index(k)] * next.value(k);
  }
  return sums;
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

/// The one loop over rows [first, last): scores each row and hands it to `told`, which
/// answers whether the weights changed, until a row is refused.
///
/// Two rows are scored at a time. The second score is thrown away if the first row
/// changes the weights: the results are those of one row after the other.
template <Rule R, class B, class Told>
Played each_round(const R& rule, WeightView w, const B& block, std::size_t first,
                  std::size_t last, Told told) {
  const B rows = block;  // a copy the compiler can keep in registers
  std::vector<std::uint64_t> scratch;
  std::size_t updates = 0;
  double score = 0.0;
  double next_score = 0.0;
  bool next_known = false;
  for (std::size_t t = first; t < last; ++t) {
    const auto x = rows[t];
    if (next_known) {
      score = next_score;
      next_known = false;
    } else {
      rows.prefetch(t);
      if (!rows.plain(t)) [[unlikely]] {
        const Finding found = rows.check(t, scratch);
        if (found.fault != Fault::none) return {t, updates, found};
      }
      const Finding found = rule.fault(x);
      if (found.fault != Fault::none) [[unlikely]]
        return {t, updates, found};
      if (t + 1 < last && rows.plain(t + 1) &&
          rule.fault(rows[t + 1]).fault == Fault::none) {
        const auto scores = rule.scores(w, x, rows[t + 1]);
        score = scores[0];
        next_score = scores[1];
        next_known = true;
      } else {
        score = rule.score(w, x);
      }
    }
    if (!std::isfinite(score)) [[unlikely]]
      return {t, updates, why_not_finite(x)};
    if (told(t, x, score)) {
      ++updates;
      next_known = false;
    }
  }
  return {last, updates, {}};
}

/// Plays rows [first, last) in order: predict, be told, learn.
template <Rule R, class B>
Played play(R& rule, WeightView w, const B& block, std::span<const bool> labels,
            std::span<bool> predictions, std::size_t first, std::size_t last) {
  R local = rule;  // in registers: a store to a weight cannot change it
  const Played played = each_round(local, w, block, first, last,
                                   [&](std::size_t t, const auto& x, double score) {
                                     predictions[t] = says_yes(score);
                                     return local.learn(w, x, score, labels[t]);
                                   });
  rule = local;
  return played;
}

/// Scores rows [first, last) without learning.
template <Rule R, class B>
Played score(const R& rule, WeightView w, const B& block, std::span<double> scores,
             std::size_t first, std::size_t last) {
  return each_round(rule, w, block, first, last,
                    [&](std::size_t t, const auto&, double score) {
                      scores[t] = score;
                      return false;
                    });
}

}  // namespace littlestone
