// Features to columns below a power of two, so that memory is bounded whatever comes.
//
// The hash is fixed for ever: a model learned today must find its weights tomorrow. A
// name is hashed by FNV-1a over its UTF-8 bytes, a column number as itself plus an odd
// constant; both then pass the finaliser of splitmix64, and the low bits are the
// bucket. So column 7 and the name "7" are two features.
#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::bit_ceil
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "littlestone/rows.hpp"

namespace littlestone {

[[nodiscard]] constexpr std::uint64_t stirred(std::uint64_t hash) noexcept {
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

/// Where the hash of a name begins, and how it goes on byte by byte; then it is
/// stirred.
inline constexpr std::uint64_t unnamed_hash = 0xCBF29CE484222325U;

[[nodiscard]] constexpr std::uint64_t hashed_on(std::uint64_t hash, char c) noexcept {
  return (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
}

[[nodiscard]] constexpr std::uint64_t hash_of_name(std::string_view name) noexcept {
  std::uint64_t hash = unnamed_hash;
  for (const char c : name) hash = hashed_on(hash, c);
  return stirred(hash);
}

[[nodiscard]] constexpr std::uint64_t hash_of_column(std::uint64_t column) noexcept {
  return stirred(column + 0x9E3779B97F4A7C15U);
}

[[nodiscard]] constexpr std::uint32_t bucket_of(std::uint64_t hash,
                                                unsigned bits) noexcept {
  return static_cast<std::uint32_t>(hash & ((std::uint64_t{1} << bits) - 1));
}

/// Rows of buckets, and what stopped the hashing if anything did: the row after the
/// last one here, which left nothing behind.
struct HashedBlock {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::size_t width = 0;
  Finding finding{};

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] ParsedBlock rows() const noexcept {
    return {offsets, columns, values, width};
  }
};

class Hasher {
 public:
  static constexpr unsigned most_bits = 24;

  explicit Hasher(unsigned bits) : bits_(bits), owners_(std::size_t{1} << bits) {}

  /// Of the entries that were read, how many fell into a bucket first taken by another
  /// feature.
  [[nodiscard]] std::uint64_t occurrences() const noexcept { return occurrences_; }
  [[nodiscard]] std::uint64_t collided() const noexcept { return collided_; }
  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_; }

  /// Hashes rows [first, last) up to one that no learner would take: buckets hide that
  /// a feature stands twice, so it is checked here. Features in one bucket are added up
  /// in the place of the first; a value of 0 says that the feature is absent. `hashes`
  /// are those of the block's names, if its features have names.
  template <class B>
  [[nodiscard]] HashedBlock hash(const B& rows, std::size_t first, std::size_t last,
                                 std::span<const std::uint64_t> hashes) {
    HashedBlock made;
    made.width = owners_.size();
    std::vector<Met> met(hashes.size());
    std::vector<std::uint64_t> scratch;
    for (std::size_t t = first; t < last; ++t) {
      if (!rows.sound(rows.to_score(t))) made.finding = rows.check(t, scratch);
      const auto x = rows[t];
      for (std::size_t k = 0; k < x.size() && made.finding.fault == Fault::none; ++k) {
        if (!std::isfinite(x.value(k))) made.finding = {Fault::not_finite, k};
      }
      if (made.finding.fault != Fault::none) return made;
      begin_row(x.size());
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double value = x.value(k);
        if (value == 0.0) continue;
        Met found;
        if constexpr (requires { rows.indices; }) {
          std::size_t id = k;
          if constexpr (requires { x.ids; }) id = x.ids[k];
          if (!met[id].known) met[id] = meet(hashes[id]);
          found = met[id];
        } else {
          found = meet(hash_of_column(static_cast<std::uint64_t>(x.index(k))));
        }
        ++occurrences_;
        collided_ += found.collides ? 1U : 0U;
        add(found.bucket, value, made);
      }
      made.offsets.push_back(made.columns.size());
    }
    return made;
  }

  /// Counts entries that were put into their buckets where they were read, by the
  /// hashes of their features.
  void count(std::span<const std::uint64_t> hashes) noexcept {
    std::uint64_t collided = 0;  // of its own, lest each entry wait for the one before
    for (const auto hash : hashes) collided += meet(hash).collides ? 1U : 0U;
    collided_ += collided;
    occurrences_ += hashes.size();
  }

 private:
  struct Met {
    std::uint32_t bucket = 0;
    bool known = false;
    bool collides = false;
  };
  /// A bucket of the row under way, and where its value stands.
  struct Cell {
    std::uint64_t row = 0;
    std::uint32_t bucket = 0;
    std::uint32_t position = 0;
  };

  [[nodiscard]] Met meet(std::uint64_t hash) noexcept {
    const std::uint32_t bucket = bucket_of(hash, bits_);
    // The bits that no bucket has, of which 0 says that nobody owns it.
    const auto feature =
        std::max(std::uint32_t{1}, static_cast<std::uint32_t>(hash >> 32U));
    std::uint32_t& owner = owners_[bucket];
    if (owner == 0) {
      owner = feature;
      ++buckets_;
    }
    return {bucket, true, owner != feature};
  }

  void begin_row(std::size_t entries) {
    ++row_;
    const std::size_t room = 2 * std::min(entries, owners_.size());
    if (room > cells_.size()) cells_.assign(std::bit_ceil(room), Cell{});
  }

  void add(std::uint32_t bucket, double value, HashedBlock& to) {
    const std::size_t mask = cells_.size() - 1;
    for (std::size_t at = bucket & mask;; at = (at + 1) & mask) {
      Cell& cell = cells_[at];
      if (cell.row != row_) {
        const std::size_t position = to.values.size() - to.offsets.back();
        cell = {row_, bucket, static_cast<std::uint32_t>(position)};
        to.columns.push_back(bucket);
        to.values.push_back(value);
        return;
      }
      if (cell.bucket == bucket) {
        to.values[to.offsets.back() + cell.position] += value;
        return;
      }
    }
  }

  unsigned bits_;
  // The first feature of each bucket, told by half of its hash: others in the bucket
  // differ in it but for one in four billion, and half as much memory is to be fetched.
  std::vector<std::uint32_t> owners_;
  std::vector<Cell> cells_;  // open addressing, at most half full
  std::uint64_t row_ = 0;
  std::uint64_t occurrences_ = 0;
  std::uint64_t collided_ = 0;
  std::size_t buckets_ = 0;
};

}  // namespace littlestone
