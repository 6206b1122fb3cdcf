// Halving: the majority of the experts that were never wrong, as a set of bits.
#pragma once

#include <algorithm>
#include <bit>  // std::countr_zero, std::popcount
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "littlestone/math/partials.hpp"
#include "littlestone/math/wide.hpp"

namespace littlestone {

/// Bits, 64 to a word; bit i of the row is expert i.
using Word = std::uint64_t;

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define LITTLESTONE_COUNTING \
  __attribute__((            \
      target_clones("arch=x86-64-v4", "arch=x86-64-v3", "popcnt", "default")))
#else
#define LITTLESTONE_COUNTING
#endif

/// Counts the votes for yes of the experts alive.
LITTLESTONE_COUNTING inline std::uint64_t count_votes(const Word* alive,
                                                      const Word* votes,
                                                      std::size_t n) noexcept {
  std::uint64_t yes = 0;
  for (std::size_t k = 0; k < n; ++k) {
    yes += static_cast<std::uint64_t>(std::popcount(alive[k] & votes[k]));
  }
  return yes;
}

/// The same, and drops those that do not vote for `truth`, which is all ones or zero.
LITTLESTONE_COUNTING inline std::uint64_t count_and_drop(Word* alive, const Word* votes,
                                                         Word lie,
                                                         std::size_t n) noexcept {
  std::uint64_t yes = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Word vote = votes[k];
    yes += static_cast<std::uint64_t>(std::popcount(alive[k] & vote));
    alive[k] &= vote ^ lie;
  }
  return yes;
}

/// Which experts are wrong, if all of them vote.
LITTLESTONE_WIDE inline void find_wrong(const Word* all, const Word* votes, Word lie,
                                        Word* wrong, std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) wrong[k] = all[k] & ~(votes[k] ^ lie);
}

/// Adds three bits of equal weight: the sum replaces the first, the carry the second.
LITTLESTONE_WIDE inline void add_bits(Word* sum, Word* carry, const Word* more,
                                      std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    const Word both = sum[k] ^ carry[k];
    const Word over = (sum[k] & carry[k]) | (both & more[k]);
    sum[k] = both ^ more[k];
    carry[k] = over;
  }
}

/// How often each expert was wrong: plane j has bit j of every count.
///
/// Bits wait beside each plane until there are two rows of them, which are added at
/// once: so plane j changes in one round of 2^(j+1), and no carry is looked for.
class BitCounts {
 public:
  /// Adds a row, which is swapped for another of no meaning.
  void add(std::vector<Word>& row) {
    for (std::size_t plane = 0;; ++plane) {
      if (plane == waiting_.size()) waiting_.emplace_back();
      Waiting& waiting = waiting_[plane];
      if (!waiting.full) {
        waiting.bits.swap(row);
        waiting.full = true;
        row.resize(waiting.bits.size());
        return;
      }
      if (plane == planes_.size()) planes_.emplace_back(row.size(), Word{0});
      add_bits(planes_[plane].data(), waiting.bits.data(), row.data(), row.size());
      waiting.full = false;
      waiting.bits.swap(row);  // the carry, which is the row of the next plane
    }
  }
  /// Sets the count of a new expert, in rows of n words.
  void set(std::size_t i, std::uint64_t count, std::size_t n) {
    for (std::size_t plane = 0; count >> plane != 0; ++plane) {
      if (plane == planes_.size()) planes_.emplace_back(n, Word{0});
      planes_[plane][i / 64] |= (count >> plane & 1U) << (i % 64);
    }
  }
  [[nodiscard]] std::uint64_t of(std::size_t i) const noexcept {
    const auto bit = [&](const std::vector<Word>& bits) {
      return bits[i / 64] >> (i % 64) & 1U;
    };
    std::uint64_t count = 0;
    for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
      count |= bit(planes_[plane]) << plane;
    }
    for (std::size_t plane = 0; plane < waiting_.size(); ++plane) {
      if (waiting_[plane].full) count += bit(waiting_[plane].bits) << plane;
    }
    return count;
  }
  /// Makes room for 64 more experts.
  void widen() {
    for (auto& plane : planes_) plane.push_back(0);
    for (auto& waiting : waiting_) {
      if (waiting.full) waiting.bits.push_back(0);
    }
  }
  /// The planes, with nothing left that waits, and none that is 0 at the end.
  std::vector<std::vector<Word>>& planes() {
    for (std::size_t first = 0; first < waiting_.size(); ++first) {
      if (!waiting_[first].full) continue;
      waiting_[first].full = false;
      std::vector<Word> carry = waiting_[first].bits;
      for (std::size_t plane = first; !none(carry); ++plane) {
        while (plane >= planes_.size()) planes_.emplace_back(carry.size(), Word{0});
        for (std::size_t k = 0; k < carry.size(); ++k) {
          const Word over = planes_[plane][k] & carry[k];
          planes_[plane][k] ^= carry[k];
          carry[k] = over;
        }
      }
    }
    while (!planes_.empty() && none(planes_.back())) planes_.pop_back();
    return planes_;
  }

  /// Adds a plane above the others.
  void restore(const std::vector<Word>& plane) { planes_.push_back(plane); }

 private:
  struct Waiting {
    std::vector<Word> bits{};
    bool full = false;
  };

  [[nodiscard]] static bool none(const std::vector<Word>& bits) noexcept {
    return std::ranges::all_of(bits, [](Word word) { return word == 0; });
  }

  std::vector<std::vector<Word>> planes_;
  std::vector<Waiting> waiting_;
};

class Halving {
 public:
  Halving(bool restart, bool keep_losses)
      : restart_(restart), keep_losses_(keep_losses) {}

  /// Experts count as their priors; each counts once if there are none.
  void begin(std::size_t experts, std::vector<double> priors = {}) {
    size_ = experts;
    priors_ = std::move(priors);
    alive_.assign((experts + 63) / 64, ~Word{0});
    if (experts % 64 != 0) alive_.back() = (Word{1} << experts % 64) - 1;
    all_ = alive_;
    count_ = experts;
  }
  void join() {
    const std::size_t i = size_++;
    if (i % 64 == 0) {
      for (auto* words : {&alive_, &all_}) words->push_back(0);
      losses_.widen();
      slept_.widen();
    }
    alive_.back() |= Word{1} << i % 64;
    all_.back() |= Word{1} << i % 64;
    ++count_;
    if (keep_losses_) slept_.set(i, mistakes_, words());
  }

  /// The votes, and which experts are awake; null if all are.
  [[nodiscard]] bool predict(const Word* votes, const Word* awake) const {
    if (!priors_.empty()) return yes_wins(votes, awake);
    if (awake == nullptr)
      return 2 * count_votes(alive_.data(), votes, words()) >= count_;
    std::uint64_t yes = 0;
    std::uint64_t voters = 0;
    for (std::size_t k = 0; k < words(); ++k) {
      const Word voting = alive_[k] & awake[k];
      voters += static_cast<std::uint64_t>(std::popcount(voting));
      yes += static_cast<std::uint64_t>(std::popcount(voting & votes[k]));
    }
    return 2 * yes >= voters;
  }

  bool play(const Word* votes, const Word* awake, bool truth) {
    const Word lie = truth ? Word{0} : ~Word{0};
    bool predicted = false;
    if (awake == nullptr && priors_.empty()) {
      const std::uint64_t yes = count_and_drop(alive_.data(), votes, lie, words());
      predicted = 2 * yes >= count_;
      count_ = truth ? yes : count_ - yes;
    } else {
      predicted = predict(votes, awake);
      count_ = 0;
      for (std::size_t k = 0; k < words(); ++k) {
        alive_[k] &= ~((awake == nullptr ? all_[k] : awake[k]) & ~(votes[k] ^ lie));
        count_ += static_cast<std::uint64_t>(std::popcount(alive_[k]));
      }
    }
    if (keep_losses_) keep_books(votes, awake, lie, predicted != truth);
    mistakes_ += predicted != truth ? 1 : 0;
    ++rounds_;
    if (count_ == 0 && restart_) {
      alive_ = all_;
      count_ = size_;
      ++restarts_;
    }
    return predicted;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t words() const noexcept { return alive_.size(); }
  [[nodiscard]] std::uint64_t alive() const noexcept { return count_; }
  [[nodiscard]] bool lives(std::size_t i) const noexcept {
    return (alive_[i / 64] >> (i % 64) & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t loss(std::size_t i) const noexcept {
    return losses_.of(i);
  }
  [[nodiscard]] std::uint64_t own_loss_beside(std::size_t i) const noexcept {
    return mistakes_ - slept_.of(i);
  }
  [[nodiscard]] std::uint64_t mistakes() const noexcept { return mistakes_; }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }

  /// Everything it has learned, as numbers; and back.
  [[nodiscard]] std::vector<std::vector<Word>> state() {
    std::vector<std::vector<Word>> words{
        {size_, count_, mistakes_, rounds_, restarts_, losses_.planes().size()},
        alive_};
    for (const auto& plane : losses_.planes()) words.push_back(plane);
    for (const auto& plane : slept_.planes()) words.push_back(plane);
    return words;
  }
  void restore(const std::vector<std::vector<Word>>& words) {
    // A saved state may come from anywhere, and the loops trust the sizes.
    const auto& facts = words.at(0);
    const std::uint64_t experts = facts.at(0);
    const std::size_t length = experts / 64 + (experts % 64 != 0 ? 1 : 0);
    bool sound = facts.size() == 6 && experts > 0 && words.size() >= 2 &&
                 facts[5] <= std::min<std::size_t>(words.size() - 2, 64) &&
                 words.size() - 2 - facts[5] <= 64;
    for (std::size_t k = 1; k < words.size(); ++k) {
      sound = sound && words[k].size() == length;
    }
    sound = sound && (priors_.empty() || priors_.size() == experts);
    if (!sound) throw std::invalid_argument("expected bits for each expert");
    begin(experts, std::move(priors_));
    std::uint64_t living = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const Word lives = words[1][k];
      sound = sound && (lives & ~all_[k]) == 0;
      living += static_cast<std::uint64_t>(std::popcount(lives));
    }
    if (!sound || living != facts[1])
      throw std::invalid_argument("expected the number of experts alive");
    count_ = living;
    mistakes_ = facts.at(2);
    rounds_ = facts.at(3);
    restarts_ = facts.at(4);
    alive_ = words.at(1);
    for (std::size_t k = 2; k < words.size(); ++k) {
      auto& counts = k - 2 < facts.at(5) ? losses_ : slept_;
      counts.restore(words[k]);
    }
  }

 private:
  /// Whether yes has at least half of the priors of the voters, summed without
  /// rounding.
  [[nodiscard]] bool yes_wins(const Word* votes, const Word* awake) const {
    Partials balance;
    for (std::size_t k = 0; k < words(); ++k) {
      Word voting = alive_[k] & (awake == nullptr ? all_[k] : awake[k]);
      for (; voting != 0; voting &= voting - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(voting));
        const double prior = priors_[k * 64 + bit];
        balance.add((votes[k] >> bit & 1U) != 0 ? prior : -prior);
      }
    }
    return !balance.negative();
  }

  void keep_books(const Word* votes, const Word* awake, Word lie, bool mistaken) {
    scratch_.resize(words());
    find_wrong(all_.data(), votes, lie, scratch_.data(), words());
    if (awake != nullptr) {
      for (std::size_t k = 0; k < words(); ++k) scratch_[k] &= awake[k];
    }
    losses_.add(scratch_);
    if (awake == nullptr || !mistaken) return;
    scratch_.resize(words());
    for (std::size_t k = 0; k < words(); ++k) scratch_[k] = all_[k] & ~awake[k];
    slept_.add(scratch_);
  }

  bool restart_;
  bool keep_losses_;
  std::size_t size_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t mistakes_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t restarts_ = 0;
  std::vector<Word> alive_;
  std::vector<Word> all_;
  BitCounts losses_;
  BitCounts slept_;  // the learner's mistakes while each slept
  std::vector<Word> scratch_;
  std::vector<double> priors_;
};

}  // namespace littlestone
