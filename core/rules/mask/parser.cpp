#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/rules/mask/ast.h"

namespace headlight::mask {
namespace {

constexpr int deepest_nesting = 100;
constexpr std::size_t most_repeated = 400;  // a definition grows with the square of the number of arguments

struct BinaryOperator {
  std::string_view symbol;
  Op op;
  int precedence;
};
constexpr int comparison_precedence = 3;
constexpr BinaryOperator binary_operators[] = {
    {"||", Op::logical_or, 1}, {"&&", Op::logical_and, 2}, {"==", Op::equal, 3},   {"!=", Op::not_equal, 3},
    {"<", Op::less, 4},        {"<=", Op::less_equal, 4},  {">", Op::greater, 4},  {">=", Op::greater_equal, 4},
    {"+", Op::add, 5},         {"-", Op::subtract, 5},     {"*", Op::multiply, 6}, {"/", Op::divide, 6},
    {"%", Op::modulo, 6},      {"in", Op::member, 4},
};

struct Function {
  std::string_view name;
  Op op;
  std::size_t arguments;  ///< at least two; further ones are folded from the left
};
constexpr Function functions[] = {
    {"abs", Op::absolute, 1}, {"floor", Op::floor, 1}, {"min", Op::minimum, 2}, {"max", Op::maximum, 2}};

constexpr Variable variables[] = {Variable::q,   Variable::k,   Variable::b,        Variable::h,
                                  Variable::n_q, Variable::n_k, Variable::valid_len};

/// A name or sign of other libraries and languages, and what is written here instead.
struct Foreign {
  std::string_view word, suggestion;
};
constexpr Foreign foreign_names[] = {{"q_idx", "q"},      {"query_idx", "q"}, {"query", "q"},
                                     {"row", "q"},        {"i", "q"},         {"kv_idx", "k"},
                                     {"k_idx", "k"},      {"key_idx", "k"},   {"key", "k"},
                                     {"col", "k"},        {"j", "k"},         {"b_idx", "b"},
                                     {"batch", "b"},      {"batch_idx", "b"}, {"h_idx", "h"},
                                     {"head", "h"},       {"head_idx", "h"},  {"seq_len", "n_q or n_k"},
                                     {"q_len", "n_q"},    {"kv_len", "n_k"},  {"k_len", "n_k"},
                                     {"n", "n_q or n_k"}, {"True", "true"},   {"False", "false"}};
constexpr Foreign foreign_operators[] = {{"//", "floor(q / 4) for q // 4"},
                                         {"**", "q * q for q ** 2"},
                                         {"<<", "q * 4 for q << 2"},
                                         {">>", "floor(q / 4) for q >> 2"},
                                         {"^", "!= between conditions, or bit(q, 0) for single bits"}};

Message quoted(std::string_view text) { return {"'{0}'", text}; }

Message numbers(std::size_t count) {
  return count == 0 ? Message("no numbers") : Message(count == 1 ? "{0} number" : "{0} numbers", count);
}

/// The arguments of a pattern by their names in its definition, and the position of the call in the user's text.
struct Scope {
  std::map<std::string, NodePtr, std::less<>> arguments;
  Span call;
  bool moved = false;  ///< q is q + (n_k − n_q)
};

class Parser {
 public:
  /// With a scope, `text` is the definition of a pattern, which may use names of its own
  /// (core/rules/mask/patterns.cpp).
  explicit Parser(std::string_view text, const Scope* scope = nullptr, NodePtr file_mask = nullptr)
      : tokens_(tokenize(text)),
        scope_(scope),
        file_mask_(std::move(file_mask)),
        from_corner_(std::ranges::find(tokens_, "causal_bottom_right", &Token::text) != tokens_.end()) {}

  NodePtr whole() {
    NodePtr result = choice();
    if (peek().kind != Token::Kind::end) fail_leftover();
    return result;
  }

 private:
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest_nesting) {
        throw ExpressionError(parser_.peek().span.begin, "the expression is nested too deeply",
                              Message("expected at most {0} levels", deepest_nesting));
      }
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  const Token& take() { return next_ + 1 < tokens_.size() ? tokens_[next_++] : tokens_.back(); }
  bool at(std::string_view symbol) const { return peek().kind == Token::Kind::symbol && peek().text == symbol; }
  bool accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    take();
    return true;
  }

  /// The range from `begin` to the last token taken; inside a definition, the range of the call.
  Span since(std::size_t begin) const {
    if (scope_) return scope_->call;
    return {begin, next_ > 0 ? tokens_[next_ - 1].span.end : begin};
  }

  NodePtr choice() {
    const Nested nested(*this);
    const std::size_t begin = peek().span.begin;
    NodePtr condition = binary(1);
    if (!accept("?")) return condition;
    NodePtr yes = choice();
    if (!accept(":")) fail_expected("':' and what holds otherwise");
    NodePtr no = choice();
    return make_operation(Op::choose, {std::move(condition), std::move(yes), std::move(no)}, since(begin));
  }

  NodePtr binary(int lowest) {
    const std::size_t begin = peek().span.begin;
    NodePtr left = unary();
    while (const BinaryOperator* found = operator_here()) {
      if (found->precedence < lowest) break;
      take();
      if (found->op == Op::member) {
        left = membership(left, begin);
        continue;
      }
      NodePtr right = binary(found->precedence + 1);
      left = make_operation(found->op, {std::move(left), std::move(right)}, since(begin));
    }
    return left;
  }

  /// "k in {0, 4, 8}"
  NodePtr membership(const NodePtr& left, std::size_t begin) {
    if (!accept("{")) fail_expected("'{' and the numbers of the set, such as {0, 4, 8}");
    std::vector<NodePtr> operands{left};
    do { operands.push_back(binary(comparison_precedence + 2)); } while (accept(","));
    if (!accept("}")) fail_expected("',' or '}' to close the set");
    return make_operation(Op::member, std::move(operands), since(begin));
  }

  /// bit(x, i): the bit of weight 2^i, 0 or 1.
  NodePtr bit_of(const Token& token) {
    const std::vector<NodePtr> values = arguments(token);
    const Span span = since(token.span.begin);
    const bool right = values.size() == 2 && values[1]->constant && *values[1]->constant >= 0 &&
                       *values[1]->constant <= 31 && values[1]->whole;
    if (!right)
      throw ExpressionError(token.span.begin, "bit takes a number and which bit of it",
                            "expected bit(q, 0) to bit(q, 31)");
    const NodePtr weight = make_number(std::ldexp(1.0, static_cast<int>(*values[1]->constant)), span);
    const NodePtr shifted = make_operation(Op::floor, {make_operation(Op::divide, {values[0], weight}, span)}, span);
    return make_operation(Op::modulo, {shifted, make_number(2, span)}, span);
  }

  /// The only argument of a function, which must be q or k.
  NodePtr query_or_key(const Token& token) {
    const std::vector<NodePtr> values = arguments(token);
    const bool right = values.size() == 1 && values[0]->op == Op::variable &&
                       (values[0]->variable == Variable::q || values[0]->variable == Variable::k);
    if (right) return values[0];
    throw ExpressionError(token.span.begin, Message("{0} is of a query or a key", quoted(token.text)),
                          Message("expected {0}(q) or {1}(k)", token.text, token.text));
  }

  /// doc(q), doc(k): the document of a token; place(q), place(k): the token's position in its document.
  NodePtr of_document(const Token& token) {
    const bool q = query_or_key(token)->variable == Variable::q, doc = token.text == "doc";
    return make_variable(q ? (doc ? Variable::doc_q : Variable::place_q) : (doc ? Variable::doc_k : Variable::place_k),
                         since(token.span.begin));
  }

  /// row(q), col(q), row(k), col(k): the position of a patch in the picture; -1 for a token that is no patch. Queries
  /// are patches if there are as many queries as keys.
  NodePtr of_grid(const Token& token) {
    const NodePtr token_asked = query_or_key(token);
    const bool q = token_asked->variable == Variable::q, row = token.text == "row";
    const Scope scope{{{"x", token_asked}}, since(token.span.begin)};
    const std::string text = std::string(q ? "n_q != n_k || " : "") +
                             "x < first_patch || x >= first_patch + grid_rows * grid_columns ? -1 : " +
                             (row ? "floor((x - first_patch) / grid_columns)" : "(x - first_patch) % grid_columns");
    Node node = *Parser(text, &scope).whole();
    node.called = q ? (row ? "row_q" : "col_q") : (row ? "row_k" : "col_k");
    return std::make_shared<Node>(std::move(node));
  }

  const BinaryOperator* operator_here() const {
    if (peek().kind != Token::Kind::symbol) return nullptr;
    const std::string_view symbol = peek().text;
    if (symbol == "=" || symbol == "&" || symbol == "|") {
      const std::string twice = std::string(symbol) + std::string(symbol);
      throw ExpressionError(
          peek().span.begin, Message("{0} is not an operator", quoted(symbol)),
          Message(symbol == "=" ? "expected {0} to compare" : "expected {0} to combine conditions", quoted(twice)));
    }
    for (const Foreign& foreign : foreign_operators) {
      if (foreign.word == symbol)
        throw ExpressionError(peek().span.begin, Message("{0} is not an operator here", quoted(symbol)),
                              Message("write {0}", foreign.suggestion.data()));
    }
    const auto* found = std::ranges::find(binary_operators, symbol, &BinaryOperator::symbol);
    return found == std::end(binary_operators) ? nullptr : found;
  }

  NodePtr unary() {
    const std::size_t begin = peek().span.begin;
    const bool is_not = peek().kind == Token::Kind::name && peek().text == "not";
    if (!at("!") && !at("-") && !is_not) return primary();
    const Nested nested(*this);
    const Op op = at("-") ? Op::negate : Op::logical_not;
    take();
    NodePtr operand = is_not ? binary(comparison_precedence) : unary();
    return make_operation(op, {std::move(operand)}, since(begin));
  }

  NodePtr primary() {
    const Token& token = peek();
    if (token.kind == Token::Kind::number) {
      take();
      return make_number(token.number, since(token.span.begin));
    }
    if (token.kind == Token::Kind::name) return named();
    if (!accept("(")) fail_expected("a number, a variable or a pattern");
    NodePtr inner = choice();
    if (!accept(")")) fail_expected(Message("')' for the '(' at character {0}", token.span.begin + 1));
    return inner;
  }

  NodePtr named() {
    const Token& token = take();
    const bool called = at("(");
    if (scope_) {
      if (NodePtr inner = word_of_definition(token)) return inner;
    }
    if (const Pattern* pattern = pattern_named(token.text)) return pattern_call(*pattern, token, called);
    for (const Function& function : functions) {
      if (function.name == token.text) return function_call(function, token, called);
    }
    if (called && token.text == "bit") return bit_of(token);
    if (called && (token.text == "doc" || token.text == "place")) return of_document(token);
    if (called && (token.text == "row" || token.text == "col")) return of_grid(token);
    if (called) fail_unknown(token, called);
    if (token.text == "true" || token.text == "false") return make_truth(token.text == "true", since(token.span.begin));
    for (const Variable variable : variables) {
      if (name(variable) == token.text) return make_variable(variable, since(token.span.begin));
    }
    fail_unknown(token, called);
  }

  /// The names that only definitions may use; nullptr if the token is none of them.
  NodePtr word_of_definition(const Token& token) {
    if (const auto found = scope_->arguments.find(token.text); found != scope_->arguments.end()) return found->second;
    if (scope_->moved && token.text == "q") {
      const Span span = scope_->call;
      const auto of = [&](Variable variable) { return make_variable(variable, span); };
      return make_operation(
          Op::add, {of(Variable::q), make_operation(Op::subtract, {of(Variable::n_k), of(Variable::n_q)}, span)}, span);
    }
    for (const Variable variable : {Variable::valid_len, Variable::file_mask, Variable::painted_mask,
                                    Variable::grid_rows, Variable::grid_columns, Variable::first_patch}) {
      if (name(variable) == token.text) return make_variable(variable, scope_->call);
    }
    for (const Op op : {Op::hash, Op::drawn}) {
      if (symbol(op) == token.text) return make_operation(op, arguments(token), scope_->call);
    }
    return nullptr;
  }

  std::vector<NodePtr> arguments(const Token& callee) {
    take();  // '('
    std::vector<NodePtr> result;
    if (accept(")")) return result;
    do {
      if (peek().kind == Token::Kind::end) fail_expected(argument_wanted(callee.text, result.size()));
      result.push_back(choice());
    } while (accept(","));
    if (!accept(")")) fail_expected(Message("',' or ')' to close {0}(", callee.text));
    return result;
  }

  static Message argument_wanted(std::string_view callee, std::size_t index) {
    const Pattern* pattern = pattern_named(callee);
    if (!pattern) return "a number";
    if (!pattern->repeats && index >= pattern->parameters.size()) return {"')' to close {0}(", callee};
    return {"{0}, {1}", argument_name(*pattern, index), range_sentence(parameter(*pattern, index))};
  }

  NodePtr pattern_call(const Pattern& first, const Token& token, bool called) {
    if (!called) {
      throw ExpressionError(token.span.begin, Message("{0} is a pattern", quoted(token.text)),
                            Message("expected {0}", signature(first)));
    }
    std::vector<NodePtr> values = arguments(token);
    const Pattern& pattern = *pattern_named(token.text, values.size());
    const std::size_t wanted = pattern.parameters.size();
    if (pattern.repeats ? values.empty() : values.size() != wanted) {
      const Message most = pattern.repeats ? "at least one number" : numbers(wanted);
      throw ExpressionError(misplaced(values, wanted),
                            values.empty()
                                ? Message("{0} takes {1} and got none", signature(pattern), most)
                                : Message("{0} takes {1} and got {2}", signature(pattern), most, values.size()),
                            Message("expected for example {0}", pattern.example));
    }
    if (pattern.repeats && values.size() > most_repeated) {
      throw ExpressionError(values[most_repeated]->span.begin,
                            Message("{0}() has {1} numbers", pattern.name, values.size()),
                            Message("expected at most {0}", most_repeated));
    }
    const Span span = since(token.span.begin);
    if (file_mask_ && pattern.name == "file")
      return make_pattern(pattern, {}, with_spans(file_mask_, [span](Span) { return span; }), span);
    return make_call(pattern, std::move(values), span, from_corner_);
  }

  NodePtr function_call(const Function& function, const Token& token, bool called) {
    if (!called) {
      throw ExpressionError(token.span.begin, Message("{0} is a function", quoted(token.text)),
                            Message("expected {0}(…)", token.text));
    }
    std::vector<NodePtr> values = arguments(token);
    const bool any_more = function.arguments >= 2;
    if (values.size() < function.arguments || (!any_more && values.size() > function.arguments)) {
      throw ExpressionError(misplaced(values, function.arguments),
                            Message(any_more ? "{0} takes at least {1}" : "{0} takes {1}", quoted(token.text),
                                    numbers(function.arguments)),
                            values.empty() ? Message("got no numbers") : Message("got {0}", numbers(values.size())));
    }
    const Span span = since(token.span.begin);
    NodePtr result = values[0];
    if (!any_more) return make_operation(function.op, {result}, span);
    for (std::size_t i = 1; i < values.size(); ++i) result = make_operation(function.op, {result, values[i]}, span);
    return result;
  }

  /// The position of the first argument that is too many, or of the ')' that comes too early.
  std::size_t misplaced(const std::vector<NodePtr>& values, std::size_t wanted) const {
    return values.size() > wanted ? values[wanted]->span.begin : tokens_[next_ - 1].span.begin;
  }

  [[noreturn]] void fail_expected(const Message& expected) const {
    const Token& token = peek();
    const bool ended = token.kind == Token::Kind::end;
    throw ExpressionError(
        token.span.begin,
        ended ? Message("the expression ends too early") : Message("{0} does not belong here", quoted(token.text)),
        Message("expected {0}", expected));
  }

  [[noreturn]] void fail_leftover() const {
    if (at(")")) throw ExpressionError(peek().span.begin, "this ')' closes nothing", "expected an operator or the end");
    fail_expected("an operator such as && or the end of the expression");
  }

  [[noreturn]] void fail_unknown(const Token& token, bool called) const {
    std::vector<std::string_view> names;
    for (const Pattern& pattern : all_patterns()) names.push_back(pattern.name);
    for (const Function& function : functions) names.push_back(function.name);
    if (!called) {
      for (const Variable variable : variables) names.push_back(name(variable));
      names.insert(names.end(), {"true", "false"});
    }
    for (const Foreign& foreign : foreign_names) {
      if (!called && foreign.word == token.text) {
        throw ExpressionError(token.span.begin,
                              Message("{0} is called {1} here", quoted(token.text), foreign.suggestion.data()),
                              Message("write {0}", foreign.suggestion.data()));
      }
    }
    const Message what(called ? "unknown function {0}" : "unknown name {0}", quoted(token.text.substr(0, 40)));
    const std::string_view nearest = nearest_name(token.text, names);
    const bool is_function = std::find(names.begin(), names.end(), nearest) - names.begin() <
                             static_cast<std::ptrdiff_t>(all_patterns().size() + std::size(functions));
    if (nearest.empty()) {
      throw ExpressionError(token.span.begin, what,
                            called ? "expected a pattern such as causal() or window(4), or abs, floor, min, max"
                                   : "expected one of q, k, b, h, n_q, n_k, valid_len, or a pattern such as causal()");
    }
    const Pattern* pattern = pattern_named(nearest);
    const std::string suggestion = pattern ? signature(*pattern) : std::string(nearest) + (is_function ? "(…)" : "");
    throw ExpressionError(token.span.begin, what, Message("did you mean {0}?", suggestion));
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
  const Scope* scope_;
  NodePtr file_mask_;
  bool from_corner_;  ///< the text calls causal_bottom_right()
};

}  // namespace

NodePtr make_call(const Pattern& pattern, std::vector<NodePtr> values, Span span, bool from_corner) {
  Scope scope{{}, span, from_corner && pattern.moves};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = make_argument(pattern, i, std::move(values[i]));
    scope.arguments[argument_name(pattern, i)] = values[i];
  }
  const std::string text = definition(pattern, values.size());
  return make_pattern(pattern, std::move(values), Parser(text, &scope).whole(), span);
}

NodePtr parse(std::string_view text, const NodePtr& file_mask) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ExpressionError(0, "the mask expression is empty", "expected a condition such as causal()");
  }
  NodePtr root = Parser(text, nullptr, file_mask).whole();
  if (!root->condition) {
    throw ExpressionError(root->span.begin, "the expression is a number", "expected a condition such as k <= q");
  }
  return root;
}

}  // namespace headlight::mask
