#include "core/rules/mask/evaluate.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <map>
#include <mutex>
#include <optional>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"
#include "core/rules/mask/machine.h"

namespace headlight {

PictureGrid picture_grid(std::string_view text, Index tokens) {
  PictureGrid grid;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](Index least, Index& value) {
    const auto read = std::from_chars(at, end, value);
    at = read.ptr;
    return read.ec == std::errc() && value >= least && value <= 1 << 20;
  };
  const auto sign = [&](char wanted) { return at != end && *at++ == wanted; };
  bool right = number(1, grid.rows) && sign('x') && number(1, grid.columns);
  if (right) grid.first = tokens - grid.rows * grid.columns;
  if (right && at != end) right = sign('@') && number(0, grid.first) && at == end;
  if (!right)
    throw SettingError("--grid", Message("\"{0}\" is no grid", std::string(text)),
                       "expected ROWSxCOLUMNS of patches, such as 14x14, or 24x24@5 if token 5 is the first patch");
  if (grid.first < 0 || grid.first + grid.rows * grid.columns > tokens)
    throw SettingError("--grid", Message("{0} has {1} patches", std::string(text), grid.rows * grid.columns),
                       Message("expected no more than the {0} keys", tokens));
  return grid;
}

namespace {

using namespace mask;

/// The tensor with axes of length 1 added in front until there are four.
Tensor in_four_axes(const Tensor& tensor) {
  Shape shape = tensor.shape();
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  return tensor.view(shape);
}

/// The position of the first of these variables, if the expression has one.
std::optional<std::size_t> place_of(const Node& node, std::initializer_list<Variable> wanted) {
  if (node.op == Op::variable && std::ranges::find(wanted, node.variable) != wanted.end()) return node.span.begin;
  if (node.body) {
    if (const auto found = place_of(*node.body, wanted)) return found;
  }
  for (const NodePtr& operand : node.operands) {
    if (const auto found = place_of(*operand, wanted)) return found;
  }
  return std::nullopt;
}

/// The tensor of file() or painted(), if the expression uses it.
Tensor mask_input(const MaskExpression& expression, Variable cells, std::string_view pattern, const Tensor& tensor,
                  const MaskContext& context, const Message& expected) {
  const auto position = place_of(expression.root(), {cells});
  if (!position) return {};
  if (!tensor.defined())
    throw ExpressionError(*position, Message("{0}() has no mask here", std::string(pattern)), expected);
  const Shape expected_shape = {context.batch, context.heads, context.n_q, context.n_k};
  if (!broadcastable(tensor.shape(), expected_shape)) {
    throw ExpressionError(*position,
                          Message("{0}() has the shape {1}", std::string(pattern), to_string(tensor.shape())),
                          Message("expected one that broadcasts to [B, H, n_q, n_k] = {0}", to_string(expected_shape)));
  }
  return in_four_axes(tensor);
}

Tensor valid_lens_input(const MaskExpression& expression, const MaskContext& context) {
  const auto position = place_of(expression.root(), {Variable::valid_len});
  if (!position) return {};
  const Tensor& lens = context.valid_lens;
  if (!lens.defined()) {
    throw ExpressionError(
        *position,
        expression.calls("padding") ? "padding() has no valid lengths here" : "valid_len has no valid lengths here",
        "expected valid_lens [B] or [B, n_q] in the file or the scenario");
  }
  if (lens.shape() == Shape{context.batch}) return lens.view({context.batch, 1, 1, 1});
  if (lens.shape() == Shape{context.batch, context.n_q}) return lens.view({context.batch, 1, context.n_q, 1});
  throw ExpressionError(*position, Message("valid_lens has the shape {0}", to_string(lens.shape())),
                        Message("expected [B] or [B, n_q] = {0}", to_string({context.batch, context.n_q})));
}

/// The ids [B or 1, n], if the expression uses them.
Tensor doc_ids_input(const MaskExpression& expression, const MaskContext& context) {
  const auto position =
      place_of(expression.root(), {Variable::doc_q, Variable::doc_k, Variable::place_q, Variable::place_k});
  if (!position) return {};
  const Tensor& ids = context.doc_ids;
  if (!ids.defined()) {
    throw ExpressionError(*position, "no token has a document here",
                          "expected --doc-ids 0,0,1,1 or document_ids or cu_seqlens in the file");
  }
  if (context.n_q != context.n_k || ids.rank() != 2 || ids.size(1) != context.n_k ||
      (ids.size(0) != 1 && ids.size(0) != context.batch)) {
    throw ExpressionError(
        *position, Message("the ids of documents have the shape {0}", to_string(ids.shape())),
        Message("expected [1, n] or [B, n] = {0} of as many queries as keys", to_string({context.batch, context.n_k})));
  }
  return ids.contiguous();
}

/// The axes that the mask depends on: all that are longer than 1.
std::uint8_t depends_of(const Tensor& tensor) {
  return static_cast<std::uint8_t>((tensor.size(0) > 1 ? on_b : 0) | (tensor.size(1) > 1 ? on_h : 0) |
                                   (tensor.size(2) > 1 ? on_q : 0) | (tensor.size(3) > 1 ? on_k : 0));
}

void write_row(const Register& result, float* row, Index count) {
  if (!result.wide) std::fill_n(row, count, static_cast<float>(result.truths[0]));
  else std::ranges::transform(result.truths, row, [](std::uint8_t x) { return static_cast<float>(x); });
}

void check_grid(const MaskExpression& expression, const MaskContext& context) {
  const auto position = place_of(expression.root(), {Variable::grid_columns});
  if (!position || context.grid.there()) return;
  throw ExpressionError(*position, "the tokens here are no patches of a picture",
                        "expected a model that reads pictures, or --grid 14x14 with the patches' rows and columns");
}

MaskInputs inputs_of(const MaskExpression& expression, const MaskContext& context) {
  MaskInputs inputs;
  const auto of = [&](Variable variable) -> Tensor& { return inputs[static_cast<std::size_t>(variable)]; };
  check_grid(expression, context);
  of(Variable::valid_len) = valid_lens_input(expression, context);
  of(Variable::file_mask) = mask_input(expression, Variable::file_mask, "file", context.file_mask, context,
                                       "expected a file that holds a mask");
  of(Variable::painted_mask) = mask_input(expression, Variable::painted_mask, "painted", context.painted, context,
                                          "expected a mask that was painted");
  if (const Tensor ids = doc_ids_input(expression, context); ids.defined()) {
    const Tensor places = places_in_documents(ids);
    const Shape query_shape{ids.size(0), 1, ids.size(1), 1}, key_shape{ids.size(0), 1, 1, ids.size(1)};
    of(Variable::doc_q) = ids.view(query_shape);
    of(Variable::doc_k) = ids.view(key_shape);
    of(Variable::place_q) = places.view(query_shape);
    of(Variable::place_k) = places.view(key_shape);
  }
  return inputs;
}

Program program_of(const MaskExpression& expression, const MaskInputs& inputs) {
  VariableDepends depends = {on_q, on_k, on_b, on_h};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined()) depends[i] = depends_of(inputs[i]);
  }
  return compile(expression.root(), depends);
}

// Rows in a block and keys in a window. With these sizes the registers of an expression fit the first-level caches.
constexpr Index rows_a_block = 64, keys_a_window = 2048;

/// Gives out blocks in order. If several blocks throw, the exception of the first block counts.
class MaskBlocks {
 public:
  explicit MaskBlocks(Index count) : failed_(count) {}
  Index next() { return next_++; }
  bool is_wanted(Index block) const { return block < failed_; }
  void fail(Index block) {
    const std::lock_guard lock(mutex_);
    if (block >= failed_) return;
    failed_ = block;
    error_ = std::current_exception();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<Index> next_{0}, failed_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

Tensor places_in_documents(const Tensor& ids) {
  const MatrixView entries = ids.matrix();
  Buffer places;
  for (Index entry = 0; entry < entries.rows; ++entry) {
    std::map<float, float> counted;
    for (Index i = 0; i < entries.cols; ++i) places.push_back(counted[entries(entry, i)]++);
  }
  return Tensor({entries.rows, entries.cols}, std::move(places));
}

struct MaskReader::State {
  State(const MaskExpression& expression, const MaskContext& in)
      : context(in), inputs(inputs_of(expression, context)), machine(program_of(expression, inputs), inputs, context) {}
  MaskContext context;
  MaskInputs inputs;
  Machine machine;
  Index b = -1, h = -1;
};

MaskReader::MaskReader(const MaskExpression& expression, const MaskContext& context)
    : state_(std::make_unique<State>(expression, context)) {}
MaskReader::~MaskReader() = default;
MaskReader::MaskReader(MaskReader&&) noexcept = default;

bool MaskReader::by_batch() const { return (state_->machine.program().depends & on_b) != 0; }
bool MaskReader::by_head() const { return (state_->machine.program().depends & on_h) != 0; }
bool MaskReader::by_query() const { return (state_->machine.program().depends & on_q) != 0; }

void MaskReader::read(Index b, Index h, Index q, Index k0, Index count, float* to) {
  Machine& machine = state_->machine;
  if (machine.first_key() != k0 || machine.keys() != count || b != state_->b || h != state_->h) {
    machine.set_window(k0, count);
    machine.enter(Loop::none, 0);
    machine.enter(Loop::batch, b);
    machine.enter(Loop::head, h);
    state_->b = b;
    state_->h = h;
  }
  machine.enter(Loop::row, q);
  write_row(machine.result(), to, count);
}

Tensor evaluate(const MaskExpression& expression, const MaskContext& context) {
  const Tensor mask = evaluate_where_it_differs(expression, context);
  return mask.expand({mask.size(0), mask.size(1), context.n_q, context.n_k}).contiguous();
}

Tensor evaluate_where_it_differs(const MaskExpression& expression, const MaskContext& context) {
  MaskReader first(expression, context);
  const Index batch = first.by_batch() ? context.batch : 1, heads = first.by_head() ? context.heads : 1;
  const Index n_q = first.by_query() ? context.n_q : std::min<Index>(context.n_q, 1), n_k = context.n_k,
              rows = batch * heads * n_q;
  Buffer values(static_cast<std::size_t>(rows * n_k));
  if (values.empty()) return Tensor({batch, heads, n_q, n_k}, {});
  // An expression that can fail is evaluated row by row, so that the error message names the first cell that fails.
  const Index window = expression.root().can_fail ? n_k : std::min(n_k, keys_a_window);
  const Index count = (rows + rows_a_block - 1) / rows_a_block;
  MaskBlocks blocks(count);
  const auto work = [&](MaskReader& reader) {
    for (Index block = blocks.next(); blocks.is_wanted(block); block = blocks.next()) {
      try {
        const Index end = std::min(rows, (block + 1) * rows_a_block);
        for (Index k = 0; k < n_k; k += window) {
          if (context.stop.stop_requested()) throw Cancelled();
          for (Index row = block * rows_a_block; row < end; ++row) {
            reader.read(row / (heads * n_q), row / n_q % heads, row % n_q, k, std::min(window, n_k - k),
                        values.data() + row * n_k + k);
          }
        }
      } catch (...) { blocks.fail(block); }
    }
  };
  const auto useful_threads = static_cast<int>(std::min<Index>(count, rows * n_k / 100'000));
  work_together(std::min(context.threads, useful_threads) - 1, [&](bool caller) {
    if (caller) return work(first);
    try {
      MaskReader own(expression, context);
      work(own);
    } catch (...) {
      // The calling thread does the work and throws the same error.
    }
  });
  blocks.rethrow();
  return Tensor({batch, heads, n_q, n_k}, std::move(values));
}

}  // namespace headlight
