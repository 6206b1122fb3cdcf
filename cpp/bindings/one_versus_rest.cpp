#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "example_reader.hpp"
#include "interruptible.hpp"
#include "learners.hpp"
#include "littlestone/maps/map.hpp"
#include "rows.hpp"
#include "saved_linear.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// Many classes, each with a learner of its own, which says yes to that class. The
/// features are numbered once for all of them.
class OneVersusRest {
 public:
  OneVersusRest(std::string owner, Blocks blocks, std::size_t classes)
      : owner_(std::move(owner)), blocks_(std::move(blocks)) {
    while (blocks_->size() < classes) blocks_->add();
  }

  ClassId predict_one(nb::handle x) {
    const BusyGuard guard(busy_, owner_);
    score_looked_up(x);
    return says(ClassScores(scores_));
  }

  std::vector<double> score_one(nb::handle x) {
    const BusyGuard guard(busy_, owner_);
    score_looked_up(x);
    return scores_;
  }

  ClassId play_one(nb::handle x, ClassId label, std::uint32_t times) {
    const BusyGuard guard(busy_, owner_);
    const nb::object names = reader_.look_up(x);
    const std::size_t known = met_.size();
    Finding found = read_looked_up();
    if (found.fault == Fault::none) found = score_row();
    if (found.fault != Fault::none) {
      met_.truncate(known);
      reader_.refuse_looked_up(found);
    }
    width_ = std::max(width_, features_.lookup.width);
    const ClassId said = says(ClassScores(scores_));
    learn_row(label, times);
    return said;
  }

  void play(const Rows& rows, Vector<const ClassId> labels, Vector<ClassId> predictions,
            std::optional<Vector<const std::uint32_t>> repeats, std::size_t first,
            std::size_t last, std::optional<Vector<bool>> changed,
            std::optional<Matrix<double>> scores) {
    const BusyGuard guard(busy_, owner_);
    if (scores) check_scores(*scores, first, last, classes());
    rows.check_range(first, last, std::min(labels.shape(0), predictions.shape(0)));
    if (repeats) rows.check_range(first, last, repeats->shape(0));
    if (changed) rows.check_range(first, last, changed->shape(0));
    const std::uint64_t declared = width_of(rows.block);
    each_row(rows, first, last, [&](std::size_t t) {
      width_ = std::max(width_, declared);
      predictions.data()[t] = says(ClassScores(scores_));
      if (scores) {
        const std::size_t apart = scores->shape(1);
        note({scores->data() + (t - first) * apart, apart}, ClassScores(scores_));
      }
      const std::uint32_t times = repeats ? read_once(repeats->data()[t]) : 1;
      const bool updated = learn_row(read_once(labels.data()[t]), times);
      if (changed) changed->data()[t] = updated;
      return true;
    });
  }

  void score(const Rows& rows, Vector<double> scores, std::size_t first,
             std::size_t last) {
    const BusyGuard guard(busy_, owner_);
    if (scores.shape(0) < last * classes()) {
      throw nb::value_error("scores must have room for every row");
    }
    rows.check_range(first, last, rows.size());
    each_row(rows, first, last, [&](std::size_t t) {
      std::ranges::copy(scores_, scores.data() + t * classes());
      return false;
    });
  }

  /// Lets the full matrices of all classes have at most so many features.
  void limit_features(std::size_t most) {
    const BusyGuard guard(busy_, owner_);
    blocks_->limit_features(most);
  }

  [[nodiscard]] std::size_t classes() const noexcept { return blocks_->size(); }
  [[nodiscard]] std::uint64_t updates() const noexcept { return updates_; }
  [[nodiscard]] std::uint64_t width() const noexcept { return width_; }

  /// What `get` returns of the learner, which nobody uses meanwhile.
  template <class Get>
  [[nodiscard]] auto look(Get get) {
    const BusyGuard guard(busy_, owner_);
    return get(*this);
  }

  /// Each feature with a weight: columns in order, then names in theirs.
  [[nodiscard]] nb::list items() {
    const BusyGuard guard(busy_, owner_);
    std::vector<Numbering::Number> order;
    for (Numbering::Number k = 0; k < met_.size(); ++k) order.push_back(k);
    const auto names = std::stable_partition(order.begin(), order.end(),
                                             [&](auto k) { return met_.is_column(k); });
    std::sort(order.begin(), names,
              [&](auto a, auto b) { return met_.column(a) < met_.column(b); });
    nb::list found;
    for (const auto number : order) {
      const std::vector<double> weights = weights_of(number);
      if (std::all_of(weights.begin(), weights.end(),
                      [](double w) { return w == 0.0; })) {
        continue;
      }
      found.append(nb::make_tuple(feature_of(number), weights));
    }
    return found;
  }

  /// The weights of one feature, or None if they are the initial ones.
  [[nodiscard]] nb::object weight(nb::handle feature) {
    const BusyGuard guard(busy_, owner_);
    const std::size_t known = met_.size();
    Numbering::Number number = 0;
    if (PyUnicode_Check(feature.ptr())) {
      const auto name = utf8_of(feature.ptr());
      if (!name) return nb::none();
      number = met_.of_name(*name);
    } else {
      const auto column = column_of_object(feature.ptr());
      if (!column) return nb::none();
      number = met_.of_column(*column);
    }
    met_.truncate(known);
    if (number >= known) return nb::none();
    const std::vector<double> weights = weights_of(number);
    const bool none =
        std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0.0; });
    return none ? nb::none() : nb::cast(weights);
  }

  /// The features met, in order.
  [[nodiscard]] nb::list features() {
    const BusyGuard guard(busy_, owner_);
    nb::list found;
    for (Numbering::Number k = 0; k < met_.size(); ++k) found.append(feature_of(k));
    return found;
  }
  /// What the learner of each class has learned.
  [[nodiscard]] nb::list blocks() {
    const BusyGuard guard(busy_, owner_);
    nb::list found;
    for (std::size_t c = 0; c < classes(); ++c) found.append(save(blocks_->block(c)));
    return found;
  }

  void load_features(const nb::list& features, std::uint64_t updates,
                     std::uint64_t width) {
    const BusyGuard guard(busy_, owner_);
    for (const nb::handle feature : features) {
      const std::size_t next = met_.size();
      std::optional<std::uint64_t> column;
      if (!PyUnicode_Check(feature.ptr())) {
        column = column_of_object(feature.ptr());
        check_saved(column && *column < width, "column numbers below the width");
      }
      const auto number = column ? met_.of_column(*column)
                                 : met_.of_name(checked_name(feature.ptr(), owner_));
      check_saved(number == next, "each feature once");
    }
    updates_ = updates;
    width_ = width;
    blocks_->clear();
  }
  void load_block(std::optional<Vector<const std::uint32_t>> columns,
                  const Matrix<const double>& column_cells,
                  const Vector<const std::uint8_t>& text,
                  const Vector<const std::uint64_t>& ends,
                  const Vector<const std::uint8_t>& kinds,
                  const Matrix<const double>& name_cells,
                  const Vector<const double>& rule, std::uint64_t updates,
                  std::uint64_t width) {
    const BusyGuard guard(busy_, owner_);
    check_saved(width <= met_.size() && ends.shape(0) == 0,
                "weights of the features met");
    Binary learner = blocks_->newborn();
    load(*learner, {std::move(columns), column_cells, text, ends, kinds, name_cells,
                    rule, updates, width});
    blocks_->take(std::move(learner));
  }

 private:
  [[nodiscard]] nb::object feature_of(Numbering::Number number) const {
    if (met_.is_column(number)) return nb::cast(met_.column(number));
    const std::string_view name = met_.name(number);
    return nb::str(name.data(), name.size());
  }

  [[nodiscard]] std::vector<double> weights_of(Numbering::Number number) {
    std::vector<double> weights(classes());
    blocks_->weigh(number, weights);
    return weights;
  }

  // One row -------------------------------------------------------------------------

  void begin_row() {
    columns_.clear();
    values_.clear();
    positions_.clear();
  }
  [[nodiscard]] Finding add(Numbering::Number number, std::size_t position,
                            double value) {
    if (!std::isfinite(value)) return {Fault::not_finite, position};
    columns_.push_back(number);
    values_.push_back(value);
    positions_.push_back(position);
    return {};
  }
  [[nodiscard]] ClassBlocks::Row row() const { return {columns_, values_}; }

  /// Scores the row by every class; what one of them refuses changes nothing.
  [[nodiscard]] Finding score_row() {
    scores_.resize(classes());
    Finding found = blocks_->score(row(), met_.size(), scores_);
    if (found.position < positions_.size()) {
      found.position = positions_[found.position];
    }
    return found;
  }

  /// Learns from the row that was scored; returns whether that changed any class.
  bool learn_row(ClassId label, std::uint32_t times) {
    const auto known = static_cast<ClassId>(classes());
    if (times == 0 || label < 0 || label > known) return false;
    if (label == known) blocks_->add();
    const std::uint64_t most = blocks_->learn(row(), met_.size(), label, times);
    updates_ += most;
    return most > 0;
  }

  [[nodiscard]] Finding read_looked_up() {
    begin_row();
    const ResolvedRow x = features_.lookup.row();
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x.value(k) == 0.0) continue;
      const std::int64_t index = x.index(k);
      const auto number =
          index >= 0
              ? met_.of_column(static_cast<std::uint64_t>(index))
              : met_.of_name(
                    features_.lookup.fresh[static_cast<std::size_t>(-1 - index)]);
      const Finding found = add(number, k, x.value(k));
      if (found.fault != Fault::none) return found;
    }
    return {};
  }

  void score_looked_up(nb::handle x) {
    const nb::object names = reader_.look_up(x);
    const std::size_t known = met_.size();
    Finding found = read_looked_up();
    if (found.fault == Fault::none) found = score_row();
    met_.truncate(known);
    if (found.fault != Fault::none) reader_.refuse_looked_up(found);
  }

  // Blocks --------------------------------------------------------------------------

  /// Scores rows [first, last) and calls `take`, which returns whether the row was
  /// learned from; refuses the row that stops it.
  template <class Take>
  void each_row(const Rows& rows, std::size_t first, std::size_t last, Take take) {
    std::vector<std::string_view> names;
    for (const nb::handle name : rows.names) {
      names.push_back(checked_name(name.ptr(), owner_));
    }
    std::vector<Numbering::Number> numbers;  // of the block's names
    std::vector<std::size_t> fresh;          // names that the row is the first to have
    const auto number = [&](std::size_t id) {
      if (id >= numbers.size()) numbers.resize(id + 1 + id / 2, Numbering::none);
      if (numbers[id] == Numbering::none) {
        numbers[id] = met_.of_name(rows.words.any() ? rows.words[id] : names[id]);
        fresh.push_back(id);
      }
      return numbers[id];
    };
    Finding finding;
    std::vector<std::uint64_t> scratch;
    const std::size_t reached = rows.visit([&](const auto& block) {
      return each_chunk(first, last, 64, [&](std::size_t from, std::size_t to) {
        for (std::size_t t = from; t < to; ++t) {
          const std::size_t known = met_.size();
          const auto x = block[t];
          begin_row();
          if (!block.sound(block.to_score(t))) finding = block.check(x, scratch);
          for (std::size_t k = 0; k < x.size() && finding.fault == Fault::none; ++k) {
            const double value = x.value(k);
            if (value == 0.0) continue;
            Numbering::Number feature = 0;
            if constexpr (requires { x.ids; }) {
              feature = number(x.ids[k]);
            } else if constexpr (requires { block.indices; }) {
              feature = number(k);
            } else {
              feature = met_.of_column(static_cast<std::uint64_t>(x.index(k)));
            }
            finding = add(feature, k, value);
          }
          if (finding.fault == Fault::none) finding = score_row();
          const bool stopped = finding.fault != Fault::none;
          if (stopped || !take(t)) {
            met_.truncate(known);
            // A number that was forgotten may come to mean another feature.
            for (const std::size_t id : fresh) numbers[id] = Numbering::none;
          }
          fresh.clear();
          if (stopped) return t;
        }
        return to;
      });
    });
    if (finding.fault != Fault::none) {
      reader_.refuse_row(rows, {reached, first}, finding);
    }
  }

  Owner owner_;
  Blocks blocks_;
  Numbering met_;
  Features features_;  // always empty: features are numbered here
  ExampleReader reader_{owner_, features_};
  std::uint64_t updates_ = 0;
  std::uint64_t width_ = 0;
  std::vector<double> scores_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<std::size_t> positions_;  // of the values in the example
  bool busy_ = false;
};

using Make = Blocks (*)(double, bool, double);

void bind_rule(nb::module_& m, const char* name, Make make) {
  m.def(
      name,
      [make](std::string owner, std::size_t classes, double r, bool diagonal,
             double bias) {
        return std::make_unique<OneVersusRest>(std::move(owner),
                                               make(r, diagonal, bias), classes);
      },
      "owner"_a, nb::kw_only(), "classes"_a, "r"_a, "diagonal"_a, "bias"_a);
}

}  // namespace

void bind_one_versus_rest(nb::module_& m) {
  nb::class_<OneVersusRest>(m, "OneVersusRest",
                            "A learner of two labels for each of many classes.")
      .def("predict_one", &OneVersusRest::predict_one, "x"_a.none())
      .def("score_one", &OneVersusRest::score_one, "x"_a.none())
      .def("play_one", &OneVersusRest::play_one, "x"_a.none(), "y"_a, "times"_a = 1)
      .def("play", &OneVersusRest::play, "rows"_a, "labels"_a.noconvert(),
           "predictions"_a.noconvert(), "repeats"_a.noconvert().none(), "first"_a,
           "last"_a, "changed"_a.noconvert().none() = nb::none(),
           "scores"_a.noconvert().none() = nb::none(),
           "Play rows [first, last) in order; write the predictions, and which rounds "
           "changed the learner, and what they scored.")
      .def("score", &OneVersusRest::score, "rows"_a, "scores"_a.noconvert(), "first"_a,
           "last"_a, "Score rows [first, last); learn nothing.")
      .def("limit_features", &OneVersusRest::limit_features, "most"_a,
           "Let full matrices refuse more features than this.")
      .def("items", &OneVersusRest::items,
           nb::sig("def items(self) -> list[tuple[str | int, list[float]]]"),
           "Each feature with a weight, and its weights.")
      .def("weight", &OneVersusRest::weight, "feature"_a.none(),
           nb::sig("def weight(self, feature: object) -> list[float] | None"),
           "The weights of one feature; None while they are the initial ones.")
      .def("features", &OneVersusRest::features,
           nb::sig("def features(self) -> list[str | int]"),
           "The features met, in order.")
      .def("blocks", &OneVersusRest::blocks,
           nb::sig("def blocks(self) -> list[dict[str, typing.Any]]"),
           "What the learner of each class has learned, as arrays.")
      .def("load_features", &OneVersusRest::load_features, "features"_a, "updates"_a,
           "width"_a,
           nb::sig("def load_features(self, features: list[typing.Any], updates: int, "
                   "width: int) -> None"),
           "Restore the features of a new learner, and forget its classes.")
      .def("load", &OneVersusRest::load_block, "columns"_a.noconvert().none(),
           "column_cells"_a.noconvert(), "text"_a.noconvert(), "ends"_a.noconvert(),
           "kinds"_a.noconvert(), "name_cells"_a.noconvert(), "rule"_a.noconvert(),
           "updates"_a, "width"_a, "Restore one more class.")
      .def_prop_ro("updates",
                   looked<OneVersusRest>([](auto& self) { return self.updates(); }))
      .def_prop_ro("width",
                   looked<OneVersusRest>([](auto& self) { return self.width(); }))
      .def_prop_ro("classes",
                   looked<OneVersusRest>([](auto& self) { return self.classes(); }));
  bind_rule(m, "multiclass_arow", &arow_blocks);
  bind_rule(m, "multiclass_second_order", &second_order_blocks);
}

}  // namespace littlestone::bindings
