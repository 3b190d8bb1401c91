
#include <algorithm>
#include <cmath>

#include "core/compute/network/gradients.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/frame/frame.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/scene/travel.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/typed_number.h"
#include "ui/views/operation/next.h"
#include "ui/views/operation/operation.h"
#include "ui/views/operation/softmax_row.h"
#include "ui/views/operation/why.h"
#include "ui/views/sentence/sentence.h"
#include "ui/views/sentence/story.h"

namespace headlight {
namespace {

/// In the picture cache, one for each word that the pointer is on.
struct OperationScene {
  Scene scene;
};

Reveal reveal_of(const Frame& frame, Stage stage) {
  Reveal reveal;
  const View& view = frame.view();
  if (!view.step) return reveal;
  if (view.levels.progress) {
    if (frame.timeline.at(*view.step).stage == stage) reveal.share = view.levels.progress;
    return reveal;
  }
  const Moment& now = frame.timeline.at(*view.step);
  if (now.stage != stage) return reveal;
  reveal.shown = frame.timeline.shown(stage, *view.step);
  if (now.kind == Moment::Kind::terms) reveal.terms = now.last;
  if (now.kind == Moment::Kind::travel) reveal.share = static_cast<float>(now.last) / static_cast<float>(travel_parts);
  if (now.kind >= Moment::Kind::shifted && now.kind <= Moment::Kind::sums) reveal.share = softmax_share(now.kind);
  return reveal;
}

/// The word that the followed one is compared with at first: the key with the largest of the other shares.
Index first_rival(const Trace& trace, const View& view) {
  const Focus focus = focus_of(trace, view);
  return largest_column(numbers_of(trace, view, Stage::weights), focus.query, focus.key);
}

/// The place of the followed word, as in prediction_place(), and what the network predicts after it.
Index place_here(const Frame& frame) {
  return prediction_place(*frame.trace(), frame.view(), focus_of(*frame.trace(), frame.view()).query);
}
const SentenceStory& story_here(const Frame& frame) { return sentence_story(frame, place_here(frame)); }

bool shows_facet(const Frame& frame, Facet facet) {
  return frame.view().kind == ViewKind::pipeline && level_shown(frame.view()) == Level::operation &&
         frame.view().levels.facet == facet && says_next(*frame.trace());
}
bool shows_next(const Frame& frame) { return shows_facet(frame, Facet::next); }
bool shows_why(const Frame& frame) { return shows_facet(frame, Facet::why); }

/// Goes to a head, and to the row from which the network predicts.
void go_to_head(const Frame& frame, const Cell& at) {
  choose_head(frame, at.batch, at.head);
  frame.show([row = at.row](View& v) {
    v.levels.level = Level::sentence;
    v.levels.query = row;
    v.levels.key.reset();
    v.selected.reset();
  });
}

/// The view with this facet in the whole window.
View with_facet(View view, Facet facet) {
  view.levels.level = Level::operation;
  view.levels.rival.reset();
  if (!is_of_next_word(view.levels.facet) || !is_of_next_word(facet)) view.levels.explained.reset();
  view.levels.facet = facet;
  view.levels.guessing = {};
  view.pointed.word.reset();
  view.playing = false;
  return view;
}

/// The view after a click on a target. `next`: the next word or the parts of its logit are shown.
View after_click(View view, const SceneTarget& target, const Trace& trace, bool next) {
  LevelChoice& levels = view.levels;
  const Index index = target.index;
  const auto look_at_cell = [&] {
    view = with_focus_on(std::move(view), trace, target.cell);
    view.selected = target.cell;
  };
  switch (target.action) {
    case SceneAction::look_at: look_at_cell(); break;
    case SceneAction::explained: levels.explained = index; break;
    case SceneAction::than: levels.than = index < 0 ? std::nullopt : std::optional(index); break;
    case SceneAction::query_word: levels.query = index; break;
    case SceneAction::drop_trial: levels.trial.reset(); break;
    case SceneAction::unfold:
      levels.unfolded = index != 0;
      if (levels.unfolded && !next) look_at_cell();
      break;
    case SceneAction::score:
      if (index < trace.dims().n_k) levels.key = index;  // the index n_k is the sink, which is not a key
      break;
    case SceneAction::key_word:
      (levels.facet == Facet::journey && levels.rival ? levels.rival : levels.key) = index;
      break;
    case SceneAction::head: view.head = index; break;
    case SceneAction::stage:
      levels.stage = target.cell.stage;
      view.step.reset();
      break;
    case SceneAction::back: levels.level = Level::pipeline; break;
    case SceneAction::facet: {
      const bool gradients = index == static_cast<Index>(gradients_tab);
      if (gradients) view.loss = usual_loss(*network_of(trace.inputs));
      else view.loss.reset();
      view = with_facet(std::move(view), gradients ? Facet::step : static_cast<Facet>(index));
      if (gradients) view.step.reset();
      break;
    }
    case SceneAction::guess:
      levels.guessing = {!levels.guessing.active || levels.guessing.guess, {}};
      levels.progress.reset();
      break;
    case SceneAction::rival:
      levels.key = focus_of(trace, view).key;  // the followed word does not change with the pointer
      levels.rival = levels.rival ? std::nullopt : std::optional(first_rival(trace, view));
      break;
    default: return view;
  }
  view.pointed.word.reset();
  return view;
}

void click(const Frame& frame, const SceneTarget& target) {
  if (target.action == SceneAction::write_word) return write_word(frame, story_here(frame), target.index);
  if (target.action == SceneAction::draw_word) return write_word(frame, story_here(frame), {});
  if (target.action == SceneAction::knock_out) return take_away(frame, target.index);
  if (shows_why(frame) && target.action == SceneAction::head) return go_to_head(frame, target.cell);
  const bool next = shows_next(frame) || shows_why(frame);
  const auto go = [target, trace = frame.document.trace, next](View& view) {
    view = after_click(std::move(view), target, *trace, next);
  };
  const bool gradients = target.action == SceneAction::facet &&
                         (frame.trace()->gradients_of || target.index == static_cast<Index>(gradients_tab));
  frame.actions.push_back(EditView{go, gradients});
}

/// While it is held, the temperature follows the pointer: another scale of the scores, in one undo step.
void drag_temperature(const Frame& frame) {
  const SceneTarget* track = pressed_target(frame);
  if (!track || track->action != SceneAction::temperature) return;
  const double t =
      temperature_at(*frame.trace(), (ImGui::GetIO().MousePos.x - track->rect.min.x) / track->rect.width());
  const double plain = 1 / std::sqrt(static_cast<double>(frame.trace()->dims().d_head));
  const bool snaps = std::abs(std::log(t)) < 0.06, none = std::abs(std::log(t / plain)) < 0.06;
  frame.edit("scale", [=](Scenario& s) {
    s.scale.reset();
    if (!snaps) s.scale = none ? 1.0f : static_cast<float>(plain / t);
  });
}

/// A score that is dragged: its key, what was added to it before, and what a pixel upwards adds.
struct HeldScore {
  bool held = false;
  Index key = 0;
  float before = 0, step = 0;
};

/// The score follows the pointer, and the whole row with it; the document's numbers stay as they are.
void drag_score(const Frame& frame) {
  HeldScore& score = frame.pictures.get<HeldScore>([] { return HeldScore{}; });
  const ImGuiIO& io = ImGui::GetIO();
  const Trace& trace = *frame.trace();
  const Index query = focus_of(trace, frame.view()).query;
  if (ImGui::IsItemActivated()) {
    const SceneTarget* pressed = pressed_target(frame);
    score.held = pressed && pressed->action == SceneAction::score;
    if (!score.held) return;
    score.key = pressed->index;
    score.step = pressed->step;
    score.before = tried_part(trace, trial_of(trace, frame.view(), query), score.key);
  }
  if (!score.held || !was_dragged(frame)) return;
  const float added = score.before + (io.MouseClickedPos[0].y - io.MousePos.y) * score.step;
  frame.show([query, key = score.key, added, trace = frame.document.trace](View& v) {
    v.levels.query = query;
    v.levels.key = focus_of(*trace, v).key;  // the selection stays
    v = with_tried_score(std::move(v), *trace, query, key, added);
  });
}

/// What the network predicts after the followed word.
std::vector<Guess> words_beside_journey(const Frame& frame) {
  return frame.view().presenting || place_here(frame) < 0 ? std::vector<Guess>() : story_here(frame).next;
}

Scene why_scene(const Frame& frame, Rect place) {
  const LevelChoice& levels = frame.view().levels;
  const WhyParts parts =
      why_parts(*frame.trace(), frame.view(), other_pass(frame), place_here(frame), levels.explained, levels.than);
  return make_why(scene_context(frame), parts, place);
}

Scene next_scene(const Frame& frame, Rect place) {
  const View& view = frame.view();
  const SentenceStory& story = story_here(frame);
  const NextWords next =
      next_words(*frame.trace(), view, story, other_pass(frame), place_here(frame), view.levels.explained);
  return make_next(scene_context(frame), next, story, place);
}

/// SceneContext::weights_before.
MatrixView weights_before(const Frame& frame) {
  const auto run = network_of(frame.trace()->inputs);
  const View& view = frame.view();
  if (!run || !run->change || view.levels.knocked) return {};
  const OtherPass& other = other_pass(frame);
  if (!other.run || other.unswapped) return {};
  const Tensor& weights = other.run->layers[static_cast<std::size_t>(run->change->layer)].weights;
  const bool same_heads = weights.defined() && weights.size(1) == frame.trace()->dims().heads;
  return same_heads ? weights.matrix(view.batch, view.head) : MatrixView{};
}

Scene scene_of(const Frame& frame, Rect place) {
  const View& view = frame.view();
  const bool alone = level_shown(view) == Level::operation;  // else beside the cards
  const Facet facet = alone && has_facets(*frame.trace()) ? view.levels.facet : Facet::step;
  if (facet == Facet::journey) return make_journey(scene_context(frame), words_beside_journey(frame), place);
  if (facet == Facet::geometry) return make_geometry(scene_context(frame), place);
  if (shows_why(frame)) return why_scene(frame, place);
  if (frame.trace()->gradients_of) return make_gradients(scene_context(frame), stage_shown(frame), place);
  SceneContext context = scene_context(frame);
  context.weights_before = weights_before(frame);
  const SentenceStory* story = says_next(*frame.trace()) ? &story_here(frame) : nullptr;
  const bool breaks = story && has_breaks(context, *story, place);
  const Rect room = breaks ? without_breaks(context, place) : place;
  const Stage stage = stage_shown(frame);
  Scene scene =
      shows_next(frame) ? next_scene(frame, room) : make_operation(context, stage, reveal_of(frame, stage), room);
  Pen pen(context, scene);
  if (breaks) put_breaks(pen, *story, can_swap_words(frame), place);
  return scene;
}

/// The field for a guess of the hidden number.
void offer_guess(const Frame& frame, const Scene& scene) {
  const auto at = std::ranges::find(scene.targets, SceneAction::own_words, &SceneTarget::action);
  if (at == scene.targets.end()) return;
  const ControlArea area("guess", at->rect);
  if (const auto text = text_field(frame, "guess", "", Face::mono, false, frame.words("guess.field"))) {
    if (const std::optional<double> guess = typed_number(*text)) {
      frame.show([guess = static_cast<float>(*guess)](View& v) { v.levels.guessing.guess = guess; });
    } else if (!text->empty()) {
      frame.actions.push_back(ShowError{frame.words.fill("guess.no_number", {*text})});
    }
  }
}

}  // namespace

void press_facet_keys(const Frame& frame) {
  if (!has_facets(*frame.trace())) return;
  for (const Facet facet : {Facet::journey, Facet::geometry}) {
    if (frame.letter(facet == Facet::journey ? 'j' : 'g'))
      frame.show([facet, trace = frame.document.trace, &timeline = frame.timeline](View& v) {
        if (level_shown(v) == Level::pipeline) {  // of what is selected
          if (v.selected && contains(*trace, *v.selected)) v = with_focus_on(std::move(v), *trace, *v.selected);
          v = one_level_in(std::move(v), *trace, timeline);
          v.kind = ViewKind::pipeline;
        }
        v = with_facet(std::move(v),
                       v.levels.level == Level::operation && v.levels.facet == facet ? Facet::step : facet);
      });
  }
}

bool write_next_word(const Frame& frame) {
  if (!frame.trace() || !shows_next(frame) || !story_here(frame).writes) return false;
  write_word(frame, story_here(frame), {});
  frame.show([](View& v) { v.levels.explained.reset(); });
  return true;
}

const Scene* last_operation_scene(const Frame& frame) {
  const auto* last = frame.pictures.find_last<OperationScene, std::optional<Index>>();
  return last ? &last->scene : nullptr;
}

const Scene& operation_scene(const Frame& frame, Rect place) {
  const View& view = frame.view();
  const std::optional<Index> word = view.levels.facet == Facet::step ? std::nullopt : view.pointed.word;
  const auto make = [&] { return OperationScene{scene_of(frame, place)}; };
  return frame.picture_at<OperationScene>(word, make, view.levels, view.selected, view.step, view.way, place).scene;
}

bool drags_in_operation(const Frame& frame) {
  const SceneTarget* pressed = pressed_target(frame);
  return pressed && (pressed->action == SceneAction::temperature || pressed->action == SceneAction::score ||
                     pressed->action == SceneAction::sampling);
}

void draw_operation_view(const Frame& frame, Rect place) {
  const Scene& scene = operation_scene(frame, place);
  offer_guess(frame, scene);
  const ScenePointer pointer = point_at(frame, "operation_surface", place, {&scene});
  const SceneTarget* target = pointer.target;
  const bool near_words = frame.view().levels.facet != Facet::step && !shows_next(frame) && !shows_why(frame) &&
                          !frame.view().levels.rival && !pointer.held;
  const std::optional<Index> word = near_words && target && !target->link && target->action == SceneAction::key_word
                                        ? std::optional(target->index)
                                        : std::nullopt;
  if (pointer.held) {
    drag_temperature(frame);
    if (shows_next(frame)) drag_sampling(frame, story_here(frame));
    drag_score(frame);
  }
  if (pointer.clicked && target) {
    click(frame, *target);
  } else if (frame.view().levels.facet != Facet::step) {
    frame.point(&Pointed::word, word);
  }
  draw_scene_on_way(frame, scene);
  draw_lit(*ImGui::GetWindowDrawList(), scene, target, frame.look, frame.u);
}

}  // namespace headlight
