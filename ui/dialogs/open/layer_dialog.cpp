#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/image/theme.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/state_dict.h"
#include "ui/base/look/measure.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/dialog.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/parts/widgets/text_input.h"

namespace headlight {
namespace {

const LayerCandidate* marked(const LayerChoice& choice) {
  const auto& all = choice.question->candidates;
  const auto at = std::ranges::find(all, choice.layer, &LayerCandidate::layer);
  return at == all.end() ? nullptr : &*at;
}

/// Whether the text is one for --names.
bool are_names(const std::string& text) {
  try {
    given_names(text);
    return true;
  } catch (const InputError&) { return false; }
}

/// Whether all questions are answered.
bool complete(const LayerChoice& choice) {
  if (!choice.question->arrays.empty()) return are_names(choice.search);
  const LayerCandidate* layer = marked(choice);
  return layer != nullptr && (layer->heads || choice.heads);
}

// In points: the columns of the list from its right end, the area below it, and an answer's explanation.
constexpr float width_column = 130, heads_column = 56;
constexpr float below_list = ControlHeight::bar + Space::apart, heads_question = 78, heads_chip = 44;
constexpr float answer_meaning = 38;

struct Columns {
  float name, kind, width, heads, end;
};

Columns columns_of(const Frame& frame, float left, float right) {
  const float u = frame.u;
  return {left + Space::pad * u, left + (right - left) * 0.48f, right - width_column * u, right - heads_column * u,
          right - Space::gap * u};
}

void cell(const Frame& frame, float from, float to, float y, ImU32 colour, std::string_view text) {
  frame.write_elided(Face::ui, TypeSize::body, {from, y}, colour, text, to - from - Space::gap * frame.u);
}

void draw_headings(const Frame& frame) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Columns x = columns_of(frame, at.x, at.x + ImGui::GetContentRegionAvail().x);
  const auto heading = [&](float from, const char* key) {
    frame.write(Face::bold, TypeSize::note, {from, at.y}, frame.look.muted, frame.words(key));
  };
  const LayerQuestion& question = *frame.view().layers.question;
  const bool arrays = !question.arrays.empty(), axes = !question.axes.empty();
  heading(x.name, arrays ? "layers.array" : axes ? "layers.axes" : "layers.layer");
  heading(x.kind, arrays ? "layers.shape" : axes ? "layers.sizes" : "layers.kind");
  if (arrays) return ImGui::Dummy({0, Space::part * frame.u});
  if (!axes) heading(x.width, "layers.d_model");
  heading(x.heads, "layers.heads");
  ImGui::Dummy({0, Space::part * frame.u});
}

/// Returns whether it was double-clicked.
bool draw_candidate(const Frame& frame, const LayerCandidate& candidate, LayerChoice& choice) {
  const float u = frame.u;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x, 1.0f), ControlHeight::chip * u};
  const bool clicked = pressable(frame, candidate.layer.empty() ? "(top)" : candidate.layer.c_str(), size);
  const bool hovered = ImGui::IsItemHovered();
  const bool chosen = candidate.layer == choice.layer;
  if (chosen || hovered) {
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y},
                                              chosen ? frame.look.field_hover : frame.look.field, Corner::control * u);
  }
  const Columns x = columns_of(frame, at.x, at.x + size.x);
  const float y = at.y + Space::close * u;
  cell(frame, x.name, x.kind, y, frame.look.ink,
       candidate.layer.empty() ? frame.words("layers.top") : candidate.layer.c_str());
  cell(frame, x.kind, x.width, y, frame.look.muted, candidate.kind);
  const auto numbered = [&](float from, float to, Index value) {
    cell(frame, from, to, y, frame.look.muted, value > 0 ? std::to_string(value) : "?");
  };
  if (choice.question->axes.empty() && choice.question->arrays.empty()) numbered(x.width, x.heads, candidate.d_model);
  if (choice.question->arrays.empty()) numbered(x.heads, x.end, candidate.heads.value_or(0));
  if (clicked) {
    choice.layer = candidate.layer;
    choice.focus = true;
  }
  return hovered && ImGui::IsMouseDoubleClicked(0);
}

void move_mark(LayerChoice& choice, const std::vector<std::size_t>& found, int by) {
  if (found.empty()) return;
  const auto& all = choice.question->candidates;
  const auto now = std::ranges::find_if(found, [&](std::size_t i) { return all[i].layer == choice.layer; });
  const int last = static_cast<int>(found.size()) - 1;
  const int at = now == found.end() ? 0 : std::clamp(static_cast<int>(now - found.begin()) + by, 0, last);
  choice.layer = all[found[static_cast<std::size_t>(at)]].layer;
}

/// Returns whether a layer was double-clicked.
bool draw_list(const Frame& frame, LayerChoice& choice, const std::vector<std::size_t>& found, float height) {
  draw_headings(frame);
  ImGui::BeginChild("list", {0, height - Space::part * frame.u}, false, ImGuiWindowFlags_NoNav);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  bool twice = false;
  const bool moved = choice.layer != frame.view().layers.layer;
  for (const std::size_t i : found) {
    const LayerCandidate& candidate = choice.question->candidates[i];
    if (moved && candidate.layer == choice.layer) ImGui::SetScrollHereY(0.5f);
    twice |= draw_candidate(frame, candidate, choice);
  }
  if (found.empty()) note(frame, frame.words("layers.none"));
  ImGui::PopStyleVar();
  ImGui::EndChild();
  return twice;
}

/// Asks for the number of heads if the file does not have it.
void draw_heads(const Frame& frame, LayerChoice& choice) {
  const LayerCandidate* layer = marked(choice);
  if (layer == nullptr || layer->heads) return;
  note(frame, frame.words("layers.which_heads"));
  const std::vector<Index> all = possible_heads(layer->d_model);
  bool first = true;
  for (const Index heads : all) {
    const std::string label = std::to_string(heads);
    const float width = heads_chip * frame.u;
    if (!first && ImGui::GetItemRectMax().x + width + Space::tight * frame.u <
                      ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x) {
      ImGui::SameLine(0, Space::tight * frame.u);
    }
    first = false;
    if (chip(frame, label.c_str(), label, choice.heads == heads, width)) {
      choice.heads = heads;
      choice.focus = true;
    }
  }
}

/// The candidates whose names contain `search`, ignoring case.
std::vector<std::size_t> found_layers(const LayerQuestion& question, const std::string& search) {
  const std::string wanted = lowercase(search);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < question.candidates.size(); ++i) {
    if (lowercase(question.candidates[i].layer).find(wanted) != std::string::npos) found.push_back(i);
  }
  return found;
}

/// The text for --names with this array as the next of q, k, v and o.
std::string with_next_name(std::string text, const std::string& array) {
  for (const std::string role : {"q=", "k=", "v=", "o="}) {
    if (("," + text).find("," + role) != std::string::npos) continue;
    if (!text.empty() && !text.ends_with(',')) text += ',';
    return text + role + array;
  }
  return text;
}

/// Returns whether the answer was given.
bool draw_question(const Frame& frame, LayerChoice& choice, Rect inside) {
  const float u = frame.u;
  const LayerQuestion& question = *choice.question;
  const std::string& file = question.scenario.file;
  const bool names = !question.arrays.empty();  // the field is for --names, not for a search
  note(frame, frame.words.fill(names                            ? "layers.which_arrays"
                               : !question.axes.empty()         ? "layers.which_axes"
                               : question.candidates.size() > 1 ? "layers.which"
                                                                : "layers.one",
                               {file_name_of(file), question.candidates.size()}));
  const std::vector<std::size_t> found = found_layers(question, names ? "" : choice.search);
  const PathKeys keys = path_field(frame, "##search", choice.search, choice.focus, {},
                                   frame.words(names ? "layers.names_hint" : "layers.search"));
  if (keys.has_keyboard) choice.focus = false;
  if (!names && (keys.moved != 0 || keys.changed)) move_mark(choice, found_layers(question, choice.search), keys.moved);
  const LayerCandidate* layer = marked(choice);
  const float below = layer != nullptr && !layer->heads ? (below_list + heads_question) * u : below_list * u;
  const std::string last = names ? std::exchange(choice.layer, std::string()) : choice.layer;
  const bool twice = draw_list(frame, choice, found, inside.max.y - ImGui::GetCursorScreenPos().y - below) && !names;
  if (names && !choice.layer.empty()) choice.search = with_next_name(choice.search, choice.layer);
  else if (names) choice.layer = last;
  draw_heads(frame, choice);
  const char* label = frame.words("open.open");
  ImGui::SetCursorScreenPos({inside.max.x - button_width(frame, label), inside.max.y - ControlHeight::bar * u});
  const bool ready = complete(choice);
  const bool clicked = main_button(frame, "take", label, ready);
  return ready && (clicked || twice || keys.entered);
}

struct Answer {
  const char* word;  ///< as for --mask-polarity and in LayerChoice::layer
  MaskPolarity polarity;
  const char* title;
  const char* meaning;
};
constexpr Answer answers[] = {{"attend", MaskPolarity::attend, "polarity.attend", "polarity.attend_means"},
                              {"ignore", MaskPolarity::ignore, "polarity.ignore", "polarity.ignore_means"}};

/// The mask for each answer: 1 where a query may attend.
struct MaskPictures {
  Tensor masks[2];
};
MaskPictures mask_pictures(const Scenario& of) {
  MaskPictures pictures;
  for (std::size_t i = 0; i < 2; ++i) {
    Scenario scenario = of;
    scenario.mask_polarity = answers[i].polarity;
    try {
      pictures.masks[i] = resolve(scenario).file_mask;
    } catch (const InputError&) {  // other errors of the file are shown after the answer
    }
  }
  return pictures;
}

ImU32 ink_of(Rgba colour) { return IM_COL32(colour.r, colour.g, colour.b, 255); }

void draw_mask(const Frame& frame, const Tensor& mask, Rect place) {
  if (!mask.defined()) return;
  const MatrixView cells = mask.matrix(0, 0);
  constexpr Index most = 48;  // of a long mask, only the upper left corner
  const Index rows = std::min(cells.rows, most), cols = std::min(cells.cols, most);
  const float side =
      std::floor(std::min(place.width() / static_cast<float>(cols), place.height() / static_cast<float>(rows)));
  const ThemeColours& theme = colours(frame.view().theme);
  const float gap = side >= 6 ? frame.u : 0;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      const ImVec2 min{place.min.x + static_cast<float>(c) * side, place.min.y + static_cast<float>(r) * side};
      const ImVec2 max{min.x + side - gap, min.y + side - gap};
      const bool seen = cells(r, c) != 0;
      list.AddRectFilled(min, max, seen ? frame.look.allowed : ink_of(theme.hatch_ground));
      if (!seen) list.AddLine({min.x, max.y}, {max.x, min.y}, ink_of(theme.hatch_line), frame.u);
    }
  }
}

bool draw_answer(const Frame& frame, const Answer& answer, const Tensor& mask, Rect place) {
  const float u = frame.u;
  const bool clicked = pressable(frame, answer.word, place);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered) list.AddRectFilled(place.min, place.max, frame.look.field, Corner::card * u);
  compat::add_rect(list, place.min, place.max, hovered ? frame.look.accent : frame.look.line, Corner::card * u, 1);
  const float x = place.min.x + Space::card * u, width = place.width() - 2 * Space::card * u;
  frame.write(Face::bold, TypeSize::large, {x, place.min.y + Space::apart * u}, frame.look.ink,
              frame.words(answer.title));
  draw_paragraph(&list, frame.fonts, Face::ui, TypeSize::body * u, {x, place.min.y + answer_meaning * u},
                 frame.look.muted, frame.words(answer.meaning), width);
  const float text = 2.6f * TypeSize::body * u;  // two lines, so that both pictures have the same height
  draw_mask(frame, mask,
            {{x, place.min.y + (answer_meaning + Space::apart) * u + text},
             {place.max.x - Space::card * u, place.max.y - Space::card * u}});
  return clicked;
}

}  // namespace

std::vector<Index> possible_heads(Index d_model) {
  constexpr Index most = 128;
  std::vector<Index> all;
  for (Index heads = 1; heads <= (d_model > 0 ? std::min(d_model, most) : 32); ++heads) {
    if (d_model % heads == 0) all.push_back(heads);
  }
  return all;
}

std::string layer_dialog_text(const View& view) {
  if (view.dialog != Dialog::layers) return {};
  std::string text = view.layers.question->scenario.file;
  for (const LayerCandidate& candidate : view.layers.question->candidates) text += candidate.layer + candidate.kind;
  return text;
}

void draw_layer_dialog(const Frame& frame, Rect place) {
  const auto& question = frame.view().layers.question;
  if (frame.view().dialog != Dialog::layers || !question || question->candidates.empty()) return;
  const std::size_t count = question->candidates.size();
  const bool several = count > 1;
  const float height = std::min(284 + 26 * static_cast<float>(count), 620.0f);
  const char* title = !question->arrays.empty() ? "layers.title_names"
                      : !question->axes.empty() ? "layers.title_axes"
                      : several                 ? "layers.title"
                                                : "layers.title_heads";
  const DialogArea area(frame, place, Dialog::layers, "layers", frame.words(title), {760, height});
  if (!area.open()) return;
  LayerChoice choice = frame.view().layers;
  const bool answered = draw_question(frame, choice, area.content());
  if (compat::pressed(compat::Key::escape)) return;  // the dialog closes, and the field restores its text
  if (!(choice == frame.view().layers)) {
    frame.show([choice = std::move(choice)](View& v) { v.layers = choice; });
  }
  if (answered) frame.actions.push_back(TakeLayer{});
}

void draw_polarity_dialog(const Frame& frame, Rect place) {
  const auto& question = frame.view().layers.question;
  if (frame.view().dialog != Dialog::layers || !question || !question->candidates.empty()) return;
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::layers, "polarity", frame.words("polarity.title"), {720, 520});
  if (!area.open()) return;
  const MaskPictures& pictures =
      frame.pictures.get<MaskPictures>([&] { return mask_pictures(question->scenario); }, question);
  note(frame, frame.words.fill("polarity.which", {file_name_of(question->scenario.file)}));
  const Rect inside = area.content();
  const float top = ImGui::GetCursorScreenPos().y + Space::near * u, half = (inside.width() - Space::card * u) / 2;
  for (std::size_t i = 0; i < 2; ++i) {
    const float x = inside.min.x + static_cast<float>(i) * (half + Space::card * u);
    if (!draw_answer(frame, answers[i], pictures.masks[i], {{x, top}, {x + half, inside.max.y}})) continue;
    frame.show([word = answers[i].word](View& v) { v.layers.layer = word; });
    frame.actions.push_back(TakeLayer{});
  }
}

}  // namespace headlight
