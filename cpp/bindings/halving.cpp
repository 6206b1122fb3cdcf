#include "littlestone/experts/halving.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "interruptible.hpp"
#include "littlestone/read_once.hpp"
#include "roster.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The Python class of Halving: rows of bits, 64 to a word.
class NativeHalving {
 public:
  NativeHalving(std::string owner, bool restart, bool keep_losses)
      : roster_(std::move(owner)), halving_(restart, keep_losses) {}

  void begin(std::size_t experts, const nb::object& names, std::vector<double> priors) {
    const BusyGuard guard(busy_, roster_.owner());
    if (!priors.empty() && priors.size() != experts) {
      throw nb::value_error("there must be one prior for each expert");
    }
    roster_.name(names, experts);
    halving_.begin(experts, std::move(priors));
  }
  void join(nb::handle name) {
    const BusyGuard guard(busy_, roster_.owner());
    roster_.add(name);  // first: a name that cannot be hashed changes nothing
    halving_.join();
  }
  bool predict_one(nb::handle x) {
    const BusyGuard guard(busy_, roster_.owner());
    const bool sleepy = read(x);
    return halving_.predict(votes_.data(), sleepy ? awake_.data() : nullptr);
  }
  bool play_one(nb::handle x, nb::handle y) {
    const BusyGuard guard(busy_, roster_.owner());
    const bool sleepy = read(x);
    const bool truth = checked_label(y);
    return halving_.play(votes_.data(), sleepy ? awake_.data() : nullptr, truth);
  }

  void play(Matrix<const Word> votes, std::optional<Matrix<const Word>> awake,
            Vector<const bool> labels, Vector<bool> predictions, std::size_t first,
            std::size_t last) {
    const BusyGuard guard(busy_, roster_.owner());
    check(votes, awake, last);
    if (labels.shape(0) < last || predictions.shape(0) < last) {
      throw nb::value_error("arrays must have an entry for each row");
    }
    each_row(first, last, [&](std::size_t t) {
      const std::size_t at = t * halving_.words();
      predictions.data()[t] =
          halving_.play(votes.data() + at, awake ? awake->data() + at : nullptr,
                        read_once(labels.data()[t]));
    });
  }
  void predict(Matrix<const Word> votes, std::optional<Matrix<const Word>> awake,
               Vector<bool> predictions) {
    const BusyGuard guard(busy_, roster_.owner());
    check(votes, awake, votes.shape(0));
    if (predictions.shape(0) < votes.shape(0))
      throw nb::value_error("arrays must have an entry for each row");
    each_row(0, votes.shape(0), [&](std::size_t t) {
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
  /// What `get` returns of the learner, which nobody uses meanwhile.
  template <class Get>
  [[nodiscard]] auto look(Get get) {
    const BusyGuard guard(busy_, roster_.owner());
    return get(halving_);
  }
  [[nodiscard]] std::vector<std::vector<Word>> state() {
    const BusyGuard guard(busy_, roster_.owner());
    return halving_.state();
  }
  void restore(const std::vector<std::vector<Word>>& words, const nb::object& names) {
    const BusyGuard guard(busy_, roster_.owner());
    halving_.restore(words);
    roster_.name(names, halving_.size());
  }

 private:
  template <class T, class Get>
  void fill(const Vector<T>& out, Get get) {
    const BusyGuard guard(busy_, roster_.owner());
    if (out.shape(0) != halving_.size())
      throw nb::value_error("there must be one entry for each expert");
    for (std::size_t i = 0; i < halving_.size(); ++i) out.data()[i] = get(i);
  }

  void check(const Matrix<const Word>& votes,
             const std::optional<Matrix<const Word>>& awake, std::size_t last) const {
    const std::size_t words = halving_.words();
    if (words == 0 || votes.shape(1) != words || votes.shape(0) < last ||
        (awake && (awake->shape(1) != words || awake->shape(0) < last))) {
      throw nb::value_error("arrays must have an entry for each row");
    }
  }

  bool read(nb::handle x) {
    row_.resize(halving_.size());
    const bool sleepy = roster_.read_labels(x, row_);
    votes_.assign(halving_.words(), Word{0});
    awake_.assign(halving_.words(), Word{0});
    bool anyone = false;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (row_[i] == 1.0) votes_[i / 64] |= Word{1} << i % 64;
      if (std::isnan(row_[i])) continue;
      anyone = true;
      awake_[i / 64] |= Word{1} << i % 64;
    }
    if (!anyone) refuse("asleep", roster_.owner().facts());
    return sleepy;
  }

  /// Calls `act(t)` for each row.
  template <class Act>
  void each_row(std::size_t first, std::size_t last, Act act) {
    const std::size_t chunk =
        std::max<std::size_t>(1, (std::size_t{1} << 18U) / halving_.words());
    each_chunk(first, last, chunk, [&](std::size_t from, std::size_t to) {
      for (std::size_t t = from; t < to; ++t) act(t);
      return to;
    });
  }

  Roster roster_;
  Halving halving_;
  std::vector<double> row_;
  std::vector<Word> votes_;
  std::vector<Word> awake_;
  bool busy_ = false;
};

}  // namespace

void bind_halving(nb::module_& m) {
  nb::class_<NativeHalving>(m, "Halving")
      .def(nb::init<std::string, bool, bool>(), "owner"_a, nb::kw_only(), "restart"_a,
           "keep_losses"_a)
      .def("begin", &NativeHalving::begin, "experts"_a, "names"_a.none(), "priors"_a)
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
      .def_prop_ro("size", looked<NativeHalving>([](auto& h) { return h.size(); }))
      .def_prop_ro("living", looked<NativeHalving>([](auto& h) { return h.alive(); }))
      .def_prop_ro("mistakes",
                   looked<NativeHalving>([](auto& h) { return h.mistakes(); }))
      .def_prop_ro("rounds", looked<NativeHalving>([](auto& h) { return h.rounds(); }))
      .def_prop_ro("restarts",
                   looked<NativeHalving>([](auto& h) { return h.restarts(); }))
      .def("state", &NativeHalving::state)
      .def("restore", &NativeHalving::restore, "words"_a, "names"_a.none());
}

}  // namespace littlestone::bindings
