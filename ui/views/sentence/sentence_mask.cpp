// The mask in the sentence: the hatched words are the mask. A click on them offers patterns, and the edge of the
// visible words is the end of a window, which can be dragged.
#include <algorithm>
#include <array>

#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/pointer.h"
#include "ui/views/sentence/sides.h"
#include "ui/views/sentence/word_line.h"

namespace headlight::sentence_parts {
namespace {

constexpr float half_handle = 9;  // points

constexpr std::string_view causal = "causal()";

std::string windowed(Index width) { return std::string(causal) + " && window(" + std::to_string(width) + ")"; }

/// The patterns on offer: their name and their expression, the source's own mask first.
struct Offered {
  const char* key;
  std::string mask;
};
std::array<Offered, 4> offered_masks(const Trace& trace) {
  const bool own = trace.inputs.file || trace.inputs.pass;
  return {Offered{own ? "controls.mask_of_source" : "controls.mask_none", ""},
          {"controls.mask_causal", std::string(causal)},
          {"controls.mask_window", windowed(std::max<Index>((trace.dims().n_k + 1) / 2, 1))},
          {"controls.mask_full", "full()"}};
}

}  // namespace

void put_masks(Pen& pen, const std::string& mask, Rect room) {
  const Words& say = pen.context().words;
  const float height = pen.type.caption * 1.8f, pad = ControlPad::chip, gap = Space::near * pen.u();
  std::vector<Chip> chips{{std::string(say("sentence.mask")), SceneAction::masks, 0, pen.context().view.levels.masks}};
  if (pen.context().view.levels.masks) {
    const auto offered = offered_masks(pen.context().trace);
    for (std::size_t i = 0; i < offered.size(); ++i) {
      const bool window =
          offered[i].mask.find("window") != std::string::npos && mask.starts_with("causal() && window(");
      chips.push_back({std::string(say(offered[i].key)), SceneAction::mask, static_cast<Index>(i),
                       mask == offered[i].mask || window});
    }
  }
  float width = 0;
  for (const Chip& chip : chips) {
    const Face face = chip.lit ? Face::bold : Face::ui;
    width += pen.measure(face, pen.type.caption, chip.words).x + pad * pen.u() + gap;
  }
  if (width - gap <= room.width()) room.min.x = room.max.x - width + gap;
  pen.chips(room, chips, height, pad);
}

std::string mask_offered(const Trace& trace, Index which) {
  const auto offered = offered_masks(trace);
  return offered[static_cast<std::size_t>(std::clamp<Index>(which, 0, std::ssize(offered) - 1))].mask;
}

void put_window_edge(Pen& pen, const WordLine& line, const Row& row, Index query, float depth) {
  const SceneContext& context = pen.context();
  const std::string& mask = context.trace.scenario.mask;
  const bool slides = mask == causal || mask.starts_with(windowed(1).substr(0, windowed(1).size() - 2));
  if (!slides || line.lines != 1 || context.view.presenting || query < 1) return;
  const auto first = std::ranges::find(row.hidden, false) - row.hidden.begin();
  const WordPlace* place = line.find(first);
  if (!place || first > query) return;
  const float u = pen.u(), x = place->box.min.x - Space::fine * u, top = place->box.max.y + Space::gap * u,
              bottom = top + depth + Space::gap * u;
  pen.line({x, top}, {x, bottom}, pen.look().muted, Stroke::chosen(u));
  pen.fill(around({x, (top + bottom) / 2}, Space::tight * u, half_handle * u), pen.look().muted, Space::tight * u);
  pen.target({{x - Space::gap * u, top}, {x + Space::gap * u, bottom}}, SceneAction::window_edge, query);
  pen.scene().targets.back().hint = context.words("sentence.window_hint");
}

void drag_window_edge(const Frame& frame, const Scene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  const SceneTarget* pressed = pressed_target(frame);
  if (!pressed || pressed->action != SceneAction::window_edge || !was_dragged(frame)) return;
  const Index query = pressed->index;
  // The edge goes to the boundary before the word that it is nearest to.
  Index first = 0;
  for (const SceneTarget& target : scene.targets) {
    if (target.action == SceneAction::query_word && !target.link && target.rect.centre().x < io.MousePos.x)
      first = std::max(first, target.index + 1);
  }
  const Index width = std::max<Index>(query - std::min(first, query) + 1, 1);
  const bool whole = first == 0;
  const bool of_source = frame.trace()->inputs.file || frame.trace()->inputs.pass;
  const std::string mask = !whole ? windowed(width) : of_source ? std::string() : std::string(causal);
  if (mask != frame.document.scenario.mask) frame.edit("mask window", [mask](Scenario& s) { s.mask = mask; });
}

}  // namespace headlight::sentence_parts
