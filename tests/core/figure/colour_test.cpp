#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/base/assets/assets.h"
#include "core/base/tensor/error.h"
#include "core/figures/figure/colormap.h"
#include "core/figures/figure/figure_layout.h"
#include "tests/catch.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

int distance(Rgba a, Rgba b) { return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)}); }

/// The message of the InputError that `act` throws; empty if it throws none.
template <typename Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const InputError& error) { return error.what(); }
  return {};
}

bool near(float a, float b) { return std::fabs(a - b) < 1e-6f; }

}  // namespace

TEST_CASE("viridis has its published colours at the ends and in the middle") {
  const Colormap map = colormap("viridis", Theme::light);
  CHECK(map.at(0) == rgb("440154"));
  CHECK(distance(map.at(0.5f), rgb("21918C")) <= 1);
  CHECK(map.at(1) == rgb("FDE725"));
  CHECK(map.at(-3) == map.at(0));
  CHECK(map.at(7) == map.at(1));
}

TEST_CASE("every listed colour map can be read in both themes, and our own two come first") {
  const std::vector<std::string> names = list_colormaps();
  REQUIRE(names.size() >= 8);
  CHECK(names[0] == default_colormap(Palette::diverging));
  CHECK(names[1] == default_colormap(Palette::sequential));
  for (const std::string& name : names) {
    CHECK(colormap(name, Theme::light).name() == name);
    CHECK(colormap(name, Theme::dark).table().size() == 256);
  }
}

TEST_CASE("an unknown colour map is refused with the names there are") {
  CHECK_THROWS_AS(colormap("rainbow", Theme::light), SettingError);
  CHECK(message_of([] { colormap("../LICENSE", Theme::light); }).find("expected one of signal, attention") < 80);
}

TEST_CASE("our own maps have the card's colour at zero and move away from it on both sides, in both themes") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Rgba card = colours(theme).card;
    const Colormap signal = colormap("signal", theme), attention = colormap("attention", theme);
    CHECK(signal.kind() == ColormapKind::diverging);
    CHECK(attention.kind() == ColormapKind::sequential);
    CHECK(contrast(signal.at(0.5f), card) < 1.15f);
    CHECK(contrast(attention.at(0), card) < 1.15f);
    float last = 1, last_up = 1, last_down = 1;
    for (int step = 1; step <= 10; ++step) {
      const float t = static_cast<float>(step) / 10;
      const float now = contrast(attention.at(t), card), up = contrast(signal.at(0.5f + t / 2), card),
                  down = contrast(signal.at(0.5f - t / 2), card);
      CHECK(now > last);
      CHECK(up > last_up);
      CHECK(down > last_down);
      // Values at equal distances from zero differ in hue; their lightness may differ little.
      CHECK(up / down < 1.6f);
      CHECK(down / up < 1.6f);
      last = now, last_up = up, last_down = down;
    }
  }
}

TEST_CASE("a diverging range is symmetric about zero and weights start at zero") {
  const Tensor t = Tensor::of({2, 2}, {-1, 3, 0.5f, 2});
  Extent extent;
  extent.add(t.matrix());
  CHECK(extent.range(ColormapKind::diverging) == ValueRange{-3, 3});
  CHECK(extent.range(ColormapKind::sequential) == ValueRange{-1, 3});
  Extent weights;
  weights.add(Tensor::of({1, 3}, {0.2f, 0.7f, 0.1f}).matrix());
  CHECK(weights.range(ColormapKind::sequential) == ValueRange{0, 0.7f});
}

TEST_CASE("a range looks at values only, not at what is masked, dropped, infinite or NaN") {
  const Tensor t = Tensor::of({2, 3}, {1, -1e9f, NaN, 40, inf, -2});
  const Tensor allowed = Tensor::of({2, 3}, {1, 0, 1, 1, 1, 1}), kept = Tensor::of({2, 3}, {1, 1, 1, 0, 1, 1});
  Extent extent;
  extent.add(t.matrix(), {allowed.matrix(), kept.matrix()});
  CHECK(extent.range(ColormapKind::diverging) == ValueRange{-2, 2});
}

TEST_CASE("the vectorised range equals the scalar one for every width, with NaN and infinities in any lane") {
  for (const Index cols : {1, 15, 16, 17, 50}) {
    Buffer values;
    for (Index i = 0; i < 3 * cols; ++i) values.push_back(static_cast<float>((i * 37) % 23) - 9);
    values[static_cast<std::size_t>(cols)] = NaN;
    values[static_cast<std::size_t>(2 * cols)] = -inf;
    const Tensor t({3, cols}, std::move(values));
    const Tensor all = Tensor::full({3, cols}, 1);
    Extent quick, slow;
    quick.add(t.matrix());
    slow.add(t.matrix(), {all.matrix(), {}});
    CHECK(quick.range(ColormapKind::sequential) == slow.range(ColormapKind::sequential));
    CHECK(quick.range(ColormapKind::diverging) == slow.range(ColormapKind::diverging));
  }
}

TEST_CASE("no matrix gives a range of zero width or a normalised value that is not finite") {
  for (const float constant : {0.0f, 5.0f, -5.0f, 1e-38f, 3e38f, NaN, -inf}) {
    Extent extent;
    extent.add(Tensor::full({3, 3}, constant).matrix());
    for (const ColormapKind kind : {ColormapKind::sequential, ColormapKind::diverging}) {
      const ValueRange range = extent.range(kind);
      CHECK(range.lo < range.hi);
      CHECK(std::isfinite(normalise(1.0f, range)));
      CHECK(normalise(range.lo, range) == 0);
      CHECK(normalise(range.hi, range) == 1);
    }
  }
  CHECK(normalise(3, {2, 2}) == 0.5f);
}

TEST_CASE("--range takes row, head, stage and LO:HI and nothing else") {
  CHECK(parse_range("row").mode == RangeMode::row);
  CHECK(parse_range("stage").mode == RangeMode::stage);
  CHECK(parse_range("-1.5:+2e1").fixed == ValueRange{-1.5f, 20});
  for (const char* bad : {"", "rows", "1", "2:1", "1:1", "a:b", "0:inf", "nan:1", "0:1:2", ":", "0x1:2"}) {
    CHECK_THROWS_AS(parse_range(bad), SettingError);
  }
}

TEST_CASE("rows scaled by themselves all reach the end of the map") {
  const Tensor t = Tensor::of({2, 3}, {0.1f, -0.2f, 0.05f, 100, 50, -inf});
  const Buffer scaled = normalise_rows(t.matrix(), {}, ColormapKind::diverging);
  CHECK(near(scaled[0], 0.5f));
  CHECK(near(scaled[1], -1.0f));
  CHECK(near(scaled[3], 1.0f));
  CHECK(near(scaled[4], 0.5f));
  CHECK(scaled[5] == -inf);
}

TEST_CASE("NaN is shown under a mask, and a leaking weight only if asked for") {
  CHECK(classify(NaN, false) == CellKind::nan);
  CHECK(classify(-1e9f, false) == CellKind::masked);
  CHECK(classify(0.25f, false, true, true) == CellKind::value);
  CHECK(classify(0.0f, false, true, true) == CellKind::masked);
  CHECK(classify(-inf, false, true, true) == CellKind::masked);
  CHECK(classify(0, true, false) == CellKind::dropped);
  CHECK(classify(-inf) == CellKind::neg_inf);
  CHECK(classify(inf) == CellKind::pos_inf);
}

TEST_CASE("numbers are readable on every colour of every map") {
  for (const std::string& name : list_colormaps()) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const Colormap map = colormap(name, theme);
      for (const Rgba ground : map.table()) CHECK(contrast(ink_on(ground), ground) >= 4.0f);
    }
  }
}

TEST_CASE("a shipped file that is missing is named") {
  CHECK(std::filesystem::exists(asset("colormaps")));
  CHECK(message_of([] { asset("colormaps/none.txt"); }).starts_with("colormaps/none.txt: "));
}
