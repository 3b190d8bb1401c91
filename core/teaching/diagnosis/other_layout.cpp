#include "core/teaching/diagnosis/other_layout.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/teaching/diagnosis/mistakes.h"

namespace headlight {
namespace {

/// What the axes of a stage are called in Python.
std::vector<std::string> axis_names(const StageInfo& stage, std::size_t rank) {
  const bool scores = stage.cols == Axis::key;
  std::vector<std::string> names{"B", "H", scores ? "n_q" : "n", scores ? "n_k" : "d_head"};
  if (rank == 3) names = {"B", "n", "d_model"};
  return names;
}

/// `tensor` with its axes in another order: axis order[i] as axis i.
Tensor permuted(Tensor tensor, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> now(order.size());
  std::iota(now.begin(), now.end(), std::size_t{0});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(std::ranges::find(now, order[i]) - now.begin());
    tensor = tensor.transpose(static_cast<Index>(i), static_cast<Index>(from));
    std::swap(now[i], now[from]);
  }
  return tensor.contiguous();
}

/// "[B, n, H, d_head]" where the stage is saved with its axes in this order, and right; else "". Axes of size 1 do not
/// count.
std::string other_order(const OwnStage& mine, const Tensor& right) {
  const auto squeezed = [](const Tensor& x) { return x.contiguous().view(without_ones(x.shape())); };
  const Tensor stored = squeezed(mine.values), whole = squeezed(right);
  if (stored.rank() != whole.rank() || whole.rank() < 2) return "";
  const std::vector<std::string> all = axis_names(info(mine.stage), right.shape().size());
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < right.shape().size(); ++axis) {
    if (right.shape()[axis] != 1) names.push_back(all[axis]);
  }
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::ranges::next_permutation(order).found) {
    const auto fits = [&, i = std::size_t{0}](Index size) mutable { return size == whole.shape()[order[i++]]; };
    if (!std::ranges::all_of(stored.shape(), fits) || !all_agree(stored, permuted(whole, order), mine.slack)) continue;
    std::string text;
    for (const std::size_t axis : order) text += (text.empty() ? "[" : ", ") + names[axis];
    return text + "]";
  }
  return "";
}

/// Whether it is the stage in the same order with its axes joined or cut: [B · n, d], [B, G, H / G, n, n], Q as
/// [B, n, H, d_head], heads as [B, n, H · d_head].
bool cut_otherwise(const OwnStage& mine, const Tensor& right) {
  const Tensor stored = mine.values.contiguous();
  if (stored.count() != right.count()) return false;
  const auto is = [&](const Tensor& laid) {
    return stored.shape() != laid.shape() && all_agree(stored.view(laid.shape()), laid, mine.slack);
  };
  return is(right.contiguous()) || (right.rank() == 4 && is(right.transpose(1, 2).contiguous()));
}

/// "sequence 0 of the batch", "the first 5 words", "the last word" where the stage is right and saved for these alone;
/// else "".
std::string part_saved(const Trace& run, const OwnStage& mine, const Tensor& right) {
  const Tensor stored = mine.values.contiguous();
  const Index batch = run.dims().batch;
  if (batch > 1 && right.size(0) == batch && stored.count() * batch == right.count()) {
    for (Index b = 0; b < batch; ++b) {
      const Tensor one = right.slice(0, b, 1).contiguous();
      if (all_agree(stored.view(one.shape()), one, mine.slack))
        return "sequence " + std::to_string(b) + " of the batch";
    }
  }
  if (stored.rank() != right.rank() || right.rank() < 3) return "";
  const Index axis = right.rank() - 2, rows = stored.size(axis), all = right.size(axis);
  if (rows < 1 || rows >= all || stored.size(-1) > right.size(-1)) return "";
  for (const Index first : {Index{0}, all - rows}) {
    const Tensor part = right.slice(axis, first, rows).slice(axis + 1, 0, stored.size(-1)).contiguous();
    if (part.shape() != stored.shape() || !all_agree(stored, part, mine.slack)) continue;
    const std::string count = rows == 1 ? " word" : " " + std::to_string(rows) + " words";
    return std::string(first == 0 ? "the first" : "the last") + count;
  }
  return "";
}

}  // namespace

std::optional<Finding> other_layout(const Trace& run, const OwnStage& mine, bool followed) {
  const Tensor right = counterpart(run, mine.stage);
  const std::string stage(name(mine.stage));
  const bool cells = info(mine.stage).cols == Axis::key;
  if ((followed || mine.stage == Stage::output) && !(cells && mine.fits)) {
    if (const std::string order = other_order(mine, right); !order.empty())
      return nothing_changed(stage + " is saved as " + order + "; its numbers are right.");
    if (cut_otherwise(mine, right))
      return nothing_changed(stage + " is saved in the shape " + to_string(mine.values.shape()) +
                             "; its numbers are right.");
  }
  if (const std::string part = part_saved(run, mine, right); !part.empty())
    return nothing_changed(stage + " is saved for " + part + " alone; its numbers are right.");
  return {};
}

}  // namespace headlight
