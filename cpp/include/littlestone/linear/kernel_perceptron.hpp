// The kernel Perceptron: keeps its mistakes, and compares examples with them (THEORY:
// KPERC).
//
// Aizerman, Braverman and Rozonoer (1964); Freund and Schapire (1999). With a budget, a
// new example replaces one drawn at random (Cavallanti, Cesa-Bianchi and Gentile 2007).
#pragma once

#include <algorithm>  // std::max
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "littlestone/linear/supports.hpp"
#include "littlestone/math/exponential.hpp"
#include "littlestone/math/random.hpp"

namespace littlestone {

/// A kernel as a function of the inner product of two examples and their squared
/// lengths.
struct Kernel {
  enum class Kind : std::uint8_t { linear, polynomial, gaussian };

  Kind kind = Kind::linear;
  double gamma = 1.0;
  double offset = 0.0;
  std::uint32_t degree = 1;

  /// Turns inner products into kernel values; `square_of(s)` is the squared length of
  /// example s.
  template <class SquareOf>
  void apply(std::span<double> products, double square, SquareOf square_of) const {
    switch (kind) {
      case Kind::linear: return;
      case Kind::polynomial:
        for (double& product : products) {
          const double base = gamma * product + offset;
          product = base;
          for (std::uint32_t k = 1; k < degree; ++k) product *= base;
        }
        return;
      case Kind::gaussian:
        for (std::size_t s = 0; s < products.size(); ++s) {
          const double distance = square + square_of(s) - 2.0 * products[s];
          const double power = -gamma * std::max(distance, 0.0);
          products[s] = power < -largest_exponent ? 0.0 : exp_of(power);
        }
    }
  }
};

struct KernelPerceptron {
  using Cell = Supports::Cell;
  static constexpr bool additive = true;
  static constexpr RowCheck row_check = RowCheck::values;
  static constexpr std::size_t no_budget = static_cast<std::size_t>(-1);

  struct Memory {
    Supports supports;
    std::vector<double> signs;  // +1 or -1 for each example kept
  };

  Kernel kernel;
  bool on_margin = false;
  std::size_t budget = no_budget;
  SplitMix random;
  std::shared_ptr<Memory> memory = std::make_shared<Memory>();

  [[nodiscard]] static constexpr Cell initial() noexcept { return {}; }
  [[nodiscard]] static double weight(const Cell& /*cell*/) noexcept { return 0.0; }

  template <class Rows>
  void look_ahead(View<Cell> w, const Rows& rows, std::size_t t, std::size_t first,
                  std::size_t last) const {
    memory->supports.prepare(rows, t, first, last, cells_of(w));
  }

  template <class Row>
  [[nodiscard]] double score(View<Cell> w, const Row& x) const {
    Memory& m = *memory;
    const auto values = m.supports.products(x, cells_of(w));
    const double square = kernel.kind == Kernel::Kind::gaussian ? square_of(x) : 0.0;
    kernel.apply(values, square, [&m](std::size_t s) { return m.supports.square(s); });
    double sum = 0.0;
    for (std::size_t s = 0; s < values.size(); ++s) sum += m.signs[s] * values[s];
    return sum;
  }

  template <class Row>
  bool learn(View<Cell> w, const Row& x, double score, bool label) {
    const bool update =
        on_margin ? (label ? score <= 0.0 : score >= 0.0) : says(score) != label;
    if (!update) return false;
    const double y = label ? 1.0 : -1.0;
    if (memory->supports.size() < budget) {
      memory->supports.add(x, cells_of(w));
      memory->signs.push_back(y);
    } else {
      const std::size_t s = random.below(budget);
      memory->supports.replace(s, x, cells_of(w));
      memory->signs[s] = y;
    }
    return true;
  }

  /// Two halves of the random state, how many columns there are, the examples kept.
  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all{static_cast<double>(random.state >> 32U),
                            static_cast<double>(random.state & 0xFFFFFFFFU),
                            static_cast<double>(memory->supports.columns())};
    const auto kept = saved(memory->supports, memory->signs);
    all.insert(all.end(), kept.begin(), kept.end());
    return all;
  }
  /// There are at most as many columns as features.
  void restore(std::span<const double> state,
               std::size_t features = Supports::most_columns) {
    check_state(state.size() >= 3 && is_below(state[0], 0x1p32) &&
                is_below(state[1], 0x1p32) &&
                is_below(state[2], static_cast<double>(features) + 1.0));
    random.state = static_cast<std::uint64_t>(state[0]) << 32U |
                   static_cast<std::uint64_t>(state[1]);
    memory->supports.make_columns(static_cast<std::size_t>(state[2]));
    memory->signs =
        restored(memory->supports, state.subspan(3), memory->supports.columns());
    for (const double sign : memory->signs) check_state(sign == 1.0 || sign == -1.0);
    check_state(memory->supports.size() <= budget);
  }
  /// Whether this rule can have written a cell.
  [[nodiscard]] bool sound(const Cell& cell) const noexcept {
    return memory->supports.sound(cell);
  }

 private:
  [[nodiscard]] static auto cells_of(View<Cell> w) noexcept {
    return [w](auto index) -> Cell& { return w[index]; };
  }
};

static_assert(Rule<KernelPerceptron>);

}  // namespace littlestone
