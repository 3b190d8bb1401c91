// Which lessons there are: those that ship, and a person's own.
#include <algorithm>
#include <filesystem>

#include "core/assets/assets.h"
#include "core/lesson/course_read.h"
#include "core/scenario/lesson_markdown.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

/// By their names, which begin with their place in the order.
std::vector<std::string> lesson_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (const std::string file = portable_utf8_from(entry.path()); is_lesson_file(file)) files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

bool is_lesson_file(const std::string& path) { return path.ends_with(".json") || is_markdown(path); }

Course read_course(const std::string& path) { return course_from(read_lesson_text(path).json, path, nullptr); }

std::vector<Course> shipped_courses() {
  std::vector<Course> courses;
  for (const char* folder : {"lessons/course", "lessons/bugs"}) {
    for (const std::string& file : lesson_files(asset(folder))) courses.push_back(read_course(file));
  }
  return courses;
}

std::vector<Course> own_courses(std::vector<Message>* troubles) {
  std::vector<Course> courses;
  for (const std::filesystem::path& folder : own_data_folders()) {
    for (const std::string& file : lesson_files(folder / "lessons")) {
      try {
        courses.push_back(read_course(file));
        courses.back().own = true;
      } catch (const InputError& error) {
        if (troubles == nullptr) throw;
        troubles->push_back(error.message());
      }
    }
  }
  return courses;
}

Course course_named(const std::string& id_or_path) {
  if (is_lesson_file(id_or_path)) return read_course(id_or_path);
  const std::string id = id_or_path.starts_with("lesson:") ? id_or_path.substr(7) : id_or_path;
  std::string ids;
  const auto look_in = [&](std::vector<Course> courses) -> std::optional<Course> {
    for (Course& course : courses) {
      if (course.card.id == id) return std::move(course);
      ids += (ids.empty() ? "" : ", ") + course.card.id;
    }
    return std::nullopt;
  };
  std::vector<Message> troubles;  // of others
  if (auto found = look_in(shipped_courses())) return std::move(*found);
  if (auto found = look_in(own_courses(&troubles))) return std::move(*found);
  throw SettingError(Message("lesson:{0}", id), "no such lesson with steps",
                     Message("expected a .json or .md file, or one of {0}", ids));
}

}  // namespace headlight
