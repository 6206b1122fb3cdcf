// A fixed vector that is charged for rows while they are played.
#pragma once

#include <cstddef>
#include <span>

#include "littlestone/linear/losses.hpp"
#include "littlestone/rows.hpp"

namespace littlestone::bindings {

/// Adds what the vector loses on the rows of [first, last).
void charge(Losses& witness, const Block& block, Losses::Known& known,
            std::span<const bool> labels, std::size_t first, std::size_t last);

}  // namespace littlestone::bindings
