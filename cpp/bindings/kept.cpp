#include "littlestone/kept.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

std::string_view utf8(nb::handle name) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    nb::dict facts;
    facts["feature"] = name;
    refuse("feature", facts);
  }
  return {text, static_cast<std::size_t>(size)};
}

/// The names of a block's features, by their places; none where they are columns.
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const nb::handle name : rows.names) names.push_back(utf8(name));
  rows.each_word([&](std::string_view name) { names.push_back(name); });
  return names;
}

/// Hands over the block, and its names, of whose weights nobody asks.
template <class Take>
auto with_block(const Rows& rows, Take take) {
  const std::vector<std::string_view> names = names_of(rows);
  const std::vector<std::int64_t> places(names.size());
  return std::visit(
      [&](auto block) {
        if constexpr (requires { block.indices; }) block.indices = places;
        return take(block, std::span<const std::string_view>(names));
      },
      rows.block);
}

void check_range(const Rows& rows, std::size_t first, std::size_t last,
                 std::size_t other) {
  if (first > last || last > rows.size() || last > other) {
    throw nb::value_error("rows out of range");
  }
}

void add(KeptExamples& self, const Rows& rows, Vector<const bool> changed,
         std::size_t first, std::size_t last) {
  check_range(rows, first, last, changed.shape(0));
  with_block(rows, [&](const auto& block, auto names) {
    self.add_changed(block, names, as_span(changed), first, last);
  });
}

void add_one(KeptExamples& self, const nb::list& features,
             const std::vector<double>& values) {
  if (features.size() != values.size()) throw nb::value_error("one value a feature");
  for (std::size_t k = 0; k < values.size(); ++k) {
    const nb::handle feature = features[k];
    if (PyUnicode_Check(feature.ptr())) {
      self.add_name(utf8(feature), values[k]);
    } else {
      self.add_column(nb::cast<std::uint64_t>(feature), values[k]);
    }
  }
  self.end_example();
}

nb::list features(const KeptExamples& self) {
  nb::list told;
  for (std::size_t number = 0; number < self.features(); ++number) {
    self.tell(
        number, [&](std::uint64_t column) { told.append(column); },
        [&](std::string_view name) { told.append(nb::str(name.data(), name.size())); });
  }
  return told;
}

/// An array that owns its numbers; those of the examples stay as they are.
template <class T>
auto copy_of(const std::vector<T>& from) {
  auto* const own = new std::vector<T>(from);
  const nb::capsule owner(
      own, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(own->data(), {own->size()}, owner);
}

/// The bytes of as many rows as make about `enough` of them, and the row after those.
template <class Label>
nb::tuple encoded(const Rows& rows, std::span<const Label> labels, std::size_t first,
                  std::size_t last, std::size_t enough) {
  return with_block(rows, [&](const auto& block, auto names) {
    Stretch stretch;
    {
      const nb::gil_scoped_release release;
      stretch = measure(block, names, labels, first, last, enough);
    }
    // Nobody else has the bytes yet, so they may be written.
    const nb::object bytes = nb::steal(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(stretch.size)));
    if (!bytes.is_valid()) throw nb::python_error();
    char* const to = PyBytes_AsString(bytes.ptr());
    {
      const nb::gil_scoped_release release;
      write(block, names, labels, first, stretch.last, to);
    }
    return nb::make_tuple(bytes, stretch.last);
  });
}

nb::tuple encode(const Rows& rows, Vector<const bool> labels, std::size_t first,
                 std::size_t last, std::size_t enough) {
  check_range(rows, first, last, labels.shape(0));
  return encoded(rows, as_span(labels), first, last, enough);
}

nb::tuple encode_written(const Rows& rows, const nb::typed<nb::list, nb::bytes>& labels,
                         std::size_t first, std::size_t last, std::size_t enough) {
  check_range(rows, first, last, labels.size());
  std::vector<std::string_view> written(labels.size());
  for (std::size_t t = first; t < last; ++t) {
    const auto label = nb::cast<nb::bytes>(labels[t]);
    written[t] = {label.c_str(), label.size()};  // the list holds it
  }
  return encoded(rows, std::span<const std::string_view>(written), first, last, enough);
}

constexpr const char* encode_doc =
    "The bytes that a digest is taken of, of rows from first on until they are enough "
    "or rows end, and the row after those.";

}  // namespace

void bind_kept(nb::module_& m) {
  nb::class_<KeptExamples>(m, "KeptExamples",
                           "Examples by features numbered as they are met.")
      .def(nb::init<>())
      .def("add", &add, "rows"_a, "changed"_a.noconvert(), "first"_a, "last"_a,
           "Keep those of rows [first, last) that changed the learner.")
      .def("add_one", &add_one, "features"_a, "values"_a,
           nb::sig("def add_one(self, features: list[str | int], "
                   "values: Sequence[float]) -> None"),
           "Keep one example, given by its features and their values.")
      .def("features", &features, nb::sig("def features(self) -> list[str | int]"),
           "The features, in the order of their numbers.")
      .def("offsets", [](const KeptExamples& self) { return copy_of(self.offsets); })
      .def("columns", [](const KeptExamples& self) { return copy_of(self.columns); })
      .def("values", [](const KeptExamples& self) { return copy_of(self.values); });
  m.def("encode", &encode, "rows"_a, "labels"_a.noconvert(), "first"_a, "last"_a,
        "enough"_a,
        nb::sig("def encode(rows: Rows, labels: NDArray[numpy.bool_], first: int, "
                "last: int, enough: int) -> tuple[bytes, int]"),
        encode_doc);
  m.def("encode_written", &encode_written, "rows"_a, "labels"_a, "first"_a, "last"_a,
        "enough"_a,
        nb::sig("def encode_written(rows: Rows, labels: list[bytes], first: int, "
                "last: int, enough: int) -> tuple[bytes, int]"),
        "The same with labels that are written already.");
}

}  // namespace littlestone::bindings
