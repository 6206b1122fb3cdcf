// Marks of a line, found with and without AVX2 and AVX-512, compared with a loop over
// bytes.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "fuzz.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/marks.hpp"

using namespace littlestone;

namespace {

std::vector<std::uint32_t> looked_up(std::string_view line, unsigned char low,
                                     unsigned char one) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t k = 0; k < line.size(); ++k) {
    const auto c = static_cast<unsigned char>(line[k]);
    if (c <= low || c == one || c == '|') places.push_back(k);
  }
  places.push_back(static_cast<std::uint32_t>(line.size()));
  return places;
}

/// All that this processor has.
std::vector<Marks::Width> widths() {
  std::vector<Marks::Width> all{Marks::Width::narrow};
  for (const auto width : {Marks::Width::wide, Marks::Width::widest}) {
    if (width <= Marks::widest()) all.push_back(width);
  }
  return all;
}

void try_line(const std::string& text, std::size_t size, char low, char one,
              Marks::Width width) {
  const std::string_view line = std::string_view(text).substr(0, size);
  Marks marks(low, one, '|', width);
  marks.find(text.data(), text.data() + size, text.data() + text.size());
  check(marks.found(), "marks are found here");
  const auto expected =
      looked_up(line, static_cast<unsigned char>(low), static_cast<unsigned char>(one));
  const std::vector<std::uint32_t> places(marks.next, marks.next + expected.size());
  check(places == expected, "where the marks are");
  bool ascii = true;
  for (const char c : line) ascii &= static_cast<unsigned char>(c) < 0x80;
  check(ascii || !marks.ascii, "a line that is not ASCII is not taken for one");

  marks.forget();
  marks.find_with_stops(text.data(), text.data() + size, text.data() + text.size());
  std::vector<std::uint32_t> stops;
  for (const auto place : expected) {
    if (place == size || line[place] != one) stops.push_back(place);
  }
  check(
      std::vector<std::uint32_t>(marks.next, marks.next + expected.size()) == expected,
      "the marks of several lines");
  check(std::vector<std::uint32_t>(marks.stop, marks.stop + stops.size()) == stops,
        "which of them are stops");
  const std::size_t at = size / 2;
  std::size_t before = 0;
  while (expected[before] < at) ++before;
  const std::size_t left = expected.size() - 1 - before;
  check(marks.reach(text.data() + at, left) == (at < size), "as many as there are");
  check(!marks.reach(text.data() + at, left + 1), "and no more");
  check(at == size || *marks.next == expected[before], "from there on");
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
  for (int n = 0; n < 20000; ++n) {
    const std::size_t size = below(n % 10 == 0 ? 700 : 140);
    const std::size_t kinds =
        1 + below(bytes.size());  // some lines are nothing but marks
    const std::size_t from = below(bytes.size() - kinds + 1);
    std::string text(size + Marks::margin, 'x');
    for (char& c : text) c = bytes[from + below(kinds)];
    for (const auto width : widths()) {
      try_line(text, size, ' ', ':', width);
      try_line(text, size, '\r', '\xBA', width);
    }
  }
}

void without_a_margin_there_are_none() {
  const std::string text(200, ' ');
  Marks marks(' ', ':', '|');
  marks.find(text.data(), text.data() + 200 - Marks::margin + 1, text.data() + 200);
  check(!marks.found() && !marks.ascii, "one byte too few");
  marks.find(text.data(), text.data() + 200 - Marks::margin, text.data() + 200);
  check(marks.found(), "just enough");
}

void marks_are_passed() {
  const std::string text = "1 | a:2 b" + std::string(Marks::margin, '\n');
  Marks marks(' ', ':', '|');
  marks.find(text.data(), text.data() + 9, text.data() + text.size());
  check(marks.ascii && marks.end == 9, "the line");
  check(marks.pass(text.data() + 4) == 4 && *marks.next == 5,
        "the colon after the name");
  check(marks.pass(text.data() + 5) == 5 && *marks.next == 5, "one that is met");
  check(marks.pass(text.data() + 8) == 8 && *marks.next == 9, "the end");
}

/// Reads four numbers at a time, and compares with reading them one by one.
template <Marks::Between B>
void try_fours(const std::vector<std::string>& numbers, char before, char after,
               double scale, Marks::Width width) {
  constexpr bool pairs = B == Marks::Between::pairs;
  std::string text = "a line ";
  if (!pairs) text += before;
  for (const auto& number : numbers) {
    if (pairs) text += std::string("name") + before;
    text += number + after;
  }
  const std::size_t size = text.size() - 1;
  text.resize(size);
  text += std::string(Marks::margin, '\n');
  const bool wide = width != Marks::Width::narrow;
  Marks marks('\r', before, after, width);
  marks.find(text.data(), text.data() + size, text.data() + text.size());
  (void)marks.pass(text.data() + 7);
  std::vector<double> to(numbers.size() + 4, -7.0);
  const std::size_t most = numbers.size() % 3 == 0 ? numbers.size() : 1000;
  const std::size_t count =
      marks.read_fours<B>(marks.next, most, before, after, scale, to.data());
  std::size_t expected = 0;
  const auto taken = [](const std::string& number) {
    const std::size_t sign = number.starts_with('-') ? 1 : 0;
    if (number.size() < sign + 2 || number.size() > sign + 9) return false;
    bool zero = true;
    for (std::size_t k = sign; k < number.size(); ++k) {
      const bool point = k == sign + 1;
      if (point ? number[k] != '.' : number[k] < '0' || number[k] > '9') return false;
      zero = zero && (point || number[k] == '0');
    }
    return !zero;
  };
  // What the line ends with is followed by no mark of the right kind.
  while (wide && expected + 4 < numbers.size()) {
    bool all = true;
    for (std::size_t k = 0; k < 4; ++k) all = all && taken(numbers[expected + k]);
    if (!all) break;
    expected += 4;
  }
  check(count == expected, text);
  for (std::size_t k = 0; k < count; ++k) {
    const double value =
        read_decimal(numbers[k].data(), numbers[k].data() + numbers[k].size()).value;
    const double scaled = value * scale;
    check(std::memcmp(&to[k], &scaled, sizeof scaled) == 0, numbers[k]);
  }
}

/// Reads cells eight at a time, and compares with reading them one by one.
void try_cells(const std::vector<std::string>& cells, bool zeros, std::size_t unknown) {
  std::string text = "sixteen and more bytes\n";
  const std::size_t begin = text.size();
  for (const auto& cell : cells) text += cell + ',';
  text.back() = '\n';
  const std::size_t size = text.size();
  text += std::string(Marks::margin, '7');
  Marks marks('\r', ',', '"');
  marks.find_with_stops(text.data(), text.data() + size, text.data() + text.size());
  check(marks.reach(text.data() + begin, cells.size()), "the marks of the cells");
  std::vector<std::uint32_t> ids(cells.size() + 8);
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<std::uint32_t>(k);
  if (unknown < cells.size()) ids[unknown] = 12345;
  std::vector<double> values(cells.size() + 8, -7.0);
  std::vector<std::uint32_t> columns(cells.size() + 8, 7);
  const Marks::Cells found =
      marks.read_cells(marks.next, cells.size(), zeros, ids.data(), 12345,
                       columns.data(), values.data());
  std::size_t read = 0;
  std::size_t written = 0;
  for (; marks.reads_cells() && read < cells.size(); ++read) {
    const std::string& cell = cells[read];
    const Decimal number = read_decimal(cell.data(), cell.data() + cell.size());
    if (!number.ok || number.end != cell.data() + cell.size() || cell[0] == '+') break;
    if (cell.find_first_of("eE") != std::string::npos) break;
    const bool point = cell.find('.') != std::string::npos;
    const std::size_t body = cell.size() - (cell[0] == '-' ? 1 : 0);
    if (body > (point ? 10 : 8)) break;
    if (point && body - 1 - cell.find('.') + (cell[0] == '-' ? 1 : 0) > 8) break;
    if (number.value == 0.0 && !zeros) continue;
    if (read == unknown) break;
    const bool same = std::memcmp(&values[written], &number.value, 8) == 0 &&
                      columns[written] == read;
    check(same, cell);
    ++written;
  }
  check(found.read == read && found.written == written, text);
}

void cells_are_read_eight_at_a_time() {
  Random random(3);
  static constexpr std::string_view odd = "x+ e-.";
  for (int n = 0; n < 40000; ++n) {
    std::vector<std::string> cells;
    const std::size_t count = 1 + random.below(20);
    for (std::size_t k = 0; k < count; ++k) {
      std::string cell;
      const std::size_t size = random.below(n % 2 == 0 ? 10 : 13);
      const std::size_t point = random.below(2 * size + 1);
      for (std::size_t d = 0; d < size; ++d) {
        if (d == point) cell += '.';
        cell += random.below(3) == 0 ? '0' : static_cast<char>('0' + random.below(10));
      }
      if (random.below(3) == 0) cell = '-' + cell;
      if (!cell.empty() && random.below(40) == 0) {
        const std::size_t at = random.below(cell.size());
        cell[at] = odd[random.below(odd.size())];
      }
      if (random.below(20) == 0) cell = "0";
      // Most cells of a table can be read.
      if (cell.empty() || random.below(2) == 0) cell = "1.5";
      cells.push_back(cell);
    }
    try_cells(cells, n % 3 == 0, random.below(n % 5 == 0 ? 30 : 1000));
  }
  for (const char* cell : {"0.123456789", "123456789",
                           "12345678",    "-12345678",
                           "1.23456789",  "-1.23456789",
                           "12.3456789",  "123456789.",
                           "99999999.9",  "0.00000001",
                           "-0.0",        ".",
                           "-",           "-.",
                           "..",          "1..2",
                           "1.2.3",       ".5",
                           "5.",          "1-2",
                           "--1",         "1.-2",
                           ".12345678",   "-.12345678",
                           "000000000.1", "00000000000000001"}) {
    for (const bool zeros : {false, true}) {
      try_cells({"1", cell, "2.5"}, zeros, 99);
      try_cells({"1", "2", "3", "4", "5", "6", "7", cell, "2.5", "8"}, zeros, 99);
    }
  }
}

void numbers_are_read_four_at_a_time() {
  Random random(1);
  for (int n = 0; n < 20000; ++n) {
    std::vector<std::string> numbers;
    for (std::size_t left = 1 + random.below(14); left > 0; --left) {
      std::string number = short_number(random);
      // Of what is no number some would be marks; and most are to be read.
      const bool odd = number.find_first_not_of("-.0123456789") != std::string::npos;
      numbers.push_back(odd || random.once_in(2) ? "0.5" : number);
    }
    const double scale = random.once_in(2) ? 1.0 : -2.5;
    for (const auto width : widths()) {
      try_fours<Marks::Between::pairs>(numbers, ':', ' ', scale, width);
      try_fours<Marks::Between::neighbours>(numbers, ',', ',', scale, width);
    }
  }
}

}  // namespace

int main() {
  marks_are_where_they_are_seen();
  without_a_margin_there_are_none();
  marks_are_passed();
  cells_are_read_eight_at_a_time();
  numbers_are_read_four_at_a_time();
  return failures();
}
