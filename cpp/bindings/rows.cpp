#include "rows.hpp"

#include <algorithm>  // std::max
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>  // std::move
#include <variant>  // std::visit
#include <vector>

#include "border.hpp"
#include "busy.hpp"
#include "example_reader.hpp"
#include "littlestone/names.hpp"
#include "littlestone/parsing/utf8.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

template <class V>
Rows dense(const Matrix<const V>& values) {
  const std::span<const V> all(values.data(), values.size());
  return {DenseBlock<V>{all, values.shape(0), values.shape(1)}, {}, nb::cast(values)};
}

template <class V>
Rows named(const Matrix<const V>& values, const ColumnNames& names) {
  ColumnNames plain;  // a list of our own, which nothing else changes
  for (std::size_t k = 0; k < names.size(); ++k) {
    const nb::object name = names[k];
    if (!PyUnicode_Check(name.ptr())) throw nb::type_error("a name must be a str");
    plain.append(plain_name(name));
  }
  if (plain.size() != values.shape(1))
    throw nb::value_error("there must be one name for each column");
  const std::span<const V> all(values.data(), values.size());
  return {NamedBlock<V>{all, {}, values.shape(0)}, std::move(plain), nb::cast(values)};
}

template <class V, class I>
Rows csr(const Vector<const I>& offsets, const Vector<const I>& columns,
         const Vector<const V>& values, std::size_t width) {
  const auto starts = as_span(offsets);
  check_offsets(starts, !starts.empty() && starts.front() >= 0 &&
                            columns.shape(0) == values.shape(0) &&
                            static_cast<std::size_t>(starts.back()) <= values.shape(0));
  return {CsrBlock<V, I>{starts, as_span(columns), as_span(values), width},
          {},
          nb::make_tuple(offsets, columns, values)};
}

/// Enters concatenated texts, each of which must be UTF-8 and new.
template <class O>
std::size_t add_names(Names& names, const Vector<const std::uint8_t>& text,
                      const Vector<const O>& offsets) {
  const auto ends = as_span(offsets);
  check_offsets(ends, !ends.empty() && ends.front() >= 0 &&
                          static_cast<std::size_t>(ends.back()) <= text.shape(0));
  const auto* const bytes = reinterpret_cast<const char*>(text.data());
  const std::size_t before = names.size();
  for (std::size_t k = 1; k < ends.size(); ++k) {
    const std::string_view name(bytes + ends[k - 1],
                                static_cast<std::size_t>(ends[k] - ends[k - 1]));
    const std::size_t next = names.size();
    if (!is_utf8(name) || names.enter(name) != next) {
      names.truncate(before);
      const nb::str shown(nb::bytes(name.data(), name.size())
                              .attr("decode")("utf-8", "backslashreplace"));
      throw nb::key_error(shown.c_str());
    }
  }
  return before;
}

/// Sparse rows over a table of names, each at most once in a row.
Rows words(const Vector<const std::uint64_t>& offsets,
           const Vector<const std::uint32_t>& ids, const Vector<const double>& values,
           nb::handle table) {
  const auto& names = nb::cast<const Names&>(table);
  const auto starts = as_span(offsets);
  check_offsets(starts, !starts.empty() && starts.front() == 0 &&
                            ids.shape(0) == values.shape(0) &&
                            starts.back() == ids.shape(0));
  // For each name the last row that has it, from 1.
  std::vector<std::size_t> met(names.size());
  const std::uint32_t* id = ids.data();
  for (std::size_t t = 1; t < starts.size(); ++t) {
    for (const auto* const end = ids.data() + starts[t]; id != end; ++id) {
      if (*id >= met.size() || met[*id] == t) {
        throw nb::value_error("a name must occur once in a row");
      }
      met[*id] = t;
    }
  }
  return {WordsBlock{starts, as_span(ids), as_span(values), {}},
          {},
          nb::make_tuple(offsets, ids, values, table),
          {&names}};
}

template <class Take>
auto with_row(const Rows& self, std::size_t row, Take take) {
  if (row >= self.size()) throw nb::index_error();
  return self.visit([&](const auto& block) { return take(block[row]); });
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

/// Some rows of a block, as a block of their own.
Rows part(const Rows& self, std::size_t first, std::size_t last) {
  self.check_range(first, last, self.size());
  const std::size_t count = last - first;
  Block some = std::visit(
      [&](auto rows) -> Block {
        if constexpr (requires { rows.offsets; }) {
          rows.offsets = rows.offsets.subspan(first, count + 1);
        } else {
          const std::size_t width = rows.rows == 0 ? 0 : rows.values.size() / rows.rows;
          rows.values = rows.values.subspan(first * width, count * width);
          rows.rows = count;
        }
        return rows;
      },
      self.block);
  return {std::move(some), self.names, self.owner, self.words};
}

nb::tuple entry(const Rows& self, std::size_t row, std::size_t position) {
  return with_row(self, row, [&](const auto& x) {
    if (position >= x.size()) throw nb::index_error();
    return nb::make_tuple(self.feature(x, position), x.value(position));
  });
}

/// Reads examples for a rule that is written in Python.
class NativeReader {
 public:
  explicit NativeReader(std::string owner) : owner_(std::move(owner)) {}

  [[nodiscard]] nb::dict read(nb::handle x) {
    const BusyGuard guard(busy_, owner_);
    return reader_.read(x);
  }
  [[nodiscard]] nb::dict read_row(const Rows& rows, std::size_t row,
                                  std::size_t first) const {
    return reader_.read_row(rows, {row, first});
  }

 private:
  Owner owner_;
  Features features_;
  ExampleReader reader_{owner_, features_};
  bool busy_ = false;
};

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
      .def(
          "most_nonzeros",
          [](const Rows& self, std::size_t first, std::size_t last) {
            self.check_range(first, last, self.size());
            return self.visit([&](const auto& block) {
              std::size_t most = 0;
              for (std::size_t t = first; t < last; ++t) {
                most = std::max(most, block[t].size());
              }
              return most;
            });
          },
          "first"_a, "last"_a, "How many entries a row of [first, last) has at most.")
      .def("part", &part, "first"_a, "last"_a,
           "The rows of [first, last) alone; nothing is copied.")
      .def("row", &example, "row"_a,
           nb::sig("def row(self, row: int) -> dict[typing.Any, float]"),
           "One row as a mapping from name or column number to value.")
      .def("entry", &entry, "row"_a, "position"_a,
           nb::sig("def entry(self, row: int, position: int) -> "
                   "tuple[str | int, float]"),
           "The feature and the value at one position of a row.");
  bind_value<float>(m);
  bind_value<double>(m);

  nb::class_<NativeReader>(m, "ExampleReader",
                           "Reads examples, and refuses them, as every learner does.")
      .def(nb::init<std::string>(), "owner"_a)
      .def("read", &NativeReader::read, "x"_a.none(),
           nb::sig("def read(self, x: object) -> dict[str | int, float]"),
           "The features and values of an example, without those of value 0.")
      .def("read_row", &NativeReader::read_row, "rows"_a, "row"_a, "first"_a,
           nb::sig("def read_row(self, rows: Rows, row: int, first: int) "
                   "-> dict[str | int, float]"),
           "The same for a row of a block that is played from row `first` on.");

  nb::class_<Names>(m, "NameTable",
                    "Names of features, numbered in the order of entry.")
      .def(nb::init<>())
      .def("__len__", &Names::size)
      .def("add", &add_names<std::int32_t>, "text"_a.noconvert(),
           "offsets"_a.noconvert(),
           "Add concatenated texts, all of them new; return the number of the first.")
      .def("add", &add_names<std::int64_t>, "text"_a.noconvert(),
           "offsets"_a.noconvert(),
           "Add concatenated texts, all of them new; return the number of the first.");
  m.def("words", &words, "offsets"_a.noconvert(), "ids"_a.noconvert(),
        "values"_a.noconvert(), "names"_a,
        nb::sig("def words(offsets: numpy.typing.NDArray[numpy.uint64], ids: "
                "numpy.typing.NDArray[numpy.uint32], values: "
                "numpy.typing.NDArray[numpy.float64], names: NameTable) -> Rows"),
        "Sparse rows of numbered names, each at most once in a row; the table must not "
        "change any more.");
}

}  // namespace littlestone::bindings
