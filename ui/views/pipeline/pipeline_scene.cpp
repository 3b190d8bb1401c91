#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/widgets/card.h"
#include "ui/views/pipeline/cards_part.h"

namespace headlight {
namespace {

/// Widths of lines, in points.
struct CardStroke {
  static constexpr float arrow = 1.7f, card = 1.8f, behind = 1.2f, head = 1.1f, chosen_head = 2.4f, traveller = 1.6f;
};

/// The strips beside a matrix that show its heads or projections: their distances from it, and their corners, in
/// points.
struct StripSizes {
  static constexpr float out = 6, in = 3, projection_in = 3.5f, corner = 1.5f;
  static constexpr float divided_from = 5;
};

/// A card's colour bar, in points.
struct CardBar {
  static constexpr float above_edge = 12.5f, half = 1.5f;
};

// In points: what is drawn of a card behind another, its shadow, and its title and notes.
constexpr float visible_edge = 15, shadow_width = 3, title_pad = 7, segment_corner = 2.5f, second_note = 15;

struct CardsMaker : CardsPart {
  const MomentPicture& moment = moment_picture(frame, picture);
  const std::optional<Stage> on_its_way = stage_on_its_way(frame);
  /// In a presentation, the stage whose step stands below.
  const std::optional<Stage> current = frame.view().presenting ? std::optional(stage_shown(frame)) : std::nullopt;

  void put() {
    for (const Arrow& arrow : picture.layout.arrows) put_arrow(arrow);
    scene.ground = scene.items.size();
    for (const CardPicture& card : picture.cards) put_card(card);
    for (const Rect& source : moment.sources)
      pen.box(to.screen(source).grown(Stroke::chosen(u) / 2), look.ink, Stroke::chosen(u), Corner::mark * u);
    for (const Traveller& traveller : moment.travellers) put_traveller(traveller);
    pen.words(Face::ui, note_points * t, to.screen(picture.layout.note.min),
              frame.trace()->gradients_of ? look.muted : look.warning, picture.note);
    put_thumbnails();
  }

  float width_of(Face face, float points, std::string_view text) const { return pen.measure(face, points * t, text).x; }
  /// One of the picture's heatmaps.
  void put_heat(const HeatPicture& heat, float labels, bool marks) {
    pen.heat(
        {.heat = {shared, &heat}, .labels = labels, .numbers = marks, .marks = marks, .place = to.screen(heat.rect)});
  }

  void put_arrow(const Arrow& arrow) {
    const ImVec2 a = to.screen(arrow.from);
    ImVec2 b = to.screen(arrow.to), control = to.screen(arrow.to_control);
    const float thick = CardStroke::arrow * t;
    const bool straight = arrow.from_control.x == arrow.to_control.x && arrow.from_control.y == arrow.to_control.y;
    if (arrow.has_head) {  // its tip touches the card
      const ImVec2 along = straight ? ImVec2{b.x - a.x, b.y - a.y} : ImVec2{b.x - control.x, b.y - control.y};
      const float back = arrow_tip(thick) / std::max(std::hypot(along.x, along.y), 1e-3f);
      b = {b.x - along.x * back, b.y - along.y * back};
    }
    SceneCurve curve{{a, straight ? a : to.screen(arrow.from_control), straight ? b : control, b},
                     colour_of(arrow),
                     thick,
                     arrow.has_head};
    curve.clear = true;
    scene.items.emplace_back(curve);
  }

  /// The visible edges of the other heads' cards behind the front card.
  void put_heads_behind(const CardPicture& card, const Rect& rect) {
    const Index heads = frame.trace()->dims().heads;
    const Index step = heads_per(*frame.trace(), card.stage);
    for (int i = card.behind; i >= 1; --i) {
      const float shift = static_cast<float>(i) * stack_step * t, edge = visible_edge * t;
      const Rect behind =
          card_on_pixels({{rect.min.x + shift, rect.min.y - shift}, {rect.max.x + shift, rect.max.y - shift}});
      const Index head = (frame.view().head + i * step) % heads;
      pen.fill({behind.min, {behind.max.x, behind.min.y + edge}}, look.card, Corner::card * t);
      pen.fill({{behind.max.x - edge, behind.min.y}, behind.max}, look.card, Corner::card * t);
      pen.box(behind, fade(look.head(head), is_pale(card) ? stepping_back : 1.0f), CardStroke::behind * t,
              Corner::card * t, look.head_lap(head));
    }
  }

  void put_ground(const CardPicture& card, const Rect& rect) {
    const float corner = Corner::card * t, shadow = shadow_width * t;
    if (look.shadow != 0)  // as an outline, since the card covers its inside
      pen.box({{rect.min.x, rect.min.y + shadow * 0.6f}, {rect.max.x, rect.max.y + shadow * 0.6f}}, look.shadow, shadow,
              corner);
    const bool after = card.stage == Stage::weights;
    pen.fill(rect, look.card, corner);
    const ImU32 border = card.border ? card.border : after ? look.after : look.line;
    pen.box(rect, border, card.border || after ? CardStroke::card * t : 1, corner,
            card.border ? look.head_lap(frame.view().head) : 0);
    if (current && shows(card, *current)) pen.box(rect, look.ink, frame_of_current * t, corner);
  }

  void put_card(const CardPicture& card) {
    const Rect rect = card_on_pixels(to.screen(card.card));
    put_heads_behind(card, rect);
    put_ground(card, rect);
    pen.target(rect, SceneAction::stage, 0, {card.stage});
    put_title(card, rect);
    put_scrubber(card, rect);
    for (const MeasurePart& part : card.measures) {
      const Rect place = to.screen(part.rect);
      if (part.chosen) pen.fill(place, look.field, Corner::control * t);
      pen.text(TextRole::caption, part.chosen ? Face::bold : Face::ui, label_points * t, place.centre(), Align::middle,
               part.chosen ? look.ink : look.muted, part.words);
      pen.target(place, SceneAction::measure, static_cast<Index>(part.measure));
    }
    for (const HeatPicture& heat : card.heats) {
      const Rect area = to.screen(heat.rect);
      if (moment.heat.rows > 0 && heat.stage == on_its_way && frame.shown(heat.stage).nothing()) {
        pen.heat({.heat = std::make_shared<HeatPicture>(moment.heat),
                  .numbers = true,
                  .whole = true,
                  .marks = false,
                  .place = area});
        put_sums(area);
      }
      put_heat(heat, card.labelled ? label_points * t : 0, true);
    }
    put_head_strips(card, to.screen(card.heats[0].rect));
    put_notes(card);
    put_colour_bar(card, rect);
    if (is_pale(card)) pen.fill(rect, fade(look.window, 1 - stepping_back), Corner::card * t);
  }

  void put_title(const CardPicture& card, const Rect& rect) {
    const float pad = title_pad * t, title = width_of(card.title_face, title_points, card.title);
    pen.words(card.title_face, title_points * t, {rect.min.x + pad, rect.min.y + Space::close * t}, card.colour,
              card.title);
    pen.words(Face::bold, subtitle_points * t,
              {rect.min.x + pad + title + Space::pad * t, rect.min.y + Space::close * t}, look.ink, card.subtitle);
    const float symbol = math_size(frame.fonts, symbol_points * t, card.symbol).x;
    if (title + symbol + Space::near * t < rect.width() - 2 * pad)
      put_math(symbol_points * t, {rect.max.x - pad - symbol, rect.min.y + Space::thin * t}, card.colour, card.symbol);
  }

  /// Below the title, one segment for each stage that shares the card.
  void put_scrubber(const CardPicture& card, const Rect& rect) {
    const auto count = static_cast<float>(card.folded.size());
    const float gap = Space::thin * t,
                width = (rect.width() - 2 * card_pad * t - gap * (count - 1)) / std::max(count, 1.0f);
    float x = rect.min.x + card_pad * t;
    for (const Stage stage : card.folded) {
      const Rect part{{x, rect.min.y + (card_header - 1) * t}, {x + width, rect.min.y + (card_header + 4) * t}};
      pen.fill(part, stage == card.stage ? card.colour : look.line, segment_corner * t);
      // The target is higher than the segment.
      pen.target({{part.min.x, part.min.y - Space::near * t}, {part.max.x, part.max.y + Space::near * t}},
                 SceneAction::bring_forward, 0, {stage});
      scene.targets.back().hint = name(stage);
      x += width + gap;
    }
  }

  /// The sum of each row next to it, during a softmax.
  void put_sums(const Rect& heat) {
    const float line = heat.height() / static_cast<float>(moment.heat.rows);
    if (line < LeastCell::numbers * t) return;
    for (std::size_t r = 0; r < moment.sums.size(); ++r)
      pen.text(TextRole::caption, Face::mono, TypeSize::note * t,
               {heat.max.x + Space::gap * t, heat.min.y + (static_cast<float>(r) + 0.5f) * line}, Align::left, look.ink,
               moment.sums[r]);
  }

  /// Strips above the columns of Q, K, V and concat that show the head, and next to the rows of packed weights that
  /// show the projection.
  void put_head_strips(const CardPicture& card, const Rect& heat) {
    if (card.heats.size() > 2) {
      for (const HeatPicture& part : card.heats) {
        const Rect rows = to.screen(part.rect);
        pen.fill(
            {{heat.min.x - StripSizes::out * t, rows.min.y}, {heat.min.x - StripSizes::projection_in * t, rows.max.y}},
            look.lane(part.stage), StripSizes::corner * t);
      }
    }
    if (!has_head_strips(card.stage)) return;
    const Dims& dims = frame.trace()->dims();
    const bool query_side = card.stage == Stage::Q || card.stage == Stage::concat;
    const Index count = query_side ? dims.heads : dims.kv_heads;
    const float width = heat.width() / static_cast<float>(count), gap = width > LeastCell::gap * u ? u : 0,
                all = width - 2 * gap;
    for (Index h = 0; h < count; ++h) {
      const Index head = query_side ? h : h * dims.groups();
      // When the hues repeat, strips are divided: in two for the second eight heads, in three for the third.
      const int pieces = all >= StripSizes::divided_from * u ? std::min(look.head_lap(head), 3) + 1 : 1;
      const float piece = all / static_cast<float>(pieces), apart = pieces > 1 ? std::max(u, piece * 0.25f) : 0;
      for (int i = 0; i < pieces; ++i) {
        const float left = heat.min.x + width * static_cast<float>(h) + gap + piece * static_cast<float>(i);
        pen.fill({{left + apart / 2, heat.min.y - StripSizes::out * t},
                  {left + piece - apart / 2, heat.min.y - StripSizes::in * t}},
                 look.head(head), StripSizes::corner * t);
      }
    }
  }

  bool is_whole(const CardPicture& card) const { return frame.rows_shown(card.stage) >= card.heats[0].rows; }

  void put_notes(const CardPicture& card) {
    if (card.notes.width() <= 0) return;
    const Rect notes = to.screen(card.notes);
    const bool made_here = on_its_way == card.stage && !moment.caption.empty();
    pen.words(Face::ui, label_points * t, notes.min, made_here ? look.ink : look.muted,
              made_here ? moment.caption : card.shape, notes.width());
    pen.hint(notes, card.shape_hint);
    if (card.reading_below)
      pen.words(Face::ui, label_points * t, {notes.min.x, notes.min.y + second_note * t}, look.muted, card.reading,
                notes.width());
    if (!is_whole(card)) return;  // the notes are about all rows
    for (const CountNote& count : card.counts) put_count_note(pen, count, {to.screen({count.x, 0}).x, notes.min.y}, t);
  }

  void put_colour_bar(const CardPicture& card, const Rect& rect) {
    if (card.lo.empty() || !is_whole(card)) return;
    const float left = rect.min.x + card_pad * t, right = rect.max.x - card_pad * t,
                y = rect.max.y - CardBar::above_edge * t;
    const auto put = [&](float x, Align align, const std::string& text) {
      return pen.text(TextRole::caption, Face::mono, end_points * t, {x, y}, align, look.muted, text);
    };
    const Rect lo = put(left, Align::left, card.lo);
    if (card.hi.empty()) return;
    const Rect hi = put(right, Align::right, card.hi);
    const Rect bar{{lo.max.x + Space::tight * t, y - CardBar::half * t},
                   {hi.min.x - Space::tight * t, y + CardBar::half * t}};
    pen.colours(bar, *card.heats[0].colormap);
    for (const BarTick& tick : card.ticks) {  // each in a gap in the bar
      const float x = bar.min.x + tick.at * bar.width(),
                  half = width_of(Face::mono, end_points, tick.text) / 2 + Space::thin * t;
      pen.fill({{x - half, bar.min.y}, {x + half, bar.max.y}}, look.card);
      put(x, Align::middle, tick.text);
    }
  }

  void put_traveller(const Traveller& traveller) {
    const Rect rect = to.screen(traveller.rect);
    pen.matrix(traveller.quad, rect);
    pen.box(rect, traveller.colour, CardStroke::traveller * t, Corner::mark * t);
  }

  void put_thumbnails() {
    if (picture.thumbnails.empty()) return;
    const Rect row = to.screen(picture.layout.foot);
    pen.words(Face::bold, subtitle_points * t, {row.min.x, row.centre().y - Space::gap * t}, look.muted,
              frame.words("pipeline.all_heads"));
    for (const ThumbnailPicture& thumbnail : picture.thumbnails) {
      const Rect rect = card_on_pixels(to.screen(thumbnail.card));
      const bool chosen = thumbnail.head == frame.view().head;
      pen.fill(rect, look.card, Corner::control * t);
      pen.words(chosen ? Face::bold : Face::ui, TypeSize::body * t, {rect.min.x + Space::close * t, rect.min.y + t},
                chosen ? look.ink : look.muted, thumbnail.number);
      put_heat(thumbnail.heat, 0, false);
      pen.box(rect, look.head(thumbnail.head), (chosen ? CardStroke::chosen_head : CardStroke::head) * t,
              Corner::control * t, look.head_lap(thumbnail.head));
      pen.target(rect, SceneAction::head, thumbnail.head);
    }
  }
};

}  // namespace

Rect room_of_cards(const View& view, Rect place) {
  constexpr float of_cards = 0.44f;
  return view.presenting ? Rect{place.min, {place.max.x, place.min.y + place.height() * of_cards}} : place;
}

CanvasTransform transform_of(const View& view, Rect place) {
  const CanvasCamera& camera = view.camera;
  if (camera.zoom <= 0) return {place.min, 1};
  return {{place.centre().x - camera.x * place.width() * camera.zoom,
           place.centre().y - camera.y * place.height() * camera.zoom},
          camera.zoom};
}

ImU32 CardsPart::colour_of(const Arrow& arrow) const {
  const ImU32 colour = lane_colour(arrow.colour_of);
  if (pale == 0) return colour;
  const auto leads_to = [&](const CardPicture& card) {
    const float stack = static_cast<float>(card.behind) * stack_step * u * picture.layout.type;
    const Rect reached{{card.card.min.x - Space::thin * u, card.card.min.y - stack - Space::thin * u}, card.card.max};
    return reached.contains(arrow.to);
  };
  const auto target = std::ranges::find_if(picture.cards, leads_to);
  return target != picture.cards.end() && is_pale(*target) ? fade(colour, stepping_back) : colour;
}

PaleCards pale_cards(const Frame& frame, const PipelinePicture& picture) {
  const std::optional<Stage> on_its_way = stage_on_its_way(frame);
  const std::optional<Cell> looked_at = frame.looked_at();
  if (!frame.view().presenting || (!on_its_way && !looked_at)) return 0;
  const Provenance& provenance = provenance_picture(frame, picture);
  const auto steps_back = [&](const CardPicture& card) {
    if (on_its_way) return card.stage > *on_its_way && !is_parameter(card.stage);  // later stages
    return !shows(card, looked_at->stage) &&
           std::ranges::none_of(provenance.marks, [&](const SourceMark& mark) { return shows(card, mark.stage); });
  };
  PaleCards pale = 0;
  for (std::size_t i = 0; i < picture.cards.size(); ++i) {
    if (steps_back(picture.cards[i])) pale |= PaleCards{1} << i;
  }
  return pale;
}

const Scene& pipeline_scene(const Frame& frame, Rect place) {
  const View& view = frame.view();
  const auto& picture = pipeline_picture(frame, {place.width(), place.height()});
  const auto make = [&] {
    Scene scene;
    CardsMaker{{frame, picture, transform_of(view, place), scene}}.put();
    return scene;
  };
  return picture_of_cards_at(frame, pale_cards(frame, *picture), make, place, view.camera, view.step, view.way,
                             view.lesson.hidden);
}

}  // namespace headlight
