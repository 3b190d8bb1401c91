// headlight train: a small network learns a task, or the sentences of a file.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/training/trained_model.h"
#include "core/compute/training/trainer.h"
#include "core/figures/export/export_options.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

TrainingSettings settings_of(const CommandLine& line) {
  if (line.file.empty())
    throw UsageError("train needs a task, " +
                     alternatives([] {
                       std::vector<std::string_view> ids;
                       for (const TrainingTask& task : training_tasks()) ids.push_back(task.id);
                       return ids;
                     }())
                         .english() +
                     ", or a file of sentences");
  TrainingSettings settings = training_defaults(line.file);
  for (const auto& [option, text] : line.settings) {
    if (option != "--threads") set_training(settings, option, text);
  }
  return settings;
}

std::string percent(double share) { return formatted("%.1f %%", 100 * share); }

void print_run(const Trainer& trainer, const Measured& end, double seconds) {
  std::printf("%s, %lld parameters\n\n%8s %10s %10s\n", run_name(trainer.settings(), trainer.step()).c_str(),
              static_cast<long long>(trainer.parameters()), "step", "loss", "accuracy");
  for (const Measured& row : trainer.measured())
    std::printf("%8lld %10.4f %10s\n", static_cast<long long>(row.step), row.loss, percent(row.accuracy).c_str());
  std::printf("\naccuracy %s on fresh data, loss %.4f, after %lld steps in %.2f s\n", percent(end.accuracy).c_str(),
              end.loss, static_cast<long long>(end.step), seconds);
  std::printf("chance %s\n", percent(trainer.data().chance()).c_str());
  if (const auto& ceiling = trainer.ceiling())
    std::printf("ceiling %s: %s\n", percent(ceiling->accuracy).c_str(), ceiling->reason.english().c_str());
  const Probe probe = trainer.probe();
  const ProbeAnswers answers = trainer.answers(probe, trainer.kept_at(trainer.step()));
  std::string said;
  for (std::size_t i = 0; i < probe.tokens.size(); ++i) {
    const std::int32_t shown = probe.targets[i] < 0 ? -1 : answers.answers[i];
    (said += said.empty() ? "" : " ") += shown < 0 ? "·" : trainer.data().words()[static_cast<std::size_t>(shown)];
    if (shown >= 0 && shown != probe.targets[i]) said += "?";
  }
  std::printf("%s → %s\n", printable(probe.text).c_str(), printable(said).c_str());
}

Json run_json(const Trainer& trainer, const Measured& end, double seconds) {
  const auto& ceiling = trainer.ceiling();
  Json json{{"task", trainer.settings().task},
            {"run", run_name(trainer.settings(), trainer.step())},
            {"parameters", trainer.parameters()},
            {"chance", trainer.data().chance()},
            {"ceiling", ceiling ? Json(ceiling->accuracy) : Json()},
            {"ceiling_reason", ceiling ? Json(ceiling->reason.english()) : Json()},
            {"accuracy", end.accuracy},
            {"loss", end.loss},
            {"seconds", seconds},
            {"history", Json::array()},
            {"losses", trainer.losses()}};
  for (const Measured& row : trainer.measured())
    json["history"].push_back({{"step", row.step}, {"loss", row.loss}, {"accuracy", row.accuracy}});
  return json;
}

/// Throws where the folder or the file could not be written in the end.
void check_targets(const CommandLine& line) {
  if (line.has("-o")) check_model_folder(path_from(line["-o"]));
  if (!line.has("--gradients")) return;
  const ArrayFormat* const format = array_format(extension_of(line["--gradients"]));
  if (!format || format->capacity != Capacity::arrays)
    throw FileError(line["--gradients"], "cannot hold the arrays of a step",
                    expected_ending(number_endings(Capacity::arrays)));
}

}  // namespace

int train_command(const CommandLine& line) {
  const TrainingSettings settings = settings_of(line);
  check_targets(line);
  Trainer trainer(settings, line.threads());
  const bool gradients = line.has("--gradients");
  if (gradients && settings.steps == 0)
    throw SettingError("--gradients", "is of the last step, but --steps is 0", "expected at least one step");
  const auto start = std::chrono::steady_clock::now();
  std::vector<NamedArray> last_step;
  if (gradients) {
    trainer.train(settings.steps - 1);
    last_step = trainer.record_arrays();
  }
  while (trainer.train(settings.steps)) {}
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const KeptStep newest = trainer.kept_at(trainer.step());
  const Measured end = trainer.measure(newest, 1024);
  if (gradients) array_format(extension_of(line["--gradients"]))->write(path_from(line["--gradients"]), last_step);
  if (line.has("-o")) write_model(path_from(line["-o"]), trainer.model(newest, end));
  if (line.has("--json")) print_json(run_json(trainer, end, seconds));
  else print_run(trainer, end, seconds);
  return 0;
}

}  // namespace headlight
