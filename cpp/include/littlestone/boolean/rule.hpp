// What a learner of Boolean rules offers to whoever reads examples for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "littlestone/boolean/terms.hpp"

namespace littlestone::boolean {

/// Examples that have taught something, and when.
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

/// What a mistake led to.
struct Mended {
  bool updated = false;    // the hypothesis is another now
  bool ruled_out = false;  // no concept of the class fits what was shown
};

/// A learner of Boolean rules over features known by their number. Examples have their
/// features in order. Those not met yet have the numbers from `features()` on, and only
/// `predict` meets them; whoever calls `mend` has grown the rule before.
class Rule {
 public:
  Rule() = default;
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;
  virtual ~Rule() = default;

  /// Whether it can keep what so many features need.
  [[nodiscard]] virtual bool fits(std::size_t features) const noexcept = 0;
  [[nodiscard]] virtual std::size_t features() const noexcept = 0;
  /// Meets features, all false in every example so far.
  virtual void grow(std::size_t features) = 0;

  [[nodiscard]] virtual bool predict(Example x) = 0;
  /// Learns from an example that was predicted wrongly, with the true label. `lessons`
  /// are those that updated it before.
  virtual Mended mend(Example x, bool label, const Lessons& lessons) = 0;
  /// Whether an example that updates it is to be kept.
  [[nodiscard]] virtual bool keeps() const noexcept { return true; }

  /// Some of the lessons which, together with an example that could not be mended, rule
  /// out every concept of the class.
  [[nodiscard]] virtual std::vector<std::size_t> witness(Example x,
                                                         const Lessons& lessons) = 0;

  /// What a copy needs to know beside the features and the lessons.
  [[nodiscard]] virtual std::vector<std::uint64_t> state() const { return {}; }
  /// Makes a newborn rule, whose features have been met, what another one was.
  virtual void restore(std::span<const std::uint64_t> state,
                       const Lessons& lessons) = 0;
};

}  // namespace littlestone::boolean
