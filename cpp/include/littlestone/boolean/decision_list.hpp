// The learner of decision lists: rules on levels. The first rule that fires on the
// lowest level predicts, and moves one level up when it is wrong.
#pragma once

#include <algorithm>
#include <bit>  // std::countr_zero, std::has_single_bit
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "littlestone/boolean/bits.hpp"
#include "littlestone/boolean/consistency.hpp"
#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/terms.hpp"
#include "littlestone/names.hpp"

namespace littlestone::boolean {

/// A rule: twice the number of its term, plus 1 if it predicts no. Ties are broken in
/// this order.
using RuleNumber = std::uint64_t;

[[nodiscard]] constexpr bool says(RuleNumber rule) noexcept { return rule % 2 == 0; }

/// Which terms an example satisfies, without a bit for each: a term is its last literal
/// and the rest, and one mask says which rests are satisfied.
class Satisfied {
 public:
  explicit Satisfied(const Terms& terms) : terms_(terms) { singles_.resize(1); }

  void grow(std::size_t features) {
    truth_.resize(features);
    const std::size_t before = (singles_.size() - 1) / 2;
    singles_.resize(2 * features + 1);
    singles_.set(0);
    for (std::size_t j = before; j < features; ++j) singles_.set(2 * j + 2);
  }

  /// Calls `call` while this is set to an example.
  template <class Call>
  void with(Example x, Call call) {
    turn(x, true);
    if (terms_.k() > 2) terms_.fill(truth_, false, terms_.k() - 1, masks_);
    call();
    turn(x, false);
  }

  [[nodiscard]] bool has(std::size_t feature, bool negated,
                         std::size_t rest) const noexcept {
    return (truth_[feature] != 0) != negated && (rest == 0 || rests()[rest]);
  }

  /// The first term that is satisfied and in one of two sets, which have no terms below
  /// `first`.
  [[nodiscard]] std::optional<std::size_t> find(const Bits& one, const Bits& other,
                                                std::size_t first) const noexcept {
    const auto in_either = [&](std::size_t at) {
      return one.words()[at] | other.words()[at];
    };
    if (first == 0 && (in_either(0) & 1U) != 0) return 0;
    if (terms_.k() == 1) {
      const std::size_t words = std::min(one.words().size(), singles_.words().size());
      for (std::size_t at = first / word_bits; at < words; ++at) {
        const Word found = in_either(at) & singles_.words()[at];
        if (found != 0) return at * word_bits + lowest(found);
      }
      return {};
    }
    const std::size_t k = terms_.k();
    for (std::size_t j = feature_of(first); j < terms_.features(); ++j) {
      const std::size_t begin = terms_.block(k, j, truth_[j] == 0);
      if (begin >= one.size()) break;  // the set is older than the feature
      const std::size_t count = terms_.count_below(k - 1, j);
      const std::size_t shift = begin % word_bits;
      const std::size_t at = begin / word_bits;
      for (std::size_t done = 0; done < count; done += word_bits) {
        const std::size_t here = at + done / word_bits;
        Word found = in_either(here) >> shift;
        if (shift != 0) found |= in_either(here + 1) << (word_bits - shift);
        found &= rests().words()[done / word_bits];
        if (count - done < word_bits) found &= (Word{1} << (count - done)) - 1;
        if (found != 0) return begin + done + lowest(found);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] static std::size_t lowest(Word word) noexcept {
    return static_cast<std::size_t>(std::countr_zero(word));
  }
  [[nodiscard]] const Bits& rests() const noexcept {
    return terms_.k() > 2 ? masks_[terms_.k() - 1] : singles_;
  }
  /// The last feature of a term.
  [[nodiscard]] std::size_t feature_of(std::size_t term) const noexcept {
    std::size_t low = 0;
    std::size_t high = terms_.features();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (terms_.count_below(terms_.k(), middle) <= term ? low : high) = middle;
    }
    return low;
  }
  void turn(Example x, bool on) noexcept {
    for (const Index j : x) {
      truth_[j] = on ? 1 : 0;
      const std::size_t at = 2 * std::size_t{j} + 1;
      singles_.set(on ? at : at + 1);
      singles_.reset(on ? at + 1 : at);
    }
  }

  const Terms& terms_;
  std::vector<std::uint8_t> truth_;  // all 0 between calls
  Bits singles_;                     // the terms of at most one literal
  std::vector<Bits> masks_;
};

/// The rules of one level: a sorted list while they are few, else two bits a term.
class RuleSet {
 public:
  struct Entry {
    RuleNumber rule;
    std::size_t rest;
    Index feature;
    bool negated;
  };

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  /// Adds a new rule.
  void insert(RuleNumber rule, const Terms& terms) {
    if (!dense_ && count_ >= few(terms)) spread(terms);
    ++count_;
    if (dense_) return put(rule, terms);
    // The rules of a new feature come at the end.
    const auto at = few_.empty() || few_.back().rule < rule ? few_.end() : place(rule);
    few_.insert(at, entry(rule, terms));
  }

  /// Removes a rule of this level.
  void erase(RuleNumber rule, const Terms& terms) {
    --count_;
    if (!dense_) {
      few_.erase(place(rule));
      return;
    }
    (says(rule) ? yes_ : no_).reset(rule / 2);
    const std::size_t words = yes_.words().size();
    while (first_ < words && (yes_.words()[first_] | no_.words()[first_]) == 0) {
      ++first_;
    }
    if (count_ < few(terms) / 4) gather(terms);
  }

  /// Adds both rules of all terms from `first` on, all of them new.
  void append(std::size_t first, const Terms& terms) {
    const std::size_t more = terms.size() - first;
    if (!dense_ && count_ + 2 * more < few(terms)) {
      for (RuleNumber rule = 2 * first; rule < 2 * terms.size(); ++rule) {
        few_.push_back(entry(rule, terms));
      }
    } else {
      if (!dense_) spread(terms);
      reach(terms);
      yes_.set(first, more);
      no_.set(first, more);
      first_ = std::min(first_, first / word_bits);
    }
    count_ += 2 * more;
  }

  /// The first rule that fires.
  [[nodiscard]] std::optional<RuleNumber> find(const Satisfied& x) const noexcept {
    if (dense_) {
      const auto term = x.find(yes_, no_, first_ * word_bits);
      if (!term) return {};
      return 2 * RuleNumber{*term} + (yes_[*term] ? 0 : 1);
    }
    for (const Entry& entry : few_) {
      if (entry.rule < 2 || x.has(entry.feature, entry.negated, entry.rest)) {
        return entry.rule;
      }
    }
    return {};
  }

  /// Calls `take` with the rules in order, until it returns false; returns whether it
  /// did.
  template <class Take>
  bool each(Take take) const {
    if (!dense_) return std::ranges::all_of(few_, take, &Entry::rule);
    for (std::size_t at = first_; at < yes_.words().size(); ++at) {
      Word left = yes_.words()[at] | no_.words()[at];
      for (; left != 0; left &= left - 1) {
        const std::size_t term =
            at * word_bits + static_cast<std::size_t>(std::countr_zero(left));
        if (yes_[term] && !take(RuleNumber{2 * term})) return false;
        if (no_[term] && !take(RuleNumber{2 * term + 1})) return false;
      }
    }
    return true;
  }

 private:
  /// The size of a short list: testing each of its rules costs about as much as all the
  /// bits.
  [[nodiscard]] static std::size_t few(const Terms& terms) noexcept {
    return std::max<std::size_t>(64, terms.size() / word_bits);
  }
  [[nodiscard]] static Entry entry(RuleNumber rule, const Terms& terms) {
    if (rule < 2) return {rule, 0, 0, false};
    std::vector<Literal> literals;
    terms.literals(rule / 2, literals);
    const std::size_t feature = literals.back() / 2;
    const bool negated = literals.back() % 2 != 0;
    return {rule, rule / 2 - terms.block(terms.k(), feature, negated),
            static_cast<Index>(feature), negated};
  }
  [[nodiscard]] std::vector<Entry>::iterator place(RuleNumber rule) {
    return std::ranges::lower_bound(few_, rule, {}, &Entry::rule);
  }
  void reach(const Terms& terms) {
    if (yes_.size() >= terms.size()) return;
    yes_.resize(terms.size());
    no_.resize(terms.size());
  }
  void put(RuleNumber rule, const Terms& terms) {
    reach(terms);
    (says(rule) ? yes_ : no_).set(rule / 2);
    first_ = std::min<std::size_t>(first_, rule / 2 / word_bits);
  }
  void spread(const Terms& terms) {
    dense_ = true;
    first_ = few_.empty() ? 0 : few_.front().rule / 2 / word_bits;
    for (const Entry& entry : few_) put(entry.rule, terms);
    few_ = {};
  }
  void gather(const Terms& terms) {
    each([&](RuleNumber rule) {
      few_.push_back(entry(rule, terms));
      return true;
    });
    dense_ = false;
    yes_ = {};
    no_ = {};
  }

  std::size_t count_ = 0;
  bool dense_ = false;
  std::vector<Entry> few_;
  Bits yes_;
  Bits no_;
  std::size_t first_ = 0;  // no rule is in a word before this one
};

/// The terms covered by those seen so far: all that contain one of them, and C if both
/// `C and l` and `C and not l` are covered.
class Covered {
 public:
  explicit Covered(const Terms& terms) : terms_(terms) { bits_.resize(terms.size()); }

  [[nodiscard]] bool all() const noexcept { return bits_[0]; }

  /// Adds a term; false if it was covered before.
  bool add(std::size_t term) {
    std::vector<Literal> literals;
    terms_.literals(term, literals);
    if (covers(literals)) return false;
    enter(literals);
    return true;
  }

 private:
  /// Whether the term, or a part of it, was entered.
  [[nodiscard]] bool covers(const std::vector<Literal>& literals) const {
    std::vector<Literal> part;
    for (std::uint64_t chosen = 0; chosen >> literals.size() == 0; ++chosen) {
      part.clear();
      for (std::size_t at = 0; at < literals.size(); ++at) {
        if ((chosen >> at & 1U) != 0) part.push_back(literals[at]);
      }
      if (bits_[terms_.number(part)]) return true;
    }
    return false;
  }
  void enter(const std::vector<Literal>& literals) {
    bits_.set(terms_.number(literals));
    for (std::size_t at = 0; at < literals.size(); ++at) {
      std::vector<Literal> other = literals;
      other[at] ^= 1U;
      if (!covers(other)) continue;
      other.erase(other.begin() + static_cast<std::ptrdiff_t>(at));
      if (!covers(other)) enter(other);
    }
  }

  const Terms& terms_;
  Bits bits_;
};

/// The level of a rule, and the lesson that moved it last.
struct Standing {
  static constexpr std::uint64_t no_lesson = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t level = 1;
  std::uint64_t lesson = no_lesson;
};

class DecisionList final : public Rule {
 public:
  explicit DecisionList(std::size_t k) : terms_(k), satisfied_(terms_) {
    levels_[1].append(0, terms_);
    satisfied_.grow(0);
  }

  [[nodiscard]] bool fits(std::size_t features) const noexcept override {
    return Terms::count(terms_.k(), features) <= Terms::most;
  }
  [[nodiscard]] std::size_t features() const noexcept override {
    return terms_.features();
  }
  [[nodiscard]] const Terms& terms() const noexcept { return terms_; }

  /// A new feature was false until now, so that `C and not new` would have fired
  /// whenever C has: it has the same level as C.
  void grow(std::size_t features) override {
    for (std::size_t j = terms_.features(); j < features; ++j) {
      const std::size_t before = terms_.size();
      terms_.grow(j + 1);
      levels_[1].append(before, terms_);
      const RuleNumber block = 2 * RuleNumber{terms_.block(terms_.k(), j, true)};
      const std::size_t parents = parents_.size();
      for (std::size_t at = 0; at < parents; ++at) {
        const auto [parent, within] = parents_[at];
        place(block + within, standings_.at(parent));
      }
    }
    satisfied_.grow(features);
  }

  /// The rule that predicts an example without new features.
  [[nodiscard]] RuleNumber follow(Example x) {
    std::optional<RuleNumber> found;
    satisfied_.with(x, [&] {
      for (auto level = levels_.begin(); !found; ++level) {
        found = level->second.find(satisfied_);
      }
    });
    return *found;  // the empty term is satisfied, so there is one
  }

  [[nodiscard]] bool predict(Example x) override {
    std::size_t met = x.size();
    while (met > 0 && x[met - 1] >= features()) --met;
    const RuleNumber rule = follow(x.first(met));
    // The rules of a new feature come last on level 1, and the first of them that fires
    // predicts yes.
    return says(rule) || (met < x.size() && standings_.contains(rule));
  }

  Mended mend(Example x, bool label, const Lessons& lessons) override {
    const RuleNumber rule = follow(x);
    Standing standing = this->standing(rule);
    leave(rule, standing.level);
    ++standing.level;
    if (keeps_) standing.lesson = lessons.size();
    place_above(rule, standing);
    if (!keeps_) return {.updated = true};
    // If a list fits, no rule rises above the number of levels that a list can have.
    // Testing for a list costs little if it is done each time the lessons have doubled.
    const bool look =
        std::has_single_bit(lessons.size() + 1) || standing.level > terms_.size() + 1;
    if (!look) return {.updated = true};
    Consistency consistency(terms_, lessons, x, label);
    if (consistency.fits()) return {.updated = true};
    witness_ = consistency.witness();
    keeps_ = false;
    return {.updated = true, .ruled_out = true};
  }

  /// The example that ruled out all lists is kept too: it may be part of the proof.
  [[nodiscard]] bool keeps() const noexcept override {
    return keeps_ || !witness_.empty();
  }

  [[nodiscard]] std::vector<std::size_t> witness(Example /*x*/,
                                                 const Lessons& /*lessons*/) override {
    return std::exchange(witness_, {});
  }

  [[nodiscard]] Standing standing(RuleNumber rule) const {
    const auto found = standings_.find(rule);
    return found == standings_.end() ? Standing{} : found->second;
  }

  /// The rules in order, without those that can never be the first to fire. The last
  /// one fires if no other does.
  [[nodiscard]] std::vector<RuleNumber> listed() const {
    std::vector<RuleNumber> rules;
    Covered covered(terms_);
    for (const auto& [level, here] : levels_) {
      const bool more = here.each([&](RuleNumber rule) {
        if (covered.add(rule / 2)) rules.push_back(rule);
        return !covered.all();
      });
      if (!more) break;
    }
    return rules;
  }

  [[nodiscard]] std::vector<std::uint64_t> state() const override {
    std::vector<RuleNumber> moved;
    for (const auto& [rule, standing] : standings_) moved.push_back(rule);
    std::ranges::sort(moved);
    std::vector<std::uint64_t> state{keeps_ ? std::uint64_t{1} : 0};
    for (const RuleNumber rule : moved) {
      const Standing& standing = standings_.at(rule);
      state.insert(state.end(), {rule, standing.level, standing.lesson});
    }
    return state;
  }
  void restore(std::span<const std::uint64_t> state, const Lessons& lessons) override {
    if (state.size() % 3 != 1) throw std::invalid_argument("expected rules and levels");
    keeps_ = state[0] != 0;
    RuleNumber least = 0;
    for (std::size_t at = 1; at < state.size(); at += 3) {
      const RuleNumber rule = state[at];
      const Standing standing{state[at + 1], state[at + 2]};
      const bool sound =
          rule >= least && rule < 2 * terms_.size() && standing.level > 1 &&
          (standing.lesson < lessons.size() || standing.lesson == Standing::no_lesson);
      if (!sound) throw std::invalid_argument("expected rules with their levels");
      place(rule, standing);
      least = rule + 1;
    }
  }

 private:
  struct Parent {
    RuleNumber rule;
    RuleNumber within;  // its number among the rules with one literal fewer
  };

  void leave(RuleNumber rule, std::uint64_t level) {
    const auto at = levels_.find(level);
    at->second.erase(rule, terms_);
    if (at->second.empty()) levels_.erase(at);
  }
  /// Moves a rule from level 1 to another.
  void place(RuleNumber rule, const Standing& standing) {
    leave(rule, 1);
    place_above(rule, standing);
  }
  void place_above(RuleNumber rule, const Standing& standing) {
    levels_[standing.level].insert(rule, terms_);
    if (!standings_.insert_or_assign(rule, standing).second) return;
    std::vector<Literal> literals;
    terms_.literals(rule / 2, literals);
    if (literals.size() == terms_.k()) return;
    RuleNumber within = rule % 2;
    for (std::size_t i = 0; i < literals.size(); ++i) {
      const Literal literal = literals[literals.size() - 1 - i];
      within += 2 * terms_.block(terms_.k() - 1 - i, literal / 2, literal % 2 != 0);
    }
    parents_.push_back({rule, within});
  }

  Terms terms_;
  Satisfied satisfied_;
  std::map<std::uint64_t, RuleSet> levels_;  // those that have rules
  std::unordered_map<RuleNumber, Standing, KeyedHash> standings_;  // above level 1
  std::vector<Parent> parents_;  // the rules above level 1 that a new feature extends
  bool keeps_ = true;
  std::vector<std::size_t> witness_;  // until it is asked for
};

}  // namespace littlestone::boolean
