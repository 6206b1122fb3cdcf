#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "check.hpp"
#include "littlestone/boolean/consistency.hpp"
#include "littlestone/boolean/decision_list.hpp"
#include "littlestone/math/random.hpp"

using namespace littlestone;
using namespace littlestone::boolean;

namespace {

std::vector<Index> some(SplitMix& random, std::size_t n, std::size_t percent = 50) {
  std::vector<Index> on;
  for (Index feature = 0; feature < n; ++feature) {
    if (random.below(100) < percent) on.push_back(feature);
  }
  return on;
}

bool fires(const Terms& terms, std::size_t term, Example x) {
  std::vector<Literal> literals;
  terms.literals(term, literals);
  return std::ranges::all_of(literals, [&](Literal literal) {
    return std::ranges::binary_search(x, static_cast<Index>(literal / 2)) ==
           (literal % 2 == 0);
  });
}

// Sets of rules -------------------------------------------------------------

void a_set_of_rules_is_the_same_as_list_and_as_bits() {
  for (const std::size_t k : {1U, 2U, 3U}) {
    Terms terms(k);
    const std::size_t n = k == 1 ? 4000 : k == 2 ? 70 : 18;
    terms.grow(n);
    Satisfied satisfied(terms);
    satisfied.grow(n);
    SplitMix random{k};
    RuleSet rules;
    std::set<RuleNumber> here;
    bool found = true;
    bool listed = true;
    // From few to many and back, across both changes of form.
    for (const std::size_t chance : {100U, 100U, 50U, 5U, 1U, 0U}) {
      for (int turn = 0; turn < 1200; ++turn) {
        const RuleNumber rule = random.below(2 * terms.size());
        if (!here.contains(rule) && random.below(100) < chance) {
          rules.insert(rule, terms);
          here.insert(rule);
        }
        const auto gone = here.lower_bound(random.below(2 * terms.size()));
        if (chance < 100 && gone != here.end()) {
          rules.erase(*gone, terms);
          here.erase(gone);
        }
        if (turn % 50 != 0) continue;
        const auto x = some(random, n, turn % 100 == 0 ? 10 : 50);
        const auto first = std::ranges::find_if(
            here, [&](RuleNumber r) { return fires(terms, r / 2, x); });
        satisfied.with(x, [&] {
          const auto rule_found = rules.find(satisfied);
          found &= first == here.end() ? !rule_found : rule_found == *first;
        });
      }
      std::vector<RuleNumber> all;
      rules.each([&](RuleNumber rule) {
        all.push_back(rule);
        return true;
      });
      listed &= std::ranges::equal(all, here) && rules.empty() == here.empty();
    }
    check(found, "a rule is found where it stands");
    check(listed, "all of them are there, in order");
  }
}

// The learner ---------------------------------------------------------------

/// The same in the simplest way: a level for each term and label.
struct Plain {
  struct Rule {
    std::vector<Literal> term;
    std::uint64_t level;
  };
  std::size_t k;
  std::vector<Rule> rules = {{{}, 1}, {{}, 1}};
  std::size_t features = 0;

  void grow(std::size_t n) {
    for (; features < n; ++features) {
      const auto before = rules;
      for (const bool negated : {false, true}) {
        for (Rule rule : before) {
          if (rule.term.size() == k) continue;
          rule.term.push_back(literal_of(features, negated));
          if (!negated) rule.level = 1;
          rules.push_back(rule);
        }
      }
    }
  }
  [[nodiscard]] std::size_t follow(const std::vector<Index>& x) const {
    std::size_t best = rules.size();
    for (std::size_t at = 0; at < rules.size(); ++at) {
      const bool fire = std::ranges::all_of(rules[at].term, [&](Literal literal) {
        return std::ranges::binary_search(x, static_cast<Index>(literal / 2)) ==
               (literal % 2 == 0);
      });
      if (fire && (best == rules.size() || rules[at].level < rules[best].level)) {
        best = at;
      }
    }
    return best;
  }
};

/// Plays an example as the bindings do; returns whether it was a mistake.
bool play(DecisionList& learner, const std::vector<Index>& x, bool label,
          Lessons& lessons) {
  if (learner.predict(x) == label) return false;
  const Mended mended = learner.mend(x, label, lessons);
  if (learner.keeps()) lessons.add(lessons.size(), label, x);
  if (mended.ruled_out) check(!learner.witness(x, lessons).empty(), "there is a proof");
  return true;
}

void it_equals_the_plainest_way_while_it_grows() {
  bool followed = true;
  bool levels = true;
  bool listed = true;
  bool copied = true;
  for (const std::size_t k : {1U, 2U, 3U}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SplitMix random{seed};
      DecisionList learner(k);
      Plain plain{k};
      Lessons lessons;
      std::size_t n = 0;
      for (int round = 0; round < 200; ++round) {
        if (n < 6 && random.below(20) == 0) n += 1 + random.below(2);
        learner.grow(n);
        plain.grow(n);
        const auto x = some(random, n);
        const std::size_t rule = plain.follow(x);
        followed &= learner.follow(x) == rule;
        if (play(learner, x, random.below(2) == 0, lessons)) ++plain.rules[rule].level;
      }
      for (std::size_t rule = 0; rule < plain.rules.size(); ++rule) {
        levels &= learner.standing(rule).level == plain.rules[rule].level;
      }
      const auto list = learner.listed();
      for (int turn = 0; turn < 64; ++turn) {
        const auto x = some(random, n);
        const auto at = std::find_if(list.begin(), list.end() - 1, [&](RuleNumber r) {
          return fires(learner.terms(), r / 2, x);
        });
        listed &= *at == learner.follow(x);
      }
      DecisionList copy(k);
      copy.grow(n);
      copy.restore(learner.state(), lessons);
      copy.grow(n + 2);
      learner.grow(n + 2);
      copied &= copy.state() == learner.state() && copy.listed() == learner.listed();
    }
  }
  check(followed, "the first rule that fires on the lowest level");
  check(levels, "each rule stands on its level, inherited or climbed to");
  check(listed, "the list follows the same rules");
  check(copied, "a copy grows like the learner");
}

void an_unmet_feature_is_predicted_as_if_it_had_been_met() {
  bool same = true;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SplitMix random{seed};
    DecisionList learner(1 + seed % 3);
    Lessons lessons;
    learner.grow(3);
    for (int round = 0; round < 30; ++round) {
      play(learner, some(random, 3), random.below(2) == 0, lessons);
    }
    DecisionList grown(1 + seed % 3);
    grown.grow(3);
    grown.restore(learner.state(), lessons);
    grown.grow(5);
    for (int turn = 0; turn < 8; ++turn) {
      auto x = some(random, 3);
      same &= grown.predict(x) == learner.predict(x);
      x.push_back(4);
      same &= grown.predict(x) == learner.predict(x);
    }
  }
  check(same, "it is predicted as if it had just been met");
}

// Whether a list fits ---------------------------------------------------------

/// Tries the terms in order, again and again.
std::size_t left_by_hand(const Terms& terms, std::vector<std::vector<Index>> xs,
                         std::vector<bool> ys) {
  for (std::size_t term = 0; term < terms.size(); ++term) {
    std::vector<std::size_t> covered;
    for (std::size_t at = 0; at < xs.size(); ++at) {
      if (fires(terms, term, xs[at])) covered.push_back(at);
    }
    const auto label = [&](std::size_t at) { return bool{ys[at]}; };
    if (covered.empty() ||
        (std::ranges::any_of(covered, label) && !std::ranges::all_of(covered, label))) {
      continue;
    }
    std::ranges::reverse(covered);
    for (const std::size_t at : covered) {
      xs.erase(xs.begin() + static_cast<std::ptrdiff_t>(at));
      ys.erase(ys.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return left_by_hand(terms, xs, ys);
  }
  return xs.size();
}

void whether_a_list_fits_is_found_and_proved() {
  bool same = true;
  bool proved = true;
  bool minimal = true;
  bool earliest = true;
  std::size_t ruled_out = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SplitMix random{seed};
    Terms terms(1 + seed % 3);
    const std::size_t n = 1 + random.below(4);
    terms.grow(n);
    std::vector<std::vector<Index>> xs;
    std::vector<bool> ys;
    Lessons lessons;
    const std::size_t size = 1 + random.below(seed % 5 == 0 ? 100 : 10);
    for (std::size_t at = 0; at < size; ++at) {
      xs.push_back(some(random, n));
      ys.push_back((xs.back().size() + (random.below(9) == 0 ? 1 : 0)) % 2 == 0);
      if (at + 1 < size) lessons.add(at, ys.back(), xs.back());
    }
    Consistency consistency(terms, lessons, xs.back(), ys.back());
    const bool fits = consistency.fits();
    same &= fits == (left_by_hand(terms, xs, ys) == 0);
    if (fits) continue;
    ++ruled_out;
    std::vector<std::vector<Index>> some_xs;
    std::vector<bool> some_ys;
    const auto witness = consistency.witness();
    const auto before = static_cast<std::ptrdiff_t>(witness.back());
    earliest &= left_by_hand(terms, {xs.begin(), xs.begin() + before},
                             {ys.begin(), ys.begin() + before}) == 0;
    for (const std::size_t at : witness) {
      some_xs.push_back(xs[at]);
      some_ys.push_back(ys[at]);
    }
    proved &= left_by_hand(terms, some_xs, some_ys) > 0;
    for (std::size_t out = 0; out < some_xs.size(); ++out) {
      auto fewer_xs = some_xs;
      auto fewer_ys = some_ys;
      fewer_xs.erase(fewer_xs.begin() + static_cast<std::ptrdiff_t>(out));
      fewer_ys.erase(fewer_ys.begin() + static_cast<std::ptrdiff_t>(out));
      minimal &= left_by_hand(terms, fewer_xs, fewer_ys) == 0;
    }
  }
  check(same, "a list fits if terms take out all examples");
  check(ruled_out > 50 && proved, "no list fits the examples of the proof");
  check(minimal, "none of them can be spared");
  check(earliest, "up to the last of them a list fitted");
}

}  // namespace

int main() {
  a_set_of_rules_is_the_same_as_list_and_as_bits();
  it_equals_the_plainest_way_while_it_grows();
  an_unmet_feature_is_predicted_as_if_it_had_been_met();
  whether_a_list_fits_is_found_and_proved();
  return failures();
}
