// A computation on paper: its sentence and weights, all stages as one picture, and a page for each stage with its
// shape, formula, a sentence about it and its picture, on numbered pages.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/compute/run/trace.h"
#include "core/figures/export/stage_figure.h"
#include "core/figures/figure/canvas.h"
#include "core/figures/figure/typesetter.h"
#include "core/teaching/lesson/course.h"

namespace headlight {

enum class Paper : std::uint8_t { a4, letter };

/// The words of pictures on paper, in the reader's language.
struct PaperPictureWords {
  std::string query = "query", keys = "key";  ///< names of axes
  std::string head = "head {0}", layer = "layer {0}", batch = "batch {0}";
  std::string may_attend = "may attend", masked = "masked";
  std::map<Stage, std::string> formulas{};  ///< of stages whose formula has words
};

/// The texts of the pages, in the reader's language.
struct HandoutText {
  std::string title;
  std::string introduction;                              ///< under the title; may be empty
  std::string caution;                                   ///< under that: what is random; may be empty
  std::string sentence = "Who looks at whom: head {0}";  ///< over the words and their weights
  std::string stages = "The stages";                     ///< over all of them as one picture
  std::string batch;                                     ///< which entry of several is shown; may be empty
  std::string page = "page {0} of {1}";
  PaperPictureWords pictures;
  std::map<Stage, std::string> about;  ///< a sentence on each stage; may lack some
};

/// A PDF; the same computation gives the same bytes. Batch entry 0; the stages show all heads (at most the first
/// eight), the first page shows `head`.
std::string make_handout(const Trace& trace, const HandoutText& text, Paper paper = Paper::a4, Index head = 0);

/// In 1/96 inch.
inline constexpr FigureSize a4{793.7f, 1122.5f};

/// A stage's picture on paper. Its title, unless the style has one, names the stage, and layer, head and entry where
/// there are several.
FigureSpec paper_figure(const StageCut& cut, StageFigureStyle style, const PaperPictureWords& words);

/// Numbered pages that are filled from the top.
class PaperPages {
 public:
  /// `numbering`: "page {0} of {1}", of `count` pages.
  PaperPages(const std::string& title, const std::string& numbering, int count, FigureSize size, float margin)
      : margin_(margin),
        size_(size),
        y_(margin),
        canvas_(size.width, size.height, theme_.card, typesetter_, {title}),
        numbering_(numbering),
        count_(count) {}
  void space(float height) { y_ += height; }
  float y() const { return y_; }
  /// Begins the next page if this one has less room than `height`.
  void need(float height);
  int pages() const { return page_; }
  std::string take();

 protected:
  float inner() const { return size_.width - 2 * margin_; }
  /// Writes at `x` from the left margin, `baseline` below the content so far.
  void put(const std::string& words, FontRole role, float size, Rgba ink, float x, float baseline) {
    canvas_.text({words, role, size, ink, {margin_ + x, y_ + baseline}});
  }
  void put_at(Point at, Anchor anchor, const std::string& words, FontRole role, float size, Rgba ink) {
    canvas_.text({words, role, size, ink, at, anchor});
  }

  const ThemeColours& theme_ = colours(Theme::light);
  const float margin_;
  const FigureSize size_;
  float y_;
  Typesetter typesetter_;
  PdfCanvas canvas_;

 private:
  void footer();

  const std::string& numbering_;
  int count_, page_ = 1;
};

/// Lines of at most `width`: broken at blanks, and anywhere within Chinese.
std::vector<std::string> broken_lines(const std::string& text, float size, float width, Typesetter& typesetter,
                                      FontRole role = FontRole::text);

/// "page {0} of {1}" with numbers in their places.
std::string filled(std::string pattern, std::initializer_list<int> numbers);

/// What the pages say besides the lesson, in the reader's language.
struct WorksheetText {
  std::string language = "en";
  std::string name = "Name", answer = "Answer", because = "Why";
  std::string key = "Answers";  ///< beside the key's title
  std::string step = "Step {0}";
  std::string stage_answer = "the first stage that goes wrong";
  std::string head_answer = "layer and head";
  std::string order_answer = "Number them in their order.";
  std::string row_answer = "Write how the row is shared out; together it makes 1.";
  std::string mask_answer = "Fill the cells that may be seen, or write the expression.";
  std::string code = "the code";
  PaperPictureWords pictures;
  std::string page = "page {0} of {1}";
};

/// A PDF on A4; the same lesson is the same bytes. Computes each step. Throws what the lesson's scenarios throw.
std::string make_worksheet(const Course& course, const WorksheetText& text, bool key);

}  // namespace headlight
