// Elimination: starts with every condition that a concept of the class may have, and on
// each false negative drops those that the example contradicts.
//
// Both rules here learn a conjunction: of literals, or of clauses. A disjunction, of
// literals or terms, is the negation of a conjunction; with `dual` the labels are
// negated on entry, and the reader of the literals negates those.
#pragma once

#include <algorithm>  // std::ranges::reverse, std::ranges::set_intersection
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>  // std::back_inserter
#include <span>
#include <utility>
#include <vector>

#include "littlestone/boolean/bits.hpp"
#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/terms.hpp"

namespace littlestone::boolean {

class Elimination : public Rule {
 public:
  [[nodiscard]] bool predict(Example x) final { return holds(x) != dual_; }

  Mended mend(Example x, bool label, const Lessons& /*lessons*/) final {
    // A false positive: the lessons prove all that is left, so no concept fits.
    if (label == dual_) return {.ruled_out = true};
    drop(x);
    return {.updated = true};
  }

  /// Lessons that dropped every condition the example violates. Going backwards through
  /// the lessons leaves out those whose conditions later ones drop too.
  [[nodiscard]] std::vector<std::size_t> witness(Example x,
                                                 const Lessons& lessons) final {
    Bits against;
    falsified(x, against);
    std::vector<std::size_t> first;
    Bits rest = against;
    Bits other;
    for (std::size_t u = 0; u < lessons.size(); ++u) {
      falsified(lessons[u].x, other);
      if (rest.subtract(other)) first.push_back(u);
    }
    std::vector<std::size_t> needed;
    rest = against;
    for (std::size_t i = first.size(); i > 0; --i) {
      falsified(lessons[first[i - 1]].x, other);
      if (rest.subtract(other)) needed.push_back(first[i - 1]);
    }
    std::ranges::reverse(needed);
    return needed;
  }

  void restore(std::span<const std::uint64_t> /*state*/, const Lessons& lessons) final {
    for (std::size_t u = 0; u < lessons.size(); ++u) drop(lessons[u].x);
  }

  /// The clauses left, without those that a shorter one implies.
  template <class Call>
  void each_clause(Call call) const {
    clauses([&](std::span<const Literal> clause) { call(clause); });
  }

 protected:
  using Take = std::function<void(std::span<const Literal>)>;

  explicit Elimination(bool dual) : dual_(dual) {}

  [[nodiscard]] virtual bool holds(Example x) = 0;
  virtual void drop(Example x) = 0;
  /// The initial conditions that are false in an example.
  virtual void falsified(Example x, Bits& found) = 0;
  virtual void clauses(const Take& take) const = 0;

 private:
  bool dual_;
};

/// A conjunction of literals. The cost of a round depends only on its true features:
/// after the first update few positive literals are left, and they are counted.
class Literals final : public Elimination {
 public:
  /// Which literals there are at first; an open universe has features that were not met
  /// yet.
  Literals(bool positive, bool negative, bool closed, bool dual)
      : Elimination(dual), positive_(positive), negative_(negative), closed_(closed) {}

  [[nodiscard]] bool fits(std::size_t features) const noexcept override {
    return features < Terms::most;
  }
  [[nodiscard]] std::size_t features() const noexcept override { return left_.size(); }
  [[nodiscard]] bool needs_order() const noexcept override { return false; }
  void grow(std::size_t features) override {
    const bool fresh = positive_ && !updated_;
    left_.resize(features, static_cast<std::uint8_t>((fresh ? asks : 0) |
                                                     (negative_ ? forbids : 0)));
  }

 private:
  static constexpr std::uint8_t asks = 1;     // the literal x_j is left
  static constexpr std::uint8_t forbids = 2;  // the literal not x_j is left

  [[nodiscard]] bool holds(Example x) override {
    if (positive_ && !updated_) {
      // Some feature is false, at least one that was not met yet.
      if (!closed_ || x.size() < left_.size()) return false;
      return !negative_;
    }
    std::size_t asked = 0;
    for (const Index j : x) {
      const std::uint8_t left =
          j < left_.size() ? left_[j] : (negative_ ? forbids : std::uint8_t{0});
      if ((left & forbids) != 0) return false;
      asked += left;
    }
    return asked == asked_.size();
  }

  void drop(Example x) override {
    for (const Index j : x) left_[j] &= static_cast<std::uint8_t>(~forbids);
    if (!positive_) return;
    std::vector<Index> kept;
    if (updated_) {
      std::ranges::set_intersection(asked_, x, std::back_inserter(kept));
      for (const Index j : asked_) left_[j] &= static_cast<std::uint8_t>(~asks);
    } else {
      kept.assign(x.begin(), x.end());
      for (std::uint8_t& left : left_) left &= static_cast<std::uint8_t>(~asks);
      updated_ = true;
    }
    for (const Index j : kept) left_[j] |= asks;
    asked_ = std::move(kept);
  }

  void falsified(Example x, Bits& found) override {
    found.clear();
    found.resize(2 * left_.size() + 1);
    if (positive_) found.set(0, found.size());
    if (positive_ && closed_) found.reset(0);  // bit 0: features not met yet
    for (std::size_t j = 0; positive_ && j < left_.size(); ++j) found.reset(2 * j + 2);
    for (const Index j : x) {
      found.reset(2 * std::size_t{j} + 1);
      if (negative_) found.set(2 * std::size_t{j} + 2);
    }
  }

  void clauses(const Take& take) const override {
    if (positive_ && !updated_ && !closed_) return take({});
    for (std::size_t j = 0; j < left_.size(); ++j) {
      for (const bool negated : {false, true}) {
        if ((left_[j] & (negated ? forbids : asks)) == 0) continue;
        const Literal literal = literal_of(j, negated);
        take({&literal, 1});
      }
    }
  }

  bool positive_;
  bool negative_;
  bool closed_;
  bool updated_ = false;
  std::vector<std::uint8_t> left_;
  std::vector<Index> asked_;  // after the first update, the features required
};

/// A conjunction of clauses of at most k literals.
class Clauses final : public Elimination {
 public:
  Clauses(std::size_t k, bool dual)
      : Elimination(dual), terms_(k), left_(terms_.k() + 1) {
    for (Bits& left : left_) {
      left.resize(1);
      left.set(0);  // the empty clause, which only an update drops
    }
  }

  [[nodiscard]] bool fits(std::size_t features) const noexcept override {
    return Terms::count(terms_.k(), features) <= Terms::most;
  }
  [[nodiscard]] std::size_t features() const noexcept override {
    return terms_.features();
  }

  /// A new feature was false so far: a clause with its negation was never false, and a
  /// clause with the feature itself was false when the rest of it was.
  void grow(std::size_t features) override {
    for (std::size_t j = terms_.features(); j < features; ++j) {
      terms_.grow(j + 1);
      for (std::size_t i = terms_.k(); i > 0; --i) {
        const std::size_t rest = terms_.count_below(i - 1, j);
        left_[i].resize(terms_.size(i));
        left_[i].put(terms_.block(i, j, false), left_[i - 1], rest);
        left_[i].set(terms_.block(i, j, true), rest);
      }
    }
    truth_.resize(features);
  }

 private:
  [[nodiscard]] bool holds(Example x) override {
    if (left_[0][0]) return false;
    if (!x.empty() && x.back() >= features()) return false;
    const std::size_t k = terms_.k();
    with_truth(x, [&] { terms_.fill(truth_, true, k - 1, masks_); });
    bool falsified = false;
    each_block(x, [&](std::size_t first, std::size_t count) {
      falsified = left_[k].meets(first, masks_[k - 1], count);
      return !falsified;
    });
    return !falsified;
  }

  void drop(Example x) override {
    const std::size_t k = terms_.k();
    with_truth(x, [&] { terms_.fill(truth_, true, k - 1, masks_); });
    each_block(x, [&](std::size_t first, std::size_t count) {
      left_[k].take(first, masks_[k - 1], count);
      return true;
    });
    left_[k].reset(0);
    for (std::size_t i = 0; i < k; ++i) left_[i].subtract(masks_[i]);
  }

  void falsified(Example x, Bits& found) override {
    std::vector<Bits> masks;
    with_truth(x, [&] { terms_.fill(truth_, true, terms_.k(), masks); });
    std::swap(found, masks.back());
  }

  void clauses(const Take& take) const override {
    std::vector<Literal> clause;
    std::vector<Literal> shorter;
    left_.back().each([&](std::size_t number) {
      terms_.literals(number, clause);
      for (std::size_t out = 0; out < clause.size(); ++out) {
        shorter.assign(clause.begin(), clause.end());
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(out));
        if (left_.back()[terms_.number(shorter)]) return;
      }
      take(clause);
    });
  }

  template <class Call>
  void with_truth(Example x, Call call) {
    for (const Index j : x) truth_[j] = 1;
    call();
    for (const Index j : x) truth_[j] = 0;
  }

  /// The blocks of clauses that end in a literal which is false in the example.
  template <class Call>
  void each_block(Example x, Call call) const {
    const std::size_t k = terms_.k();
    std::size_t next = 0;
    for (std::size_t j = 0; j < features(); ++j) {
      const bool negated = next < x.size() && x[next] == j;
      if (negated) ++next;
      if (!call(terms_.block(k, j, negated), terms_.count_below(k - 1, j))) return;
    }
  }

  Terms terms_;
  std::vector<Bits> left_;           // the clauses left of at most 0, 1, ... k literals
  std::vector<std::uint8_t> truth_;  // all 0 between calls
  std::vector<Bits> masks_;
};

}  // namespace littlestone::boolean
