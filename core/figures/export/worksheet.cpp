#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/compute/network/network_trace.h"
#include "core/figures/export/handout.h"
#include "core/figures/export/stage_figure.h"
#include "core/figures/figure/canvas.h"
#include "core/figures/figure/figure.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {
namespace {

constexpr float sheet_margin = 64, sheet_body = 12.5f, sheet_line = 18.5f;
constexpr float a_page = a4.height - 2 * sheet_margin;
constexpr float picture_height = 200;
constexpr Index most_cells = 16;  ///< the most rows or columns of a blank matrix that is filled in by hand

constexpr Rgba answer_ink{0x5B, 0x21, 0xB6};  ///< of answers: without colour they differ from the print by their weight

std::vector<std::string> words_along(const Trace& trace, Axis axis, Index batch, Index count) {
  std::vector<std::string> words;
  for (Index i = 0; i < count; ++i) words.push_back(trace.inputs.name_along(axis, batch, i));
  return words;
}

class Sheet : public PaperPages {
 public:
  Sheet(const std::string& title, const WorksheetText& text, int count, float height = a4.height)
      : PaperPages(title, text.page, count, {a4.width, height}, sheet_margin), text_(text) {}

  static constexpr float inner = a4.width - 2 * sheet_margin;

  void paragraph(const std::string& words, float size = sheet_body, FontRole role = FontRole::text, float indent = 0,
                 bool muted = false) {
    for (const std::string& each : broken_lines(words, size, inner - indent, typesetter_, role)) {
      need(sheet_line * size / sheet_body);
      put(each, role, size, muted ? theme_.muted : theme_.ink, indent, size);
      y_ += sheet_line * size / sheet_body;
    }
  }
  float height_of(const std::string& words, float indent = 0) {
    return sheet_line * static_cast<float>(broken_lines(words, sheet_body, inner - indent, typesetter_).size());
  }

  void name_line(const std::string& words) {
    const float x = sheet_margin + inner * 0.58f;
    put(words, FontRole::text, sheet_body, theme_.muted, inner * 0.58f, sheet_body);
    rule(x + typesetter_.width(words, FontRole::text, sheet_body) + 8, sheet_margin + inner, y_ + sheet_body + 2);
    y_ += 30;
  }
  /// "Answer: ______", or `text` in place of the line.
  void answer(const std::string& label, const std::string& text, float length = 200) {
    need(sheet_line + 6);
    y_ += 6;
    put(label, FontRole::text, sheet_body, theme_.muted, 14, sheet_body);
    const float x = sheet_margin + 14 + typesetter_.width(label, FontRole::text, sheet_body) + 10;
    if (text.empty()) rule(x, std::min(x + length, sheet_margin + inner), y_ + sheet_body + 3);
    else put(text, FontRole::strong, sheet_body, answer_ink, x - sheet_margin, sheet_body);
    y_ += sheet_line + 4;
  }
  /// An empty line for handwriting.
  void empty_line() {
    need(28);
    y_ += 26;
    rule(sheet_margin + 14, sheet_margin + inner, y_);
    y_ += 10;
  }
  void choice(const std::string& words, bool ticked, const std::string& inside) {
    const float x = sheet_margin + 14, indent = 40;
    need(height_of(words, indent) + 4);
    frame({x, y_ + 1, 13, 13}, theme_.muted);
    if (ticked) {
      stroke({x + 2.5f, y_ + 7}, {x + 5.5f, y_ + 11}, 2, answer_ink);
      stroke({x + 5.5f, y_ + 11}, {x + 11, y_ + 3}, 2, answer_ink);
    }
    if (!inside.empty()) put_at({x + 6.5f, y_ + 11.5f}, Anchor::middle, inside, FontRole::strong, 10.5f, answer_ink);
    paragraph(words, sheet_body, FontRole::text, indent);
    y_ += 3;
  }
  void code(const std::vector<std::string>& code, std::optional<std::size_t> wrong,
            const std::vector<std::string>& mended) {
    const auto put_line = [&](const std::string& side, const std::string& words, Rgba ink) {
      need(17);
      float size = 10.5f;
      const float wide = typesetter_.width(words, FontRole::mono, size), room = inner - 46;
      if (wide > room) size *= room / wide;
      canvas_.text({side, FontRole::mono, 10.5f, theme_.muted, {sheet_margin + 30, y_ + 12}, Anchor::end, 0});
      canvas_.text({words, FontRole::mono, size, ink, {sheet_margin + 42, y_ + 12}});
      y_ += 17;
    };
    for (std::size_t i = 0; i < code.size(); ++i) {
      const bool bad = wrong && i == *wrong;
      put_line(bad ? "✗" : std::to_string(i + 1), code[i], bad ? theme_.muted : theme_.ink);
      if (!bad) continue;
      for (const std::string& each : mended) put_line("✓", each, answer_ink);
    }
    y_ += 8;
  }
  void figure(const StageCut& cut, bool values) {
    StageFigureStyle style;
    style.on_paper = true;
    style.values = values && cut.matrix(cut.heads.front()).cols <= 8 && cut.heads.size() == 1;
    style.size = FigureSize{cut.heads.size() > 1 ? inner : inner * 0.62f, picture_height};
    if (cut.stage == Stage::weights) {  // the same colours for the same weights on every page
      style.range = {RangeMode::fixed, {0, 1}, false};
      style.own_range = true;
    }
    need(style.size->height + 8);
    ArrangedFigure(paper_figure(cut, style, text_.pictures)).draw(canvas_, {sheet_margin, y_});
    y_ += style.size->height + 8;
  }
  /// A grid of cells with words beside and above it. `inside` and `grey` are by cell; empty: none of them.
  void cells(const std::vector<std::string>& rows, const std::vector<std::string>& cols,
             const std::vector<std::string>& inside, const std::vector<bool>& grey) {
    float left = 0;
    for (const std::string& row : rows) left = std::max(left, typesetter_.width(row, FontRole::text, 11));
    left = std::min(left + 10, 140.0f);
    const float wide = std::min((inner - left - 20) / static_cast<float>(cols.size()), 74.0f),
                high = std::min(26.0f, std::max(wide, 16.0f));
    need(20 + high * static_cast<float>(rows.size()));
    const float x = sheet_margin + 14 + left;
    for (std::size_t c = 0; c < cols.size(); ++c) {
      const std::string word = typesetter_.elide(cols[c], FontRole::text, 11, wide - 3);
      put_at({x + wide * (static_cast<float>(c) + 0.5f), y_ + 12}, Anchor::middle, word, FontRole::text, 11,
             theme_.muted);
    }
    y_ += 18;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::string word = typesetter_.elide(rows[r], FontRole::text, 11, 130);
      put_at({x - 8, y_ + high / 2 + 4}, Anchor::end, word, FontRole::text, 11, theme_.muted);
      for (std::size_t c = 0; c < cols.size(); ++c) {
        const Box box{x + wide * static_cast<float>(c), y_, wide, high};
        const std::size_t i = r * cols.size() + c;
        if (i < grey.size() && grey[i]) canvas_.fill(box, theme_.line);
        frame(box, theme_.muted);
        if (i >= inside.size() || inside[i].empty()) continue;
        put_at({box.x + wide / 2, y_ + high / 2 + 4}, Anchor::middle, inside[i], FontRole::strong, 10.5f, answer_ink);
      }
      y_ += high;
    }
    y_ += 12;
  }

 private:
  void stroke(Point from, Point to, float width, Rgba ink) { canvas_.path(through({from, to}), width, ink, false); }
  void rule(float from, float to, float y) { stroke({from, y}, {to, y}, 0.8f, theme_.muted); }
  void frame(const Box& b, Rgba ink) { canvas_.path(around(b), 0.8f, ink, false); }

  const WorksheetText& text_;
};

/// The traces of the steps, computed once.
struct Shown {
  std::shared_ptr<const Trace> trace;
  std::optional<Stage> first_wrong;  ///< only in a lesson with a mistake
  std::shared_ptr<const Trace> wrong;
};

std::vector<Shown> computed(const Course& course) {
  std::vector<Shown> all;
  std::shared_ptr<const Trace> last;
  const Scenario* of = nullptr;
  for (const LessonStep& step : course.steps) {
    if (of && *of == step.pose.scenario) {
      all.push_back(all.back());
      continue;
    }
    Run run;
    run.summary = Summary::whole;  // the whole pass of a network: questions can be about its prediction
    last = compute_any(step.pose.scenario, last.get(), run);
    of = &step.pose.scenario;
    Shown shown{last, {}, {}};
    if (course.bug) {
      const OwnStages own = mistaken_stages(course.bug->mistake, course.bug->variant, last);
      const Comparison found = differences(*last, own);
      if (const auto* first = found.first_difference()) shown.first_wrong = first->stage;
      shown.wrong = std::make_shared<Trace>(with_stages(*last, own));
    }
    all.push_back(std::move(shown));
  }
  return all;
}

/// The answers that the reader must find. Later text and pictures must not show them.
class HiddenAnswers {
 public:
  void add(double answer) { answers_.push_back(answer); }
  void clear() { answers_.clear(); }
  bool has(double value, double within) const {
    return std::ranges::any_of(answers_, [&](double answer) { return std::abs(value - answer) <= within; });
  }
  /// A number as printed, such as "0.67".
  bool has(std::string printed) const {
    printed = replaced(printed, "−", "-");
    const std::size_t point = printed.find('.');
    const double decimals = point == std::string::npos ? 2 : static_cast<double>(printed.size() - point - 1);
    return has(std::strtod(printed.c_str(), nullptr), 0.505 * std::pow(10.0, -decimals));
  }
  bool has(const MatrixView& matrix) const {
    for (Index row = 0; row < matrix.rows && !answers_.empty(); ++row) {
      for (Index col = 0; col < matrix.cols; ++col) {
        if (has(static_cast<double>(matrix(row, col)), 0.005)) return true;
      }
    }
    return false;
  }

 private:
  std::vector<double> answers_;
};

class Writer {
 public:
  /// `heights`: the heights of the steps, measured by an earlier writer. A step that fits a page is kept on one page.
  Writer(Sheet& sheet, const Course& course, const WorksheetText& text, bool key, std::vector<float> heights = {})
      : sheet_(sheet), course_(course), text_(text), key_(key), heights_(std::move(heights)) {}

  const std::vector<float>& heights() const { return heights_; }

  void write(const std::vector<Shown>& shown) {
    sheet_.name_line(text_.name);
    sheet_.space(4);
    sheet_.paragraph(in_language(course_.card.title, text_.language) + (key_ ? " · " + text_.key : ""), 20,
                     FontRole::strong);
    sheet_.space(4);
    sheet_.paragraph(in_language(course_.card.description, text_.language), sheet_body, FontRole::text, 0, true);
    sheet_.space(14);
    if (course_.bug)
      sheet_.code(course_.bug->code, key_ ? std::optional(course_.bug->line) : std::nullopt, course_.bug->mended);
    const bool measures = heights_.empty();
    for (std::size_t i = 0; i < course_.steps.size(); ++i) {
      const float above = sheet_.y();
      if (i > 0 && !(course_.steps[i].pose.scenario == course_.steps[i - 1].pose.scenario))
        hidden_.clear();  // this scenario has other numbers
      step(i, shown[i], measures ? 0 : heights_[i]);
      if (measures) heights_.push_back(sheet_.y() - above);
    }
  }

 private:
  /// The step's text, with gaps in place of hidden answers.
  std::string prose_of(const LessonStep& step) const {
    std::string all;
    for (const ProseRun& run : step.runs(text_.language))
      all += run.number && hidden_.has(run.words) ? "______" : run.words;
    return all;
  }

  void step(std::size_t i, const Shown& shown, float height) {
    const LessonStep& step = course_.steps[i];
    if (step.pose.select) looked_at_ = row_place(*step.pose.select).value_or(looked_at_);
    if (course_.bug && !key_ && step.pose.mended) return;  // the reader must find this
    const std::string title = in_language(step.title, text_.language);
    // The heading, the text and the picture stay on one page.
    const std::string prose = prose_of(step);
    sheet_.need(height <= a_page
                    ? height
                    : 90 + sheet_.height_of(prose) + (has_picture(step, *shown.trace) ? picture_height : 0));
    sheet_.paragraph(filled(text_.step, {static_cast<int>(i) + 1}) + (title.empty() ? "" : " · " + title), 13.5f,
                     FontRole::strong);
    sheet_.space(2);
    sheet_.paragraph(prose);
    sheet_.space(6);
    picture(step, *shown.trace);
    if (step.question) question(*step.question, shown);
    sheet_.space(16);
  }

  bool has_picture(const LessonStep& step, const Trace& trace) const {
    return step.pose.stage && !course_.bug && trace.has(*step.pose.stage);
  }

  /// Draws the stage that the text is about, unless it is hidden or the question asks for its numbers.
  void picture(const LessonStep& step, const Trace& trace) {
    if (!has_picture(step, trace)) return;
    const Stage stage = *step.pose.stage;
    const bool hidden = std::ranges::find(step.pose.hide, stage) != step.pose.hide.end();
    const MatrixView matrix = trace[stage].matrix();
    if (matrix.rows > 64 || matrix.cols > 64) return;
    const bool shows_answer =
        step.question && (step.question->kind == QuestionKind::row || step.question->kind == QuestionKind::mask);
    if (shows_answer && !key_) return;
    const bool measures =
        step.question && step.question->measure && step.question->measure->take != Taking::probability;
    const Cell cell =
        measures && !step.pose.select ? row_place(step.question->measure->of).value_or(looked_at_) : looked_at_;
    const Index batch = entry_of(cell, trace);
    const bool all = step.question && step.question->kind == QuestionKind::head && has_head_axis(stage);
    StageCut cut = all ? all_heads(trace, stage, batch) : StageCut{trace, stage, batch};
    if (!all && has_head_axis(stage)) cut.heads = {std::clamp(cell.head, Index{0}, trace[stage].size(1) - 1)};
    if (!hidden || key_) return sheet_.figure(cut, !hidden_.has(cut.matrix(cut.heads.front())));
    if (matrix.rows > most_cells || matrix.cols > most_cells) return;
    sheet_.paragraph(std::string(name(stage)), 11, FontRole::mono, 14, true);
    sheet_.cells(words_along(trace, info(stage).rows, batch, matrix.rows),
                 words_along(trace, info(stage).cols, batch, matrix.cols), {}, {});
  }

  static Index entry_of(const Cell& cell, const Trace& trace) {
    return std::clamp(cell.batch, Index{0}, trace.dims().batch - 1);
  }

  void question(const Question& question, const Shown& shown) {
    const Trace& trace = *shown.trace;
    sheet_.need(sheet_.height_of(in_language(question.ask, text_.language)) + 60);
    sheet_.paragraph(in_language(question.ask, text_.language), sheet_body, FontRole::strong);
    sheet_.space(4);
    switch (question.kind) {
      case QuestionKind::choice:
        for (std::size_t i = 0; i < question.choices.size(); ++i)
          sheet_.choice(in_language(question.choices[i], text_.language), key_ && i == question.right, "");
        break;
      case QuestionKind::order:
        sheet_.paragraph(text_.order_answer, 11, FontRole::text, 14, true);
        for (std::size_t n = 0; n < question.choices.size(); ++n) {
          const std::size_t i = (n + 1) % question.choices.size();  // in the order of the window
          sheet_.choice(in_language(question.choices[i], text_.language), false, key_ ? std::to_string(i + 1) : "");
        }
        break;
      case QuestionKind::number: {
        const bool wrong = question.measure && question.measure->wrong && shown.wrong;
        // How far a run comes is what the lesson states: measured again it may differ in its last digit.
        const bool computed = question.measure && question.measure->take != Taking::accuracy;
        const double value = computed ? measured(*question.measure, wrong ? *shown.wrong : trace) : question.number;
        sheet_.answer(text_.answer, key_ ? number_words(value) : "");
        if (!key_) hidden_.add(value);
        break;
      }
      case QuestionKind::row: row(question, trace); break;
      case QuestionKind::mask: mask(question, trace); break;
      case QuestionKind::head:
        sheet_.answer(text_.head_answer,
                      key_ ? "L" + std::to_string(question.layer) + " H" + std::to_string(question.head) : "");
        break;
      case QuestionKind::stage:
        sheet_.answer(text_.stage_answer, key_ && shown.first_wrong ? std::string(name(*shown.first_wrong)) : "");
        break;
    }
    if (key_) {
      sheet_.space(2);
      sheet_.paragraph(text_.because + ": " + in_language(question.why, text_.language), sheet_body, FontRole::text, 14,
                       true);
    } else {
      sheet_.need(64);
      sheet_.answer(text_.because, "", 2000);
      sheet_.empty_line();
    }
  }

  void row(const Question& question, const Trace& trace) {
    const auto place = row_place(question.measure->of);
    const std::vector<double> shares = row_of(trace, question.measure->of);
    sheet_.paragraph(text_.row_answer, 11, FontRole::text, 14, true);
    const std::vector<std::string> cols = words_along(trace, info(place->stage).cols, place->batch, std::ssize(shares));
    const std::string query_word = trace.inputs.name_along(info(place->stage).rows, place->batch, place->row);
    std::vector<std::string> inside;
    for (const double share : shares) {
      if (!key_ && share > 0.05) hidden_.add(share);  // very small shares appear in many places
      inside.push_back(key_ ? formatted("%.2f", share) : "");
    }
    sheet_.cells({query_word}, cols, inside, {});
  }

  void mask(const Question& question, const Trace& trace) {
    const Dims& dims = trace.dims();
    const Index batch = entry_of(looked_at_, trace);
    if (dims.n_q <= most_cells && dims.n_k <= most_cells) {
      sheet_.paragraph(text_.mask_answer, 11, FontRole::text, 14, true);
      std::vector<bool> grey;
      if (key_) {
        const Tensor may = allowed_cells(question.mask, trace);
        const MatrixView cells = may.matrix(std::min(batch, may.size(0) - 1));
        for (Index q = 0; q < dims.n_q; ++q) {
          for (Index k = 0; k < dims.n_k; ++k) grey.push_back(cells(q, k) != 0);
        }
      }
      sheet_.cells(words_along(trace, Axis::query, batch, dims.n_q), words_along(trace, Axis::key, batch, dims.n_k), {},
                   grey);
    }
    sheet_.answer(text_.answer, key_ ? question.mask : "", 320);
  }

  Sheet& sheet_;
  const Course& course_;
  const WorksheetText& text_;
  bool key_;
  std::vector<float> heights_;
  HiddenAnswers hidden_;
  Cell looked_at_{};  ///< its batch entry and head stay until a step selects others, as in the window
};

}  // namespace

std::string make_worksheet(const Course& course, const WorksheetText& text, bool key) {
  const std::vector<Shown> shown = computed(course);
  const std::string title = in_language(course.card.title, text.language);
  Sheet endless(title, text, 0, 1e6f);  // laid out once to measure the steps
  Writer measuring(endless, course, text, key);
  measuring.write(shown);
  Sheet counted(title, text, 0);  // laid out once to count the pages
  Writer(counted, course, text, key, measuring.heights()).write(shown);
  Sheet sheet(title, text, counted.pages());
  Writer(sheet, course, text, key, measuring.heights()).write(shown);
  return sheet.take();
}

}  // namespace headlight
