#include <span>
#include <string>

#include "core/base/files/byte_reader.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/pictures.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/export/needs.h"
#include "core/figures/export/reproduce_script.h"
#include "core/figures/figure/figure.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/tensor_file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void copy_into(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error)
    throw FileError(from.string(), Message("cannot be copied into the bundle: {0}", error.message().c_str()),
                    "expected a file that can be read");
}

/// Copies the tensor file too, so that the scenario opens on other machines. A whole model is not copied.
void write_scenario_and_file(const fs::path& folder, const Trace& trace) {
  Scenario scenario = trace.scenario;
  constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
  if (scenario.source == Source::file && !network_of(trace.inputs)) {
    scenario.heads = trace.dims().heads;  // whether a setting or the file gave it
    if (trace.dims().kv_heads != trace.dims().heads) scenario.kv_heads = trace.dims().kv_heads;
    const fs::path from = path_from(scenario.file);
    std::error_code error;
    if (fs::file_size(from, error) <= most) {
      scenario.file = "tensors" + from.extension().string();
      copy_into(from, folder / scenario.file);
      for (const char* name : companion_names()) {  // files of its tokenizer and its config
        const fs::path beside = from.parent_path() / name;
        if (fs::is_regular_file(beside, error)) copy_into(beside, folder / name);
      }
    } else {
      scenario.file = fs::absolute(from, error).string();
    }
  }
  const auto copy = [&](const fs::path& from, const std::string& name) {
    copy_into(from, folder / name);
    return name;
  };
  if (const fs::path mask = path_from(scenario.mask_file); !mask.empty())
    scenario.mask_file = copy(mask, "mask_file" + mask.extension().string());
  std::string pictures;
  int number = 0;
  for (const std::string& line : text_lines(scenario.image)) {
    const fs::path from = picture_place(line);
    const std::string name = "image" + (number++ > 0 ? std::to_string(number) : "") + from.extension().string();
    pictures += (pictures.empty() ? "" : "\n") + copy(from, name);
  }
  scenario.image = pictures;
  write_whole_file(folder / "scenario.json", to_json(scenario));
}

/// Writes the inputs, the results, and the scripts that compute the results from the inputs.
void write_computation(const fs::path& folder, const Trace& trace) {
  write_npz(folder / "inputs.npz", script_inputs(trace));
  write_npz(folder / "trace.npz", trace_arrays(trace, true));
  write_whole_file(folder / "reproduce.py", reproduce_script(trace, ScriptLibrary::pytorch));
  write_whole_file(folder / "reproduce_numpy.py", reproduce_script(trace, ScriptLibrary::numpy));
}

/// Writes each drawn layer into a folder with its name. A file with attention alone has nothing to compute.
void write_layers(const fs::path& folder, const Trace& trace, const ExportOptions& options) {
  std::vector<NamedArray> known;
  for (const DrawnLayer& layer : layers_drawn(trace, options)) {
    if (!layer.trace) {
      known.push_back({"layers." + layer.name + "." + std::string(name(options.stage)), layer.values});
      continue;
    }
    const fs::path own = folder / "layers" / path_from(layer.name);
    make_folder(own, own);
    write_computation(own, *layer.trace);
  }
  if (!known.empty()) write_npz(folder / "layers.npz", known);
}

void write_together(const fs::path& folder, const Trace& trace, const ExportOptions& options) {
  const JoinedLayers joined = join_layers(trace, options);
  std::vector<NamedArray> means;
  for (std::size_t i = 0; i < joined.means.size(); ++i)
    means.push_back({"layers." + joined.layers[i], joined.means[i]});
  write_npz(folder / "means.npz", means);
  write_whole_file(folder / "reproduce_numpy.py", layers_script(options, joined.layers));
}

void write_files(const fs::path& folder, const Trace& trace, const ExportOptions& options) {
  ArrangedFigure figure(figure_for(trace, options));
  const std::string about = about_figure(trace, options);
  write_whole_file(folder / "figure.png", figure.png(about));
  write_whole_file(folder / "figure.svg", figure.svg(options.svg_text, about));
  if (PdfCanvas::is_available()) write_whole_file(folder / "figure.pdf", figure.pdf(about));
  write_scenario_and_file(folder, trace);
  if (is_of_prediction(options.style.kind)) {
    write_whole_file(folder / "data.csv", prediction_csv(trace, options));
    return write_computation(folder, trace);
  }
  const NamedArray data = chosen_numbers(trace, options);
  write_npy(folder / "data.npy", data.values, data.boolean);
  const MatrixView first = data.values.matrix();
  if (data.values.count() == first.rows * first.cols) write_csv(folder / "data.csv", first);
  if (options.layers.empty()) return write_computation(folder, trace);
  takes_layers_together(options) ? write_together(folder, trace, options) : write_layers(folder, trace, options);
}

}  // namespace

void write_bundle(const fs::path& target, const Trace& trace, const ExportOptions& options) {
  check_bundle_needs(trace);
  if (const std::optional<Trace> own = with_contribution_norms(trace, options))
    return write_bundle(target, *own, options);
  const bool zip = target.extension() == ".zip";
  std::error_code error;
  const fs::file_status there = status_of(target, target);
  if (!zip && fs::exists(there) && !(fs::is_directory(there) && fs::is_empty(target, error))) {
    throw FileError(target.string(), "cannot be written: it is there already",
                    "expected a new name or an empty folder");
  }
  const fs::path folder = folder_for(target);
  remove_abandoned(folder);
  const Temporary scratch(folder, target);
  make_folder(scratch.path(), target);
  write_files(scratch.path(), trace, options);
  if (zip) return write_zip(target, scratch.path(), utf8_from(target.stem()));
  fs::remove(target, error);  // an empty folder, or nothing
  fs::rename(scratch.path(), target, error);
  if (error) fail_to_write(target, error.message().c_str());
}

}  // namespace headlight
