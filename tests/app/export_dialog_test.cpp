// The export dialog writes the same files as the command line that it shows.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include <imgui_internal.h>

#include "app/window/window.h"
#include "core/base/arrays/array_write.h"
#include "core/base/image/png_image.h"
#include "core/base/tensor/error.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/documents/scenario_json.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/base/document/view.h"
#include "ui/dialogs/export/export_file.h"

using namespace headlight;
using namespace headlight::test;
namespace fs = std::filesystem;

namespace {

class ExportFolder {
 public:
  ExportFolder()
      : before_(fs::current_path()),
        path_(fs::temp_directory_path() / ("headlight-export-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(path_);
    fs::current_path(path_);  // the default folder of the dialog
  }
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;
  ~ExportFolder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path before_, path_;
};

/// The name of the ImGui window of a part of the dialog.
const char* part(const char* name) {
  const std::string prefix = std::string("export/") + name + "_";
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (std::string(window->Name).starts_with(prefix)) return window->Name;
  }
  return "";
}

/// Clicks the item, after scrolling it into view if needed.
void click(HeadlessWindow& window, const char* name, std::initializer_list<const char*> ids) {
  ImVec2 at = window.find(name, ids);
  for (int turn = 0; turn < 10 && at.x <= 0; ++turn) {
    const ImGuiWindow* scrolled = ImGui::FindWindowByName(name);
    REQUIRE(scrolled != nullptr);
    window.move({scrolled->Pos.x + scrolled->Size.x / 2, scrolled->Pos.y + scrolled->Size.y / 2});
    window.wheel(-2);
    window.settle();
    at = window.find(name, ids);
  }
  CAPTURE(*(ids.end() - 1));
  REQUIRE(at.x > 0);
  window.click(at);
}

/// Runs the command line in the clipboard with its output file replaced by `out`.
void run_command(const std::string& path, const fs::path& out) {
  std::string command = ImGui::GetClipboardText();
  REQUIRE(command.starts_with("headlight "));
  command.replace(0, 9, "\"" + places::program() + "\"");
  const std::size_t at = command.find(path);
  REQUIRE(at != std::string::npos);
  command.replace(at, path.size(), out.string());
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
}

Document lesson(const char* id) {
  Document document;
  document.origin.lesson = shipped_lesson(id);
  document.scenario = document.origin.lesson.scenario;
  return document;
}

/// The shipped network on a sentence of its own.
Document trained_sentence() {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text = "the cat that chases the dogs sleeps";
  document.origin.lesson.scenario = document.scenario;
  return document;
}

const ImVec2 large{1600, 1100};

}  // namespace

TEST_CASE("the file of the export dialog is the file of its command line, byte by byte") {
  const ExportFolder folder;
  HeadlessWindow window(lesson("first-light"), large);
  window.press('e', true);
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::exporting);
  const std::shared_ptr<const Image> before = window.painter.images.back();
  click(window, part("options"), {"heads", "all heads"});
  click(window, part("options"), {"range", "stage"});
  click(window, part("options"), {"theme", "dark"});
  click(window, part("options"), {"export.values"});
  click(window, part("options"), {"unit", "cm"});
  const ExportOptions& options = window.document().view.exporting.options;
  CHECK(options.all_heads);
  CHECK(options.style.range.mode == RangeMode::stage);
  CHECK(options.style.theme == Theme::dark);
  CHECK(window.painter.images.back() != before);

  click(window, "export", {"copy"});
  const fs::path written = folder / "weights_heads.png";
  click(window, "export", {"export"});
  REQUIRE(fs::exists(written));
  CHECK(window.document().notice.find(written.string()) != std::string::npos);
  run_command(written.string(), folder / "again.png");
  CHECK(places::text_of(written) == places::text_of(folder / "again.png"));
}

TEST_CASE("a page of the export dialog is the page of its command line: the same document, opened in the same view") {
  const ExportFolder folder;
  fs::create_directories(folder / "assets");
  std::ofstream(folder / "assets" / "headlight.html") << "<title>Headlight</title><!-- document --><script></script>";
  setenv("HEADLIGHT_ASSETS", (folder / "assets").c_str(), 1);
  HeadlessWindow window(lesson("first-light"), large);
  window.press('e', true);
  window.settle();
  click(window, part("options"), {"kind2", "web page"});
  window.settle();
  click(window, "export", {"copy"});
  const fs::path written = folder / "page.html";
  click(window, "export", {"export"});
  REQUIRE(fs::exists(written));
  run_command(written.string(), folder / "again.html");
  unsetenv("HEADLIGHT_ASSETS");
  std::string mine = places::text_of(written), again = places::text_of(folder / "again.html");
  INFO(mine << '\n' << again);
  CHECK(mine.find("\"open\":\"lesson:first-light\"") != std::string::npos);
  CHECK(mine.find("\"--view\",\"pipeline\"") != std::string::npos);
  std::ranges::sort(mine);  // the words of the view may come in another order
  std::ranges::sort(again);
  CHECK(mine == again);
}

TEST_CASE("a slide is 1920 × 1080 pixels after one click, and a written file is told until something changes") {
  const ExportFolder folder;
  HeadlessWindow window(lesson("first-light"), large);
  window.press('e', true);
  window.settle();
  const ExportChoice& choice = window.document().view.exporting;
  click(window, part("options"), {"preset", "slide 16:9"});
  CHECK(choice.options.style.columns == 8);
  click(window, "export", {"export"});
  REQUIRE_FALSE(choice.saved.empty());
  const std::string file = places::text_of(choice.saved);
  const PngSize size = png_size({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  CHECK(size.width == 1920);
  CHECK(size.height == 1080);
  window.settle();
  CHECK_FALSE(choice.saved.empty());
  click(window, part("options"), {"theme", "dark"});
  CHECK(choice.saved.empty());
}

TEST_CASE("a size of one's own begins as the automatic one") {
  const ExportFolder folder;
  HeadlessWindow window(lesson("first-light"), large);
  window.press('e', true);
  window.settle();
  const ExportOptions& options = window.document().view.exporting.options;
  click(window, part("options"), {"unit", "px"});
  REQUIRE(options.size);
  const WantedSize automatic = *options.size;
  CHECK(automatic.height > 0);
  click(window, part("options"), {"unit", "cm"});
  REQUIRE(options.size);
  const PrintSize before = print_size(automatic, {}), after = print_size(*options.size, {});
  CHECK(after.width / after.height == Approx(before.width / before.height).epsilon(0.02));
}

TEST_CASE("every view has its picture as a figure, and the command line that makes the same file") {
  struct Seen {
    const char* name;
    std::function<void(View&)> look;
    ExportKind kind;
    const char* word;  ///< the value of --view
  };
  const Seen all[] = {
      {"pipeline",
       [](View& v) {
         v.selected = Cell{Stage::scores, 0, 1, 2, 1};
       },
       ExportKind::figure, "--stage scores"},
      {"sentence", [](View& v) { v.levels.level = Level::sentence; }, ExportKind::figure, "--kind arcs"},
      {"operation", [](View& v) { v.levels.level = Level::operation, v.levels.stage = Stage::head_outputs; },
       ExportKind::figure, "--stage head_outputs"},
      {"journey", [](View& v) { v.levels.level = Level::operation, v.levels.facet = Facet::journey; },
       ExportKind::window, "--level operation:journey"},
      {"geometry", [](View& v) { v.levels.level = Level::operation, v.levels.facet = Facet::geometry; },
       ExportKind::window, "--level operation:geometry"},
      {"heads", [](View& v) { v.kind = ViewKind::heads; }, ExportKind::figure, "--head all"},
      {"chosen heads",
       [](View& v) {
         v.kind = ViewKind::heads, v.heads.heads = {1, 2};
       },
       ExportKind::figure, "--head 1,2"},
      {"patterns", [](View& v) { v.kind = ViewKind::mask; }, ExportKind::figure, "--stage mask"},
      {"conventions", [](View& v) { v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::conventions; },
       ExportKind::window, "--view mask:conventions"},
      {"reach", [](View& v) { v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::reach; }, ExportKind::figure,
       "--kind reach"},
      {"cost", [](View& v) { v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::cost, v.mask_lab.block = 2; },
       ExportKind::figure, "--kind blocks"},
      {"two masks", [](View& v) { v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::side_by_side; },
       ExportKind::figure, "--kind side-by-side"},
      {"compare", [](View& v) { v.kind = ViewKind::compare; }, ExportKind::window, "--view compare"},
      {"network", [](View& v) { v.kind = ViewKind::network; }, ExportKind::figure, "--layers all"},
      {"network's mean", [](View& v) { v.kind = ViewKind::network, v.network.together = LayersTogether::mean; },
       ExportKind::figure, "--head mean"},
      {"rollout", [](View& v) { v.kind = ViewKind::network, v.network.together = LayersTogether::rollout; },
       ExportKind::figure, "--layers rollout"},
      {"flow", [](View& v) { v.kind = ViewKind::network, v.network.together = LayersTogether::flow; },
       ExportKind::figure, "--layers flow"},
  };
  for (const Seen& seen : all) {
    INFO(seen.name);
    const ExportFolder folder;
    Document document = trained_sentence();
    seen.look(document.view);
    HeadlessWindow window(std::move(document), large);
    window.press('e', true);
    window.settle();
    window.settle();  // a picture of the view does not contain the dialog
    const ExportChoice& choice = window.document().view.exporting;
    REQUIRE(window.document().view.dialog == Dialog::exporting);
    CHECK(choice.kind == seen.kind);
    click(window, "export", {"copy"});
    const std::string command = ImGui::GetClipboardText();
    INFO(command);
    CHECK(command.find(seen.word) != std::string::npos);
    if (seen.kind == ExportKind::window) {
      CHECK(command.find("--bare") != std::string::npos);
      const auto& images = window.painter.images;
      CHECK(std::ranges::any_of(images, [](const auto& image) { return image->width == preview_width; }));
      continue;  // the window's loop makes this file
    }
    CHECK(choice.problem.empty());
    click(window, "export", {"export"});
    CHECK(window.document().error.empty());
    const fs::path written = fs::directory_iterator(fs::current_path())->path();
    run_command(written.string(), folder / "again.png");
    CHECK(places::text_of(written) == places::text_of(folder / "again.png"));
  }
}

TEST_CASE("a view is drawn as vectors: its words are text, and nothing of the panels is there") {
  for (const char* extension : {"svg", "pdf"}) {
    const ExportFolder folder;
    const std::string out = (folder / "view.").string() + extension;
    const std::string program =
        "\"" + places::program() + "\" --text \"the cat sat\" --mask \"causal()\" --view heads --size 900x600 ";
    REQUIRE(std::system((program + "--bare --screenshot " + out).c_str()) == 0);
    const std::string file = places::text_of(out);
    if (std::string(extension) == "pdf") {
      CHECK(file.starts_with("%PDF-1."));
      const std::string about = places::about_pdf(out);
      CHECK(about.find("675 x 450 pts") != std::string::npos);  // 900 × 600 of 1/96 inch, in points
      CHECK(file.find("/FontFile") != std::string::npos);
      continue;
    }
    CHECK(file.find(">cat</text>") != std::string::npos);
    CHECK(file.find("Export") == std::string::npos);
    CHECK(file.find("NaN") == std::string::npos);
    REQUIRE(std::system((program + "--screenshot " + out).c_str()) == 0);
    CHECK(places::text_of(out).find("Export") != std::string::npos);
  }
}

TEST_CASE("layers by heads are chosen in the dialog, and bundled") {
  const ExportFolder folder;
  Document document = trained_sentence();
  document.view.kind = ViewKind::network;
  HeadlessWindow window(std::move(document), large);
  window.press('e', true);
  window.settle();
  click(window, part("options"), {"layer_heads", "some heads"});
  CHECK(window.document().view.exporting.options.said_heads);
  click(window, part("options"), {"kind2", "bundle"});
  click(window, "export", {"copy"});
  const std::string command = ImGui::GetClipboardText();
  CHECK(command.find("bundle") != std::string::npos);
  CHECK(command.find("--layers all") != std::string::npos);
  click(window, "export", {"export"});
  CHECK(window.document().error.empty());
  const fs::path written = fs::directory_iterator(fs::current_path())->path();
  CHECK(written.extension() == ".zip");
  run_command(written.string(), folder / "again.zip");
  CHECK(places::text_of(folder / "again.zip").find("again/layers/0/reproduce.py") != std::string::npos);
}

TEST_CASE("Enter exports where no field and no control has the keyboard, and never over a file that is there") {
  const ExportFolder folder;
  HeadlessWindow window(sentence(), large);
  window.press('e', true);
  window.settle();
  window.press(compat::Key::enter);
  window.settle();
  CHECK(fs::exists(folder / "weights_H0.png"));
  CHECK(window.document().view.dialog == Dialog::exporting);
  const std::string taken = (folder / "weights_H0.png").string();
  window.session.perform(EditView{[taken](View& v) { v.exporting = with_path(v.exporting, taken); }});
  window.settle();
  const int written = window.document().view.exporting.written;
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().view.exporting.written == written);
}

TEST_CASE("exporting twice gives two files, and SVG and every format of numbers are those of their command lines") {
  const ExportFolder folder;
  HeadlessWindow window(sentence(), large);
  window.press('e', true);
  window.settle();
  click(window, "export", {"export"});
  click(window, "export", {"export"});
  CHECK(fs::exists(folder / "weights_H0.png"));
  CHECK(fs::exists(folder / "weights_H0_2.png"));

  click(window, part("options"), {"format", "svg"});
  click(window, "export", {"copy"});
  click(window, "export", {"export"});
  run_command((folder / "weights_H0.svg").string(), folder / "again.svg");
  CHECK(places::text_of(folder / "weights_H0.svg") == places::text_of(folder / "again.svg"));

  click(window, part("options"), {"kind", "numbers"});
  for (const std::string ending : number_endings()) {
    INFO(ending);
    click(window, part("options"), {"format", ending.c_str() + 1});
    click(window, "export", {"copy"});
    click(window, "export", {"export"});
    const std::string name = "weights_H0" + ending, again = "again" + ending;
    run_command((folder / name.c_str()).string(), folder / again.c_str());
    CHECK(places::text_of(folder / name.c_str()) == places::text_of(folder / again.c_str()));
  }

  click(window, part("options"), {"kind", "all stages"});
  click(window, "export", {"copy"});
  click(window, "export", {"export"});
  run_command((folder / "stages.npz").string(), folder / "again.npz");
  CHECK(places::text_of(folder / "stages.npz") == places::text_of(folder / "again.npz"));
}

TEST_CASE("a command line for more numbers set by hand than it can say saves them first") {
  const ExportFolder folder;
  Document document = sentence();
  for (int i = 0; i < 300; ++i)
    document.scenario.edits.push_back({Stage::query, 0, i % 6, i % 16, 0.5f + static_cast<float>(i)});
  HeadlessWindow window(document, large);
  window.press('e', true);
  window.settle();
  click(window, "export", {"copy"});
  click(window, "export", {"export"});
  CHECK(read_scenario((folder / "scenario.json").string()) == document.scenario);
  run_command((folder / "weights_H0.png").string(), folder / "again.png");
  CHECK(places::text_of(folder / "weights_H0.png") == places::text_of(folder / "again.png"));
}

TEST_CASE("a saved scenario opens as the same scenario, and only what is unsaved is asked about") {
  const ExportFolder folder;
  HeadlessWindow window(sentence(), large);
  window.press('q', true);
  CHECK(window.session.take_window_requests().close);

  click(window, "controls", {"window"});
  REQUIRE(window.document().scenario.mask != sentence().scenario.mask);
  CHECK(window.session.title().find('*') != std::string::npos);
  window.press('q', true);
  window.settle();
  CHECK_FALSE(window.session.take_window_requests().close);
  CHECK(window.document().view.dialog == Dialog::leave);
  click(window, "leave", {"save"});
  REQUIRE(window.document().view.dialog == Dialog::save);
  click(window, "save", {"save"});
  CHECK(window.session.take_window_requests().close);
  CHECK(read_scenario((folder / "scenario.json").string()) == window.document().scenario);
  CHECK(window.session.title().find('*') == std::string::npos);
}

TEST_CASE("a film near to a step goes from the sentence through every stage to the sentence, in 40 to 60 seconds") {
  const ExportFolder folder;
  Document start = sentence();
  start.view.levels.level = Level::operation;
  HeadlessWindow window(start);
  window.session.film((folder / "frames/").string(), std::nullopt);
  std::vector<Stage> seen;
  std::vector<Level> levels;
  for (int i = 0; i < 4000 && window.session.recording(); ++i) {
    window.frame();
    if (!window.session.wants_pixels()) continue;
    const View& view = window.document().view;
    if (levels.empty() || levels.back() != view.levels.level) levels.push_back(view.levels.level);
    if (view.levels.level == Level::operation && (seen.empty() || seen.back() != view.levels.stage))
      seen.push_back(view.levels.stage);
    window.session.take_pixels(Image(4, 3, {1, 2, 3}));
  }
  CHECK(levels == std::vector<Level>{Level::sentence, Level::operation, Level::sentence});
  CHECK(seen.size() ==
        window.document().trace->stages().size() - 4);  // query, key and value are one step, and so is their split
  const auto frames =
      static_cast<double>(std::distance(fs::directory_iterator(folder / "frames"), fs::directory_iterator()));
  CHECK(frames * 0.08 < 61);
  CHECK(frames * 0.08 > 39);
  CHECK(window.document().view.levels.level == Level::operation);
}

TEST_CASE("a film of the window asks for a frame a moment and leaves the view as it was") {
  const ExportFolder folder;
  HeadlessWindow window(sentence());
  const View before = window.document().view;
  window.session.film((folder / "film.png").string(), 0.1);
  int frames = 0;
  for (int i = 0; i < 2000 && window.session.recording(); ++i) {
    window.frame();
    if (!window.session.wants_pixels()) continue;
    ++frames;
    CHECK(window.document().view.step == frames - 1);
    window.session.take_pixels(Image(4, 3, {static_cast<std::uint8_t>(frames), 0, 0}));
  }
  CHECK(frames > 20);
  CHECK(fs::exists(folder / "film.png"));
  CHECK(window.document().view.step == before.step);
  CHECK(window.document().view.kind == before.kind);
}

TEST_CASE("the command line of a picture of the window shows it as it stands: size, zoom, chosen heads, sheets") {
  struct Seen {
    const char* name;
    std::function<void(View&)> look;
  };
  const Seen all[] = {
      {"pipeline, zoomed",
       [](View& v) {
         v.camera = {1.375F, 0.625F, 0.4F}, v.selected = Cell{Stage::scores, 0, 1, 2, 1};
       }},
      {"operation",
       [](View& v) {
         v.levels.level = Level::operation, v.levels.stage = Stage::weights, v.levels.query = 2, v.levels.key = 1,
         v.head = 2;
       }},
      {"geometry",
       [](View& v) {
         v.levels.level = Level::operation, v.levels.facet = Facet::geometry, v.levels.query = 3, v.levels.key = 0,
         v.levels.rival = 2;
       }},
      {"chosen heads",
       [](View& v) {
         v.kind = ViewKind::heads, v.heads.heads = {1, 2}, v.colormap = "cividis";
       }},
      {"one head",
       [](View& v) {
         v.kind = ViewKind::heads, v.heads.isolated = 2, v.heads.stage = Stage::scaled_scores, v.norm = Norm::sqrt;
       }},
      {"reach",
       [](View& v) {
         v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::reach, v.mask_lab.layers = 2, v.mask_lab.residual = false;
       }},
      {"cost", [](View& v) { v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::cost, v.mask_lab.block = 2; }},
      {"two masks",
       [](View& v) {
         v.kind = ViewKind::mask, v.mask_lab.tab = MaskTab::side_by_side, v.mask_lab.other = "window(1) || q == 3";
       }},
      {"map",
       [](View& v) {
         v.kind = ViewKind::map, v.map.stage = Stage::masked_scores, v.map.region = MapRegion{1, 4, 2, 5}, v.head = 1;
       }},
      {"network",
       [](View& v) {
         v.kind = ViewKind::network, v.network.layer = 1, v.network.head = 2, v.network.order = HeadOrder::entropy;
       }},
  };
  std::vector<std::string> pictures;
  for (const Seen& seen : all) {
    INFO(seen.name);
    const ExportFolder folder;
    std::string command;
    WindowOptions stands;
    stands.start = trained_sentence();
    stands.start.view.theme = Theme::dark;
    seen.look(stands.start.view);
    {
      HeadlessWindow window(stands.start, {1100, 700});
      window.settle();
      stands.start.view = window.document().view;
      window.press('e', true);
      window.settle();
      click(window, part("options"), {"kind2", "view"});
      window.settle();
      window.settle();
      REQUIRE(window.document().view.dialog == Dialog::exporting);
      click(window, "export", {"copy"});
      command = ImGui::GetClipboardText();
      run_command(export_path(window.document()), folder / "a.png");
    }
    stands.start.view.alone = true;
    stands.width = 1100, stands.height = 700;
    const std::vector<std::uint8_t> png = encode_png(screenshot(stands));
    pictures.push_back(places::text_of(folder / "a.png"));
    const bool same = pictures.back() == std::string(png.begin(), png.end());
    CHECK(same);
    CHECK(std::count(pictures.begin(), pictures.end(), pictures.back()) ==
          1);  // nine looks give nine different pictures
  }
}

TEST_CASE("every choice that --look can say is read back as it was, and what it cannot mean is refused") {
  View view;
  view.batch = 1, view.head = 3, view.norm = Norm::log,
  view.path = {{Stage::Q, 0, 0, 1, 2}, {Stage::scores, 0, 1, 2, 1}}, view.packed = false;
  view.brought_forward = {Stage::K, Stage::V}, view.speed = 0.5F, view.camera = {1.1F, 0.3F, 0.7F}, view.looked = true;
  view.levels.query = 0, view.levels.progress = 0.25F, view.heads = {Stage::scores, {0, 5}, 2, 0.75F};
  view.network.layer = 2;
  view.network.head = 1;
  view.network.order = HeadOrder::pattern;
  view.network.pattern = HeadPattern::induction;
  view.network.together = LayersTogether::patch;
  view.network.patch_from = "a second; sentence";
  view.network.patched = PatchedState::heads;
  view.network.study_of = StudyFilter::strong;
  view.mask_lab.other = "k <= q; 50%";
  view.mask_painting.tool = PaintTool::rectangle, view.mask_painting.combine = Combine::either;
  const View read = with_look(View{}, look_text(view));
  CHECK(read == view);
  CHECK(look_text(View{}).empty());
  for (const char* wrong : {"zoom", "zoom=", "zoom=nan", "zoom=1e30", "layers=0", "block=-1", "nothing=1", "norm=cubic",
                            "front=none", "path=Q", "head=1.5"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(with_look(View{}, wrong), SettingError);
  }
}
