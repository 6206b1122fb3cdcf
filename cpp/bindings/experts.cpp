#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "interruptible.hpp"
#include "littlestone/experts/ada_hedge.hpp"
#include "littlestone/experts/copies.hpp"
#include "littlestone/experts/exponential_weights.hpp"
#include "littlestone/experts/fixed_share.hpp"
#include "littlestone/experts/floored.hpp"
#include "littlestone/experts/powers.hpp"
#include "littlestone/experts/regrets.hpp"
#include "littlestone/experts/weighted.hpp"
#include "littlestone/math/exponential.hpp"
#include "roster.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

[[nodiscard]] const char* kind_of(AdviceFault fault) noexcept {
  switch (fault) {
    case AdviceFault::finite: return "expert";
    case AdviceFault::label: return "expert_label";
    case AdviceFault::probability: return "expert_probability";
    case AdviceFault::distribution: return "expert_distribution";
    case AdviceFault::interval: return "expert_interval";
    case AdviceFault::awake: return "asleep";
    case AdviceFault::outcome: return "outcome";
    case AdviceFault::loss: return "loss";
    case AdviceFault::range: return "loss_range";
    case AdviceFault::overflow: return "losses";
    case AdviceFault::none: break;
  }
  return "";
}

/// The Python class of a forecaster.
class NativeForecaster {
 public:
  NativeForecaster(std::string owner, std::unique_ptr<Forecaster> forecaster)
      : roster_(std::move(owner)), forecaster_(std::move(forecaster)) {}

  void begin(Vector<const double> priors, const nb::object& names) {
    const BusyGuard guard(busy_, roster_.owner());
    roster_.name(names, priors.shape(0));
    forecaster_->begin(as_span(priors));
  }
  void join(double share, nb::handle name) {
    const BusyGuard guard(busy_, roster_.owner());
    roster_.add(name);  // first: a name that cannot be hashed changes nothing
    forecaster_->join(share);
  }

  [[nodiscard]] nb::object predict_one(nb::handle x) {
    const BusyGuard guard(busy_, roster_.owner());
    forecaster_->may_sleep = read(x);
    double prediction = 0.0;
    refuse_one(forecaster_->predict(row_.data(), 1, &prediction), nullptr);
    return as_python(prediction);
  }

  [[nodiscard]] nb::object play_one(nb::handle x, nb::handle y) {
    const BusyGuard guard(busy_, roster_.owner());
    forecaster_->may_sleep = read(x);
    const double outcome = read_outcome(y);
    double prediction = 0.0;
    double loss = 0.0;
    refuse_one(forecaster_->play(row_.data(), 1, outcome, &prediction, &loss), &y);
    return as_python(prediction);
  }

  /// Plays a round in which every expert plainly gives a distribution, over as many
  /// outcomes as `said` has room for. Returns false, and has played nothing, if the
  /// round needs a closer look. If `pairs`, a number is the probability of the second
  /// of two outcomes.
  [[nodiscard]] bool play_spread(nb::handle x, double y, Vector<double> said,
                                 bool pairs) {
    const BusyGuard guard(busy_, roster_.owner());
    const std::size_t outcomes = said.shape(0);
    row_.resize(size() * outcomes);
    if (outcomes < 2 || row_.empty()) return false;
    if (!roster_.read_spread(x, row_, outcomes, pairs)) return false;
    forecaster_->may_sleep = false;
    double loss = 0.0;
    const auto found = forecaster_->play(row_.data(), outcomes, y, said.data(), &loss);
    return found.fault == AdviceFault::none;
  }

  /// The numbers of one round's advice, NaN for experts that sleep.
  [[nodiscard]] std::vector<double> read_one(nb::handle x) {
    const BusyGuard guard(busy_, roster_.owner());
    read(x);
    return row_;
  }

  void learn_given(Vector<const double> advice, Vector<const double> losses, double own,
                   double slope, bool may_sleep) {
    const BusyGuard guard(busy_, roster_.owner());
    if (advice.shape(0) != size() || losses.shape(0) != size()) {
      throw nb::value_error("there must be one number for each expert");
    }
    forecaster_->may_sleep = may_sleep;
    const Given given{as_span(losses), own, slope};
    refuse_one(forecaster_->learn_given(advice.data(), given), nullptr);
  }

  /// Plays rows [first, last) of numbers or truth values. After the rows that `looks`
  /// counts, in rising order, it writes into `seen` for each expert its loss, the
  /// learner's own beside it, and its weight.
  void play(nb::handle advice, Vector<const double> y, Vector<double> predictions,
            Vector<double> losses, std::size_t first, std::size_t last,
            std::size_t outcomes, bool may_sleep, Vector<const std::int64_t> looks,
            Vector<double> seen) {
    const BusyGuard guard(busy_, roster_.owner());
    forecaster_->may_sleep = may_sleep;
    if (y.shape(0) < last || predictions.shape(0) < last * outcomes ||
        losses.shape(0) < last || seen.shape(0) < looks.shape(0) * 3 * size()) {
      throw nb::value_error("arrays must have an entry for each row");
    }
    const std::vector<std::int64_t> stops(looks.data(), looks.data() + looks.shape(0));
    double* next_seen = seen.data();
    auto stop = stops.begin();
    over_rows(advice, first, last, outcomes,
              [&](const double* rows, std::size_t at, std::size_t count,
                  AdviceFinding& found) {
                std::size_t done = 0;
                while (done < count) {
                  std::size_t until = count;
                  if (stop != stops.end() && std::cmp_less_equal(*stop, at + count) &&
                      std::cmp_greater(*stop, at + done)) {
                    until = static_cast<std::size_t>(*stop) - at;
                  }
                  const std::size_t here = at + done;
                  done += forecaster_->play_rows(rows + done * size() * outcomes,
                                                 size() * outcomes, outcomes,
                                                 y.data() + here, until - done,
                                                 predictions.data() + here * outcomes,
                                                 losses.data() + here, found);
                  if (done < until) break;
                  if (stop != stops.end() && std::cmp_equal(*stop, at + done)) {
                    next_seen = write_look(next_seen);
                    ++stop;
                  }
                }
                return done;
              });
  }

  void predict(nb::handle advice, Vector<double> predictions, std::size_t first,
               std::size_t last, std::size_t outcomes, bool may_sleep) {
    const BusyGuard guard(busy_, roster_.owner());
    forecaster_->may_sleep = may_sleep;
    if (predictions.shape(0) < last * outcomes)
      throw nb::value_error("arrays must have an entry for each row");
    over_rows(advice, first, last, outcomes,
              [&](const double* rows, std::size_t at, std::size_t count,
                  AdviceFinding& found) {
                for (std::size_t t = 0; t < count; ++t) {
                  found =
                      forecaster_->predict(rows + t * size() * outcomes, outcomes,
                                           predictions.data() + (at + t) * outcomes);
                  if (found.fault != AdviceFault::none) return t;
                }
                return count;
              });
  }

  /// What `get` returns of the learner, which nobody uses meanwhile.
  template <class Get>
  [[nodiscard]] auto look(Get get) {
    const BusyGuard guard(busy_, roster_.owner());
    return get(*forecaster_);
  }

  /// The weights of all experts, or of those awake if a mask is given.
  void weights(Vector<double> out, std::optional<Vector<const std::uint8_t>> asleep) {
    const BusyGuard guard(busy_, roster_.owner());
    check_size(out);
    if (asleep && asleep->shape(0) != size())
      throw nb::value_error("there must be one number for each expert");
    forecaster_->weights(asleep ? as_span(*asleep) : Asleep(), as_span(out));
  }
  void losses(Vector<double> out) {
    const BusyGuard guard(busy_, roster_.owner());
    check_size(out);
    forecaster_->losses(as_span(out));
  }
  void own_losses(Vector<double> out) {
    const BusyGuard guard(busy_, roster_.owner());
    check_size(out);
    forecaster_->own_losses(as_span(out));
  }
  [[nodiscard]] Forecaster::Numbers state() {
    const BusyGuard guard(busy_, roster_.owner());
    return forecaster_->state();
  }
  void restore(const Forecaster::Numbers& numbers, const nb::object& names) {
    const BusyGuard guard(busy_, roster_.owner());
    forecaster_->restore(numbers);
    roster_.name(names, size());
  }

 private:
  [[nodiscard]] std::size_t size() const noexcept { return forecaster_->size(); }
  /// Writes losses, own losses and weights, and returns where the next look goes.
  double* write_look(double* out) const {
    const std::size_t n = size();
    forecaster_->losses({out, n});
    forecaster_->own_losses({out + n, n});
    forecaster_->weights(Asleep(), {out + 2 * n, n});
    return out + 3 * n;
  }

  void check_size(const Vector<double>& out) const {
    if (out.shape(0) != size())
      throw nb::value_error("there must be one number for each expert");
  }

  [[nodiscard]] nb::object as_python(double prediction) const {
    if (forecaster_->setting().labels) return nb::cast(prediction != 0.0);
    return nb::cast(prediction);
  }

  bool read(nb::handle x) {
    row_.resize(size());
    return forecaster_->setting().labels ? roster_.read_labels(x, row_)
                                         : roster_.read_numbers(x, row_);
  }

  [[nodiscard]] double read_outcome(nb::handle y) const {
    const Setting& setting = forecaster_->setting();
    if (setting.labels || setting.probabilities) return checked_label(y) ? 1.0 : 0.0;
    const auto outcome = number_of(y.ptr());
    if (!outcome) roster_.owner().refuse_value("outcome", y);
    return *outcome;
  }

  void refuse_one(const AdviceFinding& found, const nb::handle* y) const {
    if (found.fault != AdviceFault::none)
      refuse_finding(roster_.owner().facts(), found, y);
  }

  [[noreturn]] void refuse_finding(nb::dict facts, const AdviceFinding& found,
                                   const nb::handle* y) const {
    const Setting& setting = forecaster_->setting();
    if (found.fault == AdviceFault::outcome) {
      facts["value"] = y != nullptr ? nb::borrow(*y) : nb::cast(found.value);
      const bool zero = setting.loss.kind == LossKind::percentage && found.value == 0.0;
      if (setting.probabilities) {
        facts["feature"] = std::max<std::size_t>(found.expert, 2) - 1;
        refuse("outcome_number", facts);
      }
      if (std::isfinite(setting.most)) {
        facts["range"] = nb::make_tuple(setting.least, setting.most);
        refuse("outcome_interval", facts);
      }
      refuse(zero ? "outcome_zero" : "outcome", facts);
    }
    if (found.fault != AdviceFault::awake && found.fault != AdviceFault::overflow) {
      facts["feature"] = roster_.of(found.expert);
      facts["value"] = found.value;
    }
    if (found.fault == AdviceFault::range) {
      facts["range"] = nb::make_tuple(setting.low, setting.high);
    }
    if (found.fault == AdviceFault::interval) {
      facts["range"] = nb::make_tuple(setting.least, setting.most);
    }
    refuse(kind_of(found.fault), facts);
  }

  /// Calls `some(rows, at, count, found)` for chunks of advice, and refuses the row it
  /// stops at. Truth values become numbers in a buffer; one number of an expert, where
  /// distributions are due, becomes the pair of which it is the second.
  template <class Some>
  void over_rows(nb::handle advice, std::size_t first, std::size_t last,
                 std::size_t outcomes, Some some) {
    Array<const double> numbers;
    Matrix<const bool> truths;
    const std::size_t stride = size() * outcomes;
    const bool is_truths = nb::try_cast(advice, truths, false);
    if (!is_truths && !nb::try_cast(advice, numbers, false)) {
      throw nb::type_error("advice must be a C-ordered array of float64 or bool");
    }
    const bool is_pairs = !is_truths && outcomes == 2 && numbers.ndim() == 2;
    const std::size_t given = is_pairs ? size() : stride;
    const std::size_t held = is_truths ? truths.size() : numbers.size();
    if (stride == 0 || first > last || held < last * given) {
      throw nb::value_error("arrays must have an entry for each row");
    }
    // Several rows also of many experts, as each is checked during the one before; not
    // where rounds may be slow, since Ctrl-C waits, or must be copied into the cache.
    const bool is_copied = is_truths || is_pairs;
    const bool is_quick = !is_copied && outcomes == 1 && !forecaster_->may_sleep &&
                          forecaster_->setting().combine == Combine::mean;
    const std::size_t chunk =
        std::max<std::size_t>(1, (std::size_t{1} << (is_quick ? 20U : 15U)) / stride);
    std::vector<double> buffer(is_copied ? chunk * stride : 0);
    AdviceFinding found;
    const std::size_t reached =
        each_chunk(first, last, chunk, [&](std::size_t from, std::size_t to) {
          const double* rows = buffer.data();
          if (is_truths) {
            // A truth value of NumPy may be any byte.
            const auto* const bytes =
                reinterpret_cast<const std::uint8_t*>(truths.data()) + from * stride;
            std::transform(bytes, bytes + (to - from) * stride, buffer.begin(),
                           [](std::uint8_t byte) { return byte != 0 ? 1.0 : 0.0; });
          } else if (is_pairs) {
            const double* const chances = numbers.data() + from * given;
            for (std::size_t k = 0; k < (to - from) * given; ++k) {
              put_pair(chances[k], buffer.data() + 2 * k);
            }
          } else {
            rows = numbers.data() + from * stride;
          }
          return from + some(rows, from, to - from, found);
        });
    if (found.fault == AdviceFault::none) return;
    refuse_finding(roster_.owner().facts({{reached, first}}), found, nullptr);
  }

  Roster roster_;
  std::unique_ptr<Forecaster> forecaster_;
  std::vector<double> row_;
  bool busy_ = false;
};

template <class Rule>
[[nodiscard]] std::unique_ptr<Forecaster> made(const Setting& setting, Rule rule) {
  return std::make_unique<Weighted<Rule>>(setting, std::move(rule));
}

[[nodiscard]] std::unique_ptr<Forecaster> make(const std::string& rule,
                                               const std::vector<double>& numbers,
                                               const Setting& setting) {
  const auto is = [&](const char* name, std::size_t count) {
    return rule == name && numbers.size() == count;
  };
  if (is("powers", 2)) return made(setting, Powers(numbers[0], numbers[1]));
  if (is("floored", 0)) return made(setting, Floored{});
  if (is("exponential", 1)) return made(setting, ExponentialWeights{numbers[0]});
  if (is("ada-hedge", 0)) return made(setting, AdaHedge{});
  if (is("fixed-share", 2)) return made(setting, FixedShare{numbers[0], numbers[1]});
  if (is("polynomial", 1)) return made(setting, Polynomial{numbers[0] != 0.0});
  if (is("product", 1)) return made(setting, Product{numbers[0] != 0.0});
  if (is("bernstein", 1)) return made(setting, Bernstein{numbers[0] != 0.0});
  if (is("rated-exponential", 0)) return made(setting, RatedExponential{});
  throw nb::value_error("the rule is unknown, or has other parameters");
}

}  // namespace

void bind_experts(nb::module_& m) {
  m.def(
      "exponentials",
      [](Vector<double> values) {
        for (const double value : as_span(values)) {
          if (!(std::abs(value) <= largest_exponent)) {
            throw nb::value_error("an exponent must lie between -708 and 708");
          }
        }
        exp_all(values.data(), values.shape(0));
      },
      "values"_a.noconvert(),
      "Replace each number by its exponential, with equal bits on every machine.");

  m.def(
      "vote_copies",
      [](Matrix<const bool> votes, Vector<const bool> labels, Vector<double> weights,
         Vector<std::int64_t> mistakes, double beta, Vector<double> scores) {
        const std::size_t rows = votes.shape(1);
        if (labels.shape(0) != rows || scores.shape(0) != rows ||
            weights.shape(0) != votes.shape(0) || mistakes.shape(0) != votes.shape(0)) {
          throw nb::value_error("arrays must have an entry for each copy or row");
        }
        const CopiesVote vote{beta, as_span(weights), as_span(mistakes)};
        for (std::size_t t = 0; t < rows; ++t) {
          scores.data()[t] = vote.play(votes.data() + t, rows, labels.data()[t]);
        }
      },
      "votes"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(),
      "mistakes"_a.noconvert(), "beta"_a, "scores"_a.noconvert(),
      "Let copies vote, row by row; write by how much yes wins, and learn the labels.");

  nb::class_<NativeForecaster>(m, "Forecaster")
      .def("begin", &NativeForecaster::begin, "priors"_a, "names"_a.none())
      .def("join", &NativeForecaster::join, "share"_a, "name"_a.none())
      .def("predict_one", &NativeForecaster::predict_one, "x"_a.none())
      .def("play_one", &NativeForecaster::play_one, "x"_a.none(), "y"_a.none())
      .def("play_spread", &NativeForecaster::play_spread, "x"_a, "y"_a, "said"_a,
           "pairs"_a)
      .def("read_one", &NativeForecaster::read_one, "x"_a.none())
      .def("learn_given", &NativeForecaster::learn_given, "advice"_a, "losses"_a,
           "own"_a, "slope"_a, "may_sleep"_a)
      .def("play", &NativeForecaster::play, "advice"_a, "y"_a, "predictions"_a,
           "losses"_a, "first"_a, "last"_a, "outcomes"_a, "may_sleep"_a, "looks"_a,
           "seen"_a)
      .def("predict", &NativeForecaster::predict, "advice"_a, "predictions"_a,
           "first"_a, "last"_a, "outcomes"_a, "may_sleep"_a)
      .def_prop_ro("size", looked<NativeForecaster>([](auto& f) { return f.size(); }))
      .def_prop_ro("rounds",
                   looked<NativeForecaster>([](auto& f) { return f.rounds(); }))
      .def_prop_ro("own_loss",
                   looked<NativeForecaster>([](auto& f) { return f.own_loss(); }))
      .def_prop_ro("expected",
                   looked<NativeForecaster>([](auto& f) { return f.expected(); }))
      .def_prop_ro("last_loss",
                   looked<NativeForecaster>([](auto& f) { return f.last_loss(); }))
      .def("weights", &NativeForecaster::weights, "out"_a,
           "asleep"_a.none() = nb::none())
      .def("losses", &NativeForecaster::losses, "out"_a)
      .def("own_losses", &NativeForecaster::own_losses, "out"_a)
      .def("state", &NativeForecaster::state)
      .def("restore", &NativeForecaster::restore, "numbers"_a, "names"_a.none());
  m.def(
      "forecaster",
      [](std::string owner, const std::string& rule, const std::vector<double>& numbers,
         int loss, double tau, int combine, bool gradient, bool hedge, bool labels,
         bool probabilities, double low, double high, double least, double most,
         std::uint64_t seed) {
        const Setting setting{.loss = {static_cast<LossKind>(loss), tau},
                              .combine = static_cast<Combine>(combine),
                              .gradient = gradient,
                              .hedge = hedge,
                              .labels = labels,
                              .probabilities = probabilities,
                              .low = low,
                              .high = high,
                              .least = least,
                              .most = most,
                              .eta = numbers.empty() ? 0.0 : numbers[0],
                              .seed = seed};
        return new NativeForecaster(std::move(owner), make(rule, numbers, setting));
      },
      "owner"_a, "rule"_a, "numbers"_a, nb::kw_only(), "loss"_a, "tau"_a, "combine"_a,
      "gradient"_a, "hedge"_a, "labels"_a, "probabilities"_a, "low"_a, "high"_a,
      "least"_a, "most"_a, "seed"_a, nb::rv_policy::take_ownership);
}

}  // namespace littlestone::bindings
