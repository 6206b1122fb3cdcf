#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "border.hpp"
#include "learners.hpp"
#include "littlestone/linear/learner.hpp"
#include "littlestone/linear/supports.hpp"
#include "littlestone/math/random.hpp"
#include "littlestone/parsing/utf8.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

constexpr std::uint64_t largest_column = std::numeric_limits<std::uint32_t>::max();

/// The value of an exact float.
[[nodiscard]] double float_of(PyObject* value) noexcept {
#ifdef Py_LIMITED_API
  return PyFloat_AsDouble(value);
#else
  return PyFloat_AS_DOUBLE(value);
#endif
}

/// Python strings seen lately and where their weights are: the same key object need not
/// be hashed again, nor even looked at. Holds a reference, so that an address cannot
/// come to mean another string.
class RecentNames {
 public:
  RecentNames() = default;
  RecentNames(const RecentNames&) = delete;
  RecentNames& operator=(const RecentNames&) = delete;
  ~RecentNames() {
    for (const Entry& entry : entries_) Py_XDECREF(entry.name);
  }

  [[nodiscard]] const std::int64_t* find(PyObject* name) const noexcept {
    const Entry& entry = entries_[place(name)];
    return entry.name == name ? &entry.index : nullptr;
  }

  /// Remembers a string; there is room for about as many as the learner has names.
  void keep(PyObject* name, std::int64_t index, std::size_t names) {
    if (names > entries_.size() && entries_.size() < most) widen();
    Entry& entry = entries_[place(name)];
    Py_INCREF(name);
    Py_XDECREF(entry.name);
    entry = {name, index};
  }

 private:
  struct Entry {
    PyObject* name = nullptr;
    std::int64_t index = 0;
  };

  [[nodiscard]] std::size_t place(PyObject* name) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(name);
    return (address >> 4U ^ address >> 18U) & (entries_.size() - 1);
  }

  void widen() {
    std::vector<Entry> wider(8 * entries_.size());
    entries_.swap(wider);
    for (const Entry& entry : wider) {
      if (entry.name == nullptr) continue;
      Entry& moved = entries_[place(entry.name)];
      Py_XDECREF(moved.name);
      moved = entry;
    }
  }

  static constexpr std::size_t most = std::size_t{1} << 17U;
  std::vector<Entry> entries_ = std::vector<Entry>(256);
};

/// Adds an array to a dict, and returns where it is to be written. NumPy makes it,
/// since it knows how to get much memory fast.
template <class T, class... Extents>
[[nodiscard]] T* add_array(nb::dict& saved, const char* name, Extents... extents) {
  const char* const kind = std::is_same_v<T, double> ? "f8"
                           : sizeof(T) == 8          ? "u8"
                           : sizeof(T) == 4          ? "u4"
                                                     : "u1";
  const nb::object array =
      nb::module_::import_("numpy").attr("empty")(nb::make_tuple(extents...), kind);
  saved[name] = array;
  return nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(array).data();
}

/// What a round is told and what it says, as Python has it.
template <class Label>
[[nodiscard]] Label label_from(nb::handle y) {
  if constexpr (std::is_same_v<Label, bool>) {
    return checked_label(y);
  } else {
    return nb::cast<Label>(y);
  }
}

/// A native learner as Python holds it.
template <class Label>
class NativeLinear {
 public:
  NativeLinear(std::string owner, std::unique_ptr<LinearLearner<Label>> learner)
      : owner_(std::move(owner)), learner_(std::move(learner)) {}

  Label predict_one(nb::handle x) {
    const Turn turn(*this);
    score_looked_up(x);
    if constexpr (std::is_same_v<Label, bool>) {
      return says(scores_[0]);
    } else {
      return says(ClassScores(scores_));
    }
  }

  /// The score, or one a class.
  auto score_one(nb::handle x) {
    const Turn turn(*this);
    score_looked_up(x);
    return as_told(scores_);
  }

  Label play_one(nb::handle x, nb::handle y, std::uint32_t times) {
    const Turn turn(*this);
    const Label label = label_from<Label>(y);
    look_up(x);
    Label predicted{};
    const Finding found = learner_->play_looked_up(label, predicted, times);
    if (found.fault != Fault::none) refuse_one(found);
    return predicted;
  }

  void learn_one(nb::handle x, nb::handle y, std::uint32_t times) {
    play_one(x, y, times);
  }

  void play(const Rows& rows, Vector<const Label> labels,
            std::optional<Vector<Label>> predictions,
            std::optional<Vector<const std::uint32_t>> repeats, std::size_t first,
            std::size_t last, std::optional<Vector<bool>> changed) {
    const Turn turn(*this);
    Lesson<Label> lesson{as_span(labels), {}, {}};
    check_range(rows, first, last, labels.shape(0));
    if (predictions) {
      check_range(rows, first, last, predictions->shape(0));
      lesson.predictions = as_span(*predictions);
    } else if (!learner_->quiet()) {
      throw nb::value_error("predictions");
    }
    if (repeats) {
      check_range(rows, first, last, repeats->shape(0));
      lesson.repeats = as_span(*repeats);
    }
    if (changed) {
      if (!predictions) throw nb::value_error("predictions");
      check_range(rows, first, last, changed->shape(0));
      lesson.changed = as_span(*changed);
    }
    // Read them all before one is entered: one that is no text must leave none behind.
    std::vector<std::string_view> names;
    for (const nb::handle name : rows.names) names.push_back(utf8(name.ptr()));
    std::vector<std::int64_t> indices;
    for (const auto name : names) indices.push_back(learner_->index_of_name(name));
    if (rows.words.any()) learner_->index_of_words(rows.words, indices);
    learner_->reserve(0, learner_->names.size());  // also where there is no row to play
    each_chunk(rows, with_names(rows.block, indices), first, last,
               [&](const Block& block, std::size_t from, std::size_t to) {
                 return learner_->play(block, lesson, from, to);
               });
  }

  void score(const Rows& rows, Vector<double> scores, std::size_t first,
             std::size_t last) {
    const Turn turn(*this);
    if (scores.shape(0) < last * learner_->scores_a_row()) {
      throw nb::value_error("scores");
    }
    check_range(rows, first, last, rows.size());
    // Names not met before have the slots that come next, whose cells are the initial
    // one.
    learner_->lookup.clear();
    for (const nb::handle name : rows.names) {
      learner_->look_up_name(utf8(name.ptr()), 0.0);
    }
    rows.each_word([&](std::string_view name) { learner_->look_up_name(name, 0.0); });
    const auto found = learner_->lookup.indices();
    const std::vector<std::int64_t> indices(found.begin(), found.end());
    const std::size_t fresh = learner_->lookup.fresh.size();
    each_chunk(rows, with_names(rows.block, indices), first, last,
               [&](const Block& block, std::size_t from, std::size_t to) {
                 return learner_->score(block, as_span(scores), from, to, fresh);
               });
  }

  /// The features and values of an example, checked as a learner would.
  [[nodiscard]] nb::dict read(nb::handle x) {
    const Turn turn(*this);
    look_up(x);
    const ResolvedRow row = learner_->lookup.row();
    if (const auto found = not_finite_in(row); found.fault != Fault::none) {
      refuse_one(found);
    }
    nb::dict example;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.value(k) != 0.0) example[feature_of(row.index(k))] = row.value(k);
    }
    return example;
  }

  /// The same for a row of a block that was played from row `first` on.
  [[nodiscard]] nb::dict read_row(const Rows& rows, std::size_t t, std::size_t first) {
    const Turn turn(*this);
    check_range(rows, t, t + 1, rows.size());
    const std::vector<std::int64_t> indices(rows.names.size() + rows.words.size());
    nb::dict example;
    std::visit(
        [&](const auto& all) {
          std::vector<std::uint64_t> scratch;
          Finding found = all.check(t, scratch);
          if (found.fault == Fault::none) found = not_finite_in(all[t]);
          if (found.fault != Fault::none) {
            refuse_row(rows, rows.block, first, {t, 0, found});
          }
          const auto x = all[t];
          for (std::size_t k = 0; k < x.size(); ++k) {
            if (x.value(k) == 0.0) continue;
            example[rows.feature(x, k)] = x.value(k);
          }
        },
        with_names(rows.block, indices));
    return example;
  }

  [[nodiscard]] std::uint64_t updates() const noexcept { return learner_->updates; }
  [[nodiscard]] std::uint64_t width() const noexcept { return learner_->width; }
  [[nodiscard]] std::vector<double> state() {
    const Turn turn(*this);
    return learner_->state();
  }

  /// Each feature that does not weigh what it did at first: columns in order, then
  /// names.
  [[nodiscard]] nb::list items() {
    const Turn turn(*this);
    nb::list found;
    each_weight([&](std::int64_t index, const std::vector<double>& weights) {
      found.append(nb::make_tuple(feature_of(index), as_told(weights)));
    });
    return found;
  }

  [[nodiscard]] std::size_t count() {
    const Turn turn(*this);
    std::size_t found = 0;
    each_weight([&](std::int64_t, const std::vector<double>&) { ++found; });
    return found;
  }

  /// The weight of one feature, or None while it is the initial one.
  [[nodiscard]] nb::object weight(nb::handle feature) {
    const Turn turn(*this);
    learner_->lookup.clear();
    if (!look_up_feature(feature.ptr(), 1.0) || !learner_->lookup.fresh.empty()) {
      return nb::none();
    }
    const std::int64_t index = learner_->lookup.indices()[0];
    if (index >= static_cast<std::int64_t>(learner_->columns())) return nb::none();
    std::vector<double> weights(learner_->scores_a_row());
    learner_->weigh(index, weights);
    return is_initial(weights) ? nb::none() : nb::cast(as_told(weights));
  }

  /// Each feature with a cell that has changed, and the numbers in it.
  [[nodiscard]] nb::list cells() {
    const Turn turn(*this);
    std::vector<double> cell(learner_->numbers());
    std::vector<double> initial(learner_->numbers());
    learner_->initial(initial);
    nb::list found;
    each_index([&](std::int64_t index) {
      learner_->read(index, cell);
      const bool same =
          std::memcmp(cell.data(), initial.data(), cell.size() * sizeof(double)) == 0;
      if (!same) found.append(nb::make_tuple(feature_of(index), cell));
    });
    return found;
  }

  /// Puts back what cells(), state(), updates() and width() told. Only for a newborn.
  void restore(const nb::list& cells, const std::vector<double>& state,
               std::uint64_t updates, std::uint64_t width) {
    const Turn turn(*this);
    learner_->restore(state, Supports::most_columns);
    for (const nb::handle item : cells) {
      learner_->lookup.clear();
      if (!look_up_feature(nb::object(item[0]).ptr(), 1.0)) {
        throw nb::value_error("feature");
      }
      for (const auto name : learner_->lookup.fresh) learner_->names.insert(name);
      learner_->reserve(learner_->lookup.direct, learner_->names.size());
      const auto cell = nb::cast<std::vector<double>>(item[1]);
      if (cell.size() != learner_->numbers()) throw nb::value_error("cell");
      learner_->write(learner_->lookup.indices()[0], cell);
      check_state(learner_->sound(learner_->lookup.indices()[0]));
    }
    learner_->updates = updates;
    learner_->width = width;
  }

  /// The same as arrays, with every name that was met, so that a copy goes on to list
  /// its weights in the same order. Columns are listed where most have no weight yet.
  [[nodiscard]] nb::dict save() {
    const Turn turn(*this);
    learner_->lookup.clear();
    learner_->reserve(0, learner_->names.size());
    const std::size_t each = learner_->numbers();
    const auto changed = learner_->count_changed();
    const bool dense = 2 * changed.count >= changed.end;
    const std::size_t rows = dense ? changed.end : changed.count;
    nb::dict saved;
    double* const cells = add_array<double>(saved, "columns.cells", rows, each);
    if (dense) {
      learner_->read_columns({cells, rows * each});
    } else {
      const std::vector<std::uint32_t> which = learner_->changed_columns();
      learner_->read_columns(which, {cells, rows * each});
      std::ranges::copy(which,
                        add_array<std::uint32_t>(saved, "columns", which.size()));
    }
    save_names(saved);
    const std::size_t named = learner_->names.size();
    learner_->read_names(
        {add_array<double>(saved, "names.cells", named, each), named * each});
    const std::vector<double> state = learner_->state();
    std::ranges::copy(state, add_array<double>(saved, "rule", state.size()));
    saved["updates"] = learner_->updates;
    saved["width"] = learner_->width;
    return saved;
  }

  /// Makes a newborn what save() told.
  void load(std::optional<Vector<const std::uint32_t>> columns,
            const Matrix<const double>& column_cells,
            const Vector<const std::uint8_t>& text,
            const Vector<const std::uint64_t>& ends,
            const Vector<const std::uint8_t>& kinds,
            const Matrix<const double>& name_cells, const Vector<const double>& rule,
            std::uint64_t updates, std::uint64_t width) {
    const Turn turn(*this);
    check_saved(learner_->names.size() == 0 && learner_->updates == 0, "a newborn");
    const std::size_t count = column_cells.shape(0);
    learner_->restore(as_span(rule), count + ends.shape(0));
    const std::size_t each = learner_->numbers();
    check_saved(column_cells.shape(1) == each && name_cells.shape(1) == each &&
                    name_cells.shape(0) == ends.shape(0) && count <= direct_columns,
                "as many numbers for each feature as the learner keeps");
    const auto which = columns ? as_span(*columns) : std::span<const std::uint32_t>{};
    if (columns) {
      check_saved(which.size() == count && std::ranges::is_sorted(which) &&
                      std::ranges::adjacent_find(which) == which.end(),
                  "column numbers that rise");
    }
    const std::uint64_t last =
        columns ? (which.empty() ? 0 : which.back() + std::uint64_t{1}) : count;
    check_saved(last <= direct_columns && last <= width && width <= largest_column + 1,
                "column numbers below the width");
    load_names(text, ends, kinds, width);
    learner_->reserve(last, learner_->names.size());
    const auto put = [&](std::int64_t index, const double* cell) {
      learner_->write(index, {cell, each});
      check_saved(learner_->sound(index), "numbers that the learner can have");
    };
    for (std::size_t k = 0; k < count; ++k) {
      put(static_cast<std::int64_t>(columns ? which[k] : k),
          column_cells.data() + k * each);
    }
    for (std::size_t slot = 0; slot < learner_->names.size(); ++slot) {
      put(index_of_slot(slot), name_cells.data() + slot * each);
    }
    learner_->updates = updates;
    learner_->width = width;
  }

  [[nodiscard]] std::size_t classes() const noexcept {
    return learner_->scores_a_row();
  }

 private:
  static void check_saved(bool sound, const char* what) {
    if (!sound) throw nb::value_error((std::string("there must be ") + what).c_str());
  }

  /// The names end to end, where each ends, and whether it is the number of a column.
  void save_names(nb::dict& saved) const {
    const Names& names = learner_->names;
    const std::size_t size = names.size();
    auto* const kinds = add_array<std::uint8_t>(saved, "names.kinds", size);
    auto* const ends = add_array<std::uint64_t>(saved, "names.ends", size);
    bool plain = true;
    for (std::size_t slot = 0; slot < size; ++slot) {
      kinds[slot] = is_column_key(names[slot]) ? 1 : 0;
      plain = plain && kinds[slot] == 0;
    }
    std::string written;  // where columns are among them, as digits
    for (std::size_t slot = 0; !plain && slot < size; ++slot) {
      if (kinds[slot] == 0) {
        written += names[slot];
      } else {
        written += std::to_string(column_of(names[slot]));
      }
      ends[slot] = written.size();
    }
    if (plain) std::ranges::copy(names.ends(), ends);
    const std::string_view text = plain ? names.text() : std::string_view(written);
    auto* const bytes = add_array<std::uint8_t>(saved, "names.text", text.size());
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
  }

  void load_names(const Vector<const std::uint8_t>& text,
                  const Vector<const std::uint64_t>& ends,
                  const Vector<const std::uint8_t>& kinds, std::uint64_t width) {
    const std::string_view all(reinterpret_cast<const char*>(text.data()),
                               text.shape(0));
    const std::size_t size = ends.shape(0);
    check_saved(kinds.shape(0) == size && (size == 0 ? 0 : ends.data()[size - 1]) ==
                                              static_cast<std::uint64_t>(all.size()),
                "names that end where the text does");
    std::size_t begin = 0;
    for (std::size_t slot = 0; slot < size; ++slot) {
      const std::uint64_t end = ends.data()[slot];
      check_saved(end >= begin && end <= all.size(), "names one after another");
      std::string_view name = all.substr(begin, end - begin);
      ColumnKey key;
      check_saved(kinds.data()[slot] <= 1, "names and columns, and nothing else");
      if (kinds.data()[slot] == 1) {
        std::uint64_t column = 0;
        const auto [at, error] =
            std::from_chars(name.data(), name.data() + name.size(), column);
        check_saved(error == std::errc() && at == name.data() + name.size() &&
                        name.front() != '0' && column >= direct_columns &&
                        column < width,
                    "column numbers below the width");
        key = column_key(column);
        name = {key.data(), key.size()};
      } else {
        check_saved(is_utf8(name), "names in UTF-8");
      }
      check_saved(learner_->names.enter(name) == slot, "each name once");
      begin = end;
    }
  }

  /// One caller at a time: while a block is played the interpreter is free to run other
  /// threads, and they must find out rather than spoil the weights.
  class Turn {
   public:
    explicit Turn(NativeLinear& self) : self_(self) {
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
    NativeLinear& self_;
  };

  [[nodiscard]] nb::dict facts() const {
    nb::dict facts;
    facts["owner"] = owner_;
    return facts;
  }

  [[noreturn]] void refuse_feature(nb::handle feature) const {
    nb::dict told = facts();
    told["feature"] = feature;
    refuse("feature", told);
  }

  [[noreturn]] void refuse_value(nb::handle feature, nb::handle value) const {
    PyErr_Clear();
    nb::dict told = facts();
    told["feature"] = feature;
    told["value"] = value;
    refuse("number", told);
  }

  [[noreturn]] void refuse_example(nb::handle x) const {
    PyErr_Clear();
    nb::dict told = facts();
    told["value"] = x;
    refuse("example", told);
  }

  [[nodiscard]] static const char* kind_of(Fault fault) noexcept {
    switch (fault) {
      case Fault::not_finite: return "finite";
      case Fault::outside_unit: return "unit";
      case Fault::not_boolean: return "boolean";
      case Fault::beyond_scale: return "scale";
      case Fault::too_many: return "many";
      case Fault::duplicate: return "duplicate";
      case Fault::beyond_width: return "width";
      case Fault::score_overflow: return "overflow";
      case Fault::none: break;
    }
    return "";
  }

  [[noreturn]] void refuse_finding(nb::dict told, const Finding& finding,
                                   nb::object feature, double value) const {
    if (finding.fault != Fault::score_overflow) {
      told["feature"] = std::move(feature);
      told["value"] = value;
    }
    refuse(kind_of(finding.fault), told);
  }

  [[noreturn]] void refuse_one(const Finding& finding) const {
    const ResolvedRow row = learner_->lookup.row();
    const std::size_t k = finding.position;
    if (k >= row.size()) refuse_finding(facts(), finding, nb::none(), 0.0);
    refuse_finding(facts(), finding, feature_of(row.index(k)), row.value(k));
  }

  /// The name or column number of an index, also of one that is only being looked up.
  [[nodiscard]] nb::object feature_of(std::int64_t index) const {
    if (index >= 0) return nb::cast(index);
    const auto slot = static_cast<std::size_t>(-1 - index);
    const std::size_t known = learner_->names.size();
    const std::string_view name =
        slot < known ? learner_->names[slot] : learner_->lookup.fresh[slot - known];
    if (is_column_key(name)) return nb::cast(column_of(name));
    return nb::str(name.data(), name.size());
  }

  [[nodiscard]] std::string_view utf8(PyObject* name) const {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name, &size);
    if (text == nullptr) {
      PyErr_Clear();
      refuse_feature(name);
    }
    return {text, static_cast<std::size_t>(size)};
  }

  /// Adds one feature, known by its name or column number, to the example looked up.
  bool look_up_feature(PyObject* feature, double value) {
    if (PyUnicode_Check(feature)) {
      learner_->look_up_name(utf8(feature), value);
      return true;
    }
    if (!PyIndex_Check(feature)) return false;
    const nb::object number = nb::steal(PyNumber_Index(feature));
    const unsigned long long column =
        number.is_valid() ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
    if (PyErr_Occurred() != nullptr || column > largest_column) {
      PyErr_Clear();
      return false;
    }
    learner_->look_up_column(column, value);
    return true;
  }

  [[nodiscard]] double number(nb::handle feature, PyObject* value) const {
    // PyFloat_AsDouble asks an object for its float; text has none.
    if (PyComplex_Check(value)) refuse_value(feature, value);
    const double result = PyFloat_AsDouble(value);
    if (result == -1.0 && PyErr_Occurred() != nullptr) refuse_value(feature, value);
    return result;
  }

  void look_up(nb::handle x) {
    learner_->lookup.clear();
    if (PyDict_CheckExact(x.ptr())) {
      look_up_dict(x.ptr());
    } else if (PyObject_CheckBuffer(x.ptr()) && !PyBytes_Check(x.ptr())) {
      look_up_dense(x);
    } else if (PyTuple_Check(x.ptr()) && PyTuple_Size(x.ptr()) == 2 &&
               PySequence_Check(PyTuple_GetItem(x.ptr(), 0)) &&
               !PyUnicode_Check(PyTuple_GetItem(x.ptr(), 0))) {
      look_up_pair(x, PyTuple_GetItem(x.ptr(), 0), PyTuple_GetItem(x.ptr(), 1));
    } else if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr())) {
      look_up_sequence(x);
    } else if (look_up_csr(x)) {
      return;
    } else if (nb::hasattr(x, "keys")) {
      copy_ = nb::cast<nb::dict>(nb::module_::import_("builtins").attr("dict")(x));
      look_up_dict(copy_.ptr());
      check_duplicates();
    } else {
      refuse_example(x);
    }
  }

  void look_up_dict(PyObject* x) {
    Lookup& lookup = learner_->lookup;
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(x, &position, &key, &value) != 0) {
      if (PyFloat_CheckExact(value)) {
        if (const std::int64_t* index = recent_.find(key)) {
          lookup.add(*index, float_of(value));
          continue;
        }
      }
      if (!is_plain(key, value) && x != copy_.ptr()) {
        // To read such a key or value may run Python code, which may change the dict.
        copy_ = nb::steal<nb::object>(PyDict_Copy(x));
        lookup.clear();
        look_up_dict(copy_.ptr());
        // Keys of a dict differ, but two that are not plain may be one feature.
        return check_duplicates();
      }
      const std::size_t fresh = lookup.fresh.size();
      if (!look_up_feature(key, number(key, value))) refuse_feature(key);
      if (PyUnicode_CheckExact(key) && lookup.fresh.size() == fresh) {
        recent_.keep(key, lookup.indices().back(), learner_->names.size());
      }
    }
  }

  [[nodiscard]] static bool is_plain(PyObject* key, PyObject* value) noexcept {
    return (PyUnicode_CheckExact(key) || PyLong_CheckExact(key)) &&
           (PyFloat_Check(value) || PyLong_CheckExact(value) || PyBool_Check(value));
  }

  void check_duplicates() const {
    const Lookup& lookup = learner_->lookup;
    const auto indices = lookup.indices();
    std::vector<std::uint64_t> scratch;
    std::size_t k = duplicate_in(indices, scratch);
    // Features not met before have been given different slots, so compare the names.
    std::vector<std::size_t> order(lookup.fresh.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return std::pair(lookup.fresh[left], left) <
             std::pair(lookup.fresh[right], right);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (lookup.fresh[order[i - 1]] != lookup.fresh[order[i]]) continue;
      const auto slot = index_of_slot(learner_->names.size() + order[i]);
      const auto at = std::find(indices.begin(), indices.end(), slot);
      k = std::min(k, static_cast<std::size_t>(at - indices.begin()));
      break;
    }
    if (k < indices.size()) refuse_one({Fault::duplicate, k});
  }

  /// The numbers of a one-dimensional buffer, whatever their type.
  template <class Take>
  bool each_number(nb::handle buffer, Take take) const {
    Py_buffer view{};
    if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
      PyErr_Clear();
      return false;
    }
    struct Release {
      Py_buffer* view;
      ~Release() { PyBuffer_Release(view); }
    } const release{&view};
    if (view.ndim != 1) return false;
    const std::string_view format = view.format == nullptr ? "B" : view.format;
    const auto read = [&]<class T>(T) {
      const char* p = static_cast<const char*>(view.buf);
      for (Py_ssize_t k = 0; k < view.shape[0]; ++k, p += view.strides[0]) {
        T item{};
        std::memcpy(&item, p, sizeof item);
        take(item);
      }
      return true;
    };
    if (format == "d") return read(double{});
    if (format == "f") return read(float{});
    if (format == "?") return read(std::uint8_t{});
    if (format == "b") return read(std::int8_t{});
    if (format == "B") return read(std::uint8_t{});
    if (format == "h") return read(short{});
    if (format == "H") return read(static_cast<unsigned short>(0));
    if (format == "i") return read(int{});
    if (format == "I") return read(0U);
    if (format == "l") return read(0L);
    if (format == "L") return read(0UL);
    if (format == "q") return read(0LL);
    if (format == "Q") return read(0ULL);
    return false;
  }

  void look_up_dense(nb::handle x) {
    if (!x.type().is(plain_type_)) {
      // A masked array offers its numbers, but does not mean all of them.
      if (nb::hasattr(x, "mask")) refuse_example(x);
      plain_type_ = nb::borrow(x.type());
    }
    std::uint64_t column = 0;
    const bool read = each_number(
        x, [&](auto v) { learner_->look_up_column(column++, static_cast<double>(v)); });
    if (!read) look_up_sequence(x);  // objects, half floats: one by one
  }

  void look_up_sequence(nb::handle x) {
    const nb::object items = nb::steal(PySequence_List(x.ptr()));
    if (!items.is_valid()) refuse_example(x);
    std::uint64_t column = 0;
    for (const nb::handle item : nb::borrow<nb::list>(items)) {
      learner_->look_up_column(column, number(nb::cast(column), item.ptr()));
      ++column;
    }
  }

  /// A sparse row as a pair: column numbers and their values.
  void look_up_pair(nb::handle x, nb::handle columns, nb::handle values) {
    const nb::object first = nb::steal(PySequence_List(columns.ptr()));
    const nb::object second = nb::steal(PySequence_List(values.ptr()));
    if (!first.is_valid() || !second.is_valid() || nb::len(first) != nb::len(second)) {
      refuse_example(x);
    }
    for (std::size_t k = 0; k < nb::len(first); ++k) {
      const nb::object column = first[k];
      if (PyUnicode_Check(column.ptr()) ||
          !look_up_feature(column.ptr(), number(column, nb::object(second[k]).ptr()))) {
        refuse_feature(column);
      }
    }
    check_sparse();
  }

  /// One row of a SciPy sparse matrix or array; false if x is none.
  bool look_up_csr(nb::handle x) {
    static PyObject* const indptr = PyUnicode_InternFromString("indptr");
    static PyObject* const indices = PyUnicode_InternFromString("indices");
    static PyObject* const data = PyUnicode_InternFromString("data");
    const nb::object offsets = nb::steal(PyObject_GetAttr(x.ptr(), indptr));
    if (!offsets.is_valid()) {
      PyErr_Clear();
      return false;
    }
    if (!is_csr(x) || PyObject_Size(offsets.ptr()) != 2) refuse_example(x);
    Lookup& lookup = learner_->lookup;
    std::uint64_t largest = 0;
    const nb::object columns = nb::steal(PyObject_GetAttr(x.ptr(), indices));
    const nb::object values = nb::steal(PyObject_GetAttr(x.ptr(), data));
    if (!columns.is_valid() || !values.is_valid()) refuse_example(x);
    std::vector<std::uint64_t> range;
    bool sound = each_number(offsets, [&](auto offset) {
      range.push_back(static_cast<std::uint64_t>(offset));
    });
    if (!sound || range[0] > range[1]) refuse_example(x);
    std::uint64_t at = 0;
    sound = each_number(columns, [&](auto column) {
      if constexpr (std::is_integral_v<decltype(column)>) {
        const bool taken = at >= range[0] && at < range[1];
        ++at;
        if (!taken) return;
        // A negative column becomes huge, and is refused with the ones too large.
        largest = std::max(largest, static_cast<std::uint64_t>(column));
        learner_->look_up_column(static_cast<std::uint64_t>(column), 0.0);
      }
    });
    std::size_t k = 0;
    at = 0;
    sound &= each_number(values, [&](auto v) {
      const bool taken = at >= range[0] && at < range[1];
      ++at;
      if (!taken) return;
      if (k < lookup.values().size()) lookup.values()[k] = static_cast<double>(v);
      ++k;
    });
    if (!sound || k != range[1] - range[0] || k != lookup.values().size() ||
        largest > largest_column) {
      refuse_example(x);
    }
    check_sparse();
    return true;
  }

  /// SciPy tells the format slowly, so the type that had it is remembered.
  [[nodiscard]] bool is_csr(nb::handle x) {
    if (x.type().is(csr_type_)) return true;
    if (nb::cast<std::string>(x.attr("format")) != "csr") return false;
    csr_type_ = nb::borrow(x.type());
    return true;
  }

  void check_sparse() const {
    if (!ascending(learner_->lookup.indices())) {
      check_duplicates();
    }
  }

  static void check_range(const Rows& rows, std::size_t first, std::size_t last,
                          std::size_t other) {
    if (first > last || last > rows.size() || last > other) {
      throw nb::value_error("rows out of range");
    }
  }

  [[nodiscard]] static Block with_names(Block block,
                                        const std::vector<std::int64_t>& indices) {
    std::visit(
        [&](auto& rows) {
          if constexpr (requires { rows.indices; }) rows.indices = indices;
        },
        block);
    return block;
  }

  /// Goes through the rows with the interpreter released, and looks up now and then
  /// whether the user wants to stop.
  template <class Some>
  void each_chunk(const Rows& rows, const Block& block, std::size_t first,
                  std::size_t last, Some some) {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::milliseconds(20);
    constexpr std::size_t numbers = std::size_t{1} << 18U;
    const std::size_t nonzeros =
        std::visit([](const auto& b) { return b.nonzeros(); }, block);
    const std::size_t chunk =
        std::max<std::size_t>(1, numbers / (1 + nonzeros / (1 + rows.size())));
    Played played{.rounds = first};
    bool interrupted = false;
    {
      const nb::gil_scoped_release release;
      auto asked = Clock::now();
      while (played.rounds < last && played.finding.fault == Fault::none) {
        played = some(block, played.rounds, std::min(last, played.rounds + chunk));
        if (Clock::now() - asked < patience) continue;
        const nb::gil_scoped_acquire acquire;
        interrupted = PyErr_CheckSignals() != 0;
        if (interrupted) break;
        asked = Clock::now();
      }
    }
    if (interrupted) throw nb::python_error();
    if (played.finding.fault != Fault::none) refuse_row(rows, block, first, played);
  }

  [[noreturn]] void refuse_row(const Rows& rows, const Block& block, std::size_t first,
                               const Played& played) const {
    nb::dict told = facts();
    told["row"] = played.rounds;
    told["rounds"] = played.rounds - first;
    const std::size_t k = played.finding.position;
    std::visit(
        [&](const auto& all) {
          const auto x = all[played.rounds];
          if (k >= x.size()) refuse_finding(told, played.finding, nb::none(), 0.0);
          refuse_finding(told, played.finding, rows.feature(x, k), x.value(k));
        },
        block);
    throw nb::value_error("unreachable");
  }

  /// One number where there is one, a list where there is one a class.
  [[nodiscard]] static auto as_told(const std::vector<double>& numbers) {
    if constexpr (std::is_same_v<Label, bool>) {
      return numbers[0];
    } else {
      return numbers;
    }
  }

  void score_looked_up(nb::handle x) {
    look_up(x);
    scores_.resize(learner_->scores_a_row());
    const Finding found = learner_->score_looked_up(scores_);
    if (found.fault != Fault::none) refuse_one(found);
  }

  /// Every feature that has a cell: columns in order, then names.
  template <class Take>
  void each_index(Take take) {
    for (std::size_t j = 0; j < learner_->columns(); ++j) {
      take(static_cast<std::int64_t>(j));
    }
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

  std::string owner_;
  std::unique_ptr<LinearLearner<Label>> learner_;
  std::vector<double> scores_;
  RecentNames recent_;
  nb::object csr_type_;
  nb::object plain_type_;
  nb::object copy_;  // of a dict that was not plain: names looked up point into it
  bool busy_ = false;
};

template <class Label>
void bind_class(nb::module_& m, const char* name, const char* doc) {
  using Native = NativeLinear<Label>;
  const bool many = !std::is_same_v<Label, bool>;
  nb::class_<Native>(m, name, doc)
      .def("predict_one", &Native::predict_one, "x"_a.none())
      .def("score_one", &Native::score_one, "x"_a.none())
      .def("learn_one", &Native::learn_one, "x"_a.none(), "y"_a.none(), "times"_a = 1)
      .def("play_one", &Native::play_one, "x"_a.none(), "y"_a.none(), "times"_a = 1)
      .def("play", &Native::play, "rows"_a, "labels"_a.noconvert(),
           "predictions"_a.noconvert().none(), "repeats"_a.noconvert().none(),
           "first"_a, "last"_a, "changed"_a.noconvert().none() = nb::none(),
           "Play rows [first, last) in order; write what was predicted, and which "
           "rounds changed the learner.")
      .def("score", &Native::score, "rows"_a, "scores"_a.noconvert(), "first"_a,
           "last"_a, "Score rows [first, last); learn nothing.")
      .def("read", &Native::read, "x"_a.none(),
           nb::sig("def read(self, x: object) -> dict[str | int, float]"),
           "The features and values of an example.")
      .def("read_row", &Native::read_row, "rows"_a, "row"_a, "first"_a,
           nb::sig("def read_row(self, rows: Rows, row: int, first: int) "
                   "-> dict[str | int, float]"),
           "The same for a row of a block played from row `first` on.")
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
           "All that is kept of each feature.")
      .def("restore", &Native::restore, "cells"_a, "state"_a, "updates"_a, "width"_a,
           nb::sig("def restore(self, cells: list[tuple[str | int, list[float]]], "
                   "state: list[float], updates: int, width: int) -> None"),
           "Put back what a learner told of itself.")
      .def("save", &Native::save, nb::sig("def save(self) -> dict[str, typing.Any]"),
           "All that a learner has learned and met, as arrays.")
      .def("load", &Native::load, "columns"_a.noconvert().none(),
           "column_cells"_a.noconvert(), "text"_a.noconvert(), "ends"_a.noconvert(),
           "kinds"_a.noconvert(), "name_cells"_a.noconvert(), "rule"_a.noconvert(),
           "updates"_a, "width"_a, "Make a newborn what save() told.")
      .def_prop_ro("updates", &Native::updates)
      .def_prop_ro("width", &Native::width)
      .def_prop_ro("classes", &Native::classes)
      .def_prop_ro("state", &Native::state);
}

template <class Label>
std::unique_ptr<NativeLinear<Label>> held(
    std::string owner, std::unique_ptr<LinearLearner<Label>> learner) {
  return std::make_unique<NativeLinear<Label>>(std::move(owner), std::move(learner));
}

}  // namespace

void bind_linear(nb::module_& m) {
  bind_class<bool>(m, "Linear",
                   "A learner of two labels: its rule, weights and names.");
  bind_class<ClassId>(m, "Multiclass", "A learner of many classes, known by number.");

  nb::class_<SplitMix>(m, "SplitMix", "Random numbers from a seed.")
      .def(nb::init<std::uint64_t>(), "state"_a)
      .def("below", &SplitMix::below, "end"_a, "A whole number from 0 to end - 1.")
      .def_ro("state", &SplitMix::state);

  m.def(
      "perceptron",
      [](std::string owner, bool on_margin, bool normalize, double bias) {
        return held(std::move(owner), perceptron(on_margin, normalize, bias));
      },
      "owner"_a, nb::kw_only(), "on_margin"_a, "normalize"_a, "bias"_a);
  m.def(
      "averaged_perceptron",
      [](std::string owner, double bias) {
        return held(std::move(owner), averaged_perceptron(bias));
      },
      "owner"_a, nb::kw_only(), "bias"_a);
  m.def(
      "voted_perceptron",
      [](std::string owner, double bias) {
        return held(std::move(owner), voted_perceptron(bias));
      },
      "owner"_a, nb::kw_only(), "bias"_a);
  m.def(
      "kernel_perceptron",
      [](std::string owner, const std::string& kernel, double gamma, double offset,
         std::uint32_t degree, bool on_margin, std::optional<std::size_t> budget,
         std::uint64_t seed) {
        return held(std::move(owner), kernel_perceptron(kernel, gamma, offset, degree,
                                                        on_margin, budget, seed));
      },
      "owner"_a, nb::kw_only(), "kernel"_a, "gamma"_a, "offset"_a, "degree"_a,
      "on_margin"_a, "budget"_a.none(), "seed"_a);
  m.def(
      "passive_aggressive",
      [](std::string owner, const std::string& mode, double c, double bias) {
        return held(std::move(owner), passive_aggressive(mode, c, bias));
      },
      "owner"_a, nb::kw_only(), "mode"_a, "c"_a, "bias"_a);
  m.def(
      "second_order_perceptron",
      [](std::string owner, double r, bool diagonal, double bias) {
        return held(std::move(owner), second_order_perceptron(r, diagonal, bias));
      },
      "owner"_a, nb::kw_only(), "r"_a, "diagonal"_a, "bias"_a);
  m.def(
      "arow",
      [](std::string owner, double r, bool diagonal, double bias) {
        return held(std::move(owner), arow(r, diagonal, bias));
      },
      "owner"_a, nb::kw_only(), "r"_a, "diagonal"_a, "bias"_a);
  m.def(
      "winnow",
      [](std::string owner, double threshold, double promotion, double log_promotion,
         bool eliminate) {
        return held(std::move(owner),
                    winnow(threshold, promotion, log_promotion, eliminate));
      },
      "owner"_a, nb::kw_only(), "threshold"_a, "promotion"_a, "log_promotion"_a,
      "eliminate"_a);
  m.def(
      "balanced_winnow",
      [](std::string owner, double rate, double scale, double bias) {
        return held(std::move(owner), balanced_winnow(rate, scale, bias));
      },
      "owner"_a, nb::kw_only(), "rate"_a, "scale"_a, "bias"_a);
  m.def(
      "multiclass_perceptron",
      [](std::string owner, std::size_t classes, double bias) {
        return held(std::move(owner), multiclass_perceptron(classes, bias));
      },
      "owner"_a, nb::kw_only(), "classes"_a, "bias"_a);
  m.def(
      "multiclass_passive_aggressive",
      [](std::string owner, std::size_t classes, const std::string& mode, double c,
         double bias) {
        return held(std::move(owner),
                    multiclass_passive_aggressive(classes, mode, c, bias));
      },
      "owner"_a, nb::kw_only(), "classes"_a, "mode"_a, "c"_a, "bias"_a);
}

}  // namespace littlestone::bindings
