#include "ui/pipeline/layout.h"

#include <algorithm>
#include <array>

#include "ui/pipeline/folding.h"

namespace headlight {
namespace {

// Points at type 1.
constexpr float margin = 12;
constexpr float row_words = 20;  // above the first and the last row, for what its arrows do
constexpr float row_gap = 32;    // between the rows of the right block
constexpr float name_pitch = 14,
                around_rows = 76;  // of a row with a name, and of what a card has over and under its rows

struct Placer {
  const Trace& trace;
  const LayoutWish& wish;
  PipelineLayout& layout;

  void place(const Group& group, Rect rect) {
    if (group.empty()) return;
    const bool alone = group.size() == 1;
    const Stage shown = alone ? group.front() : wish.in_front ? wish.in_front(group) : group.back();
    layout.slots.push_back({shown, rect, alone ? Group() : group});
  }

  /// A column's card of each lane. In self-attention one card, in the middle lane, feeds all three: X stands alone in
  /// its column, as high as its words want.
  void column(const Column& column, const std::array<Rect, 3>& lanes, float x, float width, float t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Group& group = column.lanes[i];
      if (group.empty()) continue;
      const bool is_x = group.front() <= Stage::value && trace.inputs.self_attention();
      const bool packed = wish.packed && is_parameter(group.front()) && group.size() == 1;
      if ((is_x && i != 1) || (packed && i != 0)) continue;
      const float wanted = is_x ? (wish.name_rows * name_pitch + around_rows) * t : 0;
      const bool fits = wanted <= lanes[2].max.y - lanes[0].min.y;
      const float grown = fits ? std::max(wanted - lanes[i].height(), 0.0f) / 2 : 0;
      place(group, {{x, lanes[i].min.y - grown}, {x + width, (packed ? lanes[2].max.y : lanes[i].max.y) + grown}});
    }
  }

  /// Cards side by side over the whole width; those in `wide` take more of what is left.
  void row(const Row& row, Rect area) {
    const auto share = [](const Group& group) {
      return is_parameter(group.front()) ? 0.5f : group.front() == Stage::weights ? 3.0f : 1.0f;
    };
    float shares = 0;
    for (const Group& group : row.groups) shares += share(group);
    const float free = std::max(area.width() - row.width(), 0.0f);
    float x = area.min.x;
    for (std::size_t i = 0; i < row.groups.size(); ++i) {
      float width = row.least[i] + free * share(row.groups[i]) / shares;
      if (i + 1 == row.groups.size()) width = area.max.x - x;
      place(row.groups[i], {{x, area.min.y}, {x + width, area.max.y}});
      x += width + row.gap + (i == 0 ? row.extra : 0);
    }
  }
};

}  // namespace

int cards_behind(const Trace& trace, Stage stage) {
  if (!has_head_axis(stage) || trace.dims().heads < 2) return 0;
  if (info(stage).rows == Axis::query && info(stage).cols == Axis::key) return 0;
  return static_cast<int>(std::min<Index>(is_per_kv_head(stage) ? trace.dims().kv_heads : trace.dims().heads, 4)) - 1;
}

const Rect* PipelineLayout::find(Stage stage) const {
  for (const Slot& slot : slots) {
    if (slot.stage == stage) return &slot.card;
  }
  return nullptr;
}

const Rect* PipelineLayout::place_of(Stage stage) const {
  for (const Slot& slot : slots) {
    if (slot.stage == stage || std::ranges::find(slot.folded, stage) != slot.folded.end()) return &slot.card;
  }
  return nullptr;
}

float canvas_type(const LayoutWish& wish) {
  return std::clamp(std::min(wish.size.x / (1080 * wish.u), wish.size.y / (780 * wish.u)), 1.0f, 2.2f);
}

PipelineLayout lay_out_pipeline(const Trace& trace, const LayoutWish& wish) {
  PipelineLayout layout;
  const ImVec2 size = wish.size;
  layout.type = canvas_type(wish);
  const float t = wish.u * layout.type, edge = margin * t;
  const Ruler ruler{trace, wish, t};
  if (wish.foot > 0) layout.foot = {{edge, size.y - edge - wish.foot}, {size.x - edge, size.y - edge}};
  if (wish.note > 0) layout.note = {{edge, edge}, {size.x - edge, edge + wish.note}};

  const float room = size.x - 2 * edge;
  // As little is folded as can be, but as much as lets the names in the first card be whole.
  const float for_names = trace.has(Stage::scores) ? std::min(ruler.for_names(), room * 0.2f) : 0;
  const FoldedPipeline folded = fold_to_width(ruler, room - for_names);
  const std::vector<Column>& columns = folded.columns;
  const std::array<Row, 3>& rows = folded.rows;
  const float top = edge + wish.note + row_words * t;
  const float bottom = size.y - edge - (wish.foot > 0 ? wish.foot + edge : 0);
  const float lane =
      (bottom - top) * (size.y < 720 * t ? 0.24f : 0.258f);  // where height is dear, what is read before what is seen
  const float between = ((bottom - top) - 3 * lane) / 2;
  std::array<Rect, 3> lanes;
  for (std::size_t i = 0; i < 3; ++i) {
    const float y = top + static_cast<float>(i) * (lane + between);
    lanes[i] = {{0, y}, {size.x, y + lane}};
  }

  // What is left over goes to all, most of it to the scores.
  float free = std::max(room - folded.left_width() - folded.right_width(), 0.0f);
  const float names = std::min(std::max(for_names, std::min(wish.names, for_names + free * 0.3f)), free);
  free -= names;
  float left_shares = 0;
  for (const Column& column : columns) left_shares += column.share;
  const float right_share = 1.25f * static_cast<float>(std::max(rows[0].groups.size(), std::size_t{3}));
  const float unit = free / (left_shares + right_share);
  Placer placer{trace, wish, layout};
  float x = edge;
  for (const Column& column : columns) {
    const float width = column.least + column.share * unit + (&column == &columns.front() ? names : 0);
    placer.column(column, lanes, x, width, t);
    x += width + column.gap;
  }
  const float right = size.x - edge, words = row_words * t;
  if (!trace.has(Stage::scores)) {
    placer.place({Stage::weights}, {{x, top}, {right, bottom}});
    return layout;
  }
  placer.row(rows[0], {{x, lanes[0].min.y}, {right, lanes[0].max.y}});
  // The middle takes what the outer lanes leave, less room for the arrows and for what is said above the last row.
  placer.row(rows[1], {{x, lanes[0].max.y + row_gap * t}, {right, lanes[2].min.y - row_gap * t - words * 0.5f}});
  placer.row(rows[2], {{x, lanes[2].min.y + words * 0.5f}, {right, lanes[2].max.y}});
  return layout;
}

}  // namespace headlight
