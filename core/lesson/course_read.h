// A lesson's JSON as a course. For course_read.cpp and the check alone.
#pragma once

#include "core/lesson/course.h"
#include "core/scenario/json_place.h"

namespace headlight {

/// Mistakes are gathered there, or the first is thrown where that is null.
Course course_from(const Json& json, const std::string& file, std::vector<std::string>* mistakes);

}  // namespace headlight
