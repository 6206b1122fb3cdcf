// Records, cells and what becomes of them, case by case.

#include <cmath>  // std::isnan, std::signbit
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "littlestone/parsing/decimal.hpp"
#include "littlestone/parsing/records.hpp"
#include "littlestone/parsing/table.hpp"
#include "named_rows.hpp"

using namespace littlestone;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

/// The label first, then a column of numbers and one of categories.
TableRule some_rule() {
  TableRule rule;
  rule.columns = {
      {ColumnKind::label, "y"}, {ColumnKind::number, "n"}, {ColumnKind::category, "c"}};
  return rule;
}

TableBlock parsed(std::string_view text, const TableRule& rule = some_rule(),
                  bool skip = false) {
  return parsed_by<TableBlock>(text, rule, skip);
}

LineFault fault_of(std::string_view record, const TableRule& rule = some_rule()) {
  return parsed(record, rule).fault;
}

void cells_become_features() {
  const TableBlock block = parsed("1,2.5,red\n0,-3,blue\n1,0,red\n");
  check(block.size() == 3 && block.line_count == 3, "each record an example");
  check(row(block, 0) == Row{{"n", 2.5}, {"c=red", 1}}, "a number and a category");
  check(row(block, 1) == Row{{"n", -3}, {"c=blue", 1}}, "others");
  check(row(block, 2) == Row{{"c=red", 1}}, "0 says that it is absent");
  check(block.labels == std::vector<std::uint8_t>{1, 0, 1}, "labels");
  check(block.names.size() == 3, "each name once");
}

void cells_may_stand_in_marks() {
  const TableBlock block =
      parsed("1,\"2.5\",\"a,\"\"b\"\"\"\r\n\r\n0,1,\"two\nlines\"\n1,1,a\"b\n1,1,\"\"");
  check(block.size() == 4, "four records");
  check(row(block, 0) == Row{{"n", 2.5}, {"c=a,\"b\"", 1}}, "two marks are one");
  check(row(block, 1) == Row{{"n", 1}, {"c=two\nlines", 1}}, "over lines");
  check(row(block, 2) == Row{{"n", 1}, {"c=a\"b", 1}}, "a mark within a cell");
  check(row(block, 3) == Row{{"n", 1}}, "nothing within marks");
  check(block.lines == std::vector<std::uint32_t>{0, 2, 4, 5}, "lines");
}

void bad_records_are_reported() {
  check(fault_of("1,2") == LineFault::columns, "too few");
  check(fault_of("1,2,a,") == LineFault::columns, "too many");
  check(fault_of("1,2,\"a") == LineFault::open_mark, "open");
  check(fault_of("1,2,\"a\"b") == LineFault::after_mark, "more after a mark");
  check(fault_of("1,2\r,a") == LineFault::stray_return, "CR after a number");
  check(fault_of("1,2,a\rb\n") == LineFault::stray_return, "CR in a text");
  check(fault_of("1,2,\"a\"\rb\n") == LineFault::stray_return, "CR after a mark");
  check(fault_of("1,2,a\xFF") == LineFault::encoding, "not UTF-8");
  check(fault_of("1,2,a\0"sv) == LineFault::nul, "NUL");
  check(fault_of("1,2,a\r\r\n") == LineFault::none, "CR CR LF");
  check(fault_of("\r") == LineFault::none && fault_of("\n\n") == LineFault::none,
        "blank");
}

void bad_cells_are_reported_with_their_column() {
  const TableBlock block = parsed("1,1,a\n1,x1,a\n");
  check(block.fault == LineFault::number && block.fault_line == 1, "no number");
  check(block.fault_column == 1 && block.fault_value == "x1", "where and what");
  check(block.fault_text == "1,x1,a" && block.size() == 1, "its line");
  for (const auto* cell : {"inf", "-Infinity", "1e999", " inf "}) {
    check(fault_of("1," + std::string(cell) + ",a") == LineFault::not_finite, cell);
  }
  for (const auto* cell : {"1.2.3", "0x1", "1e", "--1", "1 2", ".", "e5", "naan"}) {
    check(fault_of("1," + std::string(cell) + ",a") == LineFault::number, cell);
  }
  check(fault_of("2,1,a") == LineFault::label, "a label");
  check(parsed("2,1,\"a\nb\"\n0,x,a\n1,1,a", some_rule(), true).skipped == 2,
        "skipped");
  check(parsed("2,1,\"a\nb\"\n0,x,a\n1,1,a", some_rule(), true).lines[0] == 3, "lines");
}

void what_is_missing() {
  TableRule rule = some_rule();
  for (const auto* cell : {"", "NA", "n/a", "NaN", "-nan", "null", "None", "?", " "}) {
    const std::string text = "1," + std::string(cell) + ",\n";
    rule.missing = MissingCells::leave_out;
    check(row(parsed(text, rule), 0).empty(), cell);
    rule.missing = MissingCells::literal;
    check(row(parsed(text, rule), 0) == Row{{"n=?", 1}, {"c=?", 1}}, cell);
    rule.missing = MissingCells::refuse;
    check(fault_of(text, rule) == LineFault::missing, cell);
  }
  for (const std::string after : {"", "\n1,2,c\n"}) {  // read one by one, and quickly
    const std::string text = "1,1,?\n" + std::string(after);
    rule.missing = MissingCells::refuse;
    check(fault_of(text, rule) == LineFault::missing,
          "? is missing if that is refused");
    rule.missing = MissingCells::leave_out;
    check(row(parsed(text, rule), 0) == Row{{"n", 1}, {"c=?", 1}}, "or a category");
  }
}

void dense_rows_have_every_number() {
  TableRule rule;
  rule.columns = {
      {ColumnKind::label, "y"}, {ColumnKind::number, "a"}, {ColumnKind::number, "b"}};
  rule.dense = true;
  const auto padding = std::string(80, '\n');
  for (const std::string& after : {std::string(), padding}) {
    const TableBlock block = parsed("1,0,-0\n1,2.5,\n0,-inf,0.0\n" + after, rule);
    check(block.offsets == std::vector<std::uint64_t>{0, 2, 4, 6}, "two a row");
    check(block.values[0] == 0.0 && !std::signbit(block.values[0]), "0");
    check(block.values[1] == 0.0 && std::signbit(block.values[1]), "-0");
    check(block.values[2] == 2.5 && std::isnan(block.values[3]), "missing");
    check(std::isnan(block.values[4]) && block.values[5] == 0.0, "infinite");
  }
  check(fault_of("1,1e999,1\n", rule) == LineFault::not_finite, "too large");
  check(fault_of("1,x,1\n", rule) == LineFault::number, "no number");
  rule.missing = MissingCells::refuse;
  check(fault_of("1,inf,1\n", rule) == LineFault::missing, "refused");
}

void labels_are_what_the_rule_says() {
  TableRule rule = some_rule();
  rule.labels = LabelKind::named;
  rule.positive = {WrittenLabel("yes"), WrittenLabel("1")};
  check(parsed("yes,1,a\n1.0,1,a\nno,1,a", rule).labels ==
            std::vector<std::uint8_t>{1, 1, 0},
        "every other means no");
  check(fault_of(",1,a", rule) == LineFault::no_label, "but not the empty one");
  rule.negative = {WrittenLabel("no")};
  check(fault_of("maybe,1,a", rule) == LineFault::no_label, "not one of those given");
  rule.labels = LabelKind::class_;
  const TableBlock any = parsed("b,1,a\na,1,a\nb,1,a", rule);
  check(any.label_codes == std::vector<std::uint32_t>{0, 1, 0}, "codes");
  check(any.label_names[1] == "a", "names");
  rule.labels = LabelKind::number;
  check(parsed("2.5,1,a\n -1,1,a", rule).outcomes == std::vector<double>{2.5, -1},
        "numbers");
  check(fault_of("nan,1,a", rule) == LineFault::outcome, "finite ones");
}

void short_numbers_have_the_value_of_long_ones() {
  const auto same = [](std::string_view number) {
    const std::string text = std::string(number) + ",        ";
    ShortDecimal quick;
    const bool ok = read_short_token(text.data(), text.data() + number.size(), quick);
    const Decimal sure = read_decimal(text.data(), text.data() + text.size());
    const double value = quick.value();
    return ok && sure.end == text.data() + number.size() &&
           std::memcmp(&value, &sure.value, sizeof value) == 0;
  };
  for (const auto* number :
       {"0", "0.0", "1", "-1", "9999999", "0.1", "-1234567.12345678", "3.00000001",
        "0.99999999", "123.456"}) {
    check(same(number), number);
  }
  for (const auto* other : {"12345678", ".5", "5.", "+1", "x", "-", "-.5", "", "-0",
                            "-0.0", "1.123456789", "1..5"}) {
    check(!same(other), other);
  }
}

void records_are_read_alike_whatever_follows() {
  TableRule rule;
  for (int c = 0; c < 9; ++c) {
    const auto kind = c == 3   ? ColumnKind::category
                      : c == 8 ? ColumnKind::label
                               : ColumnKind::number;
    rule.columns.push_back({kind, "c" + std::to_string(c)});
  }
  for (const auto& text :
       {"0.5,-1.25,3.1415926,red,0.25,-9.9999999,1.5,2.,1"s,
        "-0.0,0.0,12.5,a text of sixteen!,1e3,1.12345678,0.5,.5,0"s,
        ",NA,?,,nan,1.5,2.5,3.5,1"s, "1.5,1.5,1.5,\"a,\"\"b\",1.5,1.5,1.5,1.5,1"s,
        "1.5,1.5,1.5,a,1.5,1.5,1.5,1.5x,1"s, "1.5,1.5,1.5,a,1.5,1.5,1.5,1.5"s,
        "1.5,1.5,1.5,a,1.5,1.5,1.5,1.5,1,1.5"s, "1.5,1.5,1.5,\xFF,1.5,1.5,1.5,1.5,1"s,
        "1.5,1.5,1.5,\xC3\xA9,1.5,1.5,1.5,1.5,1\r\r"s, "1.5,1.5,1.5,a\rb,1,1,1,1,1"s}) {
    const TableBlock alone = parsed(text, rule);
    const TableBlock among = parsed(text + '\n' + text + std::string(70, '\n'), rule);
    check(alone.fault == among.fault && alone.fault_column == among.fault_column &&
              alone.fault_columns == among.fault_columns,
          text);
    if (alone.fault != LineFault::none) continue;
    check(among.size() == 2 && alone.size() == 1, text);
    const std::size_t entries = alone.offsets[1];
    check(among.offsets[1] == entries && among.offsets[2] == 2 * entries, text);
    for (std::size_t k = 0; k < 2 * entries; ++k) {
      check(among.names[among.columns[k]] == alone.names[alone.columns[k % entries]] &&
                among.values[k] == alone.values[k % entries],
            text);
    }
  }
}

void names_come_in_the_order_of_their_first_occurrence() {
  const TableBlock block = parsed("1,0,b\n1,x,never\n1,1,a\n", some_rule(), true);
  check(block.names.size() == 3 && block.names[0] == "c=b" && block.names[1] == "n" &&
            block.names[2] == "c=a",
        "and a bad record leaves none behind");
}

void texts_of_every_length_are_told_apart() {
  TableBlock block;
  for (int again = 0; again < 3; ++again) {  // what was known must be forgotten
    std::string text;
    std::vector<std::string> cells;
    for (std::size_t size = 1; size < 40; ++size) {
      for (const char last : {'a', 'b'}) {
        cells.push_back(std::string(size - 1, 'a') + last);
        text += "1,0," + cells.back() + "\n";
      }
    }
    block.parse(text + text, some_rule(), false);
    for (std::size_t t = 0; t < block.size(); ++t) {
      check(row(block, t) == Row{{"c=" + cells[t % cells.size()], 1}}, cells[t % 78]);
    }
    check(block.names.size() == cells.size(), "each once");
  }
}

void whole_records_end_where_no_more_text_matters() {
  const auto whole = [](std::string_view text) {
    return whole_records(text.data(), text.data() + text.size(), ',') - text.data();
  };
  check(whole("") == 0 && whole("a,b") == 0, "none");
  check(whole("a,b\nc") == 4 && whole("a,b\nc\n") == 6, "at the last line end");
  check(whole("a,\"b\nc") == 0 && whole("x\na,\"b\nc\n") == 2, "not within marks");
  check(whole("a,\"b\nc\"\nd") == 8 && whole("a,\"b\"\"\nc\"") == 0, "after them");
  check(whole("a,\"b\"") == 0 && whole("a,\"b\"\r") == 0, "the next byte may matter");
  check(whole("a\"b\nc\"\n") == 7, "marks within cells are none");
  check(whole("\"a\"b\n\"c") == 5, "after a record that makes no sense, the next line");
  check(whole("\"a\n\",c\rd\nE\n") == 3, "a CR late in a record");
}

void types_are_guessed() {
  const auto numbers = [](std::string_view text) {
    return columns_of_numbers(text, ',', 2, 3);
  };
  using Numbers = std::vector<bool>;
  check(numbers("1,a\n2,b\n") == Numbers{true, false}, "numbers and others");
  check(numbers("1,\n,NA\n") == Numbers{true, true}, "missing cells say nothing");
  check(numbers("1,1\n1,1\n1,1\na,a") == Numbers{true, true}, "only the first count");
  check(numbers("1,1\na\nb,c,d\n\"1\"x,y\n\n") == Numbers{true, true}, "if sound");
  check(count_records("a,b\n1,2\n\n3\n4,5", ',', 0, 9) == 3, "as many as the first");
  check(count_records("a,b\n1,2\n4,5", ',', 0, 2) == 2, "and no more");
}

}  // namespace

int main() {
  cells_become_features();
  cells_may_stand_in_marks();
  bad_records_are_reported();
  bad_cells_are_reported_with_their_column();
  what_is_missing();
  dense_rows_have_every_number();
  labels_are_what_the_rule_says();
  short_numbers_have_the_value_of_long_ones();
  records_are_read_alike_whatever_follows();
  names_come_in_the_order_of_their_first_occurrence();
  texts_of_every_length_are_told_apart();
  whole_records_end_where_no_more_text_matters();
  types_are_guessed();
  return failures();
}
