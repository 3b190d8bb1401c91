// A mask expression compiled to instructions on registers; each register holds a row of keys.
//
// Values that do not depend on k are single numbers, values that do not depend on q are computed once per head, and so
// on: each instruction has the innermost of the loops b, h, q in which its value changes.
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "core/mask/ast.h"

namespace headlight::mask {

/// The loops around a row, outermost first.
enum class Loop : std::uint8_t { none, batch, head, row };

struct Instruction {
  Op op;
  int out;                ///< index of a register, like the inputs and the guard
  std::array<int, 5> in;  ///< −1 where unused
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

}  // namespace headlight::mask
