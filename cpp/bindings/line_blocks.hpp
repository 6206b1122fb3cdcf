// What the bindings of all parsers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "border.hpp"
#include "littlestone/names.hpp"
#include "littlestone/parsing/lines.hpp"
#include "rows.hpp"

namespace littlestone::bindings {

/// The kind of a fault in littlestone/streams.
[[nodiscard]] inline const char* kind_of(LineFault fault) noexcept {
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

/// How labels are read, by the name of an outcome or "named".
[[nodiscard]] inline LabelKind label_kind(std::string_view name) noexcept {
  if (name == "class") return LabelKind::class_;
  if (name == "number") return LabelKind::number;
  return name == "named" ? LabelKind::named : LabelKind::label;
}

/// What is done with lines without a label, by its name in littlestone/streams.
[[nodiscard]] inline Unlabelled unlabelled_of(std::string_view name) noexcept {
  if (name == "skip") return Unlabelled::skip;
  return name == "keep" ? Unlabelled::keep : Unlabelled::refuse;
}

[[nodiscard]] inline std::string_view piece(const Vector<const std::uint8_t>& text,
                                            std::size_t first, std::size_t last) {
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
[[nodiscard]] auto view(nb::handle self, const std::vector<S>& from) {
  // numpy.bool and uint8 have the same layout, and ours holds only 0 and 1.
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(
      reinterpret_cast<const T*>(from.data()), {from.size()}, self);
}

/// The names of a block's features; none if they are columns or buckets.
template <class Block>
[[nodiscard]] BlockNames names_of(const Block& block) {
  if constexpr (requires { block.hashed(); }) {
    return block.hashed() ? BlockNames{} : block.words();
  } else if constexpr (requires { block.words(); }) {
    return block.words();
  } else if constexpr (requires { block.names; }) {
    return {&block.names};
  } else {
    return {};
  }
}

template <class Block, class Rule>
auto bind_block(nb::module_& m, const char* name, const char* doc) {
  return nb::class_<Block, LineBlock>(m, name, doc)
      .def(nb::init<>())
      .def("parse", &parse<Block, Rule>, nb::arg("text").noconvert(), nb::arg("first"),
           nb::arg("last"), nb::arg("rule"), nb::arg("skip"),
           "Parse the bytes [first, last), which are whole lines or records.")
      .def(
          "rows",
          [](nb::handle self) {
            const auto& block = nb::cast<Block&>(self);
            return Rows{block.rows(), {}, nb::borrow(self), names_of(block)};
          },
          "The rows, borrowed.");
}

}  // namespace littlestone::bindings
