// torch.save's ZIP format (PyTorch 1.6 and later): NAME/data.pkl describes the tensors, NAME/data/KEY are the storages
// that they are views of.
#include "core/files/array_contents.h"
#include "core/files/torch_tree.h"
#include "core/files/zip_archive.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

constexpr std::string_view pickle_name = "data.pkl";

std::optional<std::size_t> pickle_entry(const ZipArchive& archive) {
  for (std::size_t i = 0; i < archive.entries().size(); ++i) {
    const std::string& name = archive.entries()[i].name;
    const std::size_t slash = name.find('/');
    if (name == pickle_name || (slash != std::string::npos && name.substr(slash + 1) == pickle_name)) return i;
  }
  return {};
}

std::vector<std::byte> read_whole(const ZipArchive& archive, std::size_t entry, std::uint64_t limit,
                                  const ErrorPlace& place) {
  const ZipEntry& e = archive.entries()[entry];
  const ErrorPlace part{place.path, in_quotes(e.name)};
  if (e.size > limit) part.fail(Message("has {0}", byte_count(e.size)), Message("at most {0}", byte_count(limit)));
  std::vector<std::byte> bytes(static_cast<std::size_t>(e.size));
  archive.reader(entry, ZipCheck::none, part)->read(bytes);
  return bytes;
}

void check_byte_order(const ZipArchive& archive, const std::string& prefix, const ErrorPlace& place) {
  for (std::size_t i = 0; i < archive.entries().size(); ++i) {
    if (archive.entries()[i].name != prefix + "byteorder") continue;
    const std::vector<std::byte> order = read_whole(archive, i, 64, place);
    const std::string_view text(reinterpret_cast<const char*>(order.data()), order.size());
    if (text != "little")
      place.fail(Message("its byte order is {0}", in_quotes(text)), "little; save it again on such a machine");
  }
}

}  // namespace

bool is_torch_archive(const ZipArchive& archive) { return pickle_entry(archive).has_value(); }

ArrayContents open_torch(std::shared_ptr<const ZipArchive> archive, const std::filesystem::path& path,
                         const ErrorPlace& place) {
  const std::size_t entry = *pickle_entry(*archive);
  const std::string& entry_name = archive->entries()[entry].name;
  const std::string prefix = entry_name.substr(0, entry_name.size() - pickle_name.size());
  check_byte_order(*archive, prefix, place);
  const pickle::Tree tree = pickle::read(read_whole(*archive, entry, max_torch_pickle, place), is_torch_global, place);
  TorchStorages storages;
  for (std::size_t i = 0; i < archive->entries().size(); ++i) {
    const std::string& name = archive->entries()[i].name;
    if (name.starts_with(prefix + "data/")) storages[name.substr(prefix.size() + 5)] = {i, archive->entries()[i].size};
  }
  TorchArrays arrays = read_torch_tree(tree, storages, name_of_only_array(path), place);

  ArrayContents contents = std::move(arrays.contents);
  contents.open = [archive, place, zip_entries = std::move(arrays.parts), inlined = std::move(arrays.inlined)](
                      std::size_t i, ZipCheck) -> std::unique_ptr<ByteReader> {
    if (auto reader = TorchArrays::read_inlined(inlined, zip_entries[i], place)) return reader;
    return archive->reader(
        zip_entries[i], ZipCheck::none,
        ErrorPlace{place.path, Message("storage {0}", in_quotes(archive->entries()[zip_entries[i]].name))});
  };
  return contents;
}

}  // namespace headlight
