// One caller at a time.
#pragma once

#include "border.hpp"

namespace littlestone::bindings {

/// Marks a learner as busy for as long as the guard lives, and refuses a second caller:
/// another thread while rows are played with the interpreter released, or the same
/// thread if reading an example runs Python code that uses the learner. Whoever only
/// looks is refused too, as what is looked at changes meanwhile.
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

/// A property for Python: what `get` returns, which `look` calls with a guard.
template <class Native, class Get>
[[nodiscard]] auto looked(Get get) {
  return [get](Native& self) { return self.look(get); };
}

}  // namespace littlestone::bindings
