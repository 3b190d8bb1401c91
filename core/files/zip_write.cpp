#include "core/files/zip_write.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <zip.h>

#include "core/files/whole_file.h"
#include "core/files/zip_archive.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string name_in_zip(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

void add_file(zip* archive, const fs::path& file, const std::string& name, const fs::path& target) {
  zip_source_t* source = zip_source_file(archive, name_in_zip(file).c_str(), 0, -1);
  const zip_int64_t entry = source ? zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
  if (entry < 0) {
    zip_source_free(source);
    fail_to_write(target, zip_strerror(archive));
  }
  constexpr zip_uint16_t first_of_1980 = 1 << 5 | 1;  // a fixed date, so that equal files give equal archives
  zip_file_set_dostime(archive, static_cast<zip_uint64_t>(entry), 0, first_of_1980, 0);
}

}  // namespace

void write_zip(const fs::path& target, const fs::path& folder, const std::string& inside) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  write_whole_file(target, [&](const fs::path& temporary) {
    std::unique_ptr<zip, DiscardZip> archive(zip_open(name_in_zip(temporary).c_str(), ZIP_CREATE | ZIP_EXCL, nullptr));
    if (!archive) fail_to_write(target, "no archive can be made there");
    for (const fs::path& file : files)
      add_file(archive.get(), file, inside + "/" + name_in_zip(file.lexically_relative(folder)), target);
    if (zip_close(archive.get()) != 0) { fail_to_write(target, zip_strerror(archive.get())); }
    static_cast<void>(archive.release());  // zip_close has freed it
  });
}

}  // namespace headlight
