#include "core/rules/mask/expression.h"

#include "core/base/tensor/error.h"
#include "core/rules/mask/code.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/mask_rule.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

bool value(const std::string& expression) {
  MaskContext context;
  context.n_q = context.n_k = 1;
  return evaluate(MaskExpression::parse(expression), context).at({0, 0, 0, 0}) != 0;
}

struct Failure {
  std::size_t position = std::string::npos;
  std::string sentence;
};

/// The error from parsing an expression or evaluating it at 4×4 with two heads.
Failure failure_in(const std::string& text) {
  MaskContext context;
  context.n_q = context.n_k = 4;
  context.heads = 2;
  try {
    evaluate(MaskExpression::parse(text), context);
  } catch (const ExpressionError& error) { return {error.position(), error.sentence().english()}; }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the error of a malformed expression gives its place and what was expected") {
  struct Case {
    std::string text;
    std::size_t position;
    std::string wrong, expected;
  };
  const Case cases[] = {
      {"causal(", 7, "the expression ends too early", "')'"},
      {"k <", 3, "the expression ends too early", "a number"},
      {"windwo(3)", 0, "unknown function 'windwo'", "did you mean window(w)?"},
      {"window()", 7, "window(w) takes 1 number and got none", "window(4)"},
      {"window(-1)", 7, "window's w is -1", "a whole number of 0 or more"},
      {"q = k", 2, "'=' is not an operator", "'=='"},
      {"q // 4 == k // 4", 2, "'//' is not an operator here", "floor(q / 4)"},
      {"kv_idx <= q_idx", 0, "'kv_idx' is called k here", "write k"},
      {"k in 3", 5, "'3' does not belong here", "'{'"},
      {"k in {3", 7, "the expression ends too early", "'}'"},
      {"bit(q, 40) == 1", 0, "bit takes a number", "bit(q, 31)"},
      {"", 0, "the mask expression is empty", "causal()"},
      {"  \n", 0, "the mask expression is empty", "causal()"},
      {"q / (2 - 2) < 1", 5, "division by zero", "other than 0"},
      {"q % k == 0", 4, "division by zero at h = 0, q = 0, k = 0", "other than 0"},
      {"k < x", 4, "unknown name 'x'", "q, k, b, h, n_q, n_k, valid_len"},
      {"k < n_p", 4, "unknown name 'n_p'", "did you mean n_q?"},
      {"causal() && Window(3)", 12, "unknown function 'Window'", "did you mean window(w)?"},
      {"causal", 0, "'causal' is a pattern", "causal()"},
      {"causal() + 1 < 2", 0, "'+' is applied to a condition", "a number"},
      {"!k", 1, "'!' is applied to a number", "a condition"},
      {"q + k", 0, "the expression is a number", "a condition"},
      {"0 < k < 3", 0, "a comparison cannot be compared", "0 < k && k < 5"},
      {"causal() causal()", 9, "'causal' does not belong here", "an operator"},
      {"(k < 3", 6, "the expression ends too early", "'(' at character 1"},
      {"k < 3)", 5, "this ')' closes nothing", ""},
      {"k < 3 & q < 3", 6, "'&' is not an operator", "'&&'"},
      {"k ≤ q", 2, "'≤' is not an operator here", "write <="},
      {"~causal()", 0, "'~' is not an operator here", "write !"},
      {"k in [0, 4]", 5, "'[' is not part of the language", "{0, 4}"},
      {"window(2.5)", 7, "window's w is 2.5", "a whole number"},
      {"random(1.5, 0)", 7, "random's p is 1.5", "from 0 to 1"},
      {"window(q)", 7, "window's w depends on q or k", "the same for all"},
      {"window(h - 1)", 7, "window's w is -1", "0 or more"},
      {"document()", 9, "at least one number", "document(3, 5)"},
      {"causal(3)", 7, "takes no numbers and got 1", "causal()"},
      {"h < 1 ? causal() : 3", 19, "the two sides of ':'", "the same"},
      {"h < 1 ? causal()", 16, "ends too early", "':'"},
      {"k < 1e999", 4, "no number", "0.5"},
      {"padding()", 0, "padding() has no valid lengths", "valid_lens"},
      {"causal() && file()", 12, "file() has no mask", ""},
      {"painted()", 0, "painted() has no mask", ""},
  };
  for (const Case& c : cases) {
    const Failure found = failure_in(c.text);
    INFO(c.text << " gave: " << found.sentence);
    CHECK(found.position == c.position);
    CHECK(contains(found.sentence, c.wrong));
    CHECK(contains(found.sentence, c.expected));
  }
}

TEST_CASE("expressions of any depth and length are refused, not crashed on") {
  CHECK(contains(failure_in(std::string(100'000, '(')).sentence, "nested too deeply"));
  CHECK(
      contains(failure_in(std::string(50'000, '(') + "true" + std::string(50'000, ')')).sentence, "nested too deeply"));
  CHECK(contains(failure_in(std::string(100'000, '!') + "true").sentence, "nested too deeply"));
  CHECK(contains(failure_in(std::string(100'000, ')')).sentence, "does not belong here"));
  std::string sum = "k", choices, nots;
  for (int i = 0; i < 30'000; ++i) {
    sum += "+1";
    choices += "q<1?true:";
    nots += "not ";
  }
  CHECK(contains(failure_in(sum + " < 3").sentence, "too long or too deeply nested"));
  CHECK(contains(failure_in(choices + "true").sentence, "nested too deeply"));
  CHECK(contains(failure_in(nots + "true").sentence, "nested too deeply"));
  CHECK(failure_in(std::string(40, '(') + "true" + std::string(40, ')')).sentence.empty());
  CHECK(contains(failure_in(std::string(100'000, 'x')).sentence, "unknown name"));
}

TEST_CASE("precedence and grouping are C's") {
  CHECK(value("1 + 2 * 3 == 7"));
  CHECK(value("10 - 4 - 3 == 3"));
  CHECK(value("24 / 4 / 2 == 3"));
  CHECK(value("2 * 7 % 4 == 2"));
  CHECK(value("-2 * -3 == 6"));
  CHECK(value("true || false && false"));
  CHECK(value("1 < 2 == true"));
  CHECK(value("false ? false : true ? true : false"));
  CHECK_FALSE(value("!true || false"));
  CHECK(value("not 1 == 2 and true or false"));
  CHECK(value("1 < 2 && 2 >= 2 || false"));
}

TEST_CASE("division is exact, and a remainder has the sign of the divisor") {
  CHECK(value("1 / 2 == 0.5"));
  CHECK(value("-1 % 4 == 3"));
  CHECK(value("(q - 1) % 4 == 3"));
  CHECK(value("7 % -4 == -1"));
  CHECK(value("floor(-0.5) == -1"));
  CHECK(value("floor(q - 0.5) == -1"));
  CHECK(value("abs(q - 3) == 3"));
  CHECK(value("min(3, q + 1, 2) == 1"));
  CHECK(value("max(3, q + 1, 5) == 5"));
  CHECK(value(".5e1 == 5"));
}

TEST_CASE("a division by zero in a branch of ?:, && or || that does not count is no error") {
  CHECK(value("q != 0 && 1 / q > 2 || true"));
  CHECK(value("q == 0 || 1 % q == 0"));
  CHECK(value("q == 0 ? true : 1 / q > 2"));
  CHECK(failure_in("k != 0 && (q / k > 1 || 1 % k == 0)").sentence.empty());
  CHECK(failure_in("k == 0 ? causal() : h > 0 ? window(h) : 4 % k == 0").sentence.empty());
  CHECK(failure_in("h > 0 && window(h - 1)").sentence.empty());
  CHECK(failure_in("k > 1 && window(h + 1)").sentence.empty());
  CHECK(contains(failure_in("k < 2 && 1 / (k - 1) > 0").sentence, "q = 0, k = 1"));
}

TEST_CASE("sliders read the numbers of patterns in an expression and write them back") {
  const MaskExpression expression = MaskExpression::parse("causal() && (window(4) or !bigbird(2, 3, 1, n_q / n_q, 0))");
  const std::vector<PatternCall> calls = expression.pattern_calls();
  REQUIRE(calls.size() == 3);
  CHECK(calls[1].pattern->name == "window");
  CHECK(expression.text().substr(calls[1].begin, calls[1].end - calls[1].begin) == "window(4)");
  CHECK(calls[1].arguments[0].value == 4.0);
  CHECK_FALSE(calls[2].arguments[3].value.has_value());
  CHECK(with_argument(expression, 1, 0, 12) == "causal() && (window(12) or !bigbird(2, 3, 1, n_q / n_q, 0))");
  CHECK(with_argument(expression, 2, 3, 2) == "causal() && (window(4) or !bigbird(2, 3, 1, 2, 0))");
}

TEST_CASE("the caret is below the character, also in a long line and after a multi-byte character") {
  CHECK(point_at("causal(", 7) == "causal(\n       ^");
  CHECK(point_at("é <", 4) == "é <\n   ^");
  const std::string far = point_at(std::string(100'000, '('), 50'000, 60);
  CHECK(far.size() <= 60 + 1 + 60);
  CHECK(far.back() == '^');
}
TEST_CASE("in one line the mark precedes the character, and a long text is cut around it") {
  CHECK(mark_at("causal(", 7) == "(column 8: causal(▸)");
  CHECK(mark_at("é < 1", 3) == "(column 3: é ▸< 1)");
  CHECK(mark_at(std::string(100, '('), 50, 3) == "(column 51: …(((▸(((…)");
}

TEST_CASE("in is true for the elements of a set alone, and bit() is a binary digit") {
  for (int q = 0; q < 9; ++q) {
    const std::string n = std::to_string(q);
    CHECK(value(n + " in {0, 4, 3 + 5}") == (q == 0 || q == 4 || q == 8));
    CHECK(value("!(" + n + " in {0, 4}) && true") == (q != 0 && q != 4));
    for (int i = 0; i < 4; ++i) CHECK(value("bit(" + n + ", " + std::to_string(i) + ") == 1") == ((q >> i & 1) == 1));
  }
}

TEST_CASE("comparing exact quotients gives a warning, comparing floors does not") {
  CHECK(doubtful("causal() && q / 4 == k / 4"));
  CHECK_FALSE(doubtful("floor(q / 4) == floor(k / 4)"));
  CHECK_FALSE(doubtful("chunked(4) && q / 2 < k"));
}

TEST_CASE("the operand of a set is evaluated once, however deep sets are nested") {
  std::string text = "k";
  for (int i = 0; i < 40; ++i) text = "(" + text + " in {0, 1} ? 1 : 0)";
  text += " == 1";
  const MaskExpression expression = MaskExpression::parse(text);
  MaskContext context;
  context.n_q = 2;
  context.n_k = 3;
  const Tensor mask = evaluate(expression, context);
  for (Index k = 0; k < 3; ++k) CHECK(mask.at({0, 0, 1, k}) == 1);  // 1, or 0, which the next set turns into 1
  CHECK(expression.pattern_calls().empty());
  CHECK(block_verdict(expression, context, 0, 0, 0, 2, 0, 3) != BlockVerdict::none);
  CHECK(to_code(expression, CodeTarget::numpy, context).size() < 20'000);
  std::string remainders = "q + 0.5";
  for (int i = 0; i < 40; ++i) remainders = "(" + remainders + ") % (k + 0.5)";
  CHECK(to_code(MaskExpression::parse(remainders + " < 1"), CodeTarget::pytorch, context).size() < 40'000);
}

TEST_CASE("an element of a set is evaluated only where no earlier one matched") {
  CHECK(value("q in {0, 4 / q}"));
  CHECK(failure_in("q + 1 in {0, 4 / q}").sentence.find("division by zero") != std::string::npos);
  CHECK(value("(q == 0) in {(k == 1), (k == 0)}"));
  CHECK(failure_in("q in {0, true}").sentence.find("a condition") != std::string::npos);
}

TEST_CASE("joined expressions mean what their joined text means, and their errors have places in it") {
  const MaskExpression either = MaskExpression::parse("q < 2 || k == 0");
  const MaskExpression joined = either && MaskExpression::parse("padding()");
  CHECK(joined.text() == "(q < 2 || k == 0) && padding()");
  CHECK((MaskExpression::parse("causal()") && MaskExpression::parse("doc(q) == doc(k)")).text() ==
        "causal() && doc(q) == doc(k)");
  const MaskExpression later = or_from_key(joined, 3);
  CHECK(later.text() == "((q < 2 || k == 0) && padding()) || k >= 3");
  MaskContext context;
  context.n_q = context.n_k = 4;
  for (const MaskExpression& expression : {joined, later}) {
    const MaskExpression parsed = MaskExpression::parse(expression.text());
    CHECK(expression == parsed);
    context.valid_lens = Tensor::of({1}, {2});
    CHECK_THAT(evaluate(expression, context), agrees_with(evaluate(parsed, context)));
    REQUIRE(expression.pattern_calls().size() == 1);
    CHECK(expression.pattern_calls()[0].begin == expression.text().find("padding"));
    context.valid_lens = {};
    try {
      evaluate(expression, context);
      FAIL("there are no lengths");
    } catch (const ExpressionError& error) { CHECK(error.position() == expression.text().find("padding")); }
  }
}

TEST_CASE("a call that is made of a name and numbers is the one that its text is parsed as") {
  for (const auto& [name, numbers] : std::vector<std::pair<const char*, std::vector<double>>>{
           {"causal", {}}, {"window", {3}}, {"fixed", {4, 1}}, {"random", {0.5, 7}}, {"swin", {4, 2, 1}}}) {
    for (const bool from_corner : {false, true}) {
      INFO(name << (from_corner ? ", from the corner" : ""));
      const MaskExpression call = MaskExpression::call(name, numbers, from_corner);
      CHECK(call == MaskExpression::parse(call.text()));
      REQUIRE(call.pattern_calls().size() == 1);
      const PatternCall made = call.pattern_calls()[0];
      CHECK(made.end == call.text().size());
      for (const auto& argument : made.arguments) {
        CHECK(std::stod(call.text().substr(argument.begin, argument.end - argument.begin)) == argument.value);
      }
      const MaskExpression corner = MaskExpression::call("causal_bottom_right");
      MaskContext context;
      context.n_q = 5, context.n_k = 8;
      const MaskExpression parsed =
          MaskExpression::parse(from_corner ? corner.text() + " && " + call.text() : call.text());
      CHECK_THAT(evaluate(from_corner ? corner && call : call, context), agrees_with(evaluate(parsed, context)));
    }
  }
  CHECK_THROWS_AS(MaskExpression::call("window", {0.5}), ExpressionError);
}

TEST_CASE("file() stands for a rule and the cells of the file's mask, and expressions with other files differ") {
  const MaskExpression cells = MaskExpression::file_cells(), causal = MaskExpression::parse("causal()"),
                       both = causal && cells;
  MaskContext context;
  context.n_q = context.n_k = 3;
  context.file_mask = Tensor::of({1, 3}, {1, 0, 1});
  const MaskExpression by_both = MaskExpression::parse("file() || k == q", &both);
  const Tensor mask = evaluate(by_both, context);
  CHECK_THAT(mask, agrees_with(evaluate(MaskExpression::parse("causal() && k != 1 || k == q"), context)));
  CHECK(MaskExpression::call_of_file(both) == MaskExpression::parse("file()", &both));
  CHECK(MaskExpression::call_of_file(cells) == MaskExpression::parse("file()"));
  CHECK_FALSE(by_both == MaskExpression::parse("file() || k == q"));
  CHECK_FALSE(MaskExpression::call_of_file(both) == MaskExpression::call_of_file(causal));
}
