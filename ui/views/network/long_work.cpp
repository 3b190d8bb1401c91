// The long computations of the network view: patching with the states of another sentence, and heads over many
// sentences.
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "core/base/text/utf8_path.h"
#include "core/compute/network/network.h"
#include "core/compute/network/next_word.h"
#include "ui/views/network/network_scene.h"

namespace headlight {
namespace {

/// A value that the worker writes and the frame reads.
template <typename T>
class Shared {
 public:
  void put(T made) {
    const std::lock_guard lock(mutex_);
    made_ = std::move(made);
  }
  T now() const {
    const std::lock_guard lock(mutex_);
    return made_;
  }

 private:
  mutable std::mutex mutex_;
  T made_;
};

std::vector<std::string> words_of(const NetworkText& text) {
  std::vector<std::string> words;
  for (const Token& token : text.tokens.entries.front()) words.push_back(token.text);
  return words;
}

/// The named file, otherwise the network's own; "" if there is none.
const std::string& file_of_sentences(const Frame& frame, const NetworkRun& run) {
  const std::string& named = frame.view().network.texts;
  const auto find = [&] {
    if (!named.empty()) return named;
    const std::filesystem::path own = run.network->folder() / "sentences.txt";
    std::error_code error;
    return std::filesystem::exists(own, error) ? utf8_from(own) : std::string();
  };
  return frame.kept(find, named);
}

void patch(const NetworkRun& run, Index batch, const NetworkChoice& choice, RunOptions options,
           const std::function<void(double)>& tell_share, Shared<PatchShown>& result) {
  const Network& network = *run.network;
  const std::string line = line_of(run, batch);
  const NetworkText text = network.read(line), from = network.read(choice.patch_from);
  PatchShown made{words_of(text), words_of(from), {}, {}};
  const AskedWord word = asked_word(run, std::min(batch, run.logits.size(0) - 1), choice.patch_word, "--word");
  made.word = word.text();
  result.put(made);
  options.knock_out = run.knock_out;
  options.change = run.change;
  const auto tell = [&](const PatchGrid& so_far, double share) {
    made.grid = so_far;
    result.put(made);
    tell_share(share);
  };
  made.grid = patch_grid(network, text, from, static_cast<Patch::What>(choice.patched), word.word.id, options, tell,
                         word.other_id());
  made.whole = true;
  result.put(made);
}

}  // namespace

PatchShown patch_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run) {
  const NetworkChoice& choice = frame.view().network;
  if (choice.patch_from.empty()) return {};
  const Index batch = frame.view().batch;
  const auto& result = frame.pictures.kept([] { return std::make_shared<Shared<PatchShown>>(); }, run, batch,
                                           choice.patch_from, choice.patch_word, choice.patched);
  frame.task.want(result, [result, run, batch, choice](const std::stop_token& stop, const auto& tell_share) {
    RunOptions options;
    options.stop = stop;
    patch(*run, batch, choice, options, tell_share, *result);
  });
  return result->now();
}

std::shared_ptr<const MeanHeads> means_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run) {
  const std::string& file = file_of_sentences(frame, *run);
  if (file.empty()) return nullptr;
  using Means = std::shared_ptr<const MeanHeads>;
  const auto& result =
      frame.pictures.kept([] { return std::make_shared<Shared<Means>>(); }, run->network->file(), file);
  if (const auto made = result->now()) return made;
  frame.task.want(result, [result, network = run->network, file](const std::stop_token& stop, const auto& tell_share) {
    RunOptions options;
    options.stop = stop;
    result->put(mean_heads(*network, sentences_of(file), options, tell_share));
  });
  return result->now();
}

StudyShown study_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run) {
  const std::string& file = file_of_sentences(frame, *run);
  if (file.empty()) return {{}, {}, true, true};
  const Ablation ablation = frame.view().network.study_mean ? Ablation::mean : Ablation::zero;
  const auto& result =
      frame.pictures.kept([] { return std::make_shared<Shared<StudyShown>>(); }, run->network->file(), file, ablation);
  if (StudyShown made = result->now(); made.whole) return made;
  frame.task.want(
      result, [result, network = run->network, file, ablation](const std::stop_token& stop, const auto& tell_share) {
        StudyShown made{sentences_of(file), {}};
        result->put(made);
        RunOptions options;
        options.stop = stop;
        const auto tell = [&](const std::vector<HeadMeans>& so_far, double share) {
          made.heads = so_far;
          result->put(made);
          tell_share(share);
        };
        made.heads = head_means(*network, made.lines, options, tell, ablation);
        made.whole = true;
        result->put(std::move(made));
      });
  return result->now();
}

}  // namespace headlight
