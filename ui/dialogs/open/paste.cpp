#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/arrays/parse_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "ui/base/document/action.h"
#include "ui/base/look/measure.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/dialog.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {
namespace {

std::string size_of(const Tensor& matrix) {
  return std::to_string(matrix.size(0)) + " × " + std::to_string(matrix.size(1));
}

/// The words of a use, in the order of PasteUse: its button's id, title and explanation, and the notice when it is
/// done.
struct UseWords {
  const char *id, *title, *meaning, *done;
};
constexpr UseWords use_words[] = {{"input", "paste.input", "paste.input_means", "paste.was_input"},
                                  {"mask", "paste.mask", "paste.mask_means", "paste.was_mask"},
                                  {"bias", "paste.bias", "paste.bias_means", "paste.was_bias"}};
const UseWords& words_of(PasteUse use) { return use_words[static_cast<std::size_t>(use)]; }

/// "%20" becomes a space; a % without two hex digits stays.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    const char* const end = text.data() + std::min(at + 3, text.size());
    const bool coded =
        text[at] == '%' && at + 2 < text.size() && std::from_chars(text.data() + at + 1, end, byte, 16).ptr == end;
    out += coded ? static_cast<char>(byte) : text[at];
    if (coded) at += 2;
  }
  return out;
}

/// The scenario with the matrix pasted for this use.
Scenario with_pasted(Scenario scenario, const Tensor& matrix, PasteUse use) {
  if (use == PasteUse::bias) {
    scenario.attn_bias = GivenMatrix{matrix};
  } else if (use == PasteUse::mask) {
    const MatrixView cells = matrix.matrix();
    scenario.painted.clear();
    for (Index q = 0; q < cells.rows; ++q) {
      for (Index k = 0; k < cells.cols; ++k) {
        const bool attend = cells(q, k) != 0;
        if (k > 0 && scenario.painted.back().attend == attend) {
          ++scenario.painted.back().keys;
        } else {
          scenario.painted.push_back({-1, -1, q, k, attend});
        }
      }
    }
  } else {
    if (scenario.source == Source::text) scenario.source = Source::random;
    scenario.x = GivenMatrix{matrix};
    scenario.batch_size = scenario.queries = scenario.keys = std::nullopt;
    scenario.d_query = scenario.d_key = scenario.d_value = std::nullopt;
    // These were for another number of tokens.
    scenario.valid_lens.clear();
    scenario.painted.clear();
    scenario.attn_bias.reset();
  }
  return scenario;
}

void put(Document& document, const Tensor& matrix, PasteUse use, const Words& words) {
  document.notice = words.fill(words_of(use).done, {size_of(matrix)});
  apply(document, EditScenario{[&](Scenario& s) { s = with_pasted(std::move(s), matrix, use); }, {}});
}

Message what_fits(const Dims& dims) {
  return {"rows of {0} numbers for the input, or {1} × {2} for a mask (0 and 1) or a bias", dims.d_query, dims.n_q,
          dims.n_k};
}

/// The possible uses of `matrix` [rows, cols]: an input if its width matches, or if the weights are random and can fit
/// it; a mask or a bias if it is [n_q, n_k] with suitable numbers.
std::vector<PasteUse> paste_uses(const Tensor& matrix, const Trace& shown) {
  const Dims& dims = shown.dims();
  const auto all = [&](auto rule) { return std::ranges::all_of(matrix.values(), rule); };
  const bool self = dims.d_query == dims.d_key && dims.d_key == dims.d_value;
  const bool fits = self && matrix.size(1) == dims.d_query;
  const bool square = matrix.size(0) == dims.n_q && matrix.size(1) == dims.n_k;
  std::vector<PasteUse> uses;
  if (fits || (shown.scenario.source != Source::file && !square)) uses.push_back(PasteUse::input);
  if (square && all([](float v) { return v == 0 || v == 1; })) uses.push_back(PasteUse::mask);
  if (square && all([](float v) { return v < INFINITY; })) uses.push_back(PasteUse::bias);
  return uses;
}

/// In points.
struct UseButton {
  static constexpr float height = 54, title = 9, meaning = 29;
};

/// A button for one use, as wide as the dialog, with an explanation below its name.
bool use_button(const Frame& frame, const UseWords& use) {
  const float u = frame.u;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x, 1.0f), UseButton::height * u};
  const bool clicked = pressable(frame, use.id, size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) list.AddRectFilled(at, end, frame.look.field, Corner::card * u);
  compat::add_rect(list, at, end, hovered ? frame.look.accent : frame.look.line, Corner::card * u, 1);
  frame.write(Face::bold, TypeSize::body, {at.x + Space::card * u, at.y + UseButton::title * u}, frame.look.ink,
              frame.words(use.title));
  frame.write_elided(Face::ui, TypeSize::note, {at.x + Space::card * u, at.y + UseButton::meaning * u},
                     frame.look.muted, frame.words(use.meaning), size.x - 2 * Space::card * u);
  return clicked;
}

}  // namespace

std::string pasted_file(const std::string& text) {
  std::string line = text.substr(0, text.find_first_of("\r\n"));
  const bool quoted = line.size() > 1 && (line.front() == '"' || line.front() == '\'') && line.back() == line.front();
  if (quoted) line = line.substr(1, line.size() - 2);
  constexpr std::string_view scheme = "file://";
  if (line.starts_with(scheme)) {
    const std::size_t path = line.find('/', scheme.size());  // the host, which is usually omitted, comes before
    line = path == std::string::npos ? "" : unescaped(line.substr(path));
  }
  std::error_code error;
  return !line.empty() && std::filesystem::is_regular_file(path_from(line), error) ? line : "";
}

void paste_into(Document& document, const std::string& text, const Words& words) {
  if (!document.trace) return;
  try {
    const Tensor matrix = parse_matrix(text);
    const std::vector<PasteUse> uses = paste_uses(matrix, *document.trace);
    if (uses.empty()) {
      throw InputError("the text on the clipboard", Message("a matrix of {0} fits nothing here", size_of(matrix)),
                       Message("expected {0}", what_fits(document.trace->dims())));
    }
    if (uses.size() == 1) return put(document, matrix, uses.front(), words);
    document.view.pasted = GivenMatrix{matrix};
    document.view.dialog = Dialog::paste;
  } catch (const InputError& error) { document.error = error.message(); }
}

void use_pasted(Document& document, PasteUse use, const Words& words) {
  const std::optional<GivenMatrix> pasted = std::exchange(document.view.pasted, std::nullopt);
  document.view.dialog = Dialog::none;
  if (pasted) put(document, pasted->numbers, use, words);
}

void draw_paste_dialog(const Frame& frame, Rect place) {
  const View& view = frame.view();
  if (view.dialog != Dialog::paste || !view.pasted || !frame.trace()) return;
  const Tensor& matrix = view.pasted->numbers;
  const std::vector<PasteUse> uses = paste_uses(matrix, *frame.trace());
  const DialogArea area(frame, place, Dialog::paste, "paste", frame.words("paste.title"),
                        {440, 98 + (UseButton::height + Space::gap) * static_cast<float>(uses.size())});
  if (!area.open()) return;
  note(frame, frame.words.fill("paste.holds", {matrix.size(0), matrix.size(1)}));
  for (const PasteUse use : uses) {
    if (use_button(frame, words_of(use))) frame.actions.push_back(UsePasted{use});
  }
}

}  // namespace headlight
