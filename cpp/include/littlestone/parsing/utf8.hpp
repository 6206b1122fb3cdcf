// Whether bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>  // std::memcpy
#include <string_view>

namespace littlestone {

[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  std::size_t k = 0;
  while (k < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - k >= sizeof eight) {
      std::memcpy(&eight, text.data() + k, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        k += sizeof eight;
        // If eight bytes are ASCII, many more may be.
        std::array<std::uint64_t, 8> many{};
        while (text.size() - k >= sizeof many) {
          std::memcpy(many.data(), text.data() + k, sizeof many);
          for (const auto word : many) eight |= word;
          if ((eight & 0x8080808080808080U) != 0) break;
          k += sizeof many;
        }
        continue;
      }
    }
    const unsigned lead = byte(k);
    if (lead < 0x80) {
      ++k;
      continue;
    }
    if (lead < 0xC2 || lead > 0xF4) return false;
    const std::size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (text.size() - k <= more) return false;
    // The second byte shows overlong forms, surrogates and numbers above U+10FFFF.
    const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(k + 1) < lowest || byte(k + 1) > highest) return false;
    for (std::size_t i = 2; i <= more; ++i) {
      if (byte(k + i) < 0x80 || byte(k + i) > 0xBF) return false;
    }
    k += more + 1;
  }
  return true;
}

}  // namespace littlestone
