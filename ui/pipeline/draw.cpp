#include "ui/pipeline/draw.h"

#include <algorithm>
#include <cmath>

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/look/record.h"
#include "ui/matrix/heatmap.h"
#include "ui/pipeline/caption.h"
#include "ui/widgets/card.h"
#include "ui/widgets/math_text.h"

namespace headlight {
namespace {

/// Of what has no part in a presentation's spotlight, how much stays to be seen.
constexpr float stepping_back = 0.38f;

class Painter {
 public:
  Painter(const Frame& frame, const PipelinePicture& picture, const Provenance& provenance, const MomentPicture& moment,
          const CanvasTransform& to)
      : frame_(frame),
        picture_(picture),
        provenance_(provenance),
        moment_(moment),
        on_its_way_(stage_on_its_way(frame)),
        to_(to),
        list_(*ImGui::GetWindowDrawList()),
        t_(frame.u * picture.layout.type * to.zoom) {}

  void draw() {
    for (const Arrow& arrow : picture_.layout.arrows) draw_arrow(arrow);
    for (const ProvenanceArc& arc : provenance_.arcs) draw_arc(arc);
    for (const CardPicture& card : picture_.cards) draw_card(card);
    draw_sources();
    for (const Traveller& traveller : moment_.travellers) draw_traveller(traveller);
    for (const Arrow& arrow : picture_.layout.arrows) draw_words(arrow);
    draw_note();
    if (frame_.view().presenting) {
      if (const std::optional<Stage> stage = spotlit())
        draw_caption(frame_, list_, *stage, moment_.caption, to_.screen(picture_.layout.foot));
    } else {
      draw_thumbnails();
    }
  }

 private:
  void ground(const Rect& rect, ImU32 border, float thickness, int lap) {
    const float corner = 9 * t_;
    if (frame_.look.shadow != 0) {  // an outline, not a fill: the card covers its inside anyway
      const float width = 3 * t_;
      compat::add_rect(list_, {rect.min.x, rect.min.y + width * 0.6f}, {rect.max.x, rect.max.y + width * 0.6f},
                       frame_.look.shadow, corner, width);
    }
    fill_card(frame_, list_, rect, corner);
    draw_head_border(list_, rect, border, lap, corner, thickness, t_);
  }

  void stack_behind(const CardPicture& card, const Rect& rect) {
    const Index heads = frame_.trace()->dims().heads;
    const Index step = is_per_kv_head(card.stage) ? frame_.trace()->dims().groups() : 1;
    const compat::HardEdges under_borders(list_);
    for (int i = card.behind; i >= 1; --i) {
      const float shift = static_cast<float>(i) * stack_step * t_;
      const Rect behind =
          card_on_pixels({{rect.min.x + shift, rect.min.y - shift}, {rect.max.x + shift, rect.max.y - shift}});
      const ImU32 hue =
          fade(frame_.look.head((frame_.view().head + i * step) % heads), in_the_dark(card) ? stepping_back : 1.0f);
      const float edge = 15 * t_;  // what the card before it leaves, with its corner
      list_.AddRectFilled(behind.min, {behind.max.x, behind.min.y + edge}, frame_.look.card, 9 * t_,
                          ImDrawFlags_RoundCornersTop);
      list_.AddRectFilled({behind.max.x - edge, behind.min.y + edge}, behind.max, frame_.look.card, 9 * t_,
                          ImDrawFlags_RoundCornersBottomRight);
      draw_head_border(list_, behind, hue, frame_.look.head_lap((frame_.view().head + i * step) % heads), 9 * t_,
                       1.2f * t_, t_);
    }
  }

  void draw_card(const CardPicture& card) {
    const Rect rect = card_on_pixels(to_.screen(card.card));
    if (!ImGui::IsRectVisible(rect.min, rect.max)) return;
    stack_behind(card, rect);
    const bool after = card.stage == Stage::weights;
    const ImU32 border = card.border ? card.border : after ? frame_.look.after : frame_.look.line;
    const int lap = card.border ? frame_.look.head_lap(frame_.view().head) : 0;
    ground(rect, border, card.border || after ? 1.8f * t_ : 1, lap);
    if (pointed_term(card)) compat::add_rect(list_, rect.min, rect.max, frame_.look.ink, 9 * t_, 3 * t_);

    const float pad = 7 * t_;
    draw_text(list_, frame_.fonts, card.title_face, card.title_size * t_,
              {rect.min.x + pad, rect.min.y + (11.5f - card.title_size / 2) * t_}, card.colour, card.title);
    const float symbol = math_size(frame_.fonts, symbol_points * t_, card.symbol).x;
    const float title = text_size(frame_.fonts, card.title_face, card.title_size * t_, card.title).x;
    draw_text(list_, frame_.fonts, Face::bold, subtitle_points * t_,
              {rect.min.x + pad + title + 10 * t_, rect.min.y + (11.5f - subtitle_points / 2) * t_}, frame_.look.ink,
              card.subtitle);
    if (title + symbol + 6 * t_ < rect.width() - 2 * pad) {
      draw_math(list_, frame_.fonts, symbol_points * t_, {rect.max.x - pad - symbol, rect.min.y + 3 * t_}, card.colour,
                card.symbol);
    }
    for (const ScrubPart& part : card.scrubber) {
      const Rect bar = to_.screen(part.rect);
      compat::add_fill(list_, bar.min, bar.max, part.in_front ? card.colour : frame_.look.line, 2.5f * t_);
    }
    for (const MeasurePart& part : card.measures) {
      const Rect place = to_.screen(part.rect);
      const Face face = part.chosen ? Face::bold : Face::ui;
      if (part.chosen) list_.AddRectFilled(place.min, place.max, frame_.look.field, Corner::control * t_);
      const ImVec2 size = text_size(frame_.fonts, face, label_points * t_, part.words);
      draw_text(list_, frame_.fonts, face, label_points * t_,
                {place.centre().x - size.x / 2, place.centre().y - size.y / 2},
                part.chosen ? frame_.look.ink : frame_.look.muted, part.words);
    }
    for (const HeatPicture& heat : card.heats) {
      const Rect area = to_.screen(heat.rect);
      if (moment_.heat.rows > 0 && heat.stage == on_its_way_) {
        draw_on_its_way(area);
      } else {
        draw_heat(frame_, list_, heat, area, true);
      }
      if (card.labelled) {
        draw_labels(frame_, list_, heat, area, label_points * t_, true, card.stage == Stage::weights);
      }
      draw_highlights(frame_, list_, heat, area);
    }
    if (!card.strip.rows.empty()) draw_strip(card);
    for (const Strip& strip : card.strips) {
      const Rect heat = to_.screen(card.heats[0].rect);
      const ImVec2 from = to_.screen({strip.from, 0});
      const ImVec2 end = to_.screen({strip.to, 0});
      compat::add_fill(list_, {from.x, heat.min.y - 6 * t_}, {end.x, heat.min.y - 3 * t_}, strip.colour, 1.5f * t_);
    }
    for (const Strip& strip : card.row_strips) {
      const Rect heat = to_.screen(card.heats[0].rect);
      const float from = to_.screen({0, strip.from}).y;
      const float end = to_.screen({0, strip.to}).y;
      compat::add_fill(list_, {heat.min.x - 6 * t_, from}, {heat.min.x - 3.5f * t_, end}, strip.colour, 1.5f * t_);
    }
    draw_footer(card);
    if (in_the_dark(card)) list_.AddRectFilled(rect.min, rect.max, fade(frame_.look.window, 1 - stepping_back), 9 * t_);
  }

  /// Whether the pointer is on this card's symbol in the formula.
  bool pointed_term(const CardPicture& card) const {
    const std::optional<Stage>& term = frame_.view().pointed_term;
    return term &&
           std::ranges::find(card.heats, shown_as(*frame_.trace(), *term), &HeatPicture::stage) != card.heats.end();
  }

  void draw_strip(const CardPicture& card) {
    std::array<float, 4> ends = card.strip.ends;
    for (float& end : ends) end = to_.screen({end, 0}).x;
    draw_row_strip(frame_, list_, card.strip, to_.screen(card.heats[0].rect), frame_.rows_shown(card.stage),
                   to_.screen({card.strip.left, 0}).x, ends, t_);
  }

  /// The numbers of the moment in the stage's place, and a row's sum beside it.
  void draw_on_its_way(Rect area) {
    draw_moment_heat(frame_, list_, moment_.heat, area);
    const float line = area.height() / static_cast<float>(moment_.heat.rows);
    if (moment_.sums.empty() || line < 13 * t_) return;
    for (std::size_t r = 0; r < moment_.sums.size(); ++r) {
      const ImVec2 at{area.max.x + 8 * t_, area.min.y + (static_cast<float>(r) + 0.5f) * line - 7 * t_};
      draw_text(list_, frame_.fonts, Face::mono, TypeSize::note * t_, at, frame_.look.ink, moment_.sums[r]);
    }
  }

  void draw_traveller(const Traveller& traveller) {
    MatrixQuad quad = traveller.quad;
    const Rect rect = to_.screen(traveller.rect);
    quad.min = rect.min;
    quad.max = rect.max;
    frame_.painter.draw(list_, quad);
    compat::add_rect(list_, rect.min, rect.max, traveller.colour, 2 * t_, 1.6f * t_);
  }

  void draw_footer(const CardPicture& card) {
    const float small = label_points * t_;
    const bool on_its_way = on_its_way_ == card.stage && !moment_.caption.empty();
    const Rect bar = to_.screen(card.bar);
    const Rect notes = to_.screen(card.notes);
    draw_elided(list_, frame_.fonts, Face::ui, small, notes.min, on_its_way ? frame_.look.ink : frame_.look.muted,
                on_its_way ? moment_.caption : card.shape, notes.width());
    if (card.reading_below)
      draw_elided(list_, frame_.fonts, Face::ui, small, {notes.min.x, notes.min.y + 15 * t_}, frame_.look.muted,
                  card.reading, notes.width());
    const bool whole = frame_.rows_shown(card.stage) >= card.heats[0].rows;  // the ends are those of all its rows
    if (whole) {
      for (const CountNote& count : card.counts)
        draw_count_note(frame_, list_, count, {to_.screen({count.x, 0}).x, notes.min.y}, t_);
    }
    if (card.lo.empty() || !whole) return;
    const float lo = text_size(frame_.fonts, Face::mono, end_points * t_, card.lo).x;
    const float hi = text_size(frame_.fonts, Face::mono, end_points * t_, card.hi).x;
    const float y = bar.centre().y - 0.5f * text_size(frame_.fonts, Face::mono, end_points * t_, "0").y;
    draw_text(list_, frame_.fonts, Face::mono, end_points * t_, {bar.min.x, y}, frame_.look.muted, card.lo);
    draw_text(list_, frame_.fonts, Face::mono, end_points * t_, {bar.max.x - hi, y}, frame_.look.muted, card.hi);
    if (card.hi.empty()) return;
    draw_colour_bar(list_, {{bar.min.x + lo + 4 * t_, bar.min.y}, {bar.max.x - hi - 4 * t_, bar.max.y}},
                    *card.heats[0].colormap);
    bar_ticks_on(card, {{bar.min.x + lo + 4 * t_, bar.min.y}, {bar.max.x - hi - 4 * t_, bar.max.y}});
  }

  /// Each in a gap of the bar.
  void bar_ticks_on(const CardPicture& card, Rect bar) {
    for (const BarTick& tick : card.ticks) {
      const ImVec2 size = text_size(frame_.fonts, Face::mono, end_points * t_, tick.text);
      const float x = bar.min.x + tick.at * bar.width() - size.x / 2;
      list_.AddRectFilled({x - 3 * t_, bar.min.y}, {x + size.x + 3 * t_, bar.max.y}, frame_.look.card);
      draw_text(list_, frame_.fonts, Face::mono, end_points * t_, {x, bar.centre().y - size.y / 2}, frame_.look.muted,
                tick.text);
    }
  }

  void draw_arrow(const Arrow& arrow) {
    const ImVec2 a = to_.screen(arrow.from);
    const ImVec2 b = to_.screen(arrow.to);
    const ImVec2 ca = to_.screen(arrow.from_control);
    const ImVec2 cb = to_.screen(arrow.to_control);
    const ImU32 colour = colour_of(arrow);
    const bool straight = ca.x == cb.x && ca.y == cb.y;
    if (Record* record = recording()) record->lines.push_back(seen(points_along(a, ca, cb, b)));
    straight ? list_.AddLine(a, b, colour, 1.7f * t_) : list_.AddBezierCubic(a, ca, cb, b, colour, 1.7f * t_, 24);
    const bool upright = std::abs(arrow.from.x - arrow.to.x) < 0.5f;
    const float head = 4.2f * t_;
    if (!arrow.has_head) return;
    if (upright) {
      list_.AddTriangleFilled({b.x, b.y + 0.5f}, {b.x - head, b.y - head * 1.7f}, {b.x + head, b.y - head * 1.7f},
                              colour);
    } else if (arrow.to.x < arrow.from.x) {
      list_.AddTriangleFilled({b.x - 0.5f, b.y}, {b.x + head * 1.7f, b.y + head}, {b.x + head * 1.7f, b.y - head},
                              colour);
    } else {
      list_.AddTriangleFilled({b.x + 0.5f, b.y}, {b.x - head * 1.7f, b.y - head}, {b.x - head * 1.7f, b.y + head},
                              colour);
    }
  }

  static std::vector<ImVec2> points_along(ImVec2 a, ImVec2 ca, ImVec2 cb, ImVec2 b) {
    std::vector<ImVec2> points;
    for (int i = 0; i <= 40; ++i) {
      const float t = static_cast<float>(i) / 40, s = 1 - t;
      const float w[] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
      points.push_back(
          {w[0] * a.x + w[1] * ca.x + w[2] * cb.x + w[3] * b.x, w[0] * a.y + w[1] * ca.y + w[2] * cb.y + w[3] * b.y});
    }
    return points;
  }

  /// Where the canvas scrolls, the points that are in sight.
  std::vector<ImVec2> seen(std::vector<ImVec2> points) const {
    const Rect clip{list_.GetClipRectMin(), list_.GetClipRectMax()};
    std::erase_if(points, [&](ImVec2 point) { return !clip.contains(point); });
    return points;
  }

  /// Its lane's, stepping back with the card that it leads to.
  ImU32 colour_of(const Arrow& arrow) const {
    const ImU32 colour = lane_colour(arrow.colour_of);
    if (!frame_.view().presenting) return colour;
    const auto leads_to = [&](const CardPicture& card) {
      const float stack = static_cast<float>(card.behind) * stack_step * frame_.u * picture_.layout.type;
      const Rect reached{{card.card.min.x - 3 * frame_.u, card.card.min.y - stack - 3 * frame_.u}, card.card.max};
      return reached.contains(arrow.to);
    };
    const auto target = std::ranges::find_if(picture_.cards, leads_to);
    return target != picture_.cards.end() && in_the_dark(*target) ? fade(colour, stepping_back) : colour;
  }

  ImU32 lane_colour(Stage stage) const {
    const ImU32 lane = frame_.look.lane(stage);
    return lane == frame_.look.ink ? frame_.look.muted : lane;
  }

  /// Dashed; `carry` is where in the dash the line begins, and where it ended.
  void dashed(ImVec2 a, ImVec2 b, ImU32 colour, float& carry) {
    const float dash = 5 * t_, period = 9 * t_;
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    if (length < 1e-3f) return;
    const auto at = [&](float along) {
      return ImVec2{a.x + (b.x - a.x) * along / length, a.y + (b.y - a.y) * along / length};
    };
    for (float from = -carry; from < length; from += period) {
      if (from + dash > 0)
        list_.AddLine(at(std::max(from, 0.0f)), at(std::min(from + dash, length)), colour, 1.6f * t_);
    }
    carry = std::fmod(carry + length, period);
  }

  void draw_arc(const ProvenanceArc& arc) {
    constexpr int steps = 32;
    const ImVec2 points[] = {to_.screen(arc.from), to_.screen(arc.from_control), to_.screen(arc.to_control),
                             to_.screen(arc.to)};
    const ImU32 colour = lane_colour(arc.from_stage);
    float carry = 0;
    ImVec2 last = points[0];
    for (int i = 1; i <= steps; ++i) {
      const float t = static_cast<float>(i) / steps, s = 1 - t;
      const float w[] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
      ImVec2 next{0, 0};
      for (int p = 0; p < 4; ++p) next = {next.x + w[p] * points[p].x, next.y + w[p] * points[p].y};
      dashed(last, next, colour, carry);
      last = next;
    }
  }

  /// Over the cards: what the cell was computed from, and the arcs' last stretch between the cells.
  void draw_sources() {
    const float thick = std::max(2.0f, 2 * frame_.u);
    for (const SourceMark& mark : provenance_.marks) {
      const Rect place = to_.screen(mark.rect);
      const bool thin = std::min(place.width(), place.height()) < 4 * thick;  // then the line stands beside it
      const Rect rect = place.grown(thin ? 1.5f * thick : thick / 2);
      compat::add_rect(list_, rect.min, rect.max, frame_.look.card, Corner::mark * frame_.u, 2 * thick);
      compat::add_rect(list_, rect.min, rect.max, frame_.look.lane(mark.stage), Corner::mark * frame_.u, thick);
    }
    for (const Rect& source : moment_.sources) {
      const Rect rect = to_.screen(source).grown(thick / 2);
      compat::add_rect(list_, rect.min, rect.max, frame_.look.ink, Corner::mark * frame_.u, thick);
    }
    if (frame_.view().pointed) draw_pointed(*frame_.view().pointed, 2 * thick);
    for (const ProvenanceArc& arc : provenance_.arcs) {
      float carry = 0;
      if (!arc.reaches_in(frame_.u * picture_.layout.type)) {  // it would run through names or numbers
        list_.AddCircleFilled(to_.screen(arc.to), 2.6f * t_, lane_colour(arc.from_stage));
        continue;
      }
      dashed(to_.screen(arc.enter), to_.screen(arc.end), lane_colour(arc.from_stage), carry);
      list_.AddCircleFilled(to_.screen(arc.end), 2.6f * t_, lane_colour(arc.from_stage));
    }
  }

  void draw_pointed(const Cell& cell, float thick) {
    const auto place = place_of(*frame_.trace(), picture_, cell);
    if (!place) return;
    const Rect rect = to_.screen(*place).grown(thick);
    compat::add_rect(list_, rect.min, rect.max, frame_.look.ink, Corner::cell * frame_.u, thick);
  }

  void draw_words(const Arrow& arrow) {
    const ImU32 colour = colour_of(arrow);
    if (arrow.leader) {
      const ImVec2 from = to_.screen(*arrow.leader);
      list_.AddLine(from, {from.x, to_.screen(arrow.to).y - 2 * t_}, fade(colour, 0.6f), std::max(1.0f, frame_.u));
    }
    for (const ArrowWords& words : arrow.words) {
      const Rect rect = to_.screen(words.rect);
      // An arc may pass behind: it does not go through the words.
      if (!provenance_.arcs.empty())
        list_.AddRectFilled({rect.min.x - 2 * t_, rect.min.y + t_}, {rect.max.x + 2 * t_, rect.max.y},
                            frame_.look.window);
      draw_math(list_, frame_.fonts, words_points * t_, rect.min, colour, words.markup);
    }
  }

  /// That numbers are random.
  void draw_note() {
    ImVec2 at = to_.screen(picture_.layout.note.min);
    for (const std::string& line : picture_.note) {
      draw_text(list_, frame_.fonts, Face::ui, note_points * t_, at, frame_.look.warning, line);
      at.y += note_points * 1.35f * t_;
    }
  }

  /// What is being computed, or looked at.
  std::optional<Stage> spotlit() const {
    if (on_its_way_) return on_its_way_;
    const std::optional<Cell> cell = frame_.looked_at();
    return cell ? std::optional(cell->stage) : std::nullopt;
  }

  /// In a presentation, cards that have no part in what is looked at step back.
  bool in_the_dark(const CardPicture& card) const {
    const std::optional<Stage> stage = spotlit();
    if (!frame_.view().presenting || !stage) return false;
    const auto is_of = [&](Stage of) {
      return std::any_of(card.heats.begin(), card.heats.end(),
                         [&](const HeatPicture& heat) { return heat.stage == of; });
    };
    const auto& sources = provenance_.marks;
    if (on_its_way_ == stage) return card.stage > *stage && !is_parameter(card.stage);  // what comes later
    return !is_of(*stage) &&
           std::none_of(sources.begin(), sources.end(), [&](const SourceMark& source) { return is_of(source.stage); });
  }

  void draw_thumbnails() {
    if (picture_.thumbnails.empty()) return;
    const Rect row = to_.screen(picture_.layout.foot);
    draw_text(list_, frame_.fonts, Face::bold, subtitle_points * t_, {row.min.x, row.centre().y - 8 * t_},
              frame_.look.muted, frame_.words("pipeline.all_heads"));
    for (const ThumbnailPicture& thumbnail : picture_.thumbnails) {
      const Rect rect = card_on_pixels(to_.screen(thumbnail.card));
      const bool chosen = thumbnail.head == frame_.view().head;
      fill_card(frame_, list_, rect, 6 * t_);
      if (!thumbnail.number.empty()) {
        draw_text(list_, frame_.fonts, chosen ? Face::bold : Face::ui, TypeSize::body * t_,
                  {rect.min.x + 5 * t_, rect.min.y + 1 * t_}, chosen ? frame_.look.ink : frame_.look.muted,
                  thumbnail.number);
      }
      draw_heat(frame_, list_, thumbnail.heat, to_.screen(thumbnail.heat.rect), false);
      draw_head_border(list_, rect, thumbnail.border, frame_.look.head_lap(thumbnail.head), 6 * t_,
                       (chosen ? 2.4f : 1.1f) * t_, t_);
    }
  }

  const Frame& frame_;
  const PipelinePicture& picture_;
  const Provenance& provenance_;
  const MomentPicture& moment_;
  std::optional<Stage> on_its_way_;
  const CanvasTransform& to_;
  ImDrawList& list_;
  float t_;  // pixels per point of type, zoom included
};

}  // namespace

void draw_pipeline(const Frame& frame, const PipelinePicture& picture, const Provenance& provenance,
                   const MomentPicture& moment, const CanvasTransform& transform) {
  Painter(frame, picture, provenance, moment, transform).draw();
}

std::optional<Cell> cell_at(const PipelinePicture& picture, ImVec2 point) {
  for (auto card = picture.cards.rbegin(); card != picture.cards.rend(); ++card) {
    if (!card->card.contains(point)) continue;
    for (const HeatPicture& heat : card->heats) {
      if (const auto cell = cell_in(heat, point)) return cell;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Index> thumbnail_at(const PipelinePicture& picture, ImVec2 point) {
  for (const ThumbnailPicture& thumbnail : picture.thumbnails) {
    if (thumbnail.card.contains(point)) return thumbnail.head;
  }
  return std::nullopt;
}

}  // namespace headlight
