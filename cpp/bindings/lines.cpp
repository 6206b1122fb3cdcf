#include "littlestone/parsing/lines.hpp"

#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "border.hpp"
#include "line_blocks.hpp"
#include "littlestone/labels.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

nb::object row_or_none(std::size_t row) {
  return row == Alphabet::never ? nb::none() : nb::cast(row);
}

}  // namespace

void bind_lines(nb::module_& m) {
  nb::class_<LabelRule>(m, "LabelRule", "How the labels of a file are read.")
      .def(
          "__init__",
          [](LabelRule* self, const std::string& outcome,
             std::optional<std::string> positive, const std::string& unlabelled) {
            new (self) LabelRule(positive ? LabelRule(std::move(*positive))
                                          : LabelRule(label_kind(outcome)));
            self->unlabelled = unlabelled_of(unlabelled);
          },
          "outcome"_a = "label", "positive"_a.none() = nb::none(), nb::kw_only(),
          "unlabelled"_a = "refuse");

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
      .def_prop_ro("label_numbers",
                   [](nb::handle self) {
                     return view<double>(self,
                                         nb::cast<LineBlock&>(self).label_numbers);
                   })
      .def_prop_ro("weights",
                   [](nb::handle self) {
                     return view<double>(self, nb::cast<LineBlock&>(self).weights);
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
      .def_prop_ro(
          "unlabelled",
          [](const LineBlock& self) {
            nb::list rows;
            for (const auto row : self.unlabelled) {
              if (row < self.size()) rows.append(row);
            }
            return rows;
          },
          nb::sig("def unlabelled(self) -> list[int]"), "Rows without a label.")
      .def_prop_ro(
          "other_labels",
          [](const LineBlock& self) {
            nb::list names;
            const std::string& name = self.other_label;
            if (!name.empty()) names.append(nb::bytes(name.data(), name.size()));
            if (self.other_labels) names.append(nb::bytes("", 0));
            return names;
          },
          nb::sig("def other_labels(self) -> list[bytes]"),
          "What no is called, where yes has a name, and an empty text if not only so.")
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
}

}  // namespace littlestone::bindings
