#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "charging.hpp"
#include "example_reader.hpp"
#include "interruptible.hpp"
#include "learners.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/math/exponential.hpp"
#include "littlestone/math/random.hpp"
#include "mirrors.hpp"
#include "replay.hpp"
#include "rows.hpp"
#include "saved_linear.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The label of a round, as Python writes it.
template <class Label>
[[nodiscard]] Label label_from(nb::handle y) {
  if constexpr (std::is_same_v<Label, bool>) {
    return checked_label(y);
  } else if constexpr (std::is_same_v<Label, double>) {
    return checked_outcome(y);
  } else {
    return nb::cast<Label>(y);
  }
}

/// The Python class of a linear learner.
template <class Label>
class NativeLinear {
 public:
  NativeLinear(std::string owner, std::unique_ptr<LinearLearner<Label>> learner)
      : owner_(std::move(owner)), learner_(std::move(learner)) {}

  Label predict_one(nb::handle x) {
    const BusyGuard guard(busy_, owner_);
    score_looked_up(x);
    return learner_->said(scores_);
  }

  auto score_one(nb::handle x) {
    const BusyGuard guard(busy_, owner_);
    score_looked_up(x);
    return as_python(scores_);
  }

  Label play_one(nb::handle x, nb::handle y, std::uint32_t times, double importance) {
    const BusyGuard guard(busy_, owner_);
    const Label label = label_from<Label>(y);
    const nb::object names = reader_.look_up(x);
    Label predicted{};
    const Finding found = learner_->play_looked_up(label, predicted, times, importance);
    if (found.fault != Fault::none) reader_.refuse_looked_up(found);
    reader_.remember_fresh();
    return predicted;
  }

  void learn_one(nb::handle x, nb::handle y, std::uint32_t times, double importance) {
    play_one(x, y, times, importance);
  }

  void add_one(nb::handle x, nb::handle y) {
    const BusyGuard guard(busy_, owner_);
    const Label label = label_from<Label>(y);
    const nb::object names = reader_.look_up(x);
    const Finding found = learner_->add_looked_up(label);
    if (found.fault != Fault::none) reader_.refuse_looked_up(found);
  }

  /// Of each row a score, or a row of scores: of the rows from the first on.
  using Scores = std::conditional_t<std::is_same_v<Label, ClassId>, Matrix<double>,
                                    Vector<double>>;

  void play(const Rows& rows, Vector<const Label> labels,
            std::optional<Vector<Label>> predictions,
            std::optional<Vector<const std::uint32_t>> repeats, std::size_t first,
            std::size_t last, std::optional<Vector<bool>> changed,
            std::optional<Vector<const double>> importances,
            std::optional<Scores> scores, std::optional<Vector<double>> losses,
            Losses* witness) {
    const BusyGuard guard(busy_, owner_);
    Lesson<Label> lesson{as_span(labels), {}, {}};
    rows.check_range(first, last, labels.shape(0));
    if (predictions) {
      rows.check_range(first, last, predictions->shape(0));
      lesson.predictions = as_span(*predictions);
    } else if (!learner_->quiet()) {
      throw nb::value_error("this learner needs room for predictions");
    }
    if (repeats) {
      rows.check_range(first, last, repeats->shape(0));
      lesson.repeats = as_span(*repeats);
    }
    if (changed) {
      if (!predictions) throw nb::value_error("`changed` needs `predictions`");
      rows.check_range(first, last, changed->shape(0));
      lesson.changed = as_span(*changed);
    }
    const auto take = [&](const auto& array, auto& span) {
      if (!array) return;
      if (!predictions) throw nb::value_error("a lesson needs `predictions`");
      rows.check_range(first, last, array->shape(0));
      span = as_span(*array);
    };
    take(importances, lesson.importances);
    if constexpr (!std::is_same_v<Label, ClassId>) {
      take(scores, lesson.scores);
    } else if (scores) {
      check_scores(*scores, first, last, learner_->scores_a_row());
      lesson.scores = {scores->data(), scores->size()};
      lesson.apart = scores->shape(1);
      lesson.begin = first;
    }
    take(losses, lesson.losses);
    // Read all names before one is entered: a bad name must not leave others behind.
    std::vector<std::string_view> names;
    for (const nb::handle name : rows.names)
      names.push_back(checked_name(name.ptr(), owner_));
    std::vector<std::int64_t> indices;
    for (const auto name : names) indices.push_back(learner_->index_of_name(name));
    if (rows.words.any()) learner_->index_of_words(rows.words, indices);
    learner_->reserve(0, learner_->names.size());  // even if there is no row to play
    const Block all = rows.with_indices(indices);
    if constexpr (std::is_same_v<Label, bool>) {
      if (witness != nullptr) {
        Losses::Known known{rows.all_names()};
        over_rows(rows, all, first, last, in_cache,
                  [&](const Block& block, std::size_t from, std::size_t to) {
                    const Played played = learner_->play(block, lesson, from, to);
                    charge(*witness, block, known, lesson.labels, from, played.rounds);
                    return played;
                  });
        return;
      }
    }
    over_rows(rows, all, first, last, at_once,
              [&](const Block& block, std::size_t from, std::size_t to) {
                return learner_->play(block, lesson, from, to);
              });
  }

  void score(const Rows& rows, Vector<double> scores, std::size_t first,
             std::size_t last) {
    const BusyGuard guard(busy_, owner_);
    if (scores.shape(0) < last * learner_->scores_a_row()) {
      throw nb::value_error("scores must have room for every row");
    }
    rows.check_range(first, last, rows.size());
    // New names have the next slots, whose cells are initial.
    learner_->lookup.clear();
    for (const nb::handle name : rows.names) {
      learner_->look_up_name(checked_name(name.ptr(), owner_), 0.0);
    }
    rows.each_word([&](std::string_view name) { learner_->look_up_name(name, 0.0); });
    const auto found = learner_->lookup.indices();
    const std::vector<std::int64_t> indices(found.begin(), found.end());
    const std::size_t fresh = learner_->lookup.fresh.size();
    over_rows(rows, rows.with_indices(indices), first, last, at_once,
              [&](const Block& block, std::size_t from, std::size_t to) {
                return learner_->score(block, as_span(scores), from, to, fresh);
              });
  }

  /// Plays rows of a ledger again; see `LedgerPlay`.
  [[nodiscard]] Replayed replay(
      const nb::list& rows, std::size_t first, std::size_t most_labels,
      std::size_t most_features,
      std::tuple<std::int64_t, std::int64_t, std::int64_t> counts, const nb::dict& open,
      const nb::dict& older)
    requires std::is_same_v<Label, bool>
  {
    const BusyGuard guard(busy_, owner_);
    const auto [learned, mistakes, waiting] = counts;
    LedgerPlay play(*learner_, {learned, mistakes, waiting}, open, older,
                    most_features);
    return play.play(rows, first, most_labels);
  }

  /// Learns labels of predictions in a ledger.
  [[nodiscard]] Replayed teach(
      const nb::list& told, std::size_t first, std::int64_t now,
      std::size_t most_labels, std::size_t most_features,
      std::tuple<std::int64_t, std::int64_t, std::int64_t> counts, const nb::dict& open,
      const nb::dict& older)
    requires std::is_same_v<Label, bool>
  {
    const BusyGuard guard(busy_, owner_);
    const auto [learned, mistakes, waiting] = counts;
    LedgerPlay play(*learner_, {learned, mistakes, waiting}, open, older,
                    most_features);
    return play.teach(told, first, most_labels, now);
  }

  /// Scores examples as a ledger has them.
  [[nodiscard]] std::optional<std::vector<double>> score_bodies(
      const nb::list& bodies, std::size_t most_features)
    requires std::is_same_v<Label, bool>
  {
    const BusyGuard guard(busy_, owner_);
    const nb::dict none;
    return LedgerPlay(*learner_, {}, none, none, most_features).score(bodies);
  }

  void limit_features(std::size_t most) {
    const BusyGuard guard(busy_, owner_);
    learner_->limit_features(most);
  }

  /// What `get` returns of the learner, which nobody uses meanwhile.
  template <class Get>
  [[nodiscard]] auto look(Get get) {
    const BusyGuard guard(busy_, owner_);
    return get(*learner_);
  }

  /// Each feature whose weight is not the initial one: columns in order, then names.
  [[nodiscard]] nb::list items() {
    const BusyGuard guard(busy_, owner_);
    nb::list found;
    each_weight([&](std::int64_t index, const std::vector<double>& weights) {
      found.append(nb::make_tuple(reader_.feature_of(index), as_python(weights)));
    });
    return found;
  }

  [[nodiscard]] std::size_t count() {
    const BusyGuard guard(busy_, owner_);
    std::size_t found = 0;
    each_weight([&](std::int64_t, const std::vector<double>&) { ++found; });
    return found;
  }

  /// The weight of one feature, or None while it is the initial one.
  [[nodiscard]] nb::object weight(nb::handle feature) {
    const BusyGuard guard(busy_, owner_);
    learner_->lookup.clear();
    if (!reader_.look_up_feature(feature.ptr(), 1.0) ||
        !learner_->lookup.fresh.empty()) {
      return nb::none();
    }
    const std::int64_t index = learner_->lookup.indices()[0];
    if (index >= static_cast<std::int64_t>(learner_->columns())) return nb::none();
    std::vector<double> weights(learner_->scores_a_row());
    learner_->weigh(index, weights);
    return is_initial(weights) ? nb::none() : nb::cast(as_python(weights));
  }

  /// Each feature with a cell that has changed, and the numbers in it.
  [[nodiscard]] nb::list cells() {
    const BusyGuard guard(busy_, owner_);
    std::vector<double> cell(learner_->numbers());
    std::vector<double> initial(learner_->numbers());
    learner_->initial(initial);
    nb::list found;
    each_index([&](std::int64_t index) {
      learner_->read(index, cell);
      const bool same =
          std::memcmp(cell.data(), initial.data(), cell.size() * sizeof(double)) == 0;
      if (!same) found.append(nb::make_tuple(reader_.feature_of(index), cell));
    });
    return found;
  }

  [[nodiscard]] nb::dict saved() {
    const BusyGuard guard(busy_, owner_);
    return save(*learner_);
  }

  void load_saved(std::optional<Vector<const std::uint32_t>> columns,
                  const Matrix<const double>& column_cells,
                  const Vector<const std::uint8_t>& text,
                  const Vector<const std::uint64_t>& ends,
                  const Vector<const std::uint8_t>& kinds,
                  const Matrix<const double>& name_cells,
                  const Vector<const double>& rule, std::uint64_t updates,
                  std::uint64_t width) {
    const BusyGuard guard(busy_, owner_);
    load(*learner_, {std::move(columns), column_cells, text, ends, kinds, name_cells,
                     rule, updates, width});
  }

 private:
  // The numbers of a chunk: so few that Ctrl-C need not wait, and so few that a near
  // cache still has them when they are charged.
  static constexpr std::size_t at_once = std::size_t{1} << 18U;
  static constexpr std::size_t in_cache = std::size_t{1} << 12U;

  /// Calls `some(block, from, to)` for chunks of rows with about so many numbers, and
  /// refuses the row it stops at.
  template <class Some>
  void over_rows(const Rows& rows, const Block& block, std::size_t first,
                 std::size_t last, std::size_t numbers, Some some) {
    const std::size_t nonzeros =
        std::visit([](const auto& b) { return b.nonzeros(); }, block);
    const std::size_t chunk =
        std::max<std::size_t>(1, numbers / (1 + nonzeros / (1 + rows.size())));
    Finding finding;
    const std::size_t reached =
        each_chunk(first, last, chunk, [&](std::size_t from, std::size_t to) {
          const Played played = some(block, from, to);
          finding = played.finding;
          return played.rounds;
        });
    if (finding.fault != Fault::none) {
      reader_.refuse_row(rows, {reached, first}, finding);
    }
  }

  /// The score or weight, or a list of one for each class.
  [[nodiscard]] static auto as_python(const std::vector<double>& numbers) {
    if constexpr (std::is_same_v<Label, ClassId>) {
      return numbers;
    } else {
      return numbers[0];
    }
  }

  void score_looked_up(nb::handle x) {
    const nb::object names = reader_.look_up(x);
    scores_.resize(learner_->scores_a_row());
    const Finding found = learner_->score_looked_up(scores_);
    if (found.fault != Fault::none) reader_.refuse_looked_up(found);
  }

  /// Every column whose cell has changed, in order, then every name.
  template <class Take>
  void each_index(Take take) {
    for (const std::uint32_t column : learner_->changed_columns()) take(column);
    for (std::size_t slot = 0; slot < learner_->names.size(); ++slot) {
      take(index_of_slot(slot));
    }
  }

  template <class Take>
  void each_weight(Take take) {
    learner_->lookup.clear();
    learner_->reserve(0, learner_->names.size());
    std::vector<double> weights(learner_->scores_a_row());
    each_index([&](std::int64_t index) {
      learner_->weigh(index, weights);
      if (!is_initial(weights)) take(index, weights);
    });
  }

  [[nodiscard]] bool is_initial(const std::vector<double>& weights) const {
    const double initial = learner_->initial_weight();
    return std::all_of(weights.begin(), weights.end(),
                       [initial](double w) { return w == initial; });
  }

  Owner owner_;
  std::unique_ptr<LinearLearner<Label>> learner_;
  ExampleReader reader_{owner_, *learner_};
  std::vector<double> scores_;
  bool busy_ = false;
};

template <class Label>
void bind_class(nb::module_& m, const char* name, const char* doc) {
  using Native = NativeLinear<Label>;
  const bool many = std::is_same_v<Label, ClassId>;
  nb::class_<Native> bound(m, name, doc);
  bound.def("predict_one", &Native::predict_one, "x"_a.none())
      .def("score_one", &Native::score_one, "x"_a.none())
      .def("learn_one", &Native::learn_one, "x"_a.none(), "y"_a.none(), "times"_a = 1,
           "importance"_a = 1.0)
      .def("play_one", &Native::play_one, "x"_a.none(), "y"_a.none(), "times"_a = 1,
           "importance"_a = 1.0)
      .def("add_one", &Native::add_one, "x"_a.none(), "y"_a.none(),
           "Learn as from a mistake, whatever is predicted now.")
      .def("play", &Native::play, "rows"_a, "labels"_a.noconvert(),
           "predictions"_a.noconvert().none(), "repeats"_a.noconvert().none(),
           "first"_a, "last"_a, "changed"_a.noconvert().none() = nb::none(),
           "importances"_a.noconvert().none() = nb::none(),
           "scores"_a.noconvert().none() = nb::none(),
           "losses"_a.noconvert().none() = nb::none(), "witness"_a.none() = nb::none(),
           "Play rows [first, last) in order; write the predictions, and which rounds "
           "changed the learner, what they scored, and what they cost. A witness is "
           "charged for them.")
      .def("score", &Native::score, "rows"_a, "scores"_a.noconvert(), "first"_a,
           "last"_a, "Score rows [first, last); learn nothing.")
      .def("limit_features", &Native::limit_features, "most"_a,
           "Refuse rows beyond so many features, if the rule has a full matrix.")
      .def("items", &Native::items,
           nb::sig(many ? "def items(self) -> list[tuple[str | int, list[float]]]"
                        : "def items(self) -> list[tuple[str | int, float]]"),
           "Each feature whose weight is not the initial one.")
      .def("count", &Native::count, "How many features items() lists.")
      .def("weight", &Native::weight, "feature"_a.none(),
           nb::sig(many ? "def weight(self, feature: object) -> list[float] | None"
                        : "def weight(self, feature: object) -> float | None"),
           "The weight of one feature; None while it is the initial one.")
      .def("cells", &Native::cells,
           nb::sig("def cells(self) -> list[tuple[str | int, list[float]]]"),
           "The numbers kept for each feature.")
      .def("save", &Native::saved, nb::sig("def save(self) -> dict[str, typing.Any]"),
           "Everything learned, and every name met, as arrays.")
      .def("load", &Native::load_saved, "columns"_a.noconvert().none(),
           "column_cells"_a.noconvert(), "text"_a.noconvert(), "ends"_a.noconvert(),
           "kinds"_a.noconvert(), "name_cells"_a.noconvert(), "rule"_a.noconvert(),
           "updates"_a, "width"_a, "Restore a new learner from what save() returned.")
      .def_prop_ro("updates", looked<Native>([](auto& l) { return l.updates; }))
      .def_prop_ro("width", looked<Native>([](auto& l) { return l.width; }))
      .def_prop_ro("loss", looked<Native>([](auto& l) { return l.loss(); }))
      .def_prop_ro("last_loss", looked<Native>([](auto& l) { return l.last_loss(); }))
      .def_prop_ro("classes", looked<Native>([](auto& l) { return l.scores_a_row(); }))
      .def_prop_ro("state", looked<Native>([](auto& l) { return l.state(); }));
  if constexpr (std::is_same_v<Label, bool>) {
    bound.def("replay", &Native::replay, "rows"_a, "first"_a, nb::kw_only(),
              "most_labels"_a, "most_features"_a, "counts"_a, "open"_a, "older"_a,
              nb::sig("def replay(self, rows: list[typing.Any], first: int, *, "
                      "most_labels: int, most_features: int, "
                      "counts: tuple[int, int, int], open: dict[str, typing.Any], "
                      "older: dict[str, typing.Any]) -> Replayed"),
              "Play plain rows of a ledger again, up to so many labels; `counts` are "
              "the labels learned, the mistakes, and the predictions that wait.");
    bound.def("teach", &Native::teach, "told"_a, "first"_a, nb::kw_only(), "now"_a,
              "most_labels"_a, "most_features"_a, "counts"_a, "open"_a, "older"_a,
              nb::sig("def teach(self, told: list[typing.Any], first: int, *, "
                      "now: int, most_labels: int, most_features: int, "
                      "counts: tuple[int, int, int], open: dict[str, typing.Any], "
                      "older: dict[str, typing.Any]) -> Replayed"),
              "Learn labels that come now, as pairs of the id of a prediction and its "
              "label, up to one that is not plainly that.");
    bound.def("score_bodies", &Native::score_bodies, "bodies"_a, "most_features"_a,
              nb::sig("def score_bodies(self, bodies: list[bytes], most_features: int) "
                      "-> list[float] | None"),
              "What it says of the examples in the bodies of rows; None if one of them "
              "is not plain or is refused.");
  }
}

void bind_replayed(nb::module_& m) {
  const auto bytes = [](const auto& some) {
    return nb::bytes(reinterpret_cast<const char*>(some.data()),
                     some.size() * sizeof(some[0]));
  };
  nb::class_<Replayed>(m, "Replayed", "What rows of a ledger that were played had.")
      .def_ro("reached", &Replayed::reached, "The first row that was not played.")
      .def_ro("asked", &Replayed::asked, "How many of them were predictions.")
      .def_prop_ro(
          "labels", [=](const Replayed& self) { return bytes(self.labels); },
          "The labels that were learned, a byte each.")
      .def_prop_ro(
          "said", [=](const Replayed& self) { return bytes(self.said); },
          "What had been predicted, a byte each.")
      .def_prop_ro(
          "delays", [=](const Replayed& self) { return bytes(self.delays); },
          "How long each label took, as int64.")
      .def_ro("late", &Replayed::late, "Predictions that would be others now.")
      .def_ro("pairs", &Replayed::pairs,
              "Pairs of mistakes, one served before the other was known.")
      .def_ro("outstanding", &Replayed::outstanding,
              "The most others that waited when a label changed the learner.")
      .def_ro("grown", &Replayed::grown,
              "By how many bytes the open predictions grew.");
  m.def("keep_asked", &LedgerPlay::keep, "open"_a, "rows"_a,
        nb::sig("def keep_asked(open: dict[str, typing.Any], rows: list[typing.Any]) "
                "-> int"),
        "Keep the predictions in rows as `replay` does; return by how many bytes what "
        "is kept grew.");
}

/// Binds a factory of learners.hpp; the name of the learner comes before its
/// parameters.
template <class Label, class... Parameters, class... Names>
void bind_factory(nb::module_& m, const char* name,
                  std::unique_ptr<LinearLearner<Label>> (*make)(Parameters...),
                  Names... names) {
  m.def(
      name,
      [make](std::string owner, Parameters... parameters) {
        return std::make_unique<NativeLinear<Label>>(std::move(owner),
                                                     make(parameters...));
      },
      "owner"_a, nb::kw_only(), names...);
}

/// Binds a factory of learners of yes and no, or of numbers, as the loss has it.
template <class... Parameters, class... Names>
void bind_charged(nb::module_& m, const char* name,
                  Binary (*binary)(ScoreLoss, Parameters...),
                  Numeric (*numeric)(ScoreLoss, Parameters...), Names... names) {
  m.def(
      name,
      [binary, numeric](std::string owner, const std::string& loss, double parameter,
                        Parameters... parameters) -> nb::object {
        const ScoreLoss by = score_loss(loss, parameter);
        if (by.kind == ScoreLoss::Kind::logistic || by.kind == ScoreLoss::Kind::hinge) {
          return nb::cast(std::make_unique<NativeLinear<bool>>(
              std::move(owner), binary(by, parameters...)));
        }
        return nb::cast(std::make_unique<NativeLinear<double>>(
            std::move(owner), numeric(by, parameters...)));
      },
      "owner"_a, nb::kw_only(), "loss"_a, "parameter"_a, names...,
      "Make a learner by its loss.");
}

}  // namespace

void bind_linear(nb::module_& m) {
  bind_replayed(m);
  bind_class<bool>(m, "Linear",
                   "A learner of two labels: its rule, weights and names.");
  bind_class<ClassId>(m, "Multiclass",
                      "A learner of many classes, which have numbers.");
  bind_class<double>(m, "Regressor", "A learner of numbers.");

  nb::class_<SplitMix>(m, "SplitMix", "Random numbers from a seed.")
      .def(nb::init<std::uint64_t>(), "state"_a)
      .def("below", &SplitMix::below, "end"_a, "A whole number from 0 to end - 1.")
      .def_ro("state", &SplitMix::state);

  m.def(
      "sinh_in_place",
      [](const Vector<double>& logs) {
        for (double& log : as_span(logs)) {
          log = std::clamp(log, -largest_exponent, largest_exponent);
        }
        sinh_all(logs.data(), logs.shape(0));
      },
      "logs"_a.noconvert(), "The weights of Balanced Winnow from their logarithms.");

  bind_factory(m, "perceptron", perceptron, "on_margin"_a, "normalize"_a, "strict"_a,
               "bias"_a);
  bind_factory(m, "averaged_perceptron", averaged_perceptron, "bias"_a);
  bind_factory(m, "voted_perceptron", voted_perceptron, "bias"_a);
  bind_factory(m, "kernel_perceptron", kernel_perceptron, "kernel"_a, "gamma"_a,
               "offset"_a, "degree"_a, "on_margin"_a, "budget"_a.none(), "seed"_a);
  bind_factory(m, "passive_aggressive", passive_aggressive, "mode"_a, "c"_a, "bias"_a);
  bind_factory(m, "second_order_perceptron", second_order_perceptron, "r"_a,
               "diagonal"_a, "bias"_a);
  bind_factory(m, "arow", arow, "r"_a, "diagonal"_a, "bias"_a);
  bind_factory(m, "winnow", winnow, "threshold"_a, "promotion"_a, "log_promotion"_a,
               "eliminate"_a);
  bind_factory(m, "balanced_winnow", balanced_winnow, "rate"_a, "scale"_a, "bias"_a);
  bind_factory(m, "multiclass_perceptron", multiclass_perceptron, "classes"_a,
               "bias"_a);
  bind_factory(m, "multiclass_passive_aggressive", multiclass_passive_aggressive,
               "classes"_a, "mode"_a, "c"_a, "bias"_a);
  bind_factory(m, "multiclass_ada_grad", multiclass_ada_grad, "classes"_a, "rate"_a,
               "normalize"_a, "bias"_a);
  m.def(
      "soften",
      [](Vector<double> scores, std::size_t classes) {
        soften_rows(as_span(scores), classes);
      },
      "scores"_a.noconvert(), "classes"_a,
      "Turn the scores of classes, a row an example, into probabilities.");
  bind_charged(m, "gradient_descent", gradient_descent<bool>, gradient_descent<double>,
               "rate"_a, "bias"_a);
  bind_charged(m, "ada_grad", ada_grad<bool>, ada_grad<double>, "rate"_a, "normalize"_a,
               "bias"_a);
  bind_charged(m, "coin_betting", coin_betting<bool>, coin_betting<double>, "wealth"_a,
               "scale"_a, "bias"_a);
  bind_charged(m, "ftrl", ftrl<bool>, ftrl<double>, "rate"_a, "l1"_a, "l2"_a,
               "normalize"_a, "bias"_a);
  bind_charged(m, "exponentiated_gradient", exponentiated_gradient<bool>,
               exponentiated_gradient<double>, "rate"_a, "scale"_a, "bias"_a);
  bind_factory(m, "aioli", aioli, "a"_a, "reach"_a, "bias"_a);
  bind_factory(m, "vovk_azoury_warmuth", vovk_azoury_warmuth, "a"_a, "bias"_a);
  m.def(
      "respond",
      [](const std::string& loss, Vector<double> scores) {
        const ScoreLoss by = score_loss(loss, 0.0);
        for (double& score : as_span(scores)) {
          score =
              by.kind == ScoreLoss::Kind::logistic ? chance_of(score) : by.mean(score);
        }
      },
      "loss"_a, "scores"_a.noconvert(),
      "Turn scores into probabilities of a yes, or into the means they stand for.");
}

}  // namespace littlestone::bindings
