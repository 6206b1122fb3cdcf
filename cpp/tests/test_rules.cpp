// The rules on small cases worked by hand, without Python.

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/linear/multiclass.hpp"
#include "littlestone/linear/perceptron.hpp"
#include "littlestone/linear/supports.hpp"
#include "littlestone/linear/winnow.hpp"
#include "littlestone/math/random.hpp"

using namespace littlestone;

namespace {

struct Round {
  Finding finding;
  bool updated;
};

Round play_columns(LinearLearner<bool>& learner, std::vector<double> row, bool label) {
  learner.lookup.clear();
  for (std::size_t j = 0; j < row.size(); ++j) learner.look_up_column(j, row[j]);
  const std::uint64_t before = learner.updates;
  bool predicted{};
  const Finding found = learner.play_looked_up(label, predicted);
  return {found, learner.updates != before};
}

void perceptron_adds_what_it_got_wrong() {
  Linear<Perceptron> learner(Perceptron{});
  check(!play_columns(learner, {1, 2}, true).updated,
        "a tie says yes, and yes is right");
  check(play_columns(learner, {1, 2}, false).updated, "a tie said yes, and was wrong");
  check(learner.weights.view()[0] == -1 && learner.weights.view()[1] == -2, "w -= x");
  check(learner.updates == 1, "one update");
}

void perceptron_margin_updates_on_a_tie() {
  Linear<Perceptron> learner(Perceptron{.on_margin = true});
  check(play_columns(learner, {1, 2}, true).updated, "a correct tie updates");
  check(learner.weights.view()[1] == 2, "w += x");
}

// To compile a whole learner takes seconds, so these two rules learn by themselves.
template <Rule R, std::size_t N>
void learn_columns(R& rule, std::array<double, N>& w,
                   const std::array<double, N>& values, bool label) {
  std::array<std::int64_t, N> index;
  for (std::size_t j = 0; j < N; ++j) index[j] = static_cast<std::int64_t>(j);
  const View<double> view{w.data()};
  const ResolvedRow row{index, values};
  rule.learn(view, row, rule.score(view, row), label);
}

void perceptron_scales_and_appends() {
  NormalizedPerceptron rule{.constant = {2.0}};
  std::array<double, 2> w{};
  learn_columns(rule, w, {3, 4}, false);
  check(w[0] == -0.6 && w[1] == -0.8, "x/5");
  check(rule.constant.cell == -2, "the constant feature is not scaled");
}

void winnow_promotes_and_demotes() {
  Linear<Winnow> learner(Winnow{.threshold = 2, .promotion = 2});
  check(play_columns(learner, {1, 0}, true).updated, "1 < 2 was a missed yes");
  check(learner.weights.view()[0] == 2 && learner.weights.view()[1] == 1,
        "active only");
  check(play_columns(learner, {1, 0}, false).updated, "2 >= 2 was a false alarm");
  check(learner.weights.view()[0] == 1, "demoted");
}

void winnow_eliminates() {
  EliminatingWinnow rule{.threshold = 2, .promotion = 2};
  std::array<double, 3> w{1, 1, 1};
  learn_columns(rule, w, {1, 1, 0}, false);
  check(w[0] == 0 && w[1] == 0 && w[2] == 1, "active only");
}

void a_weight_never_vanishes_by_demotion() {
  Winnow rule{.threshold = 1, .promotion = 1e200};
  std::array<double, 1> w{1.0};
  const std::array<std::int64_t, 1> index{0};
  const std::array<double, 1> value{1.0};
  for (int t = 0; t < 3; ++t) {
    rule.learn(View<double>{w.data()}, ResolvedRow{index, value}, 0.0, false);
  }
  check(w[0] == Winnow::smallest_weight, "the floor holds");
}

void refused_rounds_leave_nothing() {
  Linear<Perceptron> perceptron(Perceptron{});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto round = play_columns(perceptron, {1, nan}, false);
  check(round.finding.fault == Fault::not_finite, "NaN is found");
  check(round.finding.position == 1, "where it stands");
  check(perceptron.updates == 0 && perceptron.width == 0, "nothing has changed");
  Linear<Winnow> winnow(Winnow{});
  round = play_columns(winnow, {1, -0.5}, true);
  check(round.finding.fault == Fault::outside_unit, "a negative value is refused");
}

void names_are_entered_when_a_round_is_accepted() {
  Linear<Perceptron> learner(Perceptron{});
  const auto look_up = [&](double value) {
    learner.lookup.clear();
    learner.look_up_name("a", 1);
    learner.look_up_column(direct_columns + 5, value);
  };
  look_up(3);
  std::array<double, 1> score{1.0};
  check(learner.score_looked_up(score).fault == Fault::none, "it can be scored");
  check(score[0] == 0, "a new feature weighs nothing");
  check(learner.names.size() == 0, "to predict enters nothing");
  look_up(std::numeric_limits<double>::infinity());
  bool said{};
  check(learner.play_looked_up(false, said).fault == Fault::not_finite, "refused");
  check(learner.names.size() == 0, "a refused example enters nothing");
  look_up(3);
  check(learner.play_looked_up(false, said).fault == Fault::none, "accepted");
  check(learner.names.size() == 2 && learner.names[0] == "a", "both are entered");
  check(column_of(learner.names[1]) == direct_columns + 5, "the number is kept");
  check(learner.weights.view()[index_of_slot(1)] == -3, "and has its weight");
}

void blocks_equal_rows() {
  const std::vector<float> dense{1, 0, 2, 0, 3, 0};
  const std::vector<std::int32_t> offsets{0, 2, 3};
  const std::vector<std::int32_t> columns{2, 0, 1};  // unsorted is fine
  const std::vector<float> values{2, 1, 3};
  const std::array<bool, 2> labels{false, true};
  std::array<bool, 2> said{};
  Linear<Perceptron> by_dense(Perceptron{});
  Linear<Perceptron> by_csr(Perceptron{});
  by_dense.play(DenseBlock<float>{dense, 2, 3}, {labels, said, {}}, 0, 2);
  by_csr.play(CsrBlock<float, std::int32_t>{offsets, columns, values, 3},
              {labels, said, {}}, 0, 2);
  for (int j = 0; j < 3; ++j) {
    check(by_dense.weights.view()[j] == by_csr.weights.view()[j], "equal weights");
  }
}

void bad_sparse_rows_stop_the_block() {
  const std::vector<std::int32_t> offsets{0, 1, 3};
  const std::vector<double> values{1, 1, 1};
  const std::array<bool, 2> labels{false, false};
  std::array<bool, 2> said{};
  const auto play = [&](std::vector<std::int32_t> columns) {
    Linear<Perceptron> learner(Perceptron{});
    return learner.play(CsrBlock<double, std::int32_t>{offsets, columns, values, 9},
                        {labels, said, {}}, 0, 2);
  };
  auto played = play({0, 4, 4});
  check(played.rounds == 1 && played.finding.fault == Fault::duplicate, "duplicate");
  check(played.finding.position == 1, "the second of the two");
  check(play({0, 3, 9}).finding.fault == Fault::beyond_width, "too wide");
  check(play({0, -1, 2}).finding.fault == Fault::beyond_width, "negative");
}

/// A Perceptron during whose rounds another thread changes the columns.
struct Interrupted : Perceptron {
  std::int32_t* column = nullptr;

  template <class Row>
  [[nodiscard]] Finding fault(View<double> /*w*/, const Row& /*x*/) const noexcept {
    *column = -1'000'000'000;
    return {};
  }
};

void columns_that_change_after_the_check_stay_inside() {
  const std::vector<std::int32_t> offsets{0, 2};
  std::vector<std::int32_t> columns{0, 4};
  const std::vector<double> values{1, 1};
  const std::array<bool, 1> labels{false};
  std::array<bool, 1> said{};
  Linear<Interrupted> learner(Interrupted{{}, &columns[1]});
  const Played played =
      learner.play(CsrBlock<double, std::int32_t>{offsets, columns, values, 5},
                   {labels, said, {}}, 0, 1);
  check(played.rounds == 1 && columns[1] < 0, "it was changed while it was played");
  double sum = 0.0;
  for (int j = 0; j < 8; ++j) sum += learner.weights.view()[j];
  check(sum == -2, "and learned somewhere among the weights");
}

void columns_out_of_order_that_change_stay_inside() {
  const std::vector<std::int32_t> offsets{0, 2, 4};
  std::vector<std::int32_t> columns{4, 0, 4, 0};
  const std::vector<double> values{1, 1, 1, 1};
  const std::array<bool, 2> labels{false, false};
  std::array<bool, 2> said{};
  Linear<Interrupted> learner(Interrupted{{}, &columns[2]});
  const Played played =
      learner.play(CsrBlock<double, std::int32_t>{offsets, columns, values, 5},
                   {labels, said, {}}, 0, 2);
  check(played.rounds == 1, "the row that was changed is not played");
  check(played.finding.fault == Fault::beyond_width, "but refused");
}

void offsets_that_change_stay_inside() {
  const std::vector<std::int32_t> columns{0, 1, 2};
  const std::vector<double> values{1, 2, 3};
  const std::vector<std::int32_t> offsets{-9, 1, 1000, 2, 3};
  const CsrBlock<double, std::int32_t> rows{offsets, columns, values, 3};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto x = rows[t];
    check(x.size() <= 3 && x.values.data() + x.size() <= values.data() + 3, "inside");
  }
  check(rows[3].size() == 1 && rows[3].value(0) == 3.0, "sound rows are as they were");
  check(rows.nonzeros() <= 3, "and are not counted twice");
}

Played play_classes(LinearLearner<ClassId>& learner, std::vector<double> rows,
                    std::vector<ClassId> labels, std::vector<ClassId>& said) {
  said.assign(labels.size(), 7);
  const std::size_t width = rows.size() / labels.size();
  return learner.play(DenseBlock<double>{rows, labels.size(), width},
                      {labels, said, {}}, 0, labels.size());
}

void classes_are_met_in_order() {
  Linear<MulticlassPerceptron> learner(MulticlassPerceptron{});
  std::vector<ClassId> said;
  play_classes(learner, {1, 0, 1, 1, 1, 0}, {0, 1, 0}, said);
  check(said[0] == no_class, "no class was known");
  check(said[1] == 0 && said[2] == 1, "then the ones that were met");
  check(learner.scores_a_row() == 2 && learner.updates == 2, "two classes");
  std::array<double, 2> cell{};
  learner.read(1, cell);
  check(cell[0] == -1 && cell[1] == 1, "the second feature tells them apart");
}

void many_classes_are_laid_out_anew() {
  Linear<MulticlassPerceptron> learner(MulticlassPerceptron{});
  std::vector<ClassId> said;
  for (ClassId c = 0; c < 100; ++c) {
    std::vector<double> row(100, 0.0);
    row[static_cast<std::size_t>(c)] = 1.0;
    play_classes(learner, row, {c}, said);
  }
  check(learner.scores_a_row() == 100, "all are known");
  std::vector<double> cell(100);
  learner.read(99, cell);
  check(cell[99] == 1 && cell[0] == -1, "the last one was taken for the first");
  learner.read(1, cell);
  check(cell[1] == 1 && cell[0] == -1, "and what was learned early is still there");
}

void products_are_those_of_plain_sums() {
  // Enough examples that columns go from pairs to full ones, some replaced.
  Supports supports;
  std::vector<Supports::Cell> cells(8);
  const auto cell_of = [&](auto index) -> Supports::Cell& {
    return cells[static_cast<std::size_t>(index)];
  };
  std::vector<std::vector<double>> kept;
  SplitMix random{5};
  const auto draw = [&] {
    std::vector<double> x(8);
    for (std::size_t j = 0; j < 8; ++j) {
      if (random.below(j + 1) == 0) x[j] = 0.1 * static_cast<double>(random.below(99));
    }
    return x;
  };
  for (int round = 0; round < 200; ++round) {
    const auto x = draw();
    const DenseRow<double> row{x};
    const auto products = supports.products(row, cell_of);
    for (std::size_t s = 0; s < kept.size(); ++s) {
      double sum = 0.0;
      for (std::size_t j = 0; j < 8; ++j) sum += kept[s][j] * x[j];
      check(products[s] == sum, "the layout does not show");
    }
    if (kept.size() > 40 && round % 2 == 0) {
      const std::size_t s = random.below(kept.size());
      supports.replace(s, row, cell_of);
      kept[s] = x;
    } else {
      supports.add(row, cell_of);
      kept.push_back(x);
    }
  }
}

}  // namespace

int main() {
  classes_are_met_in_order();
  many_classes_are_laid_out_anew();
  products_are_those_of_plain_sums();
  perceptron_adds_what_it_got_wrong();
  perceptron_margin_updates_on_a_tie();
  perceptron_scales_and_appends();
  winnow_promotes_and_demotes();
  winnow_eliminates();
  a_weight_never_vanishes_by_demotion();
  refused_rounds_leave_nothing();
  names_are_entered_when_a_round_is_accepted();
  blocks_equal_rows();
  bad_sparse_rows_stop_the_block();
  columns_that_change_after_the_check_stay_inside();
  columns_out_of_order_that_change_stay_inside();
  offsets_that_change_stay_inside();
  return failures();
}
