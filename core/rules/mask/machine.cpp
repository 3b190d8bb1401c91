#include "core/rules/mask/machine.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/rules/mask/operations.h"

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
    Operands in = none;
    if (!node.constant) {
      assert(node.operands.size() <= in.size());
      for (std::size_t i = 0; i < node.operands.size(); ++i) in[i] = value(*node.operands[i], guard);
    }
    const bool fails_itself = node.op == Op::argument || node.op == Op::divide || node.op == Op::modulo;
    return emit(node.constant && !node.condition ? Op::number : node.op, in, fails_itself ? guard : -1, node);
  }

  /// The right side counts only if the left side does not decide the result.
  int short_circuit(const Node& node, int guard) {
    const int left = value(*node.operands[0], guard);
    const Node& right_node = *node.operands[1];
    int right_guard = guard;
    if (right_node.can_fail) {
      const int still_open = node.op == Op::logical_and ? left : emit(Op::logical_not, inputs({left}), -1, node);
      right_guard = both(guard, still_open, node);
    }
    return emit(node.op, inputs({left, value(right_node, right_guard)}), -1, node);
  }

  int choice(const Node& node, int guard) {
    const int condition = value(*node.operands[0], guard);
    int yes_guard = guard, no_guard = guard;
    if (node.operands[1]->can_fail) yes_guard = both(guard, condition, node);
    if (node.operands[2]->can_fail) {
      no_guard = both(guard, emit(Op::logical_not, inputs({condition}), -1, node), node);
    }
    const int yes = value(*node.operands[1], yes_guard);
    const int no = value(*node.operands[2], no_guard);
    return emit(Op::choose, inputs({condition, yes, no}), -1, node);
  }

  /// One comparison for each element. It counts only if no earlier one is true.
  int membership(const Node& node, int guard) {
    const int left = value(*node.operands[0], guard);
    int any = -1;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const Node& element = *node.operands[i];
      int still_open = guard;
      if (any >= 0 && element.can_fail) still_open = both(guard, emit(Op::logical_not, inputs({any}), -1, node), node);
      const int equal = emit(Op::equal, inputs({left, value(element, still_open)}), -1, node);
      any = any < 0 ? equal : emit(Op::logical_or, inputs({any, equal}), -1, node);
    }
    return any;
  }

  int both(int guard, int condition, const Node& node) {
    return guard < 0 ? condition : emit(Op::logical_and, inputs({guard, condition}), -1, node);
  }

  /// The register of the value; an instruction that exists already is used again.
  int emit(Op op, const Operands& in, int guard, const Node& node) {
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

  /// Not simply node.condition: the instructions of a guard have the node that they guard.
  bool is_condition(Op op, const Operands& in, const Node& node) const {
    if (op == Op::choose) return program_.registers[static_cast<std::size_t>(in[1])].condition;
    if (op == Op::variable) return node.condition;
    return op == Op::truth || (op >= Op::less && op != Op::argument);
  }

  static Operands inputs(std::initializer_list<int> registers) {
    Operands in = none;
    std::ranges::copy(registers, in.begin());
    return in;
  }

  static constexpr Operands none = {-1, -1, -1, -1, -1, -1, -1};
  using Key = std::tuple<Op, Operands, int, double, Variable, const Parameter*>;

  const VariableDepends& variable_depends_;
  Program program_;
  std::vector<std::uint8_t> depends_;  // what each register depends on
  std::map<Key, int> known_;
};

}  // namespace

Program compile(const Node& root, const VariableDepends& depends) { return Compiler(depends).run(root); }

namespace {

template <typename T>
const T* data(const Register& r);
template <>
const double* data(const Register& r) {
  return r.numbers.data();
}
template <>
const std::uint8_t* data(const Register& r) {
  return r.truths.data();
}

/// out[i] = f(i), in loops that compilers vectorise. A truth value is eight times narrower than a double, so doubles
/// are converted through floats.
template <typename T, typename U, typename F>
void fill_each(std::vector<U>& out, F f) {
  U* const to = out.data();  // a local pointer: a byte can alias any object, the vector's own pointer too
  const std::size_t n = out.size();
  std::size_t i = 0;
  if constexpr (sizeof(U) < sizeof(T)) {
    constexpr std::size_t many = 64;
    for (; i + many <= n; i += many) {
      float part[many];
      for (std::size_t j = 0; j < many; ++j) part[j] = static_cast<float>(f(i + j) ? 1.0 : 0.0);
      for (std::size_t j = 0; j < many; ++j) to[i + j] = static_cast<U>(static_cast<int>(part[j]));
    }
  }
  for (; i < n; ++i) to[i] = static_cast<U>(f(i));
}

template <typename T, typename U, typename F>
void each(const Register& a, std::vector<U>& out, F f) {
  const T* x = data<T>(a);
  if (a.wide) fill_each<T>(out, [=](std::size_t i) { return f(x[i]); });
  else std::ranges::fill(out, static_cast<U>(f(x[0])));
}

/// One loop each for wide with wide, wide with single, and single with wide operands, so that the compiler vectorises
/// each.
template <typename T, typename U, typename F>
void each(const Register& a, const Register& b, std::vector<U>& out, F f) {
  const T* x = data<T>(a);
  const T* y = data<T>(b);
  if (a.wide && b.wide) {
    fill_each<T>(out, [=](std::size_t i) { return f(x[i], y[i]); });
  } else if (a.wide) {
    fill_each<T>(out, [=, right = y[0]](std::size_t i) { return f(x[i], right); });
  } else if (b.wide) {
    fill_each<T>(out, [=, left = x[0]](std::size_t i) { return f(left, y[i]); });
  } else {
    std::fill(out.begin(), out.end(), static_cast<U>(f(x[0], y[0])));
  }
}

/// Reads a register that may hold one value for all keys.
template <typename T>
T get(const Register& r, std::size_t key) {
  return data<T>(r)[r.wide ? key : 0];
}

/// The low 32 bits of a whole number; 0 for any other number (in cells that do not count).
std::uint32_t word(double x) {
  return std::abs(x) < 9007199254740992.0 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(x)) : 0;
}

/// One row of an input as 0/1 or as numbers, from `first_key` on; index 0 if there is one value for all keys.
template <typename U, typename F>
void read_row(const Tensor& tensor, const std::array<Index, 4>& at, Index first_key, std::vector<U>& out, F f) {
  const auto index = [&](Index axis, Loop loop) {
    return tensor.size(axis) > 1 ? at[static_cast<std::size_t>(loop)] : Index{0};
  };
  const MatrixView m = tensor.matrix(index(0, Loop::batch), index(1, Loop::head));
  const float* row = m.data + index(2, Loop::row) * m.row_stride + first_key * m.col_stride;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<U>(f(row[static_cast<Index>(i) * m.col_stride]));
}

}  // namespace

Machine::Machine(Program program, const MaskInputs& inputs, const MaskContext& context)
    : program_(std::move(program)), inputs_(inputs), context_(context) {
  set_window(0, std::min<Index>(context.n_k, 1));  // readers set the window again
}

void Machine::set_window(Index first, Index count) {
  first_key_ = first;
  if (keys_ == count && count > 0) return;
  keys_ = count;
  for (Register& r : program_.registers) {
    const std::size_t size = r.wide ? static_cast<std::size_t>(count) : 1;
    if (r.condition) r.truths.resize(size);
    else r.numbers.resize(size);
  }
}

void Machine::enter(Loop loop, Index index) {
  at_[static_cast<std::size_t>(loop)] = index;
  for (const Instruction& instruction : program_.instructions[static_cast<std::size_t>(loop)]) run(instruction);
}

void Machine::run(const Instruction& instruction) {
  Register& out = program_.registers[static_cast<std::size_t>(instruction.out)];
  switch (instruction.op) {
    case Op::number: out.numbers[0] = *instruction.node->constant; return;
    case Op::truth: out.truths[0] = *instruction.node->constant != 0; return;
    case Op::variable: return run_variable(instruction, out);
    case Op::choose: return run_choice(instruction, out);
    case Op::hash: return run_hash(instruction, out);
    case Op::drawn: return run_drawn(instruction, out);
    case Op::argument:
      check_range(instruction, input(instruction, 0));
      return each<double>(input(instruction, 0), out.numbers, [](double x) { return x; });
    default: return out.condition ? run_condition(instruction, out) : run_number(instruction, out);
  }
}

void Machine::run_variable(const Instruction& instruction, Register& out) {
  const Variable variable = instruction.node->variable;
  switch (variable) {
    case Variable::b: out.numbers[0] = static_cast<double>(at_[1]); return;
    case Variable::h: out.numbers[0] = static_cast<double>(at_[2]); return;
    case Variable::q: out.numbers[0] = static_cast<double>(at_[3]); return;
    case Variable::n_q: out.numbers[0] = static_cast<double>(context_.n_q); return;
    case Variable::n_k: out.numbers[0] = static_cast<double>(context_.n_k); return;
    case Variable::k:
      for (std::size_t i = 0; i < out.numbers.size(); ++i)
        out.numbers[i] = static_cast<double>(first_key_ + static_cast<Index>(i));
      return;
    case Variable::grid_rows: out.numbers[0] = static_cast<double>(context_.grid.rows); return;
    case Variable::grid_columns: out.numbers[0] = static_cast<double>(context_.grid.columns); return;
    case Variable::first_patch: out.numbers[0] = static_cast<double>(context_.grid.first); return;
    default: break;
  }
  const Tensor& tensor = inputs_[static_cast<std::size_t>(variable)];
  const Index first_key = out.wide ? first_key_ : 0;
  if (out.condition) return read_row(tensor, at_, first_key, out.truths, [](float x) { return x != 0; });
  read_row(tensor, at_, first_key, out.numbers, [](float x) { return x; });
}

void Machine::run_number(const Instruction& instruction, Register& out) {
  const Op op = instruction.op;
  const Register& a = input(instruction, 0);
  if (is_of_one_number(op)) return with_function_of_one(op, [&](auto f) { each<double>(a, out.numbers, f); });
  const Register& b = input(instruction, 1);
  if (op == Op::divide || op == Op::modulo) check_divisor(instruction, b);
  with_function_of_two(op, [&](auto f) { each<double>(a, b, out.numbers, f); });
}

void Machine::run_condition(const Instruction& instruction, Register& out) {
  using Truth = std::uint8_t;
  const Register& a = input(instruction, 0);
  if (instruction.op == Op::logical_not) return each<Truth>(a, out.truths, [](Truth x) { return x ^ 1; });
  const Register& b = input(instruction, 1);
  if (instruction.op == Op::logical_and) return each<Truth>(a, b, out.truths, [](Truth x, Truth y) { return x & y; });
  if (instruction.op == Op::logical_or) return each<Truth>(a, b, out.truths, [](Truth x, Truth y) { return x | y; });
  with_comparison(instruction.op, [&](auto f) {
    if (a.condition) each<Truth>(a, b, out.truths, f);
    else each<double>(a, b, out.truths, f);
  });
}

void Machine::run_choice(const Instruction& instruction, Register& out) {
  const Register& condition = input(instruction, 0);
  const Register& yes = input(instruction, 1);
  const Register& no = input(instruction, 2);
  for (std::size_t i = 0; i < out.truths.size(); ++i) {
    out.truths[i] = get<std::uint8_t>(condition, i) ? get<std::uint8_t>(yes, i) : get<std::uint8_t>(no, i);
  }
  for (std::size_t i = 0; i < out.numbers.size(); ++i) {
    out.numbers[i] = get<std::uint8_t>(condition, i) ? get<double>(yes, i) : get<double>(no, i);
  }
}

/// hash(seed, i, j); seed and i are the same for all keys, as random() uses it.
void Machine::run_hash(const Instruction& instruction, Register& out) {
  const std::uint32_t prefix =
      hash_prefix(word(input(instruction, 0).numbers[0]), word(input(instruction, 1).numbers[0]));
  each<double>(input(instruction, 2), out.numbers, [prefix](double j) { return mix(prefix + word(j)); });
}

/// drawn(seed, i, j, r, n, w, g); all but j are the same for all keys. A hash is drawn if it is no larger than the r-th
/// smallest of those that neither the window nor the global blocks take.
void Machine::run_drawn(const Instruction& instruction, Register& out) {
  const auto number = [&](std::size_t i) { return input(instruction, i).numbers[0]; };
  const double limit = static_cast<double>(context_.n_k), i = number(1), half = number(5), global = number(6);
  const double blocks = number(4) >= 0 && number(4) <= limit ? number(4) : limit;
  const std::uint32_t prefix = hash_prefix(word(number(0)), word(i));
  const auto is_left = [&](double j) { return std::abs(i - j) > half && j >= global; };
  hashes_.clear();
  for (double j = 0; j < blocks; ++j) {
    if (is_left(j)) hashes_.push_back(mix(prefix + word(j)));
  }
  const bool any = number(3) >= 1;
  const bool all = number(3) >= static_cast<double>(hashes_.size());
  std::uint32_t largest = 0;
  if (any && !all) {
    const auto last = hashes_.begin() + static_cast<std::ptrdiff_t>(number(3)) - 1;
    std::nth_element(hashes_.begin(), last, hashes_.end());
    largest = *last;
  }
  each<double>(input(instruction, 2), out.truths,
               [&](double j) { return is_left(j) && (all || (any && mix(prefix + word(j)) <= largest)); });
}

std::size_t Machine::checked_keys(const Instruction& instruction, const Register& value) const {
  const int guard = instruction.guard;
  const bool wide = value.wide || (guard >= 0 && program_.registers[static_cast<std::size_t>(guard)].wide);
  return wide ? static_cast<std::size_t>(keys_) : 1;
}

bool Machine::counts(const Instruction& instruction, std::size_t key) const {
  if (instruction.guard < 0) return true;
  return get<std::uint8_t>(program_.registers[static_cast<std::size_t>(instruction.guard)], key) != 0;
}

/// "b = 0, h = 1, q = 3, k = 0": the indices that the value depends on.
std::string Machine::where(std::size_t key) const {
  std::string text;
  const auto add = [&](const char* variable, Index value) {
    text += (text.empty() ? "" : ", ") + std::string(variable) + " = " + std::to_string(value);
  };
  if (context_.batch > 1) add("b", at_[1]);
  if (context_.heads > 1) add("h", at_[2]);
  add("q", at_[3]);
  add("k", first_key_ + static_cast<Index>(key));
  return text;
}

void Machine::check_divisor(const Instruction& instruction, const Register& divisor) const {
  if (std::ranges::find(divisor.numbers, 0.0) == divisor.numbers.end()) return;
  for (std::size_t key = 0; key < checked_keys(instruction, divisor); ++key) {
    if (get<double>(divisor, key) != 0.0 || !counts(instruction, key)) continue;
    throw ExpressionError(instruction.node->operands[1]->span.begin, Message("division by zero at {0}", where(key)),
                          "expected a divisor other than 0");
  }
}

void Machine::check_range(const Instruction& instruction, const Register& value) const {
  for (std::size_t key = 0; key < checked_keys(instruction, value); ++key) {
    if (!counts(instruction, key)) continue;
    const Node& node = *instruction.node;
    return check_argument(*node.pattern, *node.parameter, value.numbers[0], node.span.begin);
  }
}

}  // namespace headlight::mask
