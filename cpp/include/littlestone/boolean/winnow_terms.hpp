// Winnow over all terms of at most k literals: each term is a feature of Winnow that is
// 1 where the term is true. It says yes if the terms that are true weigh at least the
// threshold; a missed yes multiplies their weights, a false alarm divides them.
//
// A feature is met when it is true in a mistake. Until then a term that negates it
// counts as false: a weight begins at 1 when the last feature of its term is met.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/terms.hpp"
#include "littlestone/math/near_tie.hpp"
#include "littlestone/math/whole_powers.hpp"

namespace littlestone::boolean {

class WinnowTerms final : public Rule {
 public:
  WinnowTerms(std::size_t k, double threshold, double promotion)
      : terms_(k), threshold_(threshold), promotion_(promotion), weights_(1, 1.0) {}

  [[nodiscard]] bool fits(std::size_t features) const noexcept override {
    return Terms::count(terms_.k(), features) <= Terms::most;
  }
  [[nodiscard]] std::size_t features() const noexcept override {
    return terms_.features();
  }
  void grow(std::size_t features) override {
    terms_.grow(features);
    weights_.resize(terms_.size(), 1.0);
    truth_.resize(features);
  }

  [[nodiscard]] bool predict(Example x) override {
    double total = 0.0;
    with_weights(x, [&](double weight) { total += weight; });
    const double score = total - threshold_;
    if (std::abs(score) > near_tie * threshold_) return score > 0.0;
    return settled_by_powers(score, threshold_, promotion_, [&](auto take) {
             with_weights(x, [&](double w) { take(w, 1.0); });
           }) >= 0.0;
  }

  Mended mend(Example x, bool label, const Lessons& /*lessons*/) override {
    with_active(x, [&](std::size_t number) {
      double& weight = weights_[number];
      weight = label ? weight * promotion_ : std::max(weight / promotion_, smallest);
    });
    return {.updated = true};
  }
  /// A new feature makes terms that negate it true in later examples.
  [[nodiscard]] bool always_meets() const noexcept override { return false; }
  [[nodiscard]] bool keeps() const noexcept override { return false; }
  [[nodiscard]] std::vector<std::size_t> witness(Example /*x*/,
                                                 const Lessons& /*lessons*/) override {
    return {};  // no example rules anything out
  }

  [[nodiscard]] const Terms& terms() const noexcept { return terms_; }
  [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }

  [[nodiscard]] std::vector<std::uint64_t> state() const override {
    std::vector<std::uint64_t> bits(weights_.size());
    std::ranges::transform(weights_, bits.begin(),
                           [](double w) { return std::bit_cast<std::uint64_t>(w); });
    return bits;
  }
  void restore(std::span<const std::uint64_t> state,
               const Lessons& /*lessons*/) override {
    std::vector<double> weights(state.size());
    std::ranges::transform(state, weights.begin(),
                           [](std::uint64_t b) { return std::bit_cast<double>(b); });
    const bool sound =
        weights.size() == terms_.size() && std::ranges::all_of(weights, [&](double w) {
          return w >= smallest && w <= std::max(1.0, promotion_ * threshold_);
        });
    if (!sound) throw std::invalid_argument("expected a weight for each term");
    weights_ = std::move(weights);
  }

 private:
  static constexpr double smallest = 0x1p-960;  // as in Winnow: 0 could not grow again

  /// How many terms that end in feature j are true, if j is.
  [[nodiscard]] std::uint64_t active_before(Index j) const noexcept {
    std::uint64_t sum = 0;
    std::uint64_t sized = 1;
    for (std::size_t i = 0; i < terms_.k() && i <= j; ++i) {
      sum += sized;
      sized = sized * (j - i) / (i + 1);
    }
    return sum;
  }

  /// Calls with the weights of the terms that are true.
  template <class Call>
  void with_weights(Example x, Call call) {
    const auto fresh = std::ranges::lower_bound(x, static_cast<Index>(features()));
    with_active(x.first(static_cast<std::size_t>(fresh - x.begin())),
                [&](std::size_t number) { call(weights_[number]); });
    // As if the new features had been met: each term that ends in one weighs 1.
    for (auto j = fresh; j != x.end(); ++j) {
      for (std::uint64_t more = active_before(*j); more > 0; --more) call(1.0);
    }
  }

  /// Calls with the numbers of the terms that are true, in ascending order.
  template <class Call>
  void with_active(Example x, Call call) {
    for (const Index j : x) truth_[j] = 1;
    each_active(terms_.k(), features(), 0, call);
    for (const Index j : x) truth_[j] = 0;
  }
  template <class Call>
  void each_active(std::size_t i, std::size_t below, std::size_t at, Call& call) const {
    call(at);
    if (i == 0) return;
    for (std::size_t j = 0; j < below; ++j) {
      each_active(i - 1, j, at + terms_.block(i, j, truth_[j] == 0), call);
    }
  }

  Terms terms_;
  double threshold_;
  double promotion_;
  std::vector<double> weights_;
  std::vector<std::uint8_t> truth_;  // all 0 between calls
};

}  // namespace littlestone::boolean
