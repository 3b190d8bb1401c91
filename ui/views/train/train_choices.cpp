// The left column of the view Train: the task, the choices, Start.
#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "core/compute/training/task.h"
#include "ui/base/document/action.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/train/sizes.h"
#include "ui/views/train/train.h"
#include "ui/views/train/train_groups.h"

namespace headlight {
namespace {

constexpr const char* paces[] = {"train.pace_slow", "train.pace_watched", "train.pace_at_once"};

void open_task(const Frame& frame, const TrainingTask& task) {
  frame.actions.push_back(
      OpenFile{run_name(training_defaults(std::string(task.id)), 0), frame.document.learned != nullptr});
}

/// What the column says, found once for a run.
struct ChoiceWords {
  std::string title, example;
  std::vector<std::string> tasks;  ///< of training_tasks()
  struct Option {
    std::string id, words;
    bool chosen;
  };
  std::vector<std::vector<Option>> groups;  ///< of train_groups()
  std::vector<std::string> headings;        ///< of the groups
  bool risen = false;                       ///< there is a step where it happened
};

ChoiceWords words_of(const Frame& frame, const Learned& run) {
  ChoiceWords made{task_title(run.settings, frame.words), probe_text(run), {}, {}, {}, run.steepest() != nullptr};
  for (const TrainingTask& task : training_tasks()) made.tasks.push_back(task_title(task, frame.words));
  for (const TrainGroup& group : train_groups()) {
    std::string& heading = made.headings.emplace_back(frame.words(group.word));
    for (char& letter : heading) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
    auto& options = made.groups.emplace_back();
    for (const TrainOption& option : group.options)
      options.push_back(
          {std::string(group.word) + option.word, option_words(option, frame.words), option.is(run.settings)});
  }
  return made;
}

void choose_task(const Frame& frame, const TrainStory& story, const ChoiceWords& words) {
  const auto tasks = training_tasks();
  const auto now = std::ranges::find(tasks, std::string_view(story.run.settings.task), &TrainingTask::id);
  const auto name_of = [&](int i) {
    return i < static_cast<int>(tasks.size()) ? words.tasks[static_cast<std::size_t>(i)].c_str() : words.title.c_str();
  };
  if (const auto chosen =
          choice_box(frame, "##task", static_cast<int>(tasks.size()), static_cast<int>(now - tasks.begin()), name_of))
    open_task(frame, tasks[static_cast<std::size_t>(*chosen)]);
}

/// The mask's expression, where it is none of the options.
void own_mask(const Frame& frame, const TrainStory& story) {
  static const std::string none;
  const std::string& mask = story.run.settings.mask;
  const bool own = mask != "full()" && mask != "causal()";
  if (const auto text =
          text_field(frame, "##mask", own ? mask : none, Face::mono, false, frame.words("train.own_mask"));
      text && !text->empty())
    choose_in_run(frame, story, {}, [mask = *text](TrainingSettings& run) { run.mask = mask; });
}

void draw_group(const Frame& frame, const TrainStory& story, std::size_t which, const ChoiceWords& words) {
  const TrainGroup& group = train_groups()[which];
  section(frame, words.headings[which].c_str());
  ChipFlow flow(frame);
  for (std::size_t i = 0; i < group.options.size(); ++i) {
    const ChoiceWords::Option& option = words.groups[which][i];
    if (flow.chip(option.id.c_str(), option.words, option.chosen))
      choose_in_run(frame, story, {}, [set = group.options[i].set](TrainingSettings& run) { set(run); });
  }
  if (std::string_view(group.word) == "train.mask") own_mask(frame, story);
}

/// From 0.0001 to 1, by powers of ten.
void rate_slider(const Frame& frame, const TrainStory& story) {
  const float rate = story.run.settings.rate;
  char shown[32];
  std::snprintf(shown, sizeof shown, "%.3g", static_cast<double>(rate));
  const auto power = float_slider(frame, "rate", frame.words("train.rate"), std::log10(rate), -4, 0, shown);
  if (!power) return;
  // Two digits, as people write rates.
  const float wanted = std::pow(10.0F, std::round(10 * *power) / 10);
  const float digit = std::pow(10.0F, std::floor(std::log10(wanted)) - 1);
  const float round = std::round(wanted / digit) * digit;
  if (round != rate) choose_in_run(frame, story, "train_rate", [round](TrainingSettings& run) { run.rate = round; });
}

void seed_slider(const Frame& frame, const TrainStory& story) {
  if (const auto seed = int_slider(frame, "seed", frame.words("train.seed"),
                                   static_cast<Index>(story.run.settings.seed), Choices(0, 20)))
    choose_in_run(frame, story, seed->typed ? "" : "train_seed", [value = seed->value](TrainingSettings& run) {
      run.seed = static_cast<std::uint64_t>(std::max<Index>(value, 0));
    });
}

void width_slider(const Frame& frame, const TrainStory& story) {
  static constexpr Index widths[] = {8, 16, 32, 64, 128};
  if (const auto width = int_slider(frame, "width", frame.words("train.width"), story.run.settings.d_model,
                                    Choices(std::span<const Index>(widths))))
    choose_in_run(frame, story, width->typed ? "" : "train_width",
                  [value = width->value](TrainingSettings& run) { run.d_model = value; });
}

void steps_slider(const Frame& frame, const TrainStory& story) {
  static constexpr Index lengths[] = {50, 100, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000, 10000};
  if (const auto steps = int_slider(frame, "steps", frame.words("train.steps"), story.run.settings.steps,
                                    Choices(std::span<const Index>(lengths))))
    set_steps(frame, story, steps->value);
}

void draw_buttons(const Frame& frame, const TrainStory& story, const ChoiceWords& words) {
  const float u = frame.u;
  const bool over = story.run.ended() && !story.learning;
  const char* word = story.learning       ? "train.pause"
                     : over               ? "train.again"
                     : story.run.step > 0 ? "train.go_on"
                                          : "train.start";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (main_button(frame, "start", frame.words(word))) start_or_pause(frame, story);
  tooltip(frame, frame.words("train.keys"));
  ImGui::SetCursorScreenPos({at.x, ImGui::GetItemRectMax().y + Space::near * u});
  ChipFlow flow(frame);
  if (!story.run.ended() && flow.chip("one", frame.words("train.one_step"), false)) one_step(frame, story);
  if (story.run.step > 0 && !over && flow.chip("again", frame.words("train.again"), false)) begin_again(frame);
  if (words.risen && flow.chip("where", frame.words("train.where"), false)) go_where_it_happened(frame, story);
  if (story.beside && flow.chip("alone", frame.words("train.alone"), false))
    frame.show([](View& v) { v.train.beside.clear(); });
}

}  // namespace

void draw_train_choices(const Frame& frame, const TrainStory& story, Rect place) {
  const float u = frame.u, pad = Space::part * u;
  const ChoiceWords& words =
      frame.kept([&] { return words_of(frame, story.run); }, frame.document.learned, frame.words.language());
  frame.painter.fill(*ImGui::GetWindowDrawList(), place.min, place.max, frame.look.panel);
  ImGui::SetCursorScreenPos({place.min.x + pad, place.min.y + pad});
  ImGui::BeginChild("train_choices", {place.width() - 1.25F * pad, place.height() - pad}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
  choose_task(frame, story, words);
  ImGui::PushTextWrapPos(0);
  note(frame, words.example);
  ImGui::PopTextWrapPos();
  draw_buttons(frame, story, words);
  section(frame, frame.words("train.pace"));
  if (const auto pace = pick(frame, "pace", paces, static_cast<int>(frame.view().train.pace)))
    frame.show([pace = static_cast<TrainPace>(*pace)](View& v) { v.train.pace = pace; });
  for (std::size_t i = 0; i < train_groups().size(); ++i) {
    if (!train_groups()[i].options.empty()) draw_group(frame, story, i, words);
  }
  rate_slider(frame, story);
  steps_slider(frame, story);
  width_slider(frame, story);
  seed_slider(frame, story);
  note(frame, frame.words(story.run.step == 0 ? "train.hint_before" : "train.hint_after"));
  ImGui::EndChild();
}

void draw_train_invitation(const Frame& frame, Rect place) {
  const float u = frame.u, width = std::min(TrainInvitation::width * u, place.width() - 2 * Space::wide * u);
  const ImVec2 at{place.centre().x - width / 2, place.min.y + TrainInvitation::above * u};
  frame.write(Face::bold, TypeSize::title, at, frame.look.ink, frame.words("train.title"));
  float top = at.y + TrainInvitation::title * u;
  // The document's own pattern, of which one asks where it comes from.
  if (frame.trace()->has(Stage::weights)) {
    const float side = TrainInvitation::pattern.of(place.height(), u);
    const Rect card{{at.x, top}, {at.x + side, top + side}};
    const auto scene = [&] {
      Scene made;
      Pen pen(frame, made);
      pen.card(card);
      pen.heat({.heat = std::make_shared<HeatPicture>(make_heat(frame, Stage::weights, frame.view().head,
                                                                card.grown(-Space::near * u), RowRanges::never))});
      return made;
    };
    draw_scene(frame, *ImGui::GetWindowDrawList(), frame.kept(scene, card));
    draw_paragraph(ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::story * u,
                   {card.max.x + Space::part * u, card.min.y}, frame.look.ink, frame.words("train.where_from"),
                   width - side - Space::part * u);
    top = card.max.y + Space::card * u;
  }
  const ControlArea area("tasks", {{at.x, top}, {at.x + width, place.max.y}});
  note(frame, frame.words("train.invitation"));
  const auto find = [&] {
    std::vector<std::string> titles;
    for (const TrainingTask& task : training_tasks()) titles.push_back(task_title(task, frame.words));
    return titles;
  };
  const std::vector<std::string>& titles = frame.kept(find, frame.words.language());
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (chip(frame, titles[i].c_str(), titles[i], false, width)) open_task(frame, training_tasks()[i]);
  }
}

}  // namespace headlight
