#include "core/compute/training/trained_model.h"

#include <cstring>

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/array_file.h"
#include "core/base/files/byte_reader.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"

namespace headlight {

std::shared_ptr<const ArrayFile> TrainedModel::file() const {
  ArrayContents contents;
  auto bytes = std::make_shared<std::vector<std::shared_ptr<const std::string>>>();
  for (const NamedArray& array : arrays) {
    const Tensor packed = array.values.contiguous();
    ArrayLayout layout;
    layout.shape = packed.shape();
    layout.strides = row_major_strides(layout.shape);
    contents.add(array.name, std::move(layout));
    const auto values = std::as_bytes(packed.values());
    std::string copy(values.size(), '\0');
    std::memcpy(copy.data(), values.data(), values.size());
    bytes->push_back(std::make_shared<const std::string>(std::move(copy)));
  }
  contents.open = [bytes, place = ErrorPlace{name}](std::size_t entry, ZipCheck) {
    return memory_reader((*bytes)[entry], place);
  };
  return std::make_shared<const ArrayFile>(name, std::move(contents));
}

namespace fs = std::filesystem;

void check_model_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw FileError(utf8_from(folder), "cannot be written: it is there already",
                    "expected a new name or an empty folder");
}

void write_model(const fs::path& folder, const TrainedModel& model) {
  check_model_folder(folder);
  std::error_code error;
  const Temporary scratch(folder_for(folder), folder);
  make_folder(scratch.path(), folder);
  write_whole_file(scratch.path() / "config.json", model.config);
  write_whole_file(scratch.path() / "tokenizer.json", model.tokenizer);
  write_whole_file(scratch.path() / "train.json", model.run);
  write_safetensors(scratch.path() / "model.safetensors", model.arrays);
  fs::remove(folder, error);  // an empty folder, or nothing
  fs::rename(scratch.path(), folder, error);
  if (error) fail_to_write(folder, error.message().c_str());
}

}  // namespace headlight
