// JSON Lines, case by case.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/parsing/json_lines.hpp"
#include "named_rows.hpp"

using namespace littlestone;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

JsonLinesBlock parsed(std::string_view text, const JsonLinesRule& rule = {},
                      bool skip = false) {
  return parsed_by<JsonLinesBlock>(text, rule, skip);
}

Row features(const std::string& members, const JsonLinesRule& rule = {}) {
  const JsonLinesBlock block = parsed("{\"label\":1," + members + "}", rule);
  check(block.size() == 1, members);
  return block.size() == 1 ? row(block, 0) : Row{};
}

LineFault fault(std::string_view text, const JsonLinesRule& rule = {}) {
  return parsed(text, rule).fault;
}

void members_are_features() {
  check(features(R"("a":1,"b":-2.5e1,"c":true,"d":false,"e":null,"f":0)") ==
            Row{{"a", 1}, {"b", -25}, {"c", 1}, {"f", 0}},
        "plain values");
  check(features(R"("a":"red","b":"","c":"x=y")") ==
            Row{{"a=red", 1}, {"b=", 1}, {"c=x=y", 1}},
        "texts");
  check(features(R"( "a" : { "b" : 2 , "c" : { "d" : 3 } , "e" : { } } )") ==
            Row{{"a.b", 2}, {"a.c.d", 3}},
        "nested");
  check(features(R"("a":[5,"x",true,null,[7],{"b":8},"y"])") == Row{{"a[0]", 5},
                                                                    {"a=x", 1},
                                                                    {"a[2]", 1},
                                                                    {"a[4][0]", 7},
                                                                    {"a[5].b", 8},
                                                                    {"a=y", 1}},
        "arrays");
  check(features(R"("":1,"a":{"":2})") == Row{{"", 1}, {"a.", 2}}, "empty keys");
}

void texts_are_decoded() {
  check(features(R"("\u0041\n\"\\\/\b\f\r\t":1)") == Row{{"A\n\"\\/\b\f\r\t", 1}},
        "escapes");
  check(features(R"("a":"\u00e9\u20AC\ud83d\ude00\uFFFF")") ==
            Row{{"a=\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBF", 1}},
        "characters of every length");
  check(features("\"\xC3\xA9\":1") == Row{{"\xC3\xA9", 1}}, "as they are");
  check(features(R"("a":"\u0000")") == Row{{"a=\0"s, 1}}, "zero");
  check(features(R"("\u006cabel2":1)") == Row{{"label2", 1}}, "in keys");
}

void features_may_have_an_object_of_their_own() {
  const auto text = R"({"features":{"a":1,"label":2},"id":7,"label":0})"sv;
  check(row(parsed(text), 0) == Row{{"a", 1}, {"label", 2}}, "then no other is read");
  JsonLinesRule rule;
  rule.nests = false;
  check(row(parsed(text, rule), 0) ==
            Row{{"features.a", 1}, {"features.label", 2}, {"id", 7}},
        "unless all are asked for");
  check(features(R"("features":3)") == Row{{"features", 3}}, "or it is no object");
  rule.ignore = {"id", "features.a"};
  check(row(parsed(text, rule), 0) == Row{{"features.label", 2}}, "some are ignored");
}

void labels_of_every_kind() {
  const auto text =
      "{\"label\":1}\n{\"label\":\"1\"}\n{\"label\":true}\n{\"label\":1.0e0}\n"
      "{\"label\":false}\n{\"label\":0}\n{\"\\u006cabel\":\"0\"}\n"sv;
  check(parsed(text).labels == std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0, 0}, "two");
  JsonLinesRule rule;
  rule.label_rule = LabelRule(LabelKind::class_);
  const JsonLinesBlock block = parsed("{\"label\":\"a\\tb\"}\n{\"label\":2.50}", rule);
  check(block.label_names[0] == "a\tb" && block.label_names[1] == "2.50", "any");
  check(fault("{\"label\":2}") == LineFault::label, "not two");
  check(fault("{\"label\":[1]}") == LineFault::label, "an array");
  check(fault("{\"label\":{}}", rule) == LineFault::no_label, "an object");
  check(fault("{\"label\":\"\"}", rule) == LineFault::no_label, "an empty one");
  check(fault("{\"label\":1,\"label\":1}") == LineFault::duplicate, "two of them");
  for (const auto none : {"{}"sv, "{\"a\":1}"sv, "{\"label\":null}"sv}) {
    check(fault(none) == LineFault::unlabelled, none);
    rule.label_rule.unlabelled = Unlabelled::skip;
    check(parsed(none, rule).left_out == 1, none);
    rule.label_rule.unlabelled = Unlabelled::keep;
    check(parsed(none, rule).unlabelled == std::vector<std::size_t>{0}, none);
  }
  rule.label = "y";
  check(parsed("{\"label\":1,\"y\":2}", rule).size() == 1, "under another key");
}

void a_feature_stands_once_or_is_added_up() {
  const JsonLinesBlock block = parsed(R"({"label":1,"a":["x","y","x"]})");
  check(block.fault == LineFault::duplicate && block.fault_token == "\"x\"", "named");
  check(block.fault_character == 25, "and where");
  check(fault(R"({"label":1,"a":{"b":1},"a.b":1})") == LineFault::duplicate, "paths");
  JsonLinesRule rule;
  rule.sum = true;
  check(features(R"("a":["x","y","x"],"b":1,"b":2)", rule) ==
            Row{{"a=x", 2}, {"a=y", 1}, {"b", 3}},
        "or added up");
}

void what_is_not_json_is_refused() {
  for (const auto text : {"{"sv,
                          "{}}"sv,
                          "{} {}"sv,
                          "{\"a\"}"sv,
                          "{\"a\":}"sv,
                          "{\"a\":1,}"sv,
                          "{,}"sv,
                          "{a:1}"sv,
                          "{'a':1}"sv,
                          "{\"a\":1 \"b\":2}"sv,
                          "{\"a\":[1,]}"sv,
                          "{\"a\":[1 2]}"sv,
                          "{\"a\":[1}"sv,
                          "{\"a\":01}"sv,
                          "{\"a\":+1}"sv,
                          "{\"a\":.5}"sv,
                          "{\"a\":1.}"sv,
                          "{\"a\":1e}"sv,
                          "{\"a\":-}"sv,
                          "{\"a\":NaN}"sv,
                          "{\"a\":Infinity}"sv,
                          "{\"a\":tru}"sv,
                          "{\"a\":truth}"sv,
                          "{\"a\":\"x}"sv,
                          "{\"a\":\"\t\"}"sv,
                          "{\"a\":\"\\x\"}"sv,
                          "{\"a\":\"\\u12\"}"sv,
                          "{\"a\":\"\\u12g4\"}"sv,
                          "{\"a\":\"\\ud800\"}"sv,
                          "{\"a\":\"\\udc00\\udc00\"}"sv,
                          "{\"a\":\"\\udc00\"}"sv,
                          "{\"a\":\"\\ud800\\u0041\"}"sv,
                          "{\"a\":\"\\"sv,
                          "{\"a\":1}x"sv,
                          "{\"a\":1} // no"sv}) {
    check(fault(text) == LineFault::json, text);
  }
  for (const auto text : {"[]"sv, "1"sv, "null"sv, "\"a\""sv, "x"sv}) {
    check(fault(text) == LineFault::object, text);
  }
  check(fault("{\"label\":1,\"a\":1e999}") == LineFault::not_finite, "too large");
  check(fault("{\"a\":\"\xFF\"}") == LineFault::encoding, "not UTF-8");
  const JsonLinesBlock block = parsed("{\"\xC3\xA9\": nil}");
  check(block.fault_character == 7 && block.fault_token == "nil}", "and where");
  check(parsed("{\"a\":").fault_token.empty(), "or that it ends too early");
}

void values_are_nested_so_deep_and_no_deeper() {
  const auto nested = [](std::size_t depth) {
    return "{\"label\":1,\"a\":" + std::string(depth, '[') + std::string(depth, ']') +
           "}";
  };
  check(fault(nested(63)) == LineFault::none, "64 with the object itself");
  check(fault(nested(64)) == LineFault::depth, "65");
  check(fault(nested(1'000'000)) == LineFault::depth, "very many");
  const std::string key(256, 'k');
  check(fault("{\"label\":1,\"" + key + "\":[1]}") == LineFault::prefix, "a long key");
  check(features("\"" + key + "\":1").size() == 1,
        "is no matter where nothing is in it");
}

void a_bad_line_leaves_nothing_behind() {
  const JsonLinesBlock block = parsed(
      "{\"label\":1,\"a\":1}\r\n \n{\"label\":1,\"new\":1,\"a\":1,\"a\":1}\n"
      "{\"label\":0,\"b\":1e999}\n{\"label\":0,\"b\":2}",
      {}, true);
  check(block.size() == 2 && block.skipped == 2, "left out");
  check(block.words().size() == 2 && row(block, 1) == Row{{"b", 2}}, "with its names");
  check(block.lines == std::vector<std::uint32_t>{0, 4}, "lines are counted");
}

}  // namespace

int main() {
  members_are_features();
  texts_are_decoded();
  features_may_have_an_object_of_their_own();
  labels_of_every_kind();
  a_feature_stands_once_or_is_added_up();
  what_is_not_json_is_refused();
  values_are_nested_so_deep_and_no_deeper();
  a_bad_line_leaves_nothing_behind();
  return failures();
}
