#include "core/mask/program.h"

namespace headlight::mask {
namespace {

Loop innermost(std::uint8_t depends) {
  if (depends & on_q) return Loop::row;
  if (depends & on_h) return Loop::head;
  return depends & on_b ? Loop::batch : Loop::none;
}

class Compiler {
 public:
  explicit Compiler(const VariableDepends& variable_depends) : variable_depends_(variable_depends) {}

  Program run(const Node& root) {
    program_.result = value(root, -1);
    program_.depends = depends_[static_cast<std::size_t>(program_.result)];
    return std::move(program_);
  }

 private:
  int value(const Node& node, int guard) {
    if (node.op == Op::pattern) return value(*node.body, guard);
    if (node.op == Op::logical_and || node.op == Op::logical_or) return short_circuit(node, guard);
    if (node.op == Op::choose) return choice(node, guard);
    if (node.op == Op::member) return membership(node, guard);
    std::array<int, 5> in = none;
    if (!node.constant) {
      for (std::size_t i = 0; i < node.operands.size(); ++i) in[i] = value(*node.operands[i], guard);
    }
    const bool fails_itself = node.op == Op::argument || node.op == Op::divide || node.op == Op::modulo;
    return emit(node.constant && !node.condition ? Op::number : node.op, in, fails_itself ? guard : -1, node);
  }

  /// The right side counts only where the left one leaves it open.
  int short_circuit(const Node& node, int guard) {
    const int left = value(*node.operands[0], guard);
    const Node& right_node = *node.operands[1];
    int right_guard = guard;
    if (right_node.can_fail) {
      const int open = node.op == Op::logical_and ? left : emit(Op::logical_not, {left, -1, -1, -1, -1}, -1, node);
      right_guard = both(guard, open, node);
    }
    return emit(node.op, {left, value(right_node, right_guard), -1, -1, -1}, -1, node);
  }

  int choice(const Node& node, int guard) {
    const int condition = value(*node.operands[0], guard);
    int yes_guard = guard, no_guard = guard;
    if (node.operands[1]->can_fail) yes_guard = both(guard, condition, node);
    if (node.operands[2]->can_fail) {
      no_guard = both(guard, emit(Op::logical_not, {condition, -1, -1, -1, -1}, -1, node), node);
    }
    const int yes = value(*node.operands[1], yes_guard);
    const int no = value(*node.operands[2], no_guard);
    return emit(Op::choose, {condition, yes, no, -1, -1}, -1, node);
  }

  /// One comparison an element, each of which counts only where none before it holds.
  int membership(const Node& node, int guard) {
    const int left = value(*node.operands[0], guard);
    int any = -1;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const Node& element = *node.operands[i];
      int open = guard;
      if (any >= 0 && element.can_fail)
        open = both(guard, emit(Op::logical_not, {any, -1, -1, -1, -1}, -1, node), node);
      const int equal = emit(Op::equal, {left, value(element, open), -1, -1, -1}, -1, node);
      any = any < 0 ? equal : emit(Op::logical_or, {any, equal, -1, -1, -1}, -1, node);
    }
    return any;
  }

  int both(int guard, int condition, const Node& node) {
    return guard < 0 ? condition : emit(Op::logical_and, {guard, condition, -1, -1, -1}, -1, node);
  }

  /// The register that holds the value; an instruction that was there already is not repeated.
  int emit(Op op, const std::array<int, 5>& in, int guard, const Node& node) {
    const double constant = op == Op::number || op == Op::truth ? *node.constant : 0;
    const Parameter* parameter = op == Op::argument ? node.parameter : nullptr;
    const Key key{op, in, guard, constant, op == Op::variable ? node.variable : Variable::q, parameter};
    const auto [found, is_new] = known_.try_emplace(key, static_cast<int>(program_.registers.size()));
    if (!is_new) return found->second;

    std::uint8_t depends = on_nothing;
    if (op == Op::variable) depends = variable_depends_[static_cast<std::size_t>(node.variable)];
    for (const int input : in) depends |= depends_of(input);
    depends |= depends_of(guard);
    Register result;
    result.condition = is_condition(op, in, node);
    result.wide = depends & on_k;
    result.loop = innermost(depends);
    program_.instructions[static_cast<std::size_t>(result.loop)].push_back({op, found->second, in, guard, &node});
    program_.registers.push_back(std::move(result));
    depends_.push_back(depends);
    return found->second;
  }

  std::uint8_t depends_of(int reg) const {
    return reg < 0 ? std::uint8_t{on_nothing} : depends_[static_cast<std::size_t>(reg)];
  }

  /// Not simply node.condition: the conditions that guards are made of have the node they guard.
  bool is_condition(Op op, const std::array<int, 5>& in, const Node& node) const {
    if (op == Op::choose) return program_.registers[static_cast<std::size_t>(in[1])].condition;
    if (op == Op::variable) return node.condition;
    return op == Op::truth || (op >= Op::less && op != Op::argument);
  }

  static constexpr std::array<int, 5> none = {-1, -1, -1, -1, -1};
  using Key = std::tuple<Op, std::array<int, 5>, int, double, Variable, const Parameter*>;

  const VariableDepends& variable_depends_;
  Program program_;
  std::vector<std::uint8_t> depends_;  // of each register
  std::map<Key, int> known_;
};

}  // namespace

Program compile(const Node& root, const VariableDepends& depends) { return Compiler(depends).run(root); }

}  // namespace headlight::mask
