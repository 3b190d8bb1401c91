// What is drawn over the pipeline's cards: where the current number came from, and what the pointer is on.
#include <algorithm>
#include <tuple>

#include "ui/base/look/measure.h"
#include "ui/parts/widgets/card.h"
#include "ui/views/pipeline/cards_part.h"

namespace headlight {
namespace {

/// The dashed lines to the sources of a number, in points.
struct ArcSizes {
  static constexpr float width = 1.6f, dash = 5, dot = 2.6f;
};

struct OverlayMaker : CardsPart {
  const Provenance& provenance = provenance_picture(frame, picture);
  const std::optional<Cell> looked_at = frame.looked_at();

  void put_dashed(const std::array<ImVec2, 4>& points, const ProvenanceArc& arc) const {
    scene.items.emplace_back(
        SceneCurve{points, lane_colour(arc.from_stage), ArcSizes::width * t, false, ArcSizes::dash * t});
  }

  /// Beneath the cards: the arcs between them.
  void put_ground() const {
    for (const ProvenanceArc& arc : provenance.arcs)
      put_dashed({to.screen(arc.from), to.screen(arc.from_control), to.screen(arc.to_control), to.screen(arc.to)}, arc);
  }

  void put_above() {
    put_term();
    put_strips();
    put_sources();
    put_arc_ends();
    for (const Arrow& arrow : picture.layout.arrows) put_words(arrow);
  }

  /// The cards of the symbol in the formula that the pointer is on.
  void put_term() {
    const std::optional<Stage>& term = frame.view().pointed.term;
    if (!term) return;
    for (const CardPicture& card : picture.cards) {
      if (shows(card, shown_as(*frame.trace(), *term)))
        pen.box(card_on_pixels(to.screen(card.card)), look.ink, frame_of_current * t, Corner::card * t);
    }
  }

  void put_strips() {
    const bool lit = looked_at && info(looked_at->stage).rows == Axis::query;
    for (const CardPicture& card : picture.cards) {
      if (card.strip.rows.empty()) continue;
      put_row_strip(pen, card.strip, to.screen(card.heats[0].rect), frame.rows_shown(card.stage),
                    lit ? looked_at->row : -1, t);
    }
  }

  void put_sources() {
    const float thick = Stroke::chosen(u);
    for (const SourceMark& mark : provenance.marks) {
      const Rect place = to.screen(mark.rect);
      const bool thin = std::min(place.width(), place.height()) < 4 * thick;  // then the line is drawn next to it
      const Rect rect = place.grown(thin ? 1.5f * thick : thick / 2);
      pen.box(rect, look.card, 2 * thick, Corner::mark * u);
      pen.box(rect, look.lane(mark.stage), thick, Corner::mark * u);
    }
    const std::optional<Cell>& pointed = frame.view().pointed.source;
    if (const auto cell = pointed ? place_of(*frame.trace(), picture, *pointed) : std::nullopt)
      pen.box(to.screen(*cell).grown(2 * thick), look.ink, 2 * thick, Corner::cell * u);
  }

  /// The last part of an arc: into the card if it crosses no labels or numbers there, otherwise to its edge.
  void put_arc_ends() const {
    for (const ProvenanceArc& arc : provenance.arcs) {
      const bool reaches = arc.reaches_in(u * picture.layout.type);
      const ImVec2 end = to.screen(reaches ? arc.end : arc.to);
      if (reaches) {
        const ImVec2 enter = to.screen(arc.enter);
        put_dashed({enter, enter, end, end}, arc);
      }
      scene.items.emplace_back(SceneDot{end, ArcSizes::dot * t, lane_colour(arc.from_stage)});
    }
  }

  /// The words beside an arrow, which make way for the arcs.
  void put_words(const Arrow& arrow) {
    const ImU32 colour = colour_of(arrow);
    if (arrow.leader) {
      const ImVec2 from = to.screen(*arrow.leader);
      pen.line(from, {from.x, to.screen(arrow.to).y - Space::fine * t}, fade(colour, 0.6f), Stroke::hair(u));
    }
    for (const ArrowWords& words : arrow.words) {
      const Rect rect = to.screen(clear_of_arcs(provenance, arrow, words.rect));
      // An arc may pass behind the text, but not through it.
      if (!provenance.arcs.empty())
        pen.fill({{rect.min.x - Space::fine * t, rect.min.y + t}, {rect.max.x + Space::fine * t, rect.max.y}},
                 look.window);
      put_math(words_points * t, rect.min, colour, words.markup);
    }
  }
};

}  // namespace

const SceneOverlay& pipeline_overlay(const Frame& frame, Rect place) {
  const View& view = frame.view();
  const auto& picture = pipeline_picture(frame, {place.width(), place.height()});
  const auto make = [&] {
    SceneOverlay overlay;
    OverlayMaker{{frame, picture, transform_of(view, place), overlay.ground}}.put_ground();
    OverlayMaker{{frame, picture, transform_of(view, place), overlay.above}}.put_above();
    return overlay;
  };
  return picture_of_cards_at(frame, std::tuple(frame.looked_at(), view.pointed.source, view.pointed.term), make, place,
                             view.camera, view.reaches, view.step, view.way, view.lesson.hidden);
}

}  // namespace headlight
