// What a window reads of what an earlier one has left: readers of ui, beside those of core.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "core/base/tensor/error.h"
#include "tests/fuzz/readers.h"
#include "ui/window/session/journal.h"
#include "ui/window/session/lesson_memory.h"
#include "ui/window/session/recovery.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

/// What was read can be kept again, and is then read without an error.
void read_recovery(std::string_view bytes) {
  const Recovered found = recovered(std::string(bytes), "kept.json");
  recovered(recovery_text(found.document, found.typed), "again.json");
}

/// A file that a killed window left, found by the next one.
void read_journal(std::string_view bytes) {
  const fs::path folder = fs::temp_directory_path() / ("headlight-fuzz-" + std::to_string(std::random_device{}()));
  struct Removed {
    fs::path path;
    ~Removed() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } removed{folder};
  fs::create_directories(folder);
  std::ofstream(folder / "1-1.json", std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Document document;
  Autosave autosave;
  autosave.begin(folder, document);
  if (autosave.offered() != nullptr) autosave.take_offer(document);
}

void read_answers_file(std::string_view bytes) {
  const fs::path path =
      fs::temp_directory_path() / ("headlight-fuzz-answers-" + std::to_string(std::random_device{}()));
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  try {
    read_answers(path.string());
  } catch (const InputError&) {}
  fs::remove(path);
}

constexpr Reader readers[] = {
    {"recovery", [](std::string_view b) { read_recovery(b); }},
    {"journal", [](std::string_view b) { read_journal(b); }},
    {"answers", [](std::string_view b) { read_answers_file(b); }},
};

}  // namespace

std::span<const Reader> window_readers() { return readers; }

}  // namespace headlight::fuzz
