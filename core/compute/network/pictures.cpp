#include "core/compute/network/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/assets/assets.h"
#include "core/base/files/error_place.h"
#include "core/base/files/picture_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/model_folder.h"

namespace headlight {
namespace {

/// The picture if no file is given: a red disc and a blue square on a gradient from grey to white.
Image drawn_picture(int width, int height) {
  Image image(width, height, {0, 0, 0, 255});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5) / width, v = (y + 0.5) / height;
      const auto grey = static_cast<std::uint8_t>(150 + 105 * u);
      const bool disc = (u - 0.35) * (u - 0.35) + (v - 0.4) * (v - 0.4) < 0.05;
      const bool square = u > 0.6 && u < 0.88 && v > 0.58 && v < 0.86;
      image.set(x, y, disc ? Rgba{150, 40, 40, 255} : square ? Rgba{70, 110, 200, 255} : Rgba{grey, grey, grey, 255});
    }
  }
  return image;
}

std::shared_ptr<const InputImage> picture_of(const PictureSpec& spec, const std::string& file) {
  const auto width = static_cast<int>(spec.columns * spec.patch), height = static_cast<int>(spec.rows * spec.patch);
  auto picture = std::make_shared<InputImage>();
  picture->file = file;
  if (file.empty()) {
    picture->image = drawn_picture(width, height);
    picture->width = width, picture->height = height;
    return picture;
  }
  const std::filesystem::path path = picture_place(file);
  picture->stamp = stamp_of(path);
  const Image read = read_picture(utf8_from(path));
  picture->width = read.width, picture->height = read.height;
  picture->image = prepared(read, spec.steps, file);
  if (picture->image.width != width || picture->image.height != height) {
    throw FileError(file,
                    Message("has {0} × {1} pixels, and preprocessor_config.json does not resize it",
                            picture->image.width, picture->image.height),
                    Message("expected {0} × {1}", width, height));
  }
  return picture;
}

}  // namespace

std::filesystem::path picture_place(const std::string& file) {
  if (!file.starts_with(shipped_model_prefix)) return path_from(file);
  const std::string inside = file.substr(std::string_view(shipped_model_prefix).size());
  if (inside.find("..") != std::string::npos) throw FileError(file, "names no picture that ships");
  return asset("models/" + inside);
}

NetworkText read_pictures(const NetworkSpec& spec, const std::string& files) {
  std::vector<std::string> lines = text_lines(files);
  if (lines.empty()) lines.emplace_back();
  std::vector<std::shared_ptr<const InputImage>> pictures;
  std::vector<Tensor> pixels;
  for (const std::string& file : lines) {
    pictures.push_back(picture_of(*spec.picture, file));
    const Tensor one = pixels_of(pictures.back()->image, spec.picture->steps);
    pixels.push_back(one.view({1, one.size(0), one.size(1), one.size(2)}));
  }
  NetworkText text = text_of_pixels(spec, joined(pixels));
  text.pictures = std::move(pictures);
  return text;
}

NetworkText text_of_pixels(const NetworkSpec& spec, Tensor pixels) {
  std::vector<Token> tokens;
  const auto add = [&](const std::string& name) { tokens.push_back({std::ssize(tokens), name}); };
  for (const ExtraToken& extra : spec.stacks.front().embedding.extra) add(extra.name);
  for (Index row = 0; row < spec.picture->rows; ++row) {
    for (Index column = 0; column < spec.picture->columns; ++column)
      add(std::to_string(row) + "," + std::to_string(column));
  }
  NetworkText text;
  const auto batch = static_cast<std::size_t>(pixels.size(0));
  text.tokens.lengths.assign(batch, std::ssize(tokens));
  text.tokens.entries.assign(batch, std::move(tokens));
  text.pixels = std::move(pixels);
  return text;
}

Tensor resampled_positions(const Tensor& table, Index first, const PictureSpec& picture) {
  struct Taps {
    std::array<Index, 4> at;
    std::array<float, 4> weight;
  };
  const auto taps = [](Index i, Index to, Index from) {
    constexpr float a = -0.75F;
    const float centre = (static_cast<float>(i) + 0.5F) * static_cast<float>(from) / static_cast<float>(to) - 0.5F;
    const auto base = static_cast<Index>(std::floor(centre));
    const float t = centre - static_cast<float>(base);
    const auto near = [&](float x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [&](float x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    Taps out{{}, {far(t + 1), near(t), near(1 - t), far(2 - t)}};
    for (std::size_t j = 0; j < 4; ++j) out.at[j] = std::clamp<Index>(base - 1 + static_cast<Index>(j), 0, from - 1);
    return out;
  };
  const Tensor packed = table.contiguous();
  const Index width = table.size(-1);
  Buffer values(packed.values().begin(), packed.values().begin() + first * width);
  for (Index r = 0; r < picture.rows; ++r) {
    const Taps down = taps(r, picture.rows, picture.table_rows);
    for (Index c = 0; c < picture.columns; ++c) {
      const Taps across = taps(c, picture.columns, picture.table_columns);
      for (Index d = 0; d < width; ++d) {
        float sum = 0;
        for (std::size_t y = 0; y < 4; ++y) {
          for (std::size_t x = 0; x < 4; ++x) {
            const Index row = first + down.at[y] * picture.table_columns + across.at[x];
            sum += down.weight[y] * across.weight[x] * packed.values()[static_cast<std::size_t>(row * width + d)];
          }
        }
        values.push_back(sum);
      }
    }
  }
  return Tensor({1, first + picture.rows * picture.columns, width}, std::move(values));
}

Tensor patches_of(const Tensor& pixels, Index patch) {
  const Tensor packed = pixels.contiguous();
  const Index batch = pixels.size(0), channels = pixels.size(1), height = pixels.size(2), width = pixels.size(3);
  const Index rows = height / patch, columns = width / patch;
  Buffer values;
  values.reserve(static_cast<std::size_t>(pixels.count()));
  for (Index b = 0; b < batch; ++b) {
    for (Index at = 0; at < rows * columns; ++at) {
      for (Index line = 0; line < channels * patch; ++line) {
        const Index y = at / columns * patch + line % patch, plane = b * channels + line / patch;
        const auto from = packed.values().begin() + (plane * height + y) * width + at % columns * patch;
        values.insert(values.end(), from, from + patch);
      }
    }
  }
  return Tensor({batch, rows * columns, channels * patch * patch}, std::move(values));
}

namespace {

/// The position whose output stands for the whole text: the last one, or that of the end token. The first CLIP's
/// config.json wrongly says that the end token is 2; there the token with the largest id ends the text.
Index place_in(const std::vector<Token>& tokens, const ContrastSpec& spec, const std::string& line) {
  if (spec.at_last) return std::ssize(tokens) - 1;
  const Index end = spec.texts->end_token.value_or(2);
  const auto found =
      end == 2 ? std::ranges::max_element(tokens, {}, &Token::id) : std::ranges::find(tokens, end, &Token::id);
  if (found == tokens.end())
    throw SettingError("--text", Message("{0} has no token {1}, which ends a text", in_quotes(line), end),
                       "expected the tokenizer that the model was trained with");
  return found - tokens.begin();
}

}  // namespace

void give_texts(const Network& tower, const std::vector<std::string>& lines, Checkpoint& checkpoint,
                NetworkSpec& spec) {
  const ContrastSpec& contrast = *spec.contrast;
  std::string joined;
  for (const std::string& line : lines) joined += line + "\n";
  RunOptions options;
  options.weights = false;
  const NetworkRun run = tower.run(tower.read(joined), options);
  const Tensor all = tower.before_words(run.final);
  const Index width = all.size(2), count = all.size(0);
  const auto number = [&](const std::string& name) {
    return name.empty() ? 0.0F : checkpoint.load(name).contiguous().values().front();
  };
  const double scale = std::exp(static_cast<double>(number(contrast.scale)));
  Buffer rows;
  for (Index text = 0; text < count; ++text) {
    const auto entry = static_cast<std::size_t>(text);
    const Index place = place_in(run.text.tokens.entries[entry], contrast, lines[entry]);
    const MatrixView m = all.matrix(text);
    double squares = 0;
    for (Index c = 0; c < width; ++c) squares += static_cast<double>(m(place, c)) * static_cast<double>(m(place, c));
    const double factor = scale / std::sqrt(squares * static_cast<double>(width));
    for (Index c = 0; c < width; ++c) rows.push_back(static_cast<float>(factor * static_cast<double>(m(place, c))));
  }
  spec.head.output = {"(texts)", "(bias of texts)"};
  checkpoint.give(spec.head.output.weight, Tensor({count, width}, std::move(rows)));
  checkpoint.give(spec.head.output.bias, Tensor::full({count}, number(contrast.bias)));
  spec.labels = lines;
  spec.vocabulary = count;
}

}  // namespace headlight
