#include "tests/fuzz/readers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/parse_matrix.h"
#include "core/base/files/picture_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/stage_figure.h"
#include "core/figures/figure/figure.h"
#include "core/models/tokenizer/tokenizer.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/lesson/course.h"
#include "tests/places.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, emptied for each file.
const fs::path& folder() {
  static const fs::path path = [] {
    const fs::path made = fs::temp_directory_path() / ("headlight-fuzz-" + std::to_string(std::random_device{}()));
    fs::create_directories(made);
    static struct Removed {
      fs::path path;
      ~Removed() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
      }
    } removed{made};
    return made;
  }();
  return path;
}

fs::path written(const char* name, std::string_view bytes) {
  const fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

void load_small(const ArrayFile& file) {
  for (const ArrayEntry& entry : file.entries()) {
    double cells = 1;
    for (const Index size : entry.shape) cells *= static_cast<double>(size);
    if (cells > 1e5) continue;
    try {
      file.load(entry.name);
      file.number(entry.name);
    } catch (const InputError&) {}
  }
  for (const SkippedArray& array : file.skipped()) file.words(array.name);
  for (const auto& [name, text] : file.texts()) {
    try {
      file.words(name);
    } catch (const InputError&) {}
  }
}

void read_arrays(std::string_view bytes) { load_small(*open_arrays(written("a.npz", bytes))); }
void read_safetensors(std::string_view bytes) { load_small(*open_arrays(written("a.safetensors", bytes))); }

void read_attention(std::string_view bytes) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = written("b.npz", bytes).string();
  scenario.heads = 1;
  const Inputs inputs = resolve(scenario);
  if (static_cast<double>(inputs.dims.batch * inputs.dims.heads) * static_cast<double>(inputs.dims.n_q) *
          static_cast<double>(inputs.dims.n_k) <
      1e6) {
    Run run;
    run.threads = 1;
    compute(scenario, inputs, nullptr, run);
  }
}

void read_mask_picture(std::string_view bytes) {
  const auto file = open_mask_arrays(written("a.png", bytes));
  load_small(*file);
}
void read_table(std::string_view bytes) { load_small(*open_mask_arrays(written("a.csv", bytes))); }
void read_pasted(std::string_view bytes) { parse_matrix(std::string(bytes)); }

void read_scenario_text(std::string_view bytes) {
  const Scenario scenario = parse_scenario(std::string(bytes), "a.json");
  parse_scenario(to_json(scenario), "written");
}

void read_tokenizer(std::string_view bytes) {
  std::error_code error;
  fs::remove(folder() / "vocab.json", error);
  written("tokenizer.json", bytes);
  const auto splitter = open_tokenizer(folder() / "a.bin");
  splitter->split("The cat's 2 hats, don't fit! 猫 Café <s>");
}

void read_vocabulary(std::string_view bytes) {
  std::error_code error;
  fs::remove(folder() / "tokenizer.json", error);
  const std::size_t middle = std::min(bytes.find('\0'), bytes.size());
  written("vocab.json", bytes.substr(0, middle));
  written("merges.txt", bytes.substr(std::min(middle + 1, bytes.size())));
  open_tokenizer(folder() / "a.bin")->split("the cat sat");
}

void read_mask(std::string_view bytes) {
  const MaskExpression expression = MaskExpression::parse(bytes);
  const Tensor any = Tensor::full({1, 1, 4, 5}, 1), lengths = Tensor::of({2}, {3, 5});
  MaskContext context{.batch = 2, .heads = 2, .n_q = 4, .n_k = 5, .grid = {2, 2, 1}};
  context.valid_lens = lengths;
  context.file_mask = context.painted = any;
  evaluate(expression, context);
}

void read_lesson(std::string_view bytes) { read_course(written("lesson.json", bytes).string()); }
void read_markdown(std::string_view bytes) { read_course(written("lesson.md", bytes).string()); }

/// A folder of its own, with the tensors of a small GPT-2 beside what is read.
const fs::path& model_folder() {
  static const fs::path path = [] {
    const fs::path made = folder() / "model";
    fs::create_directories(made);
    const fs::path tensors = fs::path(places::fixtures()) / "networks" / "gpt2" / "model.safetensors";
    fs::copy_file(tensors, made / "model.safetensors", fs::copy_options::overwrite_existing);
    return made;
  }();
  return path;
}

void read_config(std::string_view bytes) {
  const fs::path path = model_folder() / "config.json";
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = model_folder().string();
  scenario.text = "0 1 2";
  Run run;
  run.threads = 1;
  compute_any(scenario, nullptr, run);
}

/// A whole network with its tokenizer.
void read_gguf(std::string_view bytes) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = written("a.gguf", bytes).string();
  scenario.text = "0 1 2";
  Run run;
  run.threads = 1;
  compute_any(scenario, nullptr, run);
}

void read_pieces(std::string_view bytes) {
  fs::create_directories(folder() / "pieces");
  written("pieces/tokenizer.model", bytes);
  open_tokenizer(folder() / "pieces" / "a.bin")->split("The cat's 2 hats, don't fit! 猫 Café <s>");
}

/// A network's index of shards, whose names are those of no file or of the file beside it.
void read_index(std::string_view bytes) {
  const fs::path path = model_folder() / "model.safetensors.index.json";
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  open_network(path.string());
}

void read_characters(std::string_view bytes) { open_characters(written("meta.pkl", bytes))->split("the cat sat"); }

void read_ranks(std::string_view bytes) {
  fs::create_directories(folder() / "ranks");
  find_tokenizer(written("ranks/tokenizer.pkl", bytes))->split("the cat's 2 hats");
}

/// Lines of "option text", a setting's or a figure's, as a command line gives them.
void read_options(std::string_view bytes) {
  Scenario scenario;
  ExportOptions options;
  for (std::size_t from = 0; from < bytes.size();) {
    const std::size_t to = std::min(bytes.find('\n', from), bytes.size());
    const std::string_view line = bytes.substr(from, to - from);
    from = to + 1;
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view option = line.substr(0, space), text = line.substr(std::min(space + 1, line.size()));
    for (const Setting& setting : all_settings()) {
      if (setting.option == option) setting.apply(scenario, option, text);
    }
    for (const ExportOption& each : all_export_options()) {
      if (each.option == option && option != "--style") each.apply(options, option, text);
    }
  }
  parse_scenario(to_json(scenario), "written");
  export_words(options);
}

void read_style(std::string_view bytes) {
  ExportOptions options;
  apply_style_file(options, written("style.json", bytes).string());
  export_words(options);
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The title, a head's name and the words of a page, by lines: whatever they are, its elements stay as they are and its
/// data can be read.
void read_page(std::string_view bytes) {
  const auto page_of = [](std::string_view title, std::string_view head, std::string_view words) {
    Scenario scenario;
    scenario.source = Source::text;
    scenario.text = std::string(words);
    Run run;
    run.threads = 1;
    const auto trace = compute_any(scenario, nullptr, run);
    StageCut cut{*trace, Stage::weights};
    StageFigureStyle style;
    style.title = std::string(title);
    FigureSpec spec = stage_figure(cut, style);
    spec.panels.front().title = std::string(head);
    return html_figure(spec, "weights", nullptr);
  };
  static const std::string plain = page_of("title", "head", "the cat");
  const std::size_t first = std::min(bytes.find('\n'), bytes.size()), after = std::min(first + 1, bytes.size()),
                    second = std::min(bytes.find('\n', after), bytes.size());
  const std::string words(bytes.substr(std::min(second + 1, bytes.size())).substr(0, 200));
  const std::string page = page_of(bytes.substr(0, first), bytes.substr(after, second - after), words);
  constexpr std::string_view opening = R"(<script type="application/json" id="headlight-data">)", closing = "</script";
  const std::size_t begin = page.find(opening) + opening.size();
  if (!nlohmann::json::accept(page.substr(begin, page.find(closing, begin) - begin))) std::abort();
  const std::string page_in_lower_case = lowercase(page),
                    plain_in_lower_case = lowercase(plain);  // as HTML reads names
  for (const std::string_view part : {closing, std::string_view("<script"), std::string_view("</title"),
                                      std::string_view("</style"), std::string_view("<!--")})
    if (count_of(page_in_lower_case, part) != count_of(plain_in_lower_case, part)) std::abort();
}

constexpr Reader readers[] = {
    {"arrays", [](std::string_view b) { read_arrays(b); }},
    {"safetensors", [](std::string_view b) { read_safetensors(b); }},
    {"attention", [](std::string_view b) { read_attention(b); }},
    {"picture", [](std::string_view b) { read_mask_picture(b); }},
    {"table", [](std::string_view b) { read_table(b); }},
    {"pasted", [](std::string_view b) { read_pasted(b); }},
    {"scenario", [](std::string_view b) { read_scenario_text(b); }},
    {"tokenizer", [](std::string_view b) { read_tokenizer(b); }},
    {"vocabulary", [](std::string_view b) { read_vocabulary(b); }},
    {"mask", [](std::string_view b) { read_mask(b); }},
    {"lesson", [](std::string_view b) { read_lesson(b); }},
    {"markdown", [](std::string_view b) { read_markdown(b); }},
    {"config", [](std::string_view b) { read_config(b); }},
    {"index", [](std::string_view b) { read_index(b); }},
    {"characters", [](std::string_view b) { read_characters(b); }},
    {"ranks", [](std::string_view b) { read_ranks(b); }},
    {"options", [](std::string_view b) { read_options(b); }},
    {"gguf", [](std::string_view b) { read_gguf(b); }},
    {"pieces", [](std::string_view b) { read_pieces(b); }},
    {"image", [](std::string_view b) { read_picture(written("a.image", b).string()); }},
    {"style", [](std::string_view b) { read_style(b); }},
    {"page", [](std::string_view b) { read_page(b); }},
};

}  // namespace

std::span<const Reader> all_readers() { return readers; }

}  // namespace headlight::fuzz
