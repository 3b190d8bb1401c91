// Files of other libraries are named for what they are, with Python that makes an .npz of them.
#include "core/base/arrays/foreign_files.h"

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

/// What opening a file of this name says.
std::string said_of(const TempFolder& folder, const std::string& name) {
  write_text(folder / name, "\x89HDF\r\n\x1a\n and more");
  try {
    open_arrays(folder / name);
  } catch (const FileError& error) { return error.what(); }
  return "";
}

std::string python_of(const std::filesystem::path& path) {
  const auto foreign = foreign_file(path);
  return foreign ? foreign->expected.english() : "";
}

}  // namespace

TEST_CASE("a file of another library says what it is and how to make an .npz of it") {
  const TempFolder folder;
  const std::tuple<const char*, const char*, const char*> files[]{
      {"tf_model.h5", "HDF5", "h5py.File("},
      {"m.keras", "Keras 3", "keras.saving.load_model("},
      {"flax_model.msgpack", "Flax", "serialization.msgpack_restore("},
      {"model.onnx", "ONNX", "onnx.load("},
      {"model.ckpt.index", "TensorFlow", "/model.ckpt', n)"},
      {"model.ckpt.data-00001-of-00003", "TensorFlow", "/model.ckpt', n)"},
  };
  for (const auto& [name, is, python] : files) {
    INFO(name);
    const std::string said = said_of(folder, name);
    CHECK(has(said, is));
    CHECK(has(said, "expected an .npz of it"));
    CHECK(has(said, python));
    CHECK(has(said, "np.savez('"));
  }
  CHECK(said_of(folder, "notes.txt").find("expected an .npz of it") == std::string::npos);
}

TEST_CASE("a folder of another library says what it holds") {
  const TempFolder folder;
  const auto with = [&](const char* name, const char* inside) {
    std::filesystem::create_directory(folder / name);
    write_text(folder / name / inside, "x");
    return python_of(folder / name);
  };
  CHECK(has(with("flax", "flax_model.msgpack"), "flax_model.msgpack', 'rb'"));
  CHECK(has(with("keras", "tf_model.h5"), "tf_model.h5'"));
  CHECK(has(with("orbax", "_METADATA"), "orbax'), sep='/'"));
  CHECK(has(with("checkpoints", "checkpoint"), "list_variables('" + (folder / "checkpoints").generic_string() + "')"));
  CHECK(has(with("saved", "saved_model.pb"), "saved/variables/variables', n)"));
  CHECK(with("plain", "model.safetensors").empty());
}

TEST_CASE("the Python quotes what a path holds") {
  CHECK(has(python_of("it's.h5"), R"(h5py.File('it\'s.h5'))"));
  // Where a backslash separates folders, it is written as the slash that all systems know.
  const bool separates = std::filesystem::path::preferred_separator == '\\';
  CHECK(has(python_of(R"(a\b.onnx)"), separates ? "onnx.load('a/b.onnx')" : R"(onnx.load('a\\b.onnx'))"));
}

TEST_CASE("an adapter alone is refused with the way to merge it") {
  const TempFolder folder;
  write_safetensors(folder / "adapter_model.safetensors",
                    std::vector<NamedArray>{{"base_model.model.q_proj.lora_A.weight", Tensor::full({2, 4}, 1)},
                                            {"base_model.model.q_proj.lora_B.weight", Tensor::full({4, 2}, 1)}});
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = (folder / "adapter_model.safetensors").string();
  CHECK_THROWS_WITH(resolve(scenario), ContainsSubstring("adapter") && ContainsSubstring("merge_and_unload"));
}
