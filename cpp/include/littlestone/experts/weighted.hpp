// One round with expert advice: weigh, predict, get the outcome, charge, learn. One
// loop for every rule and every loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "littlestone/experts/forecaster.hpp"
#include "littlestone/experts/loss.hpp"
#include "littlestone/experts/weighing.hpp"
#include "littlestone/math/random.hpp"
#include "littlestone/read_once.hpp"

namespace littlestone {

LITTLESTONE_WIDE inline bool all_labels(const double* f, std::size_t n) noexcept {
  std::size_t bad = 0;
  for (std::size_t k = 0; k < n; ++k) bad += f[k] != 0.0 && f[k] != 1.0 ? 1 : 0;
  return bad == 0;
}

LITTLESTONE_WIDE inline void scale_all(double* x, double low, double by,
                                       std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) x[k] = (x[k] - low) / by;
}

// Distributions over outcomes, as columns: what n experts give the first outcome, then
// what they give the next. Each function has all of them, as a call costs as much as a
// few experts do.

/// Writes columns; returns whether each row was a distribution.
LITTLESTONE_WIDE inline bool as_columns(const double* advice, std::size_t n,
                                        std::size_t outcomes,
                                        double* columns) noexcept {
  std::size_t bad = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double together = 0.0;
    for (std::size_t j = 0; j < outcomes; ++j) {
      const double p = advice[i * outcomes + j];
      bad += p >= 0.0 && p <= 1.0 ? 0 : 1;
      together += p;
      columns[j * n + i] = p;
    }
    bad += std::abs(together - 1.0) <= 1e-9 ? 0 : 1;
  }
  return bad == 0;
}

/// Adds up the columns, by weights.
LITTLESTONE_WIDE inline void sum_columns(const double* columns, const double* weights,
                                         std::size_t n, std::size_t outcomes,
                                         double* sums) noexcept {
  for (std::size_t j = 0; j < outcomes; ++j) {
    Lanes weight;
    Lanes weighted;
    add_weighted_here(weight, weighted, weights, columns + j * n, n);
    sums[j] = weighted.total();
  }
}

/// Minus the Brier loss of each expert, for each outcome; `squares` is room for n.
LITTLESTONE_WIDE inline void spare_columns(const double* columns, std::size_t n,
                                           std::size_t outcomes, double* squares,
                                           double* out) noexcept {
  for (std::size_t i = 0; i < n; ++i) squares[i] = 0.0;
  for (std::size_t j = 0; j < outcomes; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      const double p = columns[j * n + i];
      squares[i] += p * p;
    }
  }
  for (std::size_t j = 0; j < outcomes; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      out[j * n + i] = -(squares[i] + (1.0 - 2.0 * columns[j * n + i]));
    }
  }
}

/// The Brier losses of some experts, with columns of `stride` experts.
LITTLESTONE_WIDE inline void brier_all(const double* columns, std::size_t stride,
                                       std::size_t outcomes, std::size_t y, double* out,
                                       std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) out[i] = 0.0;
  for (std::size_t j = 0; j < outcomes; ++j) {
    const double right = j == y ? 1.0 : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double miss = columns[j * stride + i] - right;
      out[i] += miss * miss;
    }
  }
}

LITTLESTONE_WIDE inline void times_all(double slope, const double* f, double* out,
                                       std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) out[k] = slope * f[k];
}

template <Weighing Rule>
class Weighted final : public Forecaster {
 public:
  Weighted(const Setting& setting, Rule rule)
      : Forecaster(setting), rule_(std::move(rule)) {}

  void begin(std::span<const double> priors) override {
    priors_.assign(priors.begin(), priors.end());
    rule_.begin(priors);
    parted_ = false;
    if (!keeps_books()) part();
    tile_ = Rule::tiled ? std::min(priors.size(), most_in_tile) : priors.size();
    weights_.resize(tile_);
    losses_.resize(tile_);
  }

  void join(double share) override {
    part();
    if (slept_.size() == 0) slept_.resize(size());
    rule_.join(share);
    for (double& prior : priors_) prior *= 1.0 - share;
    priors_.push_back(share);
    truth_.resize(size());
    slept_.resize(size());
    slept_.set(size() - 1, own_);
    tile_ = Rule::tiled ? std::min(size(), most_in_tile) : size();
    weights_.resize(tile_);
    losses_.resize(tile_);
  }

  void weights(Asleep asleep, std::span<double> out) const override {
    weigh(asleep, out);
    const double total = sum(out);
    for (double& weight : out) weight /= total;
  }

  [[nodiscard]] Exact loss(std::size_t i) const noexcept override {
    if constexpr (KeepsLosses<Rule>) {
      if (!parted_) return rule_.loss(i);
    }
    return truth_.at(i);
  }
  void losses(std::span<double> out) const noexcept override {
    if constexpr (KeepsLosses<Rule>) {
      if (!parted_) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = rule_.loss(i).value();
        return;
      }
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = truth_.at(i).value();
  }

  [[nodiscard]] AdviceFinding predict(const double* advice, std::size_t outcomes,
                                      double* prediction) override {
    Round round{advice, outcomes, 0.0, prediction};
    if (auto found = look(round); found.fault != AdviceFault::none) return found;
    return combine(round);
  }

  [[nodiscard]] AdviceFinding play(const double* advice, std::size_t outcomes, double y,
                                   double* prediction, double* loss) override {
    const AdviceRow row{advice, y};
    AdviceRow next = row;
    return play(row, next, outcomes, prediction, loss);
  }

  [[nodiscard]] AdviceFinding learn_given(const double* advice,
                                          const Given& given) override {
    double prediction = 0.0;
    double loss = 0.0;
    Round round{advice, 1, 0.0, &prediction};
    if (auto found = look(round); found.fault != AdviceFault::none) return found;
    if (auto found = combine(round); found.fault != AdviceFault::none) return found;
    return learn(round, &given, &loss);
  }

  [[nodiscard]] std::size_t play_rows(const double* advice, std::size_t stride,
                                      std::size_t outcomes, const double* y,
                                      std::size_t rows, double* predictions,
                                      double* losses, AdviceFinding& finding) override {
    AdviceRow next{advice, rows > 0 ? read_once(y[0]) : 0.0};
    for (std::size_t t = 0; t < rows; ++t) {
      const AdviceRow row = next;
      if (t + 1 < rows) next = {row.advice + stride, read_once(y[t + 1])};
      finding = play(row, next, outcomes, predictions + t * outcomes, losses + t);
      if (finding.fault != AdviceFault::none) return t;
    }
    return rows;
  }

  [[nodiscard]] Numbers state() override {
    Numbers numbers;
    Saved saved{numbers, true, size()};
    save(saved);
    return numbers;
  }
  void restore(const Numbers& numbers) override {
    Numbers copy = numbers;
    Saved::check(!copy.empty() && !copy[0].empty());
    Saved saved{copy, false, copy[0].size()};
    begin(copy[0]);
    save(saved);
    Saved::check(saved.at == copy.size() && slept_.high.size() == slept_.low.size() &&
                 truth_.high.size() == truth_.low.size() &&
                 (!parted_ || truth_.size() == size()));
  }

 private:
  static constexpr std::size_t most_in_tile = 1024;

  /// The current round.
  struct Round {
    const double* advice;
    std::size_t outcomes;
    double y;
    double* prediction;
    bool sleepy = false;
    double weight = 0.0;  // total weight of the experts awake
  };

  /// Plays a row; of the next one, it may check the losses.
  [[nodiscard]] AdviceFinding play(const AdviceRow& row, AdviceRow& next,
                                   std::size_t outcomes, double* prediction,
                                   double* loss) {
    if (sprinted(row, next, outcomes, prediction, loss)) return {};
    Round round{row.advice, outcomes, row.y, prediction};
    if (auto found = look(round); found.fault != AdviceFault::none) return found;
    if (auto found = combine(round); found.fault != AdviceFault::none) return found;
    return learn(round, nullptr, loss);
  }

  /// Plays a usual round at once; returns false for any other, which takes the general
  /// way to the same bits.
  [[nodiscard]] bool sprinted(const AdviceRow& row, AdviceRow& next,
                              std::size_t outcomes, double* prediction, double* loss) {
    if constexpr (requires(Limits limits, Sprint found) {
                    rule_.play(setting_.loss, row, limits, next, found);
                  }) {
      if (parted_ || may_sleep || outcomes > 1 || setting_.labels ||
          setting_.probabilities || setting_.combine != Combine::mean) {
        return false;
      }
      const Limits limits{setting_.low, setting_.high,
                          std::numeric_limits<double>::max() - spent_};
      Sprint found;
      if (!rule_.play(setting_.loss, row, limits, next, found)) return false;
      spent_ += 2.0 * found.largest;
      own_.add(found.own);
      ++rounds_;
      *prediction = found.prediction;
      last_loss_ = *loss = found.own;
      return true;
    } else {
      return false;
    }
  }

  template <class Visitor>
  void save(Visitor& visitor) {
    auto rounds = static_cast<double>(rounds_);
    double parted = parted_ ? 1.0 : 0.0;
    visitor(priors_, rounds, own_.high, own_.low, expected_.high, expected_.low);
    for (Totals* totals : {&slept_, &truth_}) {
      visitor.maybe(totals->high);
      visitor.maybe(totals->low);
    }
    visitor(spent_, parted, last_loss_);
    Saved::check(rounds >= 0.0 && rounds <= 0x1p53);
    rounds_ = static_cast<std::uint64_t>(rounds);
    parted_ = parted != 0.0;
    rule_.visit(visitor);
  }

  [[nodiscard]] bool keeps_books() const noexcept {
    return KeepsLosses<Rule> && !setting_.gradient && !rescales();
  }
  /// Whether advice and outcomes are numbers of an interval.
  [[nodiscard]] bool confined() const noexcept { return std::isfinite(setting_.most); }
  [[nodiscard]] bool ranged() const noexcept {
    return std::isfinite(setting_.low) && std::isfinite(setting_.high);
  }
  [[nodiscard]] bool rescales() const noexcept {
    return ranged() && !(setting_.low == 0.0 && setting_.high == 1.0);
  }

  /// From now on the experts' losses are kept separately from the charges of the rule.
  void part() {
    if (parted_) return;
    truth_.resize(size());
    if constexpr (KeepsLosses<Rule>) {
      if (keeps_books()) {
        for (std::size_t i = 0; i < size(); ++i) truth_.set(i, rule_.loss(i));
      }
    }
    parted_ = true;
  }

  void weigh(Asleep asleep, std::span<double> out) const {
    if (asleep.empty()) {
      rule_.weigh(0, out);
    } else if constexpr (requires { rule_.weigh_awake(asleep, out); }) {
      rule_.weigh_awake(asleep, out);
    } else {
      rule_.weigh(0, out);
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = asleep[i] != 0 ? 0.0 : out[i];
    }
    if (!(sum(out) > 0.0)) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = !asleep.empty() && asleep[i] != 0 ? 0.0 : priors_[i];
      }
    }
    // The experts awake may have a tiny share of the weight, whose products with
    // predictions would underflow. Scaling by a power of two does not round.
    if (asleep.empty() || sum(out) >= 0x1p-500) return;
    for (double& weight : out) weight *= 0x1p500;
  }

  [[nodiscard]] Asleep mask(const Round& round) const noexcept {
    return round.sleepy ? Asleep(asleep_) : Asleep();
  }
  /// Whether to treat all experts at once: some sleep, or the rule is not tiled.
  [[nodiscard]] bool whole(const Round& round) const noexcept {
    return round.sleepy || !Rule::tiled;
  }

  /// Finds the experts that sleep, and checks the advice of the others.
  [[nodiscard]] AdviceFinding look(Round& round) {
    const std::size_t n = size();
    const std::size_t k = round.outcomes;
    if (may_sleep) {
      std::size_t sleepers = 0;
      asleep_.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        asleep_[i] = std::isnan(round.advice[i * k]) ? 1 : 0;
        sleepers += asleep_[i];
      }
      if (sleepers == n) return {AdviceFault::awake, 0, 0.0};
      if (sleepers > 0) {
        round.sleepy = true;
        // The NaN of sleeping experts must not enter any sum: their weight is 0.
        awake_.assign(round.advice, round.advice + n * k);
        for (std::size_t i = 0; i < n * k; ++i) {
          if (asleep_[i / k] != 0) awake_[i] = confined() ? setting_.least : 0.0;
        }
        round.advice = awake_.data();
      }
    }
    if (k > 1) return look_at_distributions(round);
    if (setting_.labels && !all_labels(round.advice, n)) {
      return first_bad(round, AdviceFault::label,
                       [](double f) { return f != 0.0 && f != 1.0; });
    }
    if (setting_.probabilities) {
      return first_bad(round, AdviceFault::probability,
                       [](double f) { return !(f >= 0.0 && f <= 1.0); });
    }
    if (confined()) {
      return first_bad(round, AdviceFault::interval, [this](double f) {
        return !(f >= setting_.least && f <= setting_.most);
      });
    }
    return {};
  }

  template <class Bad>
  [[nodiscard]] AdviceFinding first_bad(const Round& round, AdviceFault fault,
                                        Bad bad) const {
    const double* end = round.advice + size();
    const double* found = std::find_if(round.advice, end, bad);
    if (found == end) return {};
    return {fault, static_cast<std::size_t>(found - round.advice), *found};
  }

  /// Turns the advice into columns.
  [[nodiscard]] AdviceFinding look_at_distributions(const Round& round) {
    const std::size_t n = size();
    const std::size_t outcomes = round.outcomes;
    columns_.resize(n * outcomes);
    if (as_columns(round.advice, n, outcomes, columns_.data())) return {};
    for (std::size_t i = 0; i < n; ++i) {
      if (round.sleepy && asleep_[i] != 0) continue;
      double together = 0.0;
      for (std::size_t j = 0; j < outcomes; ++j) {
        const double p = round.advice[i * outcomes + j];
        if (!(p >= 0.0 && p <= 1.0)) return {AdviceFault::probability, i, p};
        together += p;
      }
      if (!(std::abs(together - 1.0) <= 1e-9)) {
        return {AdviceFault::distribution, i, together};
      }
    }
    return {};
  }
  /// What the experts give one outcome, once they have been looked at.
  [[nodiscard]] const double* column(std::size_t outcome) const noexcept {
    return columns_.data() + outcome * size();
  }

  /// Makes the prediction.
  [[nodiscard]] AdviceFinding combine(Round& round) {
    if (round.outcomes > 1) return combine_distributions(round);
    if (setting_.combine == Combine::plurality) return combine_classes(round);
    if (confined()) return combine_within(round);
    Lanes weight;
    Lanes weighted;
    if (whole(round)) {
      resize_buffers(size());
      weigh(mask(round), weights_);
      add_weighted(weight, weighted, weights_.data(), round.advice, size());
    } else {
      each_tile([&](std::size_t first, std::size_t n) {
        rule_.weigh(first, std::span(weights_).first(n));
        add_weighted(weight, weighted, weights_.data(), round.advice + first, n);
      });
    }
    round.weight = weight.total();
    const double mean = weighted.total() / round.weight;
    switch (setting_.combine) {
      case Combine::vote:
        *round.prediction = yes_wins(round, weighted.total()) ? 1.0 : 0.0;
        break;
      case Combine::draw: *round.prediction = round.advice[drawn(round)]; break;
      default:
        *round.prediction = setting_.probabilities ? std::clamp(mean, 0.0, 1.0) : mean;
    }
    if (std::isfinite(mean)) return {};
    const auto found = first_bad(round, AdviceFault::finite,
                                 [](double f) { return !std::isfinite(f); });
    return found.fault == AdviceFault::none ? AdviceFinding{AdviceFault::overflow}
                                            : found;
  }

  /// Whether yes has at least half of the weight. Where the rounding of the sums could
  /// decide, the weights are summed again without it.
  [[nodiscard]] bool yes_wins(const Round& round, double yes) {
    const double lead = 2.0 * yes - round.weight;
    const double doubt = static_cast<double>(size() + 64) * 0x1p-52 * round.weight;
    if (std::abs(lead) > doubt) return lead > 0.0;
    Partials balance;
    over(round, [&](std::size_t first, std::size_t count) {
      if (!whole(round)) rule_.weigh(first, std::span(weights_).first(count));
      for (std::size_t k = 0; k < count; ++k) {
        balance.add(round.advice[first + k] != 0.0 ? weights_[k] : -weights_[k]);
      }
    });
    return !balance.negative();
  }

  /// The class with the most weight, summed without rounding; -1 if all abstain.
  [[nodiscard]] AdviceFinding combine_classes(Round& round) {
    const std::size_t n = size();
    const double* const votes = round.advice;
    resize_buffers(n);
    weigh(mask(round), weights_);
    round.weight = sum(weights_);
    double leader = -1.0;
    const auto trails = [&](double rival) {
      if (leader < 0.0) return true;
      Partials lead;
      for (std::size_t i = 0; i < n; ++i) {
        if (votes[i] == leader) lead.add(weights_[i]);
        if (votes[i] == rival) lead.add(-weights_[i]);
      }
      return lead.negative() || (lead.parts.empty() && rival < leader);
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(votes[i])) return {AdviceFault::finite, i, votes[i]};
      const bool abstains = votes[i] < 0.0 || (round.sleepy && asleep_[i] != 0);
      if (!abstains && votes[i] != leader && trails(votes[i])) leader = votes[i];
    }
    *round.prediction = leader;
    return {};
  }

  /// From the shares of the weight that the ends of the interval would leave: the
  /// number whose square loss is at most the mix loss for every outcome in between.
  /// That holds of the nearest number between two experts as well, whatever was
  /// rounded.
  [[nodiscard]] AdviceFinding combine_within(Round& round) {
    const std::size_t n = size();
    resize_buffers(n);
    charges_.resize(losses_.size());
    weigh(mask(round), weights_);
    const auto left = [&](double end) {
      for (std::size_t i = 0; i < n; ++i) {
        const double apart = round.advice[i] - end;
        charges_[i] = -setting_.eta * (apart * apart);
      }
      exp_all(charges_.data(), n);
      Lanes weight;
      Lanes weighted;
      add_weighted(weight, weighted, weights_.data(), charges_.data(), n);
      round.weight = weight.total();
      return weighted.total();
    };
    const double ratio = left(setting_.most) / left(setting_.least);
    const double wide = setting_.most - setting_.least;
    const double middle = 0.5 * setting_.least + 0.5 * setting_.most;
    Extent advised;
    for (std::size_t i = 0; i < n; ++i) {
      if (weights_[i] > 0.0) advised.add(round.advice[i]);
    }
    *round.prediction = std::clamp(middle + log_of(ratio) / (2.0 * setting_.eta * wide),
                                   advised.low, advised.high);
    return {};
  }

  [[nodiscard]] AdviceFinding combine_distributions(Round& round) {
    const std::size_t n = size();
    const std::size_t outcomes = round.outcomes;
    const bool substitutes = setting_.combine == Combine::substitute;
    const double* columns = columns_.data();
    resize_buffers(n);
    weigh(mask(round), weights_);
    round.weight = sum(weights_);
    if (substitutes) {
      left_.resize(n * outcomes);
      spare_columns(columns, n, outcomes, losses_.data(), left_.data());
      exp_all(left_.data(), left_.size());
      columns = left_.data();
    }
    sum_columns(columns, weights_.data(), n, outcomes, round.prediction);
    for (std::size_t j = 0; j < outcomes; ++j) {
      round.prediction[j] /= round.weight;
      if (!std::isfinite(round.prediction[j])) return {AdviceFault::overflow};
    }
    if (substitutes) substitute(round);
    return {};
  }

  /// From the share g_j of the weight that outcome j would leave, with G_j = -ln g_j:
  /// the distribution (s - G_j)+ / 2, where s makes it sum to one. Its Brier loss is at
  /// most G_j for every outcome j.
  void substitute(Round& round) {
    const std::span<double> p(round.prediction, round.outcomes);
    std::ranges::transform(p, p.begin(), [](double left) { return -log_of(left); });
    sorted_.assign(p.begin(), p.end());
    std::ranges::sort(sorted_);
    double level = 0.0;
    double below = 0.0;
    for (std::size_t j = 0; j < sorted_.size(); ++j) {
      below += sorted_[j];
      level = (2.0 + below) / static_cast<double>(j + 1);
      if (j + 1 == sorted_.size() || level <= sorted_[j + 1]) break;
    }
    for (double& chance : p) chance = std::max(0.0, level - chance) / 2.0;
  }

  /// The expert followed this round: a function of the seed, the round and the weights.
  [[nodiscard]] std::size_t drawn(const Round& round) {
    SplitMix random{setting_.seed + rounds_ * 0x9E3779B97F4A7C15U};
    const double point = static_cast<double>(random() >> 11U) * 0x1p-53 * round.weight;
    double passed = 0.0;
    std::size_t last = 0;
    bool found = false;
    const auto search = [&](std::size_t first, std::size_t n) {
      for (std::size_t k = 0; k < n && !found; ++k) {
        if (weights_[k] == 0.0) continue;
        passed += weights_[k];
        last = first + k;
        found = passed > point;
      }
    };
    if (whole(round)) {
      search(0, size());
    } else {
      each_tile([&](std::size_t first, std::size_t n) {
        if (found) return;
        rule_.weigh(first, std::span(weights_).first(n));
        search(first, n);
      });
    }
    return last;
  }

  /// Charges all experts, unless the round is refused.
  [[nodiscard]] AdviceFinding learn(Round& round, const Given* given, double* loss) {
    if (given == nullptr) {
      if (auto found = look_at_outcome(round); found.fault != AdviceFault::none) {
        return found;
      }
    }
    const bool expects = setting_.hedge || setting_.combine == Combine::draw;
    const double slope = setting_.gradient ? slope_of(round, given) : 0.0;
    Extent lost;
    Extent charged;
    Lanes weight;
    Lanes weighted;
    over(round, [&](std::size_t first, std::size_t count) {
      find_losses(round, given, first, count);
      measure_awake(lost, losses_, round, count);
      if (expects) {
        if (!whole(round)) rule_.weigh(first, std::span(weights_).first(count));
        add_weighted(weight, weighted, weights_.data(), losses_.data(), count);
      }
      if (setting_.gradient) {
        find_slopes(round, slope, first, count);
        measure_awake(charged, charges_, round, count);
      }
    });
    const Extent& bounded = setting_.gradient ? charged : lost;
    if (!lost.finite() || !charged.finite() || bounded.low < setting_.low ||
        bounded.high > setting_.high) {
      return first_bad_loss(round, given, slope);
    }
    const double mean = weighted.total() / round.weight;
    const double own = setting_.hedge ? mean : own_loss_of(round, given);
    // The range of losses is known if it was declared; otherwise it is measured.
    const bool known = ranged() && !setting_.gradient;
    const Extent sizes = known ? Extent{setting_.low, setting_.high} : lost;
    const double largest =
        std::max({std::abs(sizes.low), std::abs(sizes.high), std::abs(own),
                  setting_.gradient ? std::abs(charged.low) : 0.0,
                  setting_.gradient ? std::abs(charged.high) : 0.0});
    // A mean can be better than the best loss in the range; it is charged as if it were
    // that.
    const double own_charge =
        std::max(setting_.gradient ? own_slope(round, slope) : own, setting_.low);
    // Twice, because a regret is the difference of two totals.
    const double spent = spent_ + 2.0 * std::max(largest, std::abs(own_charge));
    const bool sound = std::isfinite(own) && std::isfinite(own_charge) &&
                       spent < std::numeric_limits<double>::max();
    if (!sound) return {AdviceFault::overflow};

    spent_ = spent;
    if (round.sleepy) {
      part();
      if (slept_.size() == 0) slept_.resize(size());
    }
    over(round, [&](std::size_t first, std::size_t count) {
      if (size() > tile_ && !whole(round)) find_losses(round, given, first, count);
      if (parted_) keep_books(round, own, first, count);
      if (setting_.gradient) {
        find_slopes(round, slope, first, count);
        losses_.swap(charges_);
      }
      if (rescales()) scale_all(losses_.data(), setting_.low, width(), count);
      teach(round, rescales() ? (own_charge - setting_.low) / width() : own_charge,
            first, count);
    });
    if (!round.sleepy || !Mixing<Rule>) rule_.settle();
    own_.add(own);
    if (expects) expected_.add(mean);
    ++rounds_;
    last_loss_ = *loss = own;
    return {};
  }

  void keep_books(const Round& round, double own, std::size_t first,
                  std::size_t count) {
    if (!round.sleepy) {
      truth_.add(first, std::span<const double>(losses_).first(count));
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (asleep_[i] == 0) {
        truth_.add(i, losses_[i]);
      } else {
        slept_.add(i, own);
      }
    }
  }

  void teach(const Round& round, double own, std::size_t first, std::size_t count) {
    const auto charges = std::span<const double>(losses_).first(count);
    if (!round.sleepy) {
      if constexpr (requires { rule_.learn_weighed(charges, weights_); }) {
        rule_.learn_weighed(charges, std::span(weights_).first(count));
      } else {
        rule_.learn(first, charges, own);
      }
    } else if constexpr (Mixing<Rule>) {
      rule_.learn_awake(asleep_, charges);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        if (asleep_[i] != 0) losses_[i] = own;
      }
      rule_.learn(first, charges, own);
    }
  }

  void measure_awake(Extent& extent, std::span<const double> values, const Round& round,
                     std::size_t count) const noexcept {
    if (!round.sleepy) return measure(extent, values.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      if (asleep_[i] == 0) extent.add(values[i]);
    }
  }

  template <class Do>
  void over(const Round& round, Do act) {
    if (whole(round)) {
      act(0, size());
    } else {
      each_tile(act);
    }
  }

  template <class Do>
  void each_tile(Do act) {
    for (std::size_t first = 0; first < size(); first += tile_) {
      act(first, std::min(tile_, size() - first));
    }
  }

  void resize_buffers(std::size_t n) {
    if (weights_.size() < n) weights_.resize(n);
    if (losses_.size() < n) losses_.resize(n);
  }

  [[nodiscard]] AdviceFinding look_at_outcome(const Round& round) const noexcept {
    const double y = round.y;
    bool sound = std::isfinite(y);
    if (round.outcomes > 1) {
      sound = sound && y >= 0.0 && y < static_cast<double>(round.outcomes) &&
              y == std::floor(y);
    } else if (setting_.labels || setting_.probabilities) {
      sound = y == 0.0 || y == 1.0;
    } else if (setting_.loss.kind == LossKind::percentage) {
      sound = sound && y != 0.0;
    } else if (confined()) {
      sound = y >= setting_.least && y <= setting_.most;
    }
    // No expert is at fault; that field has the number of outcomes instead.
    return sound ? AdviceFinding{}
                 : AdviceFinding{AdviceFault::outcome, round.outcomes, y};
  }

  void find_losses(const Round& round, const Given* given, std::size_t first,
                   std::size_t count) {
    if (given != nullptr) {
      std::ranges::copy_n(given->losses.begin() + static_cast<std::ptrdiff_t>(first),
                          static_cast<std::ptrdiff_t>(count), losses_.begin());
    } else if (round.outcomes > 1) {
      const auto y = static_cast<std::size_t>(round.y);
      if (setting_.loss.kind == LossKind::log) {
        setting_.loss.of_all(column(y) + first, 1.0, losses_.data(), count);
      } else {
        brier_all(column(0) + first, size(), round.outcomes, y, losses_.data(), count);
      }
    } else {
      setting_.loss.of_all(round.advice + first, round.y, losses_.data(), count);
    }
  }

  [[nodiscard]] double own_loss_of(const Round& round, const Given* given) const {
    if (given != nullptr) return given->own;
    if (round.outcomes > 1) {
      return setting_.loss.of(std::span<const double>(round.prediction, round.outcomes),
                              static_cast<std::size_t>(round.y));
    }
    return setting_.loss.of(*round.prediction, round.y);
  }

  [[nodiscard]] double slope_of(const Round& round, const Given* given) const {
    if (given != nullptr) return given->slope;
    return round.outcomes > 1 ? 0.0 : setting_.loss.slope(*round.prediction, round.y);
  }

  /// The charges if the loss is replaced by its gradient.
  void find_slopes(const Round& round, double slope, std::size_t first,
                   std::size_t count) {
    charges_.resize(losses_.size());
    if (round.outcomes == 1) {
      times_all(slope, round.advice + first, charges_.data(), count);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      charges_[i] = slope_along(round, round.advice + (first + i) * round.outcomes);
    }
  }
  [[nodiscard]] double own_slope(const Round& round, double slope) const {
    return round.outcomes == 1 ? slope * *round.prediction
                               : slope_along(round, round.prediction);
  }
  [[nodiscard]] double slope_along(const Round& round, const double* f) const {
    return setting_.loss.slope(
        std::span<const double>(round.prediction, round.outcomes),
        static_cast<std::size_t>(round.y), f);
  }

  [[nodiscard]] double width() const noexcept { return setting_.high - setting_.low; }

  /// The first loss that is not finite, or not in the range.
  [[nodiscard]] AdviceFinding first_bad_loss(const Round& round, const Given* given,
                                             double slope) {
    AdviceFinding found{AdviceFault::overflow};
    over(round, [&](std::size_t first, std::size_t count) {
      if (found.fault != AdviceFault::overflow) return;
      find_losses(round, given, first, count);
      if (setting_.gradient) find_slopes(round, slope, first, count);
      for (std::size_t k = 0; k < count; ++k) {
        if (round.sleepy && asleep_[first + k] != 0) continue;
        const double charge = setting_.gradient ? charges_[k] : losses_[k];
        if (!std::isfinite(losses_[k])) {
          found = {AdviceFault::loss, first + k, losses_[k]};
        } else if (std::isfinite(charge) &&
                   (charge < setting_.low || charge > setting_.high)) {
          found = {AdviceFault::range, first + k, charge};
        } else {
          continue;
        }
        return;
      }
    });
    return found;
  }

  Rule rule_;
  bool parted_ = false;
  std::size_t tile_ = 0;
  std::vector<double> weights_;  // of a tile, or of all experts
  std::vector<double> losses_;
  std::vector<double> charges_;
  std::vector<std::uint8_t> asleep_;
  std::vector<double> awake_;    // advice, with 0 for experts that sleep
  std::vector<double> columns_;  // what experts give each outcome
  std::vector<double> left_;     // the share of their weights that each outcome leaves
  std::vector<double> sorted_;
};

}  // namespace littlestone
