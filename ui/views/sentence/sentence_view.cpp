
#include <algorithm>

#include "core/base/text/unicode.h"
#include "core/compute/network/network.h"
#include "core/compute/network/shipped_models.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/focus.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/scene/travel.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/sentence/sentence.h"
#include "ui/views/sentence/sides.h"
#include "ui/views/sentence/story.h"
#include "ui/views/sentence/word_line.h"

namespace headlight {
namespace {

constexpr float refusal_width = 300, entry_width = 28, least_field = 60;  // points

const SentenceStory& story(const Frame& frame) {
  return sentence_story(frame,
                        prediction_place(*frame.trace(), frame.view(), asking_word(*frame.trace(), frame.view())));
}

/// A click on a word: the answer to the question, the selected query, or the key.
void click_word(View& view, const Trace& trace, SceneAction action, Index index, bool picture) {
  LevelChoice& levels = view.levels;
  if (levels.guessing.active && !levels.guessing.guess) {
    if (may_be_guessed(trace, view, index)) levels.guessing.guess = static_cast<float>(index);
    return;
  }
  levels.guessing = {};
  if (action != SceneAction::query_word && !picture) {
    const bool again = levels.at == index;
    levels.at = again ? std::nullopt : std::optional(index);
    levels.key = levels.at;
    return;
  }
  if (picture) levels.held = !levels.held || levels.query != index;  // follows the pointer again after the next click
  levels.query = index;
  levels.key.reset();
  view.selected.reset();
}

/// Opens the step of the weights at the cell that the text names, or at the selected word's largest weight.
void look_at_weights(View& view, const Trace& trace, std::optional<Cell> named) {
  const Index query = named ? named->row : asking_word(trace, view);
  Index key = named ? named->col : 0;
  if (!named) {
    const MatrixView weights = numbers_of(trace, view, Stage::weights);
    for (Index k = 1; k < weights.cols; ++k) key = weights(query, k) > weights(query, key) ? k : key;
  }
  LevelChoice& levels = view.levels;
  levels.query = query;
  levels.key = key;
  levels.stage = Stage::weights;
  levels.level = Level::operation;
  levels.facet = Facet::step;
  levels.guessing = {};
}

void click(const Frame& frame, const SceneTarget& target) {
  if (target.action == SceneAction::head) return choose_head(frame, target.cell.batch, target.cell.head);
  if (target.action == SceneAction::knock_out) return knock_out(frame);
  if (target.action == SceneAction::write_word) return write_word(frame, story(frame), target.index);
  if (target.action == SceneAction::mask)
    return frame.edit(
        {}, [mask = sentence_parts::mask_offered(*frame.trace(), target.index)](Scenario& s) { s.mask = mask; });
  if (target.action == SceneAction::draw_word) return write_word(frame, story(frame), {});
  frame.show([action = target.action, index = target.index, cell = target.cell, trace = frame.document.trace,
              picture = story(frame).picture.has_value()](View& view) {
    LevelChoice& levels = view.levels;
    switch (action) {
      case SceneAction::guess:
        levels.query = asking_word(*trace, view);  // the question stays about this word
        levels.guessing = {!levels.guessing.active, {}};
        break;
      case SceneAction::query_word:
      case SceneAction::looked_at:
      case SceneAction::key_word: click_word(view, *trace, action, index, picture); break;
      case SceneAction::look_at: look_at_weights(view, *trace, cell); break;
      case SceneAction::how: look_at_weights(view, *trace, {}); break;
      case SceneAction::measure: view.measure = static_cast<HeadMeasure>(index); break;
      case SceneAction::masks: levels.masks = !levels.masks; break;
      case SceneAction::order: levels.by_look = index == 1; break;
      case SceneAction::back: levels.level = Level::pipeline; break;
      case SceneAction::stage:
        levels.level = Level::operation;
        levels.facet = Facet::step;
        levels.stage = cell.stage;
        view.step.reset();
        break;
      case SceneAction::next_word:
        levels.guessing = {};
        view.head = (view.head + 1) % trace->dims().heads;
        break;
      default: return;
    }
    view.pointed.word.reset();
  });
}

/// A sentence that was entered; if it was refused, it stays in the field.
struct EnteredWords {
  std::string text;
  std::string instead;  ///< the sentence that is still in use
  bool refused = false;
};

EnteredWords& entered_words(const Frame& frame) {
  return frame.pictures.get<EnteredWords>([] { return EnteredWords{}; });
}

/// The error without the setting's name, since the field shows it.
std::string refusal(const Frame& frame) {
  std::string sentence = frame.words.translate(frame.document.error);
  const std::string subject = frame.words.translate(Message("{0}: {1}", "--text", ""));
  if (sentence.starts_with(subject)) sentence.erase(0, subject.size());
  return frame.words.in_window(sentence);
}

/// The error, above the field.
void draw_refusal(const Frame& frame, const Rect& above) {
  const float u = frame.u, pixels = TypeSize::body * u, pad = Space::gap * u;
  const std::string sentence = refusal(frame);
  const float width = std::max(above.width(), refusal_width * u) - 2 * pad;
  const float height = draw_paragraph(nullptr, frame.fonts, Face::ui, pixels, {}, 0, sentence, width);
  const ImVec2 max{above.max.x, above.max.y}, min{max.x - width - 2 * pad, max.y - height - 2 * pad};
  draw_paragraph(&draw_warning_plate(frame, {min, max}), frame.fonts, Face::ui, pixels, {min.x + pad, min.y + pad},
                 frame.look.warning, sentence, width);
}

/// The field for the user's own input: the text, or the picture's file.
std::string Scenario::*input_field(const Frame& frame) {
  const auto run = frame.trace() ? network_of(frame.trace()->inputs) : nullptr;
  return run && run->network->spec().picture ? &Scenario::image : &Scenario::text;
}

/// In the picture cache: the text that the network reads if none was given.
const std::string& words_read(const Frame& frame, std::string Scenario::*field) {
  const Scenario& scenario = frame.document.scenario;
  if (!frame.trace() || field != &Scenario::text || scenario.text_as_input) return scenario.*field;
  const auto read = [&] {
    const auto run = network_of(frame.trace()->inputs);
    return run ? run->network->usual_text(scenario.text) : scenario.text;
  };
  return frame.pictures.kept(read, frame.document.trace, scenario.text);
}

/// Selects one of several sentences, next to the field that holds them all; returns where the field begins.
float offer_entries(const Frame& frame, const Rect& field) {
  constexpr Index most = 8;
  const Index batch = frame.trace()->dims().batch;
  if (batch < 2) return field.min.x;
  const float u = frame.u, width = entry_width * u, gap = Space::thin * u;
  float x = field.min.x;
  const Index first = std::clamp<Index>(frame.view().batch - most / 2, 0, std::max<Index>(batch - most, 0));
  for (Index entry = first; entry < std::min(batch, first + most); ++entry) {
    ImGui::SetCursorScreenPos({x, field.centre().y - ControlHeight::bar * u / 2});
    const std::string label = std::to_string(entry), id = "entry" + label;
    if (chip(frame, id.c_str(), label, entry == frame.view().batch, width))
      frame.show([entry](View& v) { v.batch = entry; });
    tooltip(frame, frame.words("controls.batch"));
    x += width + gap;
  }
  return std::min(x + Space::close * u, field.max.x - least_field * u);
}

/// A letter that is typed while nothing has the keyboard begins a new sentence in the field.
void begin_by_typing(const Frame& frame, const char* id) {
  ImGuiIO& io = ImGui::GetIO();
  const ImGuiID field = ImGui::GetID(id);
  const Dialog dialog = frame.view().dialog;
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || (dialog != Dialog::none && dialog != Dialog::welcome)) return;
  const bool begun_before = frame.typing.recovered && frame.typing.recovered->field == field;
  std::string typed;
  for (const ImWchar c : io.InputQueueCharacters) {
    if (begun_before || !typed.empty() ? c >= ' ' : is_letter(c) || is_digit(c)) append_utf8(typed, c);
  }
  if (typed.empty()) return;
  io.InputQueueCharacters.resize(0);  // the field gets them below, once
  if (!begun_before) frame.typing.recovered = TypedLine{field, {}};
  frame.typing.recovered->text += typed;
  frame.typing.tries = 0;
  frame.pictures.go_on();  // the field gets the keyboard in the next frame
  if (dialog == Dialog::welcome) frame.show([](View& v) { v.dialog = Dialog::none; });
}

/// The field for the user's own sentence. Before the surface, which would otherwise take the
/// pointer.
void offer_words(const Frame& frame, const Scene& scene) {
  const auto at = std::ranges::find(scene.targets, SceneAction::own_words, &SceneTarget::action);
  if (at == scene.targets.end()) return;
  std::string Scenario::*const field = input_field(frame);
  const std::string& given = words_read(frame, field);
  const float left = offer_entries(frame, at->rect);
  ImGui::SetCursorScreenPos({left, at->rect.centre().y - ControlHeight::bar * frame.u / 2});
  ImGui::BeginChild("words", {at->rect.max.x - left, ControlHeight::field * frame.u}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  EnteredWords& entered = entered_words(frame);
  if (!entered.text.empty() && given == entered.text) {
    entered.refused = false;
    if (is_current(frame.document)) entered.text.clear();
  } else if (!entered.text.empty() && !entered.refused) {
    entered.refused = !frame.document.error.empty();
    entered.instead = given;
  } else if (entered.refused && entered.instead != given) {
    entered = {};
  }
  const std::string& stands = entered.refused ? entered.text : given;
  begin_by_typing(frame, "own_words");
  if (const auto text =
          text_field(frame, "own_words", in_one_line(frame, stands), Face::ui, false,
                     frame.words(field == &Scenario::image ? "sentence.own_picture" : "sentence.own_words"),
                     AfterEnter::lets_go)) {
    entered = {as_lines(*text), {}, false};
    // Chinese words are read by the Chinese model, whichever shipped one is open.
    const std::string reader =
        field == &Scenario::text ? model_of_script(frame.document.scenario.file, entered.text) : std::string();
    if (!reader.empty()) frame.actions.push_back(OpenFile{reader, true});
    frame.edit({}, [typed = entered.text, field](Scenario& s) { s.*field = typed; });
  }
  ImGui::EndChild();
  if (says_error(frame))
    draw_refusal(frame, {{at->rect.min.x, 0}, {at->rect.max.x, at->rect.min.y - Space::tight * frame.u}});
}

/// K: knock out this head; H: the next head; with Ctrl where letters are typed.
void press_sentence_keys(const Frame& frame) {
  if (frame.letter('k')) knock_out(frame);
  if (!frame.letter('h')) return;
  frame.show([heads = frame.trace()->dims().heads, step = ImGui::GetIO().KeyShift ? -1 : 1](View& v) {
    v.head = (v.head + step + heads) % heads;
  });
}

/// Like the button that shows it: how the share was computed; otherwise the next level.
void press_enter(const Frame& frame, const Scene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  const Dialog dialog = frame.view().dialog;
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || frame.focus.shown() ||
      (dialog != Dialog::none && dialog != Dialog::welcome) || !compat::pressed_once(compat::Key::enter))
    return;
  const auto how = std::ranges::find(scene.targets, SceneAction::how, &SceneTarget::action);
  if (how != scene.targets.end()) return click(frame, *how);
  frame.show([trace = frame.document.trace, &timeline = frame.timeline](View& v) {
    v = one_level_in(std::move(v), *trace, timeline);
  });
}

void drag_opacity(const Frame& frame) {
  const SceneTarget* pressed = pressed_target(frame);
  if (!pressed || pressed->action != SceneAction::opacity) return;
  const float share = std::clamp((ImGui::GetIO().MousePos.x - pressed->rect.min.x) / pressed->rect.width(), 0.0f, 1.0f),
              rounded = std::round(20 * share) / 20;
  if (rounded != frame.view().levels.opacity) frame.show([rounded](View& v) { v.levels.opacity = rounded; });
}

/// The number of the patch under the pointer.
void draw_pointed_patch(const Frame& frame, const SceneTarget* target) {
  const SentenceStory& shown = story(frame);
  if (!shown.picture || !target || target->link || frame.view().levels.guessing.active) return;
  if (target->action != SceneAction::query_word && target->action != SceneAction::key_word) return;
  sentence_parts::draw_patch_number(scene_context(frame), *shown.picture, asking_word(*frame.trace(), frame.view()),
                                    target->index);
}

}  // namespace

void drag_sampling(const Frame& frame, const SentenceStory& story) {
  const SceneTarget* pressed = pressed_target(frame);
  if (!pressed || pressed->action != SceneAction::sampling) return;
  const double share = static_cast<double>((ImGui::GetIO().MousePos.x - pressed->rect.min.x) / pressed->rect.width());
  const Sampling now = sentence_parts::dialled(
      frame.view().levels.sampling, static_cast<sentence_parts::Dial>(pressed->index), share, std::ssize(story.shares));
  if (!(now == frame.view().levels.sampling)) frame.show([now](View& v) { v.levels.sampling = now; });
}

bool says_error(const Frame& frame) {
  const View& view = frame.view();
  const EnteredWords* entered = frame.pictures.find<EnteredWords>();
  return entered && entered->refused && !frame.document.error.empty() && view.kind == ViewKind::pipeline &&
         level_shown(view) == Level::sentence && view.dialog == Dialog::none;
}

const Scene* last_sentence_scene(const Frame& frame) {
  const auto* last = frame.pictures.find_last<SentenceScene, Index>();
  return last ? &last->scene : nullptr;
}

const Scene& sentence_scene(const Frame& frame, Rect place) {
  const View& view = frame.view();
  const SentenceStory& shown = story(frame);
  const auto make = [&] { return SentenceScene{make_sentence(scene_context(frame), shown, place)}; };
  return frame
      .picture_at<SentenceScene>(asking_word(*frame.trace(), view), make, view.levels, view.measure, view.selected,
                                 view.step, place)
      .scene;
}

void draw_sentence_view(const Frame& frame, Rect place) {
  press_sentence_keys(frame);
  const Scene& scene = sentence_scene(frame, place);
  press_enter(frame, scene);
  offer_words(frame, scene);
  const ScenePointer pointer = point_at(frame, "sentence_surface", place, {&scene});
  const SceneTarget* target = pointer.target;
  const bool guesses = frame.view().levels.guessing.active;  // about one word, whatever the pointer passes
  const std::optional<Index> word = target && !guesses && !target->link && target->action == SceneAction::query_word
                                        ? std::optional(target->index)
                                        : std::nullopt;
  if (pointer.held) {
    drag_sampling(frame, story(frame));
    drag_opacity(frame);
    sentence_parts::drag_window_edge(frame, scene);
  }
  if (pointer.clicked && target) {
    click(frame, *target);
  } else if (const ImVec2 moved = ImGui::GetIO().MouseDelta;  // a resting pointer points at nothing new
             moved.x != 0 || moved.y != 0 || !word) {
    frame.point(&Pointed::word, word);
  }
  draw_scene_on_way(frame, scene);
  draw_lit(*ImGui::GetWindowDrawList(), scene, target, frame.look, frame.u);
  draw_pointed_patch(frame, target);
  tell_hint(frame, scene, target);
}

}  // namespace headlight
