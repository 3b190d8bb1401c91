// Finds mistakes in lesson files.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/lesson_markdown.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "core/teaching/explain/explain.h"
#include "core/teaching/lesson/course.h"

namespace headlight {
namespace {

/// Whether a sentence of the text names a head and has a word that draws a conclusion.
bool gives_head_as_reason(const std::string& text) {
  const auto has_word = [](const std::string& sentence, const std::string& word) {
    const auto letter = [&](std::size_t i) {
      return i < sentence.size() && std::isalpha(static_cast<unsigned char>(sentence[i])) != 0;
    };
    for (std::size_t at = sentence.find(word); at != std::string::npos; at = sentence.find(word, at + 1)) {
      if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
    }
    return false;
  };
  std::string sentence;
  const auto chinese_head = [&] {
    for (std::size_t at = sentence.find("头"); at != std::string::npos; at = sentence.find("头", at + 1)) {
      const std::string before = at >= 3 ? sentence.substr(at - 3, 3) : std::string();
      if (before != "开" && before != "回") return true;  // "beginning" and "to look back" also have this character
    }
    return false;
  };
  const auto reasons = [&] {
    const bool head = has_word(sentence, "head") || has_word(sentence, "heads") || chinese_head();
    const bool english = has_word(sentence, "so") || has_word(sentence, "therefore") || has_word(sentence, "because");
    const bool chinese = std::ranges::any_of(std::array{"所以", "因此", "因为", "于是"}, [&](const char* word) {
      return sentence.find(word) != std::string::npos;
    });
    return head && (english || chinese);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool full_stop = text.compare(i, 3, "。") == 0 || ((text[i] == '.' || text[i] == '!' || text[i] == '?') &&
                                                             (i + 1 == text.size() || text[i + 1] == ' '));
    sentence += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    if (!full_stop) continue;
    if (reasons()) return true;
    sentence.clear();
  }
  return reasons();
}

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
    if (!last_ || !(scenario_ == step.pose.scenario)) {
      try {
        last_ = compute_any(step.pose.scenario, last_.get(), whole_);
        scenario_ = step.pose.scenario;
      } catch (const InputError& error) {
        return say(step.path + ".pose", std::string("does not compute: ") + error.what());
      }
      if (course_.bug && !check_bug()) return;
    }
    pose_of(step, *last_);
    for (const Claim& claim : step.claims) check(claim, *last_);
    reasons_in(step, *last_);
    if (step.effect) check(*step.effect, step.pose.scenario, *last_);
    if (step.question) check(step, step.path + ".question", *last_);
  }

  /// Checks that the lesson's mistake can be made, and that the numbers identify it.
  bool check_bug() {
    try {
      own_ = mistaken_stages(course_.bug->mistake, course_.bug->variant, last_);
    } catch (const InputError& error) {
      say("$.bug", error.what());
      return false;
    }
    const Comparison found = compare(last_, own_);
    const std::vector<Finding> diagnosis = found.diagnosis();
    if (found.agrees()) say("$.bug", "changes no number of this scenario; expected one that it changes");
    else if (diagnosis.empty() || diagnosis.front().id != course_.bug->mistake) {
      say("$.bug", "the numbers are told for " +
                       (diagnosis.empty() ? std::string("no known mistake") : diagnosis.front().id) +
                       " first; expected a scenario that tells " + course_.bug->mistake);
    }
    return true;
  }

  /// The measure in the run, or in the run with the lesson's mistake if the measure asks for it.
  double measured_here(const Measure& measure, const Trace& here) {
    if (!measure.wrong) return measured(measure, here);
    if (!course_.bug) throw SettingError("wrong", "there is no mistake in this lesson", "expected \"kind\": \"bug\"");
    return measured(measure, with_stages(here, own_));
  }

  void pose_of(const LessonStep& step, const Trace& trace) {
    const auto check_stage = [&](Stage stage, const char* field) {
      if (!trace.has(stage)) say(step.path + ".pose." + field, "this scenario has no " + std::string(name(stage)));
    };
    if (step.pose.stage) check_stage(*step.pose.stage, "stage");
    for (const Stage stage : step.pose.hide) check_stage(stage, "hide");
    if (step.pose.mended && !course_.bug)
      say(step.path + ".pose.mended", "there is no mistake in this lesson; expected \"kind\": \"bug\"");
    if (step.pose.level == Level::sentence && trace.inputs.query_tokens.empty())
      say(step.path + ".pose.level", "there are no words here; expected pipeline or operation");
    if (step.pose.level == Level::operation && step.pose.facet == Facet::step && !step.pose.stage)
      say(step.path + ".pose.level", "an operation is a stage's; expected pose.stage beside it");
    if (!step.pose.select) return;
    try {
      cell_named(trace, "select", *step.pose.select);
    } catch (const InputError& error) { say(step.path + ".pose.select", error.sentence().english()); }
  }

  void check(const Claim& claim, const Trace& here) {
    try {
      const auto other_trace = claim.scenario ? compute_any(*claim.scenario, &here, whole_) : nullptr;
      const double value = measured_here(claim.measure, other_trace ? *other_trace : here);
      if (!says(claim.is, value, claim.measure.take == Taking::accuracy ? between_machines : 0))
        say(claim.path, in_quotes(claim.is).english() + " is said, but it is " + std::to_string(value));
    } catch (const InputError& error) { say(claim.path, error.what()); }
  }

  /// A weight alone is not a reason. Where the text says that a head of a network is the reason, the step must knock it
  /// out, and the answer must change.
  void reasons_in(const LessonStep& step, const Trace& trace) {
    if (step.effect || !network_of(trace.inputs)) return;
    const auto check_reasons = [&](const Texts& texts, const std::string& path) {
      for (const auto& [language, text] : texts) {
        if (gives_head_as_reason(text))
          say(path + "." + language,
              "gives a head as a reason, and the step has no effect; expected \"effect\": "
              "{\"knock_out\": \"1.1\", \"from\": \"is\", \"to\": \"are\"}");
      }
    };
    check_reasons(step.text, step.path + ".text");
    if (step.question) check_reasons(step.question->why, step.path + ".question.why");
  }

  void check(const Effect& effect, Scenario scenario, const Trace& here) {
    const auto likely = [](const Trace& trace) {
      const auto run = network_of(trace.inputs);
      if (!run || !run->logits.defined()) throw SettingError("effect", "nothing is predicted here", "a language model");
      return most_likely(*run, 0, place_of_prediction(*run, 0), 1).front().text;
    };
    try {
      const std::string from = likely(here);
      if (from != effect.from)
        say(effect.path + ".from",
            in_quotes(effect.from).english() + " is said, but it is " + in_quotes(from).english());
      scenario.knock_out.insert(scenario.knock_out.end(), effect.knock_out.begin(), effect.knock_out.end());
      const std::string to = likely(*compute_any(scenario, &here, whole_));
      if (to != effect.to)
        say(effect.path + ".to", in_quotes(effect.to).english() + " is said, but it is " + in_quotes(to).english());
      if (from == to) say(effect.path, "without these heads the answer is the same; expected another");
    } catch (const InputError& error) { say(effect.path, error.what()); }
  }

  /// A number or a row that is asked for must not stand in the picture: not in its stage, nor in those computed from
  /// it. What is counted may be seen, because the reader counts it.
  void answer_on_screen(const LessonStep& step, const Trace& trace) {
    const std::optional<Measure>& measure = step.question->measure;
    if (!measure || measure->wrong || measure->take == Taking::count || measure->take >= Taking::probability) return;
    const auto stage = stage_named(measure->of.substr(0, measure->of.find(':')));
    if (!stage) return;
    std::string shown;
    for (const Stage other : trace.stages()) {
      const bool tells = other == *stage || (other > *stage && !is_parameter(other) && *stage < Stage::W_q);
      if (tells && std::ranges::find(step.pose.hide, other) == step.pose.hide.end())
        shown += (shown.empty() ? "" : ", ") + std::string(name(other));
    }
    if (!shown.empty())
      say(step.path + ".pose.hide", "the answer is on screen in " + shown + "; expected these stages here");
  }

  void check(const LessonStep& step, const std::string& path, const Trace& trace) {
    const Question& question = *step.question;
    try {
      if (question.measure) {
        Measure measure = *question.measure;
        if (question.kind == QuestionKind::row) row_of(trace, measure.of);
        if (question.kind == QuestionKind::row) measure.take = Taking::sum;
        const double value = measured_here(measure, trace);
        if (is_of_run(measure.take) && std::abs(value - question.number) > between_machines)
          say(path + ".answer", std::to_string(question.number) + " is said, but it is " + std::to_string(value));
      }
      answer_on_screen(step, trace);
      if (question.kind == QuestionKind::mask) MaskExpression::parse(question.mask);
      if (question.kind == QuestionKind::stage && !course_.bug)
        say(path + ".kind", "there is no mistake in this lesson; expected \"kind\": \"bug\"");
      if (question.kind == QuestionKind::head) head_of(question, path, trace);
    } catch (const InputError& error) { say(path, error.what()); }
  }

  void head_of(const Question& question, const std::string& path, const Trace& trace) {
    const auto pass = network_of(trace.inputs);
    const auto layers = static_cast<Index>(pass ? pass->network->layers().size() : 1);
    if (question.layer >= layers)
      say(path + ".layer", "there are " + std::to_string(layers) + " layers; expected one of them");
    if (question.head >= trace.dims().heads)
      say(path + ".head", "there are " + std::to_string(trace.dims().heads) + " heads; expected one of them");
  }

  /// Each {name} must have a claim, each claim must be used, and no decimal fraction may be in the text without a
  /// claim.
  void names_in(const LessonStep& step) {
    std::set<std::string> claim_names, used;
    for (const Claim& claim : step.claims) claim_names.insert(claim.name);
    for (const auto& [language, words] : step.text) {
      const std::string& text = words;  // clang 14 cannot capture structured bindings in a lambda
      const std::string path = step.path + ".text." + language;
      for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
        constexpr std::size_t longest_name = 64;  // so that a text of braces alone is read in one pass
        const std::string_view rest = std::string_view(text).substr(at + 1, longest_name);
        const std::string name(rest.substr(0, rest.find('}')));
        if (!claim_names.contains(name))
          say(path, in_quotes("{" + name + "}").english() + " has no claim; expected one of that name in claims");
        used.insert(name);
      }
      for (std::size_t at = 1; at + 1 < text.size(); ++at) {
        const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
        if (text[at] == '.' && digit(at - 1) && digit(at + 1))
          say(path, "the number at " + in_quotes(text.substr(at - 1, 4)).english() +
                        " is no claim; expected {name} and its claim");
      }
    }
    for (const Claim& claim : step.claims) {
      if (!used.contains(claim.name)) say(claim.path, "no text says {" + claim.name + "}");
    }
  }

  const Course& course_;
  std::vector<std::string>& mistakes_;
  std::shared_ptr<const Trace> last_;
  Scenario scenario_;
  const Run whole_{.summary = Summary::whole,
                   .stop = {},
                   .progress = {}};  ///< the whole pass of a network, since claims can be about its prediction
  OwnStages own_;
};

}  // namespace

std::vector<std::string> mistakes_in_course(const std::string& path) {
  std::vector<std::string> mistakes;
  LessonText text;
  try {
    text = read_lesson_text(path);
    const Course course = course_from(text.json, path, &mistakes);
    if (mistakes.empty()) Check(course, mistakes).all();
  } catch (const FileError& error) { mistakes.push_back(error.sentence().english()); }
  for (std::string& mistake : mistakes) mistake = text.with_line(mistake);
  return mistakes;
}

}  // namespace headlight
