#include "littlestone/kept.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "border.hpp"
#include "charging.hpp"
#include "littlestone/digest.hpp"
#include "littlestone/linear/losses.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// Visits the block, and its names.
template <class Take>
auto with_block(const Rows& rows, Take take) {
  const std::vector<std::string_view> names = rows.all_names();
  return rows.visit([&](const auto& block) {
    return take(block, std::span<const std::string_view>(names));
  });
}

void add(KeptExamples& self, const Rows& rows, Vector<const bool> changed,
         std::size_t first, std::size_t last) {
  rows.check_range(first, last, changed.shape(0));
  with_block(rows, [&](const auto& block, auto names) {
    self.add_changed(block, names, as_span(changed), first, last);
  });
}

void add_one(KeptExamples& self, const nb::list& features,
             const std::vector<double>& values) {
  if (features.size() != values.size()) {
    throw nb::value_error("there must be one value for each feature");
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const nb::handle feature = features[k];
    if (PyUnicode_Check(feature.ptr())) {
      self.add_name(checked_name(feature.ptr(), Owner()), values[k]);
    } else {
      self.add_column(nb::cast<std::uint64_t>(feature), values[k]);
    }
  }
  self.end_example();
}

nb::list features(const KeptExamples& self) {
  nb::list all;
  for (std::size_t number = 0; number < self.features(); ++number) {
    self.visit(
        number, [&](std::uint64_t column) { all.append(column); },
        [&](std::string_view name) { all.append(nb::str(name.data(), name.size())); });
  }
  return all;
}

nb::list features_met(const Losses& self) {
  nb::list all;
  self.each_feature(
      [&](std::uint64_t column) { all.append(column); },
      [&](std::string_view name) { all.append(nb::str(name.data(), name.size())); });
  return all;
}

/// An array that takes over the numbers.
template <class T>
auto taken(Growing<T>& from) {
  const std::size_t size = from.size();
  (void)from.room_for(1);  // so that there is memory to own
  T* const numbers = from.release();
  const nb::capsule owner(numbers, [](void* p) noexcept { std::free(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(numbers, {size}, owner);
}

void add_rows(StreamDigest& self, const Rows& rows, Vector<const bool> labels,
              std::size_t first, std::size_t last) {
  rows.check_range(first, last, labels.shape(0));
  with_block(rows, [&](const auto& block, auto names) {
    const nb::gil_scoped_release release;
    self.add_rows(block, names, as_span(labels), first, last);
  });
}

void add_written(StreamDigest& self, const Rows& rows,
                 const nb::typed<nb::list, nb::bytes>& labels, std::size_t first,
                 std::size_t last) {
  rows.check_range(first, last, labels.size());
  std::vector<nb::bytes> held;  // another thread may change the list
  std::vector<std::string_view> written(labels.size());
  for (std::size_t t = first; t < last; ++t) {
    const nb::bytes& label = held.emplace_back(nb::cast<nb::bytes>(labels[t]));
    written[t] = {label.c_str(), label.size()};
  }
  with_block(rows, [&](const auto& block, auto names) {
    const nb::gil_scoped_release release;
    self.add_rows(block, names, std::span<const std::string_view>(written), first,
                  last);
  });
}

using Levels = std::vector<std::pair<double, double>>;

void make_losses(Losses* self, const nb::list& features,
                 const std::vector<double>& weights, const Levels& levels,
                 double constant, double at_constant, bool normalize, bool counts,
                 bool sizes, std::optional<std::pair<double, double>> steps) {
  if (features.size() != weights.size()) {
    throw nb::value_error("there must be one weight for each feature");
  }
  std::vector<Losses::Measure> measures;
  for (const auto& [yes, no] : levels) measures.push_back({yes, no});
  const Losses::Vector v{constant, at_constant, normalize};
  Losses losses(v, std::move(measures), {counts, sizes});
  if (steps) losses.set_steps({steps->first, steps->second});
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const nb::handle feature = features[k];
    if (PyUnicode_Check(feature.ptr())) {
      losses.set_name(checked_name(feature.ptr(), Owner()), weights[k]);
    } else {
      losses.set_column(nb::cast<std::uint64_t>(feature), weights[k]);
    }
  }
  new (self) Losses(std::move(losses));
}

void lose(Losses& self, const Rows& rows, Vector<const bool> labels, std::size_t first,
          std::size_t last) {
  rows.check_range(first, last, labels.shape(0));
  Losses::Known known{rows.all_names()};
  rows.visit([&](const auto& block) {
    const nb::gil_scoped_release release;
    self.add(block, known, as_span(labels), first, last);
  });
}

std::vector<double> sums(const Losses& self) {
  std::vector<double> all;
  for (const Losses::Measure& each : self.measures()) all.push_back(each.sum);
  return all;
}

nb::bytes digest(const StreamDigest& self) {
  const ShaDigest bytes = self.digest();
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void charge(Losses& witness, const Block& block, Losses::Known& known,
            std::span<const bool> labels, std::size_t first, std::size_t last) {
  std::visit([&](const auto& rows) { witness.add(rows, known, labels, first, last); },
             block);
}

void bind_kept(nb::module_& m) {
  nb::class_<KeptExamples>(
      m, "KeptExamples", "Examples, with features numbered by their first occurrence.")
      .def(nb::init<>())
      .def("add", &add, "rows"_a, "changed"_a.noconvert(), "first"_a, "last"_a,
           "Keep the rows of [first, last) that changed the learner.")
      .def("add_one", &add_one, "features"_a, "values"_a,
           nb::sig("def add_one(self, features: list[str | int], "
                   "values: Sequence[float]) -> None"),
           "Keep one example, given by its features and their values.")
      .def("features", &features, nb::sig("def features(self) -> list[str | int]"),
           "The features, in the order of their numbers.")
      .def(
          "take",
          [](KeptExamples& self) {
            return nb::make_tuple(taken(self.ends), taken(self.columns),
                                  taken(self.values));
          },
          nb::sig("def take(self) -> tuple[NDArray[numpy.int64], "
                  "NDArray[numpy.int32], NDArray[numpy.float64]]"),
          "Where each example ends, the numbers of its features, and their values; "
          "none are left.");
  nb::class_<Losses>(m, "Losses", "What a fixed vector loses on a stream, rounded up.")
      .def(
          "__init__", &make_losses, "features"_a, "weights"_a, "levels"_a,
          "constant"_a = 0.0, "at_constant"_a = 0.0, "normalize"_a = false,
          "counts"_a = false, "sizes"_a = false, "steps"_a = nb::none(),
          nb::sig("def __init__(self, features: list[str | int], "
                  "weights: Sequence[float], levels: Sequence[tuple[float, float]], "
                  "constant: float = 0.0, at_constant: float = 0.0, "
                  "normalize: bool = False, counts: bool = False, sizes: bool = False, "
                  "steps: tuple[float, float] | None = None) -> None"))
      .def("add", &lose, "rows"_a, "labels"_a.noconvert(), "first"_a, "last"_a,
           "Add what is lost on the rows of [first, last).")
      .def("sums", &sums, "The sum of the losses, for each pair of levels.")
      .def("largest", &Losses::largest, "At least the largest squared length of a row.")
      .def("smallest", &Losses::smallest,
           "The smallest size of a value that is not 0, if it is asked, or infinity.")
      .def("met", &Losses::met, "How many features were not 0 in a row, if it counts.")
      .def("features", &features_met, nb::sig("def features(self) -> list[str | int]"),
           "These features, the columns before the names.")
      .def(
          "restore",
          [](Losses& self, const std::vector<double>& sums, double largest,
             double smallest) { self.restore(sums, largest, smallest); },
          "sums"_a, "largest"_a, "smallest"_a, "Continue from what was added before.");
  nb::class_<StreamDigest>(m, "StreamDigest",
                           "The digest of a stream, written and hashed natively.")
      .def(
          "__init__",
          [](StreamDigest* self, const nb::bytes& begin) {
            new (self) StreamDigest({begin.c_str(), begin.size()});
          },
          "begin"_a)
      .def(
          "add",
          [](StreamDigest& self, const nb::bytes& rounds) {
            self.add({rounds.c_str(), rounds.size()});
          },
          "rounds"_a, "Add rounds that are written already.")
      .def("add_rows", &add_rows, "rows"_a, "labels"_a.noconvert(), "first"_a, "last"_a,
           "Add the rows of [first, last) with their labels.")
      .def("add_written", &add_written, "rows"_a, "labels"_a, "first"_a, "last"_a,
           "The same with labels that are written already.")
      .def("digest", &digest, "The digest of all rounds so far.");
}

}  // namespace littlestone::bindings
