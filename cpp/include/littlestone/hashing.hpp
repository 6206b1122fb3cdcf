// Hashes features to columns below a power of two, so that memory is bounded.
//
// The hash never changes: a model learned today must find its weights tomorrow. A name
// is hashed eight UTF-8 bytes at a time, then by its length; each step is a 128-bit
// product whose halves are XORed. A column number plus an odd constant goes through the
// finaliser of splitmix64. The low bits are the bucket. Column 7 and the name "7" are
// two features.
#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::bit_ceil
#include <cmath>      // std::isfinite
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "littlestone/math/folded.hpp"
#include "littlestone/names.hpp"
#include "littlestone/rows.hpp"

namespace littlestone {

[[nodiscard]] constexpr std::uint64_t stirred(std::uint64_t hash) noexcept {
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

/// The hash of a name that comes in pieces. Eight bytes make one little-endian number;
/// the last number, of one to eight bytes, is mixed with the total size.
class NameHash {
 public:
  void add(std::string_view piece) noexcept {
    for (; piece.size() > Names::packed_size; piece.remove_prefix(Names::packed_size)) {
      add(Names::packed(piece.substr(0, Names::packed_size)), Names::packed_size);
    }
    if (!piece.empty()) add(Names::packed(piece), piece.size());
  }
  /// Adds one to eight packed bytes.
  void add(std::uint64_t packed, std::size_t bytes) noexcept {
    size_ += bytes;
    if (filled_ + bytes <= 8) {
      word_ |= packed << 8 * filled_;
      filled_ += bytes;
      return;
    }
    const std::size_t fit = 8 - filled_;
    hash_ = folded(hash_ ^ word_ ^ (fit == 0 ? 0 : packed << 8 * filled_), factor);
    word_ = packed >> 8 * fit;
    filled_ = bytes - fit;
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return folded(hash_ ^ word_, (2 * size_ + 1) * factor);
  }

  /// What the hash would be after adding one to `room` packed bytes.
  struct Ending {
    std::uint64_t hash;
    std::uint64_t by_size;
    std::size_t room;

    [[nodiscard]] std::uint64_t with(std::uint64_t packed,
                                     std::size_t bytes) const noexcept {
      return folded(hash ^ packed << (64 - 8 * room) % 64,
                    by_size + bytes * (2 * factor));
    }
  };
  [[nodiscard]] Ending ending() const noexcept {
    return {hash_ ^ word_, (2 * size_ + 1) * factor, 8 - filled_};
  }

 private:
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
  std::uint64_t hash_ = 0xCBF29CE484222325U;
  std::uint64_t word_ = 0;  // bytes not hashed yet
  std::size_t filled_ = 0;  // how many those are
  std::size_t size_ = 0;    // bytes in total
};

[[nodiscard]] inline std::uint64_t hash_of_name(std::string_view name) noexcept {
  NameHash hash;
  hash.add(name);
  return hash.value();
}

[[nodiscard]] constexpr std::uint64_t hash_of_column(std::uint64_t column) noexcept {
  return stirred(column + 0x9E3779B97F4A7C15U);
}

[[nodiscard]] constexpr std::uint32_t bucket_of(std::uint64_t hash,
                                                unsigned bits) noexcept {
  return static_cast<std::uint32_t>(hash & ((std::uint64_t{1} << bits) - 1));
}

/// Rows of buckets, and the fault that stopped the hashing, if any: it is in the row
/// after the last one here, which changed nothing.
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

  /// How many entries were read, and how many fell into a bucket first used by another
  /// feature.
  [[nodiscard]] std::uint64_t occurrences() const noexcept { return occurrences_; }
  [[nodiscard]] std::uint64_t collided() const noexcept { return collided_; }
  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_; }

  /// Hashes rows [first, last), up to the first that a learner would refuse: buckets
  /// would hide a duplicate feature, so it is checked here. The values of features in
  /// one bucket are added; a value of 0 means that the feature is absent. `hashes` are
  /// those of the block's names, if its features have names.
  template <class B>
  [[nodiscard]] HashedBlock hash(const B& rows, std::size_t first, std::size_t last,
                                 std::span<const std::uint64_t> hashes) {
    HashedBlock made;
    made.width = owners_.size();
    std::vector<Met> met(hashes.size());
    std::vector<std::uint64_t> scratch;
    for (std::size_t t = first; t < last; ++t) {
      const auto x = rows[t];
      if (!rows.sound(rows.to_score(t))) made.finding = rows.check(x, scratch);
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

  /// Counts the collisions of entries that the parser has hashed.
  void count(std::span<const std::uint64_t> hashes) noexcept {
    // In local variables, so that no entry waits for the one before.
    std::uint64_t collided = 0;
    std::size_t taken = 0;
    std::uint32_t* const owners = owners_.data();
    const unsigned bits = bits_;
    for (const auto hash : hashes) {
      const std::uint32_t feature = feature_of(hash);
      std::uint32_t& owner = owners[bucket_of(hash, bits)];
      if (owner == feature) [[likely]]
        continue;
      if (owner == 0) {
        owner = feature;
        ++taken;
      } else {
        ++collided;
      }
    }
    buckets_ += taken;
    collided_ += collided;
    occurrences_ += hashes.size();
  }

 private:
  struct Met {
    std::uint32_t bucket = 0;
    bool known = false;
    bool collides = false;
  };
  /// A bucket of the current row, and the position of its value.
  struct Cell {
    std::uint64_t row = 0;
    std::uint32_t bucket = 0;
    std::uint32_t position = 0;
  };

  /// The bits above the bucket's, of which 0 means no feature.
  [[nodiscard]] static std::uint32_t feature_of(std::uint64_t hash) noexcept {
    return std::max(std::uint32_t{1}, static_cast<std::uint32_t>(hash >> 32U));
  }
  [[nodiscard]] Met meet(std::uint64_t hash) noexcept {
    const std::uint32_t bucket = bucket_of(hash, bits_);
    const std::uint32_t feature = feature_of(hash);
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
  // The first feature of each bucket, as half of its hash: two features of a bucket
  // agree in it once in four billion times, and it takes half the memory.
  std::vector<std::uint32_t> owners_;
  std::vector<Cell> cells_;  // open addressing, at most half full
  std::uint64_t row_ = 0;
  std::uint64_t occurrences_ = 0;
  std::uint64_t collided_ = 0;
  std::size_t buckets_ = 0;
};

}  // namespace littlestone
