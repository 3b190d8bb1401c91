#include <algorithm>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/figures/figure/figure_frame.h"

namespace headlight {
namespace {

constexpr float least_shown = 0.03f;  // of the range: weaker lines would only make the others look grey

class ArcPlacer {
 public:
  ArcPlacer(const FigureSpec& spec, const std::vector<ValueRange>& ranges, Typesetter& typesetter)
      : spec_(spec), ranges_(ranges), typesetter_(typesetter), theme_(colours(spec.theme)) {
    title_ = {spec.title};
    rows_ = words(spec.row_ticks, spec.panels[0].matrix.rows, spec.first_row);
    cols_ = words(spec.col_ticks, spec.panels[0].matrix.cols, spec.first_col);
  }

  FigureLayout place() {
    const auto count = static_cast<Index>(spec_.panels.size());
    FigureMetrics m = with_wide_gaps(roomy_metrics(spec_));
    text_ = m.label_text;
    Index columns = spec_.columns ? std::min(*spec_.columns, count) : count;
    if (!spec_.size) {
      columns = spec_.columns ? columns : std::min<Index>(count, 4);
      arrange(m);
      const auto all = [&] {
        return static_cast<float>(columns) * panel_width_ + static_cast<float>(columns - 1) * m.panel_gap;
      };
      if (title_room(m) > 0) {  // a long title needs this much width
        const float title = typesetter_.width(spec_.title, FontRole::strong, m.title_text) + 1;
        const float more = std::max(0.0f, title - all()) / static_cast<float>(columns);
        span_ += more;
        panel_width_ += more;
      }
      out_.width = std::ceil(all() + 2 * m.margin);
      out_.height = std::ceil(static_cast<float>((count + columns - 1) / columns) * (panel_height_ + m.panel_gap) -
                              m.panel_gap + 2 * m.margin + title_room(m));
    } else {
      out_.width = spec_.size->width;
      fit(columns, count, m);
    }
    panels(columns, m);
    return std::move(out_);
  }

 private:
  /// Between the words of two panels there is more room than within a word.
  static FigureMetrics with_wide_gaps(FigureMetrics m) {
    m.panel_gap = std::max(m.panel_gap, 1.8f * m.label_text);
    return m;
  }
  static std::vector<std::string> words(const std::vector<std::string>& tokens, Index count, Index first) {
    if (!tokens.empty()) return tokens;
    std::vector<std::string> out;
    for (Index i = 0; i < count; ++i) out.push_back(std::to_string(first + i));
    return out;
  }

  float title_room(const FigureMetrics& m) const {
    return titled_ && !spec_.title.empty() ? m.title_room + more_title_room(title_.size(), m) : 0;
  }
  float widest(const std::vector<std::string>& all) {
    float width = 0;
    for (const std::string& word : all) width = std::max(width, typesetter_.width(word, FontRole::text, text_));
    return width;
  }

  /// The size of a panel whose text is text_.
  void arrange(const FigureMetrics& m) {
    pitch_ = 1.25f * text_;
    left_ = std::max(widest(rows_), widest({spec_.row_label}));
    right_ = std::max(widest(cols_), widest({spec_.col_label}));
    head_ = spec_.panels.size() > 1 || spec_.letters ? m.head_room : 0;
    names_ = spec_.row_label.empty() && spec_.col_label.empty() ? 0 : 1.5f * text_;
    key_ = spec_.bar ? 1.7f * text_ : 0;
    panel_height_ = head_ + names_ + key_ + pitch_ * longest();
    span_ = std::clamp(0.8f * panel_height_, 4 * text_, 14 * text_);
    panel_width_ = left_ + right_ + span_ + 0.8f * text_;
  }

  /// The space for one of `count` panels side by side, or one above the other.
  static float one_of(float size, Index count, const FigureMetrics& m) {
    return (size - 2 * m.margin - static_cast<float>(count - 1) * m.panel_gap) / static_cast<float>(count);
  }
  float longest() const { return static_cast<float>(std::max(rows_.size(), cols_.size())); }

  /// The largest text, and the number of columns, that fit the size. If it is too small, the words are left out.
  void fit(Index& columns, Index count, FigureMetrics& m) {
    m = with_wide_gaps(tight_metrics(spec_, roomy_metrics(spec_).label_text));
    title_ = title_lines(spec_, m.title_text, spec_.size->width - 2 * m.margin, typesetter_);
    float best = 0;
    Index chosen = 1;
    const float most = m.label_text;
    for (Index tried = 1; tried <= count; ++tried) {
      if (spec_.columns && tried != columns) continue;
      const Index lines = (count + tried - 1) / tried;
      const float wide = one_of(spec_.size->width, tried, m);
      const float high = spec_.size->height > 0 ? one_of(spec_.size->height, lines, m) : 1e6f;
      text_ = 1;
      const float words_wide = std::max(widest(rows_), widest({spec_.row_label})) +
                               std::max(widest(cols_), widest({spec_.col_label})) + 4.8f;
      const float more = (spec_.bar ? 1.7f : 0.0f) + (spec_.row_label.empty() && spec_.col_label.empty() ? 0.0f : 1.5f);
      const float text =
          std::min({most, wide / words_wide, (high - (count > 1 ? m.head_room : 0)) / (1.1f * longest() + more)});
      if (text > best) best = text, chosen = tried;
    }
    columns = chosen;
    const Index lines = (count + columns - 1) / columns;
    shows_words_ = best >= least_text * 0.999f;
    if (!shows_words_) out_.left_out.emplace_back("words");
    text_ = std::max(best, least_text);
    arrange(m);
    const float wide = one_of(spec_.size->width, columns, m);
    const float high = spec_.size->height > 0 ? one_of(spec_.size->height, lines, m) : panel_height_;
    if (!shows_words_) left_ = right_ = names_ = key_ = 0;
    const float least_height = head_ + names_ + key_ + 1.1f * text_ * longest();
    const bool is_given = spec_.size->height > 0;
    if (is_given && high - title_room(m) / static_cast<float>(lines) < least_height && !spec_.title.empty()) {
      titled_ = spec_.keep_title;
      if (!titled_) out_.left_out.emplace_back("title");
    }
    if (is_given) panel_height_ = high - title_room(m) / static_cast<float>(lines);
    // What is left over stands on both sides: very long or very flat arcs are hard to follow.
    pitch_ = std::min((panel_height_ - head_ - names_ - key_) / longest(), 3.2f * text_);
    panel_width_ = wide;
    const float most_span = wide - left_ - right_ - 0.8f * text_;
    span_ = std::clamp(2.2f * pitch_ * longest(), std::min(14 * text_, std::max(4.0f, most_span)),
                       std::max(4.0f, most_span));
    beside_ = std::max(0.0f, most_span - span_) / 2;
    above_ = is_given ? std::max(0.0f, panel_height_ - head_ - names_ - key_ - pitch_ * longest()) / 2 : 0;
    out_.height = is_given ? spec_.size->height
                           : static_cast<float>(lines) * (panel_height_ + m.panel_gap) - m.panel_gap + 2 * m.margin +
                                 title_room(m);
  }

  void put(const std::string& word, Point at, Anchor anchor, std::optional<Rgba> ink = {}) {
    if (!word.empty()) out_.labels.push_back({word, FontRole::text, text_, ink.value_or(theme_.ink), at, anchor});
  }

  float most_of(std::size_t i) const { return std::max(std::fabs(ranges_[i].lo), std::fabs(ranges_[i].hi)); }
  Rgba ink_of(std::size_t i, float share) const {
    Rgba colour = spec_.print ? theme_.ink : spec_.panels[i].hue.value_or(theme_.after);
    colour.a = static_cast<std::uint8_t>(std::lround(40 + 215 * share));
    return colour;
  }
  /// Lines are as bold as the type that they join.
  float width_of(float share) const { return (0.3f + 1.5f * share) * std::max(units_to_a_point, text_ / 9); }

  /// Sample lines with their numbers, as wide and strong as those of the panel.
  void strength_key(std::size_t i, float x, float y) {
    const float half = typesetter_.half_height(FontRole::text, text_), most = most_of(i);
    float at = x;
    for (const float share : {1.0f, 0.5f, 0.1f}) {
      const std::string number = formatted("%.2g", static_cast<double>(share * most));
      const float end = at + 1.6f * text_, wide = typesetter_.width(number, FontRole::text, text_);
      if (end + 0.4f * text_ + wide > x + panel_width_ - beside_) break;
      out_.paths.push_back({{PathStep{{at, y}}, PathStep{{end, y}}}, width_of(share), ink_of(i, share), false});
      put(number, {end + 0.4f * text_, y + half}, Anchor::start, theme_.muted);
      at = end + wide + 1.4f * text_;
    }
  }
  void put_title(const std::string& text, float size, float room, Point at) {
    const std::string shown = typesetter_.elide(text, FontRole::strong, size, room);
    out_.labels.push_back({shown, FontRole::strong, size, theme_.ink, at});
    if (shown != text) out_.left_out.emplace_back("the end of the title");
  }

  void panels(Index columns, const FigureMetrics& m) {
    const float half = typesetter_.half_height(FontRole::text, text_);
    for (std::size_t line = 0; title_room(m) > 0 && line < title_.size(); ++line) {
      const float baseline = m.margin + (0.75f + 1.15f * static_cast<float>(line)) * m.title_text;
      out_.labels.push_back({title_[line], FontRole::strong, m.title_text, theme_.ink, {m.margin, baseline}});
    }
    if (title_room(m) > 0 && !spec_.title.ends_with(title_.back())) out_.left_out.emplace_back("the end of the title");
    for (std::size_t i = 0; i < spec_.panels.size(); ++i) {
      const auto column = static_cast<float>(static_cast<Index>(i) % columns),
                 line = static_cast<float>(static_cast<Index>(i) / columns);
      const float x = m.margin + column * (panel_width_ + m.panel_gap) + beside_,
                  y = m.margin + title_room(m) + line * (panel_height_ + m.panel_gap) + above_;
      const float from = x + left_ + 0.4f * text_, to = from + span_, top = y + head_ + names_;
      const auto centre = [&](Index at, std::size_t count) {
        return top + pitch_ * (static_cast<float>(at) + 0.5f + (longest() - static_cast<float>(count)) / 2);
      };
      if (head_ > 0)
        put_title(panel_name(spec_, i, false), m.label_text, panel_width_, {from, y + 0.64f * m.head_room});
      lines_of(i, from, to, centre);
      if (!shows_words_) continue;
      put(spec_.row_label, {x + left_, top - 0.6f * text_}, Anchor::end, theme_.muted);
      put(spec_.col_label, {to + 0.4f * text_, top - 0.6f * text_}, Anchor::start, theme_.muted);
      if (key_ > 0) strength_key(i, x, top + pitch_ * longest() + 0.55f * key_);
      for (std::size_t r = 0; r < rows_.size(); ++r)
        put(rows_[r], {x + left_, centre(static_cast<Index>(r), rows_.size()) + half}, Anchor::end);
      for (std::size_t c = 0; c < cols_.size(); ++c)
        put(cols_[c], {to + 0.4f * text_, centre(static_cast<Index>(c), cols_.size()) + half}, Anchor::start);
    }
  }

  /// Weak lines first, so that strong ones are on top.
  template <typename Centre>
  void lines_of(std::size_t i, float from, float to, Centre centre) {
    const FigurePanel& panel = spec_.panels[i];
    const float most = most_of(i);
    struct Line {
      Index row, col;
      float share;
    };
    std::vector<Line> lines;
    each_cell(spec_, panel, [&](Index row, Index col, CellKind kind) {
      const float share = std::min(1.0f, std::fabs(panel.matrix(row, col)) / most);
      if (kind == CellKind::value && share >= least_shown) lines.push_back({row, col, share});
    });
    constexpr std::size_t most_lines = 200'000;
    if (out_.paths.size() + lines.size() > most_lines)
      throw SettingError("--kind", Message("{0} arcs and more are too many to draw", most_lines),
                         "expected a part (--rows, --cols), fewer heads, or --kind heatmap");
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.share < b.share; });
    for (const Line& line : lines) {
      const float y0 = centre(line.row, rows_.size()), y1 = centre(line.col, cols_.size()), bend = 0.4f * (to - from);
      out_.paths.push_back({{PathStep{{from, y0}}, PathStep{{to, y1}, true, {{from + bend, y0}, {to - bend, y1}}}},
                            width_of(line.share),
                            ink_of(i, line.share),
                            false});
    }
  }

  const FigureSpec& spec_;
  const std::vector<ValueRange>& ranges_;
  Typesetter& typesetter_;
  const ThemeColours& theme_;
  std::vector<std::string> rows_, cols_, title_;
  FigureLayout out_;
  bool titled_ = true, shows_words_ = true;
  float text_ = 12, pitch_ = 0, left_ = 0, right_ = 0, span_ = 0, head_ = 0, names_ = 0, key_ = 0, panel_width_ = 0,
        panel_height_ = 0, beside_ = 0, above_ = 0;
};

}  // namespace

FigureLayout lay_out_arcs(const FigureSpec& spec, const std::vector<ValueRange>& ranges, Typesetter& typesetter) {
  return ArcPlacer(spec, ranges, typesetter).place();
}

}  // namespace headlight
