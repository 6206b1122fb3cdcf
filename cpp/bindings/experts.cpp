#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "littlestone/experts/ada_hedge.hpp"
#include "littlestone/experts/exponential_weights.hpp"
#include "littlestone/experts/fixed_share.hpp"
#include "littlestone/experts/floored.hpp"
#include "littlestone/experts/forecaster.hpp"
#include "littlestone/experts/halving.hpp"
#include "littlestone/experts/powers.hpp"
#include "littlestone/experts/regrets.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

constexpr double asleep = std::numeric_limits<double>::quiet_NaN();

/// One caller at a time, as for the linear learners.
class Turn {
 public:
  Turn(bool& busy, const std::string& owner) : busy_(busy) {
    if (busy_) {
      nb::dict facts;
      facts["owner"] = owner;
      refuse("busy", facts);
    }
    busy_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { busy_ = false; }

 private:
  bool& busy_;
};

/// The experts by name, and the advice of one round as Python hands it in.
class Roster {
 public:
  explicit Roster(std::string owner) : owner_(std::move(owner)) {}

  [[nodiscard]] const std::string& owner() const noexcept { return owner_; }
  [[nodiscard]] nb::dict facts() const {
    nb::dict facts;
    facts["owner"] = owner_;
    return facts;
  }

  /// Names in order; None if they are known by their position.
  void name(const nb::object& names, std::size_t size) {
    names_.reset();
    index_.reset();
    if (names.is_none()) return;
    // A list of its own: the caller's grows by itself when somebody joins, and may
    // change while names are hashed.
    const nb::list copy = nb::list(names);
    const nb::tuple fixed = nb::tuple(names);
    if (fixed.size() != size || copy.size() != size) throw nb::value_error("names");
    nb::dict index;
    for (std::size_t at = 0; at < size; ++at) index[fixed[at]] = at;
    names_ = copy;
    index_ = index;
  }
  void add(nb::handle name) {
    if (!names_.is_valid()) return;
    plain_names_ &= is_plain_name(name.ptr());
    nb::borrow<nb::dict>(index_)[name] = nb::len(names_);
    nb::borrow<nb::list>(names_).append(name);
  }
  [[nodiscard]] nb::object of(std::size_t i) const {
    return names_.is_valid() ? nb::object(names_[i]) : nb::cast(i);
  }

  /// Fills one number an expert, NaN for those who sleep; tells whether any does.
  template <class Number>
  bool read(nb::handle x, std::span<double> out, Number number) {
    if (PyDict_CheckExact(x.ptr())) return read_dict(x.ptr(), out, number);
    if (PyList_CheckExact(x.ptr()) || PyTuple_CheckExact(x.ptr())) {
      return read_sequence(x, out, number);
    }
    if (nb::hasattr(x, "keys")) {
      const nb::object copy = nb::module_::import_("builtins").attr("dict")(x);
      return read_dict(copy.ptr(), out, number);
    }
    if (PyUnicode_Check(x.ptr()) || PyBytes_Check(x.ptr()) || PyAnySet_Check(x.ptr()) ||
        nb::hasattr(x, "mask")) {
      refuse_advice(x);
    }
    const nb::object list = nb::steal(PySequence_List(x.ptr()));
    if (!list.is_valid()) refuse_advice(x);
    return read_sequence(list, out, number);
  }

  [[noreturn]] void refuse_advice(nb::handle x) const {
    PyErr_Clear();
    nb::dict told = facts();
    told["value"] = x;
    refuse("advice", told);
  }
  [[noreturn]] void refuse_number(std::size_t i, nb::handle value) const {
    forget_no_number();
    nb::dict told = facts();
    told["feature"] = of(i);
    told["value"] = value;
    refuse("expert", told);
  }

 private:
  template <class Number>
  bool read_sequence(nb::handle x, std::span<double> out, Number number) {
    // A copy, because to read an item may run Python code that changes the list.
    const nb::object copy = PyTuple_CheckExact(x.ptr())
                                ? nb::borrow(x)
                                : nb::steal(PyList_AsTuple(x.ptr()));
    const auto size = static_cast<std::size_t>(PyTuple_Size(copy.ptr()));
    if (size != out.size()) {
      nb::dict told = facts();
      told["feature"] = out.size();
      told["value"] = size;
      refuse("experts", told);
    }
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = number(i, PyTuple_GetItem(copy.ptr(), static_cast<Py_ssize_t>(i)));
    }
    return false;
  }

  template <class Number>
  bool read_dict(PyObject* x, std::span<double> out, Number number) {
    const auto size = static_cast<std::size_t>(PyDict_Size(x));
    std::ranges::fill(out, asleep);
    // To read a key or value that is not plain may run Python code, which may change
    // the dict.
    const nb::object copy = is_plain(x) ? nb::borrow(x) : nb::steal(PyDict_Copy(x));
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(copy.ptr(), &position, &key, &value) != 0) {
      const std::size_t i = find(key, out.size());
      out[i] = number(i, value);
    }
    if (size < out.size()) return true;
    // Two keys may name one expert, and then somebody has not spoken.
    const auto silent =
        std::ranges::find_if(out, [](double said) { return std::isnan(said); });
    if (silent != out.end()) {
      refuse_number(static_cast<std::size_t>(silent - out.begin()), nb::cast(asleep));
    }
    return false;
  }

  [[nodiscard]] static bool is_plain_name(PyObject* name) noexcept {
    return PyUnicode_CheckExact(name) || PyLong_CheckExact(name);
  }
  [[nodiscard]] bool is_plain(PyObject* x) const noexcept {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    if (!plain_names_) return false;
    while (PyDict_Next(x, &position, &key, &value) != 0) {
      if (!is_plain_name(key)) return false;
      if (!PyFloat_CheckExact(value) && !PyBool_Check(value)) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t find(PyObject* key, std::size_t size) const {
    if (index_.is_valid()) {
      PyObject* found = PyDict_GetItemWithError(index_.ptr(), key);
      if (found != nullptr) return PyLong_AsSize_t(found);
    } else if (PyIndex_Check(key)) {
      const nb::object number = nb::steal(PyNumber_Index(key));
      const std::size_t i = number.is_valid() ? PyLong_AsSize_t(number.ptr()) : size;
      if (PyErr_Occurred() == nullptr && i < size) return i;
    }
    PyErr_Clear();
    nb::dict told = facts();
    told["feature"] = nb::borrow(key);
    refuse("stranger", told);
  }

  std::string owner_;
  nb::object names_;
  nb::object index_;
  bool plain_names_ =
      true;  // text and whole numbers, which compare without Python code
};

[[nodiscard]] const char* kind_of(AdviceFault fault) noexcept {
  switch (fault) {
    case AdviceFault::finite: return "expert";
    case AdviceFault::label: return "expert_label";
    case AdviceFault::probability: return "expert_probability";
    case AdviceFault::distribution: return "expert_distribution";
    case AdviceFault::awake: return "asleep";
    case AdviceFault::outcome: return "outcome";
    case AdviceFault::loss: return "loss";
    case AdviceFault::range: return "loss_range";
    case AdviceFault::overflow: return "losses";
    case AdviceFault::none: break;
  }
  return "";
}

/// A forecaster as Python holds it.
class NativeForecaster {
 public:
  NativeForecaster(std::string owner, std::unique_ptr<Forecaster> forecaster)
      : roster_(std::move(owner)), forecaster_(std::move(forecaster)) {}

  void begin(Vector<const double> priors, const nb::object& names) {
    const Turn turn(busy_, roster_.owner());
    roster_.name(names, priors.shape(0));
    forecaster_->begin(as_span(priors));
  }
  void join(double share, nb::handle name) {
    const Turn turn(busy_, roster_.owner());
    roster_.add(name);  // first: a name that cannot be hashed changes nothing
    forecaster_->join(share);
  }

  [[nodiscard]] nb::object predict_one(nb::handle x) {
    const Turn turn(busy_, roster_.owner());
    forecaster_->may_sleep = read(x);
    double prediction = 0.0;
    refuse_one(forecaster_->predict(row_.data(), 1, &prediction), nullptr);
    return as_told(prediction);
  }

  [[nodiscard]] nb::object play_one(nb::handle x, nb::handle y) {
    const Turn turn(busy_, roster_.owner());
    forecaster_->may_sleep = read(x);
    const double outcome = read_outcome(y);
    double prediction = 0.0;
    double loss = 0.0;
    refuse_one(forecaster_->play(row_.data(), 1, outcome, &prediction, &loss), &y);
    return as_told(prediction);
  }

  /// The numbers of one round's advice, NaN for those who sleep.
  [[nodiscard]] std::vector<double> read_one(nb::handle x) {
    const Turn turn(busy_, roster_.owner());
    read(x);
    return row_;
  }

  void learn_given(Vector<const double> advice, Vector<const double> losses, double own,
                   double slope, bool may_sleep) {
    const Turn turn(busy_, roster_.owner());
    if (advice.shape(0) != size() || losses.shape(0) != size()) {
      throw nb::value_error("experts");
    }
    forecaster_->may_sleep = may_sleep;
    const Given given{as_span(losses), own, slope};
    refuse_one(forecaster_->learn_given(advice.data(), given), nullptr);
  }

  /// Plays rows `first` to `last - 1`, of numbers or of truth values.
  void play(nb::handle advice, Vector<const double> y, Vector<double> predictions,
            Vector<double> losses, std::size_t first, std::size_t last,
            std::size_t outcomes, bool may_sleep) {
    const Turn turn(busy_, roster_.owner());
    forecaster_->may_sleep = may_sleep;
    if (y.shape(0) < last || predictions.shape(0) < last * outcomes ||
        losses.shape(0) < last) {
      throw nb::value_error("rows");
    }
    over_rows(advice, first, last, outcomes,
              [&](const double* rows, std::size_t at, std::size_t count,
                  AdviceFinding& found) {
                return forecaster_->play_rows(
                    rows, size() * outcomes, outcomes, y.data() + at, count,
                    predictions.data() + at * outcomes, losses.data() + at, found);
              });
  }

  void predict(nb::handle advice, Vector<double> predictions, std::size_t first,
               std::size_t last, std::size_t outcomes, bool may_sleep) {
    const Turn turn(busy_, roster_.owner());
    forecaster_->may_sleep = may_sleep;
    if (predictions.shape(0) < last * outcomes) throw nb::value_error("rows");
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

  [[nodiscard]] std::size_t size() const noexcept { return forecaster_->size(); }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return forecaster_->rounds(); }
  [[nodiscard]] double own_loss() const noexcept { return forecaster_->own_loss(); }
  [[nodiscard]] double expected() const noexcept { return forecaster_->expected(); }
  [[nodiscard]] double last_loss() const noexcept { return forecaster_->last_loss(); }

  /// The weights of everyone, or of those awake where a mask tells who sleeps.
  void weights(Vector<double> out, std::optional<Vector<const std::uint8_t>> asleep) {
    const Turn turn(busy_, roster_.owner());
    check_size(out);
    if (asleep && asleep->shape(0) != size()) throw nb::value_error("experts");
    forecaster_->weights(asleep ? as_span(*asleep) : Asleep(), as_span(out));
  }
  void losses(Vector<double> out) {
    const Turn turn(busy_, roster_.owner());
    check_size(out);
    for (std::size_t i = 0; i < size(); ++i)
      out.data()[i] = forecaster_->loss(i).value();
  }
  void own_losses(Vector<double> out) {
    const Turn turn(busy_, roster_.owner());
    check_size(out);
    for (std::size_t i = 0; i < size(); ++i) {
      out.data()[i] = forecaster_->own_loss_beside(i);
    }
  }
  [[nodiscard]] Forecaster::Numbers state() {
    const Turn turn(busy_, roster_.owner());
    return forecaster_->state();
  }
  void restore(const Forecaster::Numbers& numbers, const nb::object& names) {
    const Turn turn(busy_, roster_.owner());
    forecaster_->restore(numbers);
    roster_.name(names, size());
  }

 private:
  void check_size(const Vector<double>& out) const {
    if (out.shape(0) != size()) throw nb::value_error("experts");
  }

  [[nodiscard]] nb::object as_told(double prediction) const {
    if (forecaster_->setting().labels) return nb::cast(prediction != 0.0);
    return nb::cast(prediction);
  }

  bool read(nb::handle x) {
    row_.resize(size());
    if (forecaster_->setting().labels) {
      return roster_.read(x, row_, [&](std::size_t i, PyObject* value) {
        const Label label = label_of_object(value);
        if (label == Label::other) {
          nb::dict told = roster_.facts();
          told["feature"] = roster_.of(i);
          told["value"] = nb::borrow(value);
          refuse("expert_label", told);
        }
        return label == Label::yes ? 1.0 : 0.0;
      });
    }
    return roster_.read(x, row_, [&](std::size_t i, PyObject* value) {
      if (PyComplex_Check(value) || PyUnicode_Check(value)) {
        roster_.refuse_number(i, value);
      }
      const double number = PyFloat_AsDouble(value);
      if (number == -1.0 && PyErr_Occurred() != nullptr)
        roster_.refuse_number(i, value);
      if (!std::isfinite(number)) roster_.refuse_number(i, value);
      return number;
    });
  }

  [[nodiscard]] double read_outcome(nb::handle y) const {
    const Setting& setting = forecaster_->setting();
    if (setting.labels || setting.probabilities) return checked_label(y) ? 1.0 : 0.0;
    const bool number = !PyUnicode_Check(y.ptr()) && !PyComplex_Check(y.ptr());
    const double outcome = number ? PyFloat_AsDouble(y.ptr()) : asleep;
    if (!number || PyErr_Occurred() != nullptr) {
      forget_no_number();
      nb::dict told = roster_.facts();
      told["value"] = y;
      refuse("outcome", told);
    }
    return outcome;
  }

  void refuse_one(const AdviceFinding& found, const nb::handle* y) const {
    if (found.fault != AdviceFault::none) refuse_finding(roster_.facts(), found, y);
  }

  [[noreturn]] void refuse_finding(nb::dict told, const AdviceFinding& found,
                                   const nb::handle* y) const {
    const Setting& setting = forecaster_->setting();
    if (found.fault == AdviceFault::outcome) {
      told["value"] = y != nullptr ? nb::borrow(*y) : nb::cast(found.value);
      const bool zero = setting.loss.kind == LossKind::percentage && found.value == 0.0;
      if (setting.probabilities) {
        told["feature"] = std::max<std::size_t>(found.expert, 2) - 1;
        refuse("outcome_number", told);
      }
      refuse(zero ? "outcome_zero" : "outcome", told);
    }
    if (found.fault != AdviceFault::awake && found.fault != AdviceFault::overflow) {
      told["feature"] = roster_.of(found.expert);
      told["value"] = found.value;
    }
    if (found.fault == AdviceFault::range) {
      told["range"] = nb::make_tuple(setting.low, setting.high);
    }
    refuse(kind_of(found.fault), told);
  }

  /// Goes through rows with the interpreter released; truth values become numbers in a
  /// buffer. Looks up now and then whether the user wants to stop.
  template <class Some>
  void over_rows(nb::handle advice, std::size_t first, std::size_t last,
                 std::size_t outcomes, Some some) {
    using Numbers = Array<const double>;
    using Truths = Matrix<const bool>;
    const std::size_t stride = size() * outcomes;
    Numbers numbers;
    Truths truths;
    const bool is_truths = nb::try_cast(advice, truths, false);
    if (!is_truths && !nb::try_cast(advice, numbers, false))
      throw nb::type_error("advice");
    const std::size_t held = is_truths ? truths.size() : numbers.size();
    if (stride == 0 || first > last || held < last * stride)
      throw nb::value_error("rows");
    const std::size_t chunk =
        std::max<std::size_t>(1, (std::size_t{1} << 15U) / stride);
    std::vector<double> buffer(is_truths ? chunk * stride : 0);
    AdviceFinding found;
    std::size_t at = first;
    bool interrupted = false;
    {
      const nb::gil_scoped_release release;
      auto asked = std::chrono::steady_clock::now();
      while (at < last && found.fault == AdviceFault::none) {
        const std::size_t count = std::min(chunk, last - at);
        const double* rows = nullptr;
        if (is_truths) {
          std::copy_n(truths.data() + at * stride, count * stride, buffer.begin());
          rows = buffer.data();
        } else {
          rows = numbers.data() + at * stride;
        }
        at += some(rows, at, count, found);
        if (std::chrono::steady_clock::now() - asked < patience) continue;
        const nb::gil_scoped_acquire acquire;
        interrupted = PyErr_CheckSignals() != 0;
        if (interrupted) break;
        asked = std::chrono::steady_clock::now();
      }
    }
    if (interrupted) throw nb::python_error();
    if (found.fault == AdviceFault::none) return;
    nb::dict told = roster_.facts();
    told["row"] = at;
    told["rounds"] = at - first;
    refuse_finding(told, found, nullptr);
  }

  static constexpr auto patience = std::chrono::milliseconds(20);
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
  throw nb::value_error("rule");
}

/// Halving as Python holds it: rows of bits, 64 to a word.
class NativeHalving {
 public:
  NativeHalving(std::string owner, bool restart, bool keep_losses)
      : roster_(std::move(owner)), halving_(restart, keep_losses) {}

  void begin(std::size_t experts, const nb::object& names) {
    const Turn turn(busy_, roster_.owner());
    roster_.name(names, experts);
    halving_.begin(experts);
  }
  void join(nb::handle name) {
    const Turn turn(busy_, roster_.owner());
    roster_.add(name);  // first: a name that cannot be hashed changes nothing
    halving_.join();
  }
  bool predict_one(nb::handle x) {
    const Turn turn(busy_, roster_.owner());
    const bool sleepy = read(x);
    return halving_.predict(votes_.data(), sleepy ? awake_.data() : nullptr);
  }
  bool play_one(nb::handle x, nb::handle y) {
    const Turn turn(busy_, roster_.owner());
    const bool sleepy = read(x);
    const bool truth = checked_label(y);
    return halving_.play(votes_.data(), sleepy ? awake_.data() : nullptr, truth);
  }

  void play(Matrix<const Word> votes, std::optional<Matrix<const Word>> awake,
            Vector<const bool> labels, Vector<bool> predictions, std::size_t first,
            std::size_t last) {
    const Turn turn(busy_, roster_.owner());
    check(votes, awake, last);
    if (labels.shape(0) < last || predictions.shape(0) < last) {
      throw nb::value_error("rows");
    }
    each_chunk(first, last, [&](std::size_t t) {
      const std::size_t at = t * halving_.words();
      predictions.data()[t] = halving_.play(
          votes.data() + at, awake ? awake->data() + at : nullptr, labels.data()[t]);
    });
  }
  void predict(Matrix<const Word> votes, std::optional<Matrix<const Word>> awake,
               Vector<bool> predictions) {
    const Turn turn(busy_, roster_.owner());
    check(votes, awake, votes.shape(0));
    if (predictions.shape(0) < votes.shape(0)) throw nb::value_error("rows");
    each_chunk(0, votes.shape(0), [&](std::size_t t) {
      const std::size_t at = t * halving_.words();
      predictions.data()[t] =
          halving_.predict(votes.data() + at, awake ? awake->data() + at : nullptr);
    });
  }

  void alive(Vector<bool> out) {
    fill<bool>(out, [&](std::size_t i) { return halving_.lives(i); });
  }
  void losses(Vector<double> out) {
    fill<double>(out,
                 [&](std::size_t i) { return static_cast<double>(halving_.loss(i)); });
  }
  void own_losses(Vector<double> out) {
    fill<double>(out, [&](std::size_t i) {
      return static_cast<double>(halving_.own_loss_beside(i));
    });
  }
  [[nodiscard]] const Halving& halving() const noexcept { return halving_; }
  [[nodiscard]] std::vector<std::vector<Word>> state() {
    const Turn turn(busy_, roster_.owner());
    return halving_.state();
  }
  void restore(const std::vector<std::vector<Word>>& words, const nb::object& names) {
    const Turn turn(busy_, roster_.owner());
    halving_.restore(words);
    roster_.name(names, halving_.size());
  }

 private:
  template <class T, class Get>
  void fill(const Vector<T>& out, Get get) {
    const Turn turn(busy_, roster_.owner());
    if (out.shape(0) != halving_.size()) throw nb::value_error("experts");
    for (std::size_t i = 0; i < halving_.size(); ++i) out.data()[i] = get(i);
  }

  void check(const Matrix<const Word>& votes,
             const std::optional<Matrix<const Word>>& awake, std::size_t last) const {
    const std::size_t words = halving_.words();
    if (words == 0 || votes.shape(1) != words || votes.shape(0) < last ||
        (awake && (awake->shape(1) != words || awake->shape(0) < last))) {
      throw nb::value_error("rows");
    }
  }

  bool read(nb::handle x) {
    row_.resize(halving_.size());
    const bool sleepy = roster_.read(x, row_, [&](std::size_t i, PyObject* value) {
      const Label label = label_of_object(value);
      if (label == Label::other) {
        nb::dict told = roster_.facts();
        told["feature"] = roster_.of(i);
        told["value"] = nb::borrow(value);
        refuse("expert_label", told);
      }
      return label == Label::yes ? 1.0 : 0.0;
    });
    votes_.assign(halving_.words(), Word{0});
    awake_.assign(halving_.words(), Word{0});
    bool anyone = false;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (row_[i] == 1.0) votes_[i / 64] |= Word{1} << i % 64;
      if (std::isnan(row_[i])) continue;
      anyone = true;
      awake_[i / 64] |= Word{1} << i % 64;
    }
    if (!anyone) refuse("asleep", roster_.facts());
    return sleepy;
  }

  template <class Do>
  void each_chunk(std::size_t first, std::size_t last, Do act) {
    const std::size_t chunk =
        std::max<std::size_t>(1, (std::size_t{1} << 18U) / halving_.words());
    bool interrupted = false;
    {
      const nb::gil_scoped_release release;
      auto asked = std::chrono::steady_clock::now();
      for (std::size_t t = first; t < last;) {
        const std::size_t until = std::min(last, t + chunk);
        for (; t < until; ++t) act(t);
        if (std::chrono::steady_clock::now() - asked < std::chrono::milliseconds(20)) {
          continue;
        }
        const nb::gil_scoped_acquire acquire;
        interrupted = PyErr_CheckSignals() != 0;
        if (interrupted) break;
        asked = std::chrono::steady_clock::now();
      }
    }
    if (interrupted) throw nb::python_error();
  }

  Roster roster_;
  Halving halving_;
  std::vector<double> row_;
  std::vector<Word> votes_;
  std::vector<Word> awake_;
  bool busy_ = false;
};

}  // namespace

void bind_experts(nb::module_& m) {
  nb::class_<NativeForecaster>(m, "Forecaster")
      .def("begin", &NativeForecaster::begin, "priors"_a, "names"_a.none())
      .def("join", &NativeForecaster::join, "share"_a, "name"_a.none())
      .def("predict_one", &NativeForecaster::predict_one, "x"_a.none())
      .def("play_one", &NativeForecaster::play_one, "x"_a.none(), "y"_a.none())
      .def("read_one", &NativeForecaster::read_one, "x"_a.none())
      .def("learn_given", &NativeForecaster::learn_given, "advice"_a, "losses"_a,
           "own"_a, "slope"_a, "may_sleep"_a)
      .def("play", &NativeForecaster::play, "advice"_a, "y"_a, "predictions"_a,
           "losses"_a, "first"_a, "last"_a, "outcomes"_a, "may_sleep"_a)
      .def("predict", &NativeForecaster::predict, "advice"_a, "predictions"_a,
           "first"_a, "last"_a, "outcomes"_a, "may_sleep"_a)
      .def_prop_ro("size", &NativeForecaster::size)
      .def_prop_ro("rounds", &NativeForecaster::rounds)
      .def_prop_ro("own_loss", &NativeForecaster::own_loss)
      .def_prop_ro("expected", &NativeForecaster::expected)
      .def_prop_ro("last_loss", &NativeForecaster::last_loss)
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
         bool probabilities, double low, double high, std::uint64_t seed) {
        const Setting setting{.loss = {static_cast<LossKind>(loss), tau},
                              .combine = static_cast<Combine>(combine),
                              .gradient = gradient,
                              .hedge = hedge,
                              .labels = labels,
                              .probabilities = probabilities,
                              .low = low,
                              .high = high,
                              .seed = seed};
        return new NativeForecaster(std::move(owner), make(rule, numbers, setting));
      },
      "owner"_a, "rule"_a, "numbers"_a, nb::kw_only(), "loss"_a, "tau"_a, "combine"_a,
      "gradient"_a, "hedge"_a, "labels"_a, "probabilities"_a, "low"_a, "high"_a,
      "seed"_a, nb::rv_policy::take_ownership);

  nb::class_<NativeHalving>(m, "Halving")
      .def(nb::init<std::string, bool, bool>(), "owner"_a, nb::kw_only(), "restart"_a,
           "keep_losses"_a)
      .def("begin", &NativeHalving::begin, "experts"_a, "names"_a.none())
      .def("join", &NativeHalving::join, "name"_a.none())
      .def("predict_one", &NativeHalving::predict_one, "x"_a.none())
      .def("play_one", &NativeHalving::play_one, "x"_a.none(), "y"_a.none())
      .def("play", &NativeHalving::play, "votes"_a, "awake"_a.none(), "labels"_a,
           "predictions"_a, "first"_a, "last"_a)
      .def("predict", &NativeHalving::predict, "votes"_a, "awake"_a.none(),
           "predictions"_a)
      .def("alive", &NativeHalving::alive, "out"_a)
      .def("losses", &NativeHalving::losses, "out"_a)
      .def("own_losses", &NativeHalving::own_losses, "out"_a)
      .def_prop_ro("size",
                   [](const NativeHalving& self) { return self.halving().size(); })
      .def_prop_ro("living",
                   [](const NativeHalving& self) { return self.halving().alive(); })
      .def_prop_ro("mistakes",
                   [](const NativeHalving& self) { return self.halving().mistakes(); })
      .def_prop_ro("rounds",
                   [](const NativeHalving& self) { return self.halving().rounds(); })
      .def_prop_ro("restarts",
                   [](const NativeHalving& self) { return self.halving().restarts(); })
      .def("state", &NativeHalving::state)
      .def("restore", &NativeHalving::restore, "words"_a, "names"_a.none());
}

}  // namespace littlestone::bindings
