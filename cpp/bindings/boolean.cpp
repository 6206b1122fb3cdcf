#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>  // std::greater_equal
#include <memory>
#include <numeric>  // std::iota
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "littlestone/boolean/decision_list.hpp"
#include "littlestone/boolean/elimination.hpp"
#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/winnow_terms.hpp"
#include "rows.hpp"
#include "saved.hpp"
#include "truth_reader.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The Python class of a learner of Boolean rules.
class NativeBoolean {
 public:
  /// `declared` lists the features of a closed universe; None lets it grow.
  NativeBoolean(std::string owner, std::unique_ptr<boolean::Rule> rule,
                const nb::object& declared)
      : owner_(std::move(owner)), rule_(std::move(rule)), closed_(!declared.is_none()) {
    if (!closed_) return;
    for (const nb::handle feature : declared) reader_.universe.add(feature);
    rule_->grow(reader_.universe.size());
  }

  bool predict_one(nb::handle x) {
    const BusyGuard guard(busy_, owner_);
    const nb::object names = reader_.read(x);
    return rule_->predict(reader_.truths.known);
  }

  bool play_one(nb::handle x, nb::handle y, std::uint32_t times) {
    const BusyGuard guard(busy_, owner_);
    const bool label = checked_label(y);
    const nb::object names = reader_.read(x);
    return play_truths(label, times);
  }

  /// `looks` says after which rows, in order, to write into `seen` how many features
  /// there are, or -1 once no concept is left.
  void play(const Rows& rows, Vector<const bool> labels, Vector<bool> predictions,
            std::optional<Vector<const std::uint32_t>> repeats, std::size_t first,
            std::size_t last, std::optional<Vector<bool>> changed,
            std::optional<Vector<const std::int64_t>> looks,
            std::optional<Vector<std::int64_t>> seen) {
    const BusyGuard guard(busy_, owner_);
    rows.check_range(first, last, labels.shape(0));
    rows.check_range(first, last, predictions.shape(0));
    if (repeats) rows.check_range(first, last, repeats->shape(0));
    if (changed) rows.check_range(first, last, changed->shape(0));
    const std::size_t count = looks && seen ? looks->shape(0) : 0;
    if (count != 0 && seen->shape(0) != count)
      throw nb::value_error("seen is too short");
    std::size_t look = 0;
    const auto see = [&](std::size_t played) {
      while (look < count && read_once(looks->data()[look]) <= as_signed(played)) {
        seen->data()[look++] = ruled_out() ? -1 : as_signed(reader_.universe.size());
      }
    };
    reader_.each_row(rows, first, last, rule_->needs_order(), [&](std::size_t t) {
      const std::uint32_t times = repeats ? repeats->data()[t] : 1;
      const std::uint64_t before = updates_;
      predictions.data()[t] =
          play_truths(read_once(labels.data()[t]), times, Place{t, first});
      if (changed) changed->data()[t] = updates_ > before;
      see(t + 1);
    });
  }

  void predict(const Rows& rows, Vector<bool> predictions) {
    const BusyGuard guard(busy_, owner_);
    rows.check_range(0, rows.size(), predictions.shape(0));
    reader_.each_row(rows, 0, rows.size(), rule_->needs_order(), [&](std::size_t t) {
      predictions.data()[t] = rule_->predict(reader_.truths.known);
    });
  }

  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::uint64_t updates() const noexcept { return updates_; }
  [[nodiscard]] bool ruled_out() const noexcept { return unrealizable_.has_value(); }
  [[nodiscard]] nb::list features() const {
    return nb::list(reader_.universe.features());
  }

  /// The number of a feature, or None if it was not met yet.
  [[nodiscard]] std::optional<Index> number(nb::handle feature) {
    const Index found = reader_.universe.of(feature);
    return found == unmet ? std::nullopt : std::optional(found);
  }

  [[nodiscard]] std::size_t lessons() const noexcept { return lessons_.size(); }
  /// The round, the true features and the label of an example that updated it.
  [[nodiscard]] nb::tuple lesson(std::size_t at) const {
    if (at >= lessons_.size()) throw nb::index_error();
    return shown(lessons_[at]);
  }

  /// The first lesson in which all of these literals were false.
  [[nodiscard]] std::optional<std::size_t> dropped_by(
      const std::vector<boolean::Literal>& clause) const {
    for (std::size_t u = 0; u < lessons_.size(); ++u) {
      const auto x = lessons_[u].x;
      const bool falsified = std::ranges::all_of(clause, [&](boolean::Literal literal) {
        const bool truth =
            std::ranges::binary_search(x, static_cast<Index>(literal / 2));
        return truth == (literal % 2 != 0);
      });
      if (falsified) return u;
    }
    return std::nullopt;
  }

  /// The clauses left, each a list of literals: twice the feature's number, plus 1 for
  /// a negation.
  [[nodiscard]] nb::list clauses() const {
    const auto* rule = dynamic_cast<const boolean::Elimination*>(rule_.get());
    if (rule == nullptr) throw nb::type_error("this rule has no clauses");
    nb::list found;
    rule->each_clause([&](std::span<const boolean::Literal> clause) {
      nb::list literals;
      for (const auto literal : clause) literals.append(literal);
      found.append(literals);
    });
    return found;
  }

  /// The rules of a decision list, each its literals and its label; the last fires if
  /// no other does.
  [[nodiscard]] nb::list rules() const {
    const boolean::DecisionList& rule = decision_list();
    nb::list found;
    std::vector<boolean::Literal> term;
    for (const boolean::RuleNumber number : rule.listed()) {
      rule.terms().literals(number / 2, term);
      found.append(nb::make_tuple(nb::cast(term), boolean::says(number)));
    }
    return found;
  }

  /// The level of a rule, and the lesson that moved it last, if one did and was kept.
  /// Its literals are in the order of their features.
  [[nodiscard]] nb::tuple standing(const std::vector<boolean::Literal>& term,
                                   bool label) const {
    const boolean::DecisionList& rule = decision_list();
    const bool sound = term.size() <= rule.terms().k() &&
                       std::ranges::is_sorted(term, {}, [](auto l) { return l / 2; }) &&
                       (term.empty() || term.back() / 2 < rule.features());
    if (!sound) throw nb::value_error("expected a term, its literals in order");
    const auto number = 2 * boolean::RuleNumber{rule.terms().number(term)};
    const boolean::Standing standing = rule.standing(number + (label ? 0 : 1));
    if (standing.lesson == boolean::Standing::no_lesson) {
      return nb::make_tuple(standing.level, nb::none());
    }
    return nb::make_tuple(standing.level, standing.lesson);
  }

  /// The terms that weigh more or less than 1, each its literals and its weight.
  [[nodiscard]] nb::list weights() const {
    const auto* rule = dynamic_cast<const boolean::WinnowTerms*>(rule_.get());
    if (rule == nullptr) throw nb::type_error("this rule weighs no terms");
    nb::list found;
    std::vector<boolean::Literal> term;
    for (std::size_t number = 0; number < rule->weights().size(); ++number) {
      const double weight = rule->weights()[number];
      if (weight == 1.0) continue;
      rule->terms().literals(number, term);
      found.append(nb::make_tuple(nb::cast(term), weight));
    }
    return found;
  }

  /// The round in which no concept was left, and the examples that prove it; None
  /// before.
  [[nodiscard]] nb::object unrealizable() const {
    if (!unrealizable_) return nb::none();
    nb::list examples;
    for (const std::size_t u : unrealizable_->lessons) {
      examples.append(shown(lessons_[u]));
    }
    if (unrealizable_->last.size() > 0) examples.append(shown(unrealizable_->last[0]));
    return nb::make_tuple(unrealizable_->round, examples);
  }

  /// Everything learned, without the features of a closed universe.
  [[nodiscard]] nb::tuple state() const {
    nb::object proof = nb::none();
    if (unrealizable_) {
      proof = nb::make_tuple(unrealizable_->round, unrealizable_->lessons,
                             packed(unrealizable_->last));
    }
    return nb::make_tuple(closed_ ? nb::list() : nb::list(reader_.universe.features()),
                          rounds_, updates_, packed(lessons_), proof, rule_->state());
  }

  /// Restores a new learner from the state of another.
  void restore(const nb::list& features, std::uint64_t rounds, std::uint64_t updates,
               const nb::dict& lessons, const nb::object& proof,
               const std::vector<std::uint64_t>& state) {
    const BusyGuard guard(busy_, owner_);
    if (rounds_ != 0 || (closed_ && nb::len(features) > 0)) {
      throw nb::value_error("expected a new learner");
    }
    if (!closed_) {
      for (const nb::handle feature : features) reader_.universe.add(feature);
      if (!rule_->fits(reader_.universe.size()))
        throw nb::value_error("expected fewer features");
      rule_->grow(reader_.universe.size());
    }
    lessons_ = unpacked(lessons, reader_.universe.size());
    if (lessons_.size() > updates || updates > rounds) {
      throw nb::value_error("expected at most as many lessons as updates");
    }
    rounds_ = rounds;
    updates_ = updates;
    if (!proof.is_none()) {
      unrealizable_ =
          Unrealizable{nb::cast<std::uint64_t>(proof[0]),
                       nb::cast<std::vector<std::size_t>>(proof[1]),
                       unpacked(nb::cast<nb::dict>(proof[2]), reader_.universe.size())};
      const auto& shown = unrealizable_->lessons;
      const bool sound =
          std::ranges::all_of(shown, [&](auto u) { return u < lessons_.size(); }) &&
          unrealizable_->last.size() <= 1 &&
          shown.size() + unrealizable_->last.size() > 0;
      if (!sound) throw nb::value_error("expected a proof by lessons");
    }
    rule_->restore(state, lessons_);
  }

  /// Learns what another learner of the same kind was taught by a later part of the
  /// stream: what would have taught this one nothing is left out.
  void join(const nb::list& features, std::uint64_t rounds, const nb::dict& lessons) {
    const BusyGuard guard(busy_, owner_);
    const std::vector<Index> numbers = joined_features(features);
    const boolean::Lessons later = unpacked(lessons, numbers.size());
    const std::uint64_t before = rounds_;
    std::vector<Index>& x = reader_.truths.known;
    reader_.truths.clear();
    for (std::size_t u = 0; u < later.size(); ++u) {
      const auto lesson = later[u];
      x.clear();
      for (const Index j : lesson.x) x.push_back(numbers[j]);
      // Most teach nothing now, and to put features in order takes longest.
      if (!rule_->needs_order() && rule_->predict(x) == lesson.label) continue;
      reader_.truths.settle(reader_.universe.size());
      rounds_ = before + lesson.round;
      play_truths(lesson.label, 1);
    }
    rounds_ = before + rounds;
  }

 private:
  struct Unrealizable {
    std::uint64_t round;
    std::vector<std::size_t> lessons;
    boolean::Lessons last;  // the example of that round, if it is not a lesson
  };

  [[nodiscard]] static std::int64_t as_signed(std::size_t count) noexcept {
    return static_cast<std::int64_t>(count);
  }
  [[nodiscard]] const boolean::DecisionList& decision_list() const {
    const auto* rule = dynamic_cast<const boolean::DecisionList*>(rule_.get());
    if (rule == nullptr) throw nb::type_error("this rule is not a decision list");
    return *rule;
  }

  // One round -----------------------------------------------------------------------

  bool play_truths(bool label, std::uint32_t times,
                   std::optional<Place> place = std::nullopt) {
    bool said = rule_->predict(reader_.truths.known);
    if (reader_.truths.fresh() == 0) {
      if (said == label) {
        rounds_ += times;
        return said;
      }
      if (!rule_->needs_order()) {  // what was met may come in any order
        reader_.truths.settle(reader_.universe.size());
        said = rule_->predict(reader_.truths.known);
      }
    }
    const boolean::Example x(reader_.truths.known);
    const bool predicted = said;
    const bool meets = times > 0 && reader_.truths.fresh() > 0 &&
                       (rule_->always_meets() || said != label);
    if (meets && !rule_->fits(reader_.universe.size() + reader_.truths.fresh())) {
      nb::dict facts = owner_.facts(place);
      facts["value"] = reader_.universe.size();
      facts["feature"] = reader_.first_fresh();
      refuse("terms", facts);
    }
    if (times == 0) return predicted;
    if (meets) {
      reader_.enter();
      rule_->grow(reader_.universe.size());
    }
    for (std::uint32_t t = 0; t < times && said != label; ++t) {
      const std::uint64_t round = rounds_ + t;
      const boolean::Mended mended = rule_->mend(x, label, lessons_);
      updates_ += mended.updated ? 1 : 0;
      const bool kept = mended.updated && rule_->keeps();
      if (kept) lessons_.add(round, label, x);
      if (mended.ruled_out && !unrealizable_) {
        unrealizable_ = Unrealizable{round, rule_->witness(x, lessons_), {}};
        if (kept) {
          // A rule that tests only now and then may find out late what an older lesson
          // proved.
          unrealizable_->round = lessons_[unrealizable_->lessons.back()].round;
        } else {
          unrealizable_->last.add(round, label, x);
        }
      }
      if (!mended.updated) break;
      said = rule_->predict(x);
    }
    rounds_ += times;
    return predicted;
  }

  // Lessons, as Python sees them and as they are saved -------------------------------

  [[nodiscard]] nb::tuple shown(const boolean::Lessons::Lesson& lesson) const {
    nb::list features;
    for (const Index j : lesson.x) features.append(reader_.universe[j]);
    return nb::make_tuple(lesson.round, nb::tuple(features), lesson.label);
  }

  [[nodiscard]] static nb::dict packed(const boolean::Lessons& lessons) {
    nb::dict all;
    const std::size_t size = lessons.size();
    auto* const rounds = add_array<std::uint64_t>(all, "rounds", size);
    auto* const labels = add_array<std::uint8_t>(all, "labels", size);
    auto* const ends = add_array<std::uint64_t>(all, "ends", size);
    std::size_t end = 0;
    for (std::size_t u = 0; u < size; ++u) end += lessons[u].x.size();
    auto* features = add_array<std::uint32_t>(all, "features", end);
    end = 0;
    for (std::size_t u = 0; u < size; ++u) {
      const auto lesson = lessons[u];
      rounds[u] = lesson.round;
      labels[u] = lesson.label ? 1 : 0;
      ends[u] = end += lesson.x.size();
      features = std::ranges::copy(lesson.x, features).out;
    }
    return all;
  }

  /// The lessons of these arrays, over so many features.
  [[nodiscard]] static boolean::Lessons unpacked(const nb::dict& all,
                                                 std::size_t known) {
    const auto rounds = nb::cast<Vector<const std::uint64_t>>(all["rounds"]);
    const auto labels = nb::cast<Vector<const std::uint8_t>>(all["labels"]);
    const auto ends = nb::cast<Vector<const std::uint64_t>>(all["ends"]);
    const auto features = nb::cast<Vector<const std::uint32_t>>(all["features"]);
    const auto bounds = as_span(ends);
    check_saved(rounds.shape(0) == bounds.size() && labels.shape(0) == bounds.size() &&
                    std::ranges::is_sorted(bounds) &&
                    (bounds.empty() ? 0 : bounds.back()) == features.shape(0) &&
                    std::ranges::all_of(as_span(labels), [](auto y) { return y <= 1; }),
                "lessons one after another");
    boolean::Lessons lessons;
    std::size_t begin = 0;
    for (std::size_t u = 0; u < bounds.size(); ++u) {
      const boolean::Example x = as_span(features).subspan(begin, bounds[u] - begin);
      begin = bounds[u];
      check_saved(std::ranges::adjacent_find(x, std::greater_equal<>()) == x.end() &&
                      (x.empty() || x.back() < known),
                  "lessons of known features, in order");
      lessons.add(rounds.data()[u], labels.data()[u] == 1, x);
    }
    return lessons;
  }

  /// The numbers of the features of another learner, of which new ones are added.
  [[nodiscard]] std::vector<Index> joined_features(const nb::list& features) {
    std::vector<Index> numbers(closed_ ? reader_.universe.size() : nb::len(features));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    if (closed_) return numbers;  // declared, so all learners number them alike
    std::vector<nb::handle> fresh;
    const std::size_t known = reader_.universe.size();
    for (Index& number : numbers) {
      const nb::handle feature = features[number];
      number = reader_.universe.of(feature);
      if (number != unmet) continue;
      number = static_cast<Index>(known + fresh.size());
      fresh.push_back(feature);
    }
    if (!fresh.empty() && !rule_->fits(known + fresh.size())) {
      nb::dict facts = owner_.facts();
      facts["value"] = known;
      facts["feature"] = fresh.front();
      refuse("terms", facts);
    }
    for (const nb::handle feature : fresh) reader_.universe.add(feature);
    rule_->grow(reader_.universe.size());
    return numbers;
  }

  Owner owner_;
  std::unique_ptr<boolean::Rule> rule_;
  bool closed_;
  TruthReader reader_{owner_, closed_};
  boolean::Lessons lessons_;
  std::optional<Unrealizable> unrealizable_;
  std::uint64_t rounds_ = 0;
  std::uint64_t updates_ = 0;
  bool busy_ = false;
};

}  // namespace

void bind_boolean(nb::module_& m) {
  using Native = NativeBoolean;
  nb::class_<Native>(m, "Boolean",
                     "A learner of Boolean rules, and the features it has met.")
      .def("predict_one", &Native::predict_one, "x"_a.none())
      .def("play_one", &Native::play_one, "x"_a.none(), "y"_a.none(), "times"_a = 1)
      .def("play", &Native::play, "rows"_a, "labels"_a.noconvert(),
           "predictions"_a.noconvert(), "repeats"_a.noconvert().none(), "first"_a,
           "last"_a, "changed"_a.noconvert().none() = nb::none(),
           "looks"_a.noconvert().none() = nb::none(),
           "seen"_a.noconvert().none() = nb::none(),
           "Play rows [first, last) in order; write the predictions, which rounds "
           "changed the learner, and how many features were seen by the rows in looks, "
           "or -1 if no concept was left.")
      .def("predict", &Native::predict, "rows"_a, "predictions"_a.noconvert(),
           "Write the prediction for each row; learn nothing.")
      .def("number", &Native::number, "feature"_a,
           nb::sig("def number(self, feature: object) -> int | None"),
           "The number of a feature, in order of first occurrence; None if it is new.")
      .def("lesson", &Native::lesson, "at"_a,
           nb::sig("def lesson(self, at: int) -> "
                   "tuple[int, tuple[str | int, ...], bool]"),
           "Round, true features and label of an example that updated it.")
      .def("dropped_by", &Native::dropped_by, "clause"_a,
           "The first lesson in which all of these literals are false.")
      .def("clauses", &Native::clauses, nb::sig("def clauses(self) -> list[list[int]]"),
           "The clauses left, by literals: twice the feature, plus 1 if negated.")
      .def("rules", &Native::rules,
           nb::sig("def rules(self) -> list[tuple[list[int], bool]]"),
           "The rules of a decision list, the last being the default.")
      .def("standing", &Native::standing, "term"_a, "label"_a,
           nb::sig("def standing(self, term: list[int], label: bool) -> "
                   "tuple[int, int | None]"),
           "The level of a rule, and the lesson that moved it last.")
      .def("weights", &Native::weights,
           nb::sig("def weights(self) -> list[tuple[list[int], float]]"),
           "The terms that weigh more or less than 1, and their weights.")
      .def("state", &Native::state,
           nb::sig("def state(self) -> tuple[list[str | int], int, int, "
                   "dict[str, numpy.typing.NDArray[typing.Any]], "
                   "tuple[typing.Any, ...] | None, list[int]]"),
           "Everything learned.")
      .def("restore", &Native::restore, "features"_a, "rounds"_a, "updates"_a,
           "lessons"_a, "proof"_a.none(), "state"_a,
           nb::sig("def restore(self, features: list[str | int], rounds: int, "
                   "updates: int, "
                   "lessons: dict[str, numpy.typing.NDArray[typing.Any]], "
                   "proof: tuple[typing.Any, ...] | None, state: list[int]) -> None"),
           "Restore a new learner from what state() returned.")
      .def("join", &Native::join, "features"_a, "rounds"_a, "lessons"_a,
           nb::sig("def join(self, features: list[str | int], rounds: int, "
                   "lessons: dict[str, numpy.typing.NDArray[typing.Any]]) -> None"),
           "Learn what another learner was taught by a later part of the stream.")
      .def_prop_ro("features", &Native::features,
                   nb::sig("def features(self) -> list[str | int]"))
      .def_prop_ro("lessons", &Native::lessons)
      .def_prop_ro("rounds", &Native::rounds)
      .def_prop_ro("updates", &Native::updates)
      .def_prop_ro("ruled_out", &Native::ruled_out)
      .def_prop_ro("unrealizable", &Native::unrealizable,
                   nb::sig("def unrealizable(self) -> tuple[int, "
                           "list[tuple[int, tuple[str | int, ...], bool]]] | None"));

  m.def(
      "literals",
      [](std::string owner, bool positive, bool negative, bool dual,
         const nb::object& features) {
        return std::make_unique<Native>(
            std::move(owner),
            std::make_unique<boolean::Literals>(positive, negative, !features.is_none(),
                                                dual),
            features);
      },
      "owner"_a, nb::kw_only(), "positive"_a, "negative"_a, "dual"_a,
      "features"_a.none(),
      nb::sig("def literals(owner: str, *, positive: bool, negative: bool, dual: bool, "
              "features: list[str | int] | None) -> Boolean"),
      "Eliminates literals of a conjunction.");
  m.def(
      "clauses",
      [](std::string owner, std::size_t k, bool dual, const nb::object& features) {
        return std::make_unique<Native>(
            std::move(owner), std::make_unique<boolean::Clauses>(k, dual), features);
      },
      "owner"_a, nb::kw_only(), "k"_a, "dual"_a, "features"_a.none(),
      nb::sig("def clauses(owner: str, *, k: int, dual: bool, "
              "features: list[str | int] | None) -> Boolean"),
      "Eliminates clauses of a conjunction.");
  m.def(
      "winnow_terms",
      [](std::string owner, std::size_t k, double threshold, double promotion,
         const nb::object& features) {
        return std::make_unique<Native>(
            std::move(owner),
            std::make_unique<boolean::WinnowTerms>(k, threshold, promotion), features);
      },
      "owner"_a, nb::kw_only(), "k"_a, "threshold"_a, "promotion"_a,
      "features"_a.none(),
      nb::sig("def winnow_terms(owner: str, *, k: int, threshold: float, "
              "promotion: float, features: list[str | int] | None) -> Boolean"),
      "Winnow over the terms of at most k literals.");
  m.def(
      "decision_list",
      [](std::string owner, std::size_t k, const nb::object& features) {
        return std::make_unique<Native>(
            std::move(owner), std::make_unique<boolean::DecisionList>(k), features);
      },
      "owner"_a, nb::kw_only(), "k"_a, "features"_a.none(),
      nb::sig("def decision_list(owner: str, *, k: int, "
              "features: list[str | int] | None) -> Boolean"),
      "Moves rules of a decision list from level to level.");
}

}  // namespace littlestone::bindings
