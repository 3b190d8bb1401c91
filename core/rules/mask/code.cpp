#include "core/rules/mask/code.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

using namespace mask;

// The functions of core/rules/mask/machine.h in operations that NumPy and PyTorch have in common.
constexpr const char* mix_code = R"(

def mix(x):  # a bijection of the 32-bit words
    x = (x ^ (x >> 16)) * 0x45D9F3B & 0xFFFFFFFF
    x = (x ^ (x >> 16)) * 0x45D9F3B & 0xFFFFFFFF
    return x ^ (x >> 16)

def hash32(seed, i, j):
    seed, i, j = (@integer@ for x in (seed, i, j))
    return mix(mix(mix(seed + 0x9E3779B9 & 0xFFFFFFFF) + i & 0xFFFFFFFF) + j & 0xFFFFFFFF)@result@

)";
constexpr const char* drawn_code = R"(
def drawn(seed, i, j, r, n, w, g):  # j is one of the r blocks whose hash with i is lowest, of those outside window and g
    own = hash32(seed, i, j)
    below = sum((hash32(seed, i, t) < own) * (abs(i - t) > w) * (t >= g) * 1 for t in range(n))
    return (below < r) & (abs(i - j) > w) & (j >= g)

)";

/// The numbers of a tensor of one or two axes as a Python list.
std::string list(const Tensor& tensor) {
  const bool nested = tensor.rank() == 2;
  std::string text = "[";
  for (Index i = 0; i < tensor.size(0); ++i) {
    text += i ? ", " : "";
    text += nested ? list(tensor.slice(0, i, 1).view({tensor.size(1)})) : number_text(tensor.at({i}));
  }
  return text + "]";
}

class Script {
 public:
  Script(const MaskExpression& expression, CodeTarget target, const MaskContext& context,
         const std::vector<PaintedCells>& painted)
      : expression_(expression),
        target_(target),
        context_(context),
        painted_(tidied(painted, {context.batch, context.heads, context.n_q, context.n_k})),
        paints_over_(!painted_.empty() && !expression.calls("painted")),
        writer_(target, expression.root(), context.valid_lens.defined() && context.valid_lens.rank() == 2,
                context.doc_ids.defined() && context.doc_ids.size(0) > 1),
        condition_(writer_.condition(expression.root())) {
    check_tensors();
  }

  std::string text() const {
    std::string text = "# " + one_line(expression_.text()) + "\n" + purpose() + imports() + "\n";
    const std::string given = sizes() + tensors() + painting();
    text += given;
    if (writer_.uses_hash()) text += helpers() + "\n";
    else if (flex()) text += given.empty() ? "\n" : "\n\n";
    return text + (flex() ? mask_mod() : mask());
  }

 private:
  bool numpy() const { return target_ == CodeTarget::numpy; }
  bool flex() const { return target_ == CodeTarget::flex_attention; }
  bool uses(Variable v) const { return writer_.uses(v); }
  bool indexes_masks() const { return uses(Variable::file_mask) || uses(Variable::painted_mask); }
  bool paints() const { return paints_over_ || uses(Variable::painted_mask); }

  void check_tensors() const {
    if (uses(Variable::valid_len) && !context_.valid_lens.defined()) {
      std::size_t begin = 0;
      for (const PatternCall& call : expression_.pattern_calls()) {
        if (call.pattern->name == "padding") begin = call.begin;
      }
      throw ExpressionError(
          begin,
          expression_.calls("padding") ? "padding() has no valid lengths here" : "valid_len has no valid lengths here",
          "expected valid_lens [B] or [B, n_q]");
    }
    if ((uses_docs() || uses_places()) && !context_.doc_ids.defined()) {
      throw ExpressionError(0, "no token has a document here", "expected --doc-ids, document_ids or cu_seqlens");
    }
    if (uses(Variable::grid_columns) && !context_.grid.there())
      throw ExpressionError(0, "the tokens here are no patches of a picture", "expected --grid 14x14");
  }

  static std::string one_line(std::string text) {
    for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
    return text;
  }

  std::string purpose() const {
    if (numpy()) return "# NumPy mask. True = may attend.\n";
    if (flex()) return "# Mask for PyTorch's FlexAttention. True = may attend.\n";
    return "# Mask for torch.nn.functional.scaled_dot_product_attention(attn_mask=mask). True = may attend;\n"
           "# nn.MultiheadAttention means the opposite: give it ~mask.\n";
  }

  std::string imports() const {
    std::string text = writer_.uses_math() ? "import math\n\n" : "";
    if (numpy() || uses(Variable::file_mask)) text += "import numpy as np\n";
    if (numpy()) return text;
    return text + "import torch\n" +
           (has_tables() ? "\ndevice = \"cuda\" if torch.cuda.is_available() else \"cpu\"\n" : "");
  }

  /// Whether the code makes tensors, which must be on the mask's device.
  bool has_tables() const {
    return !numpy() && (!flex() || uses(Variable::valid_len) || uses(Variable::file_mask) || uses_docs() ||
                        uses_places() || paints());
  }
  bool uses_docs() const { return uses(Variable::doc_q) || uses(Variable::doc_k); }
  bool uses_places() const { return uses(Variable::place_q) || uses(Variable::place_k); }
  const char* on_device() const { return has_tables() ? ", device=device" : ""; }

  std::string sizes() const {
    std::string text;
    const auto size = [&](const char* name, Index value) {
      text += std::string(name) + " = " + std::to_string(value) + "\n";
    };
    if (!flex() ? uses(Variable::b) : indexes_masks()) size("B", context_.batch);
    if (!flex() ? uses(Variable::h) : indexes_masks()) size("H", context_.heads);
    if (!flex() || uses(Variable::n_q) || indexes_masks() || paints()) size("n_q", context_.n_q);
    if (!flex() || uses(Variable::n_k) || indexes_masks() || paints()) size("n_k", context_.n_k);
    if (uses(Variable::grid_columns)) {
      size("grid_rows", context_.grid.rows);
      size("grid_columns", context_.grid.columns);
      size("first_patch", context_.grid.first);
    }
    if (flex()) return text;
    if (uses(Variable::b)) text += range("b", "B", "[:, None, None, None]");
    if (uses(Variable::h)) text += range("h", "H", "[:, None, None]");
    if (uses(Variable::q)) text += range("q", "n_q", "[:, None]");
    if (uses(Variable::k)) text += range("k", "n_k", "[None, :]");
    return text;
  }

  std::string range(const std::string& variable, const std::string& size, const std::string& axes) const {
    const bool doubles = !numpy() && writer_.uses_fractions();
    return variable + " = " + (numpy() ? "np" : "torch") + ".arange(" + size +
           (doubles ? ", dtype=torch.float64" : "") + on_device() + ")" + axes + "\n";
  }

  std::string table(const char* name, const Tensor& values) const {
    return std::string(name) + " = " + (numpy() ? "np.array(" : "torch.tensor(") + list(values) + on_device() + ")\n";
  }
  /// A document tensor [1 or B, n] as a table that is read at [q] or at [b, q].
  std::string document_table(const char* name, const Tensor& values) const {
    return table(name, values.size(0) == 1 ? values.contiguous().view({values.size(1)}) : values);
  }

  std::string tensors() const {
    std::string text;
    if (uses(Variable::valid_len)) text += table("valid_lens", context_.valid_lens);
    if (uses_docs()) text += document_table("doc", context_.doc_ids);
    if (uses_places()) text += document_table("place", places_in_documents(context_.doc_ids));
    if (uses(Variable::file_mask)) {
      const std::string whole = "np.broadcast_to(np.load(\"file_mask.npy\") != 0, (B, H, n_q, n_k))";
      text += "file_mask = " + (numpy() ? whole : "torch.tensor(" + whole + on_device() + ")") + "\n";
    }
    return text;
  }

  bool names(Index PaintedCells::*axis) const {
    return std::ranges::any_of(painted_, [axis](const PaintedCells& cells) { return cells.*axis >= 0; });
  }

  /// "2", "2:5", ":"
  static std::string slice(Index from, Index count) {
    if (from < 0) return ":";
    return std::to_string(from) + (count == 1 ? "" : ":" + std::to_string(from + count));
  }

  /// What stands at the axes of `painted`: those of batch and head are left out where the cells are the same for all;
  /// `any_head` stands there if only the batch's is needed.
  std::string axes(const std::string& batch, const std::string& head, const char* any_head,
                   const std::string& rest) const {
    const bool by_batch = names(&PaintedCells::batch), by_head = names(&PaintedCells::head);
    return (by_batch ? batch + ", " : "") + (by_head ? head + ", " : by_batch ? any_head : "") + rest;
  }

  /// Code for `painted` (1 = allowed by hand, 0 = forbidden, -1 = not painted), and for painted_mask if the expression
  /// uses it.
  std::string painting() const {
    if (!paints()) return {};
    const std::string module = numpy() ? "np" : "torch";
    const std::string shape = axes(std::to_string(context_.batch), std::to_string(context_.heads), "1, ", "n_q, n_k");
    std::string text = "painted = " + module + ".full((" + shape + "), -1" + on_device() +
                       ")  # by hand: 1 = may attend, 0 = may not\n";
    for (const PaintedCells& cells : painted_) {
      const std::string at = axes(slice(cells.batch, 1), slice(cells.head, 1), ":, ",
                                  slice(cells.query, cells.queries) + ", " + slice(cells.key, cells.keys));
      text += "painted[" + at + "] = " + (cells.attend ? "1" : "0") + "\n";
    }
    if (uses(Variable::painted_mask))
      text += "painted_mask = " + module + ".broadcast_to(painted == 1, (B, H, n_q, n_k))\n";
    return text;
  }

  std::string helpers() const {
    std::string text =
        replaced(mix_code, "@integer@", numpy() ? "np.asarray(x).astype(np.int64)" : "torch.as_tensor(x).long()");
    text = replaced(text, "@result@", numpy() ? "" : ".double()");
    return writer_.uses_drawn() ? text + drawn_code : text;
  }

  std::string mask() const { return unpainted_mask() + (paints_over_ ? over("mask = ", "painted") : ""); }

  /// The painted cells in place of those of `mask`.
  std::string over(const char* to, const std::string& painted) const {
    return to + std::string(numpy() ? "np" : "torch") + ".where(" + painted + " < 0, mask, " + painted + " == 1)\n";
  }

  std::string unpainted_mask() const {
    std::string text;
    for (const CodeWriter::Line& line : writer_.lines()) text += line.name + " = " + line.text + "\n";
    const bool complete = uses(Variable::q) && uses(Variable::k) && !uses(Variable::valid_len);
    if (complete) return text + "mask = " + condition_.text + "\n";
    std::string shape = "n_q, n_k";
    if (uses(Variable::b)) {
      shape = uses(Variable::h) ? "B, H, n_q, n_k" : "B, 1, n_q, n_k";
    } else if (uses(Variable::h)) {
      shape = "H, n_q, n_k";
    }
    if (numpy()) return text + "mask = np.broadcast_to(" + condition_.text + ", (" + shape + "))\n";
    return text + "mask = torch.broadcast_to(torch.as_tensor(" + condition_.text + on_device() + "), (" + shape +
           "))\n";
  }

  std::string mask_mod() const {
    std::string text = "def mask_mod(b, h, q_idx, kv_idx):\n";
    if (writer_.uses_fractions()) text += "    b, h, q_idx, kv_idx = (x.double() for x in (b, h, q_idx, kv_idx))\n";
    for (const CodeWriter::Line& line : writer_.lines()) text += "    " + line.name + " = " + line.text + "\n";
    const bool is_constant = expression_.root().depends == on_nothing;
    const std::string mask =
        is_constant ? "torch.full_like(q_idx, " + condition_.text + ", dtype=torch.bool)" : condition_.text;
    text += paints_over_ ? "    mask = " + mask + "\n" + painted_over_mod() : "    return " + mask + "\n";
    const std::string batch = uses(Variable::b) ? std::to_string(context_.batch) : "None";
    const std::string heads = uses(Variable::h) ? std::to_string(context_.heads) : "None";
    return text + "\n\n# from torch.nn.attention.flex_attention import create_block_mask, flex_attention\n" +
           "# block_mask = create_block_mask(mask_mod, B=" + batch + ", H=" + heads +
           ", Q_LEN=" + std::to_string(context_.n_q) + ", KV_LEN=" + std::to_string(context_.n_k) + on_device() + ")\n";
  }

  std::string painted_over_mod() const {
    const std::string whole = writer_.uses_fractions() ? ".long()" : "";
    const std::string at = axes("b" + whole, "h" + whole, "0, ", "q_idx" + whole + ", kv_idx" + whole);
    return "    by_hand = painted[" + at + "]\n" + over("    return ", "by_hand");
  }

  const MaskExpression& expression_;
  CodeTarget target_;
  const MaskContext& context_;
  std::vector<PaintedCells> painted_;
  bool paints_over_;
  CodeWriter writer_;
  Code condition_;
};

}  // namespace

std::string to_code(const MaskExpression& expression, CodeTarget target, const MaskContext& context,
                    const std::vector<PaintedCells>& painted) {
  return Script(expression, target, context, painted).text();
}

}  // namespace headlight
