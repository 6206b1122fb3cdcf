// Names and weights: every feature has its own slot, and growth moves nothing.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "check.hpp"
#include "littlestone/features.hpp"
#include "littlestone/linear/weights.hpp"
#include "littlestone/names.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

std::string_view as_name(const ColumnKey& key) { return {key.data(), key.size()}; }

// Names ---------------------------------------------------------------------

void an_empty_table_finds_nothing() {
  const Names names;
  check(names.size() == 0, "no names");
  check(names.find("a") == Names::absent && names.find("") == Names::absent, "absent");
}

void slots_count_up_in_the_order_of_insertion() {
  Names names;
  check(names.insert("b") == 0 && names.insert("a") == 1, "0, then 1");
  check(names.find("b") == 0 && names.find("a") == 1, "found again");
  check(names[0] == "b" && names[1] == "a", "and named");
  check(names.find("c") == Names::absent && names.size() == 2,
        "to look enters nothing");
}

void names_survive_growth() {
  Names names;
  const std::size_t count = 100'000;
  bool slots = true;
  for (std::size_t k = 0; k < count; ++k) {
    slots &= names.insert("feature " + std::to_string(k)) == k;
  }
  check(slots && names.size() == count, "each gets the next slot");
  bool found = true;
  bool named = true;
  bool absent = true;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = "feature " + std::to_string(k);
    found &= names.find(name) == k;
    named &= names[k] == name;
    absent &= names.find("feature " + std::to_string(count + k)) == Names::absent;
  }
  check(found, "each is found in its slot");
  check(named, "each slot knows its name");
  check(absent, "the next hundred thousand are not there");
}

void a_name_and_its_beginnings_differ() {
  // The hash takes eight bytes at a time; the lengths cross that border three times.
  const std::string longest(25, 'x');
  Names names;
  for (std::size_t size = 0; size <= 24; ++size) {
    const auto name = std::string_view(longest).substr(0, size);
    check(names.find(name) == Names::absent, "a longer name is not this one");
    names.insert(name);
  }
  for (std::size_t size = 0; size <= 24; ++size) {
    check(names.find(std::string_view(longest).substr(0, size)) == size,
          "each its own");
    check(names[size].size() == size, "with its own length");
  }
  check(names.find(longest) == Names::absent, "shorter names are not this one");
}

void the_empty_name_is_a_name() {
  Names names;
  names.insert("a");
  check(names.find("") == Names::absent, "not there yet");
  check(names.insert("") == 1 && names.insert("b") == 2, "a slot like any other");
  check(names.find("") == 1 && names.find(std::string_view()) == 1, "found");
  check(names[1].empty() && names[2] == "b", "the next name is whole");
}

void zero_bytes_belong_to_a_name() {
  Names names;
  const auto all = {"a"sv, "a\0"sv, "a\0\0"sv, "\0"sv, "\0\0"sv, ""sv, "a\0b"sv};
  for (const auto name : all) names.insert(name);
  std::size_t slot = 0;
  for (const auto name : all) {
    check(names.find(name) == slot && names[slot] == name, "each its own");
    ++slot;
  }
  check(names.find("a\0c"sv) == Names::absent, "what follows a zero byte counts");
}

void a_name_may_lie_in_the_table_itself() {
  Names names;
  names.insert(std::string(64, 'n'));
  // The text moves as it grows, and the name with it.
  for (std::size_t size = 63; size > 0; --size) names.insert(names[0].substr(0, size));
  for (std::size_t size = 63; size > 0; --size) {
    check(names.find(std::string(size, 'n')) == 64 - size, "found by another copy");
  }
}

void a_name_is_entered_once() {
  Names names;
  check(names.enter("a") == 0 && names.enter("b") == 1 && names.enter("a") == 0, "a");
  names.clear();
  check(names.size() == 0 && names.find("a") == Names::absent, "all forgotten");
  check(names.enter("b") == 0 && names[0] == "b", "and begun anew");
}

void the_latest_names_can_be_forgotten() {
  Names names;
  const auto name = [](std::size_t k) {
    return (k % 2 == 0 ? "n" : "a long name ") + std::to_string(k);
  };
  for (std::size_t k = 0; k < 100; ++k) names.insert(name(k));
  names.truncate(40);
  check(names.size() == 40, "as many as asked");
  bool kept = true;
  bool gone = true;
  for (std::size_t k = 0; k < 100; ++k) {
    (k < 40 ? kept : gone) &= names.find(name(k)) == (k < 40 ? k : Names::absent);
  }
  check(kept && gone, "the first are there, the others are not");
  for (std::size_t k = 60; k < 10'000; ++k) kept &= names.enter(name(k)) == k - 20;
  for (std::size_t k = 60; k < 10'000; ++k) kept &= names.find(name(k)) == k - 20;
  check(kept, "and their slots are given anew");
  names.truncate(0);
  check(names.size() == 0 && names.find("n0") == Names::absent, "or all of them");
}

void a_copy_goes_its_own_way() {
  Names names;
  names.insert("a");
  Names copy = names;
  copy.insert("b");
  check(copy.find("a") == 0 && copy.find("b") == 1, "the copy has both");
  check(names.find("b") == Names::absent, "the original has one");
}

void column_keys_give_back_the_number() {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t column :
       {std::uint64_t{0}, std::uint64_t{1} << 24U, largest}) {
    const ColumnKey key = column_key(column);
    check(is_column_key(as_name(key)), "it is a key");
    check(column_of(as_name(key)) == column, "of that column");
  }
}

void no_utf8_name_is_a_column_key() {
  // U+0000 is the first character, U+10FFFF the last; nine bytes, like a key.
  for (const auto name :
       {"\0\0\0\0\0\0\0\0\0"sv, "123456789"sv, "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBFx"sv,
        "\xC3\xBF"
        "1234567"sv}) {
    check(name.size() == 9 && !is_column_key(name), "0xFF is in no UTF-8 text");
  }
  check(!is_column_key("") && !is_column_key("\xFF") &&
            !is_column_key("\xFF"
                           "123456789"),
        "a key has nine bytes");
  Names names;
  names.insert("16777221");
  check(names.find(as_name(column_key(16777221))) == Names::absent, "a number as text");
  names.insert(as_name(column_key(16777221)));
  check(names.find("16777221") == 0 && names.find(as_name(column_key(16777221))) == 1,
        "two features");
}

// Weights -------------------------------------------------------------------

/// A different weight for each index.
void number_all(Weights<double>& weights, std::int64_t named, std::int64_t columns) {
  for (std::int64_t i = -named; i < columns; ++i) {
    weights.view()[i] = static_cast<double>(1000 + i);
  }
}

bool numbered(Weights<double>& weights, std::int64_t named, std::int64_t columns) {
  bool holds = true;
  for (std::int64_t i = -named; i < columns; ++i) {
    holds &= weights.view()[i] == static_cast<double>(1000 + i);
  }
  return holds;
}

bool untouched(Weights<double>& weights, std::int64_t first, std::int64_t last) {
  bool holds = true;
  for (std::int64_t i = first; i < last; ++i) {
    holds &= weights.view()[i] == weights.initial();
  }
  return holds;
}

void slots_lie_left_of_the_columns() {
  check(index_of_slot(0) == -1 && index_of_slot(4) == -5, "-1 - slot");
}

void new_weights_are_the_initial_one() {
  Weights<double> weights(0.25);
  check(weights.initial() == 0.25 && weights.columns() == 0, "none yet");
  weights.reserve(3, 2);
  check(weights.columns() >= 3, "room for three columns");
  check(untouched(weights, -2, 3), "and two names, all of them 1/4");
}

void growth_keeps_both_sides() {
  Weights<double> weights(0.5);
  weights.reserve(4, 3);
  number_all(weights, 3, 4);
  weights.reserve(100, 3);
  check(numbered(weights, 3, 4) && untouched(weights, 4, 100), "to the right");
  weights.reserve(4, 50);
  check(weights.columns() >= 100, "less than there is takes nothing away");
  check(numbered(weights, 3, 4) && untouched(weights, 4, 100), "to the left");
  check(untouched(weights, -50, -3), "new names weigh the initial weight");
  weights.reserve(1000, 1000);
  check(numbered(weights, 3, 4) && untouched(weights, 4, 1000), "to both");
  check(untouched(weights, -1000, -3), "sides");
}

void growth_by_ones_keeps_everything() {
  Weights<double> weights(-1.0);
  for (std::int64_t n = 1; n <= 300; ++n) {
    const auto size = static_cast<std::size_t>(n);
    weights.reserve(size, size);
    check(weights.view()[n - 1] == -1.0, "the new column is fresh");
    check(weights.view()[index_of_slot(size - 1)] == -1.0, "the new name too");
    number_all(weights, n, n);
  }
  check(numbered(weights, 300, 300), "nothing is lost");
}

void one_side_can_stay_empty() {
  Weights columns(1.0);
  columns.reserve(5, 0);
  number_all(columns, 0, 5);
  columns.reserve(9, 0);
  check(numbered(columns, 0, 5) && untouched(columns, 5, 9), "no names");
  Weights names(1.0);
  names.reserve(0, 5);
  number_all(names, 5, 0);
  names.reserve(0, 9);
  check(numbered(names, 5, 0) && untouched(names, -9, -5), "no columns");
  check(names.columns() == 0, "none at all");
}

void room_that_is_there_is_left_alone() {
  Weights<double> weights(0.0);
  weights.reserve(8, 8);
  const double* const origin = &weights.view()[0];
  weights.reserve(8, 8);
  weights.reserve(0, 0);
  check(&weights.view()[0] == origin, "nothing moves");
}

void nobody_can_choose_names_that_collide() {
  // Where a hash is a chain of multiplications by constants, a change of the highest
  // bit of one word can be undone by one bit of the next, whatever it starts with.
  constexpr std::size_t pairs = 10;
  Names names;
  std::set<std::uint64_t> hashes;
  for (std::size_t which = 0; which < 1U << pairs; ++which) {
    std::string name(16 * pairs, 'a');
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      if ((which >> pair & 1U) == 0) continue;
      name[16 * pair + 7] ^= static_cast<char>(0x80);
      name[16 * pair + 8 + 3] ^= 0x10;
    }
    hashes.insert(names.hash_of(name));
  }
  check(hashes.size() == 1U << pairs, "each has a hash of its own");
}

}  // namespace

int main() {
  an_empty_table_finds_nothing();
  slots_count_up_in_the_order_of_insertion();
  names_survive_growth();
  a_name_and_its_beginnings_differ();
  the_empty_name_is_a_name();
  zero_bytes_belong_to_a_name();
  a_name_may_lie_in_the_table_itself();
  a_name_is_entered_once();
  the_latest_names_can_be_forgotten();
  a_copy_goes_its_own_way();
  column_keys_give_back_the_number();
  no_utf8_name_is_a_column_key();
  slots_lie_left_of_the_columns();
  new_weights_are_the_initial_one();
  growth_keeps_both_sides();
  growth_by_ones_keeps_everything();
  one_side_can_stay_empty();
  room_that_is_there_is_left_alone();
  nobody_can_choose_names_that_collide();
  return failures();
}
