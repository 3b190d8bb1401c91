// Lesson files with steps.
#include <algorithm>
#include <filesystem>

#include "core/assets/assets.h"
#include "core/files/blame.h"
#include "core/lesson/course_read.h"
#include "core/scenario/scenario_read.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

template <typename Choice>
Choice one_of(const Place& at, const std::vector<std::pair<const char*, Choice>>& names) {
  std::string all;
  for (const auto& [name, choice] : names) {
    if (at.value == name) return choice;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  at.fail_type("one of " + all);
}

double number_at(const Place& at) {
  if (!at.value.is_number()) at.fail_type("a number");
  return at.value.get<double>();
}

/// "x" or {"en": "x", "zh": "…"}.
Texts words_at(const Place& at) {
  Texts words;
  if (at.value.is_string()) return {{"en", at.value.get<std::string>()}};
  if (!at.value.is_object() || !at.has("en")) at.fail_type("a string, or strings by language with \"en\" among them");
  for (const auto& [language, unused] : at.value.items()) read(at.at(language), words[language]);
  return words;
}

Stage stage_at(const Place& at) {
  const auto stage = at.value.is_string() ? stage_named(at.value.get<std::string>()) : std::nullopt;
  if (!stage) at.fail_type("the name of a stage, as `headlight list stages` gives them");
  return *stage;
}

void require(const Place& at, std::initializer_list<const char*> fields) {
  std::string all;
  for (const char* field : fields) all += (all.empty() ? "" : ", ") + std::string(field);
  for (const char* field : fields) {
    if (!at.has(field)) at.fail(std::string("has no ") + field, all);
  }
}

const std::vector<std::pair<const char*, Taking>> takings{
    {"value", Taking::value}, {"sum", Taking::sum}, {"mean", Taking::mean}, {"deviation", Taking::deviation},
    {"largest", Taking::largest}, {"smallest", Taking::smallest}, {"entropy", Taking::entropy}, {"count", Taking::count},
    {"where_largest", Taking::where_largest}, {"probability", Taking::probability}};

/// The fields of a measure, wherever they stand.
Measure measure_at(const Place& at) {
  Measure measure;
  if (at.has("take")) measure.take = one_of(at.at("take"), takings);
  require(at, {"of"});
  read(at.at("of"), measure.of);
  if (at.has("minus")) read(at.at("minus"), measure.minus);
  return measure;
}

/// `change` laid over a scenario's JSON as a merge patch (RFC 7386): null takes a field away.
Json patched(Json scenario, const Json& change) {
  scenario.merge_patch(change);
  return scenario;
}

Scenario scenario_from(const Json& json, const Place& said) {
  const Place at{json, said.path, said.file};
  Scenario scenario = scenario_at(at);
  resolve_files(scenario, said.file);
  return scenario;
}

Claim claim_at(const Place& at, const std::string& name, const Json& scenario) {
  allow_only(at, {"take", "of", "minus", "is", "change"});
  require(at, {"of", "is"});
  Claim claim{name, measure_at(at), {}, {}, at.path};
  read(at.at("is"), claim.is);
  if (at.has("change")) claim.scenario = scenario_from(patched(scenario, at.at("change").value), at.at("change"));
  return claim;
}

Question question_at(const Place& at) {
  allow_only(at, {"kind", "ask", "why", "choices", "right", "answer", "tolerance", "of", "take", "minus", "mask", "layer", "head"});
  require(at, {"kind", "ask", "why"});
  Question question;
  question.kind = one_of<QuestionKind>(at.at("kind"), {{"choice", QuestionKind::choice}, {"number", QuestionKind::number}, {"row", QuestionKind::row},
                                                       {"mask", QuestionKind::mask}, {"order", QuestionKind::order}, {"head", QuestionKind::head}});
  question.ask = words_at(at.at("ask"));
  question.why = words_at(at.at("why"));
  if (at.has("tolerance")) question.tolerance = number_at(at.at("tolerance"));
  const bool lists = question.kind == QuestionKind::choice || question.kind == QuestionKind::order;
  if (lists) {
    require(at, {"choices"});
    const Place choices = at.at("choices");
    if (!choices.value.is_array() || choices.value.size() < 2) choices.fail_type("a list of two or more");
    for (std::size_t i = 0; i < choices.value.size(); ++i) question.choices.push_back(words_at(choices.at(i)));
  }
  switch (question.kind) {
    case QuestionKind::choice: {
      require(at, {"right"});
      Index right = 0;
      read(at.at("right"), right);
      question.right = static_cast<std::size_t>(right);
      if (question.right >= question.choices.size()) at.at("right").fail_type("the place of a choice, from 0 to " + std::to_string(question.choices.size() - 1));
      break;
    }
    case QuestionKind::number:
      if (at.has("of")) {
        question.measure = measure_at(at);
      } else {
        require(at, {"answer"});
        question.number = number_at(at.at("answer"));
      }
      break;
    case QuestionKind::row:
      question.measure = measure_at(at);
      break;
    case QuestionKind::mask:
      require(at, {"mask"});
      read(at.at("mask"), question.mask);
      break;
    case QuestionKind::head:
      require(at, {"layer", "head"});
      read(at.at("layer"), question.layer);
      read(at.at("head"), question.head);
      break;
    case QuestionKind::order:
      break;
  }
  return question;
}

void read_pose(const Place& at, Pose& pose) {
  allow_only(at, {"scenario", "change", "view", "level", "stage", "select", "step", "hide"});
  if (at.has("view")) {
    pose.view = one_of<std::string>(at.at("view"), {{"pipeline", "pipeline"}, {"heads", "heads"}, {"mask", "mask"}, {"compare", "compare"}, {"network", "network"}});
  }
  if (at.has("level")) {
    pose.level = one_of<std::string>(at.at("level"), {{"sentence", "sentence"}, {"pipeline", "pipeline"}, {"operation", "operation"}});
  }
  if (at.has("stage")) pose.stage = stage_at(at.at("stage"));
  if (at.has("select")) read(at.at("select"), pose.select.emplace());
  if (at.has("step")) {
    Index step = 0;
    read(at.at("step"), step);
    pose.step = static_cast<int>(step);
  }
  if (at.has("hide")) {
    const Place hide = at.at("hide");
    if (!hide.value.is_array()) hide.fail_type("a list of stages");
    for (std::size_t i = 0; i < hide.value.size(); ++i) pose.hide.push_back(stage_at(hide.at(i)));
  }
}

class Reader {
 public:
  Reader(const Place& root, std::vector<std::string>* mistakes) : root_(root), mistakes_(mistakes) {}

  Course read_all() {
    Course course;
    attempt([&] { allow_only(root_, {"$schema", "id", "title", "description", "scenario", "steps"}); });
    attempt([&] { require(root_, {"id", "title", "description", "scenario", "steps"}); });
    if (root_.has("id")) attempt([&] { read(root_.at("id"), course.card.id); });
    if (root_.has("title")) attempt([&] { course.card.title = words_at(root_.at("title")); });
    if (root_.has("description")) attempt([&] { course.card.description = words_at(root_.at("description")); });
    course.card.file = root_.file;
    scenario_ = Json::object();
    if (root_.has("scenario")) {
      attempt([&] {
        course.card.scenario = scenario_from(root_.at("scenario").value, root_.at("scenario"));
        scenario_ = root_.at("scenario").value;
      });
    }
    if (!root_.has("steps")) return course;
    last_.scenario = course.card.scenario;
    attempt([&] {
      if (!root_.at("steps").value.is_array() || root_.at("steps").value.empty()) root_.at("steps").fail_type("a list of steps");
    });
    for (std::size_t i = 0; root_.at("steps").value.is_array() && i < root_.at("steps").value.size(); ++i) {
      course.steps.push_back(step_at(root_.at("steps").at(i)));
    }
    return course;
  }

 private:
  /// Reading on after a mistake, where they are all to be named.
  template <typename Read>
  void attempt(Read what) {
    try {
      what();
    } catch (const FileError& error) {
      if (!mistakes_) throw;
      mistakes_->push_back(error.sentence());
    }
  }

  LessonStep step_at(const Place& at) {
    LessonStep step;
    step.path = at.path;
    attempt([&] { allow_only(at, {"text", "pose", "claims", "question"}); });
    attempt([&] { require(at, {"text"}); });
    if (!at.value.is_object()) return step;
    if (at.has("text")) attempt([&] { step.text = words_at(at.at("text")); });
    step.pose = last_;
    step.pose.select.reset();
    step.pose.step.reset();
    step.pose.hide.clear();
    if (at.has("pose")) {
      const Place pose = at.at("pose");
      attempt([&] { read_pose(pose, step.pose); });
      attempt([&] {
        for (const char* field : {"scenario", "change"}) {
          if (!pose.value.is_object() || !pose.has(field)) continue;
          const Json next = field == std::string("scenario") ? pose.at(field).value : patched(scenario_, pose.at(field).value);
          step.pose.scenario = scenario_from(next, pose.at(field));
          scenario_ = next;
        }
      });
    }
    last_ = step.pose;
    if (at.has("claims")) {
      const Place claims = at.at("claims");
      attempt([&] { require_object(claims); });
      for (const auto& [name, unused] : claims.value.items()) {
        attempt([&] { step.claims.push_back(claim_at(claims.at(name), name, scenario_)); });
      }
    }
    if (at.has("question")) attempt([&] { step.question = question_at(at.at("question")); });
    return step;
  }

  Place root_;
  std::vector<std::string>* mistakes_;
  Json scenario_;
  Pose last_;
};

}  // namespace

Course course_from(const Json& json, const std::string& file, std::vector<std::string>* mistakes) {
  const Place root{json, "$", file};
  return Reader(root, mistakes).read_all();
}

Course read_course(const std::string& path) { return course_from(read_json(path), path, nullptr); }

std::vector<Course> shipped_courses() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(asset("lessons/course"))) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // their names begin with their place in the order
  std::vector<Course> courses;
  for (const std::filesystem::path& file : files) courses.push_back(read_course(portable_utf8_from(file)));
  return courses;
}

Course course_named(const std::string& id_or_path) {
  if (id_or_path.ends_with(".json")) return read_course(id_or_path);
  const std::string id = id_or_path.starts_with("lesson:") ? id_or_path.substr(7) : id_or_path;
  std::string ids;
  for (Course& course : shipped_courses()) {
    if (course.card.id == id) return std::move(course);
    ids += (ids.empty() ? "" : ", ") + course.card.id;
  }
  throw SettingError("lesson:" + id, "no such lesson with steps", "expected a .json file, or one of " + ids);
}

}  // namespace headlight
