#include "ui/views/mine/report.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

std::string place(const std::vector<Index>& index) {
  return "[" + comma_list(index, [](Index i) { return std::to_string(i); }) + "]";
}

/// The code after the explanation's last "Write ", without the end of the sentence.
std::string line_to_write(const std::string& explanation) {
  const std::size_t at = explanation.rfind("Write ");
  if (at == std::string::npos) return {};
  std::string line = explanation.substr(at + 6);
  if (line.ends_with('.')) line.pop_back();
  return line;
}

ReportFinding finding_words(const Finding& finding, const Words& words) {
  const std::string title = "mistakes." + finding.id + ".title", why = "mistakes." + finding.id + ".why";
  ReportFinding shown{finding.id, words(title), finding.explanation, line_to_write(finding.explanation)};
  if (words.language() == "en") return shown;
  const std::string translated = words(why);
  if (translated == why) return shown;
  shown.text = translated;
  if (!finding.yours.empty()) shown.text += words.fill("mine.yours_here", {finding.yours, finding.here});
  if (!shown.line.empty()) shown.text += words.fill("mine.write", {shown.line});
  return shown;
}

const char* key_of(OwnReading::Kind kind) {
  switch (kind) {
    case OwnReading::Kind::as_it_is: break;
    case OwnReading::Kind::other_axes: return "mine.read.other_axes";
    case OwnReading::Kind::one_for_all_heads: return "mine.read.one_for_all_heads";
    case OwnReading::Kind::batch_and_heads_first: return "mine.read.batch_and_heads_first";
    case OwnReading::Kind::repeated_heads: return "mine.read.repeated_heads";
    case OwnReading::Kind::sequence_first: return "mine.read.sequence_first";
    case OwnReading::Kind::additive_mask: return "mine.read.additive_mask";
    case OwnReading::Kind::wrong_shape: return "mine.read.wrong_shape";
    case OwnReading::Kind::no_mask: return "mine.read.no_mask";
  }
  return "";
}

/// Whether the mask was read from a stage that shows it, or was only found to fit.
bool seen_in_numbers(const AssumedMask& assumed) { return assumed.seen_in <= Stage::dropped_weights; }

/// A mask that would make every stage agree may be a known mistake.
bool is_doubt(const Comparison& comparison, const Wrong& wrong) {
  return comparison.agrees() && comparison.assumed && comparison.assumed->doubt && !wrong.findings.empty() &&
         wrong.findings.front().id == comparison.assumed->doubt->id;
}

/// Whether the finding is about a stage that does not differ.
bool is_note(const Comparison& comparison, const Wrong& wrong) {
  const auto stage = std::ranges::find(comparison.stages, wrong.stage, &StageComparison::stage);
  return stage != comparison.stages.end() && !stage->differs() && !wrong.findings.empty();
}

/// What can be said of a stage that no known mistake explains.
std::vector<std::string> unexplained(const Comparison& comparison, const Wrong& wrong, const Words& words) {
  std::vector<std::string> notes;
  const auto stage = std::ranges::find(comparison.stages, wrong.stage, &StageComparison::stage);
  const bool last =
      &wrong == &comparison.wrongs.back() &&
      std::any_of(stage + 1, comparison.stages.end(), [](const StageComparison& s) { return s.own != nullptr; });
  if (!stage->agreement) notes.push_back(words.fill("mine.it", {reading_words(stage->own->reading, words)}));
  else if (!comparison.complete && &wrong == &comparison.wrongs.back())
    notes.emplace_back(words("mine.unknown_so_far"));
  else notes.emplace_back(words(wrong.aside ? "mine.aside" : last ? "mine.unknown_then_right" : "mine.unknown"));
  if (!comparison.rounding.empty()) notes.push_back(words.fill("mine.like_rounding", {comparison.rounding}));
  const std::string missing = comma_list(worth_saving(comparison, wrong), [](Stage s) { return name(s); });
  if (!missing.empty()) notes.push_back(words.fill("mine.save_too", {missing}));
  return notes;
}

/// Several findings: both at once, or one of them.
std::vector<std::string> undecided(const Comparison& comparison, const Wrong& wrong, const Words& words) {
  if (wrong.together) return {std::string(words("mine.together"))};
  const std::string missing = comma_list(worth_saving(comparison, wrong), [](Stage s) { return name(s); });
  return {missing.empty() ? std::string(words("mine.tie")) : words.fill("mine.tie_save", {missing})};
}

}  // namespace

std::string reading_words(const OwnReading& reading, const Words& words) {
  if (reading.plain()) return {};
  std::string text = words.fill(key_of(reading.kind), {to_string(reading.stored), to_string(reading.expected)});
  if (reading.hint == OwnReading::Hint::transpose_missing) text += words("mine.read.transpose_missing");
  if (reading.hint == OwnReading::Hint::rows_and_columns) text += words("mine.read.rows_and_columns");
  return text;
}

std::string short_number(double value) { return with_minus(formatted("%.6g", value)); }

std::string verdict_words(const StageComparison& stage, const Words& words) {
  if (!stage.own) return "";
  const std::string reading = reading_words(stage.own->reading, words);
  if (!stage.agreement) return words.fill("mine.differs_shape", {reading});
  const Agreement& a = *stage.agreement;
  const std::string text =
      stage.tells_nothing() ? words("mine.stage_tells_nothing")
      : !a.agrees           ? words.fill("mine.differs_at", {place(a.at), short_number(static_cast<double>(a.mine)),
                                                             short_number(static_cast<double>(a.right))})
      : a.largest > 0 && std::isfinite(a.largest)
          ? words.fill("mine.stage_agrees_within", {with_minus_signs(formatted("%.2g", a.largest))})
          : words("mine.stage_agrees");
  return reading.empty() ? text : text + "  (" + reading + ")";
}

Report make_report(const Comparison& comparison, const OwnStages& own, const Words& words) {
  Report report;
  if (const auto& assumed = comparison.assumed) {
    const std::string seen(name(assumed->seen_in));
    const bool shown = seen_in_numbers(*assumed);
    report.assumed = comparison.agrees()         ? assumed->settings.empty()
                                                       ? words.fill("mine.right_if_same", {seen})
                                                       : words.fill(shown ? "mine.right_if" : "mine.right_if_fits",
                                                            {assumed->expression, assumed->settings, seen})
                     : assumed->settings.empty() ? words.fill("mine.assumed_some", {seen})
                                                 : words.fill("mine.assumed", {seen, assumed->settings});
  }
  if (comparison.matches()) report.agrees = words("mine.agrees");
  else if (comparison.agrees()) report.agrees = words("mine.agrees_if");
  for (const Wrong& wrong : comparison.wrongs) {
    const bool doubt = is_doubt(comparison, wrong);
    if (!doubt && is_note(comparison, wrong)) {
      report.others.push_back(words.fill("mine.noted", {finding_words(wrong.findings.front(), words).text}));
      continue;
    }
    const bool first = report.parts.empty();
    ReportPart& part = report.parts.emplace_back();
    part.stage = wrong.stage;
    part.heading = doubt ? words("mine.if_not_meant")
                         : words.fill(first ? "mine.first" : "mine.next", {std::string(name(wrong.stage))});
    for (const Finding& finding : wrong.findings) part.findings.push_back(finding_words(finding, words));
    if (wrong.findings.empty()) part.notes = unexplained(comparison, wrong, words);
    else if (wrong.findings.size() > 1) part.notes = undecided(comparison, wrong, words);
  }
  std::vector<Stage> not_finite;
  for (const StageComparison& stage : comparison.stages) {
    if (stage.tells_nothing()) not_finite.push_back(stage.stage);
  }
  if (!not_finite.empty())
    report.others.push_back(
        words.fill("mine.tells_nothing", {comma_list(not_finite, [](Stage stage) { return name(stage); })}));
  if (!comparison.complete) report.incomplete = words("mine.incomplete");
  for (const OwnStages::Other& other : own.others) {
    if (!other.meant || own.find(*other.meant)) continue;
    report.others.push_back(words.fill("mine.other", {other.name, std::string(name(*other.meant))}));
  }
  return report;
}

Report in_window(Report report, const Words& words) {
  report.assumed = words.in_window(report.assumed);
  for (ReportPart& part : report.parts) {
    for (ReportFinding& finding : part.findings) finding.text = words.in_window(finding.text);
  }
  for (std::string& other : report.others) other = words.in_window(other);
  return report;
}

}  // namespace headlight
