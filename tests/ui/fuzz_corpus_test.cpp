// Reads every file of the fuzzing corpora of ui, and every finding, with its reader.
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/fuzz/readers.h"
#include "tests/places.h"

using namespace headlight;

TEST_CASE("fuzzing: what a killed window left is read or refused in a sentence") {
  for (const fuzz::Reader& reader : fuzz::window_readers()) {
    int files = 0;
    const auto folder = std::filesystem::path(places::fixtures()) / "../fuzz/corpus" / reader.name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      INFO(entry.path().string());
      try {
        reader.read(samples::read_bytes(entry.path()));
      } catch (const InputError& error) { CHECK(std::string(error.what()).find('\n') == std::string::npos); }
      ++files;
    }
    CHECK(files > 0);
  }
}
