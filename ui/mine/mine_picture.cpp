#include "ui/mine/mine_picture.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/text/utf8_path.h"
#include "ui/document/beside.h"
#include "ui/frame/colormaps.h"
#include "ui/level/pen.h"
#include "ui/level/scene.h"
#include "ui/look/measure.h"
#include "ui/matrix/heat.h"
#include "ui/widgets/paragraph.h"

namespace headlight {
namespace {

constexpr float code_line = 19;  // points

/// mine − right of one matrix, [1, 1, rows, cols]; where both are the same infinity or NaN there is no difference.
Tensor difference_of(const MatrixView& mine, const MatrixView& right) {
  Buffer values;
  values.reserve(static_cast<std::size_t>(mine.rows * mine.cols));
  for (Index r = 0; r < mine.rows; ++r) {
    for (Index c = 0; c < mine.cols; ++c) {
      const float a = mine(r, c), b = right(r, c);
      values.push_back(agree(a, b) ? (a == b || std::isnan(a) ? 0 : a - b) : a - b);
    }
  }
  return Tensor({1, 1, mine.rows, mine.cols}, std::move(values));
}

float reach_of(const MatrixView& matrix) {
  float reach = 0;
  for (Index r = 0; r < matrix.rows; ++r) {
    for (Index c = 0; c < matrix.cols; ++c) {
      if (std::isfinite(matrix(r, c))) reach = std::max(reach, std::abs(matrix(r, c)));
    }
  }
  return reach;
}

/// The terminal's hyphens as the minus signs that they are.
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

class Maker {
 public:
  Maker(const Frame& frame, const Course* course, Rect area, float right)
      : frame_(frame),
        look_(frame.look),
        beside_(*frame.document.beside),
        course_(course),
        area_(area),
        right_(right),
        u_(frame.u),
        context_(scene_context(frame)),
        pen_(context_, picture_.scene),
        secrets_(course ? told(*course, frame.view().lesson) : BugSecrets{true, true}) {}

  MinePicture make() {
    claim_ = claimed();
    picture_.stage = shown();
    picture_.report = make_report(beside_.comparison, beside_.own, frame_.words);
    float y = area_.min.y;
    if (course_) {
      y = code(y);
    } else {
      heading();
      y += 64 * u_;
    }
    y = chips(y) + 10 * u_;
    const float bottom = course_ ? area_.max.y : report();
    panels({{area_.min.x, y + 26 * u_}, {area_.max.x, bottom}});
    line_above_panels(y);
    return std::move(picture_);
  }

 private:
  /// The first number that the step's text states, where the stage is there: a cell, or a row with column −1.
  std::optional<Cell> claimed() const {
    const std::size_t step = frame_.view().lesson.step;
    if (!course_ || step >= course_->steps.size()) return {};
    for (const Claim& claim : course_->steps[step].claims) {
      std::optional<Cell> cell = cell_place(claim.measure.of);
      if (!cell && (cell = row_place(claim.measure.of))) cell->col = -1;
      const StageComparison* stage = cell ? comparison_of(cell->stage) : nullptr;
      if (stage && stage->own && cell->batch >= 0 && cell->head >= 0) return cell;
    }
    return {};
  }

  /// The text's numbers are in sight.
  bool shows_claim() const { return claim_ && claim_->stage == picture_.stage; }

  /// In a lesson what the text speaks of, or the last stage, until it is known where it begins.
  Stage shown() const {
    if (claim_ && !frame_.view().beside) return claim_->stage;
    if (!secrets_.stages && !frame_.view().beside) return Stage::output;
    return beside_shown(beside_, frame_.view());
  }

  const StageComparison* comparison_of(Stage stage) const {
    const auto found = std::ranges::find(beside_.comparison.stages, stage, &StageComparison::stage);
    return found == beside_.comparison.stages.end() ? nullptr : &*found;
  }

  void heading() {
    const StageComparison* first = beside_.comparison.first_difference();
    pen_.words(Face::bold, TypeSize::numbers * u_, {area_.min.x, area_.min.y + 2 * u_}, look_.ink,
               frame_.words.fill("mine.title", {file_name_of(beside_.source.path)}), right_ - area_.min.x - 12 * u_);
    pen_.words(Face::bold, TypeSize::story * u_, {area_.min.x, area_.min.y + 30 * u_}, colour_of_all(),
               first ? frame_.words.fill("mine.first", {std::string(name(first->stage))}) : picture_.report.agrees,
               area_.width());
  }
  ImU32 colour_of_all() const { return beside_.comparison.matches() ? look_.v : look_.warning; }

  /// A lesson's function, where it is known with its wrong line, and the lines that mend it.
  float code(float y) {
    const std::size_t wrong = secrets_.mistake ? course_->bug->line : course_->bug->code.size();
    const std::size_t lines =
        course_->bug->code.size() + (secrets_.mistake && beside_.source.mended ? course_->bug->mended.size() : 0);
    const Rect card{{area_.min.x, y}, {area_.max.x, y + (static_cast<float>(lines) * code_line + 20) * u_}};
    pen_.card(card);
    y += 10 * u_;
    for (std::size_t i = 0; i < course_->bug->code.size(); ++i) {
      y = code_text(card, y, i == wrong ? "−" : std::to_string(i + 1), course_->bug->code[i],
                    i == wrong ? look_.warning : 0);
      if (i != wrong || !beside_.source.mended) continue;
      for (const std::string& line : course_->bug->mended) y = code_text(card, y, "+", line, look_.v);
    }
    return card.max.y + 12 * u_;
  }
  /// `mark` 0: as it is. Gives the y below.
  float code_text(const Rect& card, float y, const std::string& side, const std::string& line, ImU32 mark) {
    const float pixels = TypeSize::body * u_, below = y + code_line * u_;
    if (mark != 0) pen_.fill({{card.min.x + u_, y - u_}, {card.max.x - u_, below - u_}}, fade(mark, 0.16f));
    pen_.words(Face::mono, pixels, {card.min.x + 34 * u_, y}, mark != 0 ? mark : look_.muted, side, 1e6f, Align::right);
    pen_.words(Face::mono, pixels, {card.min.x + 46 * u_, y}, look_.ink, line, card.width() - 56 * u_);
    return below;
  }

  float chips(float y) {
    const float pixels = TypeSize::body * u_, high = 26 * u_;
    float x = area_.min.x;
    for (const StageComparison& stage : beside_.comparison.stages) {
      if (!stage.own) continue;
      const float width = pen_.measure(Face::ui, pixels, name(stage.stage)).x + 38 * u_;
      if (x > area_.min.x && x + width > area_.max.x) {
        x = area_.min.x;
        y += high + 6 * u_;
      }
      chip(stage, {{x, y}, {x + width, y + high}});
      x += width + 6 * u_;
    }
    return y + high;
  }
  void chip(const StageComparison& stage, const Rect& rect) {
    const bool known = secrets_.stages, differs = known && stage.differs(), chosen = stage.stage == picture_.stage;
    const float pixels = TypeSize::body * u_, y = rect.min.y + 5 * u_;
    pen_.fill(rect, chosen ? look_.field : look_.card, Corner::control * u_);
    pen_.box(rect, chosen ? look_.accent : look_.line, (chosen ? 2 : 1) * u_, Corner::control * u_);
    pen_.words(Face::bold, pixels, {rect.min.x + 9 * u_, y},
               differs ? look_.warning
               : known ? look_.v
                       : look_.muted,
               differs ? "≠"
               : known ? "="
                       : "·");
    pen_.words(differs ? Face::bold : Face::ui, pixels, {rect.min.x + 25 * u_, y}, look_.ink, name(stage.stage));
    SceneTarget& target = pen_.control(rect, "stage " + std::string(name(stage.stage)), SceneAction::stage,
                                       known ? 1 : 0, Cell{stage.stage});
    if (!chosen) target.framed = rect;
  }

  /// The shown stage and how it compares, or what to do.
  void line_above_panels(float y) {
    if (stage_words_.empty()) {
      pen_.words(Face::ui, TypeSize::body * u_, {area_.min.x, y}, look_.muted, frame_.words("mine.pick"),
                 area_.width());
      return;
    }
    const float from =
        pen_.words(Face::bold, TypeSize::large * u_, {area_.min.x, y}, look_.lane(picture_.stage), name(picture_.stage))
            .max.x +
        10 * u_;
    pen_.words(Face::ui, TypeSize::body * u_, {from, y + u_}, look_.ink, stage_words_, area_.max.x - from);
  }

  /// Along the bottom, as high as its words need; gives the y above it.
  float report() {
    const float most = area_.height() * 0.42f, pixels = TypeSize::large * u_, width = area_.width() - 32 * u_;
    float height = 24 * u_;
    const auto add = [&](const std::string& text, float indent) {
      height += draw_paragraph(nullptr, frame_.fonts, Face::ui, pixels, {}, 0, text, width - indent) + 5 * u_;
    };
    const Report& report = picture_.report;
    for (const std::string* text : {&report.assumed, &report.agrees, &report.incomplete}) {
      if (!text->empty()) add(*text, 0);
    }
    for (const ReportPart& part : report.parts) {
      height += 26 * u_;
      for (const ReportFinding& finding : part.findings) {
        height += 24 * u_;
        add(finding.text, 0);
      }
      for (const std::string& note : part.notes) add(note, 0);
    }
    for (const std::string& other : report.others) add(other, 0);
    if (beside_.searching || beside_.stopped) height += 40 * u_;
    height = std::clamp(height, 60 * u_, most);
    picture_.report_card = {{area_.min.x, area_.max.y - height}, area_.max};
    return picture_.report_card.min.y - 12 * u_;
  }

  void panels(Rect area) {
    const StageComparison* stage = comparison_of(picture_.stage);
    if (!stage || !stage->own) return;
    if (secrets_.stages) stage_words_ = with_minus_signs(verdict_words(*stage, frame_.words));
    if (!stage->own->fits || area.height() < 60 * u_) return;
    const Trace& right_run = *beside_.right();
    const Tensor right = with_heads_of(stage->own->values, counterpart(right_run, picture_.stage));
    if (right.shape() != stage->own->values.shape()) return;
    const View& view = frame_.view();
    const bool claim = shows_claim() && !view.beside;
    // In a lesson, whose panel chooses no head: where the sentence above says that it differs.
    const bool told = course_ && secrets_.stages && stage->differs() && stage->agreement;
    const std::vector<Index> at = told ? stage->agreement->at : std::vector<Index>();
    const Index batch = right.rank() < 3 ? 0 : claim ? claim_->batch : at.size() >= 3 ? at[0] : view.batch;
    Index head = right.rank() < 4 ? 0 : claim ? claim_->head : at.size() >= 4 ? at[1] : view.head;
    if (right.rank() == 4 && head >= right.size(1))
      head = std::min(head / frame_.trace()->dims().groups(), right.size(1) - 1);
    if (right.rank() == 4 && right.size(1) > 1 && !stage_words_.empty())
      stage_words_ += "  ·  " + frame_.words.fill("inspector.head", {std::to_string(head)});
    const MatrixView a = stage->own->values.matrix(batch, head), b = right.matrix(batch, head);
    const float gap = 12 * u_, names = widest_label(frame_, info(picture_.stage).rows, a.rows, 12 * u_) + 8 * u_;
    // One below the other where the cells are larger so.
    const auto across = [&](float wide, float high) {
      return std::min({(wide - names - 22 * u_) / static_cast<float>(a.cols),
                       1.4f * (high - 62 * u_) / static_cast<float>(a.rows), 84 * u_});
    };
    const float third_of_width = (area.width() - 2 * gap) / 3, third_of_height = (area.height() - 2 * gap) / 3;
    const bool stacked = across(area.width(), third_of_height) > 1.2f * across(third_of_width, area.height());
    const float width = stacked ? area.width() : third_of_width, height = stacked ? third_of_height : area.height();
    const char* titles[] = {course_ ? "mine.its_numbers" : "mine.yours", "mine.right",
                            course_ ? "mine.its_minus_right" : "mine.yours_minus_right"};
    const Tensor values[] = {stage->own->values, right, difference_of(a, b)};
    const float widest = std::min(names, width * 0.3f);
    float below = area.min.y;
    Rect first{};
    for (int i = 0; i < 3; ++i) {
      const float left = area.min.x + (stacked ? 0 : static_cast<float>(i) * (width + gap)),
                  top = stacked ? below : area.min.y;
      Rect card{{left, top}, {left + width, top + height}};
      const Rect box{{left + 10 * u_ + widest, top + 32 * u_}, {left + width - 12 * u_, top + height - 30 * u_}};
      const float cell = std::min(
          {box.width() / static_cast<float>(a.cols), 1.4f * box.height() / static_cast<float>(a.rows), 84 * u_});
      const float high = std::min(box.height() / static_cast<float>(a.rows), std::max(cell, 24 * u_));
      const ImVec2 size{cell * static_cast<float>(a.cols), high * static_cast<float>(a.rows)};
      const Rect rect{{box.centre().x - size.x / 2, box.min.y}, {box.centre().x + size.x / 2, box.min.y + size.y}};
      std::shared_ptr<HeatPicture> heat;
      if (i < 2 || secrets_.stages) {
        heat = std::make_shared<HeatPicture>(heat_of(*stage, i, values, {batch, head}, rect));
        if (cell >= 26 * u_) heat->col_labels = axis_labels(frame_, info(picture_.stage).cols, a.cols);
        heat->label_room = widest / (TypeSize::note * u_);
      }
      card.max.y = heat ? std::min(rect.max.y + 30 * u_, top + height) : top + first.height();
      if (i == 0) first = card;
      below = card.max.y + gap;
      panel(*stage, i, frame_.words(titles[i]), card, std::move(heat));
    }
  }

  /// The stage's own numbers, the right ones, or their difference.
  HeatPicture heat_of(const StageComparison& stage, int which, const Tensor (&values)[3],
                      std::pair<Index, Index> batch_head, const Rect& rect) const {
    const View& view = frame_.view();
    const auto [batch, head] = batch_head;
    HeatPicture heat = make_heat(frame_, trace_stage(standing_for(*frame_.trace(), picture_.stage)), view.head, rect);
    const MatrixView a = values[0].matrix(batch, head), b = values[1].matrix(batch, head);
    MatrixQuad& quad = heat.quad;
    heat.stage = picture_.stage;
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
    else if (quad.mask.defined()) quad.mask = (*beside_.right())[Stage::mask];
    if (which == 2) {
      quad.colormap = heat.colormap = &window_colormap(view, Stage::scores);
      // Where a stage agrees, what rounding leaves is not made to look like a difference.
      const float rounding = stage.differs() ? 1e-30f : static_cast<float>(tolerance(reach_of(b)));
      const float reach = std::max(reach_of(values[2].matrix()), rounding);
      quad.range = {-reach, reach};
    } else if (info(picture_.stage).palette == Palette::diverging) {
      const float reach = std::max({reach_of(a), reach_of(b), 1e-30f});
      quad.range = {-reach, reach};
    } else {  // the run's own range is that of the right numbers alone
      quad.range.hi = std::max({quad.range.hi, reach_of(a), reach_of(b)});
    }
    heat.row_labels = axis_labels(frame_, info(picture_.stage).rows, a.rows);
    return heat;
  }

  /// Marks the cell with the largest difference; in a lesson the one its text refers to. Without a heatmap: a question
  /// mark.
  void panel(const StageComparison& stage, int which, std::string title, const Rect& card,
             std::shared_ptr<HeatPicture> heat) {
    pen_.card(card);
    pen_.words(Face::bold, TypeSize::body * u_, {card.min.x + 12 * u_, card.min.y + 9 * u_}, look_.ink, title);
    if (heat) {
      const std::optional<Rect> mark = shows_claim() && which < 2 ? mark_of(*claim_, *heat)
                                       : secrets_.stages          ? mark_of(stage, *heat)
                                                                  : std::nullopt;
      if (which == 2) heat->batch = heat->head = 0;  // where its numbers are
      pen_.colour_ends(*heat, card, title);
      pen_.heat({.heat = heat, .labels = TypeSize::note * u_, .numbers = true, .marks = false});
      if (mark) pen_.box(mark->grown(1.5f * u_), look_.warning, 2.5f * u_, Corner::cell * u_);
    } else {
      pen_.words(Face::bold, 26 * u_, {card.centre().x, card.centre().y - 15 * u_}, look_.muted, "?", 1e6f,
                 Align::middle);
    }
    if (which == 0) picture_.cells = card;
    picture_.cells.max = card.max;
    picture_.panels.push_back({std::move(title), std::move(heat)});
  }

  /// A stage that the run has none of stands in another's shape.
  Stage trace_stage(Stage standing) const { return frame_.trace()->has(standing) ? standing : Stage::weights; }

  /// A cell, or with column −1 a row.
  static std::optional<Rect> mark_of(const Cell& claim, const HeatPicture& heat) {
    if (claim.row < 0 || claim.batch != heat.batch || claim.head != heat.head || claim.row >= heat.rows ||
        claim.col >= heat.cols)
      return {};
    const float w = heat.rect.width() / static_cast<float>(heat.cols),
                h = heat.rect.height() / static_cast<float>(heat.rows);
    const bool row = claim.col < 0;
    const ImVec2 min{heat.rect.min.x + (row ? 0 : static_cast<float>(claim.col) * w),
                     heat.rect.min.y + static_cast<float>(claim.row) * h};
    return Rect{min, {row ? heat.rect.max.x : min.x + w, min.y + h}};
  }

  static std::optional<Rect> mark_of(const StageComparison& stage, const HeatPicture& heat) {
    if (!stage.differs() || !stage.agreement) return {};
    const std::vector<Index>& at = stage.agreement->at;
    if (at.size() < 2) return {};
    return mark_of(Cell{stage.stage, at.size() < 3 ? heat.batch : at[0], at.size() < 4 ? heat.head : at[1],
                        at[at.size() - 2], at.back()},
                   heat);
  }

  const Frame& frame_;
  const Look& look_;
  const Beside& beside_;
  const Course* course_;
  Rect area_;
  float right_, u_;
  MinePicture picture_;
  const SceneContext context_;
  Pen pen_;
  BugSecrets secrets_;
  std::optional<Cell> claim_;
  std::string stage_words_;  ///< how the shown stage compares
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

MinePicture make_mine_picture(const Frame& frame, const Course* course, Rect area, float right) {
  return Maker(frame, course, area, right).make();
}

}  // namespace headlight
