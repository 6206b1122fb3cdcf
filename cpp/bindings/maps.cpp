#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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
#include "littlestone/maps/fourier.hpp"
#include "littlestone/maps/products.hpp"
#include "littlestone/maps/standardized.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// Mapped rows that refer to nothing else: dense, by column numbers, or by names.
class MappedBlock {
 public:
  MappedBlock(Mapped made, const Map& map) : made_(std::move(made)) {
    width_ = map.width();
    if (width_ > 0) return;
    const Numbering& features = map.made();
    std::vector<std::uint32_t> slots;  // of the names, by the number of the feature
    for (std::uint32_t& feature : made_.features) {
      if (features.is_column(feature)) {
        feature = static_cast<std::uint32_t>(features.column(feature));
        width_ = std::max<std::size_t>(width_, feature + std::size_t{1});
        continue;
      }
      if (feature >= slots.size()) slots.resize(features.size(), Numbering::none);
      if (slots[feature] == Numbering::none) {
        slots[feature] =
            static_cast<std::uint32_t>(names_.enter(features.name(feature)));
      }
      feature = slots[feature];
      ++named_;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return made_.size(); }
  [[nodiscard]] const Finding& finding() const noexcept { return made_.finding; }
  /// The rows, borrowed.
  [[nodiscard]] Rows rows(nb::handle self) const {
    if (width_ > 0 && made_.features.empty() && !made_.values.empty()) {
      return {DenseBlock<double>{made_.values, size(), width_}, {}, nb::borrow(self)};
    }
    if (named_ > 0) {
      return {WordsBlock{made_.offsets, made_.features, made_.values, {}},
              {},
              nb::borrow(self),
              {&names_}};
    }
    return {ParsedBlock{made_.offsets, made_.features, made_.values, width_},
            {},
            nb::borrow(self)};
  }
  /// Whether some features have names and others column numbers.
  [[nodiscard]] bool is_mixed() const noexcept {
    return named_ > 0 && named_ < made_.features.size();
  }

 private:
  Mapped made_;
  std::size_t width_ = 0;
  std::size_t named_ = 0;  // entries
  Names names_;
};

/// The Python class of a map.
class NativeMap {
 public:
  NativeMap(std::string owner, std::unique_ptr<Map> map)
      : owner_(std::move(owner)), map_(std::move(map)) {}

  MappedBlock apply(const Rows& rows, std::size_t first, std::size_t last, bool learn) {
    const BusyGuard guard(busy_, owner_);
    rows.check_range(first, last, rows.size());
    std::vector<std::string_view> names;
    for (const nb::handle name : rows.names) {
      names.push_back(checked_name(name.ptr(), owner_));
    }
    const std::size_t known = map_->met.size();
    const std::size_t held = map_->held();
    Mapped made = rows.visit([&](const auto& block) {
      const nb::gil_scoped_release release;
      return map_->map(block, first, last, learn ? Learning::yes : Learning::no,
                       [&](std::size_t id) {
                         return rows.words.any() ? rows.words[id] : names[id];
                       });
    });
    MappedBlock block(std::move(made), *map_);
    if (!learn) map_->predicted(known, held);
    return block;
  }

  /// A list of numbers, or a mapping from feature to number.
  nb::object apply_one(nb::handle x, bool learn) {
    const BusyGuard guard(busy_, owner_);
    const nb::object names = reader_.look_up(x);
    const ResolvedRow row = features_.lookup.row();
    const std::size_t known = map_->met.size();
    const std::size_t held = map_->held();
    std::vector<Entry> entries;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.value(k) == 0.0) continue;
      const std::int64_t index = row.index(k);
      const auto number =
          index >= 0
              ? map_->met.of_column(static_cast<std::uint64_t>(index))
              : map_->met.of_name(
                    features_.lookup.fresh[static_cast<std::size_t>(-1 - index)]);
      entries.push_back({number, k, row.value(k)});
    }
    Mapped made;
    if (!map_->add_row(entries, learn ? Learning::yes : Learning::no, made)) {
      map_->forget(known);
      reader_.refuse_looked_up(made.finding);
    }
    nb::object result = as_python(made);
    if (!learn) map_->predicted(known, held);
    return result;
  }

  /// Refuses the row after the last one of a block that was mapped from `first` on.
  void refuse(const Rows& rows, const MappedBlock& block, std::size_t row,
              std::size_t first) const {
    if (block.finding().fault == Fault::none) return;
    reader_.refuse_row(rows, {row, first}, block.finding());
  }

  /// Remembers what was learned so far, so that `undo` can return to it.
  void mark() {
    const BusyGuard guard(busy_, owner_);
    map_->mark();
  }
  void undo() {
    const BusyGuard guard(busy_, owner_);
    map_->undo();
  }

  /// The features met, if what was learned is about them, and what was learned.
  [[nodiscard]] std::pair<nb::list, std::vector<double>> save() {
    const BusyGuard guard(busy_, owner_);
    nb::list features;
    std::vector<double> state = map_->state();
    if (!state.empty()) {
      for (Numbering::Number k = 0; k < map_->met.size(); ++k) {
        features.append(feature_of(map_->met, k));
      }
    }
    return {features, state};
  }
  void load(const nb::list& features, const std::vector<double>& state) {
    const BusyGuard guard(busy_, owner_);
    for (const nb::handle feature : features) {
      const std::size_t next = map_->met.size();
      std::optional<std::uint64_t> column;
      if (!PyUnicode_Check(feature.ptr())) {
        column = column_of_object(feature.ptr());
        if (!column) owner_.refuse_feature("feature", feature);
      }
      const auto number = column
                              ? map_->met.of_column(*column)
                              : map_->met.of_name(checked_name(feature.ptr(), owner_));
      if (number != next) owner_.refuse_feature("duplicate", feature);
    }
    if (!map_->restore(state)) {
      throw nb::value_error("expected numbers that the map can have");
    }
  }

 private:
  [[nodiscard]] static nb::object feature_of(const Numbering& features,
                                             Numbering::Number number) {
    if (features.is_column(number)) return nb::cast(features.column(number));
    const std::string_view name = features.name(number);
    return nb::str(name.data(), name.size());
  }

  [[nodiscard]] nb::object as_python(const Mapped& made) const {
    if (map_->width() > 0) return nb::cast(made.values);
    nb::dict example;
    for (std::size_t k = 0; k < made.values.size(); ++k) {
      example[feature_of(map_->made(), made.features[k])] = made.values[k];
    }
    return example;
  }

  Owner owner_;
  std::unique_ptr<Map> map_;
  Features features_;  // always empty: the map numbers features itself
  ExampleReader reader_{owner_, features_};
  bool busy_ = false;
};

[[nodiscard]] Crossing crossing_of(nb::handle feature) {
  if (PyUnicode_Check(feature.ptr())) {
    return {.name = std::string(checked_name(feature.ptr(), Owner("Crossed")))};
  }
  const auto column = column_of_object(feature.ptr());
  if (!column) Owner("Crossed").refuse_feature("feature", feature);
  return {.is_column = true, .column = *column, .name = {}};
}

[[nodiscard]] std::unique_ptr<NativeMap> crossed(
    const std::vector<std::pair<nb::object, nb::object>>& pairs) {
  std::vector<std::pair<Crossing, Crossing>> crossings;
  for (const auto& [left, right] : pairs) {
    crossings.emplace_back(crossing_of(left), crossing_of(right));
  }
  return std::make_unique<NativeMap>(
      "Crossed", std::make_unique<CrossedMap>(std::move(crossings)));
}

}  // namespace

void bind_maps(nb::module_& m) {
  nb::class_<MappedBlock>(m, "MappedBlock", "Rows that a map has made.")
      .def("__len__", &MappedBlock::size)
      .def(
          "rows",
          [](nb::handle self) { return nb::cast<MappedBlock&>(self).rows(self); },
          "The rows, borrowed.")
      .def_prop_ro("mixed", &MappedBlock::is_mixed,
                   "Whether some features have names and others column numbers.")
      .def_prop_ro("stopped", [](const MappedBlock& self) {
        return self.finding().fault != Fault::none;
      });

  nb::class_<NativeMap>(m, "Map", "Turns examples into others.")
      .def("apply", &NativeMap::apply, "rows"_a, "first"_a, "last"_a, "learn"_a,
           "Map rows [first, last), up to the first that cannot be.")
      .def("apply_one", &NativeMap::apply_one, "x"_a.none(), "learn"_a,
           nb::sig("def apply_one(self, x: object, learn: bool) -> typing.Any"),
           "Map one example: to a list of numbers, or to a mapping.")
      .def("refuse", &NativeMap::refuse, "rows"_a, "block"_a, "row"_a, "first"_a,
           "Raise what stopped a block at this row.")
      .def("mark", &NativeMap::mark, "Remember what was learned so far.")
      .def("undo", &NativeMap::undo, "Return to what was remembered.")
      .def("save", &NativeMap::save,
           nb::sig("def save(self) -> tuple[list[str | int], list[float]]"),
           "The features met and what was learned of them.")
      .def("load", &NativeMap::load, "features"_a, "state"_a,
           nb::sig("def load(self, features: list[typing.Any], state: list[float]) "
                   "-> None"),
           "Restore a new map from what save() returned.");

  m.def(
      "fourier_map",
      [](std::size_t dim, double width, std::uint64_t seed) {
        return std::make_unique<NativeMap>(
            "Fourier", std::make_unique<FourierMap>(dim, width, seed));
      },
      nb::kw_only(), "dim"_a, "width"_a, "seed"_a);
  m.def(
      "standardized_map",
      [](bool center) {
        return std::make_unique<NativeMap>("Standardized",
                                           std::make_unique<StandardizedMap>(center));
      },
      nb::kw_only(), "center"_a);
  m.def(
      "quadratic_map",
      [](unsigned bits) {
        std::unique_ptr<Map> map;
        if (bits == 0) {
          map = std::make_unique<QuadraticMap>();
        } else if (bits <= Hasher::most_bits) {
          map = std::make_unique<HashedQuadraticMap>(bits);
        } else {
          throw nb::value_error("bits must be from 0 to 24");
        }
        return std::make_unique<NativeMap>("Quadratic", std::move(map));
      },
      nb::kw_only(), "bits"_a);
  m.def("crossed_map", &crossed, "pairs"_a,
        nb::sig("def crossed_map(pairs: list[tuple[str | int, str | int]]) -> Map"));
}

}  // namespace littlestone::bindings
