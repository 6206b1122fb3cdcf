// Large margins, worked by hand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "littlestone/linear/margins.hpp"

using namespace littlestone;

namespace {

struct Rows {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::vector<double> signs;
  std::size_t width = 0;

  void add(double sign, const std::vector<double>& row) {
    width = std::max(width, row.size());
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0.0) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(row[j]);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
    signs.push_back(sign);
  }
  [[nodiscard]] Signed view() const { return {offsets, columns, values, signs, width}; }
};

bool near(double a, double b, double within = 1e-9) {
  return std::abs(a - b) <= within;
}

Found search(const Rows& rows, Price price, std::vector<double>& v,
             Effort effort = {}) {
  std::vector<double> duals(rows.signs.size());
  return Descent<Signed>(rows.view(), price, duals, v).run(effort);
}

void the_widest_street_lies_between_two_points() {
  Rows rows;
  rows.add(1, {3, 1});
  rows.add(1, {5, 0});
  rows.add(-1, {1, 1});
  rows.add(-1, {0, 4});
  std::vector<double> v(2);
  const Found found = search(rows, {}, v, {1e-9, 1e8, 0.0, 1});
  check(found.close, "it gets as close as asked");
  // Through 0: the direction (1, -a) with 3 - a = a - 1, and so a = 2.
  check(near(v[1] / v[0], -2.0, 1e-6), "the direction");
  check(near(found.below, 1.0 / std::sqrt(5.0), 1e-6), "the margin");
  check(found.below <= found.above, "bounds in order");
}

void orthogonal_examples_are_separated_exactly() {
  Rows rows;
  rows.add(1, {1, 0, 0});
  rows.add(-1, {0, 1, 0});
  rows.add(1, {0, 0, 1});
  std::vector<double> v(3);
  const Found found = search(rows, {}, v);
  check(v == std::vector<double>{1, -1, 1}, "each row once");
  check(found.close && near(found.below, 1 / std::sqrt(3.0), 1e-15), "the margin");
}

void contradictions_are_given_up() {
  Rows rows;
  rows.add(1, {1, 0});
  rows.add(-1, {1, 0});
  std::vector<double> v(2);
  const Found found = search(rows, {}, v, {0.005, 1e12, 1e-3, 0});
  check(!found.close && found.below == 0.0, "nothing separates them");
  check(found.above < 1e-3, "which the duals show");
}

void losses_are_paid_where_margins_cost_more() {
  // One row of length 1 and one that contradicts it: |v|^2/2 + cap (|1 - v| + |1 + v|)
  // is least at v = 0, the same with squares.
  Rows rows;
  rows.add(1, {1});
  rows.add(-1, {1});
  for (const Price price : {Price{0.25, 0.0}, Price{INFINITY, 2.0}}) {
    std::vector<double> v(1);
    const Found found = search(rows, price, v, {1e-9, 1e6, 0.0, 3});
    check(found.close && near(v[0], 0.0, 1e-4), "the sides cancel");
    check(near(found.above, 0.5, 1e-6), "what is paid");
  }
  // One row x = 2 alone, hinge at 0.1: v = 0.2 and 0.02 + 0.1 (1 - 0.4) = 0.08.
  Rows one;
  one.add(1, {2});
  std::vector<double> v(1);
  check(near(search(one, {0.1, 0.0}, v, {1e-9, 1e6, 0.0, 0}).above, 0.08), "by hand");
  check(near(v[0], 0.2), "as far as the cap allows");
}

void a_zero_row_is_paid_for_and_left_alone() {
  Rows rows;
  rows.add(1, {});
  rows.add(1, {1});
  std::vector<double> v(1);
  const Found soft = search(rows, {1.0, 0.0}, v, {1e-9, 1e6, 0.0, 0});
  check(soft.close && near(soft.above, 1.5) && near(v[0], 1.0), "it costs 1");
  std::vector<double> u(1);
  check(search(rows, {}, u, {0.005, 1e4, 0.0, 0}).below == 0.0, "no margin");
}

void the_matrix_of_products_gives_the_same() {
  Rows rows;
  rows.add(1, {3, 1});
  rows.add(-1, {1, 1});
  rows.add(1, {1, 0.5});
  const std::vector<double> products{10, 4, 3.5, 4, 2, 1.5, 3.5, 1.5, 1.25};
  for (const Price price : {Price{}, Price{0.1, 0.0}, Price{INFINITY, 1.0}}) {
    const Effort effort{1e-9, 1e7, 0.0, 5};
    std::vector<double> v(2);
    const Found here = search(rows, price, v, effort);
    std::vector<double> duals(3);
    std::vector<double> scores(3);
    const SignedGram gram{products, rows.signs};
    const Found there = Descent<SignedGram>(gram, price, duals, scores).run(effort);
    check(near(here.above, there.above, 1e-6), "as far from it");
    check(near(here.below, there.below, 1e-6), "as close to it");
    check(near(scores[0], 3 * v[0] + v[1], 1e-6), "the scores");
  }
}

void the_duals_are_those_of_the_vector() {
  // Stopped before it is close, when the best vector was not the last one.
  SplitMix draw{11};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rows rows;
    for (int row = 0; row < 8; ++row) {
      std::vector<double> x(4);
      for (double& value : x) value = static_cast<double>(draw.below(9)) / 4.0 - 1.0;
      rows.add(x[0] + 0.3 * x[1] >= 0.0 ? 1.0 : -1.0, x);
    }
    std::vector<double> v(4);
    std::vector<double> duals(8);
    const Effort effort{1e-12, 300.0 + 20.0 * static_cast<double>(seed), 0.0, seed};
    const Found found = Descent<Signed>(rows.view(), {}, duals, v).run(effort);
    check(found.below >= 0.0, "it ends");
    std::vector<double> sum(4);
    for (std::size_t row = 0; row < 8; ++row)
      rows.view().add(row, duals[row], sum.data());
    for (std::size_t j = 0; j < 4; ++j) check(near(sum[j], v[j], 1e-6), "they make it");
  }
}

double paid(const std::vector<double>& margins, double radius, bool squares, double g) {
  double sum = radius * radius * g * g;
  for (const double m : margins) {
    const double short_by = std::max(0.0, 1.0 - g * m);
    sum += squares ? short_by * short_by : 2.0 * short_by;
  }
  return sum;
}

void the_best_scale_is_the_best() {
  SplitMix draw{7};
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> margins(1 + draw.below(12));
    for (double& m : margins) {
      m = static_cast<double>(draw.below(2001)) / 1000.0 - 0.7;
    }
    for (const bool squares : {false, true}) {
      const double g = best_scale(margins, 0.5, squares);
      const double least = paid(margins, 0.5, squares, g);
      for (double other = 0.0; other < 20.0; other += 0.01) {
        check(least <= paid(margins, 0.5, squares, other) + 1e-9, "least");
      }
    }
  }
  check(best_scale(std::vector<double>{-1.0}, 1.0, false) == 0.0, "nothing pays");
  check(best_scale(std::vector<double>{2.0}, 0.0, false) == 0.5, "nothing costs");
}

void rounding_is_watched() {
  Watched exact;
  exact.add(1.5, 2.0);
  exact.add(-0.25, 4.0);
  check(exact.bounds() == std::pair{2.0, 2.0}, "exact sums stay exact");
  Watched large;
  large.add(1e16, 1.0);
  large.add(1.0, 1.0);
  large.add(-1e16, 1.0);
  const auto [low, high] = large.bounds();  // 1 exactly, 0 in doubles
  check(low <= 1.0 && 1.0 <= high && high - low < 5.0, "the error is bounded");
  Watched product;
  product.add(0.1, 0.1);
  check(product.bounds().first < product.bounds().second, "a product rounds");
  Watched tiny;
  tiny.add(0x1p-600, 0x1p-600);
  check(tiny.bounds().first <= 0.0 && tiny.bounds().second > 0.0, "it vanished");
  Watched huge;
  huge.add(1e300, 1e300);
  check(std::isinf(huge.bounds().first) && std::isinf(huge.bounds().second), "no idea");
}

void arrays_that_change_are_read_inside() {
  Rows rows;
  rows.add(1.0, {1.0, 2.0});
  rows.add(-1.0, {3.0, 4.0});
  const std::vector<double> v{1.0, 1.0};
  rows.columns = {-7, 900, 0, 1};
  check(rows.view().margin(0, v.data()) == 3.0, "some column is taken");
  rows.offsets = {-5, 3, 1'000'000};
  for (const std::size_t row : {0U, 1U}) {
    check(rows.view().cost(row) <= 4 && std::isfinite(rows.view().square(row)),
          "entries are those there are");
  }
}

void steps_are_those_of_a_passive_aggressive_learner() {
  Rows rows;
  rows.add(1.0, {2.0, 0.0});
  rows.add(-1.0, {1.0, 1.0});
  rows.add(1.0, {0.0, 1.0});
  std::vector<double> steps(3), gains(3), v(2);
  replay_steps(rows.view(), {}, steps, gains, v);
  // 1/4; then v = (1/2, 0), so 3/2 is lost; then v = (-1/4, -3/4), so 7/4.
  check(steps == std::vector<double>{0.25, 0.75, 1.75}, "steps by hand");
  check(gains == std::vector<double>{0.25, 1.125, 3.0625}, "gains by hand");
  check(v == std::vector<double>{-0.25, 1.0}, "weights by hand");
  replay_steps(rows.view(), {.cap = 0.5}, steps, gains, v);
  check(steps == std::vector<double>{0.25, 0.5, 0.5}, "no step is above the cap");
  replay_steps(rows.view(), {.ridge = 4.0}, steps, gains, v);
  check(steps[0] == 0.125 && gains[0] == 0.1875, "a ridge makes them shorter");
}

void the_mean_of_arow_moves_where_the_variance_is() {
  Rows rows;
  rows.add(1.0, {1.0, 0.0});
  rows.add(-1.0, {1.0, 1.0});
  std::vector<double> means(2), ones(2), twos(2), steps(2), gains(2);
  replay_means(rows.view(), 1.0, {means, ones, twos}, steps, gains);
  // First 1/2, which halves the variance. Then 3/2 is lost and the spread is 3/2, so
  // the step is 3/5.
  check(steps == std::vector<double>{0.5, 0.6}, "steps by hand");
  check(gains == std::vector<double>{0.75, 2 * 0.6 * 1.5 - 0.6 * 0.6 * 1.5},
        "gains by hand");
  check(means[0] == 0.5 - 0.6 * 0.5 && means[1] == -0.6, "means by hand");
  check(ones[0] == 0.5 + means[0] && twos[1] == means[1] * means[1], "sums by hand");
}

}  // namespace

int main() {
  the_mean_of_arow_moves_where_the_variance_is();
  steps_are_those_of_a_passive_aggressive_learner();
  the_widest_street_lies_between_two_points();
  orthogonal_examples_are_separated_exactly();
  contradictions_are_given_up();
  losses_are_paid_where_margins_cost_more();
  a_zero_row_is_paid_for_and_left_alone();
  the_matrix_of_products_gives_the_same();
  the_duals_are_those_of_the_vector();
  the_best_scale_is_the_best();
  rounding_is_watched();
  arrays_that_change_are_read_inside();
  return failures();
}
