// Runs the real program and checks its files, its messages and its exit codes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/base/image/png_image.h"
#include "core/rules/stage/stage.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status = -1;
  std::string out, err;
};

/// Runs the program in a temporary folder.
class Program {
 public:
  Program() : folder_(fs::temp_directory_path() / ("headlight-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(folder_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { fs::remove_all(folder_); }

  /// `arguments` as the shell takes them; OUT/ stands for the folder, IN/ for the fixtures.
  Outcome run(std::string arguments) const {
    replace(arguments, "OUT/", (folder_ / "").string());
    replace(arguments, "IN/", places::fixtures() + "/");
    const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
    const std::string command =
        "\"" + places::program() + "\" " + arguments + " > \"" + out.string() + "\" 2> \"" + err.string() + "\"";
    int status = std::system(command.c_str());
#ifndef _WIN32
    status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
    Outcome outcome{status, places::text_of(out), places::text_of(err)};
    fs::remove(out);
    fs::remove(err);
    return outcome;
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  bool is_empty() const { return fs::is_empty(folder_); }

 private:
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  }
  fs::path folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

}  // namespace

TEST_CASE("trace writes every stage as the fixture has it, and says what it assumed") {
  const Program program;
  const Outcome outcome = program.run("trace IN/s003_valid_lens.input.npz -o OUT/t.npz");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "valid_lens [B]"));
  CHECK(contains(outcome.err, "-1e+06 (mask_fill)"));
  const auto got = open_arrays(program / "t.npz");
  const auto expected = open_arrays(fs::path(places::fixtures()) / "s003_valid_lens.expected.npz");
  for (const ArrayEntry& entry : expected->entries()) {
    CAPTURE(entry.name);
    CHECK_THAT(got->load(entry.name), agrees_with(expected->load(entry.name)));
  }
  REQUIRE(got->find("mask"));
  CHECK(got->find("mask")->dtype == DType::boolean);
  CHECK_FALSE(got->find("W_q"));
}

TEST_CASE("trace --parameters adds the parameters, the dropped cells and the sink") {
  const Program program;
  CHECK(program.run("trace --random --training --dropout 0.5 --sink-logit --parameters -o OUT/t.npz").status == 0);
  const auto file = open_arrays(program / "t.npz");
  for (const char* name : {"W_q", "b_q", "W_k", "b_k", "W_v", "b_v", "W_o", "b_o", "dropout_keep", "sink_logits"}) {
    CAPTURE(name);
    CHECK(file->find(name));
  }
}

TEST_CASE("trace --time prints the times of the whole and of each stage") {
  const Program program;
  const auto json = nlohmann::json::parse(program.run("trace --random --queries 32 --time 3").out);
  CHECK(json.at("whole").at("min_ms").get<double>() <= json.at("whole").at("median_ms").get<double>());
  CHECK(json.at("stages").contains("weights"));
  CHECK(json.at("stages").at("scores").contains("median_ms"));
}

TEST_CASE("mask-code prints the mask as Python, or writes it whole") {
  const Program program;
  const Outcome torch = program.run("mask-code --text 'a b c d' --mask 'causal() && window(2)'");
  CHECK(torch.status == 0);
  CHECK(contains(torch.out, "import torch"));
  CHECK(contains(torch.out, "device=device"));
  CHECK(contains(torch.out, "n_q = 4"));
  const Outcome flex = program.run("mask-code --random --queries 5 --mask 'causal()' --as flex -o OUT/mask.py");
  CHECK(flex.status == 0);
  CHECK(flex.out.empty());
  CHECK(fs::file_size(program / "mask.py") > 100);
  const Outcome wrong = program.run("mask-code --random --as cobol");
  CHECK(wrong.status == 2);
  CHECK(is_one_line(wrong.err));
  CHECK(contains(wrong.err, "expected pytorch, flex or numpy"));
}

TEST_CASE("render writes pictures and numbers") {
  const Program program;
  for (const char* name : {"w.png", "w.svg", "w.csv", "w.npy", "W.PNG"}) {
    CAPTURE(name);
    CHECK(program.run(std::string("render lesson:first-light --stage weights --head 2 -o OUT/") + name).status == 0);
    CHECK(fs::file_size(program / name) > 50);
  }
  CHECK(places::text_of(program / "w.csv").starts_with("1,0,0,0,0,0\n"));
  const auto numbers = open_arrays(program / "w.npy");
  CHECK(numbers->entries()[0].shape == Shape{6, 6});
  CHECK(program.run("render lesson:first-light --stage weights --head all -o OUT/all.npy").status == 0);
  CHECK(open_arrays(program / "all.npy")->entries()[0].shape == Shape{4, 6, 6});
  CHECK(program.run("render --stage weights --bare --size 60x48 -o OUT/bare.png").status == 0);
  const std::string png = places::text_of(program / "bare.png");
  const Image image = decode_png({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
  CHECK(image.width == 60);
  CHECK(image.height == 48);
}

TEST_CASE("every stage that a trace has can be rendered") {
  const Program program;
  CHECK(
      program
          .run("trace --random --qk-norm --rope half --alibi --softcap 20 --mask \"causal()\" --training --dropout 0.2 "
               "-o OUT/t.npz")
          .status == 0);
  for (const Stage stage : all_stages()) {
    const std::string first = stage == Stage::Q_scaled ? "--scale-first " : "";  // exists in place of scaled_scores
    CAPTURE(name(stage));
    CHECK(program
              .run("render --random " + first +
                   "--qk-norm --rope half --alibi --softcap 20 --mask \"causal()\" --training --dropout 0.2 "
                   "--stage " +
                   std::string(name(stage)) + " --head all -o OUT/s.png")
              .status == 0);
  }
  CHECK(open_arrays(program / "t.npz")->entries().size() == stage_count - 1);
}

TEST_CASE("list names what there is, as lines and as JSON") {
  const Program program;
  for (const char* what : {"stages", "masks", "lessons", "models", "colormaps", "languages"}) {
    CAPTURE(what);
    const Outcome lines = program.run(std::string("list ") + what);
    const Outcome json = program.run(std::string("list --json ") + what);
    CHECK(lines.status == 0);
    const auto list = nlohmann::json::parse(json.out);
    const std::string entries =
        lines.out.substr(0, lines.out.find("\nExamples\n"));  // the examples of masks are not in the JSON
    CHECK(static_cast<std::size_t>(std::count(entries.begin(), entries.end(), '\n')) == list.size());
    for (const auto& entry : list)
      CHECK(contains(lines.out, (entry.contains("id") ? entry.at("id") : entry.at("name")).get<std::string>()));
  }
}

TEST_CASE("list lessons says what each is, with its steps, questions and languages") {
  const Program program;
  std::size_t lessons = 0, presets = 0;
  for (const auto& entry : nlohmann::json::parse(program.run("list lessons --json").out)) {
    const std::string kind = entry.at("kind");
    lessons += kind == "lesson" ? 1 : 0;
    presets += kind == "preset" ? 1 : 0;
    CHECK((entry.at("steps") >= 5) == (kind != "preset"));
    CHECK((entry.at("questions") >= 2) == (kind != "preset"));
    CHECK(entry.at("languages") == nlohmann::json({"en", "zh"}));
  }
  CHECK(lessons >= 16);
  CHECK(presets >= 10);
}

TEST_CASE("lesson --check says that a lesson is right, or names every mistake with its path") {
  const Program program;
  const Outcome right = program.run("lesson causal-mask --check");
  CHECK(right.status == 0);
  CHECK(contains(right.out, "nothing is wrong"));
  std::ofstream(program / "mine.json")
      << R"json({"id": "mine", "title": "Mine", "description": "Mine", "scenario": {"source": "random"},
    "steps": [{"text": "It is {w}.", "pose": {"stage": "wights"}, "claims": {"w": {"of": "weights:0,0,0,0", "is": "2"}}},
              {"text": "And more.", "question": {"kind": "riddle", "ask": "?", "why": "!"}}]})json";
  const Outcome wrong = program.run("lesson OUT/mine.json --check");
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "mine.json: $.steps[0].pose.stage"));
  CHECK(contains(wrong.err, "mine.json: $.steps[1].question.kind"));
  CHECK(program.run("lesson nothing --check").status == 2);
}

TEST_CASE("the same words mean the same in a scenario file and on the command line") {
  const Program program;
  std::ofstream(program / "s.json")
      << R"json({"source": "random", "queries": 5, "heads": 2, "mask": "causal()", "seed": 3})json";
  CHECK(program.run("trace OUT/s.json -o OUT/a.npz").status == 0);
  CHECK(program.run("trace --random --queries 5 --heads 2 --mask \"causal()\" --seed 3 -o OUT/b.npz").status == 0);
  CHECK(places::text_of(program / "a.npz") == places::text_of(program / "b.npz"));
}

TEST_CASE("help and version") {
  const Program program;
  CHECK(program.run("--version").out.starts_with("headlight "));
  const Outcome help = program.run("--help");
  CHECK(help.status == 0);
  for (const char* word : {"--mask EXPR", "render", "--dead-row", "Exit status"}) CHECK(contains(help.out, word));
}

TEST_CASE("what is wrong is one line that names it, exit 2, and nothing is written") {
  struct Wrong {
    const char* arguments;
    const char* says;
  };
  for (const Wrong& wrong : {
           Wrong{"trace OUT/missing.npz -o OUT/t.npz", "missing.npz: no such file"},
           {"trace OUT/missing.json -o OUT/t.npz", "missing.json: no such file"},
           {"OUT/missing.npz --screenshot OUT/s.png", "missing.npz: no such file"},
           {"trace IN/torch_mha.input.npz --heads 7 -o OUT/t.npz",
            "torch_mha.input.npz: --heads 7 does not divide its d_model 32"},
           {"trace --random --d-model 512 --heads 7 -o OUT/t.npz",
            "--heads: 7 does not divide d_model 512; expected one of"},
           {"trace IN/torch_mha.input.npz --d-model 64 -o OUT/t.npz", "--d-model: cannot be set"},
           {"trace IN/torch_mha.input.npz --text \"a b\" -o OUT/t.npz", "holds no token embedding, which text needs"},
           {"--random --screenshot OUT/s.png --select weights:0,0,99,0",
            "--select: row 99 is out of range; expected 0 to"},
           {"--random --screenshot OUT/s.png --step 9999", "--step: 9999 is out of range; expected 0 to"},
           {"trace --random --heads 7x -o OUT/t.npz", "--heads: \"7x\" is not a whole number"},
           {"trace --random --scale 1.5.2 -o OUT/t.npz", "--scale: \"1.5.2\" is not a number"},
           {"trace --random --rope third -o OUT/t.npz", "--rope: \"third\" is not none, half or interleaved"},
           {"trace --random --dropout 1.5 -o OUT/t.npz", "--dropout: 1.5 is out of range"},
           {"trace --random --mask \"causal(\" -o OUT/t.npz", "to close causal( (column 8: causal(▸)"},
           {"trace --random --mask \"\" -o OUT/t.npz", "--mask: the text is empty; expected a condition"},
           {"trace --random --heads -o OUT/t.npz", "--heads needs a value"},
           {"render --random --stage", "--stage needs a value"},
           {"trace --random --no-such-setting -o OUT/t.npz", "--no-such-setting is not an option here; see"},
           {"trace --random --head 5 -o OUT/t.npz", "--head is not an option here (did you mean --heads?)"},
           {"trace --random --sede=3 -o OUT/t.npz", "--sede is not an option here (did you mean --seed?)"},
           {"trace --random", "-o OUT.npz or --time N"},
           {"trace --random -o OUT/t.txt", "expected a name that ends in .npz"},
           {"trace --random -o OUT/no/such/folder/t.npz", "cannot be written"},
           {"trace a.npz b.npz -o OUT/t.npz", "b.npz"},
           {"trace lesson:none -o OUT/t.npz", "lesson:none: no such lesson; expected one of first-light"},
           {"render -o OUT/w.png", "--stage"},
           {"render --stage weight -o OUT/w.png", "\"weight\" is no stage; expected one of query, key"},
           {"render --stage capped_scores -o OUT/w.png", "is not part of this computation"},
           {"render --stage weights --head 4 -o OUT/w.png", "--head: 4 is out of range; expected 0 to 3"},
           {"render --stage weights --batch 1 -o OUT/w.png", "--batch: 1 is out of range; expected 0"},
           {"render --stage weights --range -1:1 --norm log -o OUT/w.png",
            "--range: begins at -1, where log has no place"},
           {"render --stage weights -o OUT/w.gif", "expected a name that ends in .png, .svg"},
           {"render --stage weights --head all -o OUT/w.csv", "expected one head"},
           {"render --stage weights --colormap mauve -o OUT/w.png", "mauve"},
           {"render --stage weights --range 3:1 -o OUT/w.png", "--range"},
           {"render --stage weights --size 10 -o OUT/w.png", "--size: \"10\" is not a size"},
           {"list", "expected stages, masks, lessons, models, tasks, colormaps, languages or layers MODEL"},
           {"list everything", "expected stages, masks, lessons, models, tasks, colormaps, languages or layers MODEL"},
           {"--screenshot OUT/s.jpg", "expected a name that ends in .png"},
           {"--screenshot OUT/s.png --view sideways", "--view"},
           {"--screenshot OUT/s.png --level far", "expected sentence, pipeline or operation:STAGE"},
           {"--screenshot OUT/s.png --level operation:nothing", "not a stage"},
           {"--screenshot OUT/s.png --select weights:0", "--select"},
           {"--frames 0", "--frames: 0 is out of range"},
       }) {
    CAPTURE(wrong.arguments);
    const Program program;
    const Outcome outcome = program.run(wrong.arguments);
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome.err));
    CHECK(outcome.err.starts_with("headlight: "));
    CAPTURE(outcome.err);
    CHECK(contains(outcome.err, wrong.says));
    CHECK(outcome.out.empty());
    CHECK(program.is_empty());
  }
}

TEST_CASE("a picture called .npz is told for what it is") {
  const Program program;
  CHECK(program.run("render --stage weights -o OUT/w.png").status == 0);
  fs::rename(program / "w.png", program / "picture.npz");
  const Outcome picture = program.run("trace OUT/picture.npz -o OUT/t.npz");
  CHECK(picture.status == 2);
  CHECK(is_one_line(picture.err));
  CHECK(contains(picture.err, "a PNG picture"));
  CHECK_FALSE(fs::exists(program / "t.npz"));
}

TEST_CASE("a mask of the wrong shape is named with its shape and the ones expected") {
  const Program program;
  const Tensor square = Tensor::full({8, 8}, 0.5F);
  const std::vector<NamedArray> arrays{{"q_proj.weight", square},          {"k_proj.weight", square},
                                       {"v_proj.weight", square},          {"x", Tensor::full({2, 3, 8}, 1)},
                                       {"num_heads", Tensor::full({}, 2)}, {"mask", Tensor::full({4, 3}, 1), true}};
  write_npz(program / "a.npz", arrays);
  const Outcome outcome = program.run("trace OUT/a.npz -o OUT/t.npz");
  CHECK(outcome.status == 2);
  CHECK(is_one_line(outcome.err));
  CHECK(contains(outcome.err, "a.npz: \"mask\" has shape [4, 3]; expected [n_q, n_k] = [3, 3], [B, n_k] = [2, 3]"));
}

TEST_CASE("an output that cannot be finished leaves what stood there as it was") {
  const Program program;
  std::ofstream(program / "t.npz") << "precious";
  CHECK(program.run("trace --random --mask \"1 / (k - 1) > 0\" -o OUT/t.npz").status == 2);
  CHECK(places::text_of(program / "t.npz") == "precious");
}

TEST_CASE("explain writes a cell's value and the terms that make it again") {
  const Program program;
  const std::string base = "explain IN/alibi_causal.input.npz --json --cell ";
  const auto json = nlohmann::json::parse(program.run(base + "Q:0,0,2,3").out);
  CHECK(json["stage"] == "Q");
  CHECK(json["index"] == nlohmann::json({0, 2, 3}));
  CHECK(json == nlohmann::json::parse(program.run(base + "Q:0,2,3").out));
  double sum = 0;
  for (const auto& term : json["terms"]) sum += term["value"].get<double>() * term["factor"].get<double>();
  CHECK(agrees(static_cast<float>(sum), json["value"].get<float>()));

  const auto masked = nlohmann::json::parse(program.run(base + "masked_scores:0,0,0,1").out);
  CHECK(masked["value"] == "-Infinity");
}

TEST_CASE("explain of a cell that is not there says the range in one line and exits with 2") {
  const Program program;
  const Outcome outcome = program.run("explain --random --queries 4 --cell weights:0,0,4,0");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "headlight: --cell: row 4 is out of range; expected 0 to 3\n");
  CHECK(program.run("explain --random").status == 2);
}

TEST_CASE("compare exits with 0 where everything agrees, with 1 where something differs") {
  const Program program;
  REQUIRE(program.run("trace IN/torch_mha.input.npz -o OUT/mine.npz").status == 0);
  const Outcome same = program.run("compare IN/torch_mha.input.npz OUT/mine.npz --json");
  CHECK(same.status == 0);
  const auto json = nlohmann::json::parse(same.out);
  CHECK(json["match"] == true);
  CHECK(json["first_difference"].is_null());
  CHECK(json["diagnosis"].empty());
  CHECK(json["stages"].size() == 17);
  CHECK(program.run("compare IN/torch_mha.input.npz OUT/mine.npz").status == 0);

  const Outcome scaled = program.run("compare IN/torch_mha.input.npz OUT/mine.npz --json --scale 1");
  CHECK(scaled.status == 1);
  const auto difference = nlohmann::json::parse(scaled.out);
  CHECK(difference["first_difference"] == "scaled_scores");
  const auto& stage = difference["stages"][10];
  CHECK(stage["stage"] == "scaled_scores");
  CHECK(stage["present"] == true);
  CHECK(stage["max_abs_error"].get<double>() > 0.1);
  CHECK(stage["at"].size() == 4);
  CHECK(contains(program.run("compare IN/torch_mha.input.npz OUT/mine.npz --scale 1").out,
                 "First difference: scaled_scores"));
}

TEST_CASE("every command that computes from a file says on standard error what it assumed, compare in its JSON too") {
  const Program program;
  REQUIRE(program.run("trace IN/torch_mha.input.npz -o OUT/mine.npz").status == 0);
  for (const std::string command :
       {"trace IN/torch_mha.input.npz -o OUT/a.npz", "render IN/torch_mha.input.npz --stage weights -o OUT/a.csv",
        "explain IN/torch_mha.input.npz --cell Q:0,0,0", "compare IN/torch_mha.input.npz OUT/mine.npz",
        "bundle IN/torch_mha.input.npz -o OUT/a.zip", "mask-code IN/torch_mha.input.npz --mask \"causal()\""}) {
    INFO(command);
    const Outcome outcome = program.run(command);
    CHECK(outcome.status == 0);
    CHECK(contains(outcome.err, "torch_mha.input.npz: projections: in_proj_weight"));
  }
  const Outcome json = program.run("compare IN/torch_mha.input.npz OUT/mine.npz --json");
  CHECK(contains(nlohmann::json::parse(json.out)["assumptions"].dump(), "projections: in_proj_weight"));
}

TEST_CASE("an option that ends in = has an empty value, and takes no other word for it") {
  const Program program;
  const Outcome untitled = program.run("render --text \"a b\" --stage weights --title= -o OUT/a.svg");
  CHECK(untitled.status == 0);
  CHECK_FALSE(contains(places::text_of(program / "a.svg"), ">weights"));
  const Outcome mask = program.run("trace --text \"a b\" --mask= -o OUT/a.npz");
  CHECK(mask.status == 2);
  CHECK(contains(mask.err, "--mask: the text is empty"));
}

TEST_CASE("after -- every word is a FILE, whatever it begins with") {
  const Program program;
  const Outcome outcome = program.run("trace -o OUT/a.npz -- --heads");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "--heads: no such file"));
}

TEST_CASE("an empty FILE is refused, and does not open what opens without one") {
  const Program program;
  for (const std::string command : {"trace \"\" -o OUT/a.npz", "\"\" --screenshot OUT/a.png", "lesson \"\" --check",
                                    "render \"\" --stage weights -o OUT/a.svg", "list layers \"\""}) {
    INFO(command);
    const Outcome outcome = program.run(command);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, " is empty; expected its path"));
  }
  CHECK(program.is_empty());
}

TEST_CASE("help is --help, and help COMMAND is COMMAND --help") {
  const Program program;
  CHECK(program.run("help").out == program.run("--help").out);
  CHECK(program.run("help compare").out == program.run("compare --help").out);
  CHECK(program.run("help").status == 0);
}

TEST_CASE("a misspelt command is said to be none, and is not opened as a file") {
  const Program program;
  for (const std::string command : {"lis stages", "rendr a.npz --stage weights -o OUT/a.svg", "Trace a.npz"}) {
    INFO(command);
    const Outcome outcome = program.run(command);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "is neither a command nor a file (did you mean "));
  }
  std::ofstream(program / "lis") << "x";
  CHECK_FALSE(
      contains(program.run("\"" + (program / "lis").string() + "\" --screenshot OUT/a.png").err, "did you mean"));
}

TEST_CASE("what is no JSON in an option is said to be expected as JSON, not as a scenario") {
  const Outcome outcome = Program().run("trace --text \"a b\" --edits \"{bad\" -o OUT/a.npz");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "expected JSON\n"));
}

TEST_CASE("a folder of submissions gives a line each, whatever the files are called and whether they can be read") {
  const Program program;
  REQUIRE(program.run("trace IN/torch_mha.input.npz -o OUT/right.npz").status == 0);
  REQUIRE(program.run("trace IN/torch_mha.input.npz -o OUT/wrong.npz --scale 1").status == 0);
  const fs::path folder = program / "class";
  fs::create_directories(folder / "a folder.npz");
  const char* names[] = {"anna.npz",       "Bob, \"the 2nd\".npz",         "=1+1.npz",      "-minus.npz", "UPPER.NPZ",
                         "two\nlines.npz", "\xE6\x9D\x8E\xE9\x9B\xB7.npz", "no\xFFutf8.npz"};
  for (const char* name : names)
    fs::copy_file(program / (std::string(name).starts_with("Bob") ? "wrong.npz" : "right.npz"), folder / name);
  std::ofstream(folder / "broken.npz") << "PK\x03\x04 but no archive";
  std::ofstream(folder / "._anna.npz") << "what macOS lays beside a file";
  std::ofstream(folder / "notes.txt") << "no submission";

  const Outcome json = program.run("compare IN/torch_mha.input.npz OUT/class --json");
  CHECK(json.status == 1);
  const auto rows = nlohmann::json::parse(json.out);
  CHECK(rows.size() == std::size(names) + 1);
  std::size_t matches = 0;
  for (const auto& row : rows) {
    const std::string file = row["file"], verdict = row["verdict"], note = row["note"];
    CAPTURE(file, note);
    matches += verdict == "match" ? 1 : 0;
    CHECK((verdict == "differs") == file.starts_with("Bob"));
    CHECK((verdict == "unreadable") == (file == "broken.npz"));
    CHECK(note.empty() == (verdict != "unreadable"));
    if (verdict == "differs") CHECK(row["diagnosis"].get<std::string>().starts_with("no_scale"));
  }
  CHECK(matches == std::size(names) - 1);

  REQUIRE(program.run("compare IN/torch_mha.input.npz OUT/class --table OUT/t.csv").status == 1);
  const std::string csv = places::text_of(program / "t.csv");
  CHECK(csv.starts_with("file,verdict,first_difference,diagnosis,note\n"));
  CHECK(static_cast<std::size_t>(std::ranges::count(csv, '\n')) == rows.size() + 1);
  CHECK(contains(csv, "\n\"Bob, \"\"the 2nd\"\".npz\",differs,scaled_scores,"));
  CHECK(contains(csv, "\n./=1+1.npz,match"));  // a spreadsheet must not read the name as a formula
  CHECK(contains(csv, "\n./-minus.npz,match"));
  REQUIRE(program.run("compare IN/torch_mha.input.npz OUT/class --table OUT/t.json").status == 1);
  CHECK(nlohmann::json::parse(places::text_of(program / "t.json")) == rows);

  const Outcome plain = program.run("compare IN/torch_mha.input.npz OUT/class");
  CHECK(static_cast<std::size_t>(std::ranges::count(plain.out, '\n')) == rows.size() + 1);
  CHECK(program.run("compare IN/torch_mha.input.npz OUT/class --table OUT/t.xlsx").status == 2);
  CHECK_FALSE(fs::exists(program / "t.xlsx"));
}

TEST_CASE("compare says in one line what is wrong with its files and exits with 2") {
  const Program program;
  std::ofstream(program / "bad.npz") << "not an archive";
  for (const char* arguments :
       {"compare", "compare IN/torch_mha.input.npz", "compare IN/torch_mha.input.npz OUT/none.npz",
        "compare IN/torch_mha.input.npz OUT/bad.npz", "compare OUT/bad.npz IN/torch_mha.expected.npz",
        "compare IN/torch_mha.input.npz IN/torch_mha.input.npz", "compare IN/torch_mha.input.npz a.npz b.npz",
        "compare IN/torch_mha.input.npz IN/torch_mha.expected.npz --cell Q:0,0,0"}) {
    CAPTURE(arguments);
    const Outcome outcome = program.run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(is_one_line(outcome.err));
  }
}
