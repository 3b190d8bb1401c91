// Files and folders of other libraries, which are not read: what they are, and the Python that makes an .npz of them.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/tensor/message.h"

namespace headlight {

struct ForeignFile {
  Message is;        ///< "an HDF5 file, as Keras writes it"
  Message expected;  ///< "an .npz of it, as this Python makes it: …"
};

/// By the name of the file or of what a folder holds; unset for all others.
std::optional<ForeignFile> foreign_file(const std::filesystem::path& path);

}  // namespace headlight
