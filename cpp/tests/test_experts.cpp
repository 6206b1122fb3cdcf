// Expert advice: sums in lanes and in two doubles, logarithms, bits, and powers.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "check.hpp"
#include "littlestone/experts/exponential_weights.hpp"
#include "littlestone/experts/floored.hpp"
#include "littlestone/experts/halving.hpp"
#include "littlestone/experts/powers.hpp"
#include "littlestone/experts/sums.hpp"
#include "littlestone/experts/weighted.hpp"
#include "littlestone/math/logarithm.hpp"
#include "littlestone/math/random.hpp"

using namespace littlestone;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A number of [0, 1).
double uniform(SplitMix& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

/// A number of any size and sign, of which sums round.
std::vector<double> numbers(std::size_t n, std::uint64_t seed) {
  SplitMix random{seed};
  std::vector<double> values(n);
  for (double& value : values) {
    value = std::ldexp(uniform(random) - 0.5, static_cast<int>(random.below(60)) - 30);
  }
  return values;
}

std::span<const double> part(const std::vector<double>& values, std::size_t first,
                             std::size_t count) {
  return std::span(values).subspan(first, count);
}

/// How many units of its last place a result lies from the truth.
long double units_off(double result, long double truth) {
  const auto near = std::abs(static_cast<double>(truth));
  const double unit = std::nextafter(near, infinity) - near;
  return std::abs(static_cast<long double>(result) - truth) / unit;
}

// Lanes ---------------------------------------------------------------------

double in_lanes(const std::vector<double>& values) {
  std::array<double, 8> s{};
  for (std::size_t i = 0; i < values.size(); ++i) s[i % 8] += values[i];
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

void a_sum_goes_through_eight_lanes() {
  bool plain = true;
  bool both = true;
  for (std::size_t n = 0; n <= 70; ++n) {
    const auto w = numbers(n, n);
    const auto f = numbers(n, n + 1000);
    std::vector<double> products(n);
    for (std::size_t i = 0; i < n; ++i) products[i] = w[i] * f[i];
    plain &= sum(w) == in_lanes(w);
    Lanes weight;
    Lanes weighted;
    add_weighted(weight, weighted, w.data(), f.data(), n);
    both &= weight.total() == in_lanes(w) && weighted.total() == in_lanes(products);
  }
  check(plain, "expert i in lane i mod 8, whatever their number");
  check(both, "also of weights and of weights times values");
  check(sum(std::array{1e16, 1.0, -1e16, 1.0}) == 0.0, "0 and 1 meet first, by hand");
  check(sum(std::array{1e16, 0., 0., 0., 1.0, 0., 0., 0., -1e16}) == 1.0, "0 and 8");
}

/// Plays the same rounds by one function and by another. Without `Larger` a loss may
/// exceed a total, so that adding it must do the same whichever is larger.
template <LossKind Kind, bool Larger>
bool sprints_agree(std::size_t n) {
  SplitMix random{n};
  std::array<Totals, 2> totals;
  for (Totals& each : totals) each.resize(n);
  std::array<Exact, 2> base{};
  if (Larger) {
    for (std::size_t k = 0; k < 2; ++k) {
      totals[k].add(0, std::vector<double>(n, 1.0));
      base[k] = {1.0, 0.0};
    }
  }
  std::array<std::vector<double>, 2> f{std::vector<double>(n), std::vector<double>(n)};
  std::array<double, 2> y{};
  bool same = true;
  for (std::size_t round = 0; round < 20; ++round) {
    for (double& x : f[round % 2]) x = uniform(random);
    y[round % 2] = uniform(random);
    // The row played before is looked at as the next one, and may have a bad number.
    const bool sound = random() % 2 == 0;
    const double side = Kind == LossKind::pinball ? 0.7 : 1.0;
    const double far = y[1 - round % 2] + 1.01 / side;
    if (!sound) f[1 - round % 2][random() % n] = random() % 2 == 0 ? nan : far;
    const AdviceRow row{f[round % 2].data(), y[round % 2]};
    const AdviceRow after{f[1 - round % 2].data(), y[1 - round % 2]};
    std::array<AdviceRow, 2> next{after, after};
    std::array<Sprint, 2> found{};
    const Limits limits{0.0, 1.0, 1e300};
    const bool one = sprint_wide<Kind, Larger>(totals[0], base[0], 0.7, 0.3, row,
                                               limits, next[0], found[0]);
    const bool two = sprint_widest<Kind, false>(totals[1], base[1], 0.7, 0.3, row,
                                                limits, next[1], found[1]);
    same &= one && two && found[0].prediction == found[1].prediction &&
            found[0].own == found[1].own && found[0].smallest == found[1].smallest &&
            totals[0].high == totals[1].high && totals[0].low == totals[1].low &&
            next[0].checked == sound && next[1].checked == sound;
    for (std::size_t k = 0; k < 2; ++k) base[k] = {found[k].smallest, 0.0};
  }
  return same;
}

void a_weight_is_the_same_in_any_registers() {
  for (std::size_t n = 0; n <= 40; ++n) {
    SplitMix random{n};
    std::vector<double> high(n);
    for (double& total : high) total = 300.0 * uniform(random);
    const auto low = numbers(n, n + 500);
    const Exact base{0.25, 0x1p-60};
    std::vector<double> weights(n);
    for (const auto weigh : {weigh_totals_wide, weigh_totals_widest}) {
      if (weigh == weigh_totals_widest && !has_widest()) continue;
      weigh(high.data(), low.data(), base, 3.0, weights.data(), n);
      bool same = true;
      for (std::size_t i = 0; i < n; ++i) {
        same &= weights[i] == weight_of(-3.0 * (Exact{high[i], low[i]} - base));
      }
      check(same, "also of an expert far behind");
    }
  }
}

void wider_registers_do_not_change_a_round() {
  if (!has_widest()) return;
  for (const std::size_t n : {1, 8, 21, 512, 1029}) {
    check(sprints_agree<LossKind::absolute, false>(n), "absolute loss");
    check(sprints_agree<LossKind::square, false>(n), "square loss");
    check(sprints_agree<LossKind::pinball, false>(n), "pinball loss");
    check(sprints_agree<LossKind::square, true>(n), "totals above every loss");
  }
}

void tiles_do_not_change_a_sum() {
  const auto values = numbers(3000, 5);
  Lanes lanes;
  add_all(lanes, values.data(), 1024);
  add_all(lanes, values.data() + 1024, 1024);
  add_all(lanes, values.data() + 2048, 952);
  check(lanes.total() == sum(values), "tiles are a multiple of eight");
}

void a_sum_of_parts_never_rounds() {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    // Every number is added and taken away again in another order, and one is left.
    const auto values = numbers(100, seed);
    Partials sum;
    sum.add(0x1p-900);
    for (const double value : values) sum.add(value);
    for (auto at = values.rbegin(); at != values.rend(); ++at) sum.add(-*at);
    check(sum.parts == std::vector{0x1p-900} && !sum.negative(), "what is left");
    sum.add(-0x1p-899);
    check(sum.parts == std::vector{-0x1p-900} && sum.negative(), "now below 0");
    sum.add(0x1p-900);
    check(sum.parts.empty() && !sum.negative(), "nothing");
  }
}

void the_extent_finds_the_ends_and_what_is_not_finite() {
  for (std::size_t n = 1; n <= 20; ++n) {
    const auto values = numbers(n, 77 * n);
    Extent extent;
    measure(extent, values.data(), n);
    check(extent.finite() && extent.low == std::ranges::min(values) &&
              extent.high == std::ranges::max(values),
          "smallest and largest");
    for (std::size_t at = 0; at < n; ++at) {
      for (const double bad : {nan, infinity, -infinity}) {
        auto spoilt = values;
        spoilt[at] = bad;
        Extent found;
        measure(found, spoilt.data(), n);
        check(!found.finite(), "wherever it stands");
      }
    }
  }
}

// Sums over rounds ----------------------------------------------------------

void a_sum_in_two_parts_loses_nothing() {
  // 0.1 is 3602879701896397 / 2^55.
  Exact exact;
  double naive = 0.0;
  constexpr std::int64_t count = 100'000;
  for (std::int64_t k = 0; k < count; ++k) {
    exact.add(0.1);
    naive += 0.1;
  }
  // Both parts of the product are exact, so that their sum is rounded once.
  constexpr std::int64_t tenth = 3602879701896397;
  const auto high = static_cast<double>((tenth >> 20) * count) * 0x1p20;
  const auto low = static_cast<double>((tenth & ((1 << 20) - 1)) * count);
  const double truth = (high + low) * 0x1p-55;
  check(exact.value() == truth, "rounded once, at the end");
  check(naive != truth, "one double is not enough");
}

void what_is_added_can_be_taken_away() {
  Exact exact;
  for (const double x : {1e300, 0.1, -1e300}) exact.add(x);
  check(exact.value() == 0.1, "large numbers leave no trace");
  Exact other = exact;
  other.add(1e-30);
  check(other - exact > 0.99e-30 && other - exact < 1.01e-30, "nor does rounding");
  const auto values = numbers(1000, 9);
  Exact back;
  for (const double x : values) back.add(x);
  for (const double x : values) back.add(-x);
  check(std::abs(back.value()) < 1e-20, "back to nothing");
}

void each_expert_has_a_total() {
  Totals totals;
  totals.resize(70);
  std::vector<Exact> alone(70);
  for (std::uint64_t t = 0; t < 50; ++t) {
    const auto losses = numbers(70, t);
    totals.add(0, part(losses, 0, 33));
    totals.add(33, part(losses, 33, 37));
    for (std::size_t i = 0; i < 70; ++i) alone[i].add(losses[i]);
  }
  bool same = true;
  for (std::size_t i = 0; i < 70; ++i) {
    same &= totals.at(i).high == alone[i].high && totals.at(i).low == alone[i].low;
  }
  check(same, "in registers or one by one");
  totals.add(3, 0.5);
  alone[3].add(0.5);
  check(totals.at(3).value() == alone[3].value(), "also of one expert only");
}

// Logarithms and exponentials -----------------------------------------------

void the_logarithm_is_close_to_that_of_a_wider_type() {
  SplitMix random{1};
  long double worst = 0.0L;
  for (int k = 0; k < 200'000; ++k) {
    const int exponent = static_cast<int>(random.below(2044)) - 1021;
    const double x = std::ldexp(0.5 + uniform(random) / 2, exponent);
    worst =
        std::max(worst, units_off(log_of(x), std::log(static_cast<long double>(x))));
  }
  check(worst <= 3.0L, "within 3 units in the last place, for every size");
  worst = 0.0L;
  for (int k = 0; k < 200'000; ++k) {
    const double x =
        1.0 + std::ldexp(uniform(random) - 0.5, -static_cast<int>(random.below(50)));
    if (x == 1.0) continue;
    worst =
        std::max(worst, units_off(log_of(x), std::log(static_cast<long double>(x))));
  }
  check(worst <= 3.0L, "and near one");
  check(log_of(1.0) == 0.0 && !std::signbit(log_of(1.0)), "nothing at one");
  check(log_of(2.0) == std::log(2.0), "ln 2");
  check(
      std::abs(log_of(std::numeric_limits<double>::min()) + 708.3964185322641) < 1e-12,
      "the smallest normal number");
  check(std::abs(log_of(std::numeric_limits<double>::max()) - 709.782712893384) < 1e-12,
        "the largest");
}

void the_logarithm_of_one_and_a_bit_keeps_the_bit() {
  SplitMix random{2};
  long double worst = 0.0L;
  for (int k = 0; k < 200'000; ++k) {
    const double size =
        std::ldexp(uniform(random), -static_cast<int>(random.below(80)));
    const double u = (random() & 1U) != 0 ? size : -size / 2;
    if (u == 0.0) continue;
    worst = std::max(worst,
                     units_off(log1p_of(u), std::log1p(static_cast<long double>(u))));
  }
  check(worst <= 3.0L, "within 3 units in the last place");
  check(log1p_of(0.0) == 0.0 && log1p_of(1e-20) == 1e-20, "exact where u is tiny");
}

void a_weight_ends_where_doubles_end() {
  check(weight_of(0.0) == 1.0, "e^0");
  check(weight_of(-708.0) == exp_of(-708.0) && weight_of(-708.0) > 0.0, "the last one");
  check(weight_of(-708.0000001) == 0.0 && weight_of(-infinity) == 0.0, "then nothing");
  check(weight_of(1e-9) == exp_of(1e-9), "upwards");
  SplitMix random{3};
  long double worst = 0.0L;
  for (int k = 0; k < 100'000; ++k) {
    const double z = -708.0 * uniform(random);
    worst =
        std::max(worst, units_off(weight_of(z), std::exp(static_cast<long double>(z))));
  }
  check(worst <= 1.0L, "within a unit in the last place");
}

// Bits ----------------------------------------------------------------------

void bit_counts_are_counts() {
  SplitMix random{4};
  const std::size_t experts = 130;
  const std::size_t words = 3;
  BitCounts counts;
  std::vector<std::uint64_t> direct(experts);
  for (int t = 0; t < 1000; ++t) {
    std::vector<Word> wrong{random(), random() & random(), random() & 3U};
    if (t % 100 == 0) wrong.assign(words, 0);
    for (std::size_t i = 0; i < experts; ++i) direct[i] += wrong[i / 64] >> i % 64 & 1U;
    counts.add(wrong);
    check(wrong.size() == words, "there is a row for the next round");
    if (t % 70 == 0) (void)counts.planes();
    bool same = true;
    for (std::size_t i = 0; i < experts; ++i) same &= counts.of(i) == direct[i];
    check(same, "as counted one by one");
  }
  const auto& planes = counts.planes();
  bool settled = true;
  for (std::size_t i = 0; i < experts; ++i) {
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      count |= (planes[k][i / 64] >> i % 64 & 1U) << k;
    }
    settled &= count == direct[i];
  }
  check(settled, "the planes have all of it");
  check(counts.planes().size() == 10, "a thousand needs ten bits");
  BitCounts fresh;
  check(fresh.of(0) == 0, "nothing yet");
  fresh.set(70, 12345, 2);
  check(fresh.of(70) == 12345 && fresh.of(69) == 0 && fresh.of(6) == 0, "a count set");
  std::vector<Word> one{0, Word{1} << 6U};
  fresh.add(one);
  check(fresh.of(70) == 12346, "goes on from there");
  fresh.widen();
  one = {0, Word{1} << 6U, 1};
  fresh.add(one);
  check(fresh.of(70) == 12347 && fresh.of(128) == 1, "with more experts, too");
  check(fresh.planes().size() == 14 && fresh.of(70) == 12347, "and settled");
}

void votes_are_counted_and_the_wrong_dropped() {
  SplitMix random{5};
  for (std::size_t words = 1; words <= 20; ++words) {
    for (const Word lie : {Word{0}, ~Word{0}}) {
      std::vector<Word> alive(words);
      std::vector<Word> votes(words);
      for (Word& word : alive) word = random();
      for (Word& word : votes) word = random();
      std::uint64_t yes = 0;
      std::vector<Word> left(words);
      for (std::size_t i = 0; i < 64 * words; ++i) {
        const Word bit = Word{1} << i % 64;
        if ((alive[i / 64] & bit) == 0) continue;
        const bool vote = (votes[i / 64] & bit) != 0;
        yes += vote ? 1 : 0;
        if (vote == (lie == 0)) left[i / 64] |= bit;
      }
      check(count_votes(alive.data(), votes.data(), words) == yes, "counted");
      check(count_and_drop(alive.data(), votes.data(), lie, words) == yes, "again");
      check(alive == left, "those who said the truth are left");
    }
  }
}

void a_newcomer_to_halving_has_a_clean_sheet() {
  Halving halving(false, true);
  halving.begin(64);
  const std::array<Word, 1> all{~Word{0}};
  for (int t = 0; t < 5; ++t) halving.play(all.data(), nullptr, false);
  check(halving.mistakes() == 5 && halving.alive() == 0, "everyone was wrong");
  halving.join();
  check(halving.words() == 2 && halving.alive() == 1 && halving.lives(64), "one alive");
  check(halving.loss(64) == 0 && halving.own_loss_beside(64) == 0, "of the newcomer");
  check(halving.loss(63) == 5 && halving.own_loss_beside(63) == 5, "of the others");
  const std::array<Word, 2> votes{0, 1};
  halving.play(votes.data(), nullptr, true);
  check(halving.mistakes() == 5 && halving.loss(64) == 0 && halving.loss(0) == 6,
        "whose vote alone counts");
  Halving copy(false, true);
  copy.restore(halving.state());
  check(copy.state() == halving.state() && copy.own_loss_beside(64) == 0, "restored");
}

// Powers --------------------------------------------------------------------

double weight_at(const Powers& powers, std::size_t i) {
  std::array<double, 1> out{};
  powers.weigh(i, out);
  return out[0];
}

void powers_go_on_beyond_the_table() {
  const double beta = 0.999;
  const double log_beta = std::log(beta);
  Powers powers(beta, log_beta);
  powers.begin(std::array{0.25, 0.25, 0.25, 0.25});
  powers.mistakes = {0, 4095, 4096, 5000};
  powers.look_again();
  check(weight_at(powers, 0) == 1.0, "the best is no power at all");
  for (std::size_t i = 1; i < 4; ++i) {
    const auto truth =
        std::exp(static_cast<long double>(powers.mistakes[i]) * log_beta);
    check(std::abs(weight_at(powers, i) / truth - 1.0L) < 1e-12L,
          "beta to the mistakes");
  }
  check(weight_at(powers, 2) == exp_of(4096 * log_beta), "an exponential from 4096 on");
  std::array<double, 4> all{};
  powers.weigh(0, all);
  const std::array<std::uint8_t, 4> nobody{};
  std::array<double, 4> awake{};
  powers.weigh_awake(nobody, awake);
  check(all == awake, "the same in a row or one by one");
  for (auto& count : powers.mistakes) count += 1'000'000'000;
  powers.look_again();
  std::array<double, 4> later{};
  powers.weigh(0, later);
  check(all == later, "only the differences count");
}

void nobody_is_lost_for_good() {
  Powers powers(0.5, std::log(0.5));
  powers.begin(std::array{0.5, 0.5});
  powers.mistakes = {0, 1'000'000};
  powers.look_again();
  check(weight_at(powers, 0) == 1.0 && weight_at(powers, 1) == 0.0, "far behind");
  powers.mistakes = {1'000'000, 1'000'000};
  powers.look_again();
  check(weight_at(powers, 0) == 1.0 && weight_at(powers, 1) == 1.0, "and back again");
  for (const double power : powers.table) {
    check(power == 0.0 || power >= std::numeric_limits<double>::min(),
          "a power has all its digits, or is nothing");
  }
  check(powers.table[1022] > 0.0 && powers.table[1023] == 0.0, "down to 2^-1022");
}

void sleepers_weigh_nothing_and_count_nothing() {
  Powers powers(0.5, std::log(0.5));
  powers.begin(std::array{0.25, 0.25, 0.5});
  powers.mistakes = {0, 2000, 2001};
  powers.look_again();
  const std::array<std::uint8_t, 3> asleep{1, 0, 0};
  std::array<double, 3> weights{};
  powers.weigh_awake(asleep, weights);
  check(weights == std::array{0.0, 0.25, 0.25}, "measured by the best of those awake");
  powers.learn_awake(asleep, std::array{1.0, 1.0, 0.0});
  check(powers.mistakes == std::vector<std::int64_t>{0, 2001, 2001}, "untouched");
}

// Forecasters ---------------------------------------------------------------

Setting votes_by(Combine combine) {
  return {.loss = {LossKind::zero_one, 0.5}, .combine = combine, .labels = true};
}

void a_crowd_in_tiles_is_weighed_as_one() {
  // 2500 experts go in three tiles; the weights and the chance of a mistake are those
  // of one sum over everyone.
  const std::size_t n = 2500;
  const std::vector<double> priors(n, 1.0 / n);
  Weighted<Powers> crowd(votes_by(Combine::draw), Powers(0.9, std::log(0.9)));
  crowd.begin(priors);
  SplitMix random{6};
  Exact expected;
  bool same = true;
  for (int t = 0; t < 50; ++t) {
    std::vector<double> advice(n);
    for (double& vote : advice) vote = random.below(3) == 0 ? 1.0 : 0.0;
    const double y = random.below(2) == 0 ? 1.0 : 0.0;
    std::vector<double> weights(n);
    std::vector<double> lost(n);
    Powers plain(0.9, std::log(0.9));
    plain.begin(priors);
    for (std::size_t i = 0; i < n; ++i) {
      plain.mistakes[i] = static_cast<std::int64_t>(crowd.loss(i).value());
    }
    plain.look_again();
    plain.weigh(0, weights);
    for (std::size_t i = 0; i < n; ++i) lost[i] = advice[i] != y ? weights[i] : 0.0;
    expected.add(sum(lost) / sum(weights));
    double foreseen = 0.0;
    double prediction = 0.0;
    double loss = 0.0;
    same &= crowd.predict(advice.data(), 1, &foreseen).fault == AdviceFault::none;
    same &=
        crowd.play(advice.data(), 1, y, &prediction, &loss).fault == AdviceFault::none;
    same &= foreseen == prediction && loss == (prediction != y ? 1.0 : 0.0);
    same &= crowd.expected() == expected.value();
  }
  check(same, "to the last bit");
}

template <class Rule>
void to_ask_changes_nothing(const Rule& rule) {
  Weighted<Rule> learner(votes_by(Combine::vote), rule);
  learner.begin(std::array{0.5, 0.25, 0.25});
  double prediction = 0.0;
  double loss = 0.0;
  const std::array<double, 3> full{1.0, 0.0, 1.0};
  check(learner.play(full.data(), 1, 1.0, &prediction, &loss).fault ==
                AdviceFault::none &&
            loss == 0.0,
        "a round");
  const auto before = learner.state();
  learner.may_sleep = true;
  const std::array<double, 3> sleepy{nan, 0.0, 1.0};
  check(learner.predict(sleepy.data(), 1, &prediction).fault == AdviceFault::none,
        "with a sleeper");
  check(learner.state() == before, "to predict changes nothing");
  check(learner.play(sleepy.data(), 1, 2.0, &prediction, &loss).fault ==
            AdviceFault::outcome,
        "no label");
  const std::array<double, 3> nobody{nan, nan, nan};
  check(learner.play(nobody.data(), 1, 1.0, &prediction, &loss).fault ==
            AdviceFault::awake,
        "nobody awake");
  const std::array<double, 3> wrong{nan, 0.5, 1.0};
  const auto found = learner.play(wrong.data(), 1, 1.0, &prediction, &loss);
  check(found.fault == AdviceFault::label && found.expert == 1 && found.value == 0.5,
        "no vote");
  check(learner.state() == before, "what is refused changes nothing");
  check(learner.play(sleepy.data(), 1, 0.0, &prediction, &loss).fault ==
                AdviceFault::none &&
            prediction == 1.0,
        "a tie or more says yes");
  std::array<double, 3> beside{};
  learner.own_losses(beside);
  check(beside[0] == 0.0 && beside[1] == 1.0,
        "what is lost while one sleeps is not lost beside it");
  Weighted<Rule> copy(votes_by(Combine::vote), rule);
  copy.restore(learner.state());
  check(copy.state() == learner.state(), "all of it can be kept");
}

void a_floor_holds_and_scale_does_not_matter() {
  Floored floored;
  floored.begin(std::array{0.5, 0.5});
  for (int t = 0; t < 8; ++t) floored.learn(0, std::array{0.0, 1.0}, 0.0);
  check(floored.weights[1] == 0.125 && floored.weights[0] == 1.0, "an eighth");
  for (int t = 0; t < 5000; ++t) floored.learn(0, std::array{1.0, 1.0}, 0.0);
  const double ratio = floored.weights[1] / floored.weights[0];
  check(floored.total > 0x1p-401 && floored.total < 1.0, "kept from vanishing");
  check(ratio == 0.25 || ratio == 0.125 || ratio == 0.0625, "shares are whole powers");
  // Everything is scaled up in round 401, and the floor of a light expert is its own.
  Floored tiny;
  tiny.begin(std::array{0.5, 0.5, 0x1p-421});
  for (int t = 0; t < 410; ++t) tiny.learn(0, std::array{1.0, 1.0, 1.0}, 0.0);
  check(tiny.weights[2] / tiny.weights[0] == 0x1p-420, "all fall alike");
  for (int t = 0; t < 9; ++t) tiny.learn(0, std::array{0.0, 0.0, 1.0}, 0.0);
  check(tiny.weights[2] / tiny.weights[0] == 0x1p-423,
        "an eighth of its share is left");
}

}  // namespace

int main() {
  a_sum_goes_through_eight_lanes();
  a_weight_is_the_same_in_any_registers();
  wider_registers_do_not_change_a_round();
  tiles_do_not_change_a_sum();
  the_extent_finds_the_ends_and_what_is_not_finite();
  a_sum_of_parts_never_rounds();
  a_sum_in_two_parts_loses_nothing();
  what_is_added_can_be_taken_away();
  each_expert_has_a_total();
  the_logarithm_is_close_to_that_of_a_wider_type();
  the_logarithm_of_one_and_a_bit_keeps_the_bit();
  a_weight_ends_where_doubles_end();
  bit_counts_are_counts();
  votes_are_counted_and_the_wrong_dropped();
  a_newcomer_to_halving_has_a_clean_sheet();
  powers_go_on_beyond_the_table();
  nobody_is_lost_for_good();
  sleepers_weigh_nothing_and_count_nothing();
  a_crowd_in_tiles_is_weighed_as_one();
  to_ask_changes_nothing(Powers(0.5, std::log(0.5)));
  to_ask_changes_nothing(Floored{});
  a_floor_holds_and_scale_does_not_matter();
  return failures();
}
