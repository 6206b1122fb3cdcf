#include "littlestone/kept.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"
#include "littlestone/digest.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

/// The names of a block's features; none if they are columns.
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const nb::handle name : rows.names)
    names.push_back(checked_name(name.ptr(), Owner()));
  rows.each_word([&](std::string_view name) { names.push_back(name); });
  return names;
}

/// Visits the block, and its names.
template <class Take>
auto with_block(const Rows& rows, Take take) {
  const std::vector<std::string_view> names = names_of(rows);
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

nb::bytes digest(const StreamDigest& self) {
  const ShaDigest bytes = self.digest();
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

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
