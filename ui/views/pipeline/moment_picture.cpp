#include <algorithm>

#include "core/teaching/explain/explain.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/words.h"
#include "ui/parts/scene/pen.h"
#include "ui/views/pipeline/picture.h"

namespace headlight {
namespace {

using Kind = Moment::Kind;

const HeatPicture* heat_of(const PipelinePicture& picture, Stage stage) {
  for (const CardPicture& card : picture.cards) {
    for (const HeatPicture& heat : card.heats) {
      if (heat.stage == stage) return &heat;
    }
  }
  return nullptr;
}

/// Rows, or columns, [first, last) of `of`.
Rect part(const Rect& rect, Index first, Index last, Index of, bool rows) {
  const float from = static_cast<float>(first) / static_cast<float>(of),
              to = static_cast<float>(last) / static_cast<float>(of);
  if (rows) return {{rect.min.x, rect.min.y + from * rect.height()}, {rect.max.x, rect.min.y + to * rect.height()}};
  return {{rect.min.x + from * rect.width(), rect.min.y}, {rect.min.x + to * rect.width(), rect.max.y}};
}

/// Draws the numbers in the stage's place, with the stage's colour range, so that partial sums grow into it, or with
/// their own.
void put(const Frame& frame, const PipelinePicture& picture, Stage stage, Tensor values, bool own_range,
         MomentPicture& shown) {
  const HeatPicture* place = heat_of(picture, stage);
  if (!place) return;
  HeatPicture& heat = shown.heat;
  heat = *place;
  heat.row_labels.clear();
  heat.col_labels.clear();
  heat.batch = heat.head = heat.quad.batch = heat.quad.head = 0;
  heat.quad.values = std::move(values);
  heat.quad.mask = heat.quad.kept = heat.shades = Tensor();
  heat.quad.show_leaks = heat.quad.row_ranges = false;
  heat.quad.range = stage_range(*frame.trace(), stage, heat.colormap->kind());
  if (!own_range) return;
  Extent extent;
  extent.add(heat.quad.values.matrix());
  heat.quad.range = extent.range(heat.colormap->kind());
}

void show_terms(const Frame& frame, const PipelinePicture& picture, const Moment& now, MomentPicture& shown) {
  const Trace& trace = *frame.trace();
  const View& view = frame.view();
  const Index all = product_terms(trace, now.stage);
  const Index head = has_head_axis(now.stage) ? view.head : 0;
  put(frame, picture, now.stage, partial_product(trace, now.stage, view.batch, head, now.last), false, shown);
  shown.caption = frame.words.fill("player.terms", {now.last, all});
  const Operands operands = operands_of(trace, now.stage);
  const auto add = [&](Stage stage, bool rows) {
    if (const HeatPicture* heat = heat_of(picture, stage))
      shown.sources.push_back(part(heat->rect, now.first, now.last, rows ? heat->rows : heat->cols, rows));
  };
  add(shown_as(trace, operands.left), false);
  add(operands.right, operands.terms_are_rows);
}

void show_softmax(const Frame& frame, const PipelinePicture& picture, const Moment& now, MomentPicture& shown) {
  const View& view = frame.view();
  const bool shifted = now.kind == Kind::shifted;
  const Tensor step =
      softmax_step(*frame.trace(), view.batch, view.head, shifted ? SoftmaxStep::shifted : SoftmaxStep::exponentials);
  put(frame, picture, now.stage, step, true, shown);
  shown.caption = frame.words(shifted                  ? "player.shifted"
                              : now.kind == Kind::sums ? "player.sums"
                                                       : "player.exponentials");
  if (const HeatPicture* scores = heat_of(picture, Stage::masked_scores)) shown.sources.push_back(scores->rect);
  if (now.kind != Kind::sums) return;
  const MatrixView matrix = step.matrix();
  for (Index r = 0; r < matrix.rows; ++r) {
    double sum = 0;
    for (Index c = 0; c < matrix.cols; ++c) sum += static_cast<double>(matrix(r, c));
    shown.sums.push_back("Σ " + number_text(static_cast<float>(sum), 3));
  }
}

/// The columns of each head on the way from the whole matrix to the head's place in the stack, or back.
void show_travel(const Frame& frame, const PipelinePicture& picture, const Moment& now, MomentPicture& shown) {
  const Trace& trace = *frame.trace();
  const Stage source = info(now.stage).sources[0].stage;
  const bool merges = has_head_axis(source);
  const Stage whole = merges ? now.stage : source, heads = merges ? source : now.stage;
  const HeatPicture *wide = heat_of(picture, whole), *front = heat_of(picture, heads);
  if (!wide || !front) return;
  const Index count = trace[heads].size(1), d_head = trace[heads].size(-1);
  const Index groups = heads_per(trace, heads);
  const float t = static_cast<float>(now.last) / static_cast<float>(travel_parts);
  const ValueRange range = stage_range(trace, whole, window_colormap(frame.view(), whole).kind());
  for (Index i = count; i-- > 0;) {  // back to front, since the front head covers the others
    const Index h = (front->head + i) % count;
    const float behind = static_cast<float>(std::min<Index>(i, 3)) * stack_step * frame.u * picture.layout.type;
    const Rect in_stack{{front->rect.min.x + behind, front->rect.min.y - behind},
                        {front->rect.max.x + behind, front->rect.max.y - behind}};
    const Rect in_whole = part(wide->rect, h * d_head, (h + 1) * d_head, count * d_head, false);
    Traveller traveller;
    traveller.rect = merges ? mixed(in_stack, in_whole, t) : mixed(in_whole, in_stack, t);
    traveller.colour = frame.look.head(h * groups);
    traveller.quad = matrix_quad(scene_context(frame), whole, trace[whole].slice(2, h * d_head, d_head), range);
    traveller.quad.batch = frame.view().batch;
    shown.travellers.push_back(std::move(traveller));
  }
}

/// For the current pipeline picture.
MomentPicture make_moment_picture(const Frame& frame, const PipelinePicture& picture) {
  MomentPicture shown;
  if (!stage_on_its_way(frame)) return shown;
  const Moment& now = frame.timeline.at(*frame.view().step);
  const auto show = now.kind == Kind::travel ? show_travel : now.kind == Kind::terms ? show_terms : show_softmax;
  show(frame, picture, now, shown);
  return shown;
}

}  // namespace

std::optional<Stage> stage_on_its_way(const Frame& frame) {
  if (!frame.view().step || !frame.trace()) return std::nullopt;
  const Moment& now = frame.timeline.at(*frame.view().step);
  const bool own = now.kind == Kind::rows || now.kind == Kind::columns || now.kind == Kind::cells;
  return own ? std::nullopt : std::optional(now.stage);
}

const MomentPicture& moment_picture(const Frame& frame, const PipelinePicture& picture) {
  const View& view = frame.view();
  return frame.picture<MomentPicture>([&] { return make_moment_picture(frame, picture); }, view.packed, picture.size.x,
                                      picture.size.y, view.step, view.way);
}

}  // namespace headlight
