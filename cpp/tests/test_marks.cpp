// Marks of a line, found with and without AVX2, against a look at each byte.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "littlestone/marks.hpp"

using namespace littlestone;

namespace {

std::vector<std::uint32_t> looked_up(std::string_view line) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t k = 0; k < line.size(); ++k) {
    const auto c = static_cast<unsigned char>(line[k]);
    if (c <= ' ' || c == ':' || c == '|') places.push_back(k);
  }
  places.push_back(static_cast<std::uint32_t>(line.size()));
  return places;
}

void try_line(const std::string& text, std::size_t size, Marks& marks) {
  const std::string_view line = std::string_view(text).substr(0, size);
  marks.find(text.data(), text.data() + size, text.data() + text.size());
  if (!marks.found()) return check(LITTLESTONE_MARKS == 0, "marks are found here");
  const auto expected = looked_up(line);
  const std::vector<std::uint32_t> places(marks.next, marks.next + expected.size());
  check(places == expected, "where the marks are");
  bool ascii = true;
  for (const char c : line) ascii &= static_cast<unsigned char>(c) < 0x80;
  check(ascii || !marks.ascii, "a line that is not ASCII is not taken for one");
}

void marks_are_where_they_are_seen() {
  static constexpr std::string_view bytes =
      "ab09.: |\t\r\0\x1F!~\x7F\x80\xBA\xFC"
      "::: ";
  std::uint64_t state = 1;
  const auto below = [&](std::size_t limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((state >> 33U) % limit);
  };
  Marks wide;
  Marks narrow(false);
  for (int n = 0; n < 20000; ++n) {
    const std::size_t size = below(n % 10 == 0 ? 700 : 140);
    const std::size_t kinds =
        1 + below(bytes.size());  // some lines are nothing but marks
    const std::size_t from = below(bytes.size() - kinds + 1);
    std::string text(size + Marks::margin, 'x');
    for (char& c : text) c = bytes[from + below(kinds)];
    try_line(text, size, wide);
    try_line(text, size, narrow);
  }
}

void without_a_margin_there_are_none() {
  const std::string text(200, ' ');
  Marks marks;
  marks.find(text.data(), text.data() + 200 - Marks::margin + 1, text.data() + 200);
  check(!marks.found() && !marks.ascii, "one byte too few");
  marks.find(text.data(), text.data() + 200 - Marks::margin, text.data() + 200);
  check(marks.found() == (LITTLESTONE_MARKS != 0), "just enough");
}

void marks_are_passed() {
  const std::string text = "1 | a:2 b" + std::string(Marks::margin, '\n');
  Marks marks;
  marks.find(text.data(), text.data() + 9, text.data() + text.size());
  if (!marks.found()) return;
  check(marks.ascii && marks.end == 9, "the line");
  check(marks.pass(text.data() + 4) == 4 && *marks.next == 5,
        "the colon after the name");
  check(marks.pass(text.data() + 5) == 5 && *marks.next == 5, "one that is met");
  check(marks.pass(text.data() + 8) == 8 && *marks.next == 9, "the end");
}

}  // namespace

int main() {
  marks_are_where_they_are_seen();
  without_a_margin_there_are_none();
  marks_are_passed();
  return failures();
}
