#include <algorithm>
#include <type_traits>
#include <utility>

#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/operation/operation.h"
#include "ui/views/sentence/story.h"

namespace headlight {
namespace {

/// Where the pointer is, or was last.
struct NetworkPlace {
  HeadPlace head;
  std::optional<Index> word;
  bool operator==(const NetworkPlace&) const = default;
};

NetworkPlace place_pointed(const Frame& frame, const HeadOverview& overview) {
  return {looked_at_head(overview, frame.view()), frame.view().pointed.word};
}

/// A picture that follows the current layer, word or head is made for each place; the heads' cards only once.
const Scene& network_scene(const Frame& frame, const HeadOverview& overview, const FactsSoFar& so_far, Rect place) {
  const View& view = frame.view();
  const auto picture_at = [&](const std::optional<NetworkPlace>& at) -> const NetworkScene& {
    return frame.kept_at(
        at, [&] { return make_network(scene_context(frame), overview, so_far.facts, place); },
        static_cast<const NetworkShown&>(view.network), view.measure, view.levels.query, so_far.version, place);
  };
  const NetworkScene& picture = picture_at({});
  return picture.follows ? picture_at(place_pointed(frame, overview)).scene : picture.scene;
}

const Scene& network_overlay(const Frame& frame, const HeadOverview& overview, const FactsSoFar& so_far,
                             const Scene& scene, Rect place) {
  const View& view = frame.view();
  return frame.kept_at(
      place_pointed(frame, overview),
      [&] { return make_network_overlay(scene_context(frame), overview, so_far.facts, scene, place); },
      static_cast<const NetworkShown&>(view.network), view.measure, view.levels.query, so_far.version, place);
}

void look_at(const Frame& frame, HeadPlace at) {
  frame.show([at](View& v) {
    v.network.layer = at.layer;
    v.network.head = at.head;
  });
}

/// Opens the head in its layer, at the level of the sentence if it has words.
void open_head(const Frame& frame, const HeadOverview& overview, HeadPlace at) {
  const OverviewLayer& layer = item(overview.layers, at.layer);
  const bool words = !layer.keys->empty();
  frame.show([at, words](View& v) {
    v.network.layer.reset();
    v.network.head.reset();
    v.head = at.head;
    v.kind = ViewKind::pipeline;
    v.levels.level = words ? Level::sentence : Level::pipeline;
    v.selected.reset();
    v.step.reset();
  });
  if (at.layer == overview.chosen) return;
  frame.edit("layer", [name = layer.layer](Scenario& s) { s.layer = name; });
}

/// Sets the head's output to zero, or restores it: everything after it is recomputed.
void knock_out(const Frame& frame, const HeadOverview& overview, HeadPlace at) {
  if (!overview.network) return;
  const OverviewLayer& layer = item(overview.layers, at.layer);
  const bool silent = item(layer.silent, at.head);
  look_at(frame, at);
  frame.edit({}, [name = layer.layer, head = at.head, heads = std::ssize(layer.silent), silent](Scenario& s) {
    if (!silent) {
      s.knock_out.push_back({name, head});
      return;
    }
    // If a whole layer was knocked out, its other heads stay knocked out.
    const bool whole =
        std::erase_if(s.knock_out, [&](const HeadAddress& each) { return each.head < 0 && each.layer == name; }) > 0;
    std::erase_if(s.knock_out, [&](const HeadAddress& each) { return each.layer == name && each.head == head; });
    for (Index h = 0; whole && h < heads; ++h) {
      if (h != head) s.knock_out.push_back({name, h});
    }
  });
}

/// Sets one of the view's choices.
template <typename T>
void choose(const Frame& frame, T NetworkShown::*member, std::type_identity_t<T> value) {
  frame.show([member, value = std::move(value)](View& v) { v.network.*member = value; });
}

void look_at_word(const Frame& frame, Index word) {
  frame.show([word](View& v) {
    v.levels.query = word;
    v.levels.key.reset();
  });
}

void turn_to(const Frame& frame, LayersTogether what) {
  frame.show([what](View& v) { v.network.together = v.network.together == what ? LayersTogether::none : what; });
}

/// Replaces the text by a sentence of the study, and opens the head.
void open_line(const Frame& frame, const HeadOverview& overview, const std::string& line) {
  open_head(frame, overview, looked_at_head(overview, frame.view()));
  frame.edit({}, [line](Scenario& s) { s.text = line; });
  frame.show([](View& v) {
    v.batch = 0;
    v.levels.query.reset();
    v.levels.key.reset();
  });
}

/// The text fields of the view: the second sentence, the word, the file of sentences. Before the surface, which would
/// otherwise take the pointer.
void offer_fields(const Frame& frame, const Scene& scene) {
  constexpr std::pair<std::string NetworkShown::*, const char*> fields[] = {
      {&NetworkShown::patch_from, "network.patch_from_hint"},
      {&NetworkShown::patch_word, "network.patch_word_hint"},
      {&NetworkShown::texts, "network.study_file_hint"}};
  for (const SceneTarget& target : scene.targets) {
    if (target.action != SceneAction::own_words) continue;
    const auto& [member, hint] = item(fields, target.index);
    const ControlArea area(hint, target.rect);
    if (const auto text = text_field(frame, "field", frame.view().network.*member, Face::ui, false,
                                     frame.words(key_for(*frame.trace(), hint))))
      choose(frame, member, *text);
  }
}

void click_study(const Frame& frame, const HeadOverview& overview, const NetworkFacts& facts,
                 const SceneTarget& target) {
  switch (target.action) {
    case SceneAction::study_head: return look_at(frame, {target.cell.batch, target.cell.head});
    case SceneAction::study_line: return open_line(frame, overview, item(facts.study.lines, target.index));
    case SceneAction::study_sort:
      return frame.show([by = target.index](View& v) {
        v.network.study_up = v.network.study_sort == by && !v.network.study_up;
        v.network.study_sort = by;
        v.network.study_from = 0;
      });
    case SceneAction::study_filter:
      return frame.show([of = static_cast<StudyFilter>(target.index)](View& v) {
        v.network.study_of = of;
        v.network.study_from = 0;
      });
    case SceneAction::study_mean: return choose(frame, &NetworkShown::study_mean, target.index == 1);
    case SceneAction::study_page: return choose(frame, &NetworkShown::study_from, target.index);
    case SceneAction::patched: return choose(frame, &NetworkShown::patched, static_cast<PatchedState>(target.index));
    case SceneAction::task_stop: return frame.task.stop();
    case SceneAction::task_again: return frame.task.again();
    default: return;
  }
}

void click(const Frame& frame, const HeadOverview& overview, const NetworkFacts& facts, const SceneTarget& target) {
  switch (target.action) {
    case SceneAction::head: return open_head(frame, overview, {target.cell.batch, target.cell.head});
    case SceneAction::how: return open_head(frame, overview, looked_at_head(overview, frame.view()));
    case SceneAction::knock_out: return knock_out(frame, overview, looked_at_head(overview, frame.view()));
    case SceneAction::layer: return look_at(frame, {target.index, looked_at_head(overview, frame.view()).head});
    case SceneAction::query_word:
      if (frame.view().network.together == LayersTogether::writing || reads_pictures(*frame.trace()))
        look_at_word(frame, target.index);
      return;
    case SceneAction::together: return turn_to(frame, static_cast<LayersTogether>(target.index));
    case SceneAction::order:
      return frame.show([order = static_cast<HeadOrder>(target.index)](View& v) {
        v.network.order = order;
        v.network.together = LayersTogether::none;
      });
    case SceneAction::measure:
      return frame.show([measure = static_cast<HeadMeasure>(target.index)](View& v) { v.measure = measure; });
    case SceneAction::pattern:
      return choose(frame, &NetworkShown::pattern,
                    target.index < 0 ? std::nullopt : std::optional(static_cast<HeadPattern>(target.index)));
    case SceneAction::lens:
      open_head(frame, overview, {target.cell.batch, looked_at_head(overview, frame.view()).head});
      return look_at_word(frame, target.index);
    default: return click_study(frame, overview, facts, target);
  }
}

/// The wheel scrolls the study's table.
void turn_wheel(const Frame& frame, const Scene& scene) {
  const float wheel = ImGui::GetIO().MouseWheel;
  const auto place = std::ranges::find(scene.targets, SceneAction::study_page, &SceneTarget::action);
  if (wheel == 0 || !ImGui::IsItemHovered() || place == scene.targets.end()) return;
  choose(frame, &NetworkShown::study_from,
         std::clamp<Index>(place->cell.col - std::lround(3 * wheel), 0, place->cell.row));
}

/// Arrows move between heads and layers, Enter opens the head; J and G act on this head; K: knock it out; M, R, F:
/// mean, rollout, flow.
void press_network_keys(const Frame& frame, const HeadOverview& overview, const NetworkFacts& facts) {
  const HeadPlace at = looked_at_head(overview, frame.view());
  if (has_facets(*frame.trace()) && (frame.letter('j') || frame.letter('g'))) choose_head(frame, at.layer, at.head);
  if (frame.letter('k')) knock_out(frame, overview, at);
  if (!frame.takes_shortcuts()) return;
  if (frame.view().menu || frame.focus.shown()) return;
  using compat::Key;
  const int across = static_cast<int>(compat::pressed(Key::right)) - static_cast<int>(compat::pressed(Key::left));
  const int down = static_cast<int>(compat::pressed(Key::down)) - static_cast<int>(compat::pressed(Key::up));
  if (across != 0 && frame.view().network.together == LayersTogether::writing)
    look_at_word(frame, std::clamp<Index>(written_word(facts, frame.view()) + across, 0, std::ssize(facts.text) - 1));
  else if (across != 0 || down != 0) look_at(frame, neighbour(overview, facts, frame.view(), across, down));
  if (compat::pressed_once(Key::enter)) open_head(frame, overview, at);
  if (!frame.takes_letters()) return;
  if (compat::pressed_once('m')) turn_to(frame, LayersTogether::mean);
  if (compat::pressed_once('r')) turn_to(frame, LayersTogether::rollout);
  if (compat::pressed_once('f')) turn_to(frame, LayersTogether::flow);
}

}  // namespace

void draw_network_view(const Frame& frame, Rect place) {
  const std::shared_ptr<const HeadOverview>& kept = frame.trace()->overview;
  if (!kept || kept->layers.empty()) {
    const bool on_its_way = !kept && frame.trace()->has(Stage::weights);
    frame.write(Face::ui, TypeSize::heading,
                {place.min.x + Space::section * frame.u, place.min.y + Space::section * frame.u}, frame.look.muted,
                frame.words(on_its_way ? "messages.computing" : "network.none"));
    return;
  }
  const HeadOverview& overview = *kept;
  const FactsSoFar& so_far = network_facts(frame, overview);
  press_network_keys(frame, overview, so_far.facts);
  const Scene& scene = network_scene(frame, overview, so_far, place);
  offer_fields(frame, scene);
  const Scene& overlay = network_overlay(frame, overview, so_far, scene, place);
  const ScenePointer pointer = point_at(frame, "network_surface", place, {&scene, &overlay}, {SceneAction::query_word});
  const SceneTarget* target = pointer.target;
  turn_wheel(frame, scene);
  const ImVec2 delta = ImGui::GetIO().MouseDelta;
  const bool moved = delta.x != 0 || delta.y != 0;  // a resting pointer does not override the arrow keys
  const std::optional<Index> word =
      target && target->action == SceneAction::query_word ? std::optional(target->index) : std::nullopt;
  if (pointer.clicked && target) {
    click(frame, overview, so_far.facts, *target);
  } else if (moved && target && target->action == SceneAction::head) {
    const HeadPlace at{target->cell.batch, target->cell.head};
    if (!(looked_at_head(overview, frame.view()) == at)) frame.actions.push_back(Hover{PointedHead{at.layer, at.head}});
  }
  frame.point(&Pointed::word, word);
  draw_scene(frame, *ImGui::GetWindowDrawList(), scene);
  draw_scene(frame, *ImGui::GetWindowDrawList(), overlay);
}

}  // namespace headlight
