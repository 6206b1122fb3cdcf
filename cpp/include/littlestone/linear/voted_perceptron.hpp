// The voted Perceptron: learns as the Perceptron does; every weight vector so far has
// as many votes as the rounds it lasted.
//
// Freund and Schapire (1999). The vectors are kept as the changes between them: given
// x.x_k for every change k, each vector's score is that of the one before plus or minus
// one product.
#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::isfinite
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "littlestone/linear/supports.hpp"

namespace littlestone {

struct VotedPerceptron {
  struct Cell {
    double weight = 0.0;  // of the latest vector
    Supports::Cell kept{};
  };
  static constexpr RowCheck row_check = RowCheck::values;

  struct Memory {
    Supports supports;
    std::vector<double> signs;          // of each change
    std::vector<double> votes = {0.0};  // of each vector; one more than the changes
  };

  Constant<double> constant{};
  std::shared_ptr<Memory> memory = std::make_shared<Memory>();
  mutable double margin_ = 0.0;  // of the row last scored, by the latest vector

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& cell) noexcept { return cell.weight; }

  template <class Rows>
  void look_ahead(View<Cell> w, const Rows& rows, std::size_t t, std::size_t first,
                  std::size_t last) const {
    memory->supports.prepare(rows, t, first, last, cells_of(w));
  }

  /// The share of the votes for yes, less the share for no.
  template <class Row>
  [[nodiscard]] double score(View<Cell> w, const Row& x) const {
    (void)margin(w, x);
    const Memory& m = *memory;
    const auto products = memory->supports.products(x, cells_of(w));
    double score = 0.0;
    double total = m.votes[0];  // the zero vector says yes
    double balance = m.votes[0];
    for (std::size_t k = 0; k < products.size(); ++k) {
      score += m.signs[k] * (products[k] + constant.value * constant.value);
      total += m.votes[k + 1];
      balance += says(score) ? m.votes[k + 1] : -m.votes[k + 1];
    }
    // If any vector's score overflows, so does the last one's, and votes are unknown.
    if (!std::isfinite(score + margin_))
      return std::numeric_limits<double>::quiet_NaN();
    return balance / std::max(total, 1.0);
  }

  /// The score by the latest vector, which decides what is learned.
  template <class Row>
  [[nodiscard, gnu::always_inline]] double margin(View<Cell> w,
                                                  const Row& x) const noexcept {
    double sum = 0.0;
    each_entry(x, [&](auto index, double value) { sum += w[index].weight * value; });
    return margin_ = sum + constant.cell * constant.value;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double /*score*/, bool label) {
    Memory& m = *memory;
    if (says(margin_) == label) {
      m.votes.back() += 1.0;
      return false;
    }
    const double y = label ? 1.0 : -1.0;
    for (std::size_t k = 0; k < x.size(); ++k) w[x.index(k)].weight += y * x.value(k);
    constant.cell += y * constant.value;
    m.supports.add(x, cells_of(w));
    m.signs.push_back(y);
    m.votes.push_back(1.0);
    return true;
  }

  /// Counts rounds that change nothing.
  void survive(std::uint32_t rounds) noexcept { memory->votes.back() += rounds; }

  /// The constant feature's weight, the zero vector's votes; then for each change its
  /// sign times the votes of the vector it led to, and the example.
  [[nodiscard]] std::vector<double> state() const {
    const Memory& m = *memory;
    std::vector<double> heads;
    for (std::size_t k = 0; k < m.signs.size(); ++k) {
      heads.push_back(m.signs[k] * m.votes[k + 1]);
    }
    std::vector<double> all{constant.cell, m.votes[0]};
    const auto kept = saved(m.supports, heads);
    all.insert(all.end(), kept.begin(), kept.end());
    return all;
  }
  /// There are at most as many columns as features.
  void restore(std::span<const double> state,
               std::size_t features = Supports::most_columns) {
    Memory& m = *memory;
    check_state(state.size() >= 2 && state[1] >= 0.0);
    constant.cell = state[0];
    m.votes = {state[1]};
    for (const double head : restored(m.supports, state.subspan(2), features)) {
      check_state(head >= 1.0 || head <= -1.0);
      m.signs.push_back(head < 0.0 ? -1.0 : 1.0);
      m.votes.push_back(head < 0.0 ? -head : head);
    }
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] bool sound(const Cell& cell) const noexcept {
    return memory->supports.sound(cell.kept);
  }

 private:
  [[nodiscard]] static auto cells_of(View<Cell> w) noexcept {
    return [w](auto index) -> Supports::Cell& { return w[index].kept; };
  }
};

static_assert(Rule<VotedPerceptron>);

}  // namespace littlestone
