#include "core/network/sounds.h"

#include <cstdio>

#include "core/files/array_file.h"
#include "core/files/error_place.h"
#include "core/network/pictures.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

constexpr float log_mel_of_silence = -1.5F;  // Whisper's log-mel value of silence: (log10(1e-10) + 4) / 4
constexpr double seconds_a_row = 0.02;       // two frames of 160 samples at 16 kHz

std::string without_blanks(const std::string& name) {
  const std::size_t first = name.find_first_not_of(" \t"), last = name.find_last_not_of(" \t");
  return first == std::string::npos ? "" : name.substr(first, last - first + 1);
}

/// [B, bands, frames]
Tensor sound_in(const SoundSpec& spec, const std::string& name) {
  const auto file = open_arrays(path_from(name));
  const auto entries = file->entries();
  const ArrayEntry* found = file->find("input_features");
  if (!found && entries.size() == 1) found = &entries.front();
  const std::string wanted = to_string(Shape{spec.bands, spec.frames});
  if (!found)
    throw FileError(name, Message("holds {0} arrays and none is called input_features", entries.size()),
                    Message("expected a log-mel spectrogram, {0}", wanted));
  Shape shape = found->shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3 || shape[0] < 1 || shape[1] != spec.bands || shape[2] != spec.frames)
    throw FileError(name, Message("{0} has shape {1}", in_quotes(found->name), to_string(found->shape)),
                    Message("expected a log-mel spectrogram, {0}", wanted));
  return file->load(found->name).contiguous().view(shape);
}

}  // namespace

NetworkText text_of_sound(const SoundSpec& spec, Tensor bands) {
  std::vector<Token> tokens;
  for (Index row = 0; row < spec.frames / 2; ++row) {
    char second[32];
    std::snprintf(second, sizeof second, "%.2fs", static_cast<double>(row) * seconds_a_row);
    tokens.push_back({row, second});
  }
  return text_of_numbers(std::move(bands), std::move(tokens));
}

NetworkText read_sounds(const SoundSpec& spec, const std::vector<std::string>& files) {
  Buffer values;
  std::vector<std::shared_ptr<const Picture>> read;
  for (const std::string& line : files) {
    auto sound = std::make_shared<Picture>();
    if (const std::string name = without_blanks(line); name != silence) {
      sound->file = name;
      sound->stamp = stamp_of(path_from(name));
    }
    const Tensor bands = sound->file.empty() ? Tensor::full({1, spec.bands, spec.frames}, log_mel_of_silence)
                                             : sound_in(spec, sound->file);
    const Tensor packed = bands.contiguous();
    if (bands.size(0) != 1 && files.size() > 1)
      throw FileError(sound->file, Message("holds {0} sounds", bands.size(0)),
                      "expected one of each file where there are several");
    values.insert(values.end(), packed.values().begin(), packed.values().end());
    read.insert(read.end(), static_cast<std::size_t>(bands.size(0)), sound);
  }
  NetworkText text = text_of_sound(spec, Tensor({std::ssize(read), spec.bands, spec.frames}, std::move(values)));
  text.pictures = std::move(read);
  return text;
}

Tensor neighbours_of(const Tensor& x, Index stride) {
  const Tensor packed = x.contiguous();
  const Index batch = x.size(0), rows = x.size(1), channels = x.size(2), out_rows = (rows + stride - 1) / stride;
  Buffer values(static_cast<std::size_t>(batch * out_rows * channels * 3), 0.0F);
  auto to = values.begin();
  for (Index b = 0; b < batch; ++b) {
    for (Index row = 0; row < out_rows; ++row, to += channels * 3) {
      for (Index tap = 0; tap < 3; ++tap) {
        const Index from = row * stride + tap - 1;
        if (from < 0 || from >= rows) continue;
        const auto channel = packed.values().begin() + (b * rows + from) * channels;
        for (Index c = 0; c < channels; ++c) to[c * 3 + tap] = channel[c];
      }
    }
  }
  return Tensor({batch, out_rows, channels * 3}, std::move(values));
}

}  // namespace headlight
