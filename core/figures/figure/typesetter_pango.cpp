#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <unordered_map>

#include <pango/pangocairo.h>

#include "core/base/text/unicode.h"
#include "core/figures/figure/typesetter.h"

namespace headlight {
namespace {

// The em at which text is measured, in units; without hinting, every other size is a multiple.
constexpr double measured_em = 128;

using FontMap = std::unique_ptr<PangoFontMap, Destroy<g_object_unref>>;
using Context = std::unique_ptr<PangoContext, Destroy<g_object_unref>>;
using Layout = std::unique_ptr<PangoLayout, Destroy<g_object_unref>>;
using Description = std::unique_ptr<PangoFontDescription, Destroy<pango_font_description_free>>;
using Options = std::unique_ptr<cairo_font_options_t, Destroy<cairo_font_options_destroy>>;
using Surface = std::unique_ptr<cairo_surface_t, Destroy<cairo_surface_destroy>>;
using Pen = std::unique_ptr<cairo_t, Destroy<cairo_destroy>>;
using Path = std::unique_ptr<cairo_path_t, Destroy<cairo_path_destroy>>;

/// Replaces control characters: Pango would break lines at some of them and refuse others.
std::string clean(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_character(text, at);
    const char32_t shown = shown_character(c);
    out += shown == U' '        ? std::string_view(" ")
           : shown == U'\uFFFD' ? std::string_view("\xEF\xBF\xBD")
                                : text.substr(from, at - from);
  }
  return out;
}

using Attributes = std::unique_ptr<PangoAttrList, Destroy<pango_attr_list_unref>>;

/// The text without the marks of its indices, and the attributes of the indices; null without indices.
struct Shown {
  std::string text;
  Attributes attributes;
};
Shown shown_of(std::string_view text, double size) {
  Shown shown;
  std::size_t start = std::string::npos;
  const auto end_index = [&] {
    if (start == std::string::npos) return;
    if (!shown.attributes) shown.attributes.reset(pango_attr_list_new());
    for (PangoAttribute* attribute :
         {pango_attr_scale_new(static_cast<double>(index_size)),
          pango_attr_rise_new(static_cast<int>(-static_cast<double>(index_drop) * size * PANGO_SCALE))}) {
      attribute->start_index = static_cast<guint>(start);
      attribute->end_index = static_cast<guint>(shown.text.size());
      pango_attr_list_insert(shown.attributes.get(), attribute);
    }
    start = std::string::npos;
  };
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find_first_of(std::string_view("\x1E\x1F")), text.size());
    shown.text += clean(text.substr(0, mark));
    if (mark == text.size()) break;
    end_index();
    if (text[mark] == index_begins) start = shown.text.size();
    text.remove_prefix(mark + 1);
  }
  end_index();
  return shown;
}

std::string point(const cairo_path_data_t& data) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f %.2f ", data.point.x, data.point.y);
  return text;
}

std::string svg_path(const cairo_path_t& path) {
  std::string out;
  for (int i = 0; i < path.num_data; i += path.data[i].header.length) {
    const cairo_path_data_t* data = &path.data[i];
    switch (data->header.type) {
      case CAIRO_PATH_MOVE_TO: out += "M" + point(data[1]); break;
      case CAIRO_PATH_LINE_TO: out += "L" + point(data[1]); break;
      case CAIRO_PATH_CURVE_TO: out += "C" + point(data[1]) + point(data[2]) + point(data[3]); break;
      case CAIRO_PATH_CLOSE_PATH: out += "Z"; break;
    }
  }
  // Cairo begins a new figure after each closed one; the last one is empty.
  if (const std::size_t close = out.rfind('Z'); close != std::string::npos) out.resize(close + 1);
  return out;
}

/// A run of picture glyphs, with more pixels than Cairo would embed by default.
void show_picture(cairo_t* cairo, const char* text, PangoGlyphItem* run, const PangoRectangle& ink) {
  constexpr double fine = 8;
  const double margin = 1, x = ink.x / double{PANGO_SCALE} - margin, y = ink.y / double{PANGO_SCALE} - margin;
  const auto pixels = [&](int length) {
    return std::max(1, static_cast<int>(std::ceil((length / double{PANGO_SCALE} + 2 * margin) * fine)));
  };
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels(ink.width), pixels(ink.height)));
  const Pen pen(cairo_create(surface.get()));
  cairo_scale(pen.get(), fine, fine);
  cairo_translate(pen.get(), -x, -y);
  cairo_set_source(pen.get(), cairo_get_source(cairo));
  pango_cairo_show_glyph_item(pen.get(), text, run);
  cairo_save(cairo);
  cairo_translate(cairo, x, y);
  cairo_scale(cairo, 1 / fine, 1 / fine);
  cairo_set_source_surface(cairo, surface.get(), 0, 0);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

/// Shows each run of the line, beginning at the pen.
void show_runs(cairo_t* cairo, const char* text, const PangoLayoutLine& line) {
  double x = 0, y = 0;
  cairo_get_current_point(cairo, &x, &y);
  for (const GSList* each = line.runs; each != nullptr; each = each->next) {
    auto* run = static_cast<PangoGlyphItem*>(each->data);
    PangoRectangle ink, logical;
    pango_glyph_string_extents(run->glyphs, run->item->analysis.font, &ink, &logical);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_move_to(cairo, 0, 0);
    const std::string_view part(text + run->item->offset, static_cast<std::size_t>(run->item->length));
    has_pictures(part) ? show_picture(cairo, text, run, ink) : pango_cairo_show_glyph_item(cairo, text, run);
    cairo_restore(cairo);
    x += logical.width / double{PANGO_SCALE};
  }
}

}  // namespace

struct Typesetter::Impl {
  FontMap fonts{pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT)};
  Context context;
  Layout layout;
  std::map<FontRole, Description> descriptions;
  std::map<FontRole, float> capitals;  // half the height of capitals, for an em of 1
  std::unordered_map<std::string, float> widths[5];
  // An unbounded surface: from a bounded one, Cairo leaves out letters that are far outside.
  Surface surface{cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, nullptr)};
  Pen pen{cairo_create(surface.get())};

  Impl() : context(pango_font_map_create_context(fonts.get())) {
    const Options options(cairo_font_options_create());
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context.get(), options.get());
    pango_cairo_context_set_resolution(context.get(), 96);
    pango_context_set_round_glyph_positions(context.get(), FALSE);
    layout.reset(pango_layout_new(context.get()));
    pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  }

  /// Pango would make a new context for each surface. We use one context for all of them.
  PangoLayoutLine* set(std::string_view text, FontRole role, double size, const Typesetter& by) {
    Description& description = descriptions[role];
    if (!description) {
      description.reset(pango_font_description_new());
      pango_font_description_set_family(description.get(), by.families(role).c_str());
      pango_font_description_set_weight(description.get(), static_cast<PangoWeight>(by.weight(role)));
      if (by.italic(role)) pango_font_description_set_style(description.get(), PANGO_STYLE_ITALIC);
    }
    pango_font_description_set_absolute_size(description.get(), size * PANGO_SCALE);
    pango_layout_set_font_description(layout.get(), description.get());
    const Shown shown = shown_of(text, size);
    pango_layout_set_text(layout.get(), shown.text.data(), static_cast<int>(shown.text.size()));
    pango_layout_set_attributes(layout.get(), shown.attributes.get());
    return pango_layout_get_line_readonly(layout.get(), 0);
  }

  /// Moves the pen to the label's start, along its baseline, and sets the label. The caller calls cairo_restore().
  PangoLayoutLine* begin(cairo_t* cairo, const Label& label, Typesetter& by) {
    const float length = by.width(label.text, label.role, label.size);
    cairo_save(cairo);
    cairo_translate(cairo, static_cast<double>(label.at.x), static_cast<double>(label.at.y));
    cairo_rotate(cairo, static_cast<double>(label.angle) * std::numbers::pi / 180);
    cairo_move_to(cairo, static_cast<double>(anchored(label.anchor, length)), 0);
    return set(label.text, label.role, static_cast<double>(label.size), by);
  }
};

Typesetter::Typesetter(const std::string& family)
    : family_(checked_family(family)), style_(font_style(family)), impl_(std::make_unique<Impl>()) {}

Typesetter::~Typesetter() = default;

float Typesetter::width(std::string_view text, FontRole role, float size) {
  if (text.empty()) return 0;
  constexpr std::size_t longest = 4096;  // above about 20,000 letters Pango's units overflow an int
  if (text.size() > longest) {
    const std::size_t cut = std::max<std::size_t>(1, character_start(text, longest));
    return width(text.substr(0, cut), role, size) + width(text.substr(cut), role, size);
  }
  auto& known = impl_->widths[static_cast<int>(role)];
  const auto [found, fresh] = known.try_emplace(std::string(text), 0.0f);
  if (fresh) {
    PangoRectangle logical;
    pango_layout_line_get_extents(impl_->set(text, role, measured_em, *this), nullptr, &logical);
    found->second = static_cast<float>(logical.width / (PANGO_SCALE * measured_em));
  }
  return found->second * size;
}

float Typesetter::half_height(FontRole role, float size) {
  const auto [found, fresh] = impl_->capitals.try_emplace(role, 0.36f);
  if (fresh) {
    PangoRectangle ink;
    pango_layout_line_get_extents(impl_->set("H", role, measured_em, *this), &ink, nullptr);
    if (ink.height > 0) found->second = static_cast<float>(ink.height / (PANGO_SCALE * measured_em)) / 2;
  }
  return found->second * size;
}

void Typesetter::draw_outlines(cairo_t* cairo, const Label& label) {
  if (has_pictures(label.text)) return draw_text(cairo, label);
  pango_cairo_layout_line_path(cairo, impl_->begin(cairo, label, *this));
  cairo_fill(cairo);
  cairo_restore(cairo);
}

void Typesetter::draw_text(cairo_t* cairo, const Label& label) {
  PangoLayoutLine* line = impl_->begin(cairo, label, *this);
  const bool pages = cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_PDF;
  if (pages && has_pictures(label.text)) show_runs(cairo, pango_layout_get_text(impl_->layout.get()), *line);
  else pango_cairo_show_layout_line(cairo, line);
  cairo_restore(cairo);
}

std::string Typesetter::outline(const Label& label) {
  cairo_t* cairo = impl_->pen.get();
  pango_cairo_layout_line_path(cairo, impl_->begin(cairo, label, *this));
  cairo_restore(cairo);  // back to the figure's units; the path stays
  const Path path(cairo_copy_path(cairo));
  cairo_new_path(cairo);
  return svg_path(*path);
}

}  // namespace headlight
