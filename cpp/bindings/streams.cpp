#include <cstdint>
#include <string>
#include <string_view>

#include "border.hpp"
#include "littlestone/svmlight.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

namespace {

const char* kind_of(LineFault fault) noexcept {
  switch (fault) {
    case LineFault::label: return "label";
    case LineFault::pair: return "pair";
    case LineFault::index_too_large: return "index";
    case LineFault::not_finite: return "finite";
    case LineFault::duplicate: return "duplicate";
    case LineFault::none: break;
  }
  return "";
}

nb::object row_or_none(std::size_t row) {
  return row == Alphabet::never ? nb::none() : nb::cast(row);
}

void parse(SvmlightBlock& self, Vector<const std::uint8_t> text, std::size_t size,
           const LabelRule& label_rule, bool skip) {
  if (size > text.shape(0)) throw nb::value_error("size exceeds the buffer");
  const nb::gil_scoped_release release;
  self.parse({reinterpret_cast<const char*>(text.data()), size}, label_rule, skip);
}

template <class T, class S>
auto view(nb::handle self, const std::vector<S>& from) {
  // numpy.bool and uint8 have the same layout, and ours holds only 0 and 1.
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(
      reinterpret_cast<const T*>(from.data()), {from.size()}, self);
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<LabelRule>(m, "LabelRule", "Which label of a file means yes.")
      .def(nb::init<>())
      .def(nb::init<std::string>(), "positive"_a);

  nb::class_<SvmlightBlock>(m, "SvmlightBlock",
                            "Rows parsed from svmlight text; reused from one buffer to "
                            "the next, which changes its arrays.")
      .def(nb::init<>())
      .def("parse", &parse, "text"_a.noconvert(), "size"_a, "label_rule"_a, "skip"_a,
           "Parse the first size bytes, which hold whole lines.")
      .def("truncate", &SvmlightBlock::truncate, "count"_a,
           "Drop the rows from count on.")
      .def("__len__", &SvmlightBlock::size)
      .def(
          "rows",
          [](nb::handle self) {
            return Rows{nb::cast<SvmlightBlock&>(self).rows(), {}, nb::borrow(self)};
          },
          "The rows, borrowed.")
      .def_prop_ro("labels",
                   [](nb::handle self) {
                     return view<bool>(self, nb::cast<SvmlightBlock&>(self).labels);
                   })
      .def_prop_ro("lines",
                   [](nb::handle self) {
                     return view<std::uint32_t>(self,
                                                nb::cast<SvmlightBlock&>(self).lines);
                   })
      .def(
          "row",
          [](const SvmlightBlock& self, std::size_t row) {
            if (row >= self.size()) throw nb::index_error();
            const auto x = self.rows()[row];
            nb::dict features;
            for (std::size_t k = 0; k < x.size(); ++k) {
              features[nb::cast(x.index(k))] = x.value(k);
            }
            return features;
          },
          "row"_a, nb::sig("def row(self, row: int) -> dict[int, float]"),
          "One row as a mapping from column number to value.")
      .def_ro("line_count", &SvmlightBlock::line_count)
      .def_ro("skipped", &SvmlightBlock::skipped)
      .def_prop_ro(
          "first_zero",
          [](const SvmlightBlock& self) {
            return row_or_none(self.alphabet.first_zero);
          },
          nb::sig("def first_zero(self) -> int | None"), "The first row labelled 0.")
      .def_prop_ro(
          "first_minus",
          [](const SvmlightBlock& self) {
            return row_or_none(self.alphabet.first_minus);
          },
          nb::sig("def first_minus(self) -> int | None"), "The first row labelled -1.")
      .def_prop_ro(
          "fault",
          [](const SvmlightBlock& self) -> nb::object {
            if (self.fault == LineFault::none) return nb::none();
            return nb::make_tuple(
                kind_of(self.fault), self.fault_line,
                nb::bytes(self.fault_text.data(), self.fault_text.size()));
          },
          nb::sig("def fault(self) -> tuple[str, int, bytes] | None"),
          "What stopped the parsing: the kind, the line, its text.");
}

}  // namespace littlestone::bindings
