// Vowpal Wabbit text, case by case.

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/parsing/vw.hpp"
#include "named_rows.hpp"

using namespace littlestone;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

VwBlock parsed(std::string_view text, const VwRule& rule = {}, bool skip = false) {
  return parsed_by<VwBlock>(text, rule, skip);
}

Row features(std::string_view text, const VwRule& rule = {}) {
  const VwBlock block = parsed("1 |" + std::string(text), rule);
  check(block.size() == 1, text);
  return block.size() == 1 ? row(block, 0) : Row{};
}

LineFault fault(std::string_view text, const VwRule& rule = {}) {
  return parsed(text, rule).fault;
}

void a_feature_is_named_by_its_namespace() {
  check(features(" a b:2 c:-.5e1") == Row{{"a", 1}, {"b", 2}, {"c", -5}}, "without");
  check(features("n a:2 |m:3 a:2\tb|n b\r") ==
            Row{{"n^a", 2}, {"m^a", 6}, {"m^b", 3}, {"n^b", 1}},
        "with, and with a scale");
  check(features("n") == Row{} && features("") == Row{}, "none at all");
  check(features(" a:0 b:-0 |n:0 c") == Row{}, "0 says that it is absent");
  check(features(" color:red |n x:a=b") == Row{{"color=red", 1}, {"n^x=a=b", 1}},
        "a text is a feature");
  check(features("n:2 x:y z") == Row{{"n^x=y", 1}, {"n^z", 2}}, "which has no scale");
  check(features(" abcdefgh abcdefghi") == Row{{"abcdefgh", 1}, {"abcdefghi", 1}},
        "long names");
}

void a_name_is_one_feature_however_it_is_cut() {
  VwRule rule;
  rule.sum = true;
  // Features with blank lines behind them are read in a quicker way.
  for (const std::string& end : {std::string(), std::string(70, '\n')}) {
    check(features("a^b eightbyt |a b^eightbyt | a^b^eightbyt" + end, rule) ==
              Row{{"a^b^eightbyt", 3}},
          "in three ways");
    check(features(" a^b^c |a b^c |a^b c" + end, rule) == Row{{"a^b^c", 3}},
          "if short");
    check(features("space a^b |space^a b" + end, rule) == Row{{"space^a^b", 2}},
          "or of middle size");
    check(features("one eightbyt |two eightbyt:2 | eightbyt:3" + end, rule) ==
              Row{{"one^eightbyt", 1}, {"two^eightbyt", 2}, {"eightbyt", 3}},
          "but not of another namespace");
    const std::string zero(1, '\0');
    check(features("space a a" + zero + " a" + zero + " |a b b" + zero + end, rule) ==
              Row{{"space^a", 1}, {"space^a" + zero, 2}, {"a^b", 1}, {"a^b" + zero, 1}},
          "a zero byte at its end is a part of it");
    std::string many;
    Row expected;
    for (int k = 0; k < 600; ++k) {
      const std::string space = "space" + std::to_string(k % 300);
      many += (k == 0 ? "" : " |") + space + " eightbyt b^a";
      if (k >= 300) continue;
      expected.emplace_back(space + "^eightbyt", 2);
      expected.emplace_back(space + "^b^a", 2);
    }
    check(features(many + end, rule) == expected,
          "of more namespaces than have numbers");
  }
  const VwBlock block = parsed(
      "1 |n eightbyt a\n1 |n a other_one a\n1 |n other_one eightbyt a", {}, true);
  check(block.skipped == 1 && block.words().size() == 3, "a bad line has no names");
  check(row(block, 1) == Row{{"n^other_one", 1}, {"n^eightbyt", 1}, {"n^a", 1}},
        "and leaves those of others alone");
}

void what_is_before_the_bar() {
  for (const auto line : {"1 |"sv, "1 1 |"sv, "1 1.0 0 |"sv, " 1  1 -0  'tag |"sv,
                          "1 tag|"sv, "1 'tag |"sv, "1 1 'tag|"sv}) {
    const VwBlock block = parsed(line);
    check(block.size() == 1 && block.labels[0] == 1, line);
    const bool tagged = line.find("tag") != std::string_view::npos;
    check(block.size() == 1 && block.tag(0) == (tagged ? "tag" : ""), line);
  }
  check(fault("1 1 0 1 |") == LineFault::head, "too much");
  check(fault("1 1 0.5 |") == LineFault::initial, "an initial prediction");
  check(fault("1") == LineFault::bar && fault("1 a:1") == LineFault::bar, "no bar");
  check(fault("1| a") == LineFault::unlabelled, "a tag is no label");
  check(fault("1\t| a") == LineFault::unlabelled, "nor with a tab");
  check(fault("'t 1 | a") == LineFault::label, "a tag comes last");
  check(fault("2 | a") == LineFault::label && fault("x | a") == LineFault::label,
        "two");
  VwRule rule;
  rule.label_rule = LabelRule(LabelKind::class_);
  check(fault("x | a", rule) == LineFault::none, "any");
  check(fault("1:0.5 | a", rule) == LineFault::no_label, "costs are no label");
}

void weights_are_used_as_asked() {
  const auto text = "1 3 'x| a\n0 0 | b:bad:bad\n1 1 | c\n1 | d\n"sv;
  VwRule rule;
  const VwBlock stopped = parsed(text, rule);
  check(stopped.fault == LineFault::weight && stopped.fault_line == 0, "refused");
  check(stopped.fault_character == 3 && stopped.fault_token == "3", "and shown");
  rule.weights = ImportanceWeights::ignore;
  const VwBlock once = parsed(text, rule);
  check(once.size() == 3 && once.left_out == 1, "a weight of 0 is no example");
  check(once.lines == std::vector<std::uint32_t>{0, 2, 3}, "and still a line");
  rule.weights = ImportanceWeights::multiply;
  const VwBlock weighed = parsed("1 2.5 | a\n1 0 | b\n1 | c\n-1 1e-3 | d\n", rule);
  check(weighed.weights == std::vector<double>{2.5, 1.0, 1e-3}, "handed on");
  check(weighed.left_out == 1, "but not 0");
  rule.weights = ImportanceWeights::repeat;
  const VwBlock often = parsed(text, rule);
  check(often.lines == std::vector<std::uint32_t>{0, 0, 0, 2, 3}, "repeated");
  check(row(often, 2) == Row{{"a", 1}} && often.tag(2) == "x", "with all it has");
  check(often.tag(3).empty() && often.repeated.empty(), "and nothing is left");
  for (const auto weight : {"0.5"sv, "-1"sv, "1e10"sv, "nan"sv, "1e999"sv, "x"sv}) {
    check(fault("1 " + std::string(weight) + " | a", rule) == LineFault::weight,
          weight);
  }
  const VwBlock most = parsed("1 | b\n1 4294967295 | a\n1 | c\n", rule);
  check(most.repeated.size() == 1, "a block has no room for all of them");
  const auto [last, more] = most.repeated[0];
  check(last + more == 4294967295U && most.lines[last] == 1, "but says how many");
  check(most.lines[last + 1] == 2 && most.size() == last + 2, "and goes on");
}

void lines_without_a_label_are_left_out_if_asked() {
  VwRule rule;
  check(fault("| a") == LineFault::unlabelled, "refused");
  check(fault("'t| a") == LineFault::unlabelled, "also with a tag");
  rule.label_rule.unlabelled = Unlabelled::skip;
  const VwBlock block = parsed("| a\n1 | b\nt| :::\n", rule);
  check(block.size() == 1 && block.left_out == 2 && block.skipped == 0, "or left out");
  rule.label_rule.unlabelled = Unlabelled::keep;
  const VwBlock kept = parsed("| a\n0 | b\nt| c\n1 0 | d\n", rule);
  check(kept.size() == 3 && kept.left_out == 1, "or kept");
  check(kept.unlabelled == std::vector<std::size_t>{0, 2}, "and listed");
  check(kept.alphabet.first_zero == 1, "a label that is missing says no in no way");
}

void a_feature_stands_once_or_is_added_up() {
  VwRule rule;
  const VwBlock block = parsed("1 |n a b:2|m b|n b:3 a", rule);
  check(block.fault == LineFault::duplicate, "refused");
  check(block.fault_character == 18 && block.fault_token == "b", "and named");
  check(fault("1 | n^a |n a") == LineFault::duplicate, "by the name it comes to");
  rule.sum = true;
  check(
      features("n a b:2|m b|n b:3 a", rule) == Row{{"n^a", 2}, {"n^b", 5}, {"m^b", 1}},
      "in the place of the first");
  check(fault("1 | a:1e308 a:1e308", rule) == LineFault::not_finite,
        "as far as it goes");
}

void namespaces_are_chosen() {
  VwRule rule;
  rule.letters = {"n", " "};
  rule.spaces = {"main"};
  const auto text = " a |n b|news c:: |main d |m e |other f"sv;
  check(features(text, rule) == Row{{"m^e", 1}, {"other^f", 1}}, "ignored");
  rule.keeps = true;
  check(features(" a |n b|news c |main d |m e::", rule) ==
            Row{{"a", 1}, {"n^b", 1}, {"news^c", 1}, {"main^d", 1}},
        "kept");
  rule.letters = {"\xC3\xA9"};
  check(features("\xC3\xA9t a |\xC3\xA0 b", rule) == Row{{"\xC3\xA9t^a", 1}},
        "a letter may have two bytes");
}

void bad_features_are_shown() {
  const std::vector<std::pair<std::string, LineFault>> bad{
      {"a:", LineFault::value},          {"a:1:2", LineFault::value},
      {"a:1x", LineFault::value},        {"a:-", LineFault::value},
      {"a:0x10", LineFault::value},      {"a:x:1", LineFault::value},
      {":2", LineFault::name},           {":x", LineFault::name},
      {"a:nan", LineFault::not_finite},  {"a:-INF", LineFault::not_finite},
      {"a:1e999", LineFault::not_finite}};
  for (const auto& [token, what] : bad) {
    const VwBlock block = parsed("1 |n x " + token + " y");
    check(block.fault == what && block.fault_token == token, token);
    check(block.fault_character == 8, token);
  }
  for (const auto text : {"1 |n: a"sv, "1 |n:x a"sv, "1 |n:2:3 a"sv, "1 |:2 a"sv,
                          "1 |n:inf a"sv, "1 |n:1e999 a"sv}) {
    check(fault(text) == LineFault::scale, text);
  }
  check(fault("1 |n:1e200 a:1e200") == LineFault::not_finite, "a product");
  check(fault("1 |" + std::string(256, 'n') + " a") == LineFault::prefix, "too long");
  check(features(std::string(255, 'n') + " a").size() == 1, "just not too long");
  const VwBlock block = parsed("1 |\xC3\xA9 a:nan");
  check(block.fault_character == 6, "characters are counted, not bytes");
}

void a_bad_line_leaves_nothing_behind() {
  const VwBlock block =
      parsed("1 | a b\n1 | new b b\n1 | c:\n\n1 | \xFF\n0 | b d\n", {}, true);
  check(block.size() == 2 && block.skipped == 3, "left out");
  check(block.words().size() == 3 && block.words()[2] == "d", "with its names");
  check(row(block, 1) == Row{{"b", 1}, {"d", 1}}, "which can come later");
  check(block.lines == std::vector<std::uint32_t>{0, 5}, "lines are counted");
  check(fault("1 | \xFF") == LineFault::encoding, "or reported");
}

void names_are_kept_from_text_to_text() {
  VwBlock block;
  const auto names_of = [&] {
    std::string all;
    for (std::size_t id = 0; id < block.words().size(); ++id) {
      all.append(block.words()[id]) += ' ';
    }
    return all;
  };
  block.parse("1 | a b\n0 | c a", {}, false);
  check(names_of() == "a b c ", "in the order in which they are met");
  const std::uint64_t edition = block.words().table->edition();
  block.parse("1 | c d\n0 | x y y\n0 | d y a x", {}, true);
  check(names_of() == "c d y a x ", "of the second text alone, without a bad line");
  check(row(block, 1) == Row{{"d", 1}, {"y", 1}, {"a", 1}, {"x", 1}}, "and its rows");
  check(block.words().table->edition() == edition, "in one table");
  block.parse("1 | x", {}, false);
  check(names_of() == "x ", "and of the third");

  std::string text = "1 |";
  for (int k = 0; k < 140000; ++k) text += " n" + std::to_string(k);
  block.parse(text, {}, false);
  check(block.words().size() == 140000, "however many");
  block.parse("1 | n7 a", {}, false);
  check(names_of() == "n7 a " && block.words().table->edition() != edition,
        "when there are too many, the table is emptied");
}

void lines_are_read_alike_whatever_follows() {
  const std::string line =
      "1 | a:0.5 b:-2.25 c:-0 d:7 e:0 longer_name:1.5 f:1e3 g:12345678 h:0.123456789 "
      "i \t j:+1 k:.5 l:1. m:text |n:2 a:0.5 eightbyt:3 |p:1e250 a:0.5 |o:0 a:1";
  const Row alone = row(parsed(line), 0);
  check(alone.size() == 15, "each but those of value 0");
  check(row(parsed(line + std::string(100, '\n')), 0) == alone, "blank lines");
  const std::string four = "1 | a:0.5 b:1.5 c:2.5 d:3.5";
  for (const auto* end : {"\n", " \n", "  \n", "\r\n", "\t\r\n"}) {
    const VwBlock block = parsed(four + end + "1 | e:4.5 " + std::string(60, ' ') +
                                 std::string(100, '\n'));
    check(row(block, 0) == Row{{"a", 0.5}, {"b", 1.5}, {"c", 2.5}, {"d", 3.5}}, end);
    check(row(block, 1) == Row{{"e", 4.5}}, "what comes after");
  }
  VwRule rule;
  rule.hash_bits = 12;
  const VwBlock before = parsed(line, rule);
  const VwBlock after = parsed(line + std::string(100, '\n'), rule);
  check(before.hash_ends == after.hash_ends && before.values.front() == 0.5, "hashed");
  for (std::size_t k = 0; k < before.offsets.back(); ++k) {
    check(before.columns[k] == after.columns[k] &&
              before.values[k] == after.values[k] &&
              before.hashes[k] == after.hashes[k],
          "each alike");
  }
}

void buckets_are_those_of_the_names() {
  VwRule rule;
  rule.hash_bits = 8;
  const VwBlock block = parsed("1 | money |n a:2 b:x\n0 | money:3", rule);
  check(block.hashed() && block.words().size() == 0, "no name is kept");
  const std::vector<std::string> names{"money", "n^a", "n^b=x"};
  for (std::size_t k = 0; k < 3; ++k) {
    check(block.columns[k] == bucket_of(hash_of_name(names[k]), 8), names[k]);
    check(block.hashes[k] == hash_of_name(names[k]), names[k]);
  }
  check(block.values[1] == 2.0 && block.values[3] == 3.0, "with their values");
  check(block.hash_ends == std::vector<std::size_t>{3, 4}, "row by row");
  rule.hash_bits = 1;
  const VwBlock few = parsed("1 | a b:2 c:4 d:8", rule);
  double sum = 0.0;
  for (std::size_t k = 0; k < few.offsets[1]; ++k) sum += few.values[k];
  check(few.offsets[1] <= 2 && sum == 15.0, "those that meet are added up");
  for (const auto text : {"1 | a b c a"sv, "1 |n a:x |m a |n a:x"sv}) {
    const VwBlock twice = parsed(text, rule);
    check(twice.fault == LineFault::duplicate, text);
    check(twice.fault_token == (text[3] == ' ' ? "a" : "a:x"), text);
  }
}

void long_lines_are_read_many_at_a_time() {
  std::string line = "1 |";
  for (int k = 0; k < 200; ++k) line += " n" + std::to_string(k) + ":0.5";
  const std::string end(100, '\n');
  check(row(parsed(line + end), 0).size() == 200, "all of them");
  VwRule rule;
  rule.sum = true;
  const Row summed = row(parsed(line + " n3:1.5 x:2.5 n199:1.5 x:2.5" + end, rule), 0);
  check(summed.size() == 201 && summed[3].second == 2.0 && summed[199].second == 2.0 &&
            summed[200] == std::pair{std::string("x"), 5.0},
        "and what comes twice is added to the first");
  for (const unsigned bits : {0U, 18U}) {
    rule.hash_bits = bits;
    std::string nameless = "1 |";
    for (int k = 0; k < 200; ++k) nameless += " :0.5";
    check(fault(nameless + end, rule) == LineFault::name, "none has a name");
  }
  const Row zeros = features(" a"s + std::string(1, '\0') + " a");
  check(zeros.size() == 2, "a zero byte at the end of a name counts");
}

void a_block_is_used_again() {
  VwBlock block;
  VwRule rule;
  rule.weights = ImportanceWeights::repeat;
  block.parse("1 9 'tag| a b c\n| d", rule, false);
  check(block.fault_line == 1, "at first");
  block.parse("0 | c a\n1 | c", rule, false);
  check(block.fault == LineFault::none && block.size() == 2, "nothing is left");
  check(row(block, 0) == Row{{"c", 1}, {"a", 1}} && block.tag(0).empty(), "of rows");
  check(block.words().size() == 2, "nor of names");
}

}  // namespace

int main() {
  a_feature_is_named_by_its_namespace();
  a_name_is_one_feature_however_it_is_cut();
  what_is_before_the_bar();
  weights_are_used_as_asked();
  lines_without_a_label_are_left_out_if_asked();
  a_feature_stands_once_or_is_added_up();
  namespaces_are_chosen();
  bad_features_are_shown();
  a_bad_line_leaves_nothing_behind();
  names_are_kept_from_text_to_text();
  lines_are_read_alike_whatever_follows();
  buckets_are_those_of_the_names();
  long_lines_are_read_many_at_a_time();
  a_block_is_used_again();
  return failures();
}
