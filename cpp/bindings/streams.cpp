#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"
#include "littlestone/hashing.hpp"
#include "littlestone/parsing/json_lines.hpp"
#include "littlestone/parsing/lines.hpp"
#include "littlestone/parsing/records.hpp"
#include "littlestone/parsing/svmlight.hpp"
#include "littlestone/parsing/table.hpp"
#include "littlestone/parsing/text.hpp"
#include "littlestone/parsing/vw.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

const char* kind_of(LineFault fault) noexcept {
  switch (fault) {
    case LineFault::label: return "label";
    case LineFault::no_label: return "no label";
    case LineFault::encoding: return "encoding";
    case LineFault::pair: return "pair";
    case LineFault::index_too_large: return "index";
    case LineFault::not_finite: return "finite";
    case LineFault::duplicate: return "duplicate";
    case LineFault::columns: return "columns";
    case LineFault::unlabelled: return "unlabelled";
    case LineFault::bar: return "bar";
    case LineFault::head: return "head";
    case LineFault::weight: return "weight";
    case LineFault::initial: return "initial";
    case LineFault::scale: return "scale";
    case LineFault::name: return "name";
    case LineFault::value: return "value";
    case LineFault::prefix: return "prefix";
    case LineFault::object: return "object";
    case LineFault::json: return "json";
    case LineFault::depth: return "depth";
    case LineFault::open_mark: return "open";
    case LineFault::after_mark: return "quoted";
    case LineFault::stray_return: return "return";
    case LineFault::nul: return "nul";
    case LineFault::number: return "number";
    case LineFault::missing: return "missing";
    case LineFault::outcome: return "outcome";
    case LineFault::none: break;
  }
  return "";
}

nb::object row_or_none(std::size_t row) {
  return row == Alphabet::never ? nb::none() : nb::cast(row);
}

std::string_view piece(const Vector<const std::uint8_t>& text, std::size_t first,
                       std::size_t last) {
  if (first > last || last > text.shape(0)) {
    throw nb::value_error("the range must be inside the buffer");
  }
  return {reinterpret_cast<const char*>(text.data()) + first, last - first};
}

template <class LinesOf, class Rule>
void parse(LinesOf& self, Vector<const std::uint8_t> text, std::size_t first,
           std::size_t last, const Rule& rule, bool skip) {
  const std::string_view lines = piece(text, first, last);
  const nb::gil_scoped_release release;
  self.parse(lines, rule, skip);
}

template <class T, class S>
auto view(nb::handle self, const std::vector<S>& from) {
  // numpy.bool and uint8 have the same layout, and ours holds only 0 and 1.
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(
      reinterpret_cast<const T*>(from.data()), {from.size()}, self);
}

/// The names of a block's features; none if they are columns or buckets.
template <class Block>
BlockNames names_of(const Block& block) {
  if constexpr (std::same_as<Block, SvmlightBlock>) {
    return {};
  } else if constexpr (std::same_as<Block, VwBlock>) {
    return block.hashed() ? BlockNames{} : block.words();
  } else if constexpr (std::same_as<Block, JsonLinesBlock>) {
    return block.words();
  } else {
    return {&block.names};
  }
}

template <class Block, class Rule>
auto bind_block(nb::module_& m, const char* name, const char* doc) {
  return nb::class_<Block, LineBlock>(m, name, doc)
      .def(nb::init<>())
      .def("parse", &parse<Block, Rule>, "text"_a.noconvert(), "first"_a, "last"_a,
           "rule"_a, "skip"_a,
           "Parse the bytes [first, last), which are whole lines or records.")
      .def(
          "rows",
          [](nb::handle self) {
            const auto& block = nb::cast<Block&>(self);
            return Rows{block.rows(), {}, nb::borrow(self), names_of(block)};
          },
          "The rows, borrowed.");
}

void bind_vw(nb::module_& m) {
  nb::class_<VwRule>(m, "VwRule",
                     "Which lines and namespaces of Vowpal Wabbit text are read, and "
                     "what its features become.")
      .def(
          "__init__",
          [](VwRule* self, const LabelRule& label_rule, const std::string& weights,
             const std::string& unlabelled, bool sum, unsigned hash_bits, bool keeps,
             const std::vector<std::string>& letters,
             const std::vector<std::string>& spaces) {
            if (hash_bits > Hasher::most_bits || (hash_bits != 0 && sum)) {
              throw nb::value_error("hash_bits must be at most 24, and 0 with sum");
            }
            const auto weighed = weights == "ignore"   ? ImportanceWeights::ignore
                                 : weights == "repeat" ? ImportanceWeights::repeat
                                                       : ImportanceWeights::refuse;
            const auto missing = unlabelled == "skip"   ? Unlabelled::skip
                                 : unlabelled == "keep" ? Unlabelled::keep
                                                        : Unlabelled::refuse;
            new (self) VwRule{label_rule, weighed, missing, sum,
                              hash_bits,  keeps,   letters, spaces};
          },
          "label_rule"_a, nb::kw_only(), "weights"_a, "unlabelled"_a, "sum"_a,
          "hash_bits"_a, "keeps"_a, "letters"_a, "spaces"_a);

  bind_block<VwBlock, VwRule>(
      m, "VwBlock", "Rows of Vowpal Wabbit text, hashed if the rule has hash_bits.")
      .def(
          "tag",
          [](const VwBlock& self, std::size_t row) {
            if (row >= self.size()) throw nb::index_error();
            const std::string_view tag = self.tag(row);
            return nb::str(tag.data(), tag.size());
          },
          "row"_a, "The tag of a row; empty if it has none.")
      .def_prop_ro(
          "repeated",
          [](const VwBlock& self) {
            nb::list rows;
            for (const auto& [row, more] : self.repeated) {
              if (row < self.size()) rows.append(nb::make_tuple(row, more));
            }
            return rows;
          },
          nb::sig("def repeated(self) -> list[tuple[int, int]]"),
          "Rows that the caller must repeat, and how often.")
      .def_prop_ro(
          "unlabelled",
          [](const VwBlock& self) {
            nb::list rows;
            for (const auto row : self.unlabelled) {
              if (row < self.size()) rows.append(row);
            }
            return rows;
          },
          nb::sig("def unlabelled(self) -> list[int]"), "Rows without a label.")
      .def(
          "count",
          [](const VwBlock& self, Hasher& hasher, std::size_t first, std::size_t last) {
            if (first > last || last > self.hash_ends.size()) throw nb::index_error();
            const std::size_t from = first == 0 ? 0 : self.hash_ends[first - 1];
            const std::size_t to = last == 0 ? 0 : self.hash_ends[last - 1];
            const nb::gil_scoped_release release;
            hasher.count(std::span(self.hashes).subspan(from, to - from));
          },
          "hasher"_a, "first"_a, "last"_a,
          "Count the collisions of the hashed rows [first, last).");
}

void bind_json_lines(nb::module_& m) {
  nb::class_<JsonLinesRule>(m, "JsonLinesRule",
                            "Where in an object the label and the features are.")
      .def(
          "__init__",
          [](JsonLinesRule* self, const LabelRule& label_rule, const std::string& label,
             const std::optional<std::string>& features, bool skip_unlabelled, bool sum,
             const std::vector<std::string>& ignore) {
            new (self) JsonLinesRule{label_rule,
                                     label,
                                     features.value_or(""),
                                     features.has_value(),
                                     skip_unlabelled,
                                     sum,
                                     ignore};
          },
          "label_rule"_a, nb::kw_only(), "label"_a, "features"_a.none(),
          "skip_unlabelled"_a, "sum"_a, "ignore"_a);

  bind_block<JsonLinesBlock, JsonLinesRule>(m, "JsonLinesBlock", "Rows of JSON Lines.");
}

ColumnKind column_kind(const std::string& name) {
  if (name == "label") return ColumnKind::label;
  if (name == "number") return ColumnKind::number;
  return name == "category" ? ColumnKind::category : ColumnKind::ignored;
}

TableLabels table_labels(const std::string& name) {
  if (name == "any") return TableLabels::any;
  if (name == "number") return TableLabels::number;
  return name == "named" ? TableLabels::named : TableLabels::two;
}

MissingCells missing_cells(const std::string& name) {
  if (name == "refuse") return MissingCells::refuse;
  return name == "literal" ? MissingCells::literal : MissingCells::leave_out;
}

std::vector<WrittenLabel> written_labels(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void bind_table(nb::module_& m) {
  nb::class_<TableRule>(m, "TableRule", "How the columns of a table are read.")
      .def(
          "__init__",
          [](TableRule* self,
             const std::vector<std::pair<std::string, std::string>>& columns,
             char delimiter, const std::string& missing, const std::string& labels,
             const std::vector<std::string>& positive,
             const std::vector<std::string>& negative, bool dense) {
            std::vector<TableColumn> kinds;
            for (const auto& [kind, name] : columns) {
              kinds.push_back({column_kind(kind), name});
            }
            new (self) TableRule{std::move(kinds),        delimiter,
                                 missing_cells(missing),  dense,
                                 table_labels(labels),    written_labels(positive),
                                 written_labels(negative)};
          },
          nb::kw_only(), "columns"_a, "delimiter"_a, "missing"_a, "labels"_a,
          "positive"_a, "negative"_a, "dense"_a = false);

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

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<LabelRule>(m, "LabelRule", "Which labels of a file mean yes.")
      .def(nb::init<>())
      .def(nb::init<std::string>(), "positive"_a)
      .def_static("any", &LabelRule::any, "Reads labels as texts.");

  nb::class_<LineBlock>(m, "LineBlock",
                        "Rows parsed from lines; reused from one buffer to the next, "
                        "which changes its arrays.")
      .def("truncate", &LineBlock::truncate, "count"_a,
           "Drop the rows from `count` on.")
      .def("__len__", &LineBlock::size)
      .def_prop_ro("labels",
                   [](nb::handle self) {
                     return view<bool>(self, nb::cast<LineBlock&>(self).labels);
                   })
      .def_prop_ro("lines",
                   [](nb::handle self) {
                     return view<std::uint32_t>(self, nb::cast<LineBlock&>(self).lines);
                   })
      .def_prop_ro("label_codes",
                   [](nb::handle self) {
                     return view<std::uint32_t>(self,
                                                nb::cast<LineBlock&>(self).label_codes);
                   })
      .def_prop_ro(
          "label_names",
          [](const LineBlock& self) {
            nb::list names;
            for (std::size_t code = 0; code < self.label_names.size(); ++code) {
              const std::string_view name = self.label_names[code];
              names.append(nb::str(name.data(), name.size()));
            }
            return names;
          },
          nb::sig("def label_names(self) -> list[str]"),
          "The labels of the codes, if any label is allowed.")
      .def_ro("line_count", &LineBlock::line_count)
      .def_ro("skipped", &LineBlock::skipped)
      .def_ro("left_out", &LineBlock::left_out)
      .def_prop_ro(
          "first_zero",
          [](const LineBlock& self) { return row_or_none(self.alphabet.first_zero); },
          nb::sig("def first_zero(self) -> int | None"), "The first row labelled 0.")
      .def_prop_ro(
          "first_minus",
          [](const LineBlock& self) { return row_or_none(self.alphabet.first_minus); },
          nb::sig("def first_minus(self) -> int | None"), "The first row labelled -1.")
      .def_prop_ro(
          "fault",
          [](const LineBlock& self) -> nb::object {
            if (self.fault == LineFault::none) return nb::none();
            return nb::make_tuple(
                kind_of(self.fault), self.fault_line,
                nb::bytes(self.fault_text.data(), self.fault_text.size()));
          },
          nb::sig("def fault(self) -> tuple[str, int, bytes] | None"),
          "The fault that stopped the parsing: its kind, the line, and its text.")
      .def_prop_ro(
          "fault_place",
          [](const LineBlock& self) -> nb::object {
            if (self.fault_character == 0) return nb::none();
            return nb::make_tuple(
                self.fault_character,
                nb::bytes(self.fault_token.data(), self.fault_token.size()));
          },
          nb::sig("def fault_place(self) -> tuple[int, bytes] | None"),
          "The position in that line, from 1, and the text there, if known.");

  bind_block<SvmlightBlock, LabelRule>(m, "SvmlightBlock", "Rows of svmlight text.");

  nb::class_<TextRule>(m, "TextRule",
                       "Which columns of a text are read, and what its words become.")
      .def(
          "__init__",
          [](TextRule* self, const LabelRule& label_rule, std::size_t label,
             const std::vector<std::size_t>& columns, std::size_t width,
             std::size_t shortest, std::size_t longest, bool lowercase, bool counts) {
            new (self) TextRule{label_rule, label,   columns,   width,
                                shortest,   longest, lowercase, counts};
          },
          "label_rule"_a, nb::kw_only(), "label"_a, "columns"_a, "width"_a,
          "shortest"_a, "longest"_a, "lowercase"_a, "counts"_a);

  bind_block<TextBlock, TextRule>(m, "TextBlock", "Rows of the words of a text.");

  bind_vw(m);
  bind_json_lines(m);
  bind_table(m);
}

}  // namespace littlestone::bindings
