// What is opened on disk: a run opens its file once, and a change of a setting opens nothing.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "core/compute/network/network_trace.h"
#include "core/scenario/inputs/state_dict.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

#ifdef __linux__
#include <sys/inotify.h>
#include <unistd.h>
#endif

using namespace headlight;
namespace fs = std::filesystem;

namespace {

/// A copy of a file or folder, written an hour ago.
fs::path old_copy(const fs::path& of, const fs::path& to) {
  fs::copy(of, to, fs::copy_options::recursive);
  const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1);
  if (!fs::is_directory(to)) fs::last_write_time(to, then);
  else
    for (const auto& entry : fs::directory_iterator(to)) fs::last_write_time(entry.path(), then);
  return to;
}

Scenario scenario_of(const fs::path& file, const std::string& layer = {}) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = file.string();
  scenario.layer = layer;
  return scenario;
}

#ifdef __linux__
/// Counts how often a file is opened.
class OpenCount {
 public:
  explicit OpenCount(const fs::path& path) : queue_(inotify_init1(IN_NONBLOCK)) {
    // Closing is watched too, since the kernel joins equal events that follow each other.
    REQUIRE(inotify_add_watch(queue_, path.c_str(), IN_OPEN | IN_CLOSE) >= 0);
  }
  OpenCount(const OpenCount&) = delete;
  OpenCount& operator=(const OpenCount&) = delete;
  ~OpenCount() { ::close(queue_); }

  /// Since the last call.
  int take() {
    alignas(inotify_event) char events[4096];
    int opened = 0;
    for (ssize_t bytes; (bytes = ::read(queue_, events, sizeof events)) > 0;) {
      for (ssize_t at = 0; at < bytes;) {
        const auto* event = reinterpret_cast<const inotify_event*>(events + at);
        opened += (event->mask & IN_OPEN) != 0;
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
    return opened;
  }

 private:
  int queue_;
};
#endif

}  // namespace

TEST_CASE("a file that has not changed is opened once, and again when it has") {
  const samples::TempFolder folder;
  const fs::path path = old_copy(samples::fixture("torch_mha.input.pt"), folder / "a.pt");
  const auto file = open_arrays(path);
  CHECK(open_arrays(path) == file);
  fs::copy_file(samples::fixture("torch_mha.input.npz"), path, fs::copy_options::overwrite_existing);
  const auto other = open_arrays(path);
  CHECK(other != file);
  CHECK(open_arrays(path) != other);  // written a moment ago: it may change again within the resolution of its time
  CHECK_THROWS(file->load(file->entries().front().name));
}

TEST_CASE("config.json is parsed once while it does not change, and attentions are found once") {
  const samples::TempFolder folder;
  const fs::path model = old_copy(samples::fixture("networks/gpt2"), folder / "gpt2");
  const TensorFile file((model / "model.safetensors").string());
  const auto config = file.config();
  CHECK(config->at("model_type") == "gpt2");
  CHECK(file.config() == config);
  CHECK(&file.attentions("") == &file.attentions(""));
  CHECK(file.attentions("").size() == 2);
  std::ofstream(model / "config.json") << "{\"model_type\": \"other\"}";
  CHECK(file.config()->at("model_type") == "other");
}

#ifdef __linux__
TEST_CASE("a run opens its file once and parses config.json once; a change of a setting opens neither") {
  const samples::TempFolder folder;
  const auto copied = [&](const char* fixture, const char* name) {
    return old_copy(samples::fixture(fixture), folder / name);
  };
  const fs::path pt = copied("torch_mha.input.pt", "a.pt"), npz = copied("torch_mha.input.npz", "a.npz"),
                 gpt2 = copied("networks/gpt2", "gpt2"), single = copied("networks/gpt2", "single"),
                 torch = copied("networks/torch_masked_encoder", "torch");
  struct Run {
    fs::path file, watched;
    std::string layer{};
  };
  const Run runs[] = {
      {pt, pt},
      {npz, npz},
      {torch / "model.safetensors", torch / "model.safetensors", "0"},
      {gpt2, gpt2 / "model.safetensors", "1"},
      {gpt2, gpt2 / "config.json", "1"},
      {single / "model.safetensors", single / "model.safetensors", "transformer.h.0.attn"},
      {single / "model.safetensors", single / "config.json", "transformer.h.0.attn"},
  };
  for (const Run& run : runs) {
    CAPTURE(run.watched, run.layer);
    Scenario scenario = scenario_of(run.file, run.layer);
    OpenCount opened(run.watched);
    auto trace = compute_any(scenario);
    CHECK(opened.take() <= 1);  // 0: the file is still open from the run before
    for (const float scale : {0.5F, 0.25F}) {
      scenario.scale = scale;
      trace = compute_any(scenario, trace.get());
      CHECK(opened.take() == 0);
    }
  }
}
#endif
