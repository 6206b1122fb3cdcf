// Online standardization: each value in units of its feature's standard deviation so
// far, this example included; with the mean subtracted or not.
//
// Welford's (1962) updates; the zeros of a feature that was not in an example are added
// together when it comes again, by the formula of Chan, Golub and LeVeque (1979).
#pragma once

#include <cmath>  // std::floor, std::isfinite, std::sqrt
#include <cstddef>
#include <span>
#include <vector>

#include "littlestone/maps/map.hpp"

namespace littlestone {

class StandardizedMap final : public Map {
 public:
  static constexpr std::size_t most_centered = 4096;

  explicit StandardizedMap(bool center) : center_(center) {}

  void forget(std::size_t count) override {
    met.truncate(count);
    moments_.resize(count);
    stamps_.resize(count);
    marks_.resize(count);
    known_ = count;
  }

  /// Only what changes after a mark is copied, not all that was learned.
  void mark() override {
    Map::mark();
    begin_log();
  }
  void undo() override {
    for (const auto& [feature, moments] : before_) moments_[feature] = moments;
    seen_ = seen_before_;
    Map::undo();
    begin_log();
  }

  /// The examples seen, then the count, the mean and the squares of each feature.
  [[nodiscard]] std::vector<double> state() const override {
    std::vector<double> all{seen_};
    for (const Moments& each : moments_) {
      all.insert(all.end(), {each.count, each.mean, each.square});
    }
    return all;
  }
  bool restore(std::span<const double> state) override {
    if (state.empty() || state.size() != 1 + 3 * met.size()) return false;
    seen_ = state[0];
    bool sound = seen_ >= 0.0 && seen_ < 0x1p53 && seen_ == std::floor(seen_);
    moments_.clear();
    for (std::size_t at = 1; at < state.size(); at += 3) {
      const Moments each{state[at], state[at + 1], state[at + 2]};
      sound = sound && each.count >= 0.0 && each.count <= seen_ &&
              each.count == std::floor(each.count) && std::isfinite(each.mean) &&
              each.square >= 0.0 && std::isfinite(each.square);
      moments_.push_back(each);
    }
    stamps_.assign(moments_.size(), 0);
    marks_.assign(moments_.size(), 0);
    known_ = met.size();
    return sound;
  }

 protected:
  void meet(Numbering::Number /*feature*/) override {
    moments_.emplace_back();
    stamps_.push_back(0);
    marks_.push_back(0);
  }

  [[nodiscard]] Finding put(Entries x, Learning learning, Mapped& to) override {
    if (center_ && met.size() > most_centered) {
      for (const Entry& entry : x) {
        if (entry.feature >= most_centered)
          return {Fault::too_many_centered, entry.position};
      }
    }
    after_.clear();
    ++stamp_;
    for (const Entry& entry : x) {
      stamps_[entry.feature] = stamp_;
      if (!add(entry.feature, entry.value, to)) {
        return {Fault::map_overflow, entry.position};
      }
    }
    if (center_) {
      for (Numbering::Number feature = 0; feature < moments_.size(); ++feature) {
        if (stamps_[feature] == stamp_) continue;
        if (!add(feature, 0.0, to)) return {Fault::map_overflow};
      }
    }
    if (learning == Learning::yes) {
      for (const auto& [feature, moments] : after_) {
        log(feature);
        moments_[feature] = moments;
      }
      seen_ += 1.0;
    }
    return {};
  }

 private:
  struct Moments {
    double count = 0.0;  // of examples, with the zeros that were added
    double mean = 0.0;
    double square = 0.0;  // the sum of the squared differences to the mean
  };
  struct After {
    Numbering::Number feature;
    Moments moments;
  };

  void begin_log() {
    ++mark_;
    seen_before_ = seen_;
    before_.clear();
  }
  /// Keeps what a feature had at the mark, if it was known then.
  void log(Numbering::Number feature) {
    if (feature >= marked_ || marks_[feature] == mark_) return;
    marks_[feature] = mark_;
    before_.push_back({feature, moments_[feature]});
  }

  /// Adds the standardized value; false if it is not a number.
  bool add(Numbering::Number feature, double value, Mapped& to) {
    Moments now = moments_[feature];
    if (const double zeros = seen_ - now.count; zeros > 0.0) {
      const double share = zeros / seen_;
      now.square += now.mean * now.mean * (now.count * share);
      now.mean -= now.mean * share;
      now.count = seen_;
    }
    now.count += 1.0;
    const double before = value - now.mean;
    now.mean += before / now.count;
    now.square += before * (value - now.mean);
    if (!std::isfinite(now.square) || !std::isfinite(now.mean)) return false;
    after_.push_back({feature, now});
    const double deviation = std::sqrt(now.square / now.count);
    if (!(deviation > 0.0)) return true;  // it has always been the same
    const double made = (center_ ? value - now.mean : value) / deviation;
    if (!std::isfinite(made)) return false;
    if (made != 0.0) to.add(feature, made);
    return true;
  }

  bool center_;
  double seen_ = 0.0;  // examples
  std::vector<Moments> moments_;
  std::vector<std::uint64_t> stamps_;  // of the last example that had a feature
  std::uint64_t stamp_ = 0;
  std::vector<After> after_;
  std::vector<std::uint64_t> marks_;  // the last one since which a feature changed
  std::uint64_t mark_ = 0;
  std::vector<After> before_;  // what features were at the mark
  double seen_before_ = 0.0;
};

}  // namespace littlestone
