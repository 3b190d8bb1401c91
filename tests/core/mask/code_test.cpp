// Python runs the exported code, if it has NumPy or PyTorch, and the result is compared with evaluate().
#include "core/rules/mask/code.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/tensor/error.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

const Tensor lens_by_entry = Tensor::of({2}, {9, 4});
const Tensor lens_by_query = Tensor::of({2, 4}, {1, 2, 3, 4, 5, 4, 3, 2});
const Tensor file_mask = Tensor::of({4, 6}, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0});

const Tensor docs_of_all = Tensor::of({1, 6}, {4, 4, 4, 7, 7, 4});
const Tensor docs_by_entry = Tensor::of({2, 6}, {0, 0, 0, 1, 1, 2, 4, 4, 5, 5, 5, 5});

struct Case {
  std::string expression;
  MaskContext context;
  std::vector<PaintedCells> painted = {};
};

MaskContext context_of(Index n_q, Index n_k, const Tensor& valid_lens = lens_by_entry) {
  MaskContext context;
  context.batch = 2;
  context.heads = 3;
  context.n_q = n_q;
  context.n_k = n_k;
  context.valid_lens = valid_lens;
  return context;
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Pattern& pattern : all_patterns()) {
    if (pattern.name == "file" || pattern.name == "painted") continue;
    result.push_back({std::string(pattern.example), context_of(13, 18)});
    result.back().context.grid = {3, 4, 1};
  }
  for (const char* expression : {
           "causal() && (window(4) || sink(1) || window(4) || window(2))",
           "h < 2 ? causal() : full()",
           "h < 1 ? full() : b == 0 ? !causal() : window(h + 1)",
           "n_q > 3 ? causal() : window(1)",
           "!(n_k > n_q && true) || not_self()",
           "k < n_k / 2 && q / 3 - k / 3 <= 0.7",
           "floor(q / 2.5) == floor(k / 2.5) || k % 2.5 < 1 && random(0.4, 3) && padding()",
           "causal() == (q % 2 == 0) && (k < 3) != (q < 5)",
           "k != 0 && q % k == 0 || -q - (2 - k) >= -(3 + 1)",
           "(h == 0 ? q : q + 2) - k * (n_q - 10) < max(min(q, k, 3), 2 - b)",
           "random(0.25, h + 5) || bigbird(3, 1, 1, 2, h)",
           "document(2, 3, 4) && neighborhood(5, 4, 3)",
           "!full()",
           "k < 4",
           "min(n_q, n_k) > 2 && floor(n_q / 2.5) % 2 == 1 && q > 1",
       }) {
    result.push_back({expression, context_of(13, 18)});
  }
  result.push_back({"padding() && causal()", context_of(4, 6, lens_by_query)});
  result.push_back({"file() || causal() && window(1)", context_of(4, 6)});
  result.back().context.file_mask = file_mask;
  for (const Tensor& docs : {docs_of_all, docs_by_entry}) {
    for (const char* expression :
         {"doc(q) == doc(k) && (causal() || place(k) < 2)", "doc(k) == 4 || q % 2.5 < 1 && place(q) >= place(k)"}) {
      result.push_back({expression, context_of(6, 6)});
      result.back().context.doc_ids = docs;
    }
  }
  for (const char* expression : {"neighborhood(1) && not_self()", "row(q) == row(k) || col(k) < 1 && q % 2.5 < 1",
                                 "row(k) - row(q) < h && col(q) >= 0"}) {
    for (const Index n_q : {Index{13}, Index{5}}) {
      result.push_back({expression, context_of(n_q, 13)});
      result.back().context.grid = {2, 5, 1};
    }
  }
  const PaintedCells allowed{-1, -1, 0, 2, true, 2, 4}, beyond{-1, -1, 3, 17, false, 40, 40}, single{-1, -1, 5, 5};
  const PaintedCells of_head{-1, 2, 0, 2, false, 1, 3}, of_entry{1, -1, 4, 0, true, 3, 3};
  result.push_back({"causal()", context_of(13, 18), {allowed, beyond, single}});
  result.push_back({"full()", context_of(13, 18), {single}});
  result.push_back({"b == 1 || k % 2.5 < 1", context_of(13, 18), {allowed, of_head}});
  result.push_back({"h == 1 ? causal() : full()", context_of(13, 18), {of_entry}});
  result.push_back({"causal() || padding()", context_of(13, 18), {beyond, of_entry, of_head}});
  result.push_back({"causal() && !painted()", context_of(13, 18), {allowed, of_head}});
  result.push_back({"k % 2.5 < 1 || painted()", context_of(13, 18)});
  return result;
}

// Runs each caseN.py and writes its mask, broadcast to [B, H, n_q, n_k], as a line of 0s and 1s into caseN.txt.
constexpr const char* driver = R"(
import os, sys, warnings
import numpy as np
os.chdir(os.path.dirname(os.path.abspath(sys.argv[0])))
warnings.simplefilter("ignore")
for name, shape in cases:
    space = {}
    exec(open(name + ".py", encoding="utf-8").read(), space)
    if "mask_mod" in space:
        import torch
        at = [torch.arange(n).view([n if j == i else 1 for j in range(4)]) for i, n in enumerate(shape)]
        mask = space["mask_mod"](*at)
    else:
        mask = space["mask"]
    mask = np.asarray(mask)
    assert mask.dtype == bool, (name, mask.dtype)
    with open(name + ".txt", "w") as out:
        out.write("".join("1" if x else "0" for x in np.broadcast_to(mask, shape).ravel()))
)";

/// A Python that can import the module; "" if there is none.
std::string python_with(const std::string& module) {
  for (const char* python : {"python3", "/usr/bin/python3", "python"}) {
    const std::string quiet = (fs::temp_directory_path() / "headlight_python.txt").string();
    const std::string command = std::string(python) + " -c \"import numpy, " + module + "\" 2> \"" + quiet + "\"";
    if (std::system(command.c_str()) == 0) return python;
  }
  return {};
}

std::string bits(const Tensor& mask, const MaskContext& context) {
  const Tensor whole = mask.expand({context.batch, context.heads, context.n_q, context.n_k}).contiguous();
  std::string text;
  for (const float x : whole.values()) text += x != 0 ? '1' : '0';
  return text;
}

/// The mask that the program computes for the case.
Tensor computed_mask(const Case& a_case) {
  Inputs inputs;
  inputs.dims.batch = a_case.context.batch;
  inputs.dims.heads = a_case.context.heads;
  inputs.dims.n_q = a_case.context.n_q;
  inputs.dims.n_k = a_case.context.n_k;
  inputs.valid_lens = a_case.context.valid_lens;
  inputs.doc_ids = a_case.context.doc_ids;
  inputs.grid = a_case.context.grid;
  inputs.file_mask = a_case.context.file_mask;
  Scenario scenario;
  scenario.mask = a_case.expression;
  scenario.painted = a_case.painted;
  return build_mask(mask_rule(scenario, inputs));
}

void check_by_running(CodeTarget target, const std::string& module) {
  const std::string python = python_with(module);
  if (python.empty()) {
    WARN("skipped: no python3 here can import " + module);
    return;
  }
  const fs::path folder =
      fs::temp_directory_path() / ("headlight_mask_code_" + std::to_string(static_cast<int>(target)));
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream script(folder / "driver.py");
  script << "cases = [\n";
  const std::vector<Case> all = cases();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MaskContext& c = all[i].context;
    const std::string name = "case" + std::to_string(i);
    std::ofstream(folder / (name + ".py"))
        << to_code(MaskExpression::parse(all[i].expression), target, c, all[i].painted);
    script << "('" << name << "', "
           << "(" << c.batch << ", " << c.heads << ", " << c.n_q << ", " << c.n_k << ")),\n";
  }
  script << "]\nimport numpy, os, sys\nnumpy.save(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "
            "'file_mask.npy'), numpy.array([int(x) for x in '100110011011110001101100']).reshape(4, 6))\n"
         << driver;
  script.close();
  REQUIRE(std::system((python + " \"" + (folder / "driver.py").string() + "\"").c_str()) == 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ifstream file(folder / ("case" + std::to_string(i) + ".txt"));
    std::string found;
    file >> found;
    INFO(to_code(MaskExpression::parse(all[i].expression), target, all[i].context, all[i].painted));
    CHECK(found == bits(computed_mask(all[i]), all[i].context));
  }
  fs::remove_all(folder);
}

}  // namespace

TEST_CASE("the NumPy code, run, gives the same mask") { check_by_running(CodeTarget::numpy, "numpy"); }

TEST_CASE("the PyTorch code, run, gives the same mask") { check_by_running(CodeTarget::pytorch, "torch"); }

TEST_CASE("the FlexAttention mask_mod, run, gives the same mask") {
  check_by_running(CodeTarget::flex_attention, "torch");
}

TEST_CASE("exported code is short, has a line for each pattern, and names its polarity") {
  MaskContext context;
  context.n_q = context.n_k = 8;
  const MaskExpression expression = MaskExpression::parse("causal() && (window(4) || global(1))");
  CHECK(to_code(expression, CodeTarget::numpy, context) ==
        "# causal() && (window(4) || global(1))\n"
        "# NumPy mask. True = may attend.\n"
        "import numpy as np\n"
        "\n"
        "n_q = 8\n"
        "n_k = 8\n"
        "q = np.arange(n_q)[:, None]\n"
        "k = np.arange(n_k)[None, :]\n"
        "causal = k <= q\n"
        "window = abs(q - k) < 4\n"
        "global_ = (q < 1) | (k < 1)\n"
        "mask = causal & (window | global_)\n");
  const std::string flex = to_code(expression, CodeTarget::flex_attention, context);
  CHECK(flex.find("def mask_mod(b, h, q_idx, kv_idx):\n    causal = kv_idx <= q_idx\n") != std::string::npos);
  for (const CodeTarget target : {CodeTarget::pytorch, CodeTarget::flex_attention, CodeTarget::numpy}) {
    CHECK(to_code(expression, target, context).find("True = may attend") != std::string::npos);
  }
}

TEST_CASE("exporting code is refused if a tensor that the expression names is missing") {
  MaskContext context;
  context.n_q = context.n_k = 8;
  context.heads = 2;
  CHECK_THROWS_AS(to_code(MaskExpression::parse("padding()"), CodeTarget::numpy, context), ExpressionError);
  CHECK_THROWS_AS(to_code(MaskExpression::parse("bigbird(h + 1, 1, 1, 1, 0)"), CodeTarget::numpy, context),
                  ExpressionError);
}
