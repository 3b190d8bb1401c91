#include "core/models/architecture/checkpoint.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/arrays/array_contents.h"
#include "core/base/files/error_place.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/utf8_path.h"

namespace headlight {

Checkpoint::Checkpoint(const std::vector<std::filesystem::path>& files) : paths_(files) {
  for (const std::filesystem::path& path : paths_) {
    stamps_.push_back(stamp_of(path));
    add(open_arrays(path));
  }
  find_mxfp4();
  most_kept_ = static_cast<std::uint64_t>(memory_budget());
}

void Checkpoint::add(const std::shared_ptr<const ArrayFile>& file) {
  files_.push_back(file);
  const bool named_by_ggml = is_gguf(*file);
  for (const ArrayEntry& entry : file->entries()) {
    const std::string name = named_by_ggml ? hugging_face_name(*file, entry.name) : entry.name;
    if (name.empty()) continue;
    const auto [place, is_new] = places_.emplace(name, Place{files_.size() - 1, entry.name});
    if (is_new) {
      names_.push_back(name);
    } else if (place->second.file + 1 != files_.size()) {
      ErrorPlace{file->path()}.fail(
          Message("holds {0}, which {1} holds too", in_quotes(name), files_[place->second.file]->path()),
          "each array in one shard");
    }
  }
}

void Checkpoint::find_mxfp4() {
  constexpr std::string_view codes_ending = "_blocks";
  const std::vector<std::string> names = std::move(names_);
  names_.clear();
  for (const std::string& name : names) {
    const std::string stem = name.substr(0, name.size() - std::min(name.size(), codes_ending.size()));
    const std::string scales = stem + "_scales";
    const auto holds = [&](const std::string& array, std::size_t axes) {
      return has(array) && entry(array).dtype == DType::u8 && entry(array).shape.size() == axes;
    };
    if (name.ends_with("_scales") && holds(name.substr(0, name.size() - 7) + std::string(codes_ending), 4)) continue;
    if (!name.ends_with(codes_ending) || !holds(name, 4) || !has(scales) || has(stem)) {
      names_.push_back(name);
      continue;
    }
    Shape shape = entry(name).shape;
    const Index bytes = shape[3];
    shape.pop_back();
    if (bytes != 16 || entry(scales).shape != shape || entry(scales).dtype != DType::u8)
      ErrorPlace{path_of(scales)}.array(scales).fail(
          Message("has shape {0} beside blocks {1}", to_string(entry(scales).shape), to_string(entry(name).shape)),
          "a byte for each 16 bytes");
    shape[2] *= 32;
    packed_.emplace(stem, Packed{places_.at(name), places_.at(scales), 0, 0, {stem, DType::f32, std::move(shape)}});
    names_.push_back(stem);
  }
}

void Checkpoint::take_block_scales(Index rows, Index columns) {
  constexpr std::string_view scales_ending = "_scale_inv";
  for (const auto& [scales, place] : places_) {
    if (!scales.ends_with(scales_ending)) continue;
    const std::string name = scales.substr(0, scales.size() - scales_ending.size());
    const std::string bits = std::string(fp8_bits) + name;
    if (!has(bits) || entry(bits).shape.size() != 2) continue;
    ArrayEntry whole = entry(bits);
    whole.name = name;
    const Shape wanted{(whole.shape[0] + rows - 1) / rows, (whole.shape[1] + columns - 1) / columns};
    if (entry(scales).shape != wanted)
      ErrorPlace{path_of(scales)}.array(scales).fail(
          Message("has shape {0}", to_string(entry(scales).shape)),
          Message("{0}, one for each block of the weight", to_string(wanted)));
    whole.dtype = DType::f32;
    packed_.emplace(name, Packed{places_.at(bits), place, rows, columns, std::move(whole)});
  }
  std::erase_if(names_, [&](const std::string& name) {
    return name.ends_with(scales_ending) && packed_.contains(name.substr(0, name.size() - scales_ending.size()));
  });
  for (std::string& name : names_) {
    if (name.starts_with(fp8_bits) && packed_.contains(name.substr(fp8_bits.size()))) name.erase(0, fp8_bits.size());
  }
}

const ArrayEntry& Checkpoint::entry(const std::string& name) const {
  if (const auto packed = packed_.find(name); packed != packed_.end()) return packed->second.entry;
  if (const auto given = given_.find(name); given != given_.end()) return given->second;
  const auto place = places_.find(name);
  assert(place != places_.end());
  return *files_[place->second.file]->find(place->second.name);
}

Tensor Checkpoint::load(const std::string& name) const {
  return kept_or(name, [&] { return read(name); });
}

Tensor Checkpoint::read(const std::string& name) const {
  const auto packed = packed_.find(name);
  if (packed == packed_.end()) {
    assert(places_.contains(name));
    return numbers_at(places_.find(name)->second);
  }
  const Packed& p = packed->second;
  const Tensor codes = numbers_at(p.codes), scales = numbers_at(p.scales);
  return p.rows > 0 ? from_fp8(codes, scales, p.rows, p.columns, {})
                    : from_mxfp4(codes, scales).view(Shape(p.entry.shape));
}

Tensor Checkpoint::load_part(const std::string& name, Index part) const {
  return kept_or(name + "[" + std::to_string(part) + "]", [&] {
    const Tensor row = load_rows(name, std::span(&part, 1));
    Shape shape = entry(name).shape;
    shape.erase(shape.begin());
    return row.view(std::move(shape));
  });
}

Tensor Checkpoint::kept_or(const std::string& name, const std::function<Tensor()>& load) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto kept = kept_.find(name); kept != kept_.end()) return kept->second;
  }
  const Tensor numbers = load();
  const std::uint64_t bytes = static_cast<std::uint64_t>(numbers.count()) * sizeof(float);
  const std::lock_guard lock(mutex_);
  if (kept_bytes_ + bytes <= most_kept_ && kept_.emplace(name, numbers).second) kept_bytes_ += bytes;
  return numbers;
}

Tensor Checkpoint::load_rows(const std::string& name, std::span<const Index> rows) const {
  if (given_.contains(name)) {
    const Tensor all = load(name);
    std::vector<Tensor> parts;
    for (const Index row : rows) parts.push_back(all.slice(0, row, 1));
    return joined(parts);
  }
  if (const auto packed = packed_.find(name); packed != packed_.end()) {
    const Packed& p = packed->second;
    const Tensor codes = files_[p.codes.file]->load_rows(p.codes.name, rows);
    if (p.rows > 0) return from_fp8(codes, numbers_at(p.scales), p.rows, p.columns, rows);
    return from_mxfp4(codes, files_[p.scales.file]->load_rows(p.scales.name, rows));
  }
  const Place& place = places_.at(name);
  return files_[place.file]->load_rows(place.name, rows);
}

std::optional<double> Checkpoint::number(const std::string& name) const {
  for (const auto& file : files_) {
    if (const auto found = file->numbers().find(name); found != file->numbers().end()) return found->second;
    if (const auto found = file->find(name); found && element_count(found->shape) == 1) return file->number(name);
    if (file->texts().contains(name)) return file->number(name);
  }
  return {};
}

std::optional<double> Checkpoint::setting(const std::string& name) const {
  std::optional<double> found = number(name);
  for (const auto& places : {std::span<const std::string_view>(places_of_settings), {places_of_inputs}}) {
    for (const std::string_view place : places) {
      if (!found) found = number(std::string(place) + name);
    }
  }
  return found;
}

std::string Checkpoint::input_named(const std::string& name) const {
  if (has(name)) return name;
  for (const std::string_view place : places_of_inputs) {
    if (has(std::string(place) + name)) return std::string(place) + name;
  }
  return {};
}

std::optional<std::string> Checkpoint::prefix_of(const std::string& ending) const {
  std::optional<std::string> shortest;
  for (const std::string& name : names_) {
    if (!name.ends_with(ending)) continue;
    const std::string prefix = name.substr(0, name.size() - ending.size());
    if (!prefix.empty() && !prefix.ends_with('.')) continue;
    if (!shortest || prefix.size() < shortest->size()) shortest = prefix;
  }
  return shortest;
}

bool Checkpoint::is_unchanged() const {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (!(stamp_of(paths_[i]) == stamps_[i])) return false;
  }
  return true;
}

std::string Checkpoint::path_of(const std::string& name) const {
  const auto place = places_.find(name);
  return files_[place == places_.end() ? 0 : place->second.file]->path();
}

namespace {

/// The number of an E4M3 code: a sign, four bits of exponent and three of fraction, no infinities (Micikevicius et al.
/// 2022).
float from_e4m3(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  if ((bits & 127) == 127) return std::numeric_limits<float>::quiet_NaN();
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                                   : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return bits > 127 ? -size : size;
}

std::array<float, 256> all_of_e4m3() {
  std::array<float, 256> numbers{};
  for (unsigned bits = 0; bits < 256; ++bits) numbers[bits] = from_e4m3(bits);
  return numbers;
}

}  // namespace

Tensor from_mxfp4(const Tensor& codes, const Tensor& scales) {
  constexpr std::array<float, 16> table{0, .5F, 1, 1.5F, 2, 3, 4, 6, 0, -.5F, -1, -1.5F, -2, -3, -4, -6};
  const Tensor bytes = codes.contiguous(), powers = scales.contiguous();
  Buffer values;
  values.reserve(static_cast<std::size_t>(32 * powers.count()));
  const float* byte = bytes.values().data();
  for (const float power : powers.values()) {
    const float scale = std::ldexp(1.0F, static_cast<int>(power) - 127);
    for (int i = 0; i < 16; ++i) {
      const auto pair = static_cast<unsigned>(*byte++);
      values.push_back(table[pair & 15] * scale);
      values.push_back(table[pair >> 4 & 15] * scale);
    }
  }
  const Index rows = scales.size(0);
  return Tensor({rows, rows == 0 ? 0 : 32 * powers.count() / rows}, std::move(values));
}

Tensor from_fp8(const Tensor& codes, const Tensor& scales, Index rows, Index columns, std::span<const Index> which) {
  static const std::array<float, 256> numbers = all_of_e4m3();
  const Tensor bits = codes.contiguous();
  const MatrixView scale = scales.matrix();
  const float* from = bits.values().data();
  Buffer values;
  values.reserve(static_cast<std::size_t>(codes.count()));
  for (Index row = 0; row < codes.size(0); ++row) {
    const Index stored_row = which.empty() ? row : which[static_cast<std::size_t>(row)];
    for (Index col = 0; col < codes.size(1); ++col)
      values.push_back(numbers[static_cast<std::size_t>(*from++)] * scale(stored_row / rows, col / columns));
  }
  return Tensor(codes.shape(), std::move(values));
}

}  // namespace headlight
