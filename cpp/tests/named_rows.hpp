// Rows of named features, as tests write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using Row = std::vector<std::pair<std::string, double>>;

/// A row of a block of lines whose features have names.
template <class Block>
Row row(const Block& block, std::size_t t) {
  Row made;
  for (std::size_t k = block.offsets[t]; k < block.offsets[t + 1]; ++k) {
    if constexpr (requires { block.words(); }) {
      made.emplace_back(block.words()[block.columns[k]], block.values[k]);
    } else {
      made.emplace_back(block.names[block.columns[k]], block.values[k]);
    }
  }
  return made;
}

template <class Block, class Rule>
Block parsed_by(std::string_view text, const Rule& rule, bool skip) {
  Block block;
  block.parse(text, rule, skip);
  return block;
}
