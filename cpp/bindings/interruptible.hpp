// A long loop that Ctrl-C can stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <type_traits>

#include "border.hpp"

namespace littlestone::bindings {

/// Whether other Python threads may run during the loop.
enum class Interpreter : bool { held, released };

/// Calls `play(from, to)` for one chunk of rows [first, last) after another, until it
/// returns a row before `to`, which stopped it. Returns the row that was reached.
/// Checks for Ctrl-C every 20 ms or after each chunk, if one takes longer.
template <Interpreter interpreter = Interpreter::released, class Play>
std::size_t each_chunk(std::size_t first, std::size_t last, std::size_t chunk,
                       Play play) {
  using Clock = std::chrono::steady_clock;
  struct Nothing {
    Nothing() {}  // so that no compiler calls it unused
  };
  constexpr bool held = interpreter == Interpreter::held;
  using Release = std::conditional_t<held, Nothing, nb::gil_scoped_release>;
  using Acquire = std::conditional_t<held, Nothing, nb::gil_scoped_acquire>;
  constexpr auto patience = std::chrono::milliseconds(20);
  std::size_t at = first;
  bool interrupted = false;
  {
    const Release release;
    auto checked = Clock::now();
    for (bool stopped = false; at < last && !stopped && !interrupted;) {
      const std::size_t to = std::min(last, at + chunk);
      at = play(at, to);
      stopped = at < to;
      if (Clock::now() - checked < patience) continue;
      const Acquire acquire;
      interrupted = PyErr_CheckSignals() != 0;
      checked = Clock::now();
    }
  }
  if (interrupted) throw nb::python_error();
  return at;
}

}  // namespace littlestone::bindings
