#include "core/compute/training/ceiling.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "core/compute/training/shape.h"

namespace headlight {
namespace {

/// [n · n]: whether position q sees position k after all layers: itself, and what any head of a layer lets through
/// from a position that sees it.
std::vector<char> reach_of(const NetworkShape& shape, Index n) {
  const std::vector<float> cells = mask_cells(shape, n);
  const auto size = static_cast<std::size_t>(n * n);
  std::vector<char> once(size, cells.empty() ? 1 : 0);
  for (std::size_t i = 0; i < cells.size(); ++i) once[i % size] = once[i % size] != 0 || cells[i] != 0 ? 1 : 0;
  for (Index i = 0; i < n; ++i) once[static_cast<std::size_t>(i * n + i)] = 1;
  std::vector<char> reach = once;
  for (Index layer = 1; layer < shape.layers; ++layer) {
    std::vector<char> further(size, 0);
    for (Index q = 0; q < n; ++q) {
      for (Index between = 0; between < n; ++between) {
        if (once[static_cast<std::size_t>(q * n + between)] == 0) continue;
        for (Index k = 0; k < n; ++k) {
          char& cell = further[static_cast<std::size_t>(q * n + k)];
          cell = cell != 0 || reach[static_cast<std::size_t>(between * n + k)] != 0 ? 1 : 0;
        }
      }
    }
    reach = std::move(further);
  }
  return reach;
}

/// Whether the network treats all places alike, so that it sees a bag of tokens: no positions, and full().
bool sees_a_bag(const NetworkShape& shape, Index n) {
  return shape.positions == TrainedPositions::none && shape.rope == Rope::none && !shape.alibi &&
         mask_cells(shape, n).empty();
}

}  // namespace

std::optional<Ceiling> training_ceiling(const TrainingSettings& settings, const TrainingData& data) {
  const TrainingTask* const task = data.task();
  if (!task) return {};
  const Index n = data.length();
  const NetworkShape shape = shape_of(settings, data.vocabulary(), n);
  const std::vector<char> reach = reach_of(shape, n);
  const bool bag = sees_a_bag(shape, n);
  Sampler sampler(0, "ceiling");
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(n)), targets(tokens);
  double sum = 0;
  Index asked = 0, hidden = 0;
  constexpr int drawn = 4000;
  for (int i = 0; i < drawn; ++i) {
    task->draw(sampler, task->letters, tokens);
    task->answer(task->letters, tokens, targets);
    for (Index at = 0; at < n; ++at) {
      if (targets[static_cast<std::size_t>(at)] < 0) continue;
      const auto visible = std::span(reach).subspan(static_cast<std::size_t>(at * n), static_cast<std::size_t>(n));
      const double best = task->best({tokens, visible, at, task->letters, !bag});
      sum += best;
      ++asked;
      hidden += best < 1 - 1e-9 ? 1 : 0;
    }
  }
  Ceiling ceiling;
  ceiling.accuracy = sum / static_cast<double>(std::max<Index>(asked, 1));
  const std::string percent = formatted("%.0f %%", 100 * ceiling.accuracy);
  if (hidden == 0) ceiling.reason = "everything that an answer needs is visible";
  else if (bag)
    ceiling.reason = {"without positions a network sees which letters there are, but not where: {0} at most", percent};
  else
    ceiling.reason = {"under {0} {1} of the answers cannot be seen: {2} at most", settings.mask,
                      formatted("%.0f %%", 100 * static_cast<double>(hidden) / static_cast<double>(asked)), percent};
  return ceiling;
}

}  // namespace headlight
