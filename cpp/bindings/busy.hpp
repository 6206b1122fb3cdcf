// One caller at a time.
#pragma once

#include "border.hpp"

namespace littlestone::bindings {

/// Marks a learner as busy for as long as the guard lives, and refuses a second caller:
/// another thread while rows are played with the interpreter released, or the same
/// thread if reading an example runs Python code that uses the learner.
class BusyGuard {
 public:
  BusyGuard(bool& busy, const Owner& owner) : busy_(busy) {
    if (busy_) refuse("busy", owner.facts());
    busy_ = true;
  }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;
  ~BusyGuard() { busy_ = false; }

 private:
  bool& busy_;
};

}  // namespace littlestone::bindings
