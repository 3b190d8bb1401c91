// A mask expression as a list of instructions over registers that hold a row of keys each.
//
// What does not depend on k is a single value, what does not depend on q is computed once a head, and so on: each
// instruction carries the innermost of the loops b, h, q in which its value can change.
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
  int out;                ///< register, as are the inputs and the guard
  std::array<int, 5> in;  ///< −1 where unused
  int guard;  ///< for what can fail: a condition, only where it holds does a failure count; −1: everywhere
  const Node* node;
};

/// A row of keys, or one value for all keys. Conditions are 0 or 1.
struct Register {
  bool condition = false;
  bool wide = false;  ///< one value a key
  Loop loop = Loop::none;
  std::vector<double> numbers;
  std::vector<std::uint8_t> truths;
};

/// Which of b, h, q, k a variable really depends on, Depends bits; for a mask from a file that is its shape's matter.
using VariableDepends = std::array<std::uint8_t, variable_count>;

struct Program {
  std::vector<Register> registers;
  std::array<std::vector<Instruction>, 4> instructions;  ///< by Loop, each in the order of computation
  int result = 0;
  std::uint8_t depends = 0;  ///< Depends bits of the result
};

Program compile(const Node& root, const VariableDepends& depends);

}  // namespace headlight::mask
