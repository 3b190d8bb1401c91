#include "ui/window/session/recovery.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/window/session/lesson_memory.h"

namespace headlight {
namespace {

struct RecoverySizes {  // points
  static constexpr float width = 620, around_words = 66, above_player = 74;
};

using Json = nlohmann::ordered_json;

constexpr std::size_t undo_bytes = 4u << 20;
constexpr std::size_t logged_actions = 200;
constexpr double seconds_between_keeping = 0.5;

/// Paths become absolute, since the next start may be in another folder.
Json scenario_json(const Scenario& scenario) { return Json::parse(to_json(with_whole_paths(scenario))); }

Json origin_json(const Origin& origin) {
  Json json{{"lesson", origin.lesson.id}, {"file", origin.lesson.file}, {"saved", scenario_json(origin.saved)}};
  if (!origin.lesson.course.empty())
    json["course"] = utf8_from(std::filesystem::absolute(path_from(origin.lesson.course)));
  if (!origin.lesson.title.empty()) json["title"] = origin.lesson.title;
  if (!origin.lesson.description.empty()) json["description"] = origin.lesson.description;
  if (!(origin.lesson.scenario == origin.saved)) json["began"] = scenario_json(origin.lesson.scenario);
  return json;
}

/// The open document and the progress in it.
Json place_json(const Origin& origin, const View& view, const std::optional<OwnSource>& own) {
  Json json{{"origin", origin_json(origin)}, {"view", view_fields(view)}};
  if (!origin.lesson.course.empty()) json["progress"] = Json::parse(progress_text(view.lesson));
  if (own && own->mistake.empty()) json["own"] = own->path;
  return json;
}

Json past_json(const std::vector<Past>& all) {
  Json list = Json::array();
  std::size_t bytes = 0;
  for (auto past = all.rbegin(); past != all.rend(); ++past) {  // the newest steps are kept
    Json step{{"scenario", scenario_json(past->scenario)}};
    if (past->place) step["place"] = place_json(past->place->origin, past->place->view, past->place->own);
    bytes += step.dump().size();
    if (bytes > undo_bytes) break;
    list.push_back(std::move(step));
  }
  return list;
}

class Reader {
 public:
  explicit Reader(std::string subject) : subject_(std::move(subject)) {}

  Scenario scenario(const Json& json) const { return parse_scenario(json.dump(), subject_); }

  OpenState place(const Json& json) {
    OpenState place;
    place.origin = origin(json.at("origin"));
    place.view = with_view_fields({}, json.at("view").get<std::string>());
    place.view.looked = true;
    if (json.contains("own")) place.own = OwnSource{.path = json["own"].get<std::string>()};
    if (!place.origin.lesson.course.empty()) join_lesson(place, json.at("progress").dump());
    return place;
  }

  std::vector<Past> past(const Json& json) {
    std::vector<Past> all;
    for (const Json& step : json) {
      Past& one = all.emplace_back(Past{scenario(step.at("scenario"))});
      if (step.contains("place")) one.place = place(step["place"]);
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

 private:
  Origin origin(const Json& json) const {
    Origin origin;
    origin.lesson.id = json.at("lesson").get<std::string>();
    origin.lesson.file = json.at("file").get<std::string>();
    if (json.contains("course")) origin.lesson.course = json["course"].get<std::string>();
    if (json.contains("title")) origin.lesson.title = json["title"].get<std::map<std::string, std::string>>();
    if (json.contains("description"))
      origin.lesson.description = json["description"].get<std::map<std::string, std::string>>();
    origin.saved = scenario(json.at("saved"));
    origin.lesson.scenario = json.contains("began") ? scenario(json["began"]) : origin.saved;
    return origin;
  }

  /// Restores the step of an open lesson; without its file there is no lesson any more.
  void join_lesson(OpenState& place, const std::string& kept) {
    const std::string file = place.origin.lesson.course;
    try {
      if (!courses_.contains(file)) courses_[file] = read_course(file);
      const Course& course = courses_[file];
      const LessonProgress progress = progress_from_text(kept);
      const std::size_t step = std::min(progress.step, course.steps.size() - 1);
      const LessonStep& shown = course.steps.at(step);
      place.view.lesson = at_step(progress, shown, step);
      if (course.bug) place.own = OwnSource{{}, course.bug->mistake, course.bug->variant, shown.pose.mended};
    } catch (const InputError&) { place.origin.lesson.course.clear(); }
  }

  std::string subject_;
  std::map<std::string, Course> courses_;
};

/// A single line, short enough to leave room for the buttons.
std::string short_name(std::string_view name) {
  constexpr std::size_t most = 60;
  std::size_t at = 0;
  for (std::size_t letters = 0; at < name.size() && letters < most; ++letters) next_character(name, at);
  return at < name.size() ? std::string(name.substr(0, at)) + "…" : std::string(name);
}

}  // namespace

std::string recovery_text(const Document& document, const std::optional<TypedLine>& typed,
                          const std::deque<std::string>& log) {
  Json json{{"headlight", 2},
            {"scenario", scenario_json(document.scenario)},
            {"place", place_json(document.origin, document.view, document.own)},
            {"undo", past_json(document.undo)},
            {"redo", past_json(document.redo)}};
  if (typed) json["typed"] = {{"field", typed->field}, {"text", typed->text}};
  const std::size_t left_out = log.size() - std::min(log.size(), logged_actions);
  json["log"] = std::vector<std::string>(log.begin() + static_cast<std::ptrdiff_t>(left_out), log.end());
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Recovered recovered(const std::string& text, const std::string& subject) {
  const auto broken = [&](const Message& why) {
    return FileError(subject, Message("cannot be brought back ({0})", why),
                     "expected what a window of Headlight wrote there");
  };
  try {
    const Json json = Json::parse(text);
    Reader reader(subject);
    Recovered back;
    Document& document = back.document;
    document.scenario = reader.scenario(json.at("scenario"));
    OpenState place = reader.place(json.at("place"));
    document.origin = std::move(place.origin);
    document.view = std::move(place.view);
    document.own = std::move(place.own);
    document.undo = reader.past(json.at("undo"));
    document.redo = reader.past(json.at("redo"));
    if (json.contains("typed"))
      back.typed =
          TypedLine{json["typed"].at("field").get<unsigned int>(), json["typed"].at("text").get<std::string>()};
    return back;
  } catch (const SettingError& error) {
    throw broken(error.message());
  } catch (const nlohmann::json::exception& error) { throw broken(std::string(error.what())); }
}

bool is_worth_keeping(const Document& document) {
  return !(document.scenario == document.origin.saved) || !document.undo.empty() || !document.redo.empty() ||
         document.view.mask_draft;
}

RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when) {
  const auto say = [&] {
    return frame.words.fill(frame.document.page.empty() ? "recovery.offer" : "recovery.offer_page",
                            {name.empty() ? std::string(frame.words("window.untitled")) : short_name(name), when});
  };
  const std::string& text = frame.pictures.kept(say, when, std::string(name.substr(0, 300)), frame.words.language());
  const float u = frame.u;
  const char* take = frame.words("recovery.take");
  const char* discard = frame.words("recovery.discard");
  const float width = std::min(RecoverySizes::width * u, window.x - Space::section * u),
              inside = width - 2 * Space::part * u;
  const float height = draw_paragraph(nullptr, frame.fonts, Face::ui, TypeSize::body * u, {0, 0}, 0, text, inside);
  // Above the timeline, since a view has its tabs at the top.
  const float bottom = std::max(window.y - RecoverySizes::above_player * u,
                                std::min(height + RecoverySizes::around_words * u, window.y));
  const ImVec2 max{(window.x + width) / 2, bottom},
      min{max.x - width, std::max(bottom - height - RecoverySizes::around_words * u, 0.0f)};
  const PanelArea area(frame, "recovery", min, max, frame.look.panel, {16, 12}, PanelArea::Kind::floating);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({min.x - 1, min.y - 1},
                    {max.x + 1, max.y + 1});  // ImGui's clip rectangle excludes half of the padding
  compat::add_rect(list, min, max, frame.look.accent, Corner::cell * u, 1);
  list.PopClipRect();
  draw_paragraph(&list, frame.fonts, Face::ui, TypeSize::body * u, {min.x + Space::part * u, min.y + Space::apart * u},
                 frame.look.ink, text, inside);
  const float y = max.y - (ControlHeight::chip + Space::card) * u;
  const float wide = button_width(frame, discard);
  RecoveryAnswer answer = RecoveryAnswer::none;
  ImGui::SetCursorScreenPos({max.x - Space::part * u - button_width(frame, take), y});
  if (main_button(frame, "take", take)) answer = RecoveryAnswer::take;
  ImGui::SetCursorScreenPos({max.x - Space::section * u - button_width(frame, take) - wide, y});
  if (chip(frame, "discard", discard, false, wide)) answer = RecoveryAnswer::discard;
  return answer;
}

void Autosave::begin(const std::filesystem::path& folder, Document& document) {
  journal_ = std::make_unique<Journal>(folder);
  look_for_offer(document);
}

double Autosave::seconds_to_keeping() const {
  if (!journal_ || !touched_) return std::numeric_limits<double>::infinity();
  const double since = std::chrono::duration<double>(Clock::now() - kept_).count();
  return std::max(seconds_between_keeping - since, 0.0);
}

void Autosave::keep(const Document& document, const std::optional<TypedLine>& typed,
                    const std::deque<std::string>& log) {
  if (seconds_to_keeping() > 0) return;
  touched_ = false;
  kept_ = Clock::now();
  if (!is_worth_keeping(document) && !typed) {
    if (!std::exchange(kept_text_, {}).empty()) journal_->close();
    return;
  }
  std::string now = recovery_text(document, typed, log);
  if (now == kept_text_) return;
  kept_text_ = std::move(now);
  journal_->keep(kept_text_);
}

void Autosave::close() {
  if (journal_) journal_->close();
}

// Offers the newest journal that can be read; unreadable ones are not offered again.
void Autosave::look_for_offer(Document& document) {
  found_.reset();
  offered_.reset();
  while (auto found = journal_->find()) {
    try {
      offered_ = recovered(found->text, utf8_from(found->file));
      found_ = std::move(found);
      return;
    } catch (const InputError& error) {
      document.error = error.message();
      journal_->set_aside(*found);
    }
  }
}

std::optional<TypedLine> Autosave::take_offer(Document& document) {
  take_over(document, std::move(offered_->document));
  touched_ = true;
  kept_ = {};
  return std::move(offered_->typed);
}

std::string Autosave::take_trouble() {
  if (!journal_ || told_) return {};
  std::string trouble = journal_->trouble();
  told_ = !trouble.empty();
  return trouble;
}

void Autosave::drop_offer(Document& document) {
  keep(document, {}, {});
  journal_->wait();  // the document is in this window's journal before the old journal is released
  journal_->forget(*found_);
  look_for_offer(document);
}

}  // namespace headlight
