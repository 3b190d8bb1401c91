// Lesson files with steps.
#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/training/settings.h"
#include "core/scenario/settings/json_place.h"
#include "core/scenario/settings/scenario_view.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/lesson/course.h"

namespace headlight {
namespace {

template <typename Choice>
Choice one_of(const Place& at, const std::vector<std::pair<const char*, Choice>>& names) {
  for (const auto& [name, choice] : names) {
    if (at.value == name) return choice;
  }
  at.fail_type(Message("one of {0}", comma_list(names, [](const auto& known) { return known.first; })));
}

double number_at(const Place& at) {
  if (!at.value.is_number()) at.fail_type("a number");
  return at.value.get<double>();
}

Stage stage_at(const Place& at) {
  const auto stage = at.value.is_string() ? stage_named(at.value.get<std::string>()) : std::nullopt;
  if (!stage) at.fail_type("the name of a stage, as `headlight list stages` gives them");
  return *stage;
}

/// Reads each item of a list with `read`; `expected` is the name of the list in error messages.
template <typename Read>
auto each_of(const Place& at, const char* expected, Read read, std::size_t least = 0) {
  if (!at.value.is_array() || at.value.size() < least) at.fail_type(expected);
  std::vector<decltype(read(at))> items;
  for (std::size_t i = 0; i < at.value.size(); ++i) items.push_back(read(at.at(i)));
  return items;
}

std::string text_at(const Place& at) {
  std::string text;
  read(at, text);
  return text;
}

void require(const Place& at, std::initializer_list<const char*> fields) {
  for (const char* field : fields) {
    if (!at.has(field)) at.fail(Message("has no {0}", field), comma_list(fields));
  }
}

const std::vector<std::pair<const char*, Taking>> takings{{"value", Taking::value},
                                                          {"sum", Taking::sum},
                                                          {"mean", Taking::mean},
                                                          {"deviation", Taking::deviation},
                                                          {"largest", Taking::largest},
                                                          {"smallest", Taking::smallest},
                                                          {"entropy", Taking::entropy},
                                                          {"count", Taking::count},
                                                          {"where_largest", Taking::where_largest},
                                                          {"probability", Taking::probability},
                                                          {"logit", Taking::logit},
                                                          {"part", Taking::part},
                                                          {"accuracy", Taking::accuracy},
                                                          {"ceiling", Taking::ceiling}};

/// The address of cells, or a word if that is taken.
void read_address(const Place& at, Taking take, std::string& to) {
  read(at, to);
  if (take < Taking::probability && !is_address(to))
    at.fail_type("STAGE:batch,head,row,column with a stage's name, \":\" for all of an axis");
}

/// The fields of a measure, in a claim or in a question.
Measure measure_at(const Place& at) {
  Measure measure;
  if (at.has("take")) measure.take = one_of(at.at("take"), takings);
  require(at, {"of"});
  read_address(at.at("of"), measure.take, measure.of);
  if (at.has("minus")) read_address(at.at("minus"), measure.take, measure.minus);
  if (at.has("wrong")) read(at.at("wrong"), measure.wrong);
  return measure;
}

/// A scenario's JSON with `change` applied as a merge patch (RFC 7386): null removes a field.
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
  allow_only(at, {"take", "of", "minus", "wrong", "is", "change"});
  require(at, {"of", "is"});
  Claim claim{name, measure_at(at), {}, {}, at.path};
  read(at.at("is"), claim.is);
  if (at.has("change")) claim.scenario = scenario_from(patched(scenario, at.at("change").value), at.at("change"));
  return claim;
}

Try try_at(const Place& at, const Json& scenario) {
  allow_only(at, {"words", "change"});
  require(at, {"words", "change"});
  return {words_at(at.at("words")), scenario_from(patched(scenario, at.at("change").value), at.at("change"))};
}

Effect effect_at(const Place& at) {
  allow_only(at, {"knock_out", "from", "to"});
  require(at, {"knock_out", "from", "to"});
  Effect effect;
  effect.path = at.path;
  const std::string heads = text_at(at.at("knock_out"));
  read(at.at("from"), effect.from);
  read(at.at("to"), effect.to);
  try {
    effect.knock_out = parse_heads("knock_out", heads);
  } catch (const InputError& error) { at.at("knock_out").fail(error.message(), "\"1.1\" or \"1.1,1.3\""); }
  return effect;
}

void read_choices(const Place& at, Question& question) {
  require(at, {"choices"});
  question.choices = each_of(at.at("choices"), "a list of two or more", words_at, 2);
}

void read_right_choice(const Place& at, Question& question) {
  require(at, {"right"});
  Index right = 0;
  read(at.at("right"), right);
  question.right = static_cast<std::size_t>(right);
  if (question.right >= question.choices.size())
    at.at("right").fail_type(Message("the place of a choice, from 0 to {0}", question.choices.size() - 1));
}

/// Reads a measured or given number, and the ends of its slider.
void read_number(const Place& at, Question& question) {
  if (at.has("of")) question.measure = measure_at(at);
  // A run takes too long to be made while the question is drawn; the check makes it.
  if (!question.measure || is_of_run(question.measure->take)) {
    require(at, {"answer"});
    question.number = number_at(at.at("answer"));
  }
  if (!at.has("range")) return;
  const Place range = at.at("range");
  if (!range.value.is_array() || range.value.size() != 2)
    range.fail_type("two numbers, the ends of what it is dragged along");
  question.range = {number_at(range.at(0)), number_at(range.at(1))};
  if (!(question.range->first < question.range->second)) range.fail_type("a smaller number and a larger");
}

Question question_at(const Place& at) {
  allow_only(at, {"kind", "ask", "why", "choices", "right", "answer", "tolerance", "range", "of", "take", "minus",
                  "wrong", "mask", "layer", "head"});
  require(at, {"kind", "ask", "why"});
  Question question;
  question.kind = one_of<QuestionKind>(at.at("kind"), {{"choice", QuestionKind::choice},
                                                       {"number", QuestionKind::number},
                                                       {"row", QuestionKind::row},
                                                       {"mask", QuestionKind::mask},
                                                       {"order", QuestionKind::order},
                                                       {"head", QuestionKind::head},
                                                       {"stage", QuestionKind::stage}});
  question.ask = words_at(at.at("ask"));
  question.why = words_at(at.at("why"));
  if (question.kind == QuestionKind::row) question.tolerance = 0.15;  // a row is estimated, not computed
  if (at.has("tolerance")) question.tolerance = number_at(at.at("tolerance"));
  switch (question.kind) {
    case QuestionKind::choice:
      read_choices(at, question);
      read_right_choice(at, question);
      break;
    case QuestionKind::order: read_choices(at, question); break;
    case QuestionKind::number: read_number(at, question); break;
    case QuestionKind::row: question.measure = measure_at(at); break;
    case QuestionKind::mask:
      require(at, {"mask"});
      read(at.at("mask"), question.mask);
      break;
    case QuestionKind::head:
      require(at, {"layer", "head"});
      read(at.at("layer"), question.layer);
      read(at.at("head"), question.head);
      break;
    case QuestionKind::stage: break;
  }
  return question;
}

std::vector<std::string> lines_at(const Place& at) { return each_of(at, "a list of lines", text_at, 1); }

/// Reads the key of a setting.
std::string setting_at(const Place& at) {
  const std::string key = text_at(at);
  const bool known = std::ranges::any_of(all_settings(), [&](const Setting& s) { return s.key == key; });
  if (!known) at.fail_type("a field of a scenario, such as \"scale\"");
  return key;
}

ViewFields view_at(const Place& at) {
  const std::string text = text_at(at);
  try {
    const ViewFields view = parse_view("view", text);
    if (std::ranges::find(view_rows, *field_of(view, "kind"), &ViewRow::name)->in_lessons) return view;
  } catch (const SettingError&) {  // the error message below also says where
  }
  at.fail_type(Message("one of {0}", lesson_view_words()));
}

CanvasCamera camera_at(const Place& at) {
  allow_only(at, {"zoom", "at"});
  require(at, {"zoom"});
  CanvasCamera camera;
  camera.zoom = static_cast<float>(number_at(at.at("zoom")));
  if (!(camera.zoom >= 0.5f && camera.zoom <= 12))
    at.at("zoom").fail_type("a number from 0.5 to 12, times as large as it fits");
  if (!at.has("at")) return camera;
  const Place middle = at.at("at");
  if (middle.value.is_array() && middle.value.size() == 2) {
    camera.x = static_cast<float>(number_at(middle.at(0)));
    camera.y = static_cast<float>(number_at(middle.at(1)));
    if (camera.x >= 0 && camera.x <= 1 && camera.y >= 0 && camera.y <= 1) return camera;
  }
  middle.fail_type("two numbers from 0 to 1, what is in the middle of its width and height");
}

void read_pose(const Place& at, Pose& pose) {
  allow_only(at, {"scenario", "change", "view", "level", "measure", "stage", "select", "step", "camera", "hide",
                  "controls", "tries", "locked", "mended", "gradients", "beside"});
  if (at.has("view")) pose.view = view_at(at.at("view"));
  if (at.has("level")) {
    std::tie(pose.level, pose.facet) =
        one_of<std::pair<Level, Facet>>(at.at("level"), {{"sentence", {Level::sentence, Facet::step}},
                                                         {"pipeline", {Level::pipeline, Facet::step}},
                                                         {"operation", {Level::operation, Facet::step}},
                                                         {"operation:journey", {Level::operation, Facet::journey}},
                                                         {"operation:geometry", {Level::operation, Facet::geometry}},
                                                         {"operation:next", {Level::operation, Facet::next}},
                                                         {"operation:why", {Level::operation, Facet::why}}});
  }
  if (at.has("measure")) {
    pose.measure = one_of<HeadMeasure>(
        at.at("measure"),
        {{"weight", HeadMeasure::weight}, {"arrives", HeadMeasure::arrives}, {"share", HeadMeasure::share}});
  }
  if (at.has("stage")) pose.stage = stage_at(at.at("stage"));
  if (at.has("select")) {
    const Place select = at.at("select");
    read(select, pose.select.emplace());
    try {
      parse_cell("select", *pose.select);
    } catch (const SettingError&) { select.fail_type("STAGE:b,h,row,col, such as weights:0,2,3,1"); }
  }
  if (at.has("step")) {
    Index step = 0;
    read(at.at("step"), step);
    pose.step = static_cast<int>(step);
  }
  if (at.has("camera")) pose.camera = camera_at(at.at("camera"));
  if (at.has("hide")) pose.hide = each_of(at.at("hide"), "a list of stages", stage_at);
  if (at.has("controls")) pose.controls = each_of(at.at("controls"), "a list of settings", setting_at);
  if (at.has("locked")) read(at.at("locked"), pose.locked);
  if (at.has("mended")) read(at.at("mended"), pose.mended);
  if (at.has("gradients")) read(at.at("gradients"), pose.gradients);
  if (at.has("beside")) {
    read(at.at("beside"), pose.beside);
    try {
      named_run(pose.beside);
    } catch (const InputError& error) { at.at("beside").fail(error.message(), "a run, such as \"train:reverse@300\""); }
  }
}

Bug bug_at(const Place& at) {
  allow_only(at, {"mistake", "variant", "code", "line", "mended"});
  require(at, {"mistake", "code", "line", "mended"});
  Bug bug;
  read(at.at("mistake"), bug.mistake);
  const auto known = all_mistakes();
  if (std::ranges::none_of(known, [&](const Mistake& each) { return each.id == bug.mistake; })) {
    at.at("mistake").fail_type("the id of a mistake that `headlight compare` knows");
  }
  Index whole = 0;
  if (at.has("variant")) read(at.at("variant"), whole);
  bug.variant = static_cast<std::size_t>(whole);
  bug.code = lines_at(at.at("code"));
  bug.mended = lines_at(at.at("mended"));
  read(at.at("line"), whole);
  if (whole < 1 || whole > std::ssize(bug.code))
    at.at("line").fail_type(Message("the wrong line's number, from 1 to {0}", bug.code.size()));
  bug.line = static_cast<std::size_t>(whole) - 1;
  return bug;
}

/// The bytes of all texts in the value.
std::size_t bytes_of_texts(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size();
  std::size_t sum = 0;
  for (const Json& each : value) sum += each.is_structured() || each.is_string() ? bytes_of_texts(each) : 0;
  return sum;
}

/// What follows takes time for each step and letter: checks, pages of a worksheet, paragraphs in the window.
void refuse_too_long(const Place& root) {
  constexpr std::size_t most_steps = 200, most_bytes = 200'000;
  if (!root.has("steps")) return;
  const Place steps = root.at("steps");
  if (steps.value.is_array() && steps.value.size() > most_steps)
    steps.fail(Message("holds {0} steps", steps.value.size()), Message("expected at most {0}", most_steps));
  if (const std::size_t bytes = bytes_of_texts(steps.value); bytes > most_bytes)
    steps.fail(Message("holds {0} bytes of text", bytes), Message("expected at most {0}", most_bytes));
}

class Reader {
 public:
  Reader(const Place& root, std::vector<std::string>* mistakes) : root_(root), mistakes_(mistakes) {}

  Course read_all() {
    Course course;
    refuse_too_long(root_);
    attempt([&] { allow_only(root_, {"$schema", "kind", "id", "title", "description", "scenario", "bug", "steps"}); });
    attempt([&] { require(root_, {"id", "title", "description", "scenario", "steps"}); });
    attempt_at(root_, "id", [&](const Place& id) { read(id, course.card.id); });
    attempt_at(root_, "title", [&](const Place& title) { course.card.title = words_at(title); });
    attempt_at(root_, "description", [&](const Place& text) { course.card.description = words_at(text); });
    course.card.file = root_.file;
    read_bug(course);
    scenario_ = Json::object();
    attempt_at(root_, "scenario", [&](const Place& scenario) {
      course.card.scenario = scenario_from(scenario.value, scenario);
      scenario_ = scenario.value;
    });
    if (!root_.has("steps")) return course;
    last_.scenario = course.card.scenario;
    attempt([&] {
      if (!root_.at("steps").value.is_array() || root_.at("steps").value.empty())
        root_.at("steps").fail_type("a list of steps");
    });
    for (std::size_t i = 0; root_.at("steps").value.is_array() && i < root_.at("steps").value.size(); ++i) {
      course.steps.push_back(step_at(root_.at("steps").at(i)));
    }
    return course;
  }

 private:
  /// Reads on after a mistake, if all mistakes are to be listed.
  template <typename Read>
  void attempt(Read what) {
    try {
      what();
    } catch (const FileError& error) {
      if (!mistakes_) throw;
      mistakes_->push_back(error.sentence().english());
    }
  }

  template <typename Read>
  void attempt_at(const Place& at, const char* field, Read what) {
    if (at.has(field)) attempt([&] { what(at.at(field)); });
  }

  /// "kind": "bug" needs the field "bug", and the other way round.
  void read_bug(Course& course) {
    attempt([&] {
      std::string kind = "lesson";
      if (root_.has("kind")) kind = one_of<std::string>(root_.at("kind"), {{"lesson", "lesson"}, {"bug", "bug"}});
      if (kind == "bug") require(root_, {"bug"});
      if (!root_.has("bug")) return;
      if (kind != "bug") root_.at("bug").fail("belongs to a lesson of another kind", "\"kind\": \"bug\"");
      course.bug = bug_at(root_.at("bug"));
    });
  }

  LessonStep step_at(const Place& at) {
    LessonStep step;
    step.path = at.path;
    attempt([&] { allow_only(at, {"title", "text", "notes", "pose", "claims", "effect", "question"}); });
    attempt([&] { require(at, {"text"}); });
    if (!at.value.is_object()) return step;
    attempt_at(at, "text", [&](const Place& text) { step.text = words_at(text); });
    attempt_at(at, "title", [&](const Place& title) { step.title = words_at(title); });
    attempt_at(at, "notes", [&](const Place& notes) { step.notes = words_at(notes); });
    step.pose = last_;
    step.pose.select.reset();
    step.pose.step.reset();
    step.pose.hide.clear();
    step.pose.camera = {};
    step.pose.controls.clear();
    step.pose.tries.clear();
    step.pose.locked = false;
    step.pose.beside.clear();
    if (at.has("pose")) {
      const Place pose = at.at("pose");
      attempt([&] { read_pose(pose, step.pose); });
      attempt([&] {
        for (const char* field : {"scenario", "change"}) {
          if (!pose.value.is_object() || !pose.has(field)) continue;
          const Json next =
              field == std::string("scenario") ? pose.at(field).value : patched(scenario_, pose.at(field).value);
          step.pose.scenario = scenario_from(next, pose.at(field));
          scenario_ = next;
        }
      });
      attempt_at(pose, "tries", [&](const Place& tries) {
        step.pose.tries =
            each_of(tries, "a list of changes", [&](const Place& each) { return try_at(each, scenario_); });
      });
    }
    last_ = step.pose;
    if (at.has("claims")) {
      const Place claims = at.at("claims");
      attempt([&] { require_object(claims); });
      for (const auto& claim : claims.value.items()) {
        const std::string& name = claim.key();
        attempt([&] { step.claims.push_back(claim_at(claims.at(name), name, scenario_)); });
      }
    }
    attempt_at(at, "effect", [&](const Place& effect) { step.effect = effect_at(effect); });
    attempt_at(at, "question", [&](const Place& question) { step.question = question_at(question); });
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

}  // namespace headlight
