#include <cstdint>

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
            if (row >= self.size()) throw nb::index_error();
            return std::visit([row](const auto& rows) { return rows[row].size(); },
                              self.block);
          },
          "row"_a, "How many entries a row has.");
  bind_value<float>(m);
  bind_value<double>(m);
}

}  // namespace littlestone::bindings
