#include "littlestone/experts/class_readings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "interruptible.hpp"
#include "saved.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The Python class of the readings of scores.
class NativeReadings {
 public:
  /// The scores of members: for each a row a round, and in it a column a class.
  using Scores = Array<const double, nb::ndim<3>>;

  NativeReadings(std::string owner, std::size_t members)
      : owner_(std::move(owner)), readings_(members) {}

  /// Reads rounds in order and learns from each; writes the probability of the right
  /// class, or 1 for a class that is new.
  void play(Scores scores, Vector<const std::int64_t> labels,
            Vector<const std::int64_t> known, Matrix<double> chances) {
    const BusyGuard guard(busy_, owner_);
    check_room(scores, chances, readings_.size());
    const std::size_t rounds = scores.shape(1);
    if (labels.shape(0) != rounds || known.shape(0) != rounds) {
      throw nb::value_error("arrays must have an entry for each round");
    }
    each_round(scores, [&](std::size_t t) {
      const std::span<double> out{chances.data() + t * size(), size()};
      const auto label = static_cast<std::size_t>(labels.data()[t]);  // or too large
      const auto classes = static_cast<std::size_t>(known.data()[t]);
      if (label >= std::min(classes, scores.shape(2))) {
        std::ranges::fill(out, 1.0);
        return;
      }
      read(scores, t, std::min(classes, scores.shape(2)));
      readings_.chances_of(label, out);
      readings_.learn(label);
    });
  }

  /// Adds the probabilities of all classes, each reading by its weight: in all rounds
  /// the same weights, or a row a round. With labels it learns from each round.
  void mix(Scores scores, Matrix<const double> weights, Matrix<double> chances,
           std::optional<Vector<const std::int64_t>> labels) {
    const BusyGuard guard(busy_, owner_);
    const std::size_t rounds = scores.shape(1);
    const std::size_t classes = scores.shape(2);
    check_room(scores, chances, classes);
    const bool constant = weights.shape(0) == 1;
    if (weights.shape(1) != size() || (!constant && weights.shape(0) != rounds)) {
      throw nb::value_error("there must be a weight for each reading");
    }
    if (labels && labels->shape(0) != rounds) {
      throw nb::value_error("arrays must have an entry for each round");
    }
    if (classes == 0) return;
    each_round(scores, [&](std::size_t t) {
      read(scores, t, classes);
      const double* const row = weights.data() + (constant ? 0 : t * size());
      readings_.mix({row, size()}, {chances.data() + t * classes, classes});
      if (!labels) return;
      const auto label = static_cast<std::size_t>(labels->data()[t]);  // or too large
      if (label < classes) readings_.learn(label);
    });
  }

  /// What the stacks have learned: of each its weights, and the squares of its slopes.
  [[nodiscard]] std::vector<std::vector<double>> state() {
    const BusyGuard guard(busy_, owner_);
    std::vector<std::vector<double>> found;
    for (const auto& stack : readings_.stacks()) {
      found.push_back(stack.weights);
      found.push_back(stack.squares);
    }
    return found;
  }

  void restore(Matrix<const double> saved) {
    const BusyGuard guard(busy_, owner_);
    const std::size_t width = 2 * readings_.members();
    bool sound =
        saved.shape(0) == 2 * readings_.stacks().size() && saved.shape(1) == width;
    for (std::size_t k = 0; sound && k < saved.size(); ++k) {
      const bool square = k / width % 2 == 1;
      sound = std::isfinite(saved.data()[k]) && (!square || saved.data()[k] >= 0.0);
    }
    check_saved(sound, "weights and squares for each stack");
    const double* from = saved.data();
    for (auto& stack : readings_.stacks()) {
      std::copy_n(from, width, stack.weights.begin());
      std::copy_n(from + width, width, stack.squares.begin());
      from += 2 * width;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return readings_.size(); }

 private:
  void check_room(const Scores& scores, const Matrix<double>& chances,
                  std::size_t columns) const {
    if (scores.shape(0) != readings_.members() || chances.shape(0) != scores.shape(1) ||
        chances.shape(1) != columns) {
      throw nb::value_error("there must be scores of each member, and room for each");
    }
  }

  void read(const Scores& scores, std::size_t t, std::size_t classes) {
    const std::size_t apart = scores.shape(2);
    readings_.read(scores.data() + t * apart, scores.shape(1) * apart, classes);
  }

  template <class Some>
  static void each_round(const Scores& scores, Some some) {
    each_chunk(0, scores.shape(1), 64, [&](std::size_t from, std::size_t to) {
      for (std::size_t t = from; t < to; ++t) some(t);
      return to;
    });
  }

  Owner owner_;
  ClassReadings readings_;
  bool busy_ = false;
};

}  // namespace

void bind_class_readings(nb::module_& m) {
  nb::class_<NativeReadings>(m, "ClassReadings",
                             "Reads scores of classes as probabilities.")
      .def(nb::init<std::string, std::size_t>(), "owner"_a, "members"_a)
      .def_prop_ro("size", &NativeReadings::size, "How many readings there are.")
      .def("play", &NativeReadings::play, "scores"_a.noconvert(),
           "labels"_a.noconvert(), "known"_a.noconvert(), "chances"_a.noconvert(),
           "Write what each reading gives to the right class, and learn it.")
      .def("mix", &NativeReadings::mix, "scores"_a.noconvert(), "weights"_a.noconvert(),
           "chances"_a.noconvert(), "labels"_a.noconvert() = nb::none(),
           "Add the probabilities of all classes, each reading by its weight: of all "
           "rounds or of each. With labels, learn each round.")
      .def("state", &NativeReadings::state,
           "Of each stack its weights, and the squares of its slopes.")
      .def("restore", &NativeReadings::restore, "saved"_a.noconvert(),
           "Take the state of another.");
}

}  // namespace littlestone::bindings
