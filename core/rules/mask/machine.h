// A mask expression compiled to instructions on registers; each register holds a row of keys.
//
// Values that do not depend on k are single numbers, values that do not depend on q are computed once per head, and so
// on: each instruction has the innermost of the loops b, h, q in which its value changes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/rules/mask/ast.h"
#include "core/rules/mask/evaluate.h"

namespace headlight::mask {

/// The loops around a row, outermost first.
enum class Loop : std::uint8_t { none, batch, head, row };

/// Registers; −1 where unused. drawn() has the most.
using Operands = std::array<int, 7>;

struct Instruction {
  Op op;
  int out;  ///< index of a register, like the inputs and the guard
  Operands in;
  int guard;  ///< for instructions that can fail: failures count only where this condition is true; −1: everywhere
  const Node* node;
};

/// A row of keys, or one value for all keys. Conditions are 0 or 1.
struct Register {
  bool condition = false;
  bool wide = false;  ///< one value per key
  Loop loop = Loop::none;
  std::vector<double> numbers;
  std::vector<std::uint8_t> truths;
};

/// Which of b, h, q, k a variable depends on, as Depends bits; for a mask from a file this follows from its shape.
using VariableDepends = std::array<std::uint8_t, variable_count>;

struct Program {
  std::vector<Register> registers;
  std::array<std::vector<Instruction>, 4> instructions;  ///< by Loop, in order of execution
  int result = 0;
  std::uint8_t depends = 0;  ///< Depends bits of the result
};

Program compile(const Node& root, const VariableDepends& depends);

/// The tensors of those variables that have one and that the expression uses, each [B or 1, H or 1, n_q or 1, n_k or
/// 1].
using MaskInputs = std::array<Tensor, variable_count>;

/// Evaluates a Program.
class Machine {
 public:
  Machine(Program program, const MaskInputs& inputs, const MaskContext& context);

  /// The keys to evaluate, [first, first + count); all by default. Call enter() for every loop afterwards.
  void set_window(Index first, Index count);
  Index first_key() const { return first_key_; }
  Index keys() const { return keys_; }

  /// Recomputes what depends on a loop's variable after it was set; outer loops first.
  void enter(Loop loop, Index index);
  /// The result, valid after enter(Loop::row, …): one value, or one per key.
  const Register& result() const { return program_.registers[static_cast<std::size_t>(program_.result)]; }
  const Program& program() const { return program_; }

 private:
  void run(const Instruction& instruction);
  void run_variable(const Instruction& instruction, Register& out);
  void run_number(const Instruction& instruction, Register& out);
  void run_condition(const Instruction& instruction, Register& out);
  void run_choice(const Instruction& instruction, Register& out);
  void run_hash(const Instruction& instruction, Register& out);
  void run_drawn(const Instruction& instruction, Register& out);
  void check_divisor(const Instruction& instruction, const Register& divisor) const;
  void check_range(const Instruction& instruction, const Register& value) const;
  /// How many keys to check: one if the value and its guard are the same for all keys.
  std::size_t checked_keys(const Instruction& instruction, const Register& value) const;
  bool counts(const Instruction& instruction, std::size_t key) const;
  std::string where(std::size_t key) const;
  const Register& input(const Instruction& instruction, std::size_t i) const {
    return program_.registers[static_cast<std::size_t>(instruction.in[i])];
  }

  Program program_;
  const MaskInputs& inputs_;
  const MaskContext& context_;
  std::array<Index, 4> at_ = {};  // indexed by Loop
  Index first_key_ = 0, keys_ = 0;
  std::vector<std::uint32_t> hashes_;
};

}  // namespace headlight::mask

namespace headlight {

constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x45d9f3bu;
  x = (x ^ (x >> 16)) * 0x45d9f3bu;
  return x ^ (x >> 16);
}

/// What hash(seed, i, ·) has in common: hash(seed, i, j) = mix(hash_prefix(seed, i) + j).
constexpr std::uint32_t hash_prefix(std::uint32_t seed, std::uint32_t i) { return mix(mix(seed + 0x9e3779b9u) + i); }

}  // namespace headlight
