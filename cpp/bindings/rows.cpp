#include <cstdint>
#include <vector>

#include "border.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

template <class V>
Rows dense(const Matrix<const V>& values) {
  const std::span<const V> all(values.data(), values.size());
  return {DenseBlock<V>{all, values.shape(0), values.shape(1)}, {}, nb::cast(values)};
}

template <class V>
Rows named(const Matrix<const V>& values, NameList names) {
  if (names.size() != values.shape(1)) throw nb::value_error("one name a column");
  for (const nb::handle name : names) {
    if (!PyUnicode_Check(name.ptr())) throw nb::type_error("a name is a string");
  }
  const std::span<const V> all(values.data(), values.size());
  return {NamedBlock<V>{all, {}, values.shape(0)}, std::move(names), nb::cast(values)};
}

template <class V, class I>
Rows csr(const Vector<const I>& offsets, const Vector<const I>& columns,
         const Vector<const V>& values, std::size_t width) {
  const auto starts = as_span(offsets);
  bool sound = !starts.empty() && starts.front() >= 0 &&
               columns.shape(0) == values.shape(0) &&
               static_cast<std::size_t>(starts.back()) <= values.shape(0);
  for (std::size_t t = 1; t < starts.size(); ++t) sound &= starts[t - 1] <= starts[t];
  if (!sound) {
    throw nb::value_error("the offsets of sparse rows must rise from 0 to their end");
  }
  return {CsrBlock<V, I>{starts, as_span(columns), as_span(values), width},
          {},
          nb::make_tuple(offsets, columns, values)};
}

/// Hands over one row; names have been given places, of which nobody asks.
template <class Take>
auto with_row(const Rows& self, std::size_t row, Take take) {
  if (row >= self.size()) throw nb::index_error();
  const std::vector<std::int64_t> places(self.names.size());
  return std::visit(
      [&](auto rows) {
        if constexpr (requires { rows.indices; }) rows.indices = places;
        return take(rows[row]);
      },
      self.block);
}

nb::dict example(const Rows& self, std::size_t row) {
  return with_row(self, row, [&](const auto& x) {
    nb::dict features;
    for (std::size_t k = 0; k < x.size(); ++k) {
      features[self.feature(x, k)] = x.value(k);
    }
    return features;
  });
}

nb::tuple entry(const Rows& self, std::size_t row, std::size_t position) {
  return with_row(self, row, [&](const auto& x) {
    if (position >= x.size()) throw nb::index_error();
    return nb::make_tuple(self.feature(x, position), x.value(position));
  });
}

template <class V>
void bind_value(nb::module_& m) {
  m.def("dense", &dense<V>, "values"_a.noconvert(), "Rows of a C-ordered matrix.");
  m.def("named", &named<V>, "values"_a.noconvert(), "names"_a,
        "Rows of a C-ordered matrix whose columns have names.");
  m.def("csr", &csr<V, std::int32_t>, "offsets"_a.noconvert(), "columns"_a.noconvert(),
        "values"_a.noconvert(), "width"_a, "Compressed sparse rows.");
  m.def("csr", &csr<V, std::int64_t>, "offsets"_a.noconvert(), "columns"_a.noconvert(),
        "values"_a.noconvert(), "width"_a, "Compressed sparse rows.");
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<Rows>(m, "Rows", "Rows borrowed from arrays.")
      .def("__len__", &Rows::size)
      .def(
          "nonzeros",
          [](const Rows& self, std::size_t row) {
            return with_row(self, row, [](const auto& x) { return x.size(); });
          },
          "row"_a, "How many entries a row has.")
      .def("row", &example, "row"_a,
           nb::sig("def row(self, row: int) -> dict[typing.Any, float]"),
           "One row as a mapping from name or column number to value.")
      .def("entry", &entry, "row"_a, "position"_a,
           nb::sig("def entry(self, row: int, position: int) -> "
                   "tuple[str | int, float]"),
           "The feature and the value at one position of a row.");
  bind_value<float>(m);
  bind_value<double>(m);
}

}  // namespace littlestone::bindings
