#include "core/compute/network/attention_flow.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

/// Maximum flow by Dinic's algorithm (1970). Capacities are real numbers: a rest below `nothing` counts as 0.
class FlowGraph {
 public:
  explicit FlowGraph(std::size_t nodes) : edges_(nodes) {}

  void connect(std::size_t from, std::size_t to, double capacity) {
    edges_[from].push_back({to, edges_[to].size(), capacity, capacity});
    edges_[to].push_back({from, edges_[from].size() - 1, 0, 0});
  }

  double largest(std::size_t source, std::size_t sink) {
    for (auto& out : edges_) {
      for (Edge& edge : out) edge.remaining = edge.capacity;
    }
    double total = 0;
    while (find_levels(source, sink)) {
      next_.assign(edges_.size(), 0);
      while (true) {
        const double pushed = push(source, sink, std::numeric_limits<double>::infinity());
        if (pushed < nothing) break;
        total += pushed;
      }
    }
    return total;
  }

 private:
  static constexpr double nothing = 1e-9;
  struct Edge {
    std::size_t to, back;
    double capacity, remaining;
  };

  bool find_levels(std::size_t source, std::size_t sink) {
    levels_.assign(edges_.size(), -1);
    levels_[source] = 0;
    std::queue<std::size_t> queue({source});
    while (!queue.empty()) {
      const std::size_t at = queue.front();
      queue.pop();
      for (const Edge& edge : edges_[at]) {
        if (edge.remaining < nothing || levels_[edge.to] >= 0) continue;
        levels_[edge.to] = levels_[at] + 1;
        queue.push(edge.to);
      }
    }
    return levels_[sink] >= 0;
  }

  double push(std::size_t at, std::size_t sink, double limit) {
    if (at == sink) return limit;
    for (std::size_t& i = next_[at]; i < edges_[at].size(); ++i) {
      Edge& edge = edges_[at][i];
      if (edge.remaining < nothing || levels_[edge.to] != levels_[at] + 1) continue;
      const double pushed = push(edge.to, sink, std::min(limit, edge.remaining));
      if (pushed < nothing) continue;
      edge.remaining -= pushed;
      edges_[edge.to][edge.back].remaining += pushed;
      return pushed;
    }
    return 0;
  }

  std::vector<std::vector<Edge>> edges_;
  std::vector<int> levels_;
  std::vector<std::size_t> next_;
};

}  // namespace

Tensor with_residual(const Tensor& weights) {
  const MatrixView m = weights.matrix();
  assert(m.rows == m.cols);
  Buffer cells;
  for (Index q = 0; q < m.rows; ++q) {
    const auto half_of_each = [&](Index k) { return 0.5 * static_cast<double>(m(q, k)) + (q == k ? 0.5 : 0); };
    double sum = 0;
    for (Index k = 0; k < m.cols; ++k) sum += half_of_each(k);
    for (Index k = 0; k < m.cols; ++k) cells.push_back(static_cast<float>(half_of_each(k) / sum));
  }
  return {{m.rows, m.cols}, std::move(cells)};
}

bool leaves_one(const Tensor& weights) {
  const MatrixView m = weights.matrix();
  for (Index q = 0; q < m.rows; ++q) {
    double sum = 0;
    for (Index k = 0; k < m.cols; ++k) sum += static_cast<double>(m(q, k));
    if (std::abs(sum - 1) > 0.02) return true;
  }
  return false;
}

Tensor attention_rollout(std::span<const Tensor> layers, std::stop_token stop) {
  Tensor joint = with_residual(layers.front());
  const Index n = joint.size(0);
  for (const Tensor& layer : layers.subspan(1)) {
    const Tensor step = with_residual(layer);
    const MatrixView a = step.matrix(), b = joint.matrix();
    Buffer product(static_cast<std::size_t>(n * n), 0);
    std::vector<double> row(static_cast<std::size_t>(n));
    for (Index q = 0; q < n; ++q) {
      if (stop.stop_requested()) throw Cancelled();
      breathe();
      std::fill(row.begin(), row.end(), 0);
      for (Index m = 0; m < n; ++m) {
        const auto share = static_cast<double>(a(q, m));
        if (share == 0) continue;
        for (Index k = 0; k < n; ++k) row[static_cast<std::size_t>(k)] += share * static_cast<double>(b(m, k));
      }
      for (Index k = 0; k < n; ++k)
        product[static_cast<std::size_t>(q * n + k)] = static_cast<float>(row[static_cast<std::size_t>(k)]);
    }
    joint = Tensor({n, n}, std::move(product));
  }
  return joint;
}

Tensor attention_flow(std::span<const Tensor> layers, Index query, std::stop_token stop) {
  const Index n = layers.front().size(0);
  const auto node = [n](std::size_t level, Index token) {
    return level * static_cast<std::size_t>(n) + static_cast<std::size_t>(token);
  };
  FlowGraph graph((layers.size() + 1) * static_cast<std::size_t>(n));
  for (std::size_t level = 1; level <= layers.size(); ++level) {
    const Tensor step = with_residual(layers[level - 1]);
    for (Index q = 0; q < n; ++q) {
      for (Index k = 0; k < n; ++k) {
        const auto capacity = static_cast<double>(step.matrix()(q, k));
        if (capacity > 0) graph.connect(node(level, q), node(level - 1, k), capacity);
      }
    }
  }
  Buffer flows;
  for (Index k = 0; k < n; ++k) {
    if (stop.stop_requested()) throw Cancelled();
    flows.push_back(static_cast<float>(graph.largest(node(layers.size(), query), node(0, k))));
    breathe();
  }
  return {{n}, std::move(flows)};
}

}  // namespace headlight
