// NumPy's .npz (a ZIP archive of .npy files) and .npy alone.
#include "core/files/array_contents.h"
#include "core/files/load_budget.h"
#include "core/files/npy_format.h"
#include "core/files/zip_archive.h"

namespace headlight {
namespace {

constexpr std::string_view ending = ".npy";

}  // namespace

ArrayContents open_npy(const std::filesystem::path& path, const ErrorPlace& place) {
  FileReader reader(path, 0, place);
  NpyHeader header = read_npy_header(reader, std::filesystem::file_size(path), place);
  if (!header.unusable.empty()) place.fail(header.unusable, "numbers");
  ArrayContents contents;
  contents.add(name_of_only_array(path), std::move(header.layout));
  contents.open = [path, place](std::size_t, ZipCheck) { return std::make_unique<FileReader>(path, 0, place); };
  return contents;
}

ArrayContents open_npz(std::shared_ptr<const ZipArchive> archive, const ErrorPlace& place) {
  ArrayContents contents;
  std::vector<std::size_t> zip_entries;  // of the arrays
  LoadBudget budget(place);
  for (std::size_t i = 0; i < archive->entries().size(); ++i) {
    const ZipEntry& entry = archive->entries()[i];
    if (!entry.name.ends_with(ending)) continue;
    const std::string name = entry.name.substr(0, entry.name.size() - ending.size());
    const ErrorPlace part = place.array(name);
    NpyHeader header = read_npy_header(*archive->reader(i, ZipCheck::none, part), entry.size, part);
    budget.arrays(1);
    budget.bytes(name.size() + header.layout.offset);
    if (header.unusable.empty()) {
      contents.add(name, std::move(header.layout));
      zip_entries.push_back(i);
    } else {
      contents.skipped.push_back({name, header.unusable});
      if (header.text_bytes == 0) continue;
      contents.words[name] = [archive, i, part, header]() {
        return ArrayWords{header.layout.shape, read_words(*archive->reader(i, ZipCheck::none, part), header, part)};
      };
    }
  }
  if (contents.entries.empty() && contents.skipped.empty()) {
    place.fail(archive->entries().empty() ? "an empty ZIP archive" : "a ZIP archive without any .npy in it",
               "an .npz as numpy.savez writes it, or a .pt as torch.save does");
  }
  contents.open = [archive, place, zip_entries = std::move(zip_entries)](std::size_t i, ZipCheck check) {
    const std::string& file = archive->entries()[zip_entries[i]].name;
    return archive->reader(zip_entries[i], check, place.array(file.substr(0, file.size() - ending.size())));
  };
  return contents;
}

}  // namespace headlight
