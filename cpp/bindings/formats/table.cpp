#include "littlestone/parsing/table.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../border.hpp"
#include "../line_blocks.hpp"
#include "littlestone/parsing/records.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

ColumnKind column_kind(const std::string& name) {
  if (name == "label") return ColumnKind::label;
  if (name == "weight") return ColumnKind::weight;
  if (name == "number") return ColumnKind::number;
  return name == "category" ? ColumnKind::category : ColumnKind::ignored;
}

MissingCells missing_cells(const std::string& name) {
  if (name == "refuse") return MissingCells::refuse;
  return name == "literal" ? MissingCells::literal : MissingCells::leave_out;
}

std::vector<WrittenLabel> written_labels(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<TableRule>(m, "TableRule", "How the columns of a table are read.")
      .def(
          "__init__",
          [](TableRule* self,
             const std::vector<std::pair<std::string, std::string>>& columns,
             char delimiter, const std::string& missing, const std::string& labels,
             const std::vector<std::string>& positive,
             const std::vector<std::string>& negative, const std::string& unlabelled,
             bool dense) {
            std::vector<TableColumn> kinds;
            for (const auto& [kind, name] : columns) {
              kinds.push_back({column_kind(kind), name});
            }
            new (self) TableRule{std::move(kinds),         delimiter,
                                 missing_cells(missing),   dense,
                                 label_kind(labels),       unlabelled_of(unlabelled),
                                 written_labels(positive), written_labels(negative)};
          },
          nb::kw_only(), "columns"_a, "delimiter"_a, "missing"_a, "labels"_a,
          "positive"_a, "negative"_a, "unlabelled"_a = "refuse", "dense"_a = false);

  bind_block<TableBlock, TableRule>(m, "TableBlock", "Rows of the cells of a table.")
      .def_prop_ro(
          "values",
          [](nb::handle self) {
            const auto& block = nb::cast<TableBlock&>(self);
            return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(
                block.values.data(), {block.offsets.back()}, self);
          },
          "The values of all rows, concatenated.")
      .def_prop_ro("outcomes",
                   [](nb::handle self) {
                     return view<double>(self, nb::cast<TableBlock&>(self).outcomes);
                   })
      .def_prop_ro(
          "fault_cell",
          [](const TableBlock& self) {
            return nb::make_tuple(
                self.fault_column, self.fault_columns,
                nb::bytes(self.fault_value.data(), self.fault_value.size()));
          },
          nb::sig("def fault_cell(self) -> tuple[int, int, bytes]"),
          "The column at fault, the number of columns if that is wrong, and the text "
          "of "
          "the cell.");

  m.def(
      "whole_records",
      [](const Vector<const std::uint8_t>& text, std::size_t first, std::size_t last,
         char delimiter) {
        const std::string_view part = piece(text, first, last);
        const nb::gil_scoped_release release;
        const char* const end =
            whole_records(part.data(), part.data() + part.size(), delimiter);
        return first + static_cast<std::size_t>(end - part.data());
      },
      "text"_a.noconvert(), "first"_a, "last"_a, "delimiter"_a,
      "The end of the last whole record in the bytes [first, last).");
  m.def(
      "count_records",
      [](const Vector<const std::uint8_t>& text, std::size_t first, std::size_t last,
         char delimiter, std::size_t width, std::size_t most) {
        return count_records(piece(text, first, last), delimiter, width, most);
      },
      "text"_a.noconvert(), "first"_a, "last"_a, "delimiter"_a, "width"_a, "most"_a,
      "How many records of `width` cells those bytes have, or of as many as the first "
      "if "
      "it is 0; at most `most`.");
  m.def(
      "columns_of_numbers",
      [](const Vector<const std::uint8_t>& text, std::size_t first, std::size_t last,
         char delimiter, std::size_t width, std::size_t most) {
        return columns_of_numbers(piece(text, first, last), delimiter, width, most);
      },
      "text"_a.noconvert(), "first"_a, "last"_a, "delimiter"_a, "width"_a, "most"_a,
      "Which columns contain only numbers, in the first valid records.");
  m.def(
      "read_record",
      [](const Vector<const std::uint8_t>& text, std::size_t first, std::size_t last,
         char delimiter) {
        const std::string_view part = piece(text, first, last);
        nb::list cells;
        if (part.empty()) return nb::make_tuple(cells, first, 0, "");
        RecordReader records(part, delimiter);
        const char* const next = records.read(part.data());
        for (const auto cell : records.cells) {
          cells.append(nb::bytes(cell.data(), cell.size()));
        }
        return nb::make_tuple(cells,
                              first + static_cast<std::size_t>(next - part.data()),
                              records.lines, kind_of(records.fault));
      },
      "text"_a.noconvert(), "first"_a, "last"_a, "delimiter"_a,
      nb::sig("def read_record(text: typing.Any, first: int, last: int, "
              "delimiter: str) -> tuple[list[bytes], int, int, str]"),
      "The cells of the record at first, where the next begins, how many lines it "
      "takes, and what is wrong with it, if anything is.");
}

}  // namespace littlestone::bindings
