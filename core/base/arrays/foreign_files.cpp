#include "core/base/arrays/foreign_files.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

struct ForeignKind {
  const char* is;
  std::string_view endings;  ///< of files
  std::string_view inside;   ///< names in a folder
  const char* python;        ///< FILE is the path, OUT the .npz
};

constexpr ForeignKind foreign_kinds[] = {
    {"an HDF5 file, as Keras and h5py write it", ".h5 .hdf5 .weights.h5", "tf_model.h5",
     "import h5py, numpy as np; d = {}; h5py.File('FILE').visititems(lambda n, o: d.update({n: o[()]}) if hasattr(o, "
     "'shape') else None); np.savez('OUT', **d)"},
    {"a model of Keras 3", ".keras", "",
     "import keras, numpy as np; np.savez('OUT', **{w.path: np.array(w) for w in "
     "keras.saving.load_model('FILE').weights})"},
    {"a file of Flax, in msgpack", ".msgpack", "flax_model.msgpack",
     "import numpy as np; from flax import serialization, traverse_util; np.savez('OUT', **traverse_util.flatten_dict("
     "serialization.msgpack_restore(open('FILE', 'rb').read()), sep='/'))"},
    {"an ONNX model", ".onnx", "model.onnx",
     "import onnx, numpy as np; np.savez('OUT', **{t.name: onnx.numpy_helper.to_array(t) for t in "
     "onnx.load('FILE').graph.initializer})"},
    {"a checkpoint of TensorFlow", ".index .meta", "checkpoint saved_model.pb",
     "import tensorflow as tf, numpy as np; np.savez('OUT', **{n: tf.train.load_variable('FILE', n) for n, _ in "
     "tf.train.list_variables('FILE')})"},
    {"a checkpoint of Flax, as Orbax writes it", "", "_METADATA manifest.ocdbt _CHECKPOINT_METADATA",
     "import numpy as np, orbax.checkpoint as ocp; from flax import traverse_util; np.savez('OUT', "
     "**traverse_util.flatten_dict(ocp.PyTreeCheckpointer().restore('FILE'), sep='/'))"},
};

bool any_of_words(std::string_view words, auto fits) {
  const Split parts(words, ' ');
  for (const std::string_view word : parts) {
    if (!word.empty() && fits(word)) return true;
  }
  return false;
}

/// What stands for a path between Python's quotes.
std::string in_python(const std::string& path) { return replaced(replaced(path, "\\", "\\\\"), "'", "\\'"); }

/// The text with the path for FILE and the .npz for OUT.
std::string python_for(std::string text, const std::string& path, const std::string& npz) {
  for (const auto& [mark, with] :
       {std::pair{std::string_view("FILE"), in_python(path)}, {std::string_view("OUT"), in_python(npz)}}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size()))
      text.replace(at, mark.size(), with);
  }
  return text;
}

/// Whether it is one of the parts of a TensorFlow checkpoint: "model.ckpt.data-00000-of-00002".
bool is_part_of_checkpoint(std::string_view name) {
  const std::size_t at = name.rfind(".data-");
  return at != std::string_view::npos && name.find("-of-", at) != std::string_view::npos;
}

/// TensorFlow names a checkpoint without the endings of its files, and a saved model by its variables.
std::string tensorflow_name(const fs::path& found) {
  std::error_code error;
  if (fs::exists(found / "saved_model.pb", error)) return portable_utf8_from(found / "variables" / "variables");
  const std::string path = portable_utf8_from(found);
  for (const std::string_view ending : {".index", ".meta"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return is_part_of_checkpoint(utf8_from(found.filename())) ? path.substr(0, path.rfind(".data-")) : path;
}

}  // namespace

std::optional<ForeignFile> foreign_file(const fs::path& path) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  const std::string name = lowercase(utf8_from(path.filename()));
  for (const ForeignKind& kind : foreign_kinds) {
    fs::path found = path;
    const bool fits = is_folder
                          ? any_of_words(kind.inside,
                                         [&](std::string_view inside) {
                                           const bool there = fs::exists(path / inside, error);
                                           const bool is_file = inside.find("model.") != std::string_view::npos;
                                           if (there && is_file && inside != "saved_model.pb") found = path / inside;
                                           return there;
                                         })
                          : any_of_words(kind.endings, [&](std::string_view ending) {
                              return name.ends_with(ending) || (ending == ".index" && is_part_of_checkpoint(name));
                            });
    if (!fits) continue;
    const std::string source = tensorflow_name(found);
    const std::string python = python_for(kind.python, source, utf8_from(found.stem()) + ".npz");
    return ForeignFile{Message(kind.is), Message("an .npz of it, as this Python makes it: {0}", python)};
  }
  return {};
}

}  // namespace headlight
