// Weights that are powers of beta: each mistake multiplies an expert's weight by it.
//
// Only the mistakes are kept, so nothing underflows: the weight of an expert a million
// mistakes behind is 0 until the others fall behind too.
#pragma once

#include "littlestone/experts/weighing.hpp"

namespace littlestone {

LITTLESTONE_WIDE inline void look_up_all(const std::int64_t* mistakes,
                                         std::int64_t fewest, const double* table,
                                         double* out, std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) out[k] = table[mistakes[k] - fewest];
}

/// The fewest and the most mistakes.
struct Spread {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
};

/// Counts the charges of each expert, and finds the spread of the counts.
LITTLESTONE_WIDE inline void count_all(Spread& spread, std::int64_t* mistakes,
                                       const double* charges, std::size_t n) noexcept {
  std::int64_t fewest = spread.fewest;
  std::int64_t most = spread.most;
  for (std::size_t k = 0; k < n; ++k) {
    const std::int64_t count = mistakes[k] + (charges[k] != 0.0 ? 1 : 0);
    mistakes[k] = count;
    fewest = count < fewest ? count : fewest;
    most = count > most ? count : most;
  }
  spread = {fewest, most};
}

struct Powers {
  static constexpr bool tiled = true;
  static constexpr std::int64_t tabled = 4096;
  double log_beta;              // below 0, correctly rounded
  std::vector<double> table{};  // powers of beta, each the last one times beta
  std::vector<std::int64_t> mistakes{};
  Priors priors{};
  Spread spread{0, 0};
  Spread found{};  // in this round so far

  Powers(double beta, double log_of_beta) : log_beta(log_of_beta), table(tabled, 1.0) {
    for (std::size_t k = 1; k < table.size(); ++k) {
      // A power below the normal doubles counts as 0.
      const double next = table[k - 1] * beta;
      table[k] = next < std::numeric_limits<double>::min() ? 0.0 : next;
    }
  }

  void begin(std::span<const double> given) {
    mistakes.assign(given.size(), 0);
    priors.begin(given);
  }
  void join(double share) {
    std::vector<double> weights(mistakes.size());
    weigh(0, weights);
    priors.join(mistakes.size(), share / (1.0 - share) * sum(weights));
    mistakes.push_back(spread.fewest);
  }

  void weigh(std::size_t first, std::span<double> out) const noexcept {
    if (spread.most - spread.fewest < tabled) {
      look_up_all(mistakes.data() + first, spread.fewest, table.data(), out.data(),
                  out.size());
    } else {
      for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = power(mistakes[first + k] - spread.fewest);
      }
    }
    priors.apply(first, out);
  }
  void weigh_awake(Asleep asleep, std::span<double> out) const noexcept {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (asleep[i] == 0) least = std::min(least, mistakes[i]);
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = asleep[i] != 0 ? 0.0 : priors.of(i) * power(mistakes[i] - least);
    }
  }

  void learn(std::size_t first, std::span<const double> charges, double) noexcept {
    count_all(found, mistakes.data() + first, charges.data(), charges.size());
  }
  void learn_awake(Asleep asleep, std::span<const double> charges) noexcept {
    for (std::size_t i = 0; i < asleep.size(); ++i) {
      if (asleep[i] == 0 && charges[i] != 0.0) ++mistakes[i];
    }
    look_again();
  }
  void settle() noexcept {
    spread = found;
    found = {};
  }
  /// Finds the spread of counts that `learn` has not made.
  void look_again() noexcept {
    const auto [low, high] = std::ranges::minmax(mistakes);
    spread = {low, high};
  }

  [[nodiscard]] Exact loss(std::size_t i) const noexcept {
    return {static_cast<double>(mistakes[i]), 0.0};
  }

  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor(mistakes);
    visitor.maybe(priors.each);
    look_again();
  }

 private:
  [[nodiscard]] double power(std::int64_t k) const noexcept {
    return k < tabled ? table[static_cast<std::size_t>(k)]
                      : weight_of(static_cast<double>(k) * log_beta);
  }
};

}  // namespace littlestone
