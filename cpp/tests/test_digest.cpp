// SHA-256 in every way this processor knows, the tree of leaves, and the bytes of rows.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "littlestone/digest.hpp"

using namespace littlestone;

namespace {

constexpr std::span<const std::string_view> nameless{};

std::string hex(const ShaDigest& digest) {
  std::string text;
  for (const char byte : digest) {
    const auto value = static_cast<unsigned char>(byte);
    text += "0123456789abcdef"[value >> 4U];
    text += "0123456789abcdef"[value & 15U];
  }
  return text;
}

std::vector<sha::Way> ways() {
  std::vector<sha::Way> known;
  for (const sha::Way way :
       {sha::Way::plain, sha::Way::four_lanes, sha::Way::eight_lanes, sha::Way::native,
        sha::Way::sixteen_lanes}) {
    if (sha::can(way)) known.push_back(way);
  }
  return known;
}

std::string text_of(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t k = 0; k < size; ++k) text[k] = static_cast<char>(k * k % 251);
  return text;
}

ShaDigest hashed(std::string_view text, sha::Way way = sha::Way::plain) {
  Sha256 hash(way);
  hash.add(text);
  return hash.digest();
}

void the_examples_of_the_standard() {
  for (const sha::Way way : ways()) {
    check(hex(hashed("", way)) ==
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "nothing");
    check(hex(hashed("abc", way)) ==
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
          "one block");
    check(
        hex(hashed("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", way)) ==
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "two blocks");
    check(hex(hashed(std::string(1000000, 'a'), way)) ==
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
          "a million letters");
  }
}

void pieces_make_no_difference() {
  for (std::size_t size : {1U, 55U, 56U, 63U, 64U, 65U, 119U, 120U, 128U, 300U}) {
    const std::string text = text_of(size);
    for (std::size_t step : {1U, 7U, 64U, 100U}) {
      Sha256 hash;
      for (std::size_t at = 0; at < size; at += step) {
        hash.add(std::string_view(text).substr(at, step));
      }
      check(hash.digest() == hashed(text), "however it comes");
    }
  }
}

void all_at_once_are_each_alone() {
  const std::string texts = text_of(sha_together * 192);
  for (const sha::Way way : ways()) {
    const auto each = sha256_of_each(texts, way);
    for (std::size_t k = 0; k < each.size(); ++k) {
      check(each[k] == hashed(std::string_view(texts).substr(192 * k, 192)), "each");
    }
  }
}

/// The digest as the specification has it.
ShaDigest tree(std::string_view bytes) {
  Sha256 root;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), TreeHash::leaf))) {
    const ShaDigest leaf = hashed(bytes.substr(0, TreeHash::leaf));
    root.add({leaf.data(), leaf.size()});
  }
  return root.digest();
}

void leaves_may_end_anywhere() {
  const std::string text = text_of(40 * TreeHash::leaf + 5);
  for (const sha::Way way : ways()) {
    TreeHash hash(way);
    std::size_t size = 0;
    for (const std::size_t more : {0UL, 1UL, TreeHash::leaf - 1, TreeHash::leaf, 77UL,
                                   14 * TreeHash::leaf - 77, 17 * TreeHash::leaf}) {
      hash.add(std::string_view(text).substr(size, more));
      size += more;
      check(hash.digest() == tree(std::string_view(text).substr(0, size)), "and more");
    }
  }
}

template <class B, class Label>
ShaDigest digest_of(const B& rows, std::span<const std::string_view> names,
                    std::span<const Label> labels) {
  StreamDigest digest("begin");
  digest.add_rows(rows, names, labels, 0, rows.size());
  return digest.digest();
}

void names_are_those_of_the_block() {
  const std::array<double, 4> values{0.0, 2.0, 3.0, 0.0};
  const std::array<std::int64_t, 2> indices{};
  const std::array<std::string_view, 2> names{"a", "bc"};
  const std::array<bool, 2> labels{true, false};
  const auto found = digest_of(NamedBlock<double>{values, indices, 2}, names,
                               std::span<const bool>(labels));
  const std::string two("S\0\0\0\x40", 5);
  const std::string three("S\0\0\x40\x40", 5);
  check(found == tree("begin" + std::string("N\1\0\0\0\2\0\0\0bc", 11) + two +
                      std::string("y\1", 2) + std::string("N\1\0\0\0\1\0\0\0a", 10) +
                      three + std::string("y\0", 2)),
        "name, value, label");
}

void columns_are_written_in_runs() {
  const std::array<std::int64_t, 4> offsets{0, 4, 4, 6};
  const std::array<std::int64_t, 6> columns{1, 258, 3, std::int64_t{1} << 32U, 8, 9};
  const std::array<double, 6> values{-0.0, 1.0, 1.0, 0.5, 0.1, 1.0};
  const CsrBlock<double, std::int64_t> rows{offsets, columns, values, 1U << 31U};
  const std::array<std::string_view, 3> labels{"ki12345678", "", "y\1"};
  const auto found =
      digest_of(rows, nameless, std::span<const std::string_view>(labels));
  const std::string one("\0\0\x80\x3f", 4);
  const std::string run = std::string("C\2\0\0\0\2\1\0\0\3\0\0\0S", 14) + one + one;
  const std::string large =
      std::string("W\1\0\0\0\0\0\0\0\1\0\0\0S", 14) + std::string("\0\0\0\x3f", 4);
  const std::string rising = std::string("R\2\0\0\0\x8\0\0\0D", 10) +
                             std::string("\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8) +
                             std::string("\0\0\0\0\0\0\xf0\x3f", 8);
  check(
      found == tree("begin" + run + large + "ki12345678" + rising + "y\1"),
      "minus zero is zero, large numbers and consecutive ones have runs of their own");
}

void dense_and_sparse_are_the_same() {
  std::vector<float> dense;
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  for (std::int32_t t = 0; t < 3; ++t) {
    for (std::int32_t j = 0; j < 30000; ++j) {
      const bool there = t == 2 || j % 7 != t;
      dense.push_back(there ? static_cast<float>(j + 1) : 0.0F);
      if (!there) continue;
      columns.push_back(j);
      values.push_back(static_cast<float>(j + 1));
    }
    offsets.push_back(static_cast<std::int32_t>(values.size()));
  }
  const std::array<bool, 3> label{true, false, true};
  const std::span<const bool> labels(label);
  const CsrBlock<float, std::int32_t> sparse{offsets, columns, values, 30000};
  check(digest_of(DenseBlock<float>{dense, 3, 30000}, nameless, labels) ==
            digest_of(sparse, nameless, labels),
        "rows longer than a leaf");
}

}  // namespace

int main() {
  the_examples_of_the_standard();
  pieces_make_no_difference();
  all_at_once_are_each_alone();
  leaves_may_end_anywhere();
  names_are_those_of_the_block();
  columns_are_written_in_runs();
  dense_and_sparse_are_the_same();
  return failures();
}
