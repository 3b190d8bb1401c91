#include "core/rules/mask/painting.h"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

namespace headlight {
namespace {

/// Neighbouring cells of a row that are painted alike.
struct Run {
  Index key, end;
  bool attend;
  auto operator<=>(const Run&) const = default;
};
using Row = std::vector<Run>;  ///< from left to right, with gaps between runs that are painted alike
using Rows = std::map<Index, Row>;

/// A rectangle without its batch entry and head.
using Rectangle = std::tuple<Index, Index, bool, Index, Index>;  // the fields of PaintedCells from `query` on

bool everywhere(const PaintedCells& cells) { return cells.batch < 0 && cells.head < 0; }

/// The cells cut to n_q × n_k; no rows or no keys if they are outside.
PaintedCells cut(PaintedCells cells, const PaintSizes& sizes) {
  cells.queries = cells.query < 0 || cells.query >= sizes.n_q ? 0 : std::min(cells.queries, sizes.n_q - cells.query);
  cells.keys = cells.key < 0 || cells.key >= sizes.n_k ? 0 : std::min(cells.keys, sizes.n_k - cells.key);
  return cells;
}

void paint_row(Row& row, const Run& stroke, Paint paint) {
  Row left;
  for (const Run& run : row) {
    if (run.key < stroke.key) left.push_back({run.key, std::min(run.end, stroke.key), run.attend});
    if (run.end > stroke.end) left.push_back({std::max(run.key, stroke.end), run.end, run.attend});
  }
  if (paint != Paint::give_back) left.push_back({stroke.key, stroke.end, paint == Paint::allow});
  std::ranges::sort(left);
  row.clear();
  for (const Run& run : left) {
    const bool continues = !row.empty() && row.back().end == run.key && row.back().attend == run.attend;
    if (continues) row.back().end = run.end;
    else row.push_back(run);
  }
}

void paint_rows(Rows& rows, const PaintedCells& area, Paint paint) {
  if (area.keys == 0) return;
  for (Index query = area.query; query < area.query + area.queries; ++query) {
    paint_row(rows[query], {area.key, area.key + area.keys, false}, paint);
  }
}

/// Joins equal runs of neighbouring rows to rectangles.
std::vector<Rectangle> rectangles(const Rows& rows) {
  std::vector<Rectangle> result;
  std::map<Run, Index> open;  // the first query of each run
  Index last = -1;
  const auto close = [&](const Run& run, Index begin) {
    result.emplace_back(begin, run.key, run.attend, last + 1 - begin, run.end - run.key);
  };
  for (const auto& [query, row] : rows) {
    std::map<Run, Index> next;
    for (const Run& run : row) {
      const auto above = query == last + 1 ? open.find(run) : open.end();
      next.emplace(run, above == open.end() ? query : above->second);
      if (above != open.end()) open.erase(above);
    }
    for (const auto& [run, begin] : open) close(run, begin);
    open = std::move(next);
    last = query;
  }
  for (const auto& [run, begin] : open) close(run, begin);
  return result;
}

/// Adds the matrices that have a rectangle, with as few entries as possible: all, one head of all batch entries, all
/// heads of one entry, or one matrix.
void add_scopes(const Rectangle& rectangle, const std::vector<bool>& present, const PaintSizes& sizes,
                std::vector<PaintedCells>& result) {
  const auto present_at = [&](Index b, Index h) { return present[static_cast<std::size_t>(b * sizes.heads + h)]; };
  const auto add = [&](Index batch, Index head) {
    const auto& [query, key, attend, queries, keys] = rectangle;
    result.push_back({batch, head, query, key, attend, queries, keys});
  };
  if (std::ranges::find(present, false) == present.end()) return add(-1, -1);
  std::vector<bool> in_all_entries(static_cast<std::size_t>(sizes.heads), true);
  for (Index h = 0; h < sizes.heads; ++h) {
    const auto at = static_cast<std::size_t>(h);
    for (Index b = 0; b < sizes.batch; ++b) in_all_entries[at] = in_all_entries[at] && present_at(b, h);
    if (in_all_entries[at]) add(-1, h);
  }
  for (Index b = 0; b < sizes.batch; ++b) {
    Index count = 0;
    for (Index h = 0; h < sizes.heads; ++h) count += present_at(b, h) ? 1 : 0;
    if (count == sizes.heads) {
      add(b, -1);
      continue;
    }
    for (Index h = 0; h < sizes.heads; ++h) {
      if (present_at(b, h) && !in_all_entries[static_cast<std::size_t>(h)]) add(b, h);
    }
  }
}

/// Joins the painted cells of all matrices.
std::vector<PaintedCells> joined(const std::vector<Rows>& matrices, const PaintSizes& sizes) {
  std::map<Rectangle, std::vector<bool>> where;
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    for (const Rectangle& rectangle : rectangles(matrices[m])) {
      std::vector<bool>& present = where[rectangle];
      present.resize(matrices.size());
      present[m] = true;
    }
  }
  std::vector<PaintedCells> result;
  for (const auto& [rectangle, present] : where) add_scopes(rectangle, present, sizes, result);
  std::ranges::sort(result, {}, [](const PaintedCells& c) { return std::tuple(c.batch, c.head, c.query, c.key); });
  return result;
}

}  // namespace

std::vector<PaintedCells> painted_over(const std::vector<PaintedCells>& painted, const PaintedCells& area, Paint paint,
                                       const PaintSizes& sizes) {
  const bool alike = everywhere(area) && std::ranges::all_of(painted, everywhere);
  std::vector<Rows> matrices(alike ? 1 : static_cast<std::size_t>(sizes.batch * sizes.heads));
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    const Index batch = static_cast<Index>(m) / sizes.heads, head = static_cast<Index>(m) % sizes.heads;
    for (const PaintedCells& cells : painted) {
      if (lies_in(cells, batch, head))
        paint_rows(matrices[m], cut(cells, sizes), cells.attend ? Paint::allow : Paint::forbid);
    }
    if (lies_in(area, batch, head)) paint_rows(matrices[m], cut(area, sizes), paint);
  }
  return joined(matrices, sizes);
}

std::vector<PaintedCells> tidied(const std::vector<PaintedCells>& painted, const PaintSizes& sizes) {
  return painted_over(painted, {-1, -1, 0, 0, false, 0, 0}, Paint::give_back, sizes);
}

PaintedCount painted_count(const std::vector<PaintedCells>& painted, Index batch, Index head, const PaintSizes& sizes) {
  PaintedCount count;
  for (const PaintedCells& cells : tidied(painted, sizes)) {
    if (lies_in(cells, batch, head)) (cells.attend ? count.allowed : count.forbidden) += cells.queries * cells.keys;
  }
  return count;
}

}  // namespace headlight
