#include "core/base/arrays/array_file.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_contents.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

constexpr std::array<DTypeNames, 13> dtype_names{{{"float16", "f2", "F16", "torch.HalfStorage"},
                                                  {"bfloat16", "", "BF16", "torch.BFloat16Storage"},
                                                  {"float32", "f4", "F32", "torch.FloatStorage"},
                                                  {"float64", "f8", "F64", "torch.DoubleStorage"},
                                                  {"int8", "i1", "I8", "torch.CharStorage"},
                                                  {"uint8", "u1", "U8", "torch.ByteStorage"},
                                                  {"int16", "i2", "I16", "torch.ShortStorage"},
                                                  {"uint16", "u2", "U16", ""},
                                                  {"int32", "i4", "I32", "torch.IntStorage"},
                                                  {"uint32", "u4", "U32", ""},
                                                  {"int64", "i8", "I64", "torch.LongStorage"},
                                                  {"uint64", "u8", "U64", ""},
                                                  {"bool", "b1", "BOOL", "torch.BoolStorage"}}};

constexpr std::pair<std::string_view, ArrayKind> kinds_by_ending[] = {
    {".npz", ArrayKind::numpy},  {".npy", ArrayKind::one_array},
    {".pkl", ArrayKind::numpy},  {".pt", ArrayKind::torch},
    {".pth", ArrayKind::torch},  {".bin", ArrayKind::torch},
    {".ckpt", ArrayKind::torch}, {".safetensors", ArrayKind::safetensors}};

std::optional<double> number_in_text(std::string_view text) {
  if (text == "True" || text == "true" || text == "yes") return 1;
  if (text == "False" || text == "false" || text == "no") return 0;
  return number_of_text<double>(text);
}

}  // namespace

std::optional<ArrayKind> array_kind(std::string_view file_name) {
  const std::string name = lowercase(file_name);
  for (const auto& [ending, kind] : kinds_by_ending) {
    if (name.ends_with(ending)) return kind;
  }
  return {};
}

std::string first_names(std::span<const ArrayEntry> entries) {
  const std::string list = comma_list(entries.first(std::min<std::size_t>(entries.size(), 8)),
                                      [](const ArrayEntry& entry) { return in_quotes(entry.name).english(); });
  return entries.size() > 8 ? list + ", …" : list;
}

std::string without_wrappers(std::string_view name) {
  constexpr std::string_view wrappers[] = {"module",    "_fsdp_wrapped_module", "_checkpoint_wrapped_module",
                                           "_orig_mod", "_forward_module",      "_fpw_module",
                                           "_dp_module"};
  std::string plain;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t dot = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, dot - begin);
    const bool is_wrapper = dot < name.size() && std::ranges::find(wrappers, part) != std::end(wrappers);
    if (!is_wrapper) plain.append(part).append(dot < name.size() ? "." : "");
    begin = dot + 1;
  }
  return plain;
}

namespace {

/// The same contents under names without wrappers; as they are if two of them would share a name.
ArrayContents unwrapped(ArrayContents contents) {
  std::set<std::string> names;
  bool any = false;
  const auto is_new = [&](const std::string& name) {
    std::string plain = without_wrappers(name);
    any = any || plain != name;
    return names.insert(std::move(plain)).second;
  };
  for (const ArrayEntry& entry : contents.entries) {
    if (!is_new(entry.name)) return contents;
  }
  for (const SkippedArray& array : contents.skipped) {
    if (!is_new(array.name)) return contents;
  }
  const auto renamed = [&](auto& values) {
    std::remove_reference_t<decltype(values)> plain;
    for (auto& [name, value] : values) any |= !plain.emplace(without_wrappers(name), std::move(value)).second;
    values = std::move(plain);
  };
  renamed(contents.numbers);
  renamed(contents.texts);
  renamed(contents.words);
  if (!any) return contents;
  for (ArrayEntry& entry : contents.entries) entry.name = without_wrappers(entry.name);
  for (SkippedArray& array : contents.skipped) array.name = without_wrappers(array.name);
  return contents;
}

}  // namespace

ArrayFile::ArrayFile(std::string path, ArrayContents contents, std::optional<FileStamp> opened)
    : path_(std::move(path)),
      opened_(opened),
      contents_(std::make_unique<const ArrayContents>(unwrapped(std::move(contents)))) {
  for (std::size_t i = 0; i < contents_->entries.size(); ++i) {
    const std::string& name = contents_->entries[i].name;
    if (!positions_.emplace(name, i).second)
      ErrorPlace{path_}.fail(Message("holds two arrays named {0}", in_quotes(name)));
  }
}

ArrayFile::~ArrayFile() = default;

std::span<const ArrayEntry> ArrayFile::entries() const { return contents_->entries; }
std::span<const SkippedArray> ArrayFile::skipped() const { return contents_->skipped; }
const std::map<std::string, double, std::less<>>& ArrayFile::numbers() const { return contents_->numbers; }
const std::map<std::string, std::string, std::less<>>& ArrayFile::texts() const { return contents_->texts; }

std::optional<std::size_t> ArrayFile::position(std::string_view name) const {
  const auto it = positions_.find(name);
  if (it != positions_.end()) return it->second;
  refuse_if_skipped(name);
  return {};
}

void ArrayFile::refuse_if_skipped(std::string_view name) const {
  for (const SkippedArray& array : contents_->skipped) {
    if (array.name == name) ErrorPlace{path_}.array(name).fail(array.reason, "numbers");
  }
}

const ArrayEntry* ArrayFile::find(std::string_view name) const {
  const auto it = positions_.find(name);
  return it == positions_.end() ? nullptr : &contents_->entries[it->second];
}

void ArrayFile::check_unchanged() const {
  if (opened_ && !(*opened_ == stamp_of(path_from(path_)))) {
    ErrorPlace{path_}.fail("was replaced while it was being read", "a file that stays as it is; open it again");
  }
}

void ArrayFile::check_memory_for(std::string_view name, std::size_t i) const {
  const auto count = static_cast<std::uint64_t>(*checked_count(contents_->layouts[i].shape));
  const std::uint64_t bytes = count * sizeof(float), have = available_memory();
  if (bytes <= have) return;
  ErrorPlace{path_}.array(name).fail(
      Message("its shape {0} needs {1} of memory, of which {2} are free", to_string(contents_->entries[i].shape),
              byte_count(bytes), byte_count(have)),
      "a smaller array");
}

std::size_t ArrayFile::existing(std::string_view name) const {
  if (const std::optional<std::size_t> i = position(name)) return *i;
  ErrorPlace{path_}.fail(Message("holds no array named {0}", in_quotes(name)),
                         Message("one of {0}", first_names(contents_->entries)));
}

Tensor ArrayFile::load(std::string_view name) const {
  const std::size_t i = existing(name);
  try {
    check_memory_for(name, i);
    check_unchanged();
    return read_array(contents_->layouts[i], *contents_->open(i, ZipCheck::whole));
  } catch (const std::bad_alloc&) {
    ErrorPlace{path_}.array(name).fail(
        Message("its shape {0} does not fit in memory", to_string(contents_->entries[i].shape)));
  }
}

std::vector<double> ArrayFile::load_unrounded(std::string_view name) const {
  const std::size_t i = existing(name);
  check_memory_for(name, i);
  check_unchanged();
  return read_unrounded(contents_->layouts[i], *contents_->open(i, ZipCheck::whole));
}

Tensor ArrayFile::load_rows(std::string_view name, std::span<const Index> rows) const {
  const std::size_t i = existing(name);
  const ArrayLayout& whole = contents_->layouts[i];
  assert(whole.shape.size() >= 2);
  assert(std::ranges::all_of(rows, [&](Index row) { return row >= 0 && row < whole.shape[0]; }));
  check_unchanged();
  return read_rows(whole, rows, *contents_->open(i, ZipCheck::none));
}

std::optional<double> ArrayFile::number(std::string_view name) const {
  if (const auto it = contents_->words.find(name); it != contents_->words.end()) {
    const ArrayWords found = it->second();  // NumPy's array of one text; any other text is refused below
    const auto number = found.words.size() == 1 ? number_in_text(found.words[0]) : std::nullopt;
    if (number) return number;
  }
  if (const std::optional<std::size_t> i = position(name)) {
    const ArrayLayout& layout = contents_->layouts[*i];
    if (checked_count(layout.shape) != 1) return {};
    return read_number(layout, *contents_->open(*i, ZipCheck::none));
  }
  if (const auto it = contents_->numbers.find(name); it != contents_->numbers.end()) return it->second;
  if (const auto it = contents_->texts.find(name); it != contents_->texts.end()) return number_in_text(it->second);
  return {};
}

std::optional<ArrayWords> ArrayFile::words(std::string_view name) const {
  if (const auto found = contents_->words.find(name); found != contents_->words.end()) {
    check_unchanged();
    return found->second();
  }
  const auto text = contents_->texts.find(name);
  if (text == contents_->texts.end()) return {};
  const ErrorPlace place = ErrorPlace{path_}.array(name);
  const auto fail = [&]() {
    place.fail("is no list of words", "a list as JSON, [\"the\", \"cat\"] or one such list a batch entry");
  };
  if (nested_deeper_than(text->second, 2)) fail();
  const nlohmann::json json = nlohmann::json::parse(text->second, nullptr, false);
  if (!json.is_array() || json.empty()) fail();
  ArrayWords list;
  const auto append = [&](const nlohmann::json& row) {
    for (const nlohmann::json& word : row) {
      if (!word.is_string()) fail();
      list.words.push_back(word.get<std::string>());
    }
    return static_cast<Index>(row.size());
  };
  if (!json[0].is_array()) {
    list.shape = {append(json)};
    return list;
  }
  list.shape = {static_cast<Index>(json.size()), static_cast<Index>(json[0].size())};
  for (const nlohmann::json& row : json) {
    if (!row.is_array() || append(row) != list.shape[1]) fail();
  }
  return list;
}

namespace {

struct HalfBits {
  std::uint16_t bits;
  operator float() const { return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits)); }
};
struct BrainBits {
  std::uint16_t bits;
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};
struct BoolByte {
  std::uint8_t byte;
  operator float() const { return byte != 0 ? 1.0f : 0.0f; }
};

/// Calls `use` with a value of the C++ type for `dtype`.
template <typename Use>
auto with_type(DType dtype, Use use) {
  switch (dtype) {
    case DType::f16: return use(HalfBits{});
    case DType::bf16: return use(BrainBits{});
    case DType::f32: return use(float{});
    case DType::f64: return use(double{});
    case DType::i8: return use(std::int8_t{});
    case DType::u8: return use(std::uint8_t{});
    case DType::i16: return use(std::int16_t{});
    case DType::u16: return use(std::uint16_t{});
    case DType::i32: return use(std::int32_t{});
    case DType::u32: return use(std::uint32_t{});
    case DType::i64: return use(std::int64_t{});
    case DType::u64: return use(std::uint64_t{});
    case DType::boolean: break;
  }
  return use(BoolByte{});
}

template <typename T>
T element(const std::byte* bytes, bool swap) {
  std::array<std::byte, sizeof(T)> raw;
  std::copy_n(bytes, sizeof(T), raw.begin());
  if (swap) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

bool must_swap(bool big_endian) { return big_endian != (std::endian::native == std::endian::big); }

}  // namespace

std::size_t byte_size(DType dtype) {
  return with_type(dtype, [](auto type) { return sizeof(type); });
}

std::string_view name(DType dtype) { return dtype_names[static_cast<std::size_t>(dtype)].pytorch; }

std::optional<DType> dtype_called(std::string_view name, std::string_view DTypeNames::*format) {
  const auto found = std::ranges::find(dtype_names, name, format);
  if (name.empty() || found == dtype_names.end()) return {};
  return static_cast<DType>(found - dtype_names.begin());
}

bool is_native_float(DType dtype, bool big_endian) { return dtype == DType::f32 && !must_swap(big_endian); }

void decode(DType dtype, bool big_endian, std::span<const std::byte> bytes, std::span<float> out) {
  assert(bytes.size() == out.size() * byte_size(dtype));
  const bool swap = must_swap(big_endian);
  if (out.empty()) return;
  if (is_native_float(dtype, big_endian)) {
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return;
  }
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(element<T>(bytes.data() + i * sizeof(T), swap));
    }
  });
}

double decode_number(DType dtype, bool big_endian, std::span<const std::byte> bytes) {
  assert(bytes.size() == byte_size(dtype));
  return with_type(dtype, [&](auto type) {
    return static_cast<double>(element<decltype(type)>(bytes.data(), must_swap(big_endian)));
  });
}

}  // namespace headlight
