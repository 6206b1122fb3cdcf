// Predicts, and learns labels, for the rows of a ledger: those that a service writes,
// and those that are played again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>  // std::less_equal
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "border.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/parsing/ledger.hpp"

namespace littlestone::bindings {

/// How far a recorder has come.
struct Counts {
  std::int64_t learned = 0;
  std::int64_t mistakes = 0;
  std::int64_t waiting = 0;
};

/// What was found out about the rows that were played.
struct Replayed {
  std::size_t reached = 0;           // the first row that was not played
  std::int64_t asked = 0;            // how many of them were predictions
  std::string labels;                // a byte each: the labels that were learned
  std::string said;                  // what had been predicted
  std::vector<std::int64_t> delays;  // how long each label took
  std::int64_t late = 0;             // predictions that would now be others
  std::int64_t pairs = 0;        // of mistakes, one served before the other was known
  std::int64_t outstanding = 0;  // the most that waited when a label changed it
  std::int64_t grown = 0;        // by how many bytes the open predictions grew
};

/// Plays predictions of a learner of two labels, and their labels, which must say what
/// they said before, or are new. It stops before a row that is not plainly one of
/// these, that says something else or that is refused, and has done nothing with that
/// row.
class LedgerPlay {
 public:
  /// `open` has the open predictions by id, as tuples (seq, at, body, said, size);
  /// others are found in `older`. A prediction whose label was learned stays in
  /// neither.
  LedgerPlay(LinearLearner<bool>& learner, Counts counts, const nb::dict& open,
             const nb::dict& older, std::size_t most_features)
      : learner_(learner),
        counts_(counts),
        open_(open),
        older_(older),
        most_features_(most_features) {}

  /// What the learner says of the examples in bodies, as scores; nothing if one of them
  /// is not plain or is refused.
  [[nodiscard]] std::optional<std::vector<double>> score(const nb::list& bodies) {
    std::vector<std::string_view> texts;  // of objects that the caller keeps
    for (const nb::handle each : bodies) {
      const auto body = bytes_of(each.ptr());
      if (!body) return std::nullopt;
      texts.push_back(*body);
    }
    const nb::gil_scoped_release release;
    std::vector<double> scores;
    scores.reserve(texts.size());
    for (const std::string_view text : texts) {
      const auto found = score(text);
      if (!found) return std::nullopt;
      scores.push_back(*found);
    }
    return scores;
  }

  /// Learns labels that come now, as pairs (id, label), from `first` on, up to so many.
  [[nodiscard]] Replayed teach(const nb::list& told, std::size_t first,
                               std::size_t most_labels, std::int64_t now) {
    found_.reached = first;
    while (found_.reached < told.size() && found_.labels.size() < most_labels) {
      const nb::handle pair =
          PyList_GetItem(told.ptr(), static_cast<Py_ssize_t>(found_.reached));
      if (!PyTuple_Check(pair.ptr()) || PyTuple_Size(pair.ptr()) != 2) break;
      const Label label = label_of_object(at(pair, 1));
      if (label == Label::other || !learn(at(pair, 0), label == Label::yes, now)) break;
      ++found_.reached;
    }
    return std::move(found_);
  }

  /// Keeps the predictions in rows; returns by how many bytes what is kept grew.
  [[nodiscard]] static std::int64_t keep(const nb::dict& open, const nb::list& rows) {
    std::int64_t grown = 0;
    for (const nb::handle row : rows) grown += keep_row(open, row);
    return grown;
  }

  /// Plays the rows from `first` on, up to so many labels.
  [[nodiscard]] Replayed play(const nb::list& rows, std::size_t first,
                              std::size_t most_labels) {
    found_.reached = first;
    while (found_.reached < rows.size() && found_.labels.size() < most_labels) {
      const nb::handle row =
          PyList_GetItem(rows.ptr(), static_cast<Py_ssize_t>(found_.reached));
      if (!PyTuple_Check(row.ptr()) || PyTuple_Size(row.ptr()) != columns) break;
      const auto kind = text_of(at(row, 1));
      if (!(kind == "predict" && ask(row)) && !(kind == "label" && teach(row))) break;
      ++found_.reached;
    }
    return std::move(found_);
  }

 private:
  static constexpr Py_ssize_t columns = 9;
  // What Python needs for an open prediction beside its body: five objects and places.
  static constexpr std::int64_t overhead = 470;

  [[nodiscard]] static PyObject* at(nb::handle row, Py_ssize_t column) noexcept {
    return PyTuple_GetItem(row.ptr(), column);
  }

  [[nodiscard]] static std::optional<std::string_view> text_of(
      PyObject* given) noexcept {
    return PyUnicode_Check(given) ? utf8_of(given) : std::nullopt;
  }

  [[nodiscard]] static std::optional<std::string_view> bytes_of(PyObject* given) {
    char* text = nullptr;
    Py_ssize_t size = 0;
    if (!PyBytes_Check(given) || PyBytes_AsStringAndSize(given, &text, &size) != 0)
      return std::nullopt;
    return std::string_view(text, static_cast<std::size_t>(size));
  }

  [[nodiscard]] static std::int64_t integer(PyObject* given) {
    const long long value = PyLong_AsLongLong(given);
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
  }

  /// Looks up the example in a body, which lives longer than the look-up.
  [[nodiscard]] bool look_up(std::string_view body) {
    learner_.lookup.clear();
    const bool plain =
        read_features(body, most_features_, [&](std::string_view name, double value) {
          learner_.look_up_name(name, value);
        });
    return plain && all_differ();
  }

  /// Whether no name came twice; new ones have slots of their own, so they are
  /// compared.
  [[nodiscard]] bool all_differ() {
    Lookup& lookup = learner_.lookup;
    const auto indices = lookup.indices();
    // Names mostly come in the order in which they came first: their indices fall.
    const bool fall = std::adjacent_find(indices.begin(), indices.end(),
                                         std::less_equal<>()) == indices.end();
    if (!fall && duplicate_in(indices, scratch_) < indices.size()) return false;
    if (lookup.fresh.size() < 2) return true;
    names_ = lookup.fresh;
    std::sort(names_.begin(), names_.end());
    return std::adjacent_find(names_.begin(), names_.end()) == names_.end();
  }

  /// What the learner says of the example in a body; nothing if it is not plain, or if
  /// it is refused.
  [[nodiscard]] std::optional<double> score(std::string_view body) {
    double score = 0.0;
    if (!look_up(body) || learner_.score_looked_up({&score, 1}).fault != Fault::none)
      return std::nullopt;
    return score;
  }

  /// Keeps the prediction in a row; returns how many bytes that takes.
  [[nodiscard]] static std::int64_t keep_row(const nb::dict& open, nb::handle row) {
    const auto body = bytes_of(at(row, 4));
    if (!body) throw nb::type_error("a prediction must have a body");
    const auto size = static_cast<std::int64_t>(body->size()) + overhead;
    const nb::object kept = nb::steal(PyTuple_Pack(
        5, at(row, 0), at(row, 3), at(row, 4), at(row, 7), nb::int_(size).ptr()));
    if (!kept.is_valid() || PyDict_SetItem(open.ptr(), at(row, 2), kept.ptr()) != 0)
      throw nb::python_error();
    return size;
  }

  [[nodiscard]] bool ask(nb::handle row) {
    PyObject* const id = at(row, 2);
    const auto body = bytes_of(at(row, 4));
    const auto text = text_of(at(row, 7));
    if (!PyUnicode_Check(id) || !body || !text) return false;
    const auto said = read_said(*text);
    if (!said || said->learned != counts_.learned ||
        said->mistakes != counts_.mistakes) {
      return false;
    }
    const auto score = this->score(*body);
    if (!score || said->score != *score || said->prediction != (*score >= 0))
      return false;
    // Another prediction may have had this id, in a ledger that was made up.
    forget(id, get(open_, id));
    found_.grown += keep_row(open_, row);
    ++found_.asked;
    ++counts_.waiting;
    return true;
  }

  [[nodiscard]] bool teach(nb::handle row) {
    const auto given = bytes_of(at(row, 4));
    const auto text = text_of(at(row, 7));
    if (!text || (given != "true" && given != "false")) return false;
    return learn(at(row, 2), given == "true", integer(at(row, 3)), text);
  }

  /// Learns a label that came at a moment; with a text, only if that is what it says.
  [[nodiscard]] bool learn(PyObject* id, bool label, std::int64_t when,
                           std::optional<std::string_view> text = std::nullopt) {
    if (!PyUnicode_Check(id)) return false;
    // Kept alive until the end: names in the look-up point into its body.
    const nb::handle open = get(open_, id);
    const nb::object asked = nb::borrow(open.is_valid() ? open : get(older_, id));
    if (!asked.is_valid()) return false;
    const auto body = bytes_of(at(asked, 2));
    const auto was = text_of(at(asked, 3));
    const auto said = body && was ? read_said(*was) : std::nullopt;
    if (!said) return false;
    const bool wrong = said->prediction != label;
    if (text && text != (wrong ? R"({"mistake":true})" : R"({"mistake":false})"))
      return false;
    const std::int64_t delay = when - integer(at(asked, 1));
    if (!look_up(*body)) return false;
    const std::uint64_t before = learner_.updates;
    bool now = false;
    if (learner_.play_looked_up(label, now).fault != Fault::none) return false;
    --counts_.waiting;
    if (learner_.updates > before)
      found_.outstanding = std::max(found_.outstanding, counts_.waiting);
    found_.late += static_cast<std::int64_t>(now != said->prediction);
    if (wrong) found_.pairs += counts_.mistakes - said->mistakes;
    ++counts_.learned;
    counts_.mistakes += static_cast<std::int64_t>(wrong);
    found_.labels += static_cast<char>(label);
    found_.said += static_cast<char>(said->prediction);
    found_.delays.push_back(delay);
    if (open.is_valid())
      forget(id, open);
    else if (PyDict_DelItem(older_.ptr(), id) != 0)
      throw nb::python_error();
    return true;
  }

  /// What is kept of a prediction; null if there is nothing.
  [[nodiscard]] static nb::handle get(const nb::dict& some, PyObject* id) {
    PyObject* const found = PyDict_GetItemWithError(some.ptr(), id);
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (found != nullptr && (!PyTuple_Check(found) || PyTuple_Size(found) != 5))
      throw nb::type_error("an open prediction must be a tuple of five");
    return found;
  }

  /// Keeps a prediction no longer, if it is kept.
  void forget(PyObject* id, nb::handle kept) {
    if (!kept.is_valid()) return;
    found_.grown -= integer(at(kept, 4));
    if (PyDict_DelItem(open_.ptr(), id) != 0) throw nb::python_error();
  }

  LinearLearner<bool>& learner_;
  Counts counts_;
  const nb::dict& open_;
  const nb::dict& older_;
  std::size_t most_features_;
  Replayed found_;
  std::vector<std::uint64_t> scratch_;
  std::vector<std::string_view> names_;
};

}  // namespace littlestone::bindings
