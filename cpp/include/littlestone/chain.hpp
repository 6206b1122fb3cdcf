// The chain of a ledger: the hash of each row holds those of all before it.
#pragma once

#include <charconv>  // std::to_chars
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "littlestone/sha256.hpp"

namespace littlestone {

/// What a row of a ledger says beside its body.
struct ChainedRow {
  std::int64_t seq;
  std::string_view kind;
  std::optional<std::string_view> id;
  std::int64_t at;
  std::string_view said;
};

[[nodiscard]] inline std::string_view view(const ShaDigest& digest) noexcept {
  return {digest.data(), digest.size()};
}

/// The digest of a body, hidden by a salt.
[[nodiscard]] inline ShaDigest body_digest(std::string_view salt,
                                           std::string_view body) noexcept {
  Sha256 hash;
  hash.add(salt);
  hash.add(body);
  return hash.digest();
}

/// Hashes rows one after another; it reuses the memory for their text.
class Chain {
 public:
  /// SHA-256 of the hash before, of the digest of the body, and of the row as JSON:
  /// [seq,"kind","id",at,"said"].
  [[nodiscard]] ShaDigest next(std::string_view before, std::string_view digest,
                               const ChainedRow& row) {
    text_.assign(before);
    text_ += digest;
    text_ += '[';
    number(row.seq);
    text_ += ',';
    string(row.kind);
    text_ += ',';
    if (row.id)
      string(*row.id);
    else
      text_ += "null";
    text_ += ',';
    number(row.at);
    text_ += ',';
    string(row.said);
    text_ += ']';
    Sha256 hash;
    hash.add(text_);
    return hash.digest();
  }

 private:
  void number(std::int64_t value) {
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 3> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text_.append(digits.data(), end.ptr);
  }

  void string(std::string_view text) {
    text_ += '"';
    std::size_t plain = 0;  // where what needs no escape begins
    for (std::size_t k = 0; k < text.size(); ++k) {
      const char c = text[k];
      if (static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\') continue;
      text_ += text.substr(plain, k - plain);
      plain = k + 1;
      escaped(c);
    }
    text_ += text.substr(plain);
    text_ += '"';
  }

  void escaped(char c) {
    constexpr std::string_view hex = "0123456789abcdef";
    text_ += '\\';
    switch (c) {
      case '"':
      case '\\': text_ += c; break;
      case '\b': text_ += 'b'; break;
      case '\f': text_ += 'f'; break;
      case '\n': text_ += 'n'; break;
      case '\r': text_ += 'r'; break;
      case '\t': text_ += 't'; break;
      default:
        text_ += "u00";
        text_ += hex[static_cast<unsigned char>(c) >> 4U];
        text_ += hex[static_cast<unsigned char>(c) & 15U];
    }
  }

  std::string text_;
};

}  // namespace littlestone
