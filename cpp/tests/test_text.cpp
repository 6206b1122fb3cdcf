// The tokenizer, the columns and the check of UTF-8, case by case.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/parsing/text.hpp"
#include "named_rows.hpp"

using namespace littlestone;
using namespace std::string_view_literals;

namespace {

TextBlock parsed(std::string_view text, const TextRule& rule = {}, bool skip = false) {
  return parsed_by<TextBlock>(text, rule, skip);
}

Row words(std::string_view text, TextRule rule = {}) {
  return row(parsed("1\t" + std::string(text), rule), 0);
}

void a_word_is_a_run_of_letters_and_digits() {
  check(words("Hello, World-2!") == Row{{"hello", 1}, {"world", 1}, {"2", 1}},
        "and lowercase");
  check(words("don't a_b") == Row{{"don", 1}, {"t", 1}, {"a", 1}, {"b", 1}}, "no more");
  check(words("").empty() && words(" .,;").empty(), "none at all");
  check(words("\xC3\x89t\xC3\xA9 \xD0\xAF") ==
            Row{{"\xC3\x89t\xC3\xA9", 1}, {"\xD0\xAF", 1}},
        "words of other scripts stay whole, and as they are");
  check(words("a\0b"sv) == Row{{"a", 1}, {"b", 1}}, "a zero byte separates");
  TextRule rule;
  rule.lowercase = false;
  check(words("Az aZ", rule) == Row{{"Az", 1}, {"aZ", 1}}, "case is kept if asked");
}

void features_come_in_the_order_of_their_first_occurrence() {
  check(words("b a b c a") == Row{{"b", 1}, {"a", 1}, {"c", 1}}, "each once");
  TextRule rule;
  rule.counts = true;
  check(words("b a b c a b", rule) == Row{{"b", 3}, {"a", 2}, {"c", 1}}, "counted");
}

void successive_words_are_joined_by_one_space() {
  TextRule rule;
  rule.longest = 2;
  check(words("a,  b\xC3\xA9 c", rule) == Row{{"a", 1},
                                              {"a b\xC3\xA9", 1},
                                              {"b\xC3\xA9", 1},
                                              {"b\xC3\xA9 c", 1},
                                              {"c", 1}},
        "one and two");
  rule.shortest = 2;
  rule.longest = 3;
  check(words("a b c", rule) == Row{{"a b", 1}, {"a b c", 1}, {"b c", 1}},
        "two, three");
  check(words("a", rule).empty(), "too short");
  check(words("a b\tc d", rule) == Row{{"a b", 1}, {"c d", 1}}, "within a column");
}

void columns_are_those_asked_for() {
  TextRule rule;
  rule.label = 1;
  rule.columns = {3, 0};
  const TextBlock block = parsed("a\t1\tb\tc\td\n\n-\t0\t\t\r\n", rule);
  check(block.size() == 2 && block.fault == LineFault::none, "two rows");
  check(row(block, 0) == Row{{"a", 1}, {"c", 1}} && row(block, 1).empty(), "words");
  check(block.labels == std::vector<std::uint8_t>{1, 0}, "labels");
  check(block.lines == std::vector<std::uint32_t>{0, 2}, "a blank line counts");
  check(parsed("a\t1\tb", rule).fault == LineFault::columns, "too few");
  rule.width = 4;
  check(parsed("a\t1\tb\tc\td", rule).fault == LineFault::columns, "too many");
  check(parsed("1").fault == LineFault::columns, "a label alone");
}

void a_bad_line_leaves_nothing_behind() {
  TextRule rule;
  rule.columns = {1, 2};
  const std::string bad = "1\tnew\t\xFF\n";
  const TextBlock block = parsed("1\ta\tb\n" + bad + "2\tx\ty\n0\tb\t\n", rule, true);
  check(block.size() == 2 && block.skipped == 2, "left out");
  check(block.names.size() == 2 && block.columns.size() == 3, "with its names");
  const TextBlock stopped = parsed("1\ta\tb\n" + bad, rule);
  check(stopped.fault == LineFault::encoding && stopped.fault_line == 1, "or reported");
  check(parsed("spam\tx").fault == LineFault::label, "a label");
  rule.label_rule = LabelRule(LabelKind::class_);
  check(parsed("\tx\ty", rule).fault == LineFault::no_label, "an empty label");
  check(parsed("\xFF\tx\ty", rule).fault == LineFault::encoding, "a label of bytes");
  check(parsed("a:b\tx\ty", rule).fault == LineFault::none, "a colon is no matter");
}

void any_label_is_kept_as_written() {
  TextRule rule;
  rule.label_rule = LabelRule(LabelKind::class_);
  const TextBlock block = parsed("b\t\na\t\nb\t\n", rule);
  check(block.label_codes == std::vector<std::uint32_t>{0, 1, 0}, "codes");
  check(block.label_names[0] == "b" && block.label_names[1] == "a", "what they mean");
  check(block.labels.empty(), "and no truth values");
}

void a_block_is_used_again() {
  TextBlock block;
  block.parse("1\ta b c\n", {}, false);
  block.parse("0\tc a\n1\tc\n", {}, false);
  check(row(block, 0) == Row{{"c", 1}, {"a", 1}} && row(block, 1) == Row{{"c", 1}},
        "nothing of the first is left");
  check(block.names.size() == 2, "nor a name");
  TextRule rule;
  rule.label_rule = LabelRule(LabelKind::class_);
  block.parse("a\t\n", rule, false);
  block.parse("b\t\n", rule, false);
  check(block.label_names.size() == 1 && block.label_names[0] == "b", "nor a label");
}

void utf8_is_what_the_standard_says() {
  for (const auto good :
       {""sv, "a"sv, "\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv,
        "\xED\x9F\xBF"sv, "\xEE\x80\x80"sv, "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv,
        "\xF4\x8F\xBF\xBF"sv, "abcdefg\xC3\xA9"sv, "\0"sv}) {
    check(is_utf8(good), good);
  }
  for (const auto bad :
       {"\x80"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xC2"sv, "\xC2\xC2"sv, "\xE0\x9F\xBF"sv,
        "\xED\xA0\x80"sv, "\xE1\x80"sv, "\xE1\x80\x7F"sv, "\xF0\x8F\xBF\xBF"sv,
        "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv, "abcdefgh\xC3"sv}) {
    check(!is_utf8(bad), bad);
  }
}

void one_bad_byte_is_found_wherever_it_stands() {
  for (std::size_t k = 0; k < 150; ++k) {
    std::string text(150, 'a');
    check(is_utf8(text), "ASCII");
    text[k] = static_cast<char>(0xFF);
    check(!is_utf8(text), "a byte that never stands in UTF-8");
    text.replace(k, 1, "\xC3\xA9");
    check(is_utf8(text), "two bytes that do");
  }
}

}  // namespace

int main() {
  one_bad_byte_is_found_wherever_it_stands();
  a_word_is_a_run_of_letters_and_digits();
  features_come_in_the_order_of_their_first_occurrence();
  successive_words_are_joined_by_one_space();
  columns_are_those_asked_for();
  a_bad_line_leaves_nothing_behind();
  any_label_is_kept_as_written();
  a_block_is_used_again();
  utf8_is_what_the_standard_says();
  return failures();
}
