// Opening files in the window: the dialog, the choice of a layer, files that change on disk.
#include <chrono>
#include <thread>

#include "core/base/arrays/array_write.h"
#include "core/base/files/recent_files.h"
#include "core/base/text/utf8_path.h"
#include "core/scenario/documents/scenario_json.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/dialogs/open/folder_listing.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/dialogs/open/opener.h"

using namespace headlight;
using namespace headlight::test;
using samples::TempFolder;

namespace {

/// Writes an attention over two tokens in which every parameter is `value`.
void write_attention(const std::filesystem::path& path, float value, bool heads = true) {
  std::vector<NamedArray> arrays{{"x", Tensor::of({1, 2, 2}, {1, 2, 3, 4})}};
  if (heads) arrays.push_back({"num_heads", Tensor::full({}, 1)});
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight"})
    arrays.push_back({name, Tensor::full({2, 2}, value)});
  write_npz(path, arrays);
}

std::vector<std::string> names_of(const FolderListing& listing, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t i : which) names.push_back(listing.entries[i].name);
  return names;
}

bool within_seconds(int seconds, HeadlessWindow& window, const std::function<bool()>& becomes_true) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) {
    window.settle();
    if (becomes_true()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace

TEST_CASE("a whole path that is typed or pasted behind the folder that stands there takes its place") {
  const std::string root = folder_part("/");
  CHECK(folder_part("/srv/data//" + std::string("usr/share/x")) == root + "usr/share/");
  CHECK(folder_part("/srv/data/~/x") == folder_part("~/x"));
  CHECK(name_part("/srv/data//usr/share/x") == "x");
}

TEST_CASE("a folder lists its folders and what opens, by name; what cannot be opened is left out") {
  const TempFolder folder;
  for (const char* name :
       {"b.NPZ", "a.safetensors", "notes.txt", "config.json", "scene.json", ".hidden.npz", "z.pth", "c.ckpt"}) {
    samples::write_text(folder / name, "x");
  }
  std::filesystem::create_directory(folder / "zoo");
  const FolderListing listing = list_folder(folder_part(utf8_from(folder.path()) + "/"));
  CHECK(names_of(listing, matching(listing, "")) ==
        std::vector<std::string>{"zoo", "a.safetensors", "b.NPZ", "c.ckpt", "scene.json", "z.pth"});
  CHECK(names_of(listing, matching(listing, "z")) == std::vector<std::string>{"zoo", "z.pth", "b.NPZ"});
  CHECK(listing.entries[1].size == "1 byte");
  CHECK(listing.entries[1].changed.size() == std::string("2024-05-31 14:02").size());
  CHECK(completed(listing, "z") == "z");
  CHECK(completed(listing, "zo") == "zoo/");
  CHECK(completed(listing, "B") == "b.NPZ");
  CHECK(completed(listing, "nothing") == "nothing");
  CHECK_FALSE(list_folder(utf8_from(folder / "missing") + "/").readable);
  samples::write_text(folder / "mask.png", "x");
  const FolderListing masks = list_folder(folder_part(utf8_from(folder.path()) + "/"), true);
  CHECK(names_of(masks, matching(masks, "")) ==
        std::vector<std::string>{"zoo", "a.safetensors", "b.NPZ", "c.ckpt", "mask.png", "notes.txt", "z.pth"});
}

TEST_CASE("a model's folder opens by its name, with a slash behind it or without") {
  const std::string folder = places::fixtures() + "/networks/gpt2";
  for (const std::string& typed : {folder, folder + "/"}) {
    HeadlessWindow window(sentence());
    window.press('o', true);
    window.settle();
    window.type(typed.c_str());  // the whole path is typed behind the folder in the field
    window.press(compat::Key::enter);
    window.settle();
    INFO(typed << ": " << window.document().error);
    CHECK(window.document().scenario.file.ends_with("/networks/gpt2"));
    CHECK(window.document().view.dialog == Dialog::none);
  }
}

TEST_CASE("Ctrl+O, a few letters, Tab and Enter open a file, which is recent from then on") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "runs");
  write_attention(folder / "runs" / "first.npz", 1);
  write_attention(folder / "runs" / "second.npz", 2);
  RecentFiles recent(folder / "recent");
  recent.add(utf8_from(folder / "gone.npz"));
  HeadlessWindow window(sentence(), {1280, 720}, recent);
  window.press('o', true);
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::open);
  CHECK(window.document().view.open.typed == folder_part(utf8_from(folder.path()) + "/"));
  window.type("ru");
  window.press(compat::Key::tab);
  CHECK(window.document().view.open.typed.ends_with("/runs/"));
  window.press(compat::Key::down);
  window.press(compat::Key::down);
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().scenario.file.ends_with("second.npz"));
  CHECK(window.document().trace->inputs.W_q.at({0, 0}) == 2);
  CHECK(RecentFiles(folder / "recent").paths().front() == utf8_from(folder / "runs" / "second.npz"));

  // The same with the mouse, from the recent files and the lessons.
  window.press('o', true);
  window.settle();
  const ImVec2 lesson = window.find("open/places", {"weighted-average"});
  REQUIRE(lesson.x > 0);
  window.click(lesson);
  CHECK(window.document().origin.lesson.id == "weighted-average");
}

TEST_CASE("Esc leaves the open dialog and the document as it was; so does a file that does not open, with a sentence") {
  const TempFolder folder;
  samples::write_text(folder / "broken.npz", "not at all");
  HeadlessWindow window(sentence());
  const Scenario before = window.document().scenario;
  window.press('o', true);
  window.settle();
  window.press(compat::Key::escape);
  CHECK(window.document().view.dialog == Dialog::none);
  window.session.open(utf8_from(folder / "broken.npz"));
  window.settle();
  CHECK(window.document().scenario == before);
  CHECK(window.document().error.english().find("not a ZIP archive") != std::string::npos);
}

TEST_CASE("a model asks which layer is meant; the search narrows the list, Enter takes what is marked") {
  HeadlessWindow window(sentence());
  window.session.open(places::fixtures() + "/models/bert/pytorch_model.bin");
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::layers);
  CHECK(window.document().error.empty());
  CHECK(window.document().scenario.source == Source::text);  // the document did not change
  CHECK(window.session.idle());
  window.type("1.att");
  CHECK(window.document().view.layers.layer == "encoder.layer.1.attention");
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().scenario.layer == "encoder.layer.1.attention");
  CHECK(window.document().trace->dims().heads == 3);
}

TEST_CASE("a question that a view alone does not show takes no frames") {
  Document document = sentence();
  document.view.alone = true;
  HeadlessWindow window(document);
  window.session.open(places::fixtures() + "/models/bert/pytorch_model.bin");
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::layers);
  CHECK(window.session.idle());
}

TEST_CASE("a file without a number of heads asks for it; Esc keeps what was shown") {
  const TempFolder folder;
  write_attention(folder / "a.npz", 1, false);
  HeadlessWindow window(sentence());
  window.session.open(utf8_from(folder / "a.npz"));
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::layers);
  window.press(compat::Key::escape);
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().scenario.source == Source::text);
  window.session.open(utf8_from(folder / "a.npz"));
  window.settle();
  window.click(window.find("layers", {"2"}));
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().trace->dims().heads == 2);
  CHECK(possible_heads(12) == std::vector<Index>{1, 2, 3, 4, 6, 12});
}

TEST_CASE("a file that changes on disk is read again, with the view and the settings as they are") {
  const TempFolder folder;
  write_attention(folder / "a.npz", 1);
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = utf8_from(folder / "a.npz");
  document.scenario.mask = "causal()";
  document.view.kind = ViewKind::heads;
  HeadlessWindow window(document);
  REQUIRE(window.document().trace->inputs.W_q.at({0, 0}) == 1);
  const Scenario before = window.document().scenario;
  const std::optional<Cell> selected = window.document().view.selected;

  samples::write_text(folder / "a.npz", "PK\x03\x04 half of a file");
  CHECK(within_seconds(8, window,
                       [&] { return window.document().notice.find("cannot be opened") != std::string::npos; }));
  CHECK(window.document().trace->inputs.W_q.at({0, 0}) == 1);
  CHECK(window.document().scenario == before);

  write_attention(folder / "a.npz", 5);
  CHECK(within_seconds(8, window, [&] { return window.document().trace->inputs.W_q.at({0, 0}) == 5; }));
  CHECK(window.document().notice.find("a.npz") != std::string::npos);
  CHECK(window.document().scenario == before);
  CHECK(window.document().view.kind == ViewKind::heads);
  CHECK(window.document().view.selected == selected);
  CHECK(window.session.next_frame_in() > 1e9);  // watching a file needs no frames
}

namespace {

/// Pastes another input.
void change_by_hand(HeadlessWindow& window) {
  ImGui::SetClipboardText("1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  window.press('v', true);
  window.settle();
  REQUIRE(has_unsaved_changes(window.document()));
}

void answer(HeadlessWindow& window, const char* button) {
  const ImVec2 at = window.find("leave", {button});
  REQUIRE(at.x > 0);
  window.click(at);
  window.settle();
}

}  // namespace

TEST_CASE(
    "opening over unsaved changes asks first: cancel keeps them, without saving opens, save saves and then opens") {
  const TempFolder folder;
  write_attention(folder / "a.npz", 3);
  write_scenario(utf8_from(folder / "scene.json"), sentence().scenario);
  HeadlessWindow window(sentence());
  window.session.open(utf8_from(folder / "scene.json"));
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);  // there was no change to ask about
  change_by_hand(window);
  const Scenario changed = window.document().scenario;

  window.session.open(utf8_from(folder / "a.npz"));
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::leave);
  CHECK(window.document().scenario == changed);
  answer(window, "cancel");
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().scenario == changed);

  window.session.open("lesson:masked-self-attention");
  window.settle();
  answer(window, "save");
  CHECK(window.document().origin.lesson.id == "masked-self-attention");
  CHECK(read_scenario(utf8_from(folder / "scene.json")) == changed);

  change_by_hand(window);
  window.session.open(utf8_from(folder / "a.npz"));
  window.settle();
  answer(window, "leave");
  CHECK(window.document().trace->inputs.W_q.at({0, 0}) == 3);
  CHECK_FALSE(has_unsaved_changes(window.document()));
  CHECK_FALSE(window.session.take_window_requests().close);
}

TEST_CASE(
    "a lesson that was played with makes way for another without a question; undo brings it back as it was left") {
  HeadlessWindow window(sentence());
  window.session.open("lesson:masked-self-attention");
  window.settle();
  const ImVec2 track = window.find("controls", {"heads", "##track"});
  window.drag(track, {2, track.y});
  window.settle();
  const Scenario changed = window.document().scenario;
  REQUIRE(has_unsaved_changes(window.document()));
  window.session.open("lesson:valid-lengths");
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().origin.lesson.id == "valid-lengths");
  CHECK_FALSE(has_unsaved_changes(window.document()));

  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario == changed);
  CHECK(window.document().origin.lesson.id == "masked-self-attention");
  CHECK(has_unsaved_changes(window.document()));
  window.press('z', true);
  window.settle();
  CHECK(window.document().origin.lesson.id == "masked-self-attention");
  CHECK_FALSE(has_unsaved_changes(window.document()));
  window.press('y', true);
  window.press('y', true);
  window.settle();
  CHECK(window.document().origin.lesson.id == "valid-lengths");
  CHECK_FALSE(has_unsaved_changes(window.document()));
}

TEST_CASE("Open lists the models that ship; one opens with its sentence, also from the recent files") {
  HeadlessWindow window(sentence());
  window.settle();
  const auto open_line = [&](const char* line) {
    window.press('o', true);
    window.settle();
    const ImVec2 at = window.find("open/places", {line});
    REQUIRE(at.x > 0);
    window.click(at);
    window.settle();
  };
  for (const char* line : {"model:english", "recent model:english"}) {
    open_line(line);
    const Document& document = window.document();
    CHECK(document.error.empty());
    CHECK(document.scenario.file == "model:english");
    CHECK(document.view.dialog == Dialog::none);
    CHECK(level_shown(document.view) == Level::sentence);
    CHECK_FALSE(document.scenario.text.empty());
    CHECK(document.view.selected);
    window.session.open("lesson:dropout");
    window.settle();
  }
}

TEST_CASE("a shipped model is left without a question, whatever was tried on it; own numbers are asked about") {
  HeadlessWindow window(sentence());
  window.session.open("model:english");
  window.settle();
  window.session.perform(EditScenario{[](Scenario& s) { s.text = "the dog ate its food"; }, {}});
  window.settle();
  window.session.perform(Quit{});
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.session.take_window_requests().close);
  window.session.perform(EditScenario{[](Scenario& s) { s.painted.emplace_back(); }, {}});
  CHECK(has_own_work(window.document()));
}

TEST_CASE("a file that does not open leaves the lesson and what counts as saved as they were") {
  const TempFolder folder;
  samples::write_text(folder / "broken.npz", "not at all");
  HeadlessWindow window(sentence());
  window.session.open("lesson:masked-self-attention");
  window.settle();
  window.session.open(utf8_from(folder / "broken.npz"));
  window.settle();
  CHECK(window.document().error.english().find("not a ZIP archive") != std::string::npos);
  CHECK(window.document().origin.lesson.id == "masked-self-attention");
  CHECK_FALSE(has_unsaved_changes(window.document()));
  window.session.open(places::fixtures() + "/models/bert/pytorch_model.bin");
  window.settle();
  CHECK(window.document().origin.lesson.id == "masked-self-attention");
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().origin.lesson.id.empty());
  CHECK(window.document().scenario.layer == "encoder.layer.0.attention");
  CHECK_FALSE(has_unsaved_changes(window.document()));
}

TEST_CASE("a scenario's file that changes on disk is taken over without a question, unless it was changed here too") {
  const TempFolder folder;
  const std::string path = utf8_from(folder / "scene.json");
  Scenario scenario = sentence().scenario;
  write_scenario(path, scenario);
  HeadlessWindow window(sentence());
  window.session.open(path);
  window.settle();
  scenario.seed = 71;
  write_scenario(path, scenario);
  CHECK(within_seconds(8, window, [&] { return window.document().scenario.seed == 71; }));
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK_FALSE(has_unsaved_changes(window.document()));

  change_by_hand(window);
  scenario.seed = 72;
  write_scenario(path, scenario);
  CHECK(within_seconds(8, window, [&] { return window.document().view.dialog == Dialog::leave; }));
  CHECK(window.document().scenario.x.has_value());
  answer(window, "leave");
  CHECK(window.document().scenario.seed == 72);
  CHECK_FALSE(window.document().scenario.x.has_value());
}

TEST_CASE("a pasted matrix of the input's width is the input; Ctrl+Z takes it back") {
  HeadlessWindow window(sentence());
  ImGui::SetClipboardText("1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 2");
  window.press('v', true);
  window.settle();
  CHECK(window.document().error == "");
  CHECK(window.document().trace->inputs.query.shape() == Shape{1, 2, 16});
  CHECK(window.document().trace->inputs.query.at({0, 1, 15}) == 2);
  CHECK(window.document().notice.find("2 × 16") != std::string::npos);
  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario == sentence().scenario);
}

TEST_CASE("a pasted matrix that may be several things asks which, and is that for all heads") {
  HeadlessWindow window(sentence());
  ImGui::SetClipboardText(
      "tensor([[1,0,0,0,0,0],[1,1,0,0,0,0],[1,1,1,0,0,0],[1,1,1,1,0,0],[1,1,1,1,1,0],[0,1,1,1,1,1]])");
  window.press('v', true);
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::paste);
  const ImVec2 button = window.find("paste", {"mask"});
  REQUIRE(button.x > 0);
  window.click(button);
  CHECK(window.document().view.dialog == Dialog::none);
  const Tensor& mask = (*window.document().trace)[Stage::mask];
  CHECK(mask.at({0, 3, 5, 0}) == 0);
  CHECK(mask.at({0, 3, 5, 5}) == 1);
  CHECK(mask.at({0, 0, 0, 1}) == 0);
}

TEST_CASE("a pasted matrix that fits nothing, and text that is no matrix, are a sentence; the document stays") {
  HeadlessWindow window(file_document("torch_mha.input.npz"));
  const auto trace = window.document().trace;
  ImGui::SetClipboardText("1,2,3\n4,5,6");
  window.press('v', true);
  window.settle();
  CHECK(window.document().error.english().find("2 × 3 fits nothing here; expected rows of 32 numbers") !=
        std::string::npos);
  ImGui::SetClipboardText("good morning");
  window.press('v', true);
  window.settle();
  CHECK(window.document().error.english().find("\"good\", which is no number") != std::string::npos);
  CHECK(window.document().trace == trace);
}

TEST_CASE("assumptions can be changed: polarity, layout of the weights, the layer") {
  HeadlessWindow window(file_document("torch_mha.input.npz"), {1600, 2400});
  const ImVec2 ignore = window.find("controls", {"polarity", "may attend"});
  REQUIRE(ignore.x > 0);
  window.click(ignore);
  CHECK(window.document().scenario.mask_polarity == MaskPolarity::attend);

  Document model;
  model.scenario.source = Source::file;
  model.scenario.file = places::fixtures() + "/models/bert/pytorch_model.bin";
  model.scenario.layer = "encoder.layer.0";
  HeadlessWindow bert(model, {1600, 2400});
  const float before = bert.document().trace->inputs.W_q.at({0, 1});
  bert.click(bert.find("controls", {"weight_order", "[in, out]"}));
  CHECK(bert.document().scenario.weight_order == WeightOrder::in_out);
  CHECK(bert.document().trace->inputs.W_q.at({1, 0}) == before);
  bert.click(bert.find("controls", {"other_layer"}));
  REQUIRE(bert.document().view.dialog == Dialog::layers);
  CHECK(bert.document().view.layers.question->candidates.size() == 2);
}

TEST_CASE("a mask opened from the mask view lies over what is open already, also from a file of attentions") {
  const TempFolder folder;
  write_attention(folder / "net.npz", 0.5f);
  samples::write_text(folder / "mask.csv",
                      "1,0,1,1,1,1\n1,1,1,1,1,1\n1,1,1,1,1,1\n1,1,1,1,1,1\n1,1,1,1,1,1\n1,1,1,1,1,0\n");
  Document document = sentence();
  document.view.kind = ViewKind::mask;
  document.view.open.typed = utf8_from(folder.path()) + "/";
  HeadlessWindow window(document);
  window.click(window.find("canvas", {"open mask"}));
  REQUIRE(window.document().view.dialog == Dialog::open);
  CHECK(window.document().view.open.masks);
  window.type_and_enter("mask.csv");
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().error.empty());
  CHECK(window.document().scenario.mask == "file()");
  CHECK(window.document().scenario.text == sentence().scenario.text);
  CHECK((*window.document().trace)[Stage::mask].at({0, 0, 0, 1}) == 0);
  CHECK((*window.document().trace)[Stage::mask].at({0, 0, 5, 5}) == 0);
  CHECK((*window.document().trace)[Stage::mask].at({0, 0, 5, 4}) == 1);
}

TEST_CASE("opening a missing file or lesson does not undo earlier requests") {
  for (const bool lesson : {false, true}) {
    HeadlessWindow window(sentence());
    window.settle();
    const Scenario before = window.document().scenario;
    window.session.perform(EditScenario{[](Scenario& s) { s.mask = "window(2)"; }, {}});
    window.settle();
    window.session.perform(Undo{});
    window.session.open(lesson ? "lesson:no-such-lesson"
                               : "no-such-file.npz");  // the step back has not been computed yet
    window.settle();
    CAPTURE(lesson);
    CHECK_FALSE(window.document().error.empty());
    CHECK(window.document().scenario == before);
    CHECK(window.document().computed == before);
    CHECK(window.document().trace->scenario == before);
    CHECK(window.document().undo.empty());
    if (lesson) CHECK(window.document().redo.size() == 1);
  }
}

TEST_CASE(
    "a head that only the numbers to come have is not looked for in those that are there, on no sheet of the mask "
    "view") {
  for (const MaskTab tab :
       {MaskTab::patterns, MaskTab::conventions, MaskTab::reach, MaskTab::cost, MaskTab::side_by_side}) {
    Document start = sentence();
    start.scenario.heads = 1;
    start.scenario.mask = "causal() && h < 9";
    start.view.kind = ViewKind::mask;
    start.view.mask_lab.tab = tab;
    HeadlessWindow window(std::move(start));
    window.settle();
    window.session.perform(EditScenario{[](Scenario& s) { s.heads = 4; }, {}});
    window.session.perform(EditView{[](View& view) { view.head = 3; }});
    window.frame();
    window.settle();
    CHECK(window.document().view.head == 3);
    CHECK(window.session.faults() == 0);
    window.session.perform(EditView{[](View& view) { view.head = 9; }});  // no head has this number
    window.settle();
    CHECK(window.document().view.head == 3);
  }
}
