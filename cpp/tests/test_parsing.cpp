// Numbers and svmlight lines on small cases worked by hand.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>  // std::ssize
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/shortest.hpp"
#include "littlestone/parsing/svmlight.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Reading {
  std::ptrdiff_t length = -1;  // of the number the text begins with, if it does
  double value = 0.0;
};

Reading reading(std::string_view text) {
  // A copy of exactly its size: the address sanitizer sees a look beyond the end.
  const std::vector<char> exact(text.begin(), text.end());
  const Decimal read = read_decimal(exact.data(), exact.data() + exact.size());
  return read.ok ? Reading{read.end - exact.data(), read.value} : Reading{};
}

std::ptrdiff_t length_read(std::string_view text) { return reading(text).length; }

/// True when the whole text reads as this very double, down to the sign of zero.
bool reads(std::string_view text, double expected) {
  const auto [length, value] = reading(text);
  return length == std::ssize(text) &&
         std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected);
}

SvmlightBlock parsed(std::string_view text, const LabelRule& label_rule = LabelRule(),
                     bool skip = false) {
  SvmlightBlock block;
  block.parse(text, label_rule, skip);
  return block;
}

using Pairs = std::vector<std::pair<std::uint32_t, double>>;

Pairs row(const SvmlightBlock& block, std::size_t t) {
  const auto x = block.rows()[t];
  Pairs pairs;
  for (std::size_t k = 0; k < x.size(); ++k) pairs.emplace_back(x.index(k), x.value(k));
  return pairs;
}

/// What is wrong with a line that holds a good label and these pairs.
LineFault fault_of(std::string_view pairs) {
  return parsed("1 " + std::string(pairs)).fault;
}

bool is_row(std::string_view pairs, const Pairs& expected) {
  const auto block = parsed("1 " + std::string(pairs));
  return block.size() == 1 && row(block, 0) == expected;
}

// Numbers -------------------------------------------------------------------

void plain_numbers_read_exactly() {
  check(reads("0", 0.0) && reads("7", 7.0) && reads("-12", -12.0), "integers");
  check(reads("0.1", 0.1) && reads("3.25", 3.25), "fractions");
  check(reads("+1", 1.0) && reads("+0.5", 0.5), "a plus is a sign");
  check(reads("-0", -0.0) && reads("-0.0e5", -0.0), "zero keeps its sign");
  check(reads(".5", 0.5) && reads("5.", 5.0) && reads("-.5", -0.5), "half a fraction");
  check(reads("5.e1", 50.0) && reads(".5E+1", 5.0), "and with an exponent");
  check(reads("12e-1", 1.2) && reads("1E2", 100.0), "both letters");
}

void leading_zeros_change_nothing() {
  check(reads("007", 7.0) && reads("1e007", 1e7), "few");
  check(reads("0000000000000000000000001.5", 1.5), "more than nineteen");
  check(reads("0.000000000000000000000001", 1e-24), "after the point");
}

void digits_are_read_in_eights_and_in_ones() {
  check(reads("0.12345678", 0.12345678), "eight");
  check(reads("0.123456789", 0.123456789), "nine");
  check(reads("0.1234567", 0.1234567), "seven, at the end of the text");
  for (int c = 0; c < 256; ++c) {
    const char stop = static_cast<char>(c);
    if (is_digit(stop) || stop == 'e' || stop == 'E') continue;
    for (std::size_t at = 0; at < 8; ++at) {
      std::string text = "0.12345678";
      text[2 + at] = stop;
      check(length_read(text) == static_cast<std::ptrdiff_t>(2 + at), "a stop");
    }
  }
}

void ties_go_to_even() {
  check(reads("9007199254740992", 0x1p53), "2^53 itself");
  check(reads("9007199254740993", 0x1p53), "2^53 + 1 lies half-way: down");
  check(reads("9007199254740995", 0x1p53 + 4), "2^53 + 3 lies half-way: up");
  check(reads("-9007199254740993", -0x1p53), "below zero alike");
  check(reads("9007199254740993.00000000000000000000000001", 0x1p53 + 2),
        "one digit far away breaks the tie");
  check(reads("9007199254740992.99999999999999999999999999", 0x1p53), "or does not");
  check(reads("4503599627370496.5", 0x1p52), "2^52 + 1/2 lies half-way: down");
  check(reads("4503599627370497.5", 0x1p52 + 2), "2^52 + 3/2 lies half-way: up");
}

void long_numbers_round_once() {
  check(reads("3.141592653589793238462643383279", 0x1.921fb54442d18p+1), "pi");
  check(reads("0.10000000000000000555111512312578270211815834045410", 0.1),
        "0.1 written out");
  check(reads("0.30000000000000004", 0x1.3333333333334p-2), "seventeen digits");
  check(reads("0.3", 0x1.3333333333333p-2), "its neighbour");
  check(reads("1e22", 0x1.0f0cf064dd592p+73), "the last power that is exact");
  check(reads("1e23", 0x1.52d02c7e14af6p+76), "the first that is not");
  check(reads("9007199254740993e1", 90071992547409936.0), "not before it is raised");
  check(reads("18446744073709551615", 0x1p64), "2^64 - 1");
  check(reads("18446744073709551617", 0x1p64), "one that wraps to 1 in 64 bits");
  check(reads("100000000000000000000", 1e20), "more digits than 64 bits hold");
}

void the_ends_of_the_range_are_exact() {
  check(reads("1.7976931348623157e308", std::numeric_limits<double>::max()), "largest");
  check(reads("1.7976931348623158e308", std::numeric_limits<double>::max()), "rounds");
  check(reads("1.797693134862315808e308", infinity), "rounds beyond the largest");
  check(reads("1e308", 1e308) && reads("1e309", infinity), "308 and 309");
  check(reads("-1e309", -infinity) && reads("+1e309", infinity), "both signs");
  check(reads("2.2250738585072014e-308", 0x1p-1022), "the smallest normal");
  check(reads("2.2250738585072011e-308", 0x0.fffffffffffffp-1022), "the next below");
  check(reads("5e-324", 0x1p-1074) && reads("4.9e-324", 0x1p-1074), "the smallest");
  check(reads("2.4703282292062328e-324", 0x1p-1074), "just above half of it");
  check(reads("2.4703282292062327e-324", 0.0), "just below half of it");
  check(reads("1e-400", 0.0) && reads("-1e-400", -0.0), "too small is zero");
}

void huge_exponents_do_not_overflow() {
  check(reads("1e99999999999999999999", infinity), "up");
  check(reads("-1e-99999999999999999999", -0.0), "down");
  check(reads("0e99999999999999999999", 0.0), "zero stays zero");
  check(reads("-0.000e99999999999999999999", -0.0), "with its sign");
}

void digits_and_exponent_are_weighed_together() {
  const std::string zeros(400, '0');
  check(reads("0." + zeros + "1e401", 1.0), "a tiny fraction, raised");
  check(reads("1" + zeros + "e-400", 1.0), "a huge integer, lowered");
  check(reads("0." + zeros + "1e10", 0.0), "tiny, though the exponent is positive");
  check(reads("-1" + zeros + "e-10", -infinity), "huge, though it is negative");
  check(reads("0." + zeros + "1e3000", infinity), "a tiny fraction, raised too far");
  check(reads("1" + zeros + "e-3000", 0.0), "a huge integer, lowered too far");
  check(reads("-0" + zeros + "." + zeros + "e500", -0.0), "nothing but zeros");
  check(reads(zeros + "1" + zeros, infinity), "no exponent at all");
}

void what_is_no_number_is_refused() {
  for (const auto text : {""sv, "+"sv, "-"sv, "."sv, "-."sv, "e5"sv, ".e5"sv, "+-1"sv,
                          "--1"sv, " 1"sv, "nan"sv, "inf"sv, "x"sv, ":"sv, "\0"sv}) {
    check(length_read(text) == -1, text);
  }
  for (const auto text : {"1e"sv, "1e+"sv, "1e-"sv, "1.5e"sv, "1ex"sv, "1e+-2"sv}) {
    check(length_read(text) == -1, "an exponent without digits");
  }
}

void reading_stops_at_what_does_not_belong() {
  check(length_read("12 3") == 2 && length_read("1.2.3") == 3, "space, second point");
  check(length_read("1-2") == 1 && length_read("0x10") == 1, "sign, hexadecimal");
  check(length_read("1e5e6") == 3 && length_read("1e5.5") == 3, "after the exponent");
  check(length_read("1\0002"sv) == 1, "a zero byte");
  const std::string_view digits = "123";
  check(read_decimal(digits.data(), digits.data() + 2).value == 12.0,
        "the end is obeyed");
}

// Lines ---------------------------------------------------------------------

bool keeps(std::string_view text) { return is_shortest(text, reading(text).value); }

void a_number_is_kept_if_its_digits_are_those_of_a_double() {
#ifdef __cpp_lib_to_chars
  for (const auto text :
       {"0.1", "0.05", "-0.00120", "-0.10", "100e-3", "0.30000000000000004", "5e-324",
        "0.0", "-0e7", "1.7976931348623157e+308", "2e22", "20.50"}) {
    check(keeps(text), text);
  }
  for (const auto text :
       {"0.1234567890123456789", "0.30000000000000003", "0.1000000000000000055",
        "3e-324", "1e-400", "9007199254740993.0", "1e99999"}) {
    check(!keeps(text), text);
  }
#endif
}

void a_line_is_a_label_and_pairs() {
  const auto block = parsed("1 3:0.5 7:2\n-1 2:1\n1\n");
  check(block.size() == 3 && block.line_count == 3, "three rows");
  check(block.fault == LineFault::none && block.skipped == 0, "all of them good");
  check(row(block, 0) == Pairs{{3, 0.5}, {7, 2}}, "the first row");
  check(row(block, 1) == Pairs{{2, 1}}, "the second row");
  check(row(block, 2).empty(), "a label alone is a row");
  check(block.labels == std::vector<std::uint8_t>{1, 0, 1}, "labels");
  check(block.largest == 7 && block.rows().width == 8, "the largest index");
}

void nothing_holds_no_rows() {
  for (const auto text :
       {""sv, "\n"sv, "\r\n"sv, " \t\r"sv, "# 1 1:1"sv, "  # x\n"sv}) {
    const auto block = parsed(text);
    check(block.size() == 0 && block.fault == LineFault::none, "no row, no fault");
    check(block.rows().size() == 0, "no offsets but the first");
  }
  check(parsed(std::string_view()).line_count == 0, "no text, no line");
  check(parsed("\n\n").line_count == 2, "blank lines count");
}

void comments_end_a_line_anywhere() {
  const auto block = parsed("1# a\n1 # 1:x\n1 1:2# b\n1 1:2 #\n1 1:2 # c # 2:3\n");
  check(block.size() == 5 && block.fault == LineFault::none, "five rows");
  check(row(block, 0).empty() && row(block, 1).empty(), "after the label");
  check(row(block, 2) == Pairs{{1, 2}} && row(block, 4) == Pairs{{1, 2}},
        "after a pair");
  check(fault_of("1:#2") == LineFault::pair, "a comment in the value's place");
  check(fault_of("1#:2") == LineFault::pair, "a comment in the colon's place");
}

void line_numbers_count_every_line() {
  const auto block = parsed("# head\n\n1 1:1\n \t\n0 2:1\n");
  check(block.lines == std::vector<std::uint32_t>{2, 4}, "where the rows stood");
  check(block.line_count == 5, "all lines");
}

void spaces_are_blanks_tabs_and_returns() {
  const Pairs expected{{1, 2}, {3, 4}};
  check(is_row("1:2 3:4\r\n", expected), "CRLF");
  check(is_row("\t1:2\t\t3:4\t\n", expected), "tabs");
  check(is_row("  1:2   3:4  ", expected), "no final newline");
  check(row(parsed("  1\t1:2 3:4"), 0) == expected, "before the label");
  check(fault_of("1:2\v3:4") == LineFault::pair, "a vertical tab is no space");
  check(fault_of("1: 2") == LineFault::pair, "no space inside a pair");
  check(fault_of("1 :2") == LineFault::pair, "on either side");
}

void the_last_line_may_lack_its_end() {
  for (const auto text : {"1 1:2"sv, "1 1:2\n"sv, "1 1:2\r"sv, "1 1:2#"sv}) {
    const auto block = parsed(text);
    check(block.size() == 1 && row(block, 0) == Pairs{{1, 2}}, "one row");
    check(block.line_count == 1, "one line");
  }
}

void the_query_id_is_passed_over() {
  check(is_row("qid:7 1:2", {{1, 2}}) && is_row("qid:7", {}), "once, after the label");
  check(is_row("qid:7# 1:2", {}) && is_row("qid:", {}), "up to a space or a comment");
  check(fault_of("1:2 qid:7") == LineFault::pair, "not after a pair");
  check(fault_of("qid:7 qid:8") == LineFault::pair, "not twice");
  check(fault_of("qid") == LineFault::pair, "not without its colon");
  check(parsed("qid:7 1:2").fault == LineFault::label, "not before the label");
}

void lines_that_break_off_are_bad_pairs() {
  for (const auto text :
       {"1"sv, "1:"sv, "1:-"sv, "1:+"sv, "1:."sv, "1:1e"sv, "1:1e-"sv}) {
    check(fault_of(text) == LineFault::pair, text);
    // The next line must not lend what this one lacks.
    check(parsed("1 " + std::string(text) + "\n2:5 3:5\n").fault_line == 0, text);
  }
}

void other_bad_pairs_are_refused() {
  for (const auto text : {":1"sv, "a:1"sv, "-1:1"sv, "+1:1"sv, "1.0:1"sv, "1:2:3"sv,
                          "1:2,3:4"sv, "1:0x10"sv, "1:1e5x"sv, "1:1_000"sv, "1;2"sv}) {
    check(fault_of(text) == LineFault::pair, text);
  }
}

void indices_may_come_in_any_order() {
  check(is_row("9:1 2:2 5:3", {{9, 1}, {2, 2}, {5, 3}}), "the order is kept");
  check(parsed("1 9:1 2:2").largest == 9, "the largest need not be last");
  check(fault_of("2:1 2:1") == LineFault::duplicate, "twice, side by side");
  check(fault_of("2:1 3:1 2:1") == LineFault::duplicate, "twice, apart");
  check(fault_of("2:1 02:1") == LineFault::duplicate, "twice, written differently");
  check(parsed("1 2:1\n1 2:1\n").fault == LineFault::none, "once in each line");
}

void a_late_duplicate_is_found_quickly() {
  std::string line = "1";
  for (int index = 300'000; index > 0; --index)
    line += ' ' + std::to_string(index) + ":1";
  check(parsed(line).fault == LineFault::none, "a long row, downwards");
  // Looking back from every pair would take 10^11 steps.
  check(parsed(line + " 1:1").fault == LineFault::duplicate,
        "the last equals the first");
}

void indices_go_up_to_two_to_the_32() {
  const auto block = parsed("1 4294967295:2\n1 0:1\n");
  check(row(block, 0) == Pairs{{4294967295, 2}}, "the largest");
  check(row(block, 1) == Pairs{{0, 1}}, "the smallest");
  check(block.rows().width == std::size_t{1} << 32U, "the width does not wrap");
  for (const auto text : {"4294967296:1"sv, "9999999999:1"sv, "10000000000:1"sv,
                          "18446744073709551617:1"sv, "99999999999999999999999:1"sv}) {
    check(fault_of(text) == LineFault::index_too_large, text);
  }
  check(fault_of("4294967296") == LineFault::pair, "without a value it is no pair");
}

void leading_zeros_leave_an_index_alone() {
  check(is_row("007:1", {{7, 1}}), "few");
  check(is_row("00000000000000000000000000042:1", {{42, 1}}), "many");
  check(is_row("00000000000:1", {{0, 1}}), "nothing else");
  check(is_row("04294967295:1", {{4294967295, 1}}), "before the largest");
  check(fault_of("04294967296:1") == LineFault::index_too_large,
        "before one too large");
  check(fault_of("010000000000:1") == LineFault::index_too_large, "eleven digits");
}

void values_must_be_finite() {
  for (const auto text : {"1:nan"sv, "1:NaN"sv, "1:-nan"sv, "1:inf"sv, "1:+Inf"sv,
                          "1:-INFINITY"sv, "1:1e309"sv, "1:-1e999"sv, "1:nan#"sv}) {
    check(fault_of(text) == LineFault::not_finite, text);
  }
  for (const auto text :
       {"1:nanx"sv, "1:nan(1)"sv, "1:in"sv, "1:+-inf"sv, "1:1e309x"sv}) {
    check(fault_of(text) == LineFault::pair, text);
  }
  check(is_row("1:1e-999", {{1, 0.0}}), "too small is zero");
  check(is_row("1:9007199254740993", {{1, 0x1p53}}), "values round correctly");
}

// Labels --------------------------------------------------------------------

void a_digit_is_the_label_that_its_number_is() {
  for (int first = 0; first < 256; ++first) {
    for (int second = -1; second < 256; ++second) {
      std::string text(1, static_cast<char>(first));
      if (second >= 0) text += static_cast<char>(second);
      const auto [length, value] = reading(text);
      const bool number = length == std::ssize(text);
      const Label label = number ? label_of(value) : Label::other;
      const Label found = label_of_digit(text);
      check(found == label || found == Label::other, text);
    }
  }
  check(label_of_digit("1") == Label::yes && label_of_digit("+1") == Label::yes &&
            label_of_digit("0") == Label::zero && label_of_digit("-1") == Label::minus,
        "the usual ones");
  check(label_of_digit("") == Label::other && label_of_digit("001") == Label::other,
        "one or two characters");
}

void labels_are_numbers_by_default() {
  const auto block = parsed("1\n+1\n1.0\n1e0\n10e-1\n");
  check(block.labels == std::vector<std::uint8_t>(5, 1), "five ways of saying yes");
  for (const auto text : {"0"sv, "-0"sv, "0.0"sv, "-1"sv, "-1.00"sv}) {
    const auto no = parsed(text);
    check(no.labels == std::vector<std::uint8_t>{0}, text);
  }
  for (const auto text : {"2"sv, "0.5"sv, "yes"sv, "nan"sv, "1x"sv, "1:1"sv, "1,2"sv,
                          "--1"sv, "0x1"sv, "1e999"sv,
                          "\xEF\xBB\xBF"
                          "1"sv}) {
    check(parsed(text).fault == LineFault::label, text);
  }
}

void a_text_can_mean_yes() {
  const LabelRule spam("spam");
  const auto block = parsed("spam 1:1\nham\n1\nspam# x\nSPAM\nspammer\n", spam);
  check(block.labels == std::vector<std::uint8_t>{1, 0, 0, 1, 0, 0}, "that very text");
  check(parsed("3:1 4:1", spam).fault == LineFault::no_label, "a pair is no label");
  check(parsed("a:b", LabelRule("a:b")).labels[0] == 1,
        "unless it is the one asked for");
}

void a_number_can_mean_yes() {
  const auto block = parsed("2\n+2\n2.0\n20e-1\n02\n1\n-2\n2x\nx\n", LabelRule("2"));
  check(block.labels == std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0, 0, 0, 0},
        "however it is written");
  check(parsed("0\n-0.0\n1\n", LabelRule("0.0")).labels ==
            std::vector<std::uint8_t>{1, 1, 0},
        "even zero");
  check(parsed("2 ", LabelRule("2 ")).labels[0] == 0, "with a space it is a text");
  check(parsed("nan\nNaN", LabelRule("nan")).labels == std::vector<std::uint8_t>{1, 0},
        "nan is a text");
}

void lines_without_a_label_are_kept_or_left_out_if_asked() {
  LabelRule rule;
  rule.unlabelled = Unlabelled::keep;
  const auto kept = parsed("3:1 4:2\n1 5:1\nqid:7 6:1\n0:0 1:1 2:2 3:3\n", rule);
  check(kept.unlabelled == std::vector<std::size_t>{0, 2, 3}, "listed");
  check(row(kept, 0) == Pairs{{3, 1}, {4, 2}}, "with their first pair");
  check(row(kept, 2) == Pairs{{6, 1}} && row(kept, 3).size() == 4, "and all others");
  check(kept.labels == std::vector<std::uint8_t>{0, 1, 0, 0}, "among labelled ones");
  check(parsed("x 3:1", rule).fault == LineFault::label, "another word is no label");
  rule.unlabelled = Unlabelled::skip;
  const auto left = parsed("3:1\n1 5:1\n", rule);
  check(left.size() == 1 && left.left_out == 1, "or left out");
}

void no_has_a_name_where_yes_has_one() {
  check(parsed("ham\nspam\nham 1:1\n", LabelRule("spam")).other_label == "ham", "ham");
  const auto several = parsed("ham\neggs\n", LabelRule("spam"));
  check(several.other_label == "ham" && several.other_labels, "not the only one");
  check(parsed("0\n1\n").other_label.empty(), "numbers need none");
}

void the_alphabet_says_where_each_no_was_met() {
  auto block = parsed("1\n-1\n\n1\n0\n-1\n0\n");
  check(block.alphabet.first_minus == 1, "rows count, not lines");
  check(block.alphabet.first_zero == 3, "the first of two");
  block = parsed("1\n0\n");
  check(block.alphabet.first_minus == Alphabet::never, "-1 was not met");
  block = parsed("0 1:x\n-1\n0 1:1\n", LabelRule(), true);
  check(block.alphabet.first_minus == 0 && block.alphabet.first_zero == 1,
        "a line left out has no label");
  block = parsed("-1\n1\n", LabelRule("1"));
  check(block.alphabet.first_minus == Alphabet::never && block.alphabet.first_zero == 0,
        "with a label that means yes, the others are one kind");
}

// Faults --------------------------------------------------------------------

void the_first_bad_line_stops_the_parsing() {
  const auto block = parsed("1 1:1\n# x\n1 2:\r\n2 1:1\n1 1:1\n");
  check(block.fault == LineFault::pair && block.fault_line == 2, "the third line");
  check(block.fault_text == "1 2:\r", "as it stands, without its newline");
  check(block.line_count == 2 && block.skipped == 0, "two lines before it");
  check(block.size() == 1 && row(block, 0) == Pairs{{1, 1}}, "the rows before it stay");
}

void the_shown_text_is_cut() {
  const std::string line = "x" + std::string(300, 'y');
  check(parsed(line).fault_text == line.substr(0, 200), "at two hundred bytes");
  check(parsed(line.substr(0, 200) + "\n1\n").fault_text == line.substr(0, 200), "200");
  check(parsed("x\n" + line).fault_text == "x", "never into the next line");
}

void bad_lines_can_be_left_out() {
  const auto block = parsed("2 9:1\n1 1:1 2:x\n-1 3:1\n1 4:1 4:1\n\n1 8:nan\n1 5:2\n",
                            LabelRule(), true);
  check(block.skipped == 4 && block.line_count == 7, "blank lines are not bad");
  check(block.fault == LineFault::none && block.fault_text.empty(), "no fault is kept");
  check(block.lines == std::vector<std::uint32_t>{2, 6}, "the good ones");
  check(row(block, 0) == Pairs{{3, 1}} && row(block, 1) == Pairs{{5, 2}}, "are whole");
  check(block.largest == 5, "indices of bad lines do not count");
}

void bytes_that_are_no_text_do_no_harm() {
  check(fault_of("1:1\0"sv) == LineFault::pair, "a zero byte after a value");
  check(fault_of("1:1e999\0"sv) == LineFault::pair, "which is no number then");
  check(fault_of("1\0:1"sv) == LineFault::pair, "inside an index");
  check(fault_of("\0"sv) == LineFault::pair, "alone");
  check(parsed("\0 1:1"sv).fault == LineFault::label, "in the label's place");
  check(is_row("1:1 # \0\xFF"sv, {{1, 1}}), "a comment may hold anything");
  check(fault_of("\xFF\xFE\x80:\x81") == LineFault::pair, "high bytes");
  check(fault_of("1:0.\xB1\xB2\xB3\xB4\xB5\xB6\xB7\xB8") == LineFault::pair,
        "digits with the high bit set");
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  check(parsed(every, LabelRule(), true).skipped == 2,
        "every byte: two lines, both bad");
}

void dropped_rows_leave_the_others_whole() {
  auto block = parsed("1 1:1 2:2\n0 3:3\n1 4:4\n");
  block.truncate(2);
  check(block.size() == 2 && block.rows().size() == 2, "two rows stay");
  check(row(block, 0) == Pairs{{1, 1}, {2, 2}} && row(block, 1) == Pairs{{3, 3}},
        "whole");
  check(block.rows().nonzeros() == 3, "and their pairs");
  check(block.lines.size() == 2, "and their lines");
  block.truncate(0);
  check(block.size() == 0 && block.rows().nonzeros() == 0, "or none");
}

void a_block_is_reused() {
  SvmlightBlock block;
  block.parse("0 1:1 2:2 3:3\n-1 900:1\n1 1:x", LabelRule(), false);
  check(block.fault == LineFault::pair && block.size() == 2, "stopped");
  block.parse("1 7:7\n", LabelRule(), false);
  check(block.size() == 1 && row(block, 0) == Pairs{{7, 7}}, "only the new row");
  check(block.fault == LineFault::none && block.fault_text.empty(), "no old fault");
  check(block.fault_line == 0 && block.line_count == 1, "lines count anew");
  check(block.largest == 7, "so does the width");
  check(block.alphabet.first_zero == Alphabet::never &&
            block.alphabet.first_minus == Alphabet::never,
        "so does the alphabet");
  block.parse("x\nx\n1 1:1 2:1 3:1 4:1 5:1 6:1\n", LabelRule(), true);
  check(block.skipped == 2 && row(block, 0).size() == 6,
        "a longer text after a shorter");
  block.truncate(0);
  block.parse("1 2:2\n", LabelRule(), true);
  check(block.skipped == 0 && row(block, 0) == Pairs{{2, 2}}, "after a truncation");
  block.parse("", LabelRule(), false);
  check(block.size() == 0 && block.line_count == 0, "an empty text empties it");
}

void there_is_room_for_the_shortest_pairs() {
  // Ten pairs that take four bytes each, the least there is: the block must not
  // overflow.
  const auto block = parsed("1 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9");
  check(block.size() == 1 && row(block, 0).size() == 10, "all ten");
}

}  // namespace

int main() {
  plain_numbers_read_exactly();
  leading_zeros_change_nothing();
  digits_are_read_in_eights_and_in_ones();
  ties_go_to_even();
  long_numbers_round_once();
  the_ends_of_the_range_are_exact();
  huge_exponents_do_not_overflow();
  digits_and_exponent_are_weighed_together();
  what_is_no_number_is_refused();
  reading_stops_at_what_does_not_belong();
  a_number_is_kept_if_its_digits_are_those_of_a_double();
  a_line_is_a_label_and_pairs();
  nothing_holds_no_rows();
  comments_end_a_line_anywhere();
  line_numbers_count_every_line();
  spaces_are_blanks_tabs_and_returns();
  the_last_line_may_lack_its_end();
  the_query_id_is_passed_over();
  lines_that_break_off_are_bad_pairs();
  other_bad_pairs_are_refused();
  indices_may_come_in_any_order();
  a_late_duplicate_is_found_quickly();
  indices_go_up_to_two_to_the_32();
  leading_zeros_leave_an_index_alone();
  values_must_be_finite();
  a_digit_is_the_label_that_its_number_is();
  labels_are_numbers_by_default();
  a_text_can_mean_yes();
  a_number_can_mean_yes();
  lines_without_a_label_are_kept_or_left_out_if_asked();
  no_has_a_name_where_yes_has_one();
  the_alphabet_says_where_each_no_was_met();
  the_first_bad_line_stops_the_parsing();
  the_shown_text_is_cut();
  bad_lines_can_be_left_out();
  bytes_that_are_no_text_do_no_harm();
  dropped_rows_leave_the_others_whole();
  a_block_is_reused();
  there_is_room_for_the_shortest_pairs();
  return failures();
}
