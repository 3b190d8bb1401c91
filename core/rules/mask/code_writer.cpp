#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/rules/mask/code.h"

namespace headlight::mask {
namespace {

/// Whether the value is an array or tensor, not a plain Python number or bool.
bool is_array(const Node& node) { return node.depends != on_nothing; }

/// Whether this is ⌊a / b⌋ of whole numbers, a // b in Python.
bool is_whole_division(const Node& node) {
  if (node.op != Op::floor || node.operands[0]->op != Op::divide) return false;
  const std::vector<NodePtr>& sides = node.operands[0]->operands;
  return sides[0]->whole && sides[1]->whole;
}

bool has_fractions(const Node& node) {
  if (!node.condition && !node.whole && is_array(node)) return true;
  const std::vector<NodePtr>& operands = is_whole_division(node) ? node.operands[0]->operands : node.operands;
  if (node.body && has_fractions(*node.body)) return true;
  return std::ranges::any_of(operands, [](const NodePtr& o) { return has_fractions(*o); });
}

std::string with_parentheses(const Code& code, Binding at_least) {
  return code.binding < at_least ? std::string("(").append(code.text) + ")" : code.text;
}

}  // namespace

CodeWriter::CodeWriter(CodeTarget target, const Node& root, bool valid_lens_by_query, bool docs_by_batch)
    : target_(target),
      valid_lens_by_query_(valid_lens_by_query),
      docs_by_batch_(docs_by_batch),
      uses_fractions_(has_fractions(root)) {}

Code CodeWriter::condition(const Node& root) { return render(root.op == Op::pattern ? *root.body : root); }

std::string CodeWriter::place(const Node& node, Binding at_least) { return with_parentheses(render(node), at_least); }

std::string CodeWriter::module_call(const char* function, const std::string& arguments) const {
  return std::string(torch() ? "torch." : "np.") + function + "(" + arguments + ")";
}

Code CodeWriter::render(const Node& node) {
  return node.called.empty() ? rendered(node) : line(std::string(node.called), rendered(node).text);
}

Code CodeWriter::rendered(const Node& node) {
  if (node.constant && !node.condition) {
    return {number_text(*node.constant), *node.constant < 0 ? Binding::sign : Binding::atom};
  }
  switch (node.op) {
    case Op::truth: return {*node.constant != 0 ? "True" : "False", Binding::atom};
    case Op::variable: return variable(node);
    case Op::pattern: return pattern(node);
    case Op::argument: return render(*node.operands[0]);
    case Op::negate: return {std::string("-").append(place(*node.operands[0], Binding::sign)), Binding::sign};
    case Op::add: return binary(node, " + ", Binding::sum);
    case Op::subtract: return binary(node, " - ", Binding::sum);
    case Op::multiply: return binary(node, " * ", Binding::product);
    case Op::divide: return binary(node, " / ", Binding::product);
    case Op::modulo: return modulo(node);
    case Op::floor: return floor_of(node);
    case Op::absolute: return {"abs(" + render(*node.operands[0]).text + ")", Binding::atom};
    case Op::minimum:
    case Op::maximum: return extremum(node);
    case Op::member: return membership(node);
    case Op::hash:
    case Op::drawn: return call(node);
    case Op::choose: return choice(node);
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or: return logic(node);
    default: return comparison(node);
  }
}

/// Writes a line such as `window = abs(q - k) < 4`, unless there is one with the same value already, and returns its
/// name.
Code CodeWriter::pattern(const Node& node) {
  const std::string text = render(*node.body).text;
  std::string wanted(node.pattern->name);
  if (wanted == "global") wanted += "_";  // a keyword of Python
  return line(std::move(wanted), text);
}

Code CodeWriter::line(std::string name, std::string text) {
  for (const Line& line : lines_) {
    if (line.text == text && line.name.rfind(name, 0) == 0) return {line.name, Binding::atom};
  }
  const int count = ++names_[name];
  lines_.push_back({count > 1 ? name + "_" + std::to_string(count) : std::move(name), std::move(text)});
  return {lines_.back().name, Binding::atom};
}

Code CodeWriter::repeated(const Node& node) {
  constexpr int deep = 6;
  Code code = render(node);
  return node.depth > deep ? line("part", std::move(code.text)) : code;
}

Code CodeWriter::variable(const Node& node) {
  const bool flex = target_ == CodeTarget::flex_attention;
  const auto use = [&](Variable v) -> std::string {
    used_[static_cast<std::size_t>(v)] = true;
    if (flex && v == Variable::q) return "q_idx";
    if (flex && v == Variable::k) return "kv_idx";
    return std::string(name(v));
  };
  const auto index = [&](Variable v) { return use(v) + (torch() && uses_fractions_ ? ".long()" : ""); };
  switch (node.variable) {
    case Variable::valid_len:
      used_[static_cast<std::size_t>(Variable::valid_len)] = true;
      return {"valid_lens[" + index(Variable::b) + (valid_lens_by_query_ ? ", " + index(Variable::q) : "") + "]",
              Binding::atom};
    case Variable::file_mask:
    case Variable::painted_mask:
      return {use(node.variable) + "[" + index(Variable::b) + ", " + index(Variable::h) + ", " + index(Variable::q) +
                  ", " + index(Variable::k) + "]",
              Binding::atom};
    case Variable::doc_q:
    case Variable::doc_k:
    case Variable::place_q:
    case Variable::place_k: {
      used_[static_cast<std::size_t>(node.variable)] = true;
      const bool query = node.variable == Variable::doc_q || node.variable == Variable::place_q,
                 doc = node.variable == Variable::doc_q || node.variable == Variable::doc_k;
      return {std::string(doc ? "doc[" : "place[") + (docs_by_batch_ ? index(Variable::b) + ", " : "") +
                  index(query ? Variable::q : Variable::k) + "]",
              Binding::atom};
    }
    default: return {use(node.variable), Binding::atom};
  }
}

/// Operators group from the left, so the right operand must bind more tightly.
Code CodeWriter::binary(const Node& node, const char* symbol, Binding binding) {
  const auto tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  std::string left = place(*node.operands[0], binding);
  return {left + symbol + place(*node.operands[1], tighter), binding};
}

Code CodeWriter::comparison(const Node& node) {
  std::string left = place(*node.operands[0], Binding::bit_or);  // Python would read two comparisons as a chain
  return {left + " " + std::string(symbol(node.op)) + " " + place(*node.operands[1], Binding::bit_or),
          Binding::comparison};
}

/// `(k == 0) | (k == 4)`
Code CodeWriter::membership(const Node& node) {
  const std::string left = with_parentheses(repeated(*node.operands[0]), Binding::bit_or);
  const bool array = is_array(node);
  const std::size_t elements = node.operands.size() - 1;
  std::string text;
  for (std::size_t i = 1; i <= elements; ++i) {
    const std::string one = left + " == " + place(*node.operands[i], Binding::bit_or);
    text += (i == 1 ? "" : array ? " | " : " or ") + (array && elements > 1 ? "(" + one + ")" : one);
  }
  if (elements == 1) return {text, Binding::comparison};
  return {text, array ? Binding::bit_or : Binding::or_word};
}

Code CodeWriter::logic(const Node& node) {
  const Node& left = *node.operands[0];
  if (node.op == Op::logical_not) {
    if (is_array(left)) return {std::string("~").append(place(left, Binding::sign)), Binding::sign};
    return {"not " + place(left, Binding::not_word), Binding::not_word};
  }
  const bool both = node.op == Op::logical_and;
  if (is_array(left) || is_array(*node.operands[1])) {
    return binary(node, both ? " & " : " | ", both ? Binding::bit_and : Binding::bit_or);
  }
  return binary(node, both ? " and " : " or ", both ? Binding::and_word : Binding::or_word);
}

Code CodeWriter::choice(const Node& node) {
  const Node& condition = *node.operands[0];
  std::string test = is_array(condition) ? render(condition).text : place(condition, Binding::or_word);
  if (!is_array(condition)) {
    std::string yes = place(*node.operands[1], Binding::or_word);
    return {yes + " if " + test + " else " + place(*node.operands[2], Binding::or_word), Binding::choice};
  }
  std::string yes = render(*node.operands[1]).text;
  return {module_call("where", test + ", " + yes + ", " + render(*node.operands[2]).text), Binding::atom};
}

/// A divisor for whole tensors in PyTorch, where dividing by 0 is an error even in cells that do not count.
std::string CodeWriter::divisor(const Node& node) {
  if (!torch() || node.constant || !is_array(node) || node.op == Op::argument) return place(node, Binding::sign);
  const Code code = repeated(node);
  return "torch.where(" + with_parentheses(code, Binding::bit_or) + " == 0, 1, " + code.text + ")";
}

Code CodeWriter::floor_of(const Node& node) {
  const Node& inner = *node.operands[0];
  if (inner.whole) return render(inner);
  if (is_whole_division(node)) {
    std::string left = place(*inner.operands[0], Binding::product);
    return {left + " // " + divisor(*inner.operands[1]), Binding::product};
  }
  if (is_array(node)) return {module_call("floor", render(inner).text), Binding::atom};
  uses_math_ = true;
  return {"math.floor(" + render(inner).text + ")", Binding::atom};
}

Code CodeWriter::modulo(const Node& node) {
  const Node& a = *node.operands[0];
  const Node& b = *node.operands[1];
  if (a.whole && b.whole) {
    std::string left = place(a, Binding::product);
    return {left + " % " + divisor(b), Binding::product};
  }
  // Python's % rounds fractions differently from a - floor(a / b) * b.
  const Code left = repeated(a), right = repeated(b);
  const std::string quotient =
      with_parentheses(left, Binding::product) + " / " + with_parentheses(right, Binding::sign);
  const std::string times = " * " + with_parentheses(right, Binding::sign);
  if (!is_array(node)) uses_math_ = true;
  const std::string down = is_array(node) ? module_call("floor", quotient) : "math.floor(" + quotient + ")";
  return {with_parentheses(left, Binding::sum) + " - " + down + times, Binding::sum};
}

Code CodeWriter::extremum(const Node& node) {
  const bool least = node.op == Op::minimum;
  const Node* a = node.operands[0].get();
  const Node* b = node.operands[1].get();
  if (!is_array(*a)) std::swap(a, b);
  const std::string first = render(*a).text, second = render(*b).text;
  if (!is_array(*a)) return {std::string(least ? "min(" : "max(") + first + ", " + second + ")", Binding::atom};
  if (torch() && !is_array(*b)) {
    return {module_call("clamp", first + (least ? ", max=" : ", min=") + second), Binding::atom};
  }
  return {module_call(least ? "minimum" : "maximum", first + ", " + second), Binding::atom};
}

Code CodeWriter::call(const Node& node) {
  uses_hash_ = true;
  if (node.op == Op::drawn) {
    uses_drawn_ = true;
    if (is_array(*node.operands[4])) {
      throw ExpressionError(node.span.begin, "a bigbird() whose block differs between heads cannot be written as code",
                            "expected a block that is the same for all");
    }
  }
  std::string text = node.op == Op::hash ? "hash32(" : "drawn(";
  for (std::size_t i = 0; i < node.operands.size(); ++i) text += (i ? ", " : "") + render(*node.operands[i]).text;
  return {text + ")", Binding::atom};
}

}  // namespace headlight::mask
