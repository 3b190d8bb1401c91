// What is wrong in a lesson file.
#include <cctype>
#include <set>

#include "core/explain/explain.h"
#include "core/files/blame.h"
#include "core/lesson/course_read.h"
#include "core/mask/expression.h"
#include "core/network/network_trace.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

class Check {
 public:
  Check(const Course& course, std::vector<std::string>& mistakes) : course_(course), mistakes_(mistakes) {}

  void all() {
    for (const LessonStep& step : course_.steps) check(step);
  }

 private:
  void say(const std::string& path, const std::string& what) { mistakes_.push_back(path + ": " + what); }

  void check(const LessonStep& step) {
    names_in(step);
    std::shared_ptr<const Trace> trace;
    try {
      trace = last_ && last_->scenario == step.pose.scenario ? last_ : compute_any(step.pose.scenario, last_.get());
    } catch (const InputError& error) {
      return say(step.path + ".pose", std::string("does not compute: ") + error.what());
    }
    last_ = trace;
    pose_of(step, *trace);
    for (const Claim& claim : step.claims) check(claim, *trace);
    if (step.question) check(*step.question, step.path + ".question", *trace);
  }

  void pose_of(const LessonStep& step, const Trace& trace) {
    const auto there = [&](Stage stage, const char* field) {
      if (!trace.has(stage)) say(step.path + ".pose." + field, "this scenario has no " + std::string(name(stage)));
    };
    if (step.pose.stage) there(*step.pose.stage, "stage");
    for (const Stage stage : step.pose.hide) there(stage, "hide");
    if (!step.pose.select) return;
    try {
      cell_named(trace, "select", *step.pose.select);
    } catch (const InputError& error) {
      say(step.path + ".pose.select", error.sentence());
    }
  }

  void check(const Claim& claim, const Trace& here) {
    try {
      const auto elsewhere = claim.scenario ? compute_any(*claim.scenario, &here) : nullptr;
      const double value = measured(claim.measure, elsewhere ? *elsewhere : here);
      if (!says(claim.is, value)) say(claim.path, in_quotes(claim.is) + " is said, but it is " + std::to_string(value));
    } catch (const InputError& error) {
      say(claim.path, error.what());
    }
  }

  void check(const Question& question, const std::string& path, const Trace& trace) {
    try {
      if (question.measure) {
        Measure measure = *question.measure;
        if (question.kind == QuestionKind::row) measure.take = Taking::sum;
        measured(measure, trace);
      }
      if (question.kind == QuestionKind::mask) MaskExpression::parse(question.mask);
    } catch (const InputError& error) {
      say(path, error.what());
    }
  }

  /// Every {name} has its claim, every claim is said, and no decimal fraction stands there without one.
  void names_in(const LessonStep& step) {
    std::set<std::string> claimed, used;
    for (const Claim& claim : step.claims) claimed.insert(claim.name);
    for (const auto& [language, text] : step.text) {
      const std::string path = step.path + ".text." + language;
      for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
        const std::string name = text.substr(at + 1, text.find('}', at) - at - 1);
        if (!claimed.contains(name)) say(path, in_quotes("{" + name + "}") + " has no claim; expected one of that name in claims");
        used.insert(name);
      }
      for (std::size_t at = 1; at + 1 < text.size(); ++at) {
        const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
        if (text[at] == '.' && digit(at - 1) && digit(at + 1)) say(path, "the number at " + in_quotes(text.substr(at - 1, 4)) + " is no claim; expected {name} and its claim");
      }
    }
    for (const Claim& claim : step.claims) {
      if (!used.contains(claim.name)) say(claim.path, "no text says {" + claim.name + "}");
    }
  }

  const Course& course_;
  std::vector<std::string>& mistakes_;
  std::shared_ptr<const Trace> last_;
};

}  // namespace

std::vector<std::string> mistakes_in_course(const std::string& path) {
  std::vector<std::string> mistakes;
  Course course;
  try {
    course = course_from(read_json(path), path, &mistakes);
  } catch (const FileError& error) {
    return {error.sentence()};
  }
  if (mistakes.empty()) Check(course, mistakes).all();
  return mistakes;
}

}  // namespace headlight
