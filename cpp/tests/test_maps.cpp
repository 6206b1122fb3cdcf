// Maps, case by case.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/maps/fourier.hpp"
#include "littlestone/maps/products.hpp"
#include "littlestone/maps/standardized.hpp"
#include "littlestone/math/cosine.hpp"

using namespace littlestone;

namespace {

Mapped map_dense(Map& map, const std::vector<double>& values, std::size_t width,
                 Learning learning = Learning::yes) {
  const DenseBlock<double> rows{values, values.size() / width, width};
  return map.map(rows, 0, rows.size(), learning,
                 [](std::size_t) { return std::string_view(); });
}

void the_cosine_is_one_of_turns() {
  for (int k = -4000; k <= 4000; ++k) {
    const double s = k / 997.0;
    const double exact = std::cos(6.283185307179586 * s);
    check(std::abs(cosine_of_turns(s) - exact) < 1e-14, "close to the library's");
  }
  check(cosine_of_turns(0.25) == 0.0, "a quarter turn");
  check(cosine_of_turns(0.5) == -1.0, "half a turn");
  check(cosine_of_turns(1e308) == 1.0, "too many turns to tell");
  check(cosine_of_turns(3.0) == cosine_of_turns(-1e15), "whole turns");
}

void waves_do_not_depend_on_what_was_met_before() {
  FourierMap first(5, 1.0, 7);
  FourierMap second(5, 1.0, 7);
  (void)map_dense(second, {0.0, 3.0, 4.0}, 3);
  const Mapped a = map_dense(first, {2.0, 0.0, 1.0}, 3);
  const Mapped b = map_dense(second, {2.0, 0.0, 1.0}, 3);
  check(a.values == b.values && a.values.size() == 5, "equal bits");
  const double huge = std::numeric_limits<double>::max();
  check(map_dense(first, {huge, huge, huge}, 3).finding.fault == Fault::map_overflow,
        "sums that are not finite");
}

void standardized_values_are_those_so_far() {
  StandardizedMap map(true);
  const Mapped made = map_dense(map, {1.0, 5.0, 3.0, 5.0, 5.0, 8.0}, 2);
  check(made.size() == 3 && made.offsets[1] == 0, "the first row has no deviation");
  check(made.values[0] == 1.0, "(3 - 2) / 1");
  const auto before = map.state();
  const Mapped again = map_dense(map, {9.0, 9.0}, 2, Learning::no);
  check(again.values.size() == 2 && map.state() == before, "predicting learns nothing");
}

void a_refused_row_is_forgotten() {
  StandardizedMap map(false);
  (void)map_dense(map, {1.0, 0.0}, 2);
  const auto before = map.state();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Mapped made = map_dense(map, {2.0, 0.0, 2.0, nan, 2.0, 0.0}, 2);
  check(made.size() == 1 && made.finding.fault == Fault::not_finite, "stops");
  check(made.finding.position == 1 && map.met.size() == 1, "meets no feature of it");
  check(map.state() != before && map.state()[0] == 2.0, "keeps the row before");
}

void products_have_numbers_of_their_own() {
  QuadraticMap map;
  const Mapped made = map_dense(map, {2.0, 3.0}, 2);
  const std::vector<std::uint64_t> columns{1, 3, 2, 4, 5};
  const std::vector<double> values{2.0, 3.0, 4.0, 6.0, 9.0};
  check(made.values == values, "values, then products in order");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    check(map.made().column(made.features[k]) == columns[k], "columns by pairs");
  }
  HashedQuadraticMap hashed(1);
  double sum = 0.0;
  for (const double value : map_dense(hashed, {2.0, 3.0}, 2).values) sum += value;
  check(sum == 24.0, "buckets add up");
}

void groups_are_crossed() {
  CrossedMap map({{{.name = "a"}, {.name = "b"}}});
  Mapped made;
  const std::array<std::string_view, 4> names{"a=x", "b^y", "a", "bc"};
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < names.size(); ++k) {
    entries.push_back({map.met.of_name(names[k]), k, static_cast<double>(k + 2)});
  }
  check(map.add_row(entries, Learning::yes, made), "mapped");
  check(made.values == std::vector<double>{2.0, 3.0, 4.0, 5.0, 6.0, 12.0}, "products");
  check(map.made().name(made.features[4]) == "a=x*b^y", "named by both");
  check(map.made().name(made.features[5]) == "a*b^y", "a group has its own name");
}

void too_many_are_refused() {
  QuadraticMap map;
  const std::vector<double> ones(QuadraticMap::most_features + 1, 1.0);
  const Mapped made = map_dense(map, ones, ones.size());
  check(made.finding.fault == Fault::too_many_products, "too many products");
  check(made.finding.position == QuadraticMap::most_features, "names the first");
  StandardizedMap centered(true);
  const std::vector<double> many(StandardizedMap::most_centered + 1, 1.0);
  check(
      map_dense(centered, many, many.size()).finding.fault == Fault::too_many_centered,
      "too many to center");
  check(centered.met.size() == 0, "and forgotten");
}

void too_many_crossings_are_refused() {
  CrossedMap map({{{.name = "a"}, {.name = "a"}}});
  Mapped made;
  std::vector<Entry> entries;
  for (std::size_t k = 0; k <= QuadraticMap::most_features; ++k) {
    entries.push_back({map.met.of_name("a=" + std::to_string(k)), k, 1.0});
  }
  check(!map.add_row(entries, Learning::yes, made), "too many");
  check(made.finding.fault == Fault::too_many_products && made.values.empty(), "none");
}

void a_mark_can_be_returned_to() {
  for (const bool center : {false, true}) {
    StandardizedMap map(center);
    (void)map_dense(map, {1.0, 2.0, 3.0, 5.0}, 2);
    map.mark();
    const auto before = map.state();
    for (int time = 0; time < 2; ++time) {
      (void)map_dense(map, {7.0, 0.0, 1.0, 2.0, 4.0, 0.0, 9.0, 9.0, 1.0}, 3);
      check(map.state() != before && map.met.size() == 3, "learned");
      map.undo();
      check(map.state() == before && map.met.size() == 2, "undone");
    }
  }
}

/// Asks for one example with new features, and returns what is made of it.
Mapped ask(Map& map, int features, int time) {
  const std::size_t known = map.met.size();
  const std::size_t held = map.held();
  std::vector<Entry> entries;
  for (int k = 0; k < features; ++k) {
    const std::string name = "y=" + std::to_string(time * features + k);
    entries.push_back({map.met.of_name(name), entries.size(), 2.0});
  }
  Mapped made;
  check(map.add_row(entries, Learning::no, made), "mapped");
  map.predicted(known, held);
  return made;
}

void predictions_do_not_fill_the_memory() {
  FourierMap fourier(512, 1.0, 7);
  QuadraticMap quadratic;
  CrossedMap crossed({{{.name = "x"}, {.name = "y"}}});
  HashedQuadraticMap hashed(4);
  struct Asked {
    Map* map;
    int features;
    int times;
  };
  for (const auto [map, features, times] :
       {Asked{&fourier, 2, 600}, Asked{&quadratic, 30, 600}, Asked{&crossed, 500, 600},
        Asked{&hashed, 20, 14'000}}) {
    const Mapped first = ask(*map, features, 0);
    std::size_t most = 0;
    for (int time = 1; time < times; ++time) {
      (void)ask(*map, features, time);
      most = std::max(most, map->held());
    }
    check(map->held() < most && most < 270'000, "what was held is dropped");
    check(ask(*map, features, 0).values == first.values, "and computed again");
  }
}

void features_are_numbered_and_forgotten() {
  Numbering features;
  check(features.of_column(7) == 0 && features.of_name("a") == 1, "in order");
  check(features.of_column(std::uint64_t{1} << 31U) == 2, "large columns too");
  check(features.is_column(2) && features.column(2) == std::uint64_t{1} << 31U, "kept");
  features.truncate(1);
  check(features.size() == 1 && features.of_name("b") == 1, "forgotten");
  check(features.of_name("a") == 2 && features.of_column(7) == 0, "met again");
}

}  // namespace

int main() {
  the_cosine_is_one_of_turns();
  waves_do_not_depend_on_what_was_met_before();
  standardized_values_are_those_so_far();
  a_refused_row_is_forgotten();
  products_have_numbers_of_their_own();
  groups_are_crossed();
  too_many_are_refused();
  too_many_crossings_are_refused();
  a_mark_can_be_returned_to();
  predictions_do_not_fill_the_memory();
  features_are_numbered_and_forgotten();
  return failures();
}
