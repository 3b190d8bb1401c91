// The format of torch.save before PyTorch 1.6: five pickles in a row (a magic number, a version, the machine, the saved
// object, the keys of its storages), then each storage after its length.

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/torch_tree.h"
#include "core/base/files/byte_reader.h"
#include "core/base/tensor/message.h"

namespace headlight {
namespace {

/// The types of all storages that the pickle refers to, by their keys.
std::unordered_map<std::string, std::string> storage_classes(const pickle::Tree& tree) {
  std::unordered_map<std::string, std::string> classes;
  for (const pickle::Node& node : tree.nodes) {
    const auto* persistent = std::get_if<pickle::Persistent>(&node);
    const auto* id = persistent ? std::get_if<pickle::List>(&tree.nodes[persistent->id]) : nullptr;
    if (!id || id->items.size() < 5) continue;
    const auto* type = std::get_if<pickle::Global>(&tree.nodes[id->items[1]]);
    const auto* key = std::get_if<std::string>(&tree.nodes[id->items[2]]);
    if (type && key) classes[*key] = type->name;
  }
  return classes;
}

/// Bytes of one number in a storage, also for types that are not read here; 0 if the type is not known.
std::uint64_t size_in(const std::string& type) {
  if (const std::optional<DType> dtype = dtype_called(type, &DTypeNames::storage)) return byte_size(*dtype);
  return type == "torch.ComplexFloatStorage" ? 8 : type == "torch.ComplexDoubleStorage" ? 16 : 0;
}

void check_machine(const pickle::Tree& tree, const ErrorPlace& place) {
  const auto* facts = std::get_if<pickle::Dict>(&tree.nodes[tree.root]);
  for (std::size_t i = 0; facts && i < facts->items.size(); ++i) {
    const auto* name = std::get_if<std::string>(&tree.nodes[facts->items[i].first]);
    const auto* flag = std::get_if<bool>(&tree.nodes[facts->items[i].second]);
    if (name && *name == "little_endian" && flag && !*flag)
      place.fail("its byte order is big", "little; save it again on such a machine");
  }
}

}  // namespace

ArrayContents open_torch_legacy(const SharedFile& file, const ErrorPlace& place) {
  const std::uint64_t size = file->size();
  std::vector<std::byte> head(static_cast<std::size_t>(std::min(size, max_torch_pickle)));
  FileReader(file, 0, place).read(head);
  std::span<const std::byte> rest = head;
  const auto next = [&] { return pickle::take(rest, is_torch_global, place); };
  next();  // the magic number
  next();  // the version, 1001
  check_machine(next(), place);
  const pickle::Tree tree = next();
  const pickle::Tree keys = next();
  const auto* order = std::get_if<pickle::List>(&keys.nodes[keys.root]);
  if (!order) place.fail("its storages have no list of keys", "a whole file as torch.save writes it");

  const auto classes = storage_classes(tree);
  TorchStorages storages;
  std::vector<std::uint64_t> first_bytes;
  std::uint64_t at = head.size() - rest.size();
  for (const pickle::Ref ref : order->items) {
    const auto* key = std::get_if<std::string>(&keys.nodes[ref]);
    const auto type = key ? classes.find(*key) : classes.end();
    if (type == classes.end())
      place.fail("holds a storage that no tensor is a view of", "a whole file as torch.save writes it");
    const std::uint64_t width = size_in(type->second);
    if (width == 0) place.fail(Message("holds a {0}, which is not read", type->second), "numbers");
    if (size - at < 8) place.fail("ends before its storages", "a whole file as torch.save writes it");
    std::byte raw[8];
    FileReader(file, at, place).read(raw);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < 8; ++i) count |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    at += 8;
    if (count > (size - at) / width) place.fail("ends within its storages", "a whole file as torch.save writes it");
    storages[*key] = {first_bytes.size(), count * width};
    first_bytes.push_back(at);
    at += count * width;
  }
  const auto open = [file, place, first_bytes = std::move(first_bytes)](std::size_t part) {
    return std::make_unique<FileReader>(file, first_bytes[part], place);
  };
  return read_torch_tree(tree, storages, open, name_of_only_array(file->path()), place);
}

ArrayContents open_pickle(const SharedFile& file, const ErrorPlace& place) {
  const std::uint64_t size = file->size();
  if (size > max_numpy_pickle)
    place.fail(Message("a pickle of {0}", byte_count(size)), Message("at most {0}", byte_count(max_numpy_pickle)));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  FileReader(file, 0, place).read(bytes);
  return read_torch_tree(pickle::read(bytes, is_torch_global, place), {}, {}, name_of_only_array(file->path()), place);
}

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
  const auto open = [archive, place](std::size_t i) {
    const ErrorPlace storage{place.path, Message("storage {0}", in_quotes(archive->entries()[i].name))};
    return archive->reader(i, ZipCheck::none, storage);
  };
  return read_torch_tree(tree, storages, open, name_of_only_array(path), place);
}

}  // namespace headlight
