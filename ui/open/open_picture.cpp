#include "core/files/recent_files.h"
#include "ui/lessons/lesson_picture.h"
#include "ui/open/open_dialog.h"

namespace headlight {
namespace {

std::string starting_folder(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  if (now.source == Source::file) return folder_part(now.file);
  const std::vector<std::string>& recent = frame.recent.paths();
  return recent.empty() ? first_folder() : folder_part(recent.front());
}

}  // namespace

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
  return text;
}

}  // namespace headlight
