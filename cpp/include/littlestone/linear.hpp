// A linear learner: a rule, its weights, and the table of its feature names.
//
// `LinearLearner` is what the border sees; `Linear<R>` fills it in for one rule. To
// predict adds nothing to the table of names, nor does an example that is refused.
#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::bit_ceil
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <utility>  // std::move
#include <variant>
#include <vector>

#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"
#include "littlestone/rule.hpp"
#include "littlestone/weights.hpp"

namespace littlestone {

/// Column numbers from here on are kept in the name table: one stray index of four
/// billion must not cost 32 GB.
inline constexpr std::uint64_t direct_columns = std::uint64_t{1} << 24U;

/// One example with its features looked up. Features not met before have the slots that
/// come next, and are entered in the table once the round is accepted.
class Lookup {
 public:
  std::vector<std::string_view> fresh;
  std::uint64_t width = 0;  // one more than the largest column

  void clear() noexcept {
    size_ = 0;
    fresh.clear();
    keys_.clear();
    width = 0;
  }
  void add(std::int64_t index, double value) {
    if (size_ == indices_.size()) [[unlikely]] {
      indices_.resize(2 * size_ + 16);
      values_.resize(2 * size_ + 16);
    }
    indices_[size_] = index;
    values_[size_] = value;
    ++size_;
  }
  [[nodiscard]] std::string_view keep(const ColumnKey& key) {
    const ColumnKey& kept = keys_.emplace_back(key);
    return {kept.data(), kept.size()};
  }

  [[nodiscard]] std::span<const std::int64_t> indices() const noexcept {
    return {indices_.data(), size_};
  }
  [[nodiscard]] std::span<double> values() noexcept { return {values_.data(), size_}; }
  [[nodiscard]] ResolvedRow row() const noexcept {
    return {indices(), {values_.data(), size_}};
  }

 private:
  std::size_t size_ = 0;
  std::vector<std::int64_t> indices_;
  std::vector<double> values_;
  std::deque<ColumnKey> keys_;  // what `fresh` points to for large column numbers
};

class LinearLearner {
 public:
  explicit LinearLearner(double initial_weight) : weights(initial_weight) {}
  LinearLearner(const LinearLearner&) = delete;
  LinearLearner& operator=(const LinearLearner&) = delete;
  virtual ~LinearLearner() = default;

  Weights weights;
  Names names;
  std::uint64_t updates = 0;
  std::uint64_t width = 0;  // one more than the largest column met
  Lookup lookup;            // reused, so that a round allocates nothing

  void look_up_name(std::string_view name, double value) {
    const std::size_t slot = names.find(name);
    if (slot != Names::absent) {
      lookup.add(Weights::index_of_slot(slot), value);
    } else {
      lookup.add(Weights::index_of_slot(names.size() + lookup.fresh.size()), value);
      lookup.fresh.push_back(name);
    }
  }

  void look_up_column(std::uint64_t column, double value) {
    lookup.width = std::max(lookup.width, column + 1);
    if (column < direct_columns) {
      lookup.add(static_cast<std::int64_t>(column), value);
      return;
    }
    look_up_name(lookup.keep(column_key(column)), value);
  }

  /// Scores the example in `lookup`.
  [[nodiscard]] Round score_looked_up() {
    make_room();
    return score_row(lookup.row());
  }

  /// Plays the example in `lookup`.
  Round play_looked_up(bool label) {
    make_room();
    const Round round = play_row(lookup.row(), label);
    if (round.finding.fault != Fault::none) return round;
    updates += round.updated ? 1U : 0U;
    width = std::max(width, lookup.width);
    for (const auto name : lookup.fresh) names.insert(name);
    return round;
  }

  /// The index of a feature that may be new; a new one gets a slot at once.
  [[nodiscard]] std::int64_t index_of_name(std::string_view name) {
    std::size_t slot = names.find(name);
    if (slot == Names::absent) slot = names.insert(name);
    weights.reserve(0, names.size());
    return Weights::index_of_slot(slot);
  }

  /// Plays rows [first, last). Counts what was played, also when a round was refused.
  Played play(const Block& block, std::span<const bool> labels,
              std::span<bool> predictions, std::size_t first, std::size_t last) {
    const std::size_t columns = width_of(block);
    if (columns > direct_columns) {
      return each_looked_up(block, first, last, [&](std::size_t t) {
        const Round round = play_looked_up(labels[t]);
        predictions[t] = says_yes(round.score);
        return round.finding;
      });
    }
    weights.reserve(std::bit_ceil(columns), 0);
    const Played played = play_rows(block, labels, predictions, first, last);
    if (played.rounds > first) width = std::max<std::uint64_t>(width, columns);
    updates += played.updates;
    return played;
  }

  /// Scores rows [first, last) without learning.
  Played score(const Block& block, std::span<double> scores, std::size_t first,
               std::size_t last) {
    const std::size_t columns = width_of(block);
    if (columns > direct_columns) {
      return each_looked_up(block, first, last, [&](std::size_t t) {
        const Round round = score_looked_up();
        scores[t] = round.score;
        return round.finding;
      });
    }
    weights.reserve(std::bit_ceil(columns), 0);
    return score_rows(block, scores, first, last);
  }

  [[nodiscard]] virtual std::vector<double> state() const = 0;
  virtual void restore(std::span<const double> state) = 0;

 protected:
  virtual Round score_row(ResolvedRow x) = 0;
  virtual Round play_row(ResolvedRow x, bool label) = 0;
  virtual Played play_rows(const Block& block, std::span<const bool> labels,
                           std::span<bool> predictions, std::size_t first,
                           std::size_t last) = 0;
  virtual Played score_rows(const Block& block, std::span<double> scores,
                            std::size_t first, std::size_t last) = 0;

 private:
  void make_room() {
    weights.reserve(std::min(lookup.width, direct_columns),
                    names.size() + lookup.fresh.size());
  }

  /// Goes through rows whose columns must be looked up one by one.
  template <class OneRound>
  Played each_looked_up(const Block& block, std::size_t first, std::size_t last,
                        OneRound one_round) {
    std::vector<std::uint64_t> scratch;
    return std::visit(
        [&](const auto& rows) -> Played {
          for (std::size_t t = first; t < last; ++t) {
            const Finding found = rows.check(t, scratch);
            if (found.fault != Fault::none) return {t, 0, found};
            const auto x = rows[t];
            lookup.clear();
            for (std::size_t k = 0; k < x.size(); ++k) {
              look_up_column(static_cast<std::uint64_t>(x.index(k)), x.value(k));
            }
            const Finding refused = one_round(t);
            if (refused.fault != Fault::none) return {t, 0, refused};
          }
          return {last, 0, {}};
        },
        block);
  }
};

template <Rule R>
class Linear final : public LinearLearner {
 public:
  explicit Linear(R rule) : LinearLearner(R::initial_weight), rule_(std::move(rule)) {}

  [[nodiscard]] const R& rule() const noexcept { return rule_; }
  [[nodiscard]] std::vector<double> state() const override { return rule_.state(); }
  void restore(std::span<const double> state) override { rule_.restore(state); }

 protected:
  Round score_row(ResolvedRow x) override { return scored(rule_, weights.view(), x); }
  Round play_row(ResolvedRow x, bool label) override {
    return play_one(rule_, weights.view(), x, label);
  }
  Played play_rows(const Block& block, std::span<const bool> labels,
                   std::span<bool> predictions, std::size_t first,
                   std::size_t last) override {
    return std::visit(
        [&](const auto& rows) {
          return littlestone::play(rule_, weights.view(), rows, labels, predictions,
                                   first, last);
        },
        block);
  }
  Played score_rows(const Block& block, std::span<double> scores, std::size_t first,
                    std::size_t last) override {
    return std::visit(
        [&](const auto& rows) {
          return littlestone::score(rule_, weights.view(), rows, scores, first, last);
        },
        block);
  }

 private:
  R rule_;
};

}  // namespace littlestone
