#include "core/base/image/picture_input.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/tensor/error.h"

namespace headlight {
namespace {

double sinc(double x) { return x == 0 ? 1 : std::sin(x * std::numbers::pi) / (x * std::numbers::pi); }

struct Filter {
  double support;
  double (*at)(double x);
};

/// The cubic kernel of Keys 1981 with a = −1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

Filter filter_of(Resampling filter) {
  switch (filter) {
    case Resampling::box: return {0.5, [](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }};
    case Resampling::nearest:
    case Resampling::bilinear: return {1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }};
    case Resampling::hamming:
      return {1, [](double x) {
                return std::abs(x) >= 1 ? 0.0 : sinc(x) * (0.54 + 0.46 * std::cos(std::numbers::pi * x));
              }};
    case Resampling::bicubic: return {2, cubic};
    case Resampling::lanczos: return {3, [](double x) { return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0.0; }};
  }
  return {};
}

constexpr int precision = 32 - 8 - 2;  // bits of a weight in PIL's fixed point

/// The source pixels of one pixel: their weights, beginning with pixel `first`.
struct Taps {
  int first = 0;
  std::vector<int> weights;
};

std::vector<Taps> taps_of(int from, int to, Resampling resampling) {
  const Filter filter = filter_of(resampling);
  const double scale = static_cast<double>(from) / to, widened = std::max(1.0, scale),
               support = filter.support * widened;
  std::vector<Taps> taps(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    Taps& tap = taps[static_cast<std::size_t>(i)];
    const double centre = (i + 0.5) * scale;
    tap.first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int count = std::min(from, static_cast<int>(centre + support + 0.5)) - tap.first;
    std::vector<double> weights;
    double sum = 0;
    for (int x = 0; x < count; ++x) {
      weights.push_back(filter.at((x + tap.first - centre + 0.5) / widened));
      sum += weights.back();
    }
    for (const double weight : weights) {
      const double fixed = (sum != 0 ? weight / sum : weight) * (1 << precision);
      tap.weights.push_back(static_cast<int>(fixed < 0 ? fixed - 0.5 : fixed + 0.5));
    }
  }
  return taps;
}

std::size_t pixel_at(const Image& image, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
}

/// Resamples along one axis.
Image filtered(const Image& image, int width, int height, Resampling filter, bool across) {
  const std::vector<Taps> taps = across ? taps_of(image.width, width, filter) : taps_of(image.height, height, filter);
  Image made(width, height, {0, 0, 0, 255});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Taps& tap = taps[static_cast<std::size_t>(across ? x : y)];
      for (std::size_t c = 0; c < 3; ++c) {
        int sum = 1 << (precision - 1);
        for (int i = 0; i < std::ssize(tap.weights); ++i)
          sum += image.rgba[(across ? pixel_at(image, tap.first + i, y) : pixel_at(image, x, tap.first + i)) + c] *
                 tap.weights[static_cast<std::size_t>(i)];
        made.rgba[pixel_at(made, x, y) + c] = static_cast<std::uint8_t>(std::clamp(sum >> precision, 0, 255));
      }
    }
  }
  return made;
}

/// Takes the pixel under each new pixel's centre. The centres are summed step by step, as in PIL, since rounding
/// decides which pixel a centre on an edge belongs to.
Image nearest(const Image& image, int width, int height) {
  const auto source_pixels = [](int from, int to) {
    const double step = static_cast<double>(from) / to;
    std::vector<int> at;
    double middle = step * 0.5;
    for (int i = 0; i < to; ++i, middle += step) at.push_back(std::min(from - 1, static_cast<int>(middle)));
    return at;
  };
  const std::vector<int> columns = source_pixels(image.width, width), rows = source_pixels(image.height, height);
  Image made(width, height, {0, 0, 0, 255});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      made.set(x, y, image.at(columns[static_cast<std::size_t>(x)], rows[static_cast<std::size_t>(y)]));
  }
  return made;
}

/// The middle of a picture; for an odd difference, one pixel closer to the upper left.
Image cropped(const Image& image, int width, int height) {
  const auto margin = [](int from, int to) {
    const int difference = from - to;
    return difference >= 0 ? difference / 2 : -((1 - difference) / 2);
  };
  const int left = margin(image.width, width), top = margin(image.height, height);
  Image made(width, height, {0, 0, 0, 255});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool inside = x + left >= 0 && y + top >= 0 && x + left < image.width && y + top < image.height;
      if (inside) made.set(x, y, image.at(x + left, y + top));
    }
  }
  return made;
}

}  // namespace

std::string_view name(Resampling filter) {
  constexpr std::string_view names[] = {"nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
  return names[static_cast<std::size_t>(filter)];
}

Image resized(const Image& image, int width, int height, Resampling filter) {
  if (filter == Resampling::nearest) return nearest(image, width, height);
  Image made = image.width == width ? image : filtered(image, width, image.height, filter, true);
  return made.height == height ? made : filtered(made, width, height, filter, false);
}

Image prepared(const Image& image, const PictureSteps& steps, const std::string& file) {
  int width = steps.width, height = steps.height;
  if (steps.shorter_side > 0) {
    const int shorter = std::min(image.width, image.height), longer = std::max(image.width, image.height);
    const double stretched = static_cast<double>(steps.shorter_side) * longer / shorter;
    if (stretched * steps.shorter_side > 1e8) {
      throw FileError(
          file, Message("has {0} × {1} pixels", image.width, image.height),
          Message("expected a picture that is not so narrow: its shorter side is resized to {0}", steps.shorter_side));
    }
    width = image.width <= image.height ? steps.shorter_side : static_cast<int>(stretched);
    height = image.width <= image.height ? static_cast<int>(stretched) : steps.shorter_side;
  }
  Image made = width > 0 ? resized(image, width, height, steps.filter) : image;
  return steps.crop_width > 0 ? cropped(made, steps.crop_width, steps.crop_height) : made;
}

Tensor pixels_of(const Image& image, const PictureSteps& steps) {
  const auto count = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  Buffer values(3 * count);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < count; ++i)
      values[c * count + i] =
          (static_cast<float>(image.rgba[4 * i + c]) * steps.factor - steps.mean[c]) / steps.deviation[c];
  }
  return Tensor({3, image.height, image.width}, std::move(values));
}

}  // namespace headlight
