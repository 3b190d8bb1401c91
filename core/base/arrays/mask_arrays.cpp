#include <algorithm>
#include <bit>
#include <fstream>
#include <optional>

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/array_file.h"
#include "core/base/files/load_budget.h"
#include "core/base/image/png_image.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

constexpr std::string_view png_start = "\x89PNG";
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

std::string lower_extension(const std::filesystem::path& path) { return lowercase(path.extension().string()); }

/// Calls `read` with the bytes of a PNG. Its error message is given for `place`.
template <typename Read>
auto read_png_bytes(const std::string& file, const ErrorPlace& place, Read read) {
  try {
    return read(std::span(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
  } catch (const FileError& error) { place.fail(error.sentence()); }
}

std::string cells_of_picture(const std::string& file, const ErrorPlace& place) {
  const Image image = read_png_bytes(file, place, decode_png);
  std::string bytes;
  bytes.reserve(image.rgba.size() / 4);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const std::uint8_t* pixel = image.rgba.data() + i;
    const int light = 299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2];  // Rec. 601, in thousandths
    const int over_white = (light * pixel[3] + 255'000 * (255 - pixel[3])) / 255;
    bytes.push_back(over_white >= 127'500 ? 1 : 0);
  }
  return bytes;
}

/// The pixels are decoded only when they are read, after the caller has checked the size.
ArrayContents open_picture(std::string file, const ErrorPlace& place) {
  const PngSize size = read_png_bytes(file, place, png_size);
  const Shape shape{size.height, size.width};
  ArrayContents contents;
  contents.add("mask", {DType::boolean, shape, row_major_strides(shape)});
  contents.open = [file = std::move(file), place](std::size_t, ZipCheck) {
    return memory_reader(std::make_shared<const std::string>(cells_of_picture(file, place)), place);
  };
  return contents;
}

std::optional<float> number_of(std::string_view cell) {
  const std::string word = lowercase(cell);
  if (word == "true" || word == "false") return word == "true" ? 1.0F : 0.0F;
  return number_of_text<float>(without_plus(word));
}

/// The cells of one line. They hold no commas, semicolons or blanks themselves.
std::vector<std::string_view> cells_of(std::string_view line) {
  const std::string_view mark = line.find(',') != line.npos ? "," : line.find(';') != line.npos ? ";" : "\t ";
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(mark), line.size());
    const std::string_view cell = trimmed(line.substr(0, end));
    if (!cell.empty() || mark.size() == 1) cells.push_back(cell);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

ArrayContents open_table(std::string_view text, const ErrorPlace& place) {
  std::vector<float> values;
  Index rows = 0, cols = 0, number = 0;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (const std::string_view line_text : Split(text, '\n')) {
    const std::vector<std::string_view> cells = cells_of(line_text);
    ++number;
    if (std::ranges::all_of(cells, [](std::string_view cell) { return cell.empty(); })) continue;
    const ErrorPlace line{place.path, "line " + std::to_string(number)};
    for (const std::string_view cell : cells) {
      const std::optional<float> value = number_of(cell);
      if (!value) line.fail(Message("{0} is no number", in_quotes(cell)), "0, 1, true or false in each cell");
      values.push_back(*value);
    }
    const auto count = static_cast<Index>(cells.size());
    if (rows++ == 0) cols = count;
    if (count != cols) line.fail(Message("holds {0} cells", count), Message("{0} as in the first line", cols));
  }
  if (values.empty()) place.fail("holds no numbers", "a line of 0 and 1 for each query");
  const Shape shape{rows, cols};
  const auto bytes =
      std::make_shared<const std::string>(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  ArrayContents contents;
  contents.add("mask", {DType::f32, shape, row_major_strides(shape), 0, std::endian::native == std::endian::big});
  contents.open = [bytes, place](std::size_t, ZipCheck) { return memory_reader(bytes, place); };
  return contents;
}

}  // namespace

std::shared_ptr<const ArrayFile> open_mask_arrays(const std::filesystem::path& path) {
  const ErrorPlace place{path.string()};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return open_arrays(path);
  std::string head(8, '\0');
  head.resize(static_cast<std::size_t>(std::ifstream(path, std::ios::binary).read(head.data(), 8).gcount()));
  if (head.starts_with(png_start)) {
    return std::make_shared<const ArrayFile>(place.path, open_picture(whole_text(path, most_bytes, place), place));
  }
  const bool text = is_mask_name(path) && lower_extension(path) != ".png";
  if (!text) return open_arrays(path);
  return std::make_shared<const ArrayFile>(place.path, open_table(whole_text(path, most_bytes, place), place));
}

bool is_mask_name(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".png" || extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

}  // namespace headlight
