// The interface of learners of Boolean rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/boolean/terms.hpp"

namespace littlestone::boolean {

/// Examples that caused an update, with their rounds.
class Lessons {
 public:
  struct Lesson {
    std::uint64_t round;
    bool label;
    Example x;
  };

  [[nodiscard]] std::size_t size() const noexcept { return rounds_.size(); }
  [[nodiscard]] Lesson operator[](std::size_t at) const noexcept {
    const std::size_t first = at == 0 ? 0 : ends_[at - 1];
    return {rounds_[at], labels_[at] != 0,
            Example(features_).subspan(first, ends_[at] - first)};
  }
  void add(std::uint64_t round, bool label, Example x) {
    features_.insert(features_.end(), x.begin(), x.end());
    ends_.push_back(features_.size());
    labels_.push_back(label ? 1 : 0);
    rounds_.push_back(round);
  }
  void forget() { *this = Lessons(); }

 private:
  std::vector<std::uint64_t> rounds_;
  std::vector<std::uint8_t> labels_;
  std::vector<std::size_t> ends_;
  std::vector<Index> features_;
};

/// The result of a mistake.
struct Mended {
  bool updated = false;    // the hypothesis has changed
  bool ruled_out = false;  // no concept of the class fits the examples
};

/// A learner of Boolean rules over numbered features. The features of an example are in
/// order. New ones have the numbers from `features()` on, and occur only in `predict`;
/// call `grow` before `mend`.
class Rule {
 public:
  Rule() = default;
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;
  virtual ~Rule() = default;

  /// Whether it has room for so many features.
  [[nodiscard]] virtual bool fits(std::size_t features) const noexcept = 0;
  [[nodiscard]] virtual std::size_t features() const noexcept = 0;
  /// Adds features, which were false in every example so far.
  virtual void grow(std::size_t features) = 0;

  [[nodiscard]] virtual bool predict(Example x) = 0;
  /// Whether `predict` needs the features in order.
  [[nodiscard]] virtual bool needs_order() const noexcept { return true; }
  /// Learns from an example that was predicted wrongly, with its true label. `lessons`
  /// are those before it.
  virtual Mended mend(Example x, bool label, const Lessons& lessons) = 0;
  /// Whether every round adds its new features, or only a mistake.
  [[nodiscard]] virtual bool always_meets() const noexcept { return true; }
  /// Whether an example that caused an update must be kept.
  [[nodiscard]] virtual bool keeps() const noexcept { return true; }

  /// Some of the lessons which, together with the example, rule out every concept of
  /// the class.
  [[nodiscard]] virtual std::vector<std::size_t> witness(Example x,
                                                         const Lessons& lessons) = 0;

  /// What a copy needs besides the features and the lessons.
  [[nodiscard]] virtual std::vector<std::uint64_t> state() const { return {}; }
  /// Restores a new rule, to which the features were added before.
  virtual void restore(std::span<const std::uint64_t> state,
                       const Lessons& lessons) = 0;
};

}  // namespace littlestone::boolean
