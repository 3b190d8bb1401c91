// Valid files with a few changed bytes open or are refused with an InputError. Run this with the errorcheck preset,
// which also finds wrong memory accesses.
#include <random>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

TEST_CASE("a file with random bytes changed opens or is refused") {
  const TempFolder folder;
  std::mt19937 random(20);
  int opened = 0, refused = 0;
  for (const std::string name : {"array_types.npz", "array_zip64.npz", "array_halves.safetensors", "torch_views.pt",
                                 "torch_views_protocol4.pt", "torch_state_dict.pth", "s002_v1.input.npz"}) {
    const std::string valid = read_bytes(fixture(name));
    for (int round = 0; round < 150; ++round) {
      std::string bytes = valid;
      // The first bytes are headers; a quarter of the changes goes there.
      for (unsigned change = 1 + random() % 8; change > 0; --change) {
        const std::size_t range = random() % 4 == 0 ? std::min<std::size_t>(bytes.size(), 256) : bytes.size();
        bytes[random() % range] = static_cast<char>(random());
      }
      if (random() % 8 == 0) bytes.resize(random() % bytes.size());
      std::filesystem::remove(folder / name);  // much faster than writing over it
      write_text(folder / name, bytes);
      try {
        const auto file = open_arrays(folder / name);
        for (const ArrayEntry& entry : file->entries()) {
          const Tensor tensor = file->load(entry.name);
          CHECK(tensor.shape() == entry.shape);
          file->number(entry.name);
        }
        ++opened;
      } catch (const FileError& error) {
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        ++refused;
      }
    }
  }
  CHECK(opened > 0);
  CHECK(refused > 100);
}
