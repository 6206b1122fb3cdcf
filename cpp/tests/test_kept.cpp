// What is kept of a stream, and the bytes of its digest, case by case.

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

  const std::array<bool, 2> labels{true, false};
  const std::span<const bool> all_labels(labels);
  const Stretch all =
      measure(rows, std::span<const std::string_view>(names), all_labels, 0, 2, 1000);
  check(all.last == 2 && all.size == 7 + 9 + 2 + 6 + 9 + 2, "exactly as many bytes");
  std::string bytes(all.size, '?');
  check(write(rows, std::span<const std::string_view>(names), all_labels, 0, 2, bytes),
        "they fill the room");
  const std::string two("\0\0\0\0\0\0\0\x40", 8);
  const std::string three("\0\0\0\0\0\0\x08\x40", 8);
  check(bytes == std::string("n\2\0\0\0bcd", 8) + two + std::string("y\1", 2) +
                     std::string("n\1\0\0\0ad", 7) + three + std::string("y\0", 2),
        "name, value, label");
}

void bytes_are_written_in_pieces() {
  const std::array<std::int32_t, 4> offsets{0, 1, 1, 2};
  const std::array<std::int32_t, 2> columns{1, 258};
  const std::array<double, 2> values{-0.0, 1.0};
  const Csr rows{offsets, columns, values, 300};
  const std::array<std::string_view, 3> labels{"ki12345678", "", "y\1"};
  const std::span<const std::string_view> written(labels);
  std::string bytes;
  std::size_t first = 0;
  std::size_t pieces = 0;
  while (first < 3) {
    const Stretch some = measure(rows, nameless, written, first, 3, 1);
    check(some.last > first, "there is always a next row");
    std::string piece(some.size, '?');
    check(write(rows, nameless, written, first, some.last, piece),
          "they fill the room");
    bytes += piece;
    first = some.last;
    ++pieces;
  }
  check(pieces == 2, "a row without bytes goes with the next");
  check(bytes == "ki12345678" + std::string("c\2\1\0\0\0\0\0\0d", 10) +
                     std::string("\0\0\0\0\0\0\xf0\x3f", 8) + "y\1",
        "minus zero is zero, and columns are whole numbers of 64 bits");
}

void rows_that_change_stay_in_the_room_measured() {
  const std::array<std::int32_t, 2> offsets{0, 3};
  const std::array<std::int32_t, 3> columns{0, 1, 2};
  std::array<double, 3> values{1.0, 0.0, 1.0};
  const Csr rows{offsets, columns, values, 3};
  const std::array<bool, 1> label{true};
  const std::span<const bool> labels(label);
  const Stretch all = measure(rows, nameless, labels, 0, 1, 1000);
  std::string bytes(all.size + 100, '?');
  const std::span<char> room(bytes.data(), all.size);
  values[1] = 1.0;
  check(!write(rows, nameless, labels, 0, 1, room), "one value more does not fit");
  check(bytes.ends_with(std::string(100, '?')), "and nothing is written outside");
  values = {0.0, 0.0, 1.0};
  check(!write(rows, nameless, labels, 0, 1, room), "one value less is found too");
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

}  // namespace

int main() {
  numbers_may_be_many();
  features_are_numbered_as_they_are_met();
  names_are_those_of_the_block();
  bytes_are_written_in_pieces();
  rows_that_change_stay_in_the_room_measured();
  a_lesson_says_which_rounds_changed_the_cells();
  return failures();
}
