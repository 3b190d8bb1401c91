// Lessons: a scenario with a text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/scenario/settings/scenario.h"
#include "core/scenario/settings/scenario_view.h"

namespace headlight {

/// A scenario with a name and a text. Texts by language; "en" is always present.
struct Lesson {
  std::string id;
  std::map<std::string, std::string> title, description;
  Scenario scenario;
  std::optional<ViewFields> view = {};  ///< how it is shown, if its file says so
  std::string file = {};                ///< the scenario file that it was read from; "" if none
  std::string course = {};  ///< the lesson file with steps (core/teaching/lesson/course.h) that starts with this
                            ///< scenario; "" if there is none
};

/// The shipped lessons without steps, the default one first. Throws FileError. If `troubles` is given, it receives the
/// errors of unreadable lessons instead, and these are omitted.
std::vector<Lesson> shipped_lessons(std::vector<Message>* troubles = nullptr);
/// By id, including those with steps (core/teaching/lesson/course.h). Throws SettingError that lists the ids.
Lesson shipped_lesson(const std::string& id);
/// What is opened if no file is named.
inline constexpr const char* default_lesson = "first-light";

/// Whether the file is a lesson with steps (core/teaching/lesson/course.h).
bool has_steps(const std::string& file);
/// The beginning of such a file, or a lesson without steps. Throws FileError.
Lesson read_lesson(const std::string& file);

}  // namespace headlight
