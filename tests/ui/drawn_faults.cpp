#include "tests/ui/drawn_faults.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "ui/base/look/words.h"

namespace headlight::test {
namespace {

struct Box {
  float left, top, right, bottom;
  bool empty() const { return right - left < 1 || bottom - top < 1; }
};

/// The visible box of a text, without the room above and below its letters.
Box seen(const RecordedText& text) {
  const float air = (text.max.y - text.min.y) * 0.16f;
  return {std::max(text.min.x, text.clip_min.x), std::max(text.min.y + air, text.clip_min.y),
          std::min(text.max.x, text.clip_max.x), std::min(text.max.y - air, text.clip_max.y)};
}

bool cross(const Box& a, const Box& b) {
  return std::min(a.right, b.right) - std::max(a.left, b.left) > 1.5f &&
         std::min(a.bottom, b.bottom) - std::max(a.top, b.top) > 1.5f;
}

/// A printed number, and the value of 1 in its last digit.
struct Printed {
  double value = 0, unit = 0;
};

/// Reads "−0.25", "1.2e-05", ".47"; empty for other words.
std::optional<Printed> number_in(std::string text) {
  for (std::size_t at = text.find("−"); at != std::string::npos; at = text.find("−"))
    text.replace(at, std::string("−").size(), "-");
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != 0 || text.find_first_of("0123456789") == std::string::npos) return std::nullopt;
  const std::size_t power = text.find('e'), digits = std::min(power, text.size()), point = text.find('.');
  const int exponent = power == std::string::npos ? 0 : std::atoi(text.c_str() + power + 1);
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits - point - 1);
  return Printed{value, std::pow(10.0, exponent - decimals)};
}

double luminance(ImU32 colour) {
  const auto channel = [](ImU32 c) {
    const double x = static_cast<double>(c & 0xFF) / 255;
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(colour >> IM_COL32_R_SHIFT) + 0.7152 * channel(colour >> IM_COL32_G_SHIFT) +
         0.0722 * channel(colour >> IM_COL32_B_SHIFT);
}

double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

std::string at(const RecordedText& text) {
  return "“" + text.text + "” at " + std::to_string(static_cast<int>(text.min.x)) + ", " +
         std::to_string(static_cast<int>(text.min.y));
}

void crossings(const Record& record, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < record.texts.size(); ++i) {
    const RecordedText& a = record.texts[i];
    const Box box = seen(a);
    if (a.turned || box.empty()) continue;
    for (std::size_t j = i + 1; j < record.texts.size(); ++j) {
      const RecordedText& b = record.texts[j];
      if (!b.turned && !seen(b).empty() && cross(box, seen(b))) found.push_back(at(a) + " crosses " + at(b));
    }
    for (const std::vector<ImVec2>& line : record.lines) {
      const bool through = std::ranges::any_of(
          line, [&](ImVec2 p) { return p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom; });
      if (through) found.push_back("an arrow goes through " + at(a));
    }
  }
}

/// The visible beginning of a shortened text, which ends in "…" in the same text or in the next.
std::optional<std::string> beginning(const Record& record, std::size_t i) {
  const std::string dots = "…";
  const RecordedText& text = record.texts[i];
  if (text.text != dots && text.text.ends_with(dots)) return text.text.substr(0, text.text.size() - dots.size());
  if (i + 1 >= record.texts.size() || record.texts[i + 1].text != dots) return std::nullopt;
  const RecordedText& after = record.texts[i + 1];
  const bool follows = std::abs(after.min.x - text.max.x) < 2 && std::abs(after.min.y - text.min.y) < 1;
  return follows && text.text != dots ? std::optional(text.text) : std::nullopt;
}

void cuts(const Record& record, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < record.texts.size(); ++i) {
    const RecordedText& text = record.texts[i];
    if (const std::optional<std::string> left = beginning(record, i)) {
      if (left->size() > 1 &&
          std::ranges::any_of(all_stages(), [&](Stage s) { return name(s).starts_with(*left) && name(s) != *left; }))
        found.push_back(at(text) + " is no whole title");
      if (number_in(*left) && (text.face == Face::mono || text.face == Face::math))
        found.push_back(at(text) + " is no whole number");
    }
    const Box box = seen(text);
    if (text.turned || box.empty() || box.right - box.left < 3) continue;
    if (text.max.x - text.min.x - (box.right - box.left) > 2.5f) found.push_back(at(text) + " is cut at an edge");
  }
}

void small_or_faint(const DrawnPicture& picture, std::vector<std::string>& found) {
  const Look& colours = picture.look;
  for (const RecordedText& text : picture.record.texts) {
    const float least = text.face == Face::mono ? 12 : 13;  // the limit also holds for sub- and superscripts
    if (text.pixels < least) found.push_back(at(text) + " is " + std::to_string(text.pixels) + " px");
    if (text.face == Face::mono) continue;  // text on cells has a colour chosen for each cell
    const bool is_ground = text.colour == colours.card || text.colour == colours.panel ||
                           text.colour == colours.window;  // light words on a dark button
    const double least_contrast =
        is_ground ? contrast(text.colour, colours.ink)
                  : std::min(contrast(text.colour, colours.card), contrast(text.colour, colours.window));
    const bool opaque = (text.colour >> IM_COL32_A_SHIFT & 0xFF) == 255;
    if (opaque && least_contrast < 4.5)
      found.push_back(at(text) + " has a contrast of " + std::to_string(least_contrast));
  }
}

/// Finds hyphens in place of minus signs. Code and command lines are set in mono and have more than numbers.
void hyphens(const DrawnPicture& picture, std::vector<std::string>& found) {
  for (const RecordedText& text : picture.record.texts) {
    const bool code = text.face == Face::mono && text.text.find_first_of("(=_\"") != std::string::npos;
    if (!code && with_minus(text.text) != text.text) found.push_back(at(text) + " has a hyphen for a minus sign");
  }
}

/// Finds numbers that differ from their cell by more than their last digit or 5 %.
void wrong_numbers(const DrawnPicture& picture, std::vector<std::string>& found, int* numbers) {
  for (const RecordedText& text : picture.record.texts) {
    const std::optional<Printed> number = text.face == Face::mono ? number_in(text.text) : std::nullopt;
    if (!number) continue;
    const ImVec2 middle{(text.min.x + text.max.x) / 2, (text.min.y + text.max.y) / 2};
    for (const MatrixQuad& quad : picture.quads) {
      if (quad.values.rank() < 2 || middle.x < quad.min.x || middle.x >= quad.max.x || middle.y < quad.min.y ||
          middle.y >= quad.max.y)
        continue;
      const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
      const auto row =
          static_cast<Index>((middle.y - quad.min.y) / (quad.max.y - quad.min.y) * static_cast<float>(matrix.rows));
      const auto col =
          static_cast<Index>((middle.x - quad.min.x) / (quad.max.x - quad.min.x) * static_cast<float>(matrix.cols));
      const double value = static_cast<double>(matrix(row, col));
      if (numbers) ++*numbers;
      const double off = std::abs(number->value - value);
      const bool wrong = off > 0.501 * number->unit, coarse = off > 0.05 * std::abs(value);
      if (std::isfinite(value) && (wrong || coarse))
        found.push_back(at(text) + " stands for " + std::to_string(value) + (wrong ? "" : ", rounded too far"));
    }
  }
}

}  // namespace

std::vector<std::string> drawn_faults(const DrawnPicture& picture, int* numbers) {
  std::vector<std::string> found;
  crossings(picture.record, found);
  cuts(picture.record, found);
  small_or_faint(picture, found);
  hyphens(picture, found);
  if (picture.cells_have_values) wrong_numbers(picture, found, numbers);
  return found;
}

}  // namespace headlight::test
