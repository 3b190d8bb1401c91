#include "ui/dialogs/open/open_dialog.h"

#include <algorithm>

#include "core/base/arrays/file_watch.h"
#include "core/base/files/recent_files.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/shipped_models.h"
#include "core/models/architecture/model_folder.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/dialog.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/parts/widgets/text_input.h"
#include "ui/views/lessons/lesson_panel.h"

namespace headlight {
namespace {

constexpr float row_height = 26;
constexpr float side_width = 236;

/// The result of one frame of the dialog: its state, and the chosen file.
struct Turn {
  OpenChoice choice;
  std::string taken;
};

/// A clickable line: its rectangle, and its pointer events.
struct Line {
  ImVec2 min, max;
  bool clicked = false, twice = false;
};

Line line(const Frame& frame, const char* id, bool marked) {
  Line drawn;
  drawn.min = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x, 1.0f), row_height * frame.u};
  drawn.max = {drawn.min.x + size.x, drawn.min.y + size.y};
  drawn.clicked = pressable(frame, id, size);
  const bool hovered = ImGui::IsItemHovered();
  drawn.twice = hovered && ImGui::IsMouseDoubleClicked(0);
  if (marked || hovered) {
    ImGui::GetWindowDrawList()->AddRectFilled(drawn.min, drawn.max, marked ? frame.look.field_hover : frame.look.field,
                                              Corner::control * frame.u);
  }
  return drawn;
}

/// Text from `from` to `to`, cut if it is longer.
void line_text(const Frame& frame, const Line& drawn, float from, float to, ImU32 colour, std::string_view text) {
  const float u = frame.u;
  frame.write_elided(Face::ui, TypeSize::body, {from, drawn.min.y + Space::close * u}, colour, text, to - from);
}

/// A line of the left column; returns whether it was clicked.
bool place_line(const Frame& frame, const std::string& id, std::string_view text) {
  const Line drawn = line(frame, id.c_str(), false);
  line_text(frame, drawn, drawn.min.x + Space::gap * frame.u, drawn.max.x - Space::gap * frame.u, frame.look.ink, text);
  return drawn.clicked;
}

const std::vector<ShippedModel>& models_listed(Pictures& pictures, const OpenChoice& choice) {
  return pictures.kept([] { return shipped_models(); }, choice.visit);
}

/// The model that "model:ID" names; null for any other path.
const ShippedModel* shipped_model(const Frame& frame, const std::string& path) {
  for (const ShippedModel& model : models_listed(frame.pictures, frame.view().open)) {
    if (path == shipped_model_prefix + model.id) return &model;
  }
  return nullptr;
}

void draw_recent(const Frame& frame, Turn& turn) {
  constexpr std::size_t most = 7;
  const std::vector<std::string>& paths = frame.recent.paths();
  section(frame, frame.words("open.recent"));
  if (paths.empty()) note(frame, frame.words("open.none_yet"));
  for (std::size_t i = 0; i < std::min(paths.size(), most); ++i) {
    const ShippedModel* model = shipped_model(frame, paths[i]);
    const std::string_view name =
        model ? std::string_view(in_language(model->title, frame.words.language())) : file_name_of(paths[i]);
    if (place_line(frame, "recent " + paths[i], name)) turn.taken = paths[i];
    tooltip(frame, paths[i]);
  }
}

/// The trained models that ship.
void draw_models(const Frame& frame, Turn& turn) {
  section(frame, frame.words("open.models"));
  for (const ShippedModel& model : models_listed(frame.pictures, frame.view().open)) {
    const std::string path = shipped_model_prefix + model.id;
    if (place_line(frame, path, in_language(model.title, frame.words.language()))) turn.taken = path;
    tooltip(frame, in_language(model.task, frame.words.language()));
  }
  ImGui::Dummy({0, Space::gap * frame.u});
}

/// Models that are watched from Python.
void draw_runs(const Frame& frame, Turn& turn) {
  constexpr std::size_t most = 3;
  const std::vector<std::string>& runs = frame.pictures.kept([] { return watched_runs(); }, frame.view().open.visit);
  if (runs.empty()) return;
  section(frame, frame.words("open.runs"));
  for (std::size_t i = 0; i < std::min(runs.size(), most); ++i) {
    if (place_line(frame, runs[i], runs[i])) turn.taken = newest_of_run(runs[i]);
  }
  ImGui::Dummy({0, Space::gap * frame.u});
}

void draw_lessons(const Frame& frame, Turn& turn) {
  section(frame, frame.words("open.lessons"));
  for (const Lesson& lesson : shown_lessons(frame.pictures)) {
    if (place_line(frame, lesson.id, in_language(lesson.title, frame.words.language())))
      turn.taken = "lesson:" + lesson.id;
  }
}

/// Changes to another folder.
void enter(const Frame& frame, OpenChoice& choice, const std::string& folder) {
  if (folder_part(folder) == open_picture(frame.pictures, frame.view().open).folder) ++choice.visit;
  choice.typed = folder;
  choice.marked = -1;
  choice.focus = true;
}

void take(const Frame& frame, Turn& turn, const FolderEntry& entry) {
  const std::string path = open_picture(frame.pictures, frame.view().open).folder + entry.name;
  entry.folder && !entry.model ? enter(frame, turn.choice, path + '/') : void(turn.taken = path);
}

/// Enter, or the button: takes the marked file, otherwise the typed path, otherwise the current folder if it is a
/// model.
void take_typed(const Frame& frame, Turn& turn, const OpenPicture& picture) {
  const OpenChoice& choice = turn.choice;
  const auto& entries = picture.listing.entries;
  const std::string whole = picture.folder + picture.part;
  const auto exact =
      std::ranges::find_if(entries, [&](const FolderEntry& entry) { return entry.name == picture.part; });
  if (choice.marked >= 0 && choice.marked < static_cast<int>(picture.shown.size())) {
    take(frame, turn, entries[picture.shown[static_cast<std::size_t>(choice.marked)]]);
  } else if (exact != entries.end()) {
    take(frame, turn, *exact);
  } else if (picture.shown.size() == 1 && !picture.part.empty()) {
    take(frame, turn, entries[picture.shown.front()]);
  } else if (!picture.part.empty()) {
    const bool ships = choice.typed.starts_with("lesson:") || choice.typed.starts_with(shipped_model_prefix);
    turn.taken = ships ? choice.typed : whole;
  } else if (picture.listing.model) {
    turn.taken = picture.folder.substr(0, picture.folder.size() - 1);
  }
}

void draw_field(const Frame& frame, Turn& turn, const OpenPicture& picture) {
  OpenChoice& choice = turn.choice;
  const PathKeys keys = path_field(frame, "##path", choice.typed, choice.focus, [&](const std::string& typed) {
    const std::string part = name_part(typed);
    return typed.substr(0, typed.size() - part.size()) + completed(picture.listing, part);
  });
  if (keys.has_keyboard) choice.focus = false;
  if (keys.changed) choice.marked = -1;
  const int last = static_cast<int>(picture.shown.size()) - 1;
  if (keys.moved != 0) choice.marked = std::clamp(choice.marked + keys.moved, std::min(0, last), last);
  if (keys.entered) {
    choice.focus = true;
    take_typed(frame, turn, picture);
  }
}

/// The columns of the list, and the width from which the kind of a file is one of them, in points.
struct ListColumns {
  static constexpr float kind = 104, size = 84, date = 118, all_from = 430;
};

/// The sign of a folder: a body with a tab above it, in points from the line's upper left corner.
struct FolderSign {
  static constexpr float left = 9, right = 22, top = 7, body = 9;
};

void draw_entry(const Frame& frame, Turn& turn, const OpenPicture& picture, int row) {
  const float u = frame.u;
  OpenChoice& choice = turn.choice;
  const FolderEntry& entry = picture.listing.entries[picture.shown[static_cast<std::size_t>(row)]];
  const Line drawn = line(frame, entry.name.c_str(), row == choice.marked);
  const float right = drawn.max.x - Space::pad * u;
  const bool wide = right - drawn.min.x > ListColumns::all_from * u;
  const float date = right - ListColumns::date * u, size = date - ListColumns::size * u,
              kind = wide ? size - ListColumns::kind * u : size;
  if (entry.folder) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({drawn.min.x + FolderSign::left * u, drawn.min.y + FolderSign::top * u},
                       {drawn.min.x + Space::card * u, drawn.min.y + Space::pad * u}, frame.look.muted, u);
    list.AddRectFilled({drawn.min.x + FolderSign::left * u, drawn.min.y + FolderSign::body * u},
                       {drawn.min.x + FolderSign::right * u, drawn.min.y + Space::row * u}, frame.look.muted,
                       Corner::mark * u);
  }
  line_text(frame, drawn, drawn.min.x + (FolderSign::right + Space::gap) * u, kind - Space::pad * u, frame.look.ink,
            entry.name);
  if (wide) line_text(frame, drawn, kind, size - Space::tight * u, frame.look.muted, frame.words(entry.kind));
  const float width = frame.width(Face::ui, TypeSize::body, entry.size);
  line_text(frame, drawn, date - Space::row * u - width, date, frame.look.muted, entry.size);
  line_text(frame, drawn, date, right + Space::tight * u, frame.look.muted, entry.changed);
  if (drawn.twice) {
    take(frame, turn, entry);
  } else if (drawn.clicked) {
    choice.marked = row;
    choice.focus = true;
  }
}

void draw_entries(const Frame& frame, Turn& turn, const OpenPicture& picture, float height) {
  ImGui::BeginChild("files", {0, height}, false, ImGuiWindowFlags_NoNav);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const std::string above = folder_above(picture.folder);
  if (above != picture.folder && picture.part.empty()) {
    const Line drawn = line(frame, "..", false);
    line_text(frame, drawn, drawn.min.x + (FolderSign::right + Space::gap) * frame.u, drawn.max.x, frame.look.muted,
              frame.words("open.above"));
    if (drawn.clicked) enter(frame, turn.choice, above);
  }
  const float top = ImGui::GetCursorPosY();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(picture.shown.size()), row_height * frame.u);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) draw_entry(frame, turn, picture, row);
  }
  if (picture.shown.empty()) note(frame, frame.words(picture.listing.readable ? "open.nothing" : "open.unreadable"));
  const int marked = turn.choice.marked;
  if (marked != frame.view().open.marked && marked >= 0) {
    ImGui::SetScrollFromPosY(top - ImGui::GetScrollY() + (static_cast<float>(marked) + 0.5f) * row_height * frame.u,
                             0.5f);
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

void draw_files(const Frame& frame, Turn& turn, float height) {
  const float u = frame.u;
  const OpenPicture& picture = open_picture(frame.pictures, frame.view().open);
  const float top = ImGui::GetCursorPosY();
  draw_field(frame, turn, picture);
  ImGui::Dummy({0, Space::fine * u});
  draw_entries(frame, turn, picture, height - (ImGui::GetCursorPosY() - top) - (ControlHeight::bar + Space::apart) * u);
  ImGui::SetCursorPosY(top + height - ControlHeight::bar * u);
  const char* label = frame.words("open.open");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x - button_width(frame, label);
  frame.write_elided(Face::ui, TypeSize::note, {at.x, at.y + Space::near * u}, frame.look.muted,
                     frame.words("open.hint"), right - at.x - Space::apart * u);
  ImGui::SetCursorScreenPos({right, at.y});
  if (main_button(frame, "take", label)) take_typed(frame, turn, picture);
}

/// Running and shipped models, recent files and lessons, in the left column; returns where the rest begins.
float draw_places(const Frame& frame, Turn& turn, const Rect& inside) {
  const float u = frame.u;
  const float side = std::min(side_width * u, inside.width() * 0.36f);
  ImGui::BeginChild("places", {side, inside.height()}, false, ImGuiWindowFlags_NoNav);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  draw_runs(frame, turn);
  draw_models(frame, turn);
  draw_recent(frame, turn);
  ImGui::Dummy({0, Space::gap * u});
  draw_lessons(frame, turn);
  ImGui::PopStyleVar();
  ImGui::EndChild();
  const float gap = Space::row * u;
  ImGui::GetWindowDrawList()->AddLine({inside.min.x + side + gap / 2, inside.min.y},
                                      {inside.min.x + side + gap / 2, inside.max.y}, frame.look.line);
  return inside.min.x + side + gap;
}

std::string starting_folder(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  if (now.source == Source::file && !now.file.starts_with(shipped_model_prefix)) return folder_part(now.file);
  const std::vector<std::string>& recent = frame.recent.paths();
  const auto file =
      std::ranges::find_if(recent, [](const std::string& path) { return !path.starts_with(shipped_model_prefix); });
  return file == recent.end() ? folder_part("./") : folder_part(*file);
}

}  // namespace

void draw_open_dialog(const Frame& frame, Rect place) {
  const bool masks = frame.view().open.masks;
  const DialogArea area(frame, place, Dialog::open, "open", frame.words(masks ? "open.mask_title" : "open.title"),
                        {960, 620});
  if (!area.open()) return;
  Turn turn{frame.view().open, {}};
  const Rect inside = area.content();
  const float left = masks ? inside.min.x : draw_places(frame, turn, inside);
  ImGui::SetCursorScreenPos({left, inside.min.y});
  ImGui::BeginChild("browser", {inside.max.x - left, inside.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  draw_files(frame, turn, inside.height());
  ImGui::EndChild();
  if (compat::pressed(compat::Key::escape)) return;  // the dialog closes, and the field restores its text
  if (!(turn.choice == frame.view().open)) {
    frame.show([choice = std::move(turn.choice)](View& v) { v.open = choice; });
  }
  if (!turn.taken.empty())
    frame.actions.push_back(masks ? Action(OpenMask{std::move(turn.taken)}) : OpenFile{std::move(turn.taken)});
}

const OpenPicture& open_picture(Pictures& pictures, const OpenChoice& choice) {
  const auto make = [&] {
    OpenPicture picture;
    picture.folder = folder_part(choice.typed);
    picture.part = name_part(choice.typed);
    const auto list = [&] { return list_folder(picture.folder, choice.masks); };
    picture.listing = pictures.get<FolderListing>(list, picture.folder, choice.visit, choice.masks);
    picture.shown = matching(picture.listing, picture.part);
    return picture;
  };
  return pictures.get<OpenPicture>(make, choice.typed, choice.visit, choice.masks);
}

void open_dialog(const Frame& frame, bool masks) {
  frame.show([masks, start = starting_folder(frame)](View& v) {
    v.open.masks = masks;
    v.dialog = Dialog::open;
    if (v.open.typed.empty()) v.open.typed = start;
    v.open.typed = folder_part(v.open.typed);
    v.open.marked = -1;
    v.open.focus = true;
    ++v.open.visit;
  });
}

std::string open_dialog_text(const View& view, const RecentFiles& recent, Pictures& pictures) {
  if (view.dialog != Dialog::open) return {};
  std::string text = view.open.typed;
  for (const FolderEntry& entry : open_picture(pictures, view.open).listing.entries) text += entry.name;
  for (const std::string& path : recent.paths()) text += path;
  for (const Lesson& lesson : shown_lessons(pictures)) text += in_language(lesson.title, view.language);
  for (const ShippedModel& model : models_listed(pictures, view.open)) text += in_language(model.title, view.language);
  return text;
}

}  // namespace headlight
