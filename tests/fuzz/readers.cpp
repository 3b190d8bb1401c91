#include "tests/fuzz/readers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "core/files/array_file.h"
#include "core/files/mask_arrays.h"
#include "core/files/parse_matrix.h"
#include "core/mask/evaluate.h"
#include "core/mask/expression.h"
#include "core/run/pipeline.h"
#include "core/scenario/scenario_json.h"
#include "core/tensor/error.h"
#include "core/tokenizer/tokenizer.h"

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
    } catch (const InputError&) {
    }
  }
  for (const SkippedArray& array : file.skipped()) file.words(array.name);
  for (const auto& [name, text] : file.texts()) {
    try {
      file.words(name);
    } catch (const InputError&) {
    }
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
  if (static_cast<double>(inputs.dims.batch * inputs.dims.heads) * static_cast<double>(inputs.dims.n_q) * static_cast<double>(inputs.dims.n_k) < 1e6) {
    Run run;
    run.threads = 1;
    compute(scenario, inputs, nullptr, run);
  }
}

void read_picture(std::string_view bytes) {
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
  MaskContext context{.batch = 2, .heads = 2, .n_q = 4, .n_k = 5};
  context.valid_lens = &lengths;
  context.file_mask = context.painted = &any;
  evaluate(expression, context);
}

constexpr Reader readers[] = {
    {"arrays", [](std::string_view b) { read_arrays(b); }},         {"safetensors", [](std::string_view b) { read_safetensors(b); }},
    {"attention", [](std::string_view b) { read_attention(b); }},   {"picture", [](std::string_view b) { read_picture(b); }},
    {"table", [](std::string_view b) { read_table(b); }},           {"pasted", [](std::string_view b) { read_pasted(b); }},
    {"scenario", [](std::string_view b) { read_scenario_text(b); }}, {"tokenizer", [](std::string_view b) { read_tokenizer(b); }},
    {"vocabulary", [](std::string_view b) { read_vocabulary(b); }}, {"mask", [](std::string_view b) { read_mask(b); }},
};

}  // namespace

std::span<const Reader> all_readers() { return readers; }

}  // namespace headlight::fuzz
