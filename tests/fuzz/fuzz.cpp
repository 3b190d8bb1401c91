// libFuzzer's entry: the reader is named by FUZZ_READER in the environment. See README.md beside this.
#include <cstdio>
#include <cstdlib>

#include "core/base/tensor/error.h"
#include "tests/fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headlight;
  static const fuzz::Reader reader = [] {
    const char* name = std::getenv("FUZZ_READER");
    for (const auto& readers : {fuzz::all_readers(), fuzz::window_readers()}) {
      for (const fuzz::Reader& known : readers) {
        if (name && known.name == name) return known;
      }
    }
    std::fputs("FUZZ_READER names none of the folders of tests/fuzz/corpus\n", stderr);
    std::exit(2);
  }();
  try {
    reader.read({reinterpret_cast<const char*>(data), size});
  } catch (const InputError&) {}
  return 0;
}
