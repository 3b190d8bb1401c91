#include "core/rules/mask/mask_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/tensor/error.h"
#include "core/rules/mask/ast.h"
#include "core/rules/mask/operations.h"

namespace headlight {
namespace {

struct Range {
  Index first, end;
};

// The entries of an axis that a painted index selects: one; all for −1; none if it is out of range.
Range painted_range(Index index, Index size) {
  if (index < 0) return {0, size};
  return index < size ? Range{index, index + 1} : Range{0, 0};
}

// `mask` with the painted cells in place; [B, H, n_q, n_k], with 1 for B or H if all entries or heads are the same.
Tensor paint(const Tensor& mask, const MaskRule& rule) {
  const auto names = [&](Index PaintedCells::*axis) {
    return std::ranges::any_of(rule.painted, [axis](const PaintedCells& cells) { return cells.*axis >= 0; });
  };
  const Shape shape{names(&PaintedCells::batch) ? rule.batch : mask.size(0),
                    names(&PaintedCells::head) ? rule.heads : mask.size(1), rule.n_q, rule.n_k};
  const Tensor base = mask.expand(shape).contiguous();
  Buffer values(base.values().begin(), base.values().end());
  for (const PaintedCells& cells : rule.painted) {
    if (cells.query >= rule.n_q || cells.key >= rule.n_k) continue;
    const Range batch = painted_range(cells.batch, shape[0]), head = painted_range(cells.head, shape[1]);
    const Index rows = std::min(cells.queries, rule.n_q - cells.query),
                cols = std::min(cells.keys, rule.n_k - cells.key);
    for (Index b = batch.first; b < batch.end; ++b) {
      for (Index h = head.first; h < head.end; ++h) {
        const Index corner = ((b * shape[1] + h) * rule.n_q + cells.query) * rule.n_k + cells.key;
        for (Index row = 0; row < rows; ++row) {
          std::fill_n(values.begin() + corner + row * rule.n_k, cols, cells.attend ? 1.0F : 0.0F);
        }
      }
    }
  }
  return Tensor(shape, std::move(values));
}

template <typename Use>
auto with_error_place(std::string_view text, Use use) {
  try {
    return use();
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.position(), Message("{0} {1}", error.sentence(), mark_at(text, error.position())));
  }
}

MaskContext context_of(const MaskRule& rule) {
  const Tensor nothing = Tensor::full({1, 1, 1, 1}, 0);
  return {.batch = rule.batch,
          .heads = rule.heads,
          .n_q = rule.n_q,
          .n_k = rule.n_k,
          .valid_lens = rule.valid_lens,
          .file_mask = rule.file_mask,
          .painted = rule.expression.calls("painted") ? paint(nothing, rule) : nothing,
          .doc_ids = rule.doc_ids,
          .grid = rule.grid};
}

}  // namespace

MaskExpression parse_mask(std::string_view text, const MaskExpression* file_mask) {
  return with_error_place(text, [&] { return MaskExpression::parse(text, file_mask); });
}

namespace {

/// The file's mask itself, if the expression is nothing else, and if it has 0 and 1 in its cells; else undefined.
Tensor cells_of_file(const MaskRule& rule) {
  const Shape whole{rule.batch, rule.heads, rule.n_q, rule.n_k};
  const mask::Node* node = &rule.expression.root();
  while (node->op == mask::Op::pattern) node = node->body.get();
  const bool alone = node->op == mask::Op::variable && node->variable == mask::Variable::file_mask;
  const Tensor& file = rule.file_mask;
  if (!alone || !file.defined() || !broadcastable(file.shape(), whole)) return {};
  Shape shape = file.shape();
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  shape[3] = rule.n_k;
  const Tensor cells = file.expand(shape).contiguous();
  const bool plain = std::ranges::all_of(cells.values(), [](float cell) { return cell == 0 || cell == 1; });
  return plain ? cells : Tensor();
}

}  // namespace

Tensor build_mask(const MaskRule& rule, std::stop_token stop, int threads) {
  MaskContext context = context_of(rule);
  context.stop = std::move(stop);
  context.threads = threads;
  Tensor mask = cells_of_file(rule);
  if (!mask.defined())
    mask =
        with_error_place(rule.expression.text(), [&] { return evaluate_where_it_differs(rule.expression, context); });
  if (rule.paints_over()) mask = paint(mask, rule);
  return mask.expand({rule.batch, rule.heads, rule.n_q, rule.n_k});
}

std::shared_ptr<const ReadableMask> readable_mask(const MaskRule& rule) {
  if (rule.paints_over()) return nullptr;
  auto readable = std::make_shared<ReadableMask>(ReadableMask{rule.expression, context_of(rule)});
  // Throws an error now that reading would throw later.
  with_error_place(rule.expression.text(), [&] { return MaskReader(readable->expression, readable->context); });
  return readable;
}

namespace {

using namespace mask;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The range of values that an expression can have; for a condition 0, 1 or both.
struct Interval {
  double lo, hi;
  bool one() const { return lo == hi; }
};
constexpr Interval anything{-infinity, infinity}, either{0, 1}, yes{1, 1}, no{0, 0};

Interval hull(std::initializer_list<double> values) {
  for (const double v : values) {
    if (std::isnan(v)) return anything;
  }
  return {std::min(values), std::max(values)};
}

Interval truth(bool certainly, bool certainly_not) { return certainly ? yes : certainly_not ? no : either; }

class Evaluator {
 public:
  Evaluator(const MaskContext& context, Index b, Index h, Interval q, Interval k)
      : context_(context), b_(b), h_(h), q_(q), k_(k) {}

  Interval value(const Node& node) const {
    if (node.constant) return {*node.constant, *node.constant};
    switch (node.op) {
      case Op::variable: return variable(node.variable);
      case Op::pattern: return value(*node.body);
      case Op::argument: return value(*node.operands[0]);
      case Op::hash: return {0, 4294967295.0};
      case Op::drawn: return either;
      case Op::choose: {
        const Interval condition = value(*node.operands[0]);
        if (condition.one()) return value(*node.operands[condition.lo != 0 ? 1 : 2]);
        const Interval a = value(*node.operands[1]), c = value(*node.operands[2]);
        return {std::min(a.lo, c.lo), std::max(a.hi, c.hi)};
      }
      case Op::logical_and: {
        const Interval a = value(*node.operands[0]);
        return a.hi == 0 ? no : of_two(Op::minimum, a, value(*node.operands[1]));
      }
      case Op::member: {
        const Interval left = value(*node.operands[0]);
        Interval any = no;
        for (std::size_t i = 1; i < node.operands.size() && any.lo == 0; ++i) {
          any = of_two(Op::maximum, any, of_two(Op::equal, left, value(*node.operands[i])));
        }
        return any;
      }
      case Op::logical_or: {
        const Interval a = value(*node.operands[0]);
        return a.lo != 0 ? yes : of_two(Op::maximum, a, value(*node.operands[1]));
      }
      default: break;
    }
    const Interval a = value(*node.operands[0]);
    switch (node.op) {
      case Op::logical_not: return {1 - a.hi, 1 - a.lo};
      case Op::negate:
      case Op::floor: return with_function_of_one(node.op, [&](auto f) { return hull({f(a.lo), f(a.hi)}); });
      case Op::absolute: return a.lo >= 0 ? a : a.hi <= 0 ? Interval{-a.hi, -a.lo} : Interval{0, std::max(-a.lo, a.hi)};
      default: return of_two(node.op, a, value(*node.operands[1]));
    }
  }

 private:
  /// Most operations rise or fall steadily in each operand, so that their least and largest values are at the ends.
  static Interval at_ends(Op op, Interval a, Interval b) {
    const auto ends = [&](auto f) {
      const auto at = [&](double x, double y) { return static_cast<double>(f(x, y)); };
      return hull({at(a.lo, b.lo), at(a.lo, b.hi), at(a.hi, b.lo), at(a.hi, b.hi)});
    };
    return is_comparison(op) ? with_comparison(op, ends) : with_function_of_two(op, ends);
  }

  static Interval of_two(Op op, Interval a, Interval b) {
    const bool apart = a.hi < b.lo || a.lo > b.hi, same = a.one() && b.one() && a.lo == b.lo;
    if (op == Op::equal) return truth(same, apart);
    if (op == Op::not_equal) return truth(apart, same);
    if (op == Op::divide && b.lo <= 0 && b.hi >= 0) return anything;
    if (op == Op::modulo) {
      if (!(b.lo > 0)) return anything;
      const double first = std::floor(a.lo / b.lo);
      if (b.one() && first == std::floor(a.hi / b.lo)) return hull({a.lo - first * b.lo, a.hi - first * b.lo});
      return {0, b.hi};
    }
    return is_comparison(op) || is_of_two_numbers(op) ? at_ends(op, a, b) : anything;
  }

  static Interval exactly(Index x) { return {static_cast<double>(x), static_cast<double>(x)}; }

  Interval variable(Variable which) const {
    switch (which) {
      case Variable::q: return q_;
      case Variable::k: return k_;
      case Variable::b: return exactly(b_);
      case Variable::h: return exactly(h_);
      case Variable::n_q: return exactly(context_.n_q);
      case Variable::n_k: return exactly(context_.n_k);
      case Variable::valid_len: return in_row(context_.valid_lens, b_, q_);
      case Variable::file_mask:
      case Variable::painted_mask: return either;
      case Variable::doc_q: return documents(q_);
      case Variable::doc_k: return documents(k_);
      case Variable::place_q:
      case Variable::place_k: return {0, infinity};
      case Variable::grid_rows: return exactly(context_.grid.rows);
      case Variable::grid_columns: return exactly(context_.grid.columns);
      case Variable::first_patch: return exactly(context_.grid.first);
    }
    return anything;
  }

  /// The numbers of a tensor [rows] in this row, or of a tensor [rows, n] at these positions of it.
  static Interval in_row(const Tensor& table, Index row, Interval positions) {
    if (!table.defined()) return anything;
    const bool one = table.rank() == 1;
    Interval all{infinity, -infinity};
    for (auto i = static_cast<Index>(positions.lo); i <= static_cast<Index>(one ? positions.lo : positions.hi); ++i) {
      const auto number = static_cast<double>(one ? table.at({row}) : table.at({row, i}));
      all = {std::min(all.lo, number), std::max(all.hi, number)};
    }
    return all;
  }

  Interval documents(Interval tokens) const {
    const Tensor& ids = context_.doc_ids;
    return in_row(ids, ids.defined() && ids.size(0) > 1 ? b_ : 0, tokens);
  }

  const MaskContext& context_;
  Index b_, h_;
  Interval q_, k_;
};

}  // namespace

BlockVerdict block_verdict(const MaskExpression& expression, const MaskContext& context, Index b, Index h, Index q0,
                           Index q1, Index k0, Index k1) {
  const Interval q{static_cast<double>(q0), static_cast<double>(q1 - 1)},
      k{static_cast<double>(k0), static_cast<double>(k1 - 1)};
  const Interval result = Evaluator(context, b, h, q, k).value(expression.root());
  if (!(result.hi > 0)) return BlockVerdict::none;
  return result.lo >= 1 ? BlockVerdict::all : BlockVerdict::unknown;
}

}  // namespace headlight
