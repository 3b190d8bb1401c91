#include "core/mask/mask_rule.h"

#include <algorithm>

#include "core/tensor/error.h"

namespace headlight {
namespace {

struct Range {
  Index first, end;
};

// The entries of an axis that a painted index means: one, all where it is −1, none where it lies outside.
Range painted_range(Index index, Index size) {
  if (index < 0) return {0, size};
  return index < size ? Range{index, index + 1} : Range{0, 0};
}

// `mask` with the painted cells over it; [B, H, n_q, n_k], with 1 for B or H where neither tells them apart.
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
auto saying_where(std::string_view text, Use use) {
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

MaskExpression parse_mask(std::string_view text, std::string_view file_definition) {
  return saying_where(text, [&] { return MaskExpression::parse(text, file_definition); });
}

Tensor build_mask(const MaskRule& rule, std::stop_token stop, int threads) {
  MaskContext context = context_of(rule);
  context.stop = std::move(stop);
  context.threads = threads;
  Tensor mask =
      saying_where(rule.expression.text(), [&] { return evaluate_where_it_differs(rule.expression, context); });
  if (rule.paints_over()) mask = paint(mask, rule);
  return mask.expand({rule.batch, rule.heads, rule.n_q, rule.n_k});
}

std::shared_ptr<const ReadableMask> readable_mask(const MaskRule& rule) {
  if (rule.paints_over()) return nullptr;
  auto readable = std::make_shared<ReadableMask>(ReadableMask{rule.expression, context_of(rule)});
  // Says now what it would say later.
  saying_where(rule.expression.text(), [&] { return MaskReader(readable->expression, readable->context); });
  return readable;
}

}  // namespace headlight
