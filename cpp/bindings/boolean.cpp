#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "border.hpp"
#include "littlestone/boolean/decision_list.hpp"
#include "littlestone/boolean/elimination.hpp"
#include "littlestone/boolean/rule.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

using boolean::Index;

constexpr Index unmet = std::numeric_limits<Index>::max();

/// The features that were met, each with its number: columns and names.
class Universe {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return nb::len(features_); }
  [[nodiscard]] nb::object operator[](std::size_t at) const { return features_[at]; }
  [[nodiscard]] const nb::list& features() const noexcept { return features_; }

  [[nodiscard]] Index of_column(std::uint64_t column) const {
    if (column < near_.size()) return near_[column];
    if (column < nearest) return unmet;
    const auto found = far_.find(column);
    return found == far_.end() ? unmet : found->second;
  }
  [[nodiscard]] Index of_name(PyObject* name) const {
    PyObject* found = PyDict_GetItemWithError(names_.ptr(), name);
    if (found == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return unmet;
    }
    return static_cast<Index>(PyLong_AsUnsignedLong(found));
  }

  /// The numbers of columns 0, 1, 2, … as far as they are kept in a row.
  [[nodiscard]] std::span<const Index> near() const noexcept { return near_; }

  Index add_column(std::uint64_t column) {
    const auto number = static_cast<Index>(size());
    if (column < nearest) {
      if (column >= near_.size()) near_.resize(column + 1, unmet);
      near_[column] = number;
    } else {
      far_[column] = number;
    }
    features_.append(nb::cast(column));
    return number;
  }
  Index add_name(nb::handle name) {
    const auto number = static_cast<Index>(size());
    names_[name] = number;
    features_.append(name);
    return number;
  }

 private:
  // Columns below this number have a place each, up to the largest that was met.
  static constexpr std::uint64_t nearest = std::uint64_t{1} << 24U;

  std::vector<Index> near_;
  std::unordered_map<std::uint64_t, Index> far_;
  nb::dict names_;
  nb::list features_;
};

/// The features that are true in an example. What is new in it is put in order, columns
/// before names, so that the order in which a learner meets features does not depend on
/// the way an example is written.
class Truths {
 public:
  struct Name {
    std::string_view text;
    nb::object name;  // none until somebody needs it
    std::size_t slot;
  };

  std::vector<Index> known;  // later all of them, in order
  std::vector<std::uint64_t> columns;
  std::vector<Name> names;

  void clear() {
    known.clear();
    columns.clear();
    names.clear();
  }
  [[nodiscard]] std::size_t fresh() const noexcept {
    return columns.size() + names.size();
  }
  /// Puts everything in order; new features get the numbers from `size` on.
  void settle(std::size_t size) {
    if (!std::ranges::is_sorted(known)) order(size);
    if (fresh() == 0) return;
    std::ranges::sort(columns);
    std::ranges::sort(names, {}, &Name::text);
    for (std::size_t i = 0; i < fresh(); ++i) {
      known.push_back(static_cast<Index>(size + i));
    }
  }

 private:
  /// Puts what is known in order; all of it is below `size`, and stands there once.
  void order(std::size_t size) {
    constexpr std::size_t bits = 64;
    constexpr std::size_t sparse = 16;
    if (known.size() * sparse < size) {
      std::ranges::sort(known);
      return;
    }
    // Many of few: to mark them and to go through the marks takes no comparisons.
    marks_.assign(size / bits + 1, 0);
    for (const Index j : known) marks_[j / bits] |= std::uint64_t{1} << (j % bits);
    std::size_t count = 0;
    for (std::size_t w = 0; w < marks_.size(); ++w) {
      for (std::uint64_t word = marks_[w]; word != 0; word &= word - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(word));
        known[count++] = static_cast<Index>(w * bits + bit);
      }
    }
  }

  std::vector<std::uint64_t> marks_;
};

/// A native learner of Boolean rules as Python holds it.
class NativeBoolean {
 public:
  /// `declared` lists the features of a closed universe; None lets it grow.
  NativeBoolean(std::string owner, std::unique_ptr<boolean::Rule> rule,
                const nb::object& declared)
      : owner_(std::move(owner)), rule_(std::move(rule)), closed_(!declared.is_none()) {
    if (!closed_) return;
    for (const nb::handle feature : declared) add(feature);
    rule_->grow(universe_.size());
  }

  bool predict_one(nb::handle x) {
    const Turn turn(*this);
    read(x);
    return rule_->predict(truths_.known);
  }

  bool play_one(nb::handle x, nb::handle y, std::uint32_t times) {
    const Turn turn(*this);
    const bool label = checked_label(y);
    read(x);
    return play_truths(label, times, facts());
  }

  void play(const Rows& rows, Vector<const bool> labels, Vector<bool> predictions,
            std::optional<Vector<const std::uint32_t>> repeats, std::size_t first,
            std::size_t last, std::optional<Vector<bool>> changed) {
    const Turn turn(*this);
    check_range(rows, first, last, labels.shape(0));
    check_range(rows, first, last, predictions.shape(0));
    if (repeats) check_range(rows, first, last, repeats->shape(0));
    if (changed) check_range(rows, first, last, changed->shape(0));
    each_row(rows, first, last, [&](std::size_t t) {
      const std::uint32_t times = repeats ? repeats->data()[t] : 1;
      nb::dict told;
      if (truths_.fresh() > 0) told = row_facts(t, first);
      const std::uint64_t before = updates_;
      predictions.data()[t] = play_truths(labels.data()[t], times, told);
      if (changed) changed->data()[t] = updates_ > before;
    });
  }

  void predict(const Rows& rows, Vector<bool> predictions) {
    const Turn turn(*this);
    check_range(rows, 0, rows.size(), predictions.shape(0));
    each_row(rows, 0, rows.size(), [&](std::size_t t) {
      predictions.data()[t] = rule_->predict(truths_.known);
    });
  }

  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::uint64_t updates() const noexcept { return updates_; }
  [[nodiscard]] bool ruled_out() const noexcept { return unrealizable_.has_value(); }
  [[nodiscard]] nb::list features() const { return nb::list(universe_.features()); }

  /// The number of a feature, or None if it has not been met.
  [[nodiscard]] std::optional<Index> number(nb::handle feature) {
    Index found = unmet;
    if (PyUnicode_Check(feature.ptr())) {
      found = universe_.of_name(feature.ptr());
    } else if (PyLong_Check(feature.ptr())) {
      const auto column = PyLong_AsUnsignedLongLong(feature.ptr());
      if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
      } else {
        found = universe_.of_column(column);
      }
    }
    return found == unmet ? std::nullopt : std::optional(found);
  }

  [[nodiscard]] std::size_t lessons() const noexcept { return lessons_.size(); }
  /// The round, the true features and the label of an example that updated it.
  [[nodiscard]] nb::tuple lesson(std::size_t at) const {
    if (at >= lessons_.size()) throw nb::index_error();
    return shown(lessons_[at]);
  }

  /// Which lesson was the first in which all of these literals were false.
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

  /// The clauses that are left, each a list of literals: twice the feature's number,
  /// plus 1 for a negation.
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

  /// The rules of a decision list, each its literals and its label; the last fires
  /// whenever no other does.
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
  /// Its literals stand in the order of their features.
  [[nodiscard]] nb::tuple standing(const std::vector<boolean::Literal>& term,
                                   bool label) const {
    const boolean::DecisionList& rule = decision_list();
    const bool sound = term.size() <= rule.terms().k() &&
                       std::ranges::is_sorted(term, {}, [](auto l) { return l / 2; }) &&
                       (term.empty() || term.back() / 2 < rule.features());
    if (!sound) throw nb::value_error("a term");
    const auto number = 2 * boolean::RuleNumber{rule.terms().number(term)};
    const boolean::Standing standing = rule.standing(number + (label ? 0 : 1));
    if (standing.lesson == boolean::Standing::no_lesson) {
      return nb::make_tuple(standing.level, nb::none());
    }
    return nb::make_tuple(standing.level, standing.lesson);
  }

  /// When no concept was left, and the examples that prove it; None before.
  [[nodiscard]] nb::object unrealizable() const {
    if (!unrealizable_) return nb::none();
    nb::list examples;
    for (const std::size_t u : unrealizable_->lessons) {
      examples.append(shown(lessons_[u]));
    }
    if (unrealizable_->last.size() > 0) examples.append(shown(unrealizable_->last[0]));
    return nb::make_tuple(unrealizable_->round, examples);
  }

  /// Everything that was learned. What a closed universe knows from birth is left out.
  [[nodiscard]] nb::tuple state() const {
    nb::object proof = nb::none();
    if (unrealizable_) {
      proof = nb::make_tuple(unrealizable_->round, unrealizable_->lessons,
                             packed(unrealizable_->last));
    }
    return nb::make_tuple(closed_ ? nb::list() : nb::list(universe_.features()),
                          rounds_, updates_, packed(lessons_), proof, rule_->state());
  }

  /// Makes a newborn learner what another one was.
  void restore(const nb::list& features, std::uint64_t rounds, std::uint64_t updates,
               const nb::list& lessons, const nb::object& proof,
               const std::vector<std::uint64_t>& state) {
    const Turn turn(*this);
    if (rounds_ != 0 || (closed_ && nb::len(features) > 0)) {
      throw nb::value_error("a newborn");
    }
    if (!closed_) {
      for (const nb::handle feature : features) add(feature);
      if (!rule_->fits(universe_.size())) throw nb::value_error("too many features");
      rule_->grow(universe_.size());
    }
    lessons_ = unpacked(lessons);
    if (lessons_.size() > updates || updates > rounds) {
      throw nb::value_error("lessons");
    }
    rounds_ = rounds;
    updates_ = updates;
    if (!proof.is_none()) {
      unrealizable_ = Unrealizable{nb::cast<std::uint64_t>(proof[0]),
                                   nb::cast<std::vector<std::size_t>>(proof[1]),
                                   unpacked(nb::cast<nb::list>(proof[2]))};
      const auto& shown = unrealizable_->lessons;
      const bool sound =
          std::ranges::all_of(shown, [&](auto u) { return u < lessons_.size(); }) &&
          unrealizable_->last.size() <= 1 &&
          shown.size() + unrealizable_->last.size() > 0;
      if (!sound) throw nb::value_error("a proof");
    }
    rule_->restore(state, lessons_);
  }

 private:
  struct Unrealizable {
    std::uint64_t round;
    std::vector<std::size_t> lessons;
    boolean::Lessons last;  // the example of that round, unless it is a lesson
  };

  /// One caller at a time, also if to read an example runs Python code.
  class Turn {
   public:
    explicit Turn(NativeBoolean& self) : self_(self) {
      if (self_.busy_) refuse("busy", self_.facts());
      self_.busy_ = true;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      self_.copy_.reset();
      self_.busy_ = false;
    }

   private:
    NativeBoolean& self_;
  };

  [[nodiscard]] const boolean::DecisionList& decision_list() const {
    const auto* rule = dynamic_cast<const boolean::DecisionList*>(rule_.get());
    if (rule == nullptr) throw nb::type_error("this rule is no decision list");
    return *rule;
  }

  [[nodiscard]] nb::dict facts() const {
    nb::dict facts;
    facts["owner"] = owner_;
    return facts;
  }
  [[nodiscard]] nb::dict row_facts(std::size_t t, std::size_t first) const {
    nb::dict told = facts();
    told["row"] = t;
    told["rounds"] = t - first;
    return told;
  }
  [[noreturn]] static void refuse_feature(const char* kind, nb::dict told,
                                          nb::handle feature) {
    told["feature"] = feature;
    refuse(kind, told);
  }

  void add(nb::handle feature) {
    if (number(feature)) throw nb::value_error("a feature twice");
    if (PyUnicode_Check(feature.ptr())) {
      universe_.add_name(feature);
    } else {
      universe_.add_column(nb::cast<std::uint64_t>(feature));
    }
  }

  // One round -----------------------------------------------------------------------

  bool play_truths(bool label, std::uint32_t times, const nb::dict& told) {
    if (times > 0 && truths_.fresh() > 0 &&
        !rule_->fits(universe_.size() + truths_.fresh())) {
      told["value"] = universe_.size();
      refuse_feature("terms", told, first_fresh());
    }
    const boolean::Example x(truths_.known);
    bool said = rule_->predict(x);
    const bool predicted = said;
    if (times == 0) return predicted;
    enter();
    for (std::uint32_t t = 0; t < times && said != label; ++t) {
      const std::uint64_t round = rounds_ + t;
      const boolean::Mended mended = rule_->mend(x, label, lessons_);
      updates_ += mended.updated ? 1 : 0;
      const bool kept = mended.updated && rule_->keeps();
      if (kept) lessons_.add(round, label, x);
      if (mended.ruled_out && !unrealizable_) {
        unrealizable_ = Unrealizable{round, rule_->witness(x, lessons_), {}};
        if (kept) {
          // A rule that looks now and then may see late what an older lesson proved.
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

  [[nodiscard]] nb::object first_fresh() {
    if (!truths_.columns.empty()) return nb::cast(truths_.columns[0]);
    return name_of(truths_.names[0]);
  }
  [[nodiscard]] static nb::object name_of(const Truths::Name& name) {
    if (name.name.is_valid()) return name.name;
    return nb::str(name.text.data(), name.text.size());
  }

  /// Meets what is new in the example.
  void enter() {
    if (truths_.fresh() == 0) return;
    for (const std::uint64_t column : truths_.columns) universe_.add_column(column);
    for (const Truths::Name& name : truths_.names) {
      const Index number = universe_.add_name(name_of(name));
      if (name.slot < slots_.size()) slots_[name.slot] = number;
    }
    rule_->grow(universe_.size());
  }

  /// Puts the example that was read in order, unless it has features it may not have.
  void settle(const nb::dict& told) {
    truths_.settle(universe_.size());
    if (closed_ && truths_.fresh() > 0) {
      refuse_feature("undeclared", told, first_fresh());
    }
  }

  // Reading one example ---------------------------------------------------------------

  void read(nb::handle x) {
    slots_.clear();
    truths_.clear();
    if (!PyDict_CheckExact(x.ptr()) || !read_plain(x.ptr())) {
      truths_.clear();
      if (!reader_.is_valid()) {
        reader_ = nb::module_::import_("littlestone._core")
                      .attr("perceptron")(owner_, "on_margin"_a = false,
                                          "normalize"_a = false, "bias"_a = 0.0)
                      .attr("read");
      }
      // Whatever is written there, it comes out as a plain dict, without the zeros.
      copy_ = reader_(x);
      if (!read_plain(copy_.ptr())) refuse_values();
    }
    settle(facts());
  }

  /// Reads a dict of plain keys whose values are 0 or 1; false if it is none.
  bool read_plain(PyObject* x) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(x, &position, &key, &value) != 0) {
      const std::optional<bool> truth = truth_of(value);
      if (!truth) return false;
      if (PyUnicode_CheckExact(key)) {
        const Index number = *truth ? universe_.of_name(key) : unmet;
        if (number != unmet) {
          truths_.known.push_back(number);
          continue;
        }
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(key, &size);
        if (text == nullptr) {
          PyErr_Clear();
          return false;
        }
        if (!*truth) continue;
        truths_.names.push_back(
            {{text, static_cast<std::size_t>(size)}, nb::borrow(key), slots_.size()});
      } else if (PyLong_CheckExact(key)) {
        const auto column = PyLong_AsUnsignedLongLong(key);
        if (PyErr_Occurred() != nullptr || column > largest_column) {
          PyErr_Clear();
          return false;
        }
        if (*truth) take_column(column);
      } else {
        return false;
      }
    }
    return true;
  }

  void take_column(std::uint64_t column) {
    const Index number = universe_.of_column(column);
    if (number == unmet) {
      truths_.columns.push_back(column);
    } else {
      truths_.known.push_back(number);
    }
  }

  [[nodiscard]] static std::optional<bool> truth_of(PyObject* value) noexcept {
    if (value == Py_True) return true;
    if (value == Py_False) return false;
    double number = 0.5;
    if (PyFloat_CheckExact(value)) {
      number = PyFloat_AsDouble(value);
    } else if (PyLong_CheckExact(value)) {
      int overflow = 0;
      const long whole = PyLong_AsLongAndOverflow(value, &overflow);
      if (overflow == 0) number = static_cast<double>(whole);
    }
    if (number == 0.0) return false;
    if (number == 1.0) return true;
    return std::nullopt;
  }

  [[noreturn]] void refuse_values() {
    for (const auto [key, value] : nb::borrow<nb::dict>(copy_)) {
      if (truth_of(value.ptr())) continue;
      nb::dict told = facts();
      told["value"] = value;
      refuse_feature("boolean", told, key);
    }
    throw nb::type_error("an example that cannot be read");
  }

  // Reading blocks --------------------------------------------------------------------

  static void check_range(const Rows& rows, std::size_t first, std::size_t last,
                          std::size_t other) {
    if (first > last || last > rows.size() || last > other) {
      throw nb::value_error("rows out of range");
    }
  }

  /// Reads the rows one after another and hands each over to be played; looks up now
  /// and then whether the user wants to stop.
  template <class Play>
  void each_row(const Rows& rows, std::size_t first, std::size_t last, Play play) {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::milliseconds(20);
    slots_.clear();
    for (const nb::handle name : rows.names) {
      (void)text_of(
          name.ptr());  // one that is no text is refused before a row is played
      slots_.push_back(universe_.of_name(name.ptr()));
    }
    rows.each_word([&](std::string_view name) {
      const nb::str text(name.data(), name.size());
      slots_.push_back(universe_.of_name(text.ptr()));
    });
    const std::vector<std::int64_t> places(rows.names.size());
    std::visit(
        [&](auto block) {
          if constexpr (requires { block.indices; }) block.indices = places;
          auto asked = Clock::now();
          for (std::size_t t = first; t < last; ++t) {
            read_row(rows, block, t, first);
            play(t);
            if (t % 64 != 0 || Clock::now() - asked < patience) continue;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            asked = Clock::now();
          }
        },
        rows.block);
  }

  template <class Block>
  void read_row(const Rows& rows, const Block& block, std::size_t t,
                std::size_t first) {
    truths_.clear();
    const auto x = block[t];
    if constexpr (requires { read_dense(x); }) {
      if (slots_.empty() && read_dense(x)) return truths_.settle(universe_.size());
    }
    if (!block.sound(block.to_score(t))) {
      const Finding found = block.check(t, scratch_);
      if (found.fault != Fault::none) refuse_entry(rows, x, t, first, found);
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double value = x.value(k);
      if (value == 0.0) continue;
      if (value != 1.0) refuse_entry(rows, x, t, first, {Fault::not_boolean, k});
      if constexpr (requires { x.ids; }) {
        take_slot(rows, x.ids[k]);
      } else {
        if (slots_.empty()) {
          take_column(static_cast<std::uint64_t>(x.index(k)));
        } else {
          take_slot(rows, k);
        }
      }
    }
    if (truths_.fresh() == 0) {
      truths_.settle(universe_.size());
    } else {
      settle(row_facts(t, first));
    }
  }

  /// Reads a row of columns that were met, without a branch a cell, since nobody could
  /// foresee it, and past many zeros at once; false if there is more to say of the row.
  template <class V>
  bool read_dense(const DenseRow<V>& x) {
    constexpr std::size_t many = 8;
    const auto numbers = universe_.near();
    if (x.size() > numbers.size()) return false;
    room_.resize(x.size());
    std::size_t count = 0;
    unsigned odd = 0;
    const auto take = [&](std::size_t k) {
      const auto truth = static_cast<unsigned>(x.values[k] == V{1});
      odd |= truth ^ static_cast<unsigned>(x.values[k] != V{0});
      odd |= truth & static_cast<unsigned>(numbers[k] == unmet);
      room_[count] = numbers[k];
      count += truth;
    };
    std::size_t k = 0;
    for (; k + many <= x.size(); k += many) {
      unsigned any = 0;
      for (std::size_t i = k; i < k + many; ++i) {
        any |= static_cast<unsigned>(x.values[i] != V{0});
      }
      if (any == 0) continue;
      for (std::size_t i = k; i < k + many; ++i) take(i);
    }
    for (; k < x.size(); ++k) take(k);
    if (odd != 0) return false;
    truths_.known.assign(room_.begin(),
                         room_.begin() + static_cast<std::ptrdiff_t>(count));
    return true;
  }

  /// One of the names of a block.
  void take_slot(const Rows& rows, std::size_t slot) {
    if (slots_[slot] != unmet) return truths_.known.push_back(slots_[slot]);
    if (rows.words.any()) {
      return truths_.names.push_back({rows.words[slot], nb::object(), slot});
    }
    nb::object name = rows.names[slot];
    const std::string_view text = text_of(name.ptr());
    truths_.names.push_back({text, std::move(name), slot});
  }

  [[nodiscard]] std::string_view text_of(PyObject* name) const {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name, &size);
    if (text == nullptr) {
      PyErr_Clear();
      refuse_feature("feature", facts(), name);
    }
    return {text, static_cast<std::size_t>(size)};
  }

  template <class Row>
  [[noreturn]] void refuse_entry(const Rows& rows, const Row& x, std::size_t t,
                                 std::size_t first, const Finding& found) {
    nb::dict told = row_facts(t, first);
    const double value = x.value(found.position);
    told["value"] = value;
    const char* kind = "boolean";
    if (found.fault == Fault::duplicate) kind = "duplicate";
    if (found.fault == Fault::beyond_width) kind = "width";
    if (found.fault == Fault::not_boolean && !std::isfinite(value)) kind = "finite";
    refuse_feature(kind, told, rows.feature(x, found.position));
  }

  // Lessons, as Python sees them and as they are kept
  // -----------------------------------

  [[nodiscard]] nb::tuple shown(const boolean::Lessons::Lesson& lesson) const {
    nb::list features;
    for (const Index j : lesson.x) features.append(universe_[j]);
    return nb::make_tuple(lesson.round, nb::tuple(features), lesson.label);
  }

  [[nodiscard]] static nb::list packed(const boolean::Lessons& lessons) {
    nb::list all;
    for (std::size_t u = 0; u < lessons.size(); ++u) {
      const auto lesson = lessons[u];
      all.append(
          nb::make_tuple(lesson.round, lesson.label,
                         nb::bytes(reinterpret_cast<const char*>(lesson.x.data()),
                                   lesson.x.size_bytes())));
    }
    return all;
  }

  [[nodiscard]] boolean::Lessons unpacked(const nb::list& all) const {
    boolean::Lessons lessons;
    for (const nb::handle item : all) {
      const auto bytes = nb::cast<nb::bytes>(item[2]);
      std::vector<Index> x(bytes.size() / sizeof(Index));
      std::copy_n(bytes.c_str(), x.size() * sizeof(Index),
                  reinterpret_cast<char*>(x.data()));
      const bool sound = bytes.size() % sizeof(Index) == 0 &&
                         std::ranges::is_sorted(x) &&
                         std::ranges::adjacent_find(x) == x.end() &&
                         (x.empty() || x.back() < universe_.size());
      if (!sound) throw nb::value_error("lessons");
      lessons.add(nb::cast<std::uint64_t>(item[0]), nb::cast<bool>(item[1]), x);
    }
    return lessons;
  }

  static constexpr std::uint64_t largest_column =
      std::numeric_limits<std::uint32_t>::max();

  std::string owner_;
  std::unique_ptr<boolean::Rule> rule_;
  bool closed_;
  Universe universe_;
  boolean::Lessons lessons_;
  std::optional<Unrealizable> unrealizable_;
  std::uint64_t rounds_ = 0;
  std::uint64_t updates_ = 0;

  Truths truths_;
  std::vector<Index> slots_;  // the numbers of a block's names
  std::vector<std::uint64_t> scratch_;
  std::vector<Index> room_;  // of read_dense
  nb::object reader_;
  nb::object copy_;  // of an example that was no plain dict: names point into it
  bool busy_ = false;
};

}  // namespace

void bind_boolean(nb::module_& m) {
  using Native = NativeBoolean;
  nb::class_<Native>(m, "Boolean", "A learner of Boolean rules, and what it has met.")
      .def("predict_one", &Native::predict_one, "x"_a.none())
      .def("play_one", &Native::play_one, "x"_a.none(), "y"_a.none(), "times"_a = 1)
      .def("play", &Native::play, "rows"_a, "labels"_a.noconvert(),
           "predictions"_a.noconvert(), "repeats"_a.noconvert().none(), "first"_a,
           "last"_a, "changed"_a.noconvert().none() = nb::none(),
           "Play rows [first, last) in order; write what was predicted, and which "
           "rounds changed the learner.")
      .def("predict", &Native::predict, "rows"_a, "predictions"_a.noconvert(),
           "Write what is predicted of each row; learn nothing.")
      .def("number", &Native::number, "feature"_a,
           nb::sig("def number(self, feature: object) -> int | None"),
           "The number of a feature, in the order of meeting; None if it is not met.")
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
      .def("state", &Native::state,
           nb::sig("def state(self) -> tuple[list[str | int], int, int, "
                   "list[tuple[int, bool, bytes]], tuple[typing.Any, ...] | None, "
                   "list[int]]"),
           "All that was learned.")
      .def("restore", &Native::restore, "features"_a, "rounds"_a, "updates"_a,
           "lessons"_a, "proof"_a.none(), "state"_a,
           nb::sig("def restore(self, features: list[str | int], rounds: int, "
                   "updates: int, lessons: list[tuple[int, bool, bytes]], "
                   "proof: tuple[typing.Any, ...] | None, state: list[int]) -> None"),
           "Make a newborn what state() told.")
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
