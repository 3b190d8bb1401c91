// What bench.py --growth measured, as a figure: time and memory by the number of tokens, both axes in powers.
// Usage: headlight_growth_figure GROWTH.csv OUT.svg
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/files/whole_file.h"
#include "core/figures/figure/canvas.h"

using namespace headlight;

namespace {

struct Row {
  double tokens, milliseconds, megabytes;
};

std::vector<Row> read_growth(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.find("tokens,milliseconds,megabytes") != 0) {
    throw std::runtime_error(std::string(path) +
                             " is not what bench.py --growth writes; expected tokens,milliseconds,megabytes");
  }
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    Row row{};
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf", &row.tokens, &row.milliseconds, &row.megabytes) == 3)
      rows.push_back(row);
  }
  if (rows.size() < 2) throw std::runtime_error(std::string(path) + " has fewer than two lines of numbers");
  return rows;
}

constexpr float text = 12, width = 420, height = 300, left = 78, right = 32, top = 40, bottom = 46;

/// Round powers along one axis, and where a number lies between its ends.
struct Axis {
  double base, low, high;
  float from, to;
  Axis(double powers_of, double least, double most, float begin, float end)
      : base(powers_of),
        low(std::floor(std::log(least) / std::log(base))),
        high(std::ceil(std::log(most) / std::log(base))),
        from(begin),
        to(end) {}
  float at(double value) const {
    return from + (to - from) * static_cast<float>((std::log(value) / std::log(base) - low) / (high - low));
  }
};

std::string grouped(double value) {
  std::string digits = std::to_string(static_cast<long long>(std::llround(value)));
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

class Chart {
 public:
  Chart(SvgCanvas& canvas, float x, const std::vector<Row>& rows) : canvas_(canvas), x_(x), rows_(rows) {}

  void draw(const std::string& title, const char* unit, double Row::*measured, Rgba colour) {
    double least = rows_.front().*measured, most = least;
    for (const Row& row : rows_) least = std::min(least, row.*measured), most = std::max(most, row.*measured);
    const Axis across(2, rows_.front().tokens, rows_.back().tokens, x_ + left, x_ + width - right);
    const Axis up(10, least, most, height - bottom, top);
    write(title, FontRole::strong, look_.ink, {x_ + left, top - 16}, Anchor::start);
    for (double power = up.low; power <= up.high; ++power) {
      const double value = std::pow(10, power);
      canvas_.path(through({{across.from, up.at(value)}, {across.to, up.at(value)}}), 0.75F, look_.line, false);
      write(grouped(value) + unit, FontRole::text, look_.muted, {across.from - 6, up.at(value) + 4}, Anchor::end);
    }
    for (double power = across.low; power <= across.high; power += 2) {
      write(grouped(std::pow(2, power)), FontRole::text, look_.muted,
            {across.at(std::pow(2, power)), height - bottom + 18}, Anchor::middle);
    }
    write("tokens", FontRole::text, look_.muted, {(across.from + across.to) / 2, height - 8}, Anchor::middle);
    std::vector<PathStep> line;
    for (const Row& row : rows_) line.push_back(PathStep{.to = {across.at(row.tokens), up.at(row.*measured)}});
    canvas_.path(line, 1.5F, colour, false);
    for (const PathStep& step : line) canvas_.path(around({step.to.x - 2.5F, step.to.y - 2.5F, 5, 5}), 0, colour, true);
  }

 private:
  void write(const std::string& words, FontRole role, Rgba colour, Point at, Anchor anchor) {
    canvas_.text({words, role, text, colour, at, anchor, 0});
  }

  SvgCanvas& canvas_;
  float x_;
  const std::vector<Row>& rows_;
  const ThemeColours& look_ = colours(Theme::light);
};

}  // namespace

int main(int count, char** words) try {
  if (count != 3) throw std::runtime_error("expected GROWTH.csv OUT.svg");
  const std::vector<Row> rows = read_growth(words[1]);
  const ThemeColours& look = colours(Theme::light);
  Typesetter typesetter;
  SvgCanvas canvas(2 * width, height, look.card, Theme::light, SvgText::text, typesetter);
  Chart(canvas, 0, rows).draw("time of the whole command", " ms", &Row::milliseconds, look.query);
  Chart(canvas, width, rows).draw("memory at its most", " MB", &Row::megabytes, look.key);
  const std::string svg = canvas.take();
  write_whole_file(words[2], std::as_bytes(std::span(svg)));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "headlight_growth_figure: %s\n", error.what());
  return 2;
}
