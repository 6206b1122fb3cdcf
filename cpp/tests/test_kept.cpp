// What is kept of a stream, case by case.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "littlestone/kept.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/linear/losses.hpp"
#include "littlestone/linear/perceptron.hpp"

using namespace littlestone;

namespace {

using Csr = CsrBlock<double, std::int32_t>;
constexpr std::span<const std::string_view> nameless{};

template <class T>
bool equal(const Growing<T>& numbers, const std::vector<T>& expected) {
  return std::ranges::equal(numbers.span(), expected);
}

void numbers_may_be_many() {
  Growing<std::int32_t> numbers;
  std::vector<std::int32_t> expected;
  for (std::int32_t k = 0; k < 1000; ++k) {
    numbers.push_back(k);
    expected.push_back(k);
  }
  check(equal(numbers, expected), "all are there");
  std::int32_t* const taken = numbers.release();
  check(taken[999] == 999 && numbers.size() == 0, "and are handed over");
  std::free(taken);
  numbers.push_back(7);
  check(equal(numbers, {7}), "it begins again");
}

std::string features_of(const KeptExamples& kept) {
  std::string text;
  for (std::size_t number = 0; number < kept.features(); ++number) {
    kept.visit(
        number, [&](std::uint64_t column) { text += std::to_string(column) + " "; },
        [&](std::string_view name) { text += "'" + std::string(name) + "' "; });
  }
  return text;
}

void features_are_numbered_as_they_are_met() {
  const std::array<std::int32_t, 4> offsets{0, 2, 4, 6};
  const std::array<std::int32_t, 6> columns{5, 2, 7, 1, 2, 9};
  const std::array<double, 6> values{1.0, 0.0, 3.0, 4.0, 5.0, 6.0};
  const std::array<bool, 3> changed{true, false, true};
  KeptExamples kept;
  kept.add_changed(Csr{offsets, columns, values, 10}, nameless, changed, 0, 3);
  check(features_of(kept) == "5 2 9 ", "only of rounds that changed it, and no zeros");
  check(equal(kept.columns, {0, 1, 2}), "their numbers");
  check(equal(kept.values, {1.0, 5.0, 6.0}), "their values");
  check(equal(kept.ends, {1, 3}), "where each begins");

  kept.add_column(std::uint64_t{1} << 40U, 1.0);
  kept.add_name("5", 2.0);
  kept.add_name("none", 0.0);
  kept.add_column(9, 3.0);
  kept.add_column(std::uint64_t{1} << 40U, 4.0);
  kept.end_example();
  check(features_of(kept) == "5 2 9 1099511627776 '5' ", "columns and names are apart");
  check(equal(kept.columns, {0, 1, 2, 3, 4, 2, 3}), "met again");
}

void every_changed_round_is_kept_wherever_a_range_begins_and_ends() {
  constexpr std::size_t rounds = 40;
  std::vector<double> values;
  for (std::size_t t = 0; t < rounds; ++t) {
    values.push_back(t % 3 == 0 ? 0.0 : static_cast<double>(t));
    values.push_back(static_cast<double>(t + 100));
  }
  std::array<bool, rounds> changed{};
  for (const std::size_t t : {0U, 7U, 8U, 15U, 17U, 30U, 39U}) changed[t] = true;
  const DenseBlock<double> rows{values, rounds, 2};
  for (std::size_t first = 0; first < rounds; ++first) {
    for (std::size_t last = first; last <= rounds; ++last) {
      std::vector<std::int64_t> ends;
      std::vector<double> expected;
      for (std::size_t t = first; t < last; ++t) {
        if (!changed[t]) continue;
        if (values[2 * t] != 0.0) expected.push_back(values[2 * t]);
        expected.push_back(values[2 * t + 1]);
        ends.push_back(static_cast<std::int64_t>(expected.size()));
      }
      KeptExamples kept;
      kept.add_changed(rows, nameless, changed, first, last);
      check(equal(kept.values, expected) && equal(kept.ends, ends), "those in between");
    }
  }
}

void names_are_those_of_the_block() {
  const std::array<double, 4> values{0.0, 2.0, 3.0, 0.0};
  const std::array<std::int64_t, 2> indices{};
  const std::array<std::string_view, 2> names{"a", "bc"};
  const std::array<bool, 2> changed{true, true};
  const NamedBlock<double> rows{values, indices, 2};
  KeptExamples kept;
  kept.add_changed(rows, names, changed, 0, 2);
  check(features_of(kept) == "'bc' 'a' ", "in the order of meeting");
  check(equal(kept.columns, {0, 1}), "one each");
}

void a_lesson_says_which_rounds_changed_the_cells() {
  Linear<Perceptron> learner{Perceptron{}};
  const std::array<double, 3> values{1.0, 1.0, -1.0};
  const std::array<bool, 3> labels{false, false, false};
  std::array<bool, 3> predictions{};
  std::array<bool, 3> changed{false, true, false};
  const Block rows = DenseBlock<double>{values, 3, 1};
  learner.play(rows, {labels, predictions, {}, changed}, 0, 3);
  check(changed == std::array{true, false, true}, "round by round");
  check(learner.updates == 2, "as it counts them");

  const std::array<std::uint32_t, 3> repeats{0, 2, 1};
  learner.play(rows, {labels, predictions, repeats, changed}, 0, 3);
  check(changed == std::array{false, true, true}, "also with repeats");
}

void losses_are_those_of_all_rows_wherever_a_range_ends() {
  const std::array<std::int32_t, 5> offsets{0, 2, 3, 3, 5};
  const std::array<std::int32_t, 5> columns{1, 4, 1, 4, 9};
  const std::array<double, 5> values{1.0, 0.5, 2.0, -3.0, 0.25};
  const std::array<bool, 4> labels{true, false, true, false};
  const Csr rows{offsets, columns, values, 10};
  const auto lose = [&](std::size_t cut) {
    Losses losses({}, {{1.0, 1.0}, {0.0, 2.0}}, {true, true});
    losses.set_column(1, 2.0);
    losses.set_column(4, -1.0);
    Losses::Known columns_alone;
    losses.add(rows, columns_alone, labels, 0, cut);
    losses.add(rows, columns_alone, labels, cut, 4);
    return losses;
  };
  // The scores are 1.5, 4, 0 and 3.
  const Losses whole = lose(0);
  const double sum = whole.measures()[0].sum;
  check(sum >= 10.0 && sum < 10.0 + 1e-12, "one level");
  const double second = whole.measures()[1].sum;
  check(second >= 11.0 && second < 11.0 + 1e-12, "one for yes and one for no");
  check(whole.largest() >= 9.0625 && whole.largest() < 9.07, "the longest row");
  check(whole.smallest() == 0.25 && whole.met() == 3, "and what was met");
  for (std::size_t cut = 1; cut < 4; ++cut) {
    check(lose(cut).measures()[1].sum == second, "cuts do not matter");
  }
}

void a_column_met_in_the_middle_moves_no_weights() {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> columns;
  for (std::int32_t row = 0; row < 100; ++row) {
    columns.insert(columns.end(), {0, 10 * row + 1});
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const std::vector<double> values(columns.size(), 1.0);
  const std::array<bool, 100> labels{};
  Losses losses({}, {{0.0, 0.0}}, {true, true});
  losses.set_column(0, 2.0);
  Losses::Known columns_alone;
  losses.add(Csr{offsets, columns, values, 1000}, columns_alone, labels, 0, 100);
  check(losses.met() == 101, "each is met once");
  const double sum = losses.measures()[0].sum;
  check(sum >= 200.0 && sum < 200.0 + 1e-9, "and weighs 0");
}

}  // namespace

int main() {
  numbers_may_be_many();
  features_are_numbered_as_they_are_met();
  every_changed_round_is_kept_wherever_a_range_begins_and_ends();
  names_are_those_of_the_block();
  a_lesson_says_which_rounds_changed_the_cells();
  losses_are_those_of_all_rows_wherever_a_range_ends();
  a_column_met_in_the_middle_moves_no_weights();
  return failures();
}
