// The digest of a stream: the bytes of its rounds, hashed as a tree.
//
// The bytes are cut into leaves, and the digest is the hash of the leaves' hashes. They
// are specified in docs/explanation/digest.md, with a plain Python version in
// verifying/_digest.py. Values of 0 are left out, so that a dense row and the sparse
// one are the same example.
#pragma once

#include <algorithm>  // std::min
#include <array>
#include <bit>  // std::bit_cast, std::endian
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy, std::memmove
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "littlestone/kept.hpp"  // place_of
#include "littlestone/read_once.hpp"
#include "littlestone/rows.hpp"
#include "littlestone/sha256.hpp"

namespace littlestone {

/// A hash over leaves of 16 KiB, sixteen of which are hashed at once.
class TreeHash {
 public:
  static constexpr std::size_t leaf = 1 << 14;

  explicit TreeHash(sha::Way way = sha::best_way())
      : way_(way), root_(way), buffer_(full + most) {}

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t some = std::min(bytes.size(), most);
      std::memcpy(room(), bytes.data(), some);
      came(some);
      bytes.remove_prefix(some);
    }
  }

  /// Bytes may be written here, at most `most` of them; `came` tells how many were.
  static constexpr std::size_t most = leaf;
  [[nodiscard]] char* room() noexcept { return buffer_.data() + held_; }
  void came(std::size_t size) noexcept {
    held_ += size;
    if (held_ >= full) hash_leaves();
  }

  /// The hash of all that came so far; more may follow.
  [[nodiscard]] ShaDigest digest() const noexcept {
    Sha256 root = root_;
    for (std::size_t at = 0; at < held_; at += leaf) {
      Sha256 last(way_);
      last.add({buffer_.data() + at, std::min(leaf, held_ - at)});
      const ShaDigest each = last.digest();
      root.add({each.data(), each.size()});
    }
    return root.digest();
  }

 private:
  static constexpr std::size_t full = sha_together * leaf;

  [[gnu::noinline]] void hash_leaves() noexcept {
    for (const ShaDigest& each : sha256_of_each({buffer_.data(), full}, way_)) {
      root_.add({each.data(), each.size()});
    }
    held_ -= full;
    std::memmove(buffer_.data(), buffer_.data() + full, held_);
  }

  sha::Way way_;
  Sha256 root_;  // of the leaves that are hashed
  std::vector<char> buffer_;
  std::size_t held_ = 0;
};

/// Writes rounds of features, and hashes them.
class StreamDigest {
 public:
  explicit StreamDigest(std::string_view begin, sha::Way way = sha::best_way())
      : hash_(way) {
    hash_.add(begin);
  }

  /// Adds rounds that are written already.
  void add(std::string_view bytes) { hash_.add(bytes); }
  [[nodiscard]] ShaDigest digest() const noexcept { return hash_.digest(); }

  /// Adds the rows [first, last). The names are those of the block's features; without
  /// names, features are columns. Another thread may change the rows meanwhile: the
  /// digest is then that of no stream, but nothing is written outside.
  template <class B, class Label>
  void add_rows(const B& rows, std::span<const std::string_view> names,
                std::span<const Label> labels, std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const auto x = rows[t];
      if (!names.empty()) {
        add_named(x, names);
      } else if constexpr (requires { x.columns; }) {
        add_sparse(x.columns, x.values);
      } else if constexpr (!requires { x.ids; }) {
        add_dense(x.values);
      }
      add_label(labels[t]);
    }
  }

 private:
  static constexpr std::uint64_t small = std::numeric_limits<std::uint32_t>::max();

  void add_label(const bool& label) {
    const std::array<char, 2> bytes{'y', read_once(label) ? '\1' : '\0'};
    hash_.add({bytes.data(), bytes.size()});
  }
  void add_label(std::string_view written) { hash_.add(written); }

  /// A row with all its columns.
  template <class V>
  void add_dense(std::span<const V> values) {
    if (values.size() <= small && !any_zero(values)) {
      if (values.empty()) return;
      head('R', values.size());
      number(std::uint32_t{0});
      add_values(values);
      return;
    }
    Scratch<V>& kept = scratch<V>();
    kept.clear();
    for (std::size_t k = 0; k < values.size(); ++k) kept.add(k, values[k]);
    add_columns(kept.columns(), kept.values());
  }

  template <class V, class I>
  void add_sparse(std::span<const I> columns, std::span<const V> values) {
    if (!any_zero(values)) return add_columns(columns, values);
    Scratch<V>& kept = scratch<V>();
    kept.clear();
    for (std::size_t k = 0; k < values.size(); ++k) {
      kept.add(static_cast<std::uint64_t>(columns[k]), values[k]);
    }
    add_columns(kept.columns(), kept.values());
  }

  /// Features by number, none with the value 0.
  template <class V, class I>
  void add_columns(std::span<const I> columns, std::span<const V> values) {
    while (!columns.empty()) {
      const bool large = static_cast<std::uint64_t>(columns[0]) > small;
      const std::size_t count = alike(columns, large);
      const auto some = columns.first(count);
      if (large) {
        head('W', count);
        add_all<std::uint64_t>(some);
      } else if (consecutive(some)) {
        head('R', count);
        number(static_cast<std::uint32_t>(some[0]));
      } else {
        head('C', count);
        add_all<std::uint32_t>(some);
      }
      add_values(values.first(count));
      columns = columns.subspan(count);
      values = values.subspan(count);
    }
  }

  template <class Row>
  void add_named(const Row& x, std::span<const std::string_view> names) {
    Scratch<double>& kept = scratch<double>();
    kept.clear();
    for (std::size_t k = 0; k < x.size(); ++k) {
      kept.add(place_of(x, k), x.value(k));
    }
    if (kept.values().empty()) return;
    head('N', kept.values().size());
    for (const std::uint64_t place : kept.columns()) {
      const std::string_view name = names[place];
      if (name.size() + 4 > TreeHash::most) {
        number(static_cast<std::uint32_t>(name.size()));
        hash_.add(name);
        continue;
      }
      char* const to = hash_.room();
      write(to, static_cast<std::uint32_t>(name.size()));
      if (!name.empty()) std::memcpy(to + 4, name.data(), name.size());
      hash_.came(4 + name.size());
    }
    add_values(std::span<const double>(kept.values()));
  }

  /// The values of a run, in single precision if that changes none of them.
  template <class V>
  void add_values(std::span<const V> values) {
    const bool narrow = all_single(values);
    const char kind = narrow ? 'S' : 'D';
    hash_.add({&kind, 1});
    narrow ? add_all<float>(values) : add_all<double>(values);
  }

  void head(char kind, std::size_t count) {
    char* const to = hash_.room();
    *to = kind;
    write(to + 1, static_cast<std::uint32_t>(count));
    hash_.came(5);
  }

  void number(std::uint32_t value) {
    write(hash_.room(), value);
    hash_.came(sizeof value);
  }

  template <class To, class From>
  void add_all(std::span<const From> numbers) {
    constexpr std::size_t some = TreeHash::most / sizeof(To);
    for (std::size_t at = 0; at < numbers.size(); at += some) {
      const auto part = numbers.subspan(at, std::min(some, numbers.size() - at));
      char* to = hash_.room();
      for (const From& each : part) {
        write(to, static_cast<To>(each));
        to += sizeof(To);
      }
      hash_.came(part.size() * sizeof(To));
    }
  }

  /// Writes a number as little-endian.
  template <class T>
  [[gnu::always_inline]] static void write(char* to, T value) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(to, &value, sizeof value);
    } else {
      std::array<char, sizeof value> bytes;
      std::memcpy(bytes.data(), &value, sizeof value);
      for (std::size_t k = 0; k < sizeof value; ++k)
        to[k] = bytes[sizeof value - 1 - k];
    }
  }

  template <class V>
  [[nodiscard]] static bool any_zero(std::span<const V> values) noexcept {
    // As wide as the values: the compiler then compares several at once.
    using Count = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;
    Count zeros = 0;
    for (const V& value : values) zeros |= value == V{0} ? Count{1} : Count{0};
    return zeros != 0;
  }

  /// Sixteen at a time: the first few show it, where it is not so.
  template <class V>
  [[nodiscard]] static bool all_single(std::span<const V> values) noexcept {
    std::size_t at = 0;
    for (; at + 16 <= values.size(); at += 16) {
      unsigned others = 0;
      for (std::size_t k = 0; k < 16; ++k) others += single(values[at + k]) ? 0U : 1U;
      if (others > 0) return false;
    }
    for (; at < values.size(); ++at) {
      if (!single(values[at])) return false;
    }
    return true;
  }
  template <class V>
  [[nodiscard]] static bool single(V value) noexcept {
    return static_cast<V>(static_cast<float>(value)) == value;  // not so for NaN
  }

  /// How many columns from the first on are as large as it is.
  template <class I>
  [[nodiscard]] static std::size_t alike(std::span<const I> columns, bool large) {
    if constexpr (sizeof(I) <= sizeof(std::uint32_t)) return columns.size();
    std::size_t count = 0;
    while (count < columns.size() &&
           (static_cast<std::uint64_t>(columns[count]) > small) == large) {
      ++count;
    }
    return count;
  }

  template <class I>
  [[nodiscard]] static bool consecutive(std::span<const I> columns) noexcept {
    const std::size_t last = columns.size() - 1;
    const auto at = [&](std::size_t k) {
      return static_cast<std::uint64_t>(columns[k]);
    };
    if (at(last) - at(0) != last) return false;
    for (std::size_t k = 1; k < last; ++k) {
      if (at(k) - at(0) != k) return false;
    }
    return true;
  }

  /// The entries of a row that are not 0.
  template <class V>
  class Scratch {
   public:
    void clear() noexcept { size_ = 0; }
    void add(std::uint64_t column, V value) {
      if (size_ == columns_.size()) {
        columns_.resize(2 * size_ + 64);
        values_.resize(2 * size_ + 64);
      }
      columns_[size_] = column;
      values_[size_] = value;
      size_ += value != V{0} ? 1 : 0;  // otherwise the next one takes its place
    }
    [[nodiscard]] std::span<const std::uint64_t> columns() const noexcept {
      return {columns_.data(), size_};
    }
    [[nodiscard]] std::span<const V> values() const noexcept {
      return {values_.data(), size_};
    }

   private:
    std::vector<std::uint64_t> columns_;
    std::vector<V> values_;
    std::size_t size_ = 0;
  };

  template <class V>
  [[nodiscard]] Scratch<V>& scratch() noexcept {
    if constexpr (std::is_same_v<V, float>) {
      return singles_;
    } else {
      return doubles_;
    }
  }

  TreeHash hash_;
  Scratch<float> singles_;
  Scratch<double> doubles_;
};

}  // namespace littlestone
