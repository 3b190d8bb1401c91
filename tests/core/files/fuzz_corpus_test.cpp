// Reads every file of the fuzzing corpus, and every finding, with its reader.
#include <fstream>

#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/fuzz/readers.h"
#include "tests/places.h"

using namespace headlight;

TEST_CASE("fuzzing: every file of the corpus is read or refused in a sentence") {
  for (const fuzz::Reader& reader : fuzz::all_readers()) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(places::fixtures()) /
                                                                 "../fuzz/corpus" / reader.name)) {
      INFO(entry.path().string());
      const std::string bytes = samples::read_bytes(entry.path());
      try {
        reader.read(bytes);
      } catch (const InputError& error) {
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        CHECK(std::string(error.what()).size() < 6000);
      }
      ++files;
    }
    CHECK(files > 0);
  }
}
