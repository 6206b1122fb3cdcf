#include "littlestone/parsing/vw.hpp"

#include <nanobind/stl/vector.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../border.hpp"
#include "../line_blocks.hpp"
#include "littlestone/hashing.hpp"

namespace littlestone::bindings {

using namespace nb::literals;

void bind_vw(nb::module_& m) {
  nb::class_<VwRule>(m, "VwRule",
                     "Which lines and namespaces of Vowpal Wabbit text are read, and "
                     "what its features become.")
      .def(
          "__init__",
          [](VwRule* self, const LabelRule& label_rule, const std::string& weights,
             bool sum, unsigned hash_bits, bool keeps,
             const std::vector<std::string>& letters,
             const std::vector<std::string>& spaces) {
            if (hash_bits > Hasher::most_bits)
              throw nb::value_error("hash_bits must be at most 24");
            const auto weighed = weights == "ignore"     ? ImportanceWeights::ignore
                                 : weights == "repeat"   ? ImportanceWeights::repeat
                                 : weights == "multiply" ? ImportanceWeights::multiply
                                                         : ImportanceWeights::refuse;
            new (self)
                VwRule{label_rule, weighed, sum, hash_bits, keeps, letters, spaces};
          },
          "label_rule"_a, nb::kw_only(), "weights"_a, "sum"_a, "hash_bits"_a, "keeps"_a,
          "letters"_a, "spaces"_a);

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

}  // namespace littlestone::bindings
