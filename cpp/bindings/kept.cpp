#include "littlestone/kept.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"
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

/// The bytes of rows, until there are `enough`, and the row after those.
template <class Label>
nb::tuple encoded(const Rows& rows, std::span<const Label> labels, std::size_t first,
                  std::size_t last, std::size_t enough) {
  return with_block(rows, [&](const auto& block, auto names) {
    Stretch stretch;
    {
      const nb::gil_scoped_release release;
      stretch = measure(block, names, labels, first, last, enough);
    }
    // Nothing else refers to the bytes yet, so they may be written.
    const nb::object bytes = nb::steal(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(stretch.size)));
    if (!bytes.is_valid()) throw nb::python_error();
    const std::span<char> room(PyBytes_AsString(bytes.ptr()), stretch.size);
    bool same = false;
    {
      const nb::gil_scoped_release release;
      same = write(block, names, labels, first, stretch.last, room);
    }
    if (!same) refuse("changed", {});
    return nb::make_tuple(bytes, stretch.last);
  });
}

nb::tuple encode(const Rows& rows, Vector<const bool> labels, std::size_t first,
                 std::size_t last, std::size_t enough) {
  rows.check_range(first, last, labels.shape(0));
  return encoded(rows, as_span(labels), first, last, enough);
}

nb::tuple encode_written(const Rows& rows, const nb::typed<nb::list, nb::bytes>& labels,
                         std::size_t first, std::size_t last, std::size_t enough) {
  rows.check_range(first, last, labels.size());
  std::vector<std::string_view> written(labels.size());
  for (std::size_t t = first; t < last; ++t) {
    const auto label = nb::cast<nb::bytes>(labels[t]);
    written[t] = {label.c_str(), label.size()};  // the list holds it
  }
  return encoded(rows, std::span<const std::string_view>(written), first, last, enough);
}

constexpr const char* encode_doc =
    "The bytes of rows for the digest, from `first` on until there are enough, and the "
    "row after those.";

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
  m.def("encode", &encode, "rows"_a, "labels"_a.noconvert(), "first"_a, "last"_a,
        "enough"_a,
        nb::sig("def encode(rows: Rows, labels: NDArray[numpy.bool_], first: int, "
                "last: int, enough: int) -> tuple[bytes, int]"),
        encode_doc);
  m.def("encode_written", &encode_written, "rows"_a, "labels"_a, "first"_a, "last"_a,
        "enough"_a,
        nb::sig("def encode_written(rows: Rows, labels: list[bytes], first: int, "
                "last: int, enough: int) -> tuple[bytes, int]"),
        "The same with labels that are bytes already.");
}

}  // namespace littlestone::bindings
