// Whether some decision list fits the examples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "littlestone/boolean/bits.hpp"
#include "littlestone/boolean/rule.hpp"
#include "littlestone/boolean/terms.hpp"

namespace littlestone::boolean {

/// Removes the examples that satisfy a term, if all of them have one label, until no
/// example is left or no term is found. In the second case no list fits, whichever
/// terms were used first: the first rule of a list that fires on one of the examples
/// left would be wrong on another.
class Consistency {
 public:
  /// Takes the lessons and one more example.
  Consistency(const Terms& terms, const Lessons& lessons, Example x, bool label)
      : k_(terms.k()), size_(lessons.size() + 1) {
    words_ = (size_ + word_bits - 1) / word_bits;
    labels_.resize(words_);
    // A feature that is false in all examples is useless here, so it gets no row.
    std::vector<std::size_t> rows(terms.features());
    const auto add = [&](std::size_t at, Example shown, bool y) {
      const Word bit = Word{1} << at % word_bits;
      for (const Index j : shown) {
        if (rows[j] == 0) {
          rows[j] = ++features_;
          true_.resize(features_ * words_);
        }
        true_[(rows[j] - 1) * words_ + at / word_bits] |= bit;
      }
      if (y) labels_[at / word_bits] |= bit;
    };
    for (std::size_t u = 0; u < lessons.size(); ++u) {
      add(u, lessons[u].x, lessons[u].label);
    }
    add(lessons.size(), x, label);
    stuck_.resize(size_);
    std::iota(stuck_.begin(), stuck_.end(), std::size_t{0});
  }

  [[nodiscard]] bool fits() {
    stuck_ = left_of(stuck_);
    return stuck_.empty();
  }

  /// Some examples that no list fits; the last is the first one with which none did.
  /// None of them can be left out, unless there are too many to test that.
  [[nodiscard]] std::vector<std::size_t> witness() {
    std::size_t fitting = 0;
    for (std::size_t first = size_; first - fitting > 1;) {
      const std::size_t middle = fitting + (first - fitting) / 2;
      std::vector<std::size_t> left(middle);
      std::iota(left.begin(), left.end(), std::size_t{0});
      left = left_of(left);
      if (left.empty()) {
        fitting = middle;
      } else {
        first = middle;
        stuck_ = std::move(left);
      }
    }
    std::uint64_t work = 0;
    for (std::size_t some = stuck_.size() / 2; some > 0; some /= 2) {
      bool spared = true;
      while (spared) {
        spared = false;
        for (std::size_t first = 0; first < stuck_.size();) {
          if (work > most_work) return stuck_;
          std::vector<std::size_t> others = stuck_;
          const auto begin = others.begin() + static_cast<std::ptrdiff_t>(first);
          others.erase(begin, begin + static_cast<std::ptrdiff_t>(
                                          std::min(some, others.size() - first)));
          looked_ = 0;
          others = left_of(others);
          work += looked_;
          if (others.empty()) {
            first += some;
          } else {
            stuck_ = std::move(others);
            spared = true;
          }
        }
        // Testing all of them again only pays at the end, where it shows that none is
        // needless.
        if (some > 1) break;
      }
    }
    return stuck_;
  }

 private:
  using Words = std::vector<Word>;
  // Words read, which takes some tenths of a second.
  static constexpr std::uint64_t most_work = std::uint64_t{1} << 26U;

  /// Which of some examples are left when no term removes any more.
  [[nodiscard]] std::vector<std::size_t> left_of(
      const std::vector<std::size_t>& examples) {
    left_.assign(words_, 0);
    for (const std::size_t at : examples) {
      left_[at / word_bits] |= Word{1} << at % word_bits;
    }
    layers_.assign(k_ + 1, Words(words_, ~Word{0}));
    // The empty term removes all that are left once they have one label.
    while (take_out(0, 0)) {
    }
    bool yes = false;
    bool no = false;
    for (std::size_t at = 0; at < words_; ++at) {
      yes |= (left_[at] & labels_[at]) != 0;
      no |= (left_[at] & ~labels_[at]) != 0;
    }
    if (!yes || !no) return {};
    std::vector<std::size_t> rest;
    for (const std::size_t at : examples) {
      if ((left_[at / word_bits] >> at % word_bits & 1U) != 0) rest.push_back(at);
    }
    return rest;
  }

  /// Tries the terms that extend the term of this layer by literals of features from
  /// `next` on; returns whether any removed examples.
  bool take_out(std::size_t size, std::size_t next) {
    const Words& here = layers_[size];
    Words& longer = layers_[size + 1];
    bool any = false;
    for (std::size_t j = next; j < features_; ++j) {
      const Word* truth = true_.data() + j * words_;
      for (const Word flip : {Word{0}, ~Word{0}}) {
        bool yes = false;
        bool no = false;
        std::size_t at = 0;
        for (; at < words_ && !(yes && no); ++at) {
          longer[at] = here[at] & (truth[at] ^ flip) & left_[at];
          yes |= (longer[at] & labels_[at]) != 0;
          no |= (longer[at] & ~labels_[at]) != 0;
        }
        looked_ += at;
        if (!yes && !no) continue;
        if (!yes || !no) {
          for (std::size_t i = 0; i < words_; ++i) left_[i] &= ~longer[i];
          any = true;
        } else if (size + 1 < k_) {
          for (; at < words_; ++at) {
            longer[at] = here[at] & (truth[at] ^ flip) & left_[at];
          }
          looked_ += words_;
          any |= take_out(size + 1, j + 1);
        }
      }
    }
    return any;
  }

  std::size_t k_;
  std::size_t features_ = 0;
  std::size_t size_;
  std::size_t words_;
  Words true_;    // a row of bits for each feature: the examples in which it is true
  Words labels_;  // the examples labelled yes
  Words left_;
  std::vector<Words> layers_;
  std::vector<std::size_t> stuck_;
  std::uint64_t looked_ = 0;
};

}  // namespace littlestone::boolean
