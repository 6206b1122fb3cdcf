// Boolean rules on small cases worked by hand, and against plain definitions.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/boolean/bits.hpp"
#include "littlestone/boolean/elimination.hpp"
#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/terms.hpp"
#include "littlestone/boolean/truths.hpp"
#include "littlestone/boolean/winnow_terms.hpp"
#include "littlestone/math/random.hpp"

using namespace littlestone;
using namespace littlestone::boolean;

namespace {

std::vector<bool> plain(const Bits& bits) {
  std::vector<bool> all;
  for (std::size_t i = 0; i < bits.size(); ++i) all.push_back(bits[i]);
  return all;
}

Bits drawn(SplitMix& random, std::size_t size) {
  Bits bits;
  bits.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (random.below(3) == 0) bits.set(i);
  }
  return bits;
}

void stretches_of_bits_begin_anywhere() {
  SplitMix random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t size = 1 + random.below(400);
    const std::size_t first = random.below(size);
    const std::size_t count = random.below(size - first + 1);
    const Bits base = drawn(random, size);
    const Bits other = drawn(random, count + random.below(100));
    bool meets = false;
    std::vector<bool> with = plain(base);
    std::vector<bool> without = with;
    std::vector<bool> ones = with;
    for (std::size_t i = 0; i < count; ++i) {
      meets = meets || (base[first + i] && other[i]);
      if (other[i]) with[first + i] = true;
      if (other[i]) without[first + i] = false;
      ones[first + i] = true;
    }
    check(base.meets(first, other, count) == meets, "meets");
    Bits changed = base;
    changed.put(first, other, count);
    check(plain(changed) == with, "put");
    changed = base;
    changed.take(first, other, count);
    check(plain(changed) == without, "take");
    changed = base;
    changed.set(first, count);
    check(plain(changed) == ones, "set a stretch");
  }
}

void bits_shrink_and_grow_with_zeros() {
  Bits bits;
  bits.resize(130);
  bits.set(0, 130);
  bits.resize(5);
  bits.resize(200);
  std::size_t count = 0;
  bits.each([&](std::size_t at) {
    check(at < 5, "only what was kept");
    ++count;
  });
  check(count == 5, "five bits");
  Bits other;
  other.resize(3);
  other.set(1);
  check(bits.subtract(other) && !bits[1] && bits[2], "one is taken out");
  check(!bits.subtract(other), "and is not there again");
}

void sets_of_literals_are_numbered_one_by_one() {
  for (std::size_t k = 1; k <= 4; ++k) {
    Terms terms(k);
    std::vector<std::vector<Literal>> before;
    for (std::size_t n = 0; n <= 6; ++n) {
      terms.grow(n);
      check(terms.size() == Terms::count(k, n), "as many as the formula says");
      std::set<std::vector<Literal>> seen;
      std::vector<Literal> literals;
      for (std::size_t number = 0; number < terms.size(); ++number) {
        terms.literals(number, literals);
        check(terms.number(literals) == number, "there and back");
        check(literals.size() <= k, "at most k literals");
        for (std::size_t i = 1; i < literals.size(); ++i) {
          check(literals[i - 1] / 2 < literals[i] / 2, "of features in order");
        }
        check(seen.insert(literals).second, "each set once");
        if (number < before.size()) {
          check(literals == before[number], "a new feature appends");
        } else {
          before.push_back(literals);
        }
      }
    }
  }
  check(Terms::count(2, 300) == 180001, "two of three hundred");
  check(Terms::count(3, 60) == 1 + 120 + 7080 + 273760, "three of sixty");
  check(Terms::count(20, 20) == 3486784401U,
        "each feature asked, forbidden or neither");
  check(Terms::count(21, 21) == Terms::most + 1, "too many");
  check(Terms::count(2, 1U << 31U) == Terms::most + 1, "far too many");
  check(Terms::count(1, (1U << 31U) - 1) == Terms::most - 1, "just enough");
}

void a_mask_has_the_terms_that_are_satisfied() {
  SplitMix random(2);
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 0; n <= 9; ++n) {
      Terms terms(k);
      terms.grow(n);
      std::vector<std::uint8_t> truth(n);
      for (auto& value : truth) value = static_cast<std::uint8_t>(random.below(2));
      for (const bool falsified : {false, true}) {
        std::vector<Bits> masks;
        terms.fill(truth, falsified, k, masks);
        std::vector<Literal> literals;
        for (std::size_t number = 0; number < terms.size(); ++number) {
          terms.literals(number, literals);
          const bool all = std::ranges::all_of(literals, [&](Literal literal) {
            const bool holds = (truth[literal / 2] != 0) == (literal % 2 == 0);
            return holds != falsified;
          });
          check(masks[k][number] == all, "bit of a term");
        }
      }
    }
  }
}

std::set<std::vector<Literal>> left(const Elimination& rule) {
  std::set<std::vector<Literal>> found;
  rule.each_clause([&](std::span<const Literal> clause) {
    found.insert({clause.begin(), clause.end()});
  });
  return found;
}

void literals_are_dropped_by_a_missed_yes() {
  const Lessons none;
  Literals rule(true, true, true, false);
  rule.grow(3);
  const std::vector<Index> x{0, 2};
  check(!rule.predict(x), "all literals together are never true");
  check(rule.mend(x, true, none).updated, "a missed yes mends");
  check(left(rule) == std::set<std::vector<Literal>>{{0}, {3}, {4}}, "x0, not x1, x2");
  check(rule.predict(x) && !rule.predict({}), "which says yes here alone");
  check(rule.mend(x, false, none).ruled_out, "a no here rules out everything");
  check(rule.predict(x), "and changes nothing");
}

void an_unmet_feature_is_forbidden() {
  const Lessons none;
  Literals rule(true, true, false, false);
  check(!rule.predict({}), "some unmet feature is asked for");
  check(rule.mend({}, true, none).updated && rule.predict({}), "not any more");
  const std::vector<Index> x{0};
  check(!rule.predict(x), "but not to have one is asked for");
  rule.grow(1);
  check(!rule.predict(x), "also once it is met");
}

void clauses_of_one_literal_are_literals() {
  SplitMix random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const bool dual = random.below(2) != 0;
    Literals literals(true, true, false, dual);
    Clauses clauses(1, dual);
    Lessons lessons;
    std::size_t n = 0;
    for (std::uint64_t round = 0; round < 40; ++round) {
      std::vector<Index> x;
      for (std::size_t j = 0; j < n + 2; ++j) {
        if (random.below(2) != 0) x.push_back(static_cast<Index>(j));
      }
      const bool label = random.below(2) != 0;
      const bool said = literals.predict(x);
      check(said == clauses.predict(x), "the same prediction");
      if (!x.empty()) n = std::max<std::size_t>(n, x.back() + 1);
      literals.grow(n);
      clauses.grow(n);
      check(said == literals.predict(x) && said == clauses.predict(x),
            "to meet a feature changes no prediction");
      if (said == label) continue;
      const Mended one = literals.mend(x, label, lessons);
      const Mended two = clauses.mend(x, label, lessons);
      check(one.updated == two.updated && one.ruled_out == two.ruled_out, "mended");
      check(literals.witness(x, lessons) == clauses.witness(x, lessons), "witness");
      if (one.updated) lessons.add(round, label, x);
    }
    check(left(literals) == left(clauses), "the same literals are left");
    Clauses copy(1, dual);
    copy.grow(n);
    copy.restore({}, lessons);
    check(left(copy) == left(clauses), "lessons are all there is to know");
  }
}

void terms_that_are_true_share_the_vote() {
  using boolean::Index;
  boolean::WinnowTerms rule(2, 4.0, 2.0);
  const boolean::Lessons none;
  rule.grow(1);
  const std::vector<Index> first = {0};
  const std::vector<Index> both = {0, 1};
  check(!rule.predict(first), "two terms of weight 1");
  check(rule.predict(both), "and two more that end in a new feature");
  rule.grow(2);
  check(rule.predict(both), "the same once it is met");
  rule.mend(both, false, none);
  check(!rule.predict(both), "half of it");
  check(!rule.predict({}), "always, not a, not b and both of them: 3.5");
  boolean::WinnowTerms copy(2, 4.0, 2.0);
  copy.grow(2);
  copy.restore(rule.state(), none);
  check(std::ranges::equal(copy.weights(), rule.weights()), "all of it can be kept");
  bool refused = false;
  try {
    copy.restore(std::vector<std::uint64_t>{0}, none);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  check(refused, "weights of other terms are refused");
}

void lessons_are_kept_in_order() {
  Lessons lessons;
  const std::vector<Index> x{1, 5};
  lessons.add(3, true, x);
  lessons.add(4, false, {});
  lessons.add(9, true, x);
  check(lessons.size() == 3 && lessons[0].round == 3 && lessons[0].x.size() == 2,
        "the first");
  check(lessons[1].x.empty() && !lessons[1].label, "an example with nothing true");
  check(lessons[2].x[1] == 5 && lessons[2].round == 9, "the last");
  lessons.forget();
  check(lessons.size() == 0, "forgotten");
}

template <class V>
void true_cells_are_found() {
  SplitMix random(5);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<V> cells(size);
    std::vector<Index> expected;
    for (std::size_t k = 0; k < size; ++k) {
      cells[k] = static_cast<V>(random.below(2));
      if (cells[k] == V{1}) expected.push_back(static_cast<Index>(k));
    }
    std::vector<Index> found(size + 8);
    const auto count = true_cells<V>(cells, found.data());
    check(count == expected.size(), "every true cell is counted");
    found.resize(expected.size());
    check(found == expected, "in order");
    if (size == 0) continue;
    found.resize(size + 8);
    cells[random.below(size)] = V{0.5};
    check(!true_cells<V>(cells, found.data()), "a cell that is neither 0 nor 1");
    cells.back() = std::numeric_limits<V>::quiet_NaN();
    check(!true_cells<V>(cells, found.data()), "nor is NaN");
  }
}

}  // namespace

int main() {
  true_cells_are_found<float>();
  true_cells_are_found<double>();
  stretches_of_bits_begin_anywhere();
  bits_shrink_and_grow_with_zeros();
  sets_of_literals_are_numbered_one_by_one();
  a_mask_has_the_terms_that_are_satisfied();
  literals_are_dropped_by_a_missed_yes();
  an_unmet_feature_is_forbidden();
  clauses_of_one_literal_are_literals();
  terms_that_are_true_share_the_vote();
  lessons_are_kept_in_order();
  return failures();
}
