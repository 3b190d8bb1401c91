#include "ui/views/mine/mine_picture.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/text/utf8_path.h"
#include "ui/base/document/action.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/mine/sizes.h"

namespace headlight {
namespace {

constexpr float code_line = 19;  // points

/// mine − right for one matrix, [1, 1, rows, cols]; 0 if both are the same infinity or NaN.
Tensor difference_of(const MatrixView& mine, const MatrixView& right) {
  Buffer values;
  values.reserve(static_cast<std::size_t>(mine.rows * mine.cols));
  for (Index r = 0; r < mine.rows; ++r) {
    for (Index c = 0; c < mine.cols; ++c) {
      const float a = mine(r, c), b = right(r, c);
      values.push_back(agree(a, b) && (a == b || std::isnan(a)) ? 0 : a - b);
    }
  }
  return Tensor({1, 1, mine.rows, mine.cols}, std::move(values));
}

/// Whether a mask hides cells of this stage.
bool hides_cells(Stage stage) { return stage >= Stage::masked_scores && stage <= Stage::dropped_weights; }

/// The largest finite magnitude.
float reach_of(const MatrixView& matrix) {
  float reach = 0;
  for (Index r = 0; r < matrix.rows; ++r) {
    for (Index c = 0; c < matrix.cols; ++c) {
      if (std::isfinite(matrix(r, c))) reach = std::max(reach, std::abs(matrix(r, c)));
    }
  }
  return reach;
}

/// Replaces the hyphens of the terminal's text by minus signs.
std::string with_minus_signs(const std::string& text) {
  std::string set;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool number =
        text[i] == '-' && i + 1 < text.size() &&
        (std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0 || text.compare(i + 1, 3, "inf") == 0);
    number ? set.append("−") : set.append(1, text[i]);
  }
  return set;
}

struct MineMaker : ScenePart {
  const Frame& frame;
  const Course* course;
  Rect inside;
  float heading_end;
  MinePicture& picture;
  const Compared& compared = *frame.document.own_compared;
  const BugSecrets secrets = course ? told(*course, view.lesson) : BugSecrets{true, true};
  const std::optional<Cell> claim = claimed();
  std::string stage_text{};  ///< how the shown stage compares

  void make() {
    picture.stage = shown();
    picture.report = in_window(make_report(compared.comparison, compared.own, frame.words), frame.words);
    float y = inside.min.y;
    if (course) {
      y = code(y);
    } else {
      heading();
      y += MineSizes::heading * u;
    }
    y = chips(y) + Space::pad * u;
    const float bottom = course ? inside.max.y : report();
    panels({{inside.min.x, y + MineSizes::line_above_panels * u}, {inside.max.x, bottom}});
    line_above_panels(y);
  }

  /// The place of the first number that the step's text claims, if the stage exists: a cell, or a row with column −1.
  std::optional<Cell> claimed() const {
    const std::size_t step = view.lesson.step;
    if (!course || step >= course->steps.size()) return {};
    for (const Claim& each : course->steps[step].claims) {
      std::optional<Cell> cell = cell_place(each.measure.of);
      if (!cell && (cell = row_place(each.measure.of))) cell->col = -1;
      const StageComparison* stage = cell ? comparison_of(cell->stage) : nullptr;
      if (stage && stage->own && cell->batch >= 0 && cell->head >= 0) return cell;
    }
    return {};
  }

  /// Whether the numbers of the text are visible.
  bool shows_claim() const { return claim && claim->stage == picture.stage; }

  /// In a lesson, the stage of the text, or the last stage until the first wrong one is known.
  Stage shown() const {
    if (claim && !view.beside) return claim->stage;
    if (!secrets.stages && !view.beside) return Stage::output;
    return compared_stage(compared, view);
  }

  const StageComparison* comparison_of(Stage stage) const {
    const auto found = std::ranges::find(compared.comparison.stages, stage, &StageComparison::stage);
    return found == compared.comparison.stages.end() ? nullptr : &*found;
  }

  void heading() {
    const StageComparison* first = compared.comparison.first_difference();
    pen.words(Face::bold, TypeSize::numbers * u, {inside.min.x, inside.min.y + Space::fine * u}, look.ink,
              say.fill("mine.title", {file_name_of(compared.source.path)}),
              heading_end - inside.min.x - Space::apart * u);
    pen.words(Face::bold, TypeSize::story * u, {inside.min.x, inside.min.y + MineSizes::verdict * u}, colour_of_all(),
              first ? say.fill("mine.first", {std::string(name(first->stage))}) : picture.report.agrees,
              inside.width());
  }
  ImU32 colour_of_all() const { return compared.comparison.matches() ? look.v : look.warning; }

  /// A lesson's function, with the wrong line marked once it is known, and the lines that correct it.
  float code(float y) {
    const std::size_t wrong = secrets.mistake ? course->bug->line : course->bug->code.size();
    const std::size_t lines =
        course->bug->code.size() + (secrets.mistake && compared.source.mended ? course->bug->mended.size() : 0);
    const Rect card{{inside.min.x, y}, {inside.max.x, y + (static_cast<float>(lines) * code_line + 20) * u}};
    pen.card(card);
    y += Space::pad * u;
    for (std::size_t i = 0; i < course->bug->code.size(); ++i) {
      y = code_text(card, y, i == wrong ? "−" : std::to_string(i + 1), course->bug->code[i],
                    i == wrong ? look.warning : 0);
      if (i != wrong || !compared.source.mended) continue;
      for (const std::string& line : course->bug->mended) y = code_text(card, y, "+", line, look.v);
    }
    return card.max.y + Space::apart * u;
  }
  /// `mark` 0: unmarked. Returns the y coordinate below.
  float code_text(const Rect& card, float y, const std::string& side, const std::string& line, ImU32 mark) {
    const float pixels = TypeSize::body * u, below = y + code_line * u;
    if (mark != 0) pen.fill({{card.min.x + u, y - u}, {card.max.x - u, below - u}}, fade(mark, 0.16f));
    pen.words(Face::mono, pixels, {card.min.x + CodeColumns::number_end * u, y}, mark != 0 ? mark : look.muted, side,
              Pen::uncut, Align::right);
    pen.words(Face::mono, pixels, {card.min.x + CodeColumns::code * u, y}, look.ink, line,
              card.width() - (CodeColumns::code + Space::pad) * u);
    return below;
  }

  float chips(float y) {
    const float pixels = TypeSize::body * u, high = ControlHeight::chip * u;
    float x = inside.min.x;
    for (const StageComparison& stage : compared.comparison.stages) {
      if (!stage.own) continue;
      const float width = pen.measure(Face::ui, pixels, name(stage.stage)).x + MineChip::pad * u;
      if (x > inside.min.x && x + width > inside.max.x) {
        x = inside.min.x;
        y += high + Space::near * u;
      }
      chip(stage, {{x, y}, {x + width, y + high}});
      x += width + Space::near * u;
    }
    return y + high;
  }
  void chip(const StageComparison& stage, const Rect& rect) {
    const bool known = secrets.stages, differs = known && stage.differs(), chosen = stage.stage == picture.stage;
    const float pixels = TypeSize::body * u, y = rect.min.y + Space::close * u;
    pen.fill(rect, chosen ? look.field : look.card, Corner::control * u);
    pen.box(rect, chosen ? look.accent : look.line, chosen ? Stroke::firm(u) : u, Corner::control * u);
    pen.words(Face::bold, pixels, {rect.min.x + MineChip::mark * u, y},
              differs ? look.warning
              : known ? look.v
                      : look.muted,
              differs ? "≠"
              : known ? "="
                      : "·");
    pen.words(differs ? Face::bold : Face::ui, pixels, {rect.min.x + MineChip::name * u, y}, look.ink,
              name(stage.stage));
    SceneTarget& target = pen.control(rect, "stage " + std::string(name(stage.stage)), SceneAction::stage,
                                      known ? 1 : 0, Cell{stage.stage});
    if (!chosen) target.framed = rect;
  }

  /// The shown stage and the result of its comparison, or a hint.
  void line_above_panels(float y) {
    if (stage_text.empty()) {
      pen.words(Face::ui, TypeSize::body * u, {inside.min.x, y}, look.muted, say("mine.pick"), inside.width());
      return;
    }
    const float from =
        pen.words(Face::bold, TypeSize::large * u, {inside.min.x, y}, look.lane(picture.stage), name(picture.stage))
            .max.x +
        Space::pad * u;
    pen.words(Face::ui, TypeSize::body * u, {from, y + u}, look.ink, stage_text, inside.max.x - from);
  }

  /// At the bottom, as high as its text needs; returns the y coordinate above it.
  float report() {
    const float most = inside.height() * 0.42f, pixels = TypeSize::large * u,
                width = inside.width() - 2 * Space::part * u;
    float height = MineSizes::report_edges * u;
    const auto add = [&](const std::string& text, float indent) {
      height += draw_paragraph(nullptr, frame.fonts, Face::ui, pixels, {}, 0, text, width - indent) + Space::close * u;
    };
    for (const std::string* text : {&picture.report.assumed, &picture.report.agrees, &picture.report.incomplete}) {
      if (!text->empty()) add(*text, 0);
    }
    for (const ReportPart& part : picture.report.parts) {
      height += MineSizes::report_heading * u;
      for (const ReportFinding& finding : part.findings) {
        height += Space::section * u;
        add(finding.text, 0);
      }
      for (const std::string& note : part.notes) add(note, 0);
    }
    for (const std::string& other : picture.report.others) add(other, 0);
    if (compared.searching || compared.stopped) height += MineSizes::search * u;
    if (mask_to_take(compared.comparison)) height += ControlPitch::chips * u;
    height = std::clamp(height, MineSizes::least_report * u, most);
    picture.report_card = {{inside.min.x, inside.max.y - height}, inside.max};
    return picture.report_card.min.y - Space::apart * u;
  }

  /// The batch entry and head that are compared: those of the claim; in a lesson, those where the stage differs (its
  /// panel cannot choose a head); otherwise the view's.
  std::pair<Index, Index> shown_matrix(const StageComparison& stage, const Tensor& right) const {
    const bool follows = shows_claim() && !view.beside;
    const bool tells = course && secrets.stages && stage.differs() && stage.agreement;
    const std::vector<Index> at = tells ? stage.agreement->at : std::vector<Index>();
    const Index batch = right.rank() < 3 ? 0 : follows ? claim->batch : at.size() >= 3 ? at[0] : view.batch;
    Index head = right.rank() < 4 ? 0 : follows ? claim->head : at.size() >= 4 ? at[1] : view.head;
    if (right.rank() == 4 && head >= right.size(1)) head = std::min(head / trace.dims().groups(), right.size(1) - 1);
    return {batch, head};
  }

  void panels(Rect area) {
    const StageComparison* stage = comparison_of(picture.stage);
    if (!stage || !stage->own) return;
    if (secrets.stages) stage_text = with_minus_signs(verdict_words(*stage, frame.words));
    if (!stage->own->fits || area.height() < MineSizes::least_panels * u) return;
    const Trace& right_run = *compared.right();
    const Tensor right = right_for(*stage->own, right_run);
    if (right.shape() != stage->own->values.shape()) return;
    const auto [batch, head] = shown_matrix(*stage, right);
    if (right.rank() == 4 && right.size(1) > 1 && !stage_text.empty())
      stage_text += "  ·  " + say.fill("inspector.head", {head});
    const MatrixView a = stage->own->values.matrix(batch, head), b = right.matrix(batch, head);
    const float gap = Space::apart * u,
                names = widest_label(frame, info(picture.stage).rows, a.rows, TypeSize::note * u) + Space::gap * u;
    // One below the other if that makes the cells larger.
    const auto across = [&](float wide, float high) {
      return std::min({(wide - names - (Space::pad + Space::apart) * u) / static_cast<float>(a.cols),
                       1.4f * (high - (MineMatrix::above + MineMatrix::below) * u) / static_cast<float>(a.rows),
                       MineMatrix::largest_cell * u});
    };
    const float third_of_width = (area.width() - 2 * gap) / 3, third_of_height = (area.height() - 2 * gap) / 3;
    const bool stacked = across(area.width(), third_of_height) > 1.2f * across(third_of_width, area.height());
    const float width = stacked ? area.width() : third_of_width, height = stacked ? third_of_height : area.height();
    const char* titles[] = {course ? "mine.its_numbers" : "mine.yours", "mine.right",
                            course ? "mine.its_minus_right" : "mine.yours_minus_right"};
    const Tensor values[] = {stage->own->values, right, difference_of(a, b)};
    const float widest = std::min(names, width * 0.3f);
    float below = area.min.y;
    Rect first{};
    for (int i = 0; i < 3; ++i) {
      const float left = area.min.x + (stacked ? 0 : static_cast<float>(i) * (width + gap)),
                  top = stacked ? below : area.min.y;
      Rect card{{left, top}, {left + width, top + height}};
      const Rect box{{left + Space::pad * u + widest, top + MineMatrix::above * u},
                     {left + width - Space::apart * u, top + height - MineMatrix::below * u}};
      const float cell = std::min({box.width() / static_cast<float>(a.cols),
                                   1.4f * box.height() / static_cast<float>(a.rows), MineMatrix::largest_cell * u});
      const float high =
          std::min(box.height() / static_cast<float>(a.rows), std::max(cell, MineMatrix::highest_row * u));
      const ImVec2 size{cell * static_cast<float>(a.cols), high * static_cast<float>(a.rows)};
      const Rect rect{{box.centre().x - size.x / 2, box.min.y}, {box.centre().x + size.x / 2, box.min.y + size.y}};
      std::shared_ptr<HeatPicture> heat;
      if (i < 2 || secrets.stages) {
        heat = std::make_shared<HeatPicture>(heat_of(i, values, {batch, head}, rect));
        if (cell >= MineMatrix::names_from * u) heat->col_labels = axis_labels(frame, info(picture.stage).cols, a.cols);
        heat->label_room = widest / (TypeSize::note * u);
      }
      card.max.y = heat ? std::min(rect.max.y + MineMatrix::below * u, top + height) : top + first.height();
      if (i == 0) first = card;
      below = card.max.y + gap;
      panel(*stage, i, say(titles[i]), card, std::move(heat));
    }
  }

  /// The user's numbers of the stage, the right ones, or their difference.
  HeatPicture heat_of(int which, const Tensor (&values)[3], std::pair<Index, Index> batch_head,
                      const Rect& rect) const {
    const auto [batch, head] = batch_head;
    HeatPicture heat = make_heat(frame, trace_stage(standing_for(trace, picture.stage)), view.head, rect);
    const MatrixView a = values[0].matrix(batch, head), b = values[1].matrix(batch, head);
    MatrixQuad& quad = heat.quad;
    heat.stage = picture.stage;
    heat.batch = batch;
    heat.head = head;
    heat.rows = a.rows;
    heat.cols = a.cols;
    quad.batch = which == 2 ? 0 : batch;
    quad.head = which == 2 ? 0 : head;
    quad.values = values[which];
    quad.row_ranges = false;
    heat.shades = Tensor();
    if (which != 1) quad.mask = quad.kept = Tensor();
    else if (quad.mask.defined() || (compared.comparison.assumed && hides_cells(picture.stage)))
      quad.mask = (*compared.right())[Stage::mask];
    if (which == 2) {
      quad.colormap = heat.colormap = &window_colormap(view, Stage::scores);
      // Rounding errors do not appear as a difference.
      const auto rounding = static_cast<float>(tolerance(reach_of(b)));
      const float reach = std::max(reach_of(values[2].matrix()), rounding);
      quad.range = {-reach, reach};
    } else if (info(picture.stage).palette == Palette::diverging) {
      const float reach = std::max({reach_of(a), reach_of(b), 1e-30f});
      quad.range = {-reach, reach};
    } else {  // the run's own range is only that of the right numbers
      quad.range.hi = std::max({quad.range.hi, reach_of(a), reach_of(b)});
    }
    heat.row_labels = axis_labels(frame, info(picture.stage).rows, a.rows);
    return heat;
  }

  /// Marks the cell with the largest difference; in a lesson the one its text refers to. Without a heatmap: a question
  /// mark.
  void panel(const StageComparison& stage, int which, std::string title, const Rect& card,
             std::shared_ptr<HeatPicture> heat) {
    const std::optional<Rect> mark = !heat                        ? std::nullopt
                                     : shows_claim() && which < 2 ? mark_of(*claim, *heat)
                                     : secrets.stages             ? mark_of(stage, *heat)
                                                                  : std::nullopt;
    if (heat && which == 2) heat->batch = heat->head = 0;  // index of the difference's only matrix
    pen.matrix_card(card, title, {.heat = heat, .numbers = true, .marks = false});
    if (mark) pen.box(mark->grown(Outset::cell * u), look.warning, MineMatrix::mark * u, Corner::cell * u);
    if (!heat)
      pen.words(Face::bold, MineMatrix::question * u,
                {card.centre().x, card.centre().y - MineMatrix::half_question * u}, look.muted, "?", Pen::uncut,
                Align::middle);
    if (which == 0) picture.cells = card;
    picture.cells.max = card.max;
    picture.panels.push_back({std::move(title), std::move(heat)});
  }

  /// A stage that the run does not have is shown in the shape of another one.
  Stage trace_stage(Stage standing) const { return trace.has(standing) ? standing : Stage::weights; }

  /// A cell, or a row if the column is −1.
  static std::optional<Rect> mark_of(const Cell& cell, const HeatPicture& heat) {
    if (cell.row < 0 || cell.batch != heat.batch || cell.head != heat.head || cell.row >= heat.rows ||
        cell.col >= heat.cols)
      return {};
    const bool row = cell.col < 0;
    return cells_rect(heat, heat.rect, cell.row, 1, row ? 0 : cell.col, row ? heat.cols : 1);
  }

  static std::optional<Rect> mark_of(const StageComparison& stage, const HeatPicture& heat) {
    if (!stage.differs() || !stage.agreement) return {};
    const std::vector<Index>& at = stage.agreement->at;
    if (at.size() < 2) return {};
    return mark_of(Cell{stage.stage, at.size() < 3 ? heat.batch : at[0], at.size() < 4 ? heat.head : at[1],
                        at[at.size() - 2], at.back()},
                   heat);
  }
};

}  // namespace

BugSecrets told(const Course& course, const LessonProgress& progress) {
  BugSecrets secrets;
  const auto passed = [&](std::size_t i) {
    const LessonAnswer* answer = progress.answer(i);
    return progress.step > i || (answer && answer->revealed);
  };
  std::size_t i = 0;
  for (; i < course.steps.size(); ++i) {
    if (course.steps[i].question && course.steps[i].question->kind == QuestionKind::stage) break;
  }
  secrets.stages = i < course.steps.size() && passed(i);
  for (++i; i < course.steps.size() && !course.steps[i].question; ++i) {}
  secrets.mistake = secrets.stages && i < course.steps.size() && passed(i);
  return secrets;
}

const Trace* mask_to_take(const Comparison& comparison) {
  return comparison.assumed && !comparison.assumed->settings.empty() ? comparison.assumed->run.get() : nullptr;
}

MinePicture make_mine_picture(const Frame& frame, const Course* course, Rect area, float right) {
  MinePicture picture;
  Pen pen(frame, picture.scene);
  MineMaker{pen, frame, course, area, right, picture}.make();
  return picture;
}

}  // namespace headlight
