#include "ui/dialogs/export/view_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/rules/stage/pool.h"
#include "ui/imgui_compat.h"

namespace headlight {
namespace {

Rgba rgba_of(ImU32 colour) {
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>((colour >> shift) & 0xFF); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT), channel(IM_COL32_A_SHIFT)};
}

}  // namespace

/// Draws one frame onto one canvas.
class ViewDrawing::Replay {
 public:
  Replay(const ViewDrawing& drawing, Canvas& canvas, Typesetter& typesetter, const Fonts& fonts, Rect place,
         Theme theme)
      : drawing_(drawing),
        canvas_(canvas),
        typesetter_(typesetter),
        fonts_(fonts),
        place_(place),
        theme_(theme),
        unit_(1 / fonts.scale()) {}

  void run(const ImDrawData& data) {
    for (int i = 0; i < data.CmdListsCount; ++i) replay(*data.CmdLists[i]);
    flush();
    canvas_.clip({});
  }

 private:
  /// A text or a call of the painter, which replaces the indices [first, last).
  struct Event {
    int first, last;
    const RecordedText* text;
    const Painted* painted;
  };

  void replay(const ImDrawList& list) {
    std::vector<Event> events;
    for (const Painted& each : drawing_.painted_) {
      if (each.list == &list) events.push_back({each.first, each.last, nullptr, &each});
    }
    for (const RecordedText& each : drawing_.record_.texts) {
      if (each.list == &list) events.push_back({each.first, each.last, &each, nullptr});
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.first < b.first; });
    std::size_t next = 0;
    int known = 0;  // indices before this one belong to an event
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      const int end = static_cast<int>(command.IdxOffset + command.ElemCount);
      for (int i = static_cast<int>(command.IdxOffset); i + 2 < end;) {
        for (; next < events.size() && events[next].first <= i; ++next) {
          known = std::max(known, events[next].last);
          emit(events[next]);
        }
        if (i < known) {
          i = std::min(known, end);
          continue;
        }
        clip_to({{command.ClipRect.x, command.ClipRect.y}, {command.ClipRect.z, command.ClipRect.w}});
        i += triangle(list, command, i, std::min(end, next < events.size() ? events[next].first : end));
      }
    }
    for (; next < events.size(); ++next) emit(events[next]);
    flush();
  }

  Point point(ImVec2 p) const { return {(p.x - place_.min.x) * unit_, (p.y - place_.min.y) * unit_}; }
  Box box(const Rect& rect) const {
    const Point min = point(rect.min);
    return {min.x, min.y, rect.width() * unit_, rect.height() * unit_};
  }

  void clip_to(const Rect& clip) {
    const Rect inside{{std::max(clip.min.x, place_.min.x), std::max(clip.min.y, place_.min.y)},
                      {std::min(clip.max.x, place_.max.x), std::min(clip.max.y, place_.max.y)}};
    if (clip_ && *clip_ == inside) return;
    flush();
    clip_ = inside;
    if (inside == place_) return canvas_.clip({});
    canvas_.clip(box({inside.min, {std::max(inside.max.x, inside.min.x), std::max(inside.max.y, inside.min.y)}}));
  }

  /// Draws a triangle, or two that make a rectangle; returns the number of indices used.
  int triangle(const ImDrawList& list, const ImDrawCmd& command, int i, int end) {
    const auto vertex = [&](int at) -> const ImDrawVert& {
      return list.VtxBuffer[static_cast<int>(command.VtxOffset) + list.IdxBuffer[i + at]];
    };
    const ImVec2 white = list._Data->TexUvWhitePixel;
    const ImDrawVert &a = vertex(0), &b = vertex(1), &c = vertex(2);
    const bool pair =
        i + 5 < end && list.IdxBuffer[i + 3] == list.IdxBuffer[i] && list.IdxBuffer[i + 4] == list.IdxBuffer[i + 2];
    if (a.uv.x != white.x || a.uv.y != white.y || b.uv.x != white.x || b.uv.y != white.y) {
      if (pair) glyph(a, c);
      return pair ? 6 : 3;
    }
    if (pair && (a.col != b.col || a.col != c.col || vertex(5).col != a.col)) {
      gradient({a.pos, c.pos}, a.col, b.col == a.col ? vertex(5).col : b.col, b.col != a.col);
      return 6;
    }
    if ((a.col & IM_COL32_A_MASK) == 0) return 3;
    add({point(a.pos), point(b.pos), point(c.pos)}, a.col);
    return 3;
  }

  /// Draws strips, each of which covers all that follow it, so that there are no seams.
  void gradient(const Rect& rect, ImU32 from, ImU32 to, bool across) {
    flush();
    constexpr int strips = 16;
    for (int i = 0; i < strips; ++i) {
      const float share = static_cast<float>(i) / strips;
      Rect rest = rect;
      (across ? rest.min.x : rest.min.y) += share * (across ? rect.width() : rect.height());
      canvas_.fill(box(rest), mix(rgba_of(from), rgba_of(to), share + 0.5f / strips));
    }
  }

  /// Adds a triangle to the last polygon if it continues it, as in a triangle fan; else begins a new polygon.
  void add(const std::array<Point, 3>& corners, ImU32 colour) {
    if (!polygons_.empty() && colour != colour_) flush();
    colour_ = colour;
    const auto same = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
    if (!polygons_.empty() && same(polygons_.back().front(), corners[0]) && same(polygons_.back().back(), corners[1]))
      return polygons_.back().push_back(corners[2]);
    polygons_.emplace_back(corners.begin(), corners.end());
  }

  void flush() {
    if (!polygons_.empty()) canvas_.area(polygons_, rgba_of(colour_));
    polygons_.clear();
  }

  /// A character that ImGui drew itself, as pixels of the font's texture.
  void glyph([[maybe_unused]] const ImDrawVert& from, [[maybe_unused]] const ImDrawVert& to) {
#if IMGUI_VERSION_NUM < 19200
    unsigned char* alpha = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&alpha, &width, &height);
    const auto pixel = [](float share, int size) {
      return std::clamp(static_cast<int>(std::lround(share * static_cast<float>(size))), 0, size);
    };
    const int x0 = pixel(from.uv.x, width), y0 = pixel(from.uv.y, height), x1 = pixel(to.uv.x, width),
              y1 = pixel(to.uv.y, height);
    if (alpha == nullptr || x1 <= x0 || y1 <= y0) return;
    flush();
    Image cut(x1 - x0, y1 - y0);
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        Rgba colour = rgba_of(from.col);
        colour.a = static_cast<std::uint8_t>(colour.a * alpha[y * width + x] / 255);
        cut.set(x - x0, y - y0, colour);
      }
    }
    canvas_.image(box({from.pos, to.pos}), cut, true);
#endif
  }

  void emit(const Event& event) {
    flush();
    if (event.text != nullptr) return text(*event.text);
    const Painted& painted = *event.painted;
    clip_to(painted.clip);
    if (painted.quad) return matrix(painted);
    if (painted.pixels) return canvas_.image(box(painted.rect), *painted.pixels, false);
    canvas_.fill(box(painted.rect), rgba_of(painted.colour));
  }

  /// The size of the em per pixel of ImGui's font size, which is the height from ascent to descent.
  float em(Face face) {
    auto& known = ems_[static_cast<std::size_t>(face)];
    if (known == 0) {
      constexpr const char* sample = "Hamburgefonstiv 0123456789";
      constexpr float pixels = 20;
      const float drawn = fonts_.crisp(face, pixels);
      known = text_size(fonts_, face, pixels, sample).x / drawn / typesetter_.width(sample, role_of(face), 1);
    }
    return known;
  }

  void text(const RecordedText& drawn) {
    clip_to({drawn.clip_min, drawn.clip_max});
    Label label{drawn.text, role_of(drawn.face), em(drawn.face) * drawn.pixels * unit_, rgba_of(drawn.colour)};
    const float width = typesetter_.width(drawn.text, label.role, label.size),
                room = (drawn.max.x - drawn.min.x) * unit_;
    if (width > room && room > 0) label.size *= std::max(0.8f, room / width);
    ImVec2 at{std::round(drawn.min.x),
              std::round(drawn.min.y) + compat::baseline(fonts_.pick(drawn.face, drawn.pixels), drawn.pixels)};
    if (drawn.turned) {
      const float angle = drawn.degrees * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
      const ImVec2 away{at.x - drawn.pivot.x, at.y - drawn.pivot.y};
      at = {drawn.pivot.x + away.x * c - away.y * s, drawn.pivot.y + away.x * s + away.y * c};
      label.angle = drawn.degrees;
    }
    label.at = point(at);
    canvas_.text(label);
  }

  /// The values mapped to the range of the colours: each row over its own range, or by the norm.
  Buffer spread_values(const MatrixQuad& quad, const MatrixView& values, const CellMasks& masks, ColormapKind kind,
                       ValueRange range) const {
    Buffer out;
    if (quad.row_ranges) return normalise_rows(values, masks, kind);
    for (Index row = 0; row < values.rows; ++row) {
      for (Index col = 0; col < values.cols; ++col) {
        const float value = values(row, col);
        out.push_back(std::isfinite(value) ? spread(value, range, kind, quad.norm) : value);
      }
    }
    return out;
  }

  void matrix(const Painted& painted) {
    const MatrixQuad& quad = *painted.quad;
    MatrixView values = quad.values.matrix(quad.batch, quad.head);
    const Tensor allowed = quad.mask.defined() ? quad.mask.expand(quad.values.shape()) : Tensor(),
                 kept = quad.kept.defined() ? quad.kept.expand(quad.values.shape()) : Tensor();
    CellMasks masks;
    masks.show_leaks = quad.show_leaks;
    if (allowed.defined()) masks.allowed = allowed.matrix(quad.batch, quad.head);
    if (kept.defined()) masks.kept = kept.matrix(quad.batch, quad.head);
    const ColormapKind kind = painted.map->kind();
    const bool spreads = quad.row_ranges || quad.norm != Norm::linear;
    HeatmapStyle style{&*painted.map, quad.range, quad.theme};
    Buffer own;
    // Of a longer matrix, the canvas pools the original values.
    if (spreads && values.rows * values.cols <= most_spread) {
      own = spread_values(quad, values, masks, kind, quad.range);
      values = {own.data(), values.rows, values.cols, values.cols, 1};
      style.range =
          quad.row_ranges ? ValueRange{kind == ColormapKind::diverging ? -1.0f : 0.0f, 1.0f} : ValueRange{0, 1};
    }
    const auto units = [&](float length) { return std::max<Index>(1, std::lround(length * unit_)); };
    if (quad.means) {
      PooledMatrix means = pool_means(values, units(quad.max.y - quad.min.y), units(quad.max.x - quad.min.x));
      own = std::move(means.values);
      values = {own.data(), means.rows, means.cols, means.cols, 1};
    }
    const float width = (quad.max.x - quad.min.x) / static_cast<float>(values.cols),
                height = (quad.max.y - quad.min.y) / static_cast<float>(values.rows);
    style.gap_colour = colours(quad.theme).card;
    style.flat_masked = std::min(width, height) * unit_ < smallest_hatched;
    const auto part = [&](Index r0, Index r1, Index c0, Index c1) {
      if (r0 >= r1 || c0 >= c1) return;
      const auto cut = [&](const MatrixView& whole) { return whole.part(r0, r1 - r0, c0, c1 - c0); };
      CellMasks own_masks = masks;
      if (masks.allowed) own_masks.allowed = cut(*masks.allowed);
      if (masks.kept) own_masks.kept = cut(*masks.kept);
      const Rect rect{{quad.min.x + static_cast<float>(c0) * width, quad.min.y + static_cast<float>(r0) * height},
                      {quad.min.x + static_cast<float>(c1) * width, quad.min.y + static_cast<float>(r1) * height}};
      canvas_.heatmap(box(rect), cut(values), own_masks, style, quad.cell_gap > 0);
    };
    const std::int64_t all = values.rows * values.cols, shown = quad.revealed < 0 ? all : std::min(quad.revealed, all);
    part(0, shown / values.cols, 0, values.cols);
    part(shown / values.cols, shown / values.cols + 1, 0, shown % values.cols);
    if (quad.opacity >= 1) return;
    Rgba veil = colours(theme_).card;
    veil.a = static_cast<std::uint8_t>(std::lround(255 * (1 - std::max(quad.opacity, 0.0f))));
    canvas_.fill(box({quad.min, quad.max}), veil);
  }

  static constexpr Index most_spread = Index{1} << 22;
  static constexpr float smallest_hatched = 4;  // the side of a cell in units of the page
  const ViewDrawing& drawing_;
  Canvas& canvas_;
  Typesetter& typesetter_;
  const Fonts& fonts_;
  Rect place_;
  Theme theme_;
  float unit_;  ///< units of the page per pixel of the screen
  std::optional<Rect> clip_;
  std::vector<std::vector<Point>> polygons_;
  ImU32 colour_ = 0;
  std::array<float, 4> ems_{};
};

ViewDrawing::ViewDrawing(MatrixPainter& screen) : screen_(screen), before_(recording()) {
  ImGui::GetIO().UserData = &record_;
  compat::draw_plainly();
}

ViewDrawing::~ViewDrawing() { close(); }

void ViewDrawing::close() {
  if (open_) ImGui::GetIO().UserData = before_;
  open_ = false;
}

template <typename Draw>
ViewDrawing::Painted& ViewDrawing::record(const ImDrawList& list, Draw draw) {
  Painted& painted = painted_.emplace_back();
  painted.list = &list;
  painted.clip = {list.GetClipRectMin(), list.GetClipRectMax()};
  painted.first = list.IdxBuffer.Size;
  draw();
  painted.last = list.IdxBuffer.Size;
  return painted;
}

void ViewDrawing::draw(ImDrawList& list, const MatrixQuad& quad) {
  Painted& painted = record(list, [&] { screen_.draw(list, quad); });
  painted.quad = quad;
  painted.map = *quad.colormap;
}

void ViewDrawing::fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) {
  Painted& painted = record(list, [&] { screen_.fill(list, min, max, colour); });
  painted.rect = {min, max};
  painted.colour = colour;
}

void ViewDrawing::image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) {
  Painted& painted = record(list, [&] { screen_.image(list, min, image); });
  painted.rect = {min, {min.x + static_cast<float>(image->width), min.y + static_cast<float>(image->height)}};
  painted.pixels = image;
}

void ViewDrawing::stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) {
  Painted& painted = record(list, [&] { screen_.stretched(list, min, max, image); });
  painted.rect = {min, max};
  painted.pixels = image;
}

std::string ViewDrawing::file(const ImDrawData& data, const Fonts& fonts, Rect place, Theme theme, Rgba ground,
                              const std::string& extension, const std::string& title) const {
  Typesetter typesetter;
  const float width = place.width() / fonts.scale(), height = place.height() / fonts.scale();
  if (extension == ".svg") {
    SvgCanvas canvas(width, height, ground, theme, SvgText::text, typesetter, true);
    Replay(*this, canvas, typesetter, fonts, place, theme).run(data);
    return canvas.take();
  }
  PdfCanvas canvas(width, height, ground, typesetter, {title});
  Replay(*this, canvas, typesetter, fonts, place, theme).run(data);
  return canvas.take();
}

}  // namespace headlight
