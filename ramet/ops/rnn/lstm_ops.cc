#include <algorithm>
#include <array>
#include <vector>

#include "ramet/base/float16.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/gemm.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/rnn/lstm.h"

// LSTMBlockCell computes one step of an LSTM layer, BlockLSTM all steps of a sequence.

namespace ramet {
namespace {

// The kinds of ops. The inputs x, cs_prev, h_prev, w, wci, wcf, wco and b follow those that only
// sequences have.
enum class LstmKind { kCell, kBlock, kBlockV2 };

constexpr int FirstInput(LstmKind kind) { return kind == LstmKind::kCell ? 0 : 1; }
constexpr int kLstmInputs = 8, kLstmOutputs = 7;

LstmSettings SettingsOf(const AttrMap& attrs, LstmKind kind) {
  LstmSettings settings;
  if (kind == LstmKind::kBlockV2) settings.gates = kLstmGatesV2;
  settings.forget_bias = attrs.GetOr("forget_bias", 0.0f);
  settings.cell_clip = attrs.GetOr("cell_clip", 0.0f);
  settings.peephole = attrs.GetOr("use_peephole", false);
  return settings;
}

Status CheckRanks(KernelContext& c, LstmKind kind) {
  constexpr std::array<const char*, kLstmInputs> kNames = {"x",   "cs_prev", "h_prev", "w",
                                                           "wci", "wcf",     "wco",    "b"};
  const bool cell = kind == LstmKind::kCell;
  const std::array<int, kLstmInputs> ranks = {cell ? 2 : 3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < kLstmInputs; ++i) {
    RAMET_RETURN_IF_ERROR(CheckRank(c.input(FirstInput(kind) + i), kNames[i], ranks[i]));
  }
  return OkStatus();
}

// Checks the shapes, those of the peephole vectors only if `peephole` is true.
StatusOr<LstmSizes> CheckInputs(KernelContext& c, LstmKind kind, bool peephole) {
  RAMET_RETURN_IF_ERROR(CheckRanks(c, kind));
  const int first = FirstInput(kind);
  const bool cell = kind == LstmKind::kCell;
  const Tensor &x = c.input(first), &cs_prev = c.input(first + 1), &h_prev = c.input(first + 2);
  const Tensor& w = c.input(first + 3);
  LstmSizes sizes;
  sizes.steps = cell ? 1 : x.dim(0);
  sizes.batch = x.dim(cell ? 0 : 1);
  sizes.input = x.dim(cell ? 1 : 2);
  sizes.cell = cs_prev.dim(1);
  RAMET_RETURN_IF_ERROR(CheckSize(cs_prev, "cs_prev.dims", 0, "batch_size", sizes.batch));
  RAMET_RETURN_IF_ERROR(CheckSize(h_prev, "h_prev.dims", 0, "batch_size", sizes.batch));
  RAMET_RETURN_IF_ERROR(CheckSize(h_prev, "h_prev.dims", 1, "cell_size", sizes.cell));
  RAMET_RETURN_IF_ERROR(CheckSize(w, "w.dim_size", 0, "input_size + cell_size", sizes.inputs()));
  RAMET_RETURN_IF_ERROR(CheckSize(w, "w.dim_size", 1, "cell_size * 4", sizes.columns()));
  RAMET_RETURN_IF_ERROR(
      CheckSize(c.input(first + 7), "b.dim_size", 0, "cell_size * 4", sizes.columns()));
  if (!peephole) return sizes;
  for (const auto& [name, i] :
       {std::pair("wci.dim_size", 4), std::pair("wcf.dim_size", 5), std::pair("wco.dim_size", 6)}) {
    RAMET_RETURN_IF_ERROR(CheckSize(c.input(first + i), name, 0, "cell_size", sizes.cell));
  }
  return sizes;
}

// Returns the number of steps to compute.
StatusOr<int64_t> StepsToRun(KernelContext& c, LstmKind kind, const LstmSizes& sizes) {
  if (kind == LstmKind::kCell) return 1;
  const Tensor& limit = c.input(0);
  if (limit.rank() != 0) {
    return InvalidArgument("seq_len_max must be a scalar, got shape ", limit.shape());
  }
  const int64_t steps = limit.scalar<int64_t>();
  if (steps >= 0 && steps <= sizes.steps) return steps;
  return InvalidArgument("seq_len_max must be in [0, ", sizes.steps, "], got: ", steps);
}

template <class T>
LstmWeights<T> WeightsOf(KernelContext& c, int first) {
  const auto data = [&](int i) { return c.input(first + i).data<T>(); };
  return {data(3), data(4), data(5), data(6), data(7)};
}

template <class T, LstmKind kKind>
class LstmKernel final : public Kernel {
 public:
  explicit LstmKernel(const AttrMap& attrs) : settings_(SettingsOf(attrs, kKind)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<LstmKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    constexpr int kFirst = FirstInput(kKind);
    // TensorFlow checks unused peephole vectors of sequences, but not those of gradients.
    constexpr bool kSequence = kKind != LstmKind::kCell;
    RAMET_ASSIGN_OR_RETURN(const LstmSizes sizes,
                           CheckInputs(c, kKind, kSequence || settings_.peephole));
    RAMET_ASSIGN_OR_RETURN(const int64_t steps, StepsToRun(c, kKind, sizes));
    RAMET_ASSIGN_OR_RETURN(const LstmActivations<T*> out, Allocate(c, sizes, steps));
    if (sizes.state() == 0 || steps == 0) return OkStatus();
    const DType type = DTypeOf<T>::value;
    RAMET_ASSIGN_OR_RETURN(Tensor xh, c.AllocateTemp(type, Shape{sizes.batch, sizes.inputs()}));
    RAMET_ASSIGN_OR_RETURN(Tensor columns,
                           c.AllocateTemp(type, Shape{sizes.batch, sizes.columns()}));
    const LstmWeights<T> weights = WeightsOf<T>(c, kFirst);
    const T* const x = c.input(kFirst).template data<T>();
    const T* cs_prev = c.input(kFirst + 1).template data<T>();
    const T* h_prev = c.input(kFirst + 2).template data<T>();
    for (int64_t t = 0; t < steps && !StopDue(); ++t) {
      const LstmActivations<T*> step = out.At(t * sizes.state());
      LstmForward(settings_, sizes, weights, x + t * sizes.batch * sizes.input, cs_prev, h_prev,
                  xh.mutable_data<T>(), columns.mutable_data<T>(), step);
      cs_prev = step.cs;
      h_prev = step.h;
    }
    return OkStatus();
  }

 private:
  // Allocates the outputs, with zeros for the steps that are not computed.
  static StatusOr<LstmActivations<T*>> Allocate(KernelContext& c, const LstmSizes& sizes,
                                                int64_t steps) {
    const Shape shape = kKind == LstmKind::kCell ? Shape{sizes.batch, sizes.cell}
                                                 : Shape{sizes.steps, sizes.batch, sizes.cell};
    std::array<T*, kLstmOutputs> data;
    for (int i = 0; i < kLstmOutputs; ++i) {
      RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i, DTypeOf<T>::value, shape));
      data[i] = y->mutable_data<T>();
      std::fill(data[i] + steps * sizes.state(), data[i] + y->num_elements(), T(0));
    }
    return LstmActivations<T*>{data[0], data[1], data[2], data[3], data[4], data[5], data[6]};
  }

  const LstmSettings settings_;
};

// Reads the activations that follow the forward inputs: i, cs, f, o, ci, co and, for sequences, h.
template <class T>
StatusOr<LstmActivations<const T*>> SavedActivations(KernelContext& c, LstmKind kind,
                                                     const Shape& shape) {
  constexpr std::array<const char*, kLstmOutputs> kNames = {"i", "cs", "f", "o", "ci", "co", "h"};
  const int first = FirstInput(kind) + kLstmInputs;
  const int count = kind == LstmKind::kCell ? kLstmOutputs - 1 : kLstmOutputs;
  std::array<const T*, kLstmOutputs> data = {};
  for (int i = 0; i < count; ++i) {
    const Tensor& t = c.input(first + i);
    if (t.shape() != shape) {
      return InvalidArgument(kNames[i], " must have shape ", shape, ", got ", t.shape());
    }
    data[i] = t.data<T>();
  }
  // A cell's gradient does not use h.
  if (kind == LstmKind::kCell) data[kLstmOutputs - 1] = data[0];
  return LstmActivations<const T*>{data[0], data[1], data[2], data[3], data[4], data[5], data[6]};
}

// Returns the last two inputs, the gradients of cs and h.
template <class T>
StatusOr<std::pair<const T*, const T*>> OutputGradients(KernelContext& c, const Shape& shape) {
  const Tensor &cs = c.input(c.num_inputs() - 2), &h = c.input(c.num_inputs() - 1);
  for (const Tensor* t : {&cs, &h}) {
    if (t->shape() == shape) continue;
    return InvalidArgument(t == &cs ? "cs_grad" : "h_grad", " must have shape ", shape, ", got ",
                           t->shape());
  }
  return std::pair{cs.data<T>(), h.data<T>()};
}

// The gradients of the peephole vectors, summed in float.
class PeepholeSums {
 public:
  explicit PeepholeSums(int64_t cell) : cell_(cell), sums_(static_cast<size_t>(3 * cell), 0.0f) {}
  float* wci() { return sums_.data(); }
  float* wcf() { return sums_.data() + cell_; }
  float* wco() { return sums_.data() + 2 * cell_; }
  // Writes the sums to outputs first, first + 1 and first + 2, of the shapes of inputs i, i + 1
  // and i + 2.
  template <class T>
  Status Write(KernelContext& c, int first, int i) {
    for (int k = 0; k < 3; ++k) {
      RAMET_ASSIGN_OR_RETURN(Tensor * y,
                             c.Allocate(first + k, DTypeOf<T>::value, c.input(i + k).shape()));
      T* const out = y->mutable_data<T>();
      const float* const sums = sums_.data() + k * cell_;
      const bool fits = y->num_elements() == cell_;
      for (int64_t j = 0; j < y->num_elements(); ++j) out[j] = fits ? T(sums[j]) : T(0);
    }
    return OkStatus();
  }

 private:
  const int64_t cell_;
  std::vector<float> sums_;
};

template <class T>
class LstmCellGradKernel final : public Kernel {
 public:
  explicit LstmCellGradKernel(const AttrMap& attrs)
      : settings_(SettingsOf(attrs, LstmKind::kCell)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<LstmCellGradKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const LstmSizes sizes,
                           CheckInputs(c, LstmKind::kCell, settings_.peephole));
    const Shape state{sizes.batch, sizes.cell};
    RAMET_ASSIGN_OR_RETURN(const LstmActivations<const T*> step,
                           SavedActivations<T>(c, LstmKind::kCell, state));
    RAMET_ASSIGN_OR_RETURN(const auto grads, OutputGradients<T>(c, state));
    const DType type = DTypeOf<T>::value;
    RAMET_ASSIGN_OR_RETURN(Tensor * cs_prev_grad, c.Allocate(0, type, state));
    RAMET_ASSIGN_OR_RETURN(Tensor * columns,
                           c.Allocate(1, type, Shape{sizes.batch, sizes.columns()}));
    PeepholeSums sums(sizes.cell);
    LstmBackprop(
        settings_, sizes, WeightsOf<T>(c, 0), c.input(1).data<T>(), step,
        LstmBackward<T>{grads.first, grads.second, columns->mutable_data<T>(),
                        cs_prev_grad->mutable_data<T>(), sums.wci(), sums.wcf(), sums.wco()});
    return sums.Write<T>(c, 2, 4);
  }

 private:
  const LstmSettings settings_;
};

// Computes the gradients of a sequence, from the last step to the first.
template <class T>
class BlockBackprop {
 public:
  BlockBackprop(KernelContext& c, const LstmSettings& settings, const LstmSizes& sizes)
      : c_(c),
        settings_(settings),
        sizes_(sizes),
        sums_(sizes.cell),
        bias_(static_cast<size_t>(sizes.columns()), 0.0f) {}

  Status Run(int64_t steps) {
    const Shape states{sizes_.steps, sizes_.batch, sizes_.cell};
    RAMET_ASSIGN_OR_RETURN(const auto saved, SavedActivations<T>(c_, LstmKind::kBlock, states));
    RAMET_ASSIGN_OR_RETURN(const auto grads, OutputGradients<T>(c_, states));
    RAMET_RETURN_IF_ERROR(Allocate());
    if (steps > 0) RAMET_RETURN_IF_ERROR(AllocateScratch());
    for (int64_t t = steps - 1; t >= 0 && !StopDue(); --t) {
      const int64_t at = t * sizes_.state();
      const T* const cs_prev = t == 0 ? c_.input(2).data<T>() : saved.cs + at - sizes_.state();
      const T* const h_prev = t == 0 ? c_.input(3).data<T>() : saved.h + at - sizes_.state();
      Add(grads.first + at, outputs_[1]->template data<T>(), cs_grad_);
      Add(grads.second + at, outputs_[2]->template data<T>(), h_grad_);
      Step(t, cs_prev, h_prev, saved.At(at));
    }
    WriteBias();
    return sums_.template Write<T>(c_, 4, 5);
  }

 private:
  // Outputs 0 to 3 and 7: gradients of x, cs_prev, h_prev, w and b, which start with zeros.
  Status Allocate() {
    for (const auto& [output, input] :
         {std::pair(0, 1), std::pair(1, 2), std::pair(2, 3), std::pair(3, 4), std::pair(7, 8)}) {
      RAMET_ASSIGN_OR_RETURN(outputs_[output],
                             c_.Allocate(output, DTypeOf<T>::value, c_.input(input).shape()));
      std::ranges::fill(outputs_[output]->template mutable_flat<T>(), T(0));
    }
    return OkStatus();
  }

  Status AllocateScratch() {
    const DType type = DTypeOf<T>::value;
    const Shape state{sizes_.batch, sizes_.cell}, joint{sizes_.batch, sizes_.inputs()};
    RAMET_ASSIGN_OR_RETURN(cs_grad_, c_.AllocateTemp(type, state));
    RAMET_ASSIGN_OR_RETURN(h_grad_, c_.AllocateTemp(type, state));
    RAMET_ASSIGN_OR_RETURN(columns_, c_.AllocateTemp(type, Shape{sizes_.batch, sizes_.columns()}));
    RAMET_ASSIGN_OR_RETURN(xh_, c_.AllocateTemp(type, joint));
    RAMET_ASSIGN_OR_RETURN(xh_grad_, c_.AllocateTemp(type, joint));
    return OkStatus();
  }

  static void Add(const T* a, const T* b, Tensor& sum) {
    T* const out = sum.mutable_data<T>();
    for (int64_t k = 0; k < sum.num_elements(); ++k) out[k] = T(float(a[k]) + float(b[k]));
  }

  void Step(int64_t t, const T* cs_prev, const T* h_prev, const LstmActivations<const T*>& saved) {
    const LstmWeights<T> weights = WeightsOf<T>(c_, 1);
    T* const columns = columns_.mutable_data<T>();
    T* const xh = xh_.mutable_data<T>();
    LstmBackprop(settings_, sizes_, weights, cs_prev, saved,
                 LstmBackward<T>{cs_grad_.data<T>(), h_grad_.data<T>(), columns,
                                 outputs_[1]->template mutable_data<T>(), sums_.wci(), sums_.wcf(),
                                 sums_.wco()});
    linalg::Gemm(false, true, sizes_.batch, sizes_.inputs(), sizes_.columns(), columns, weights.w,
                 xh_grad_.mutable_data<T>());
    SplitRows(t);
    const T* const x = c_.input(1).data<T>() + t * sizes_.batch * sizes_.input;
    JoinRows(sizes_.batch, x, sizes_.input, h_prev, sizes_.cell, xh);
    linalg::Gemm(true, false, sizes_.inputs(), sizes_.columns(), sizes_.batch, xh, columns,
                 outputs_[3]->template mutable_data<T>(), {.accumulate = true});
    const T* column = columns;
    for (int64_t row = 0; row < sizes_.batch; ++row) {
      for (float& sum : bias_) sum += float(*column++);
    }
  }

  // Copies the gradients of x and h_prev out of those of their concatenation.
  void SplitRows(int64_t t) {
    T* x_grad = outputs_[0]->template mutable_data<T>() + t * sizes_.batch * sizes_.input;
    T* h_grad = outputs_[2]->template mutable_data<T>();
    const T* from = xh_grad_.data<T>();
    for (int64_t row = 0; row < sizes_.batch; ++row, from += sizes_.inputs()) {
      x_grad = std::copy_n(from, sizes_.input, x_grad);
      h_grad = std::copy_n(from + sizes_.input, sizes_.cell, h_grad);
    }
  }

  void WriteBias() {
    std::ranges::transform(bias_, outputs_[7]->template mutable_data<T>(),
                           [](float sum) { return T(sum); });
  }

  KernelContext& c_;
  const LstmSettings& settings_;
  const LstmSizes& sizes_;
  PeepholeSums sums_;
  std::array<Tensor*, 8> outputs_ = {};
  Tensor cs_grad_, h_grad_, columns_, xh_, xh_grad_;
  std::vector<float> bias_;
};

template <class T, LstmKind kKind>
class BlockGradKernel final : public Kernel {
 public:
  explicit BlockGradKernel(const AttrMap& attrs) : settings_(SettingsOf(attrs, kKind)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<BlockGradKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const LstmSizes sizes, CheckInputs(c, kKind, settings_.peephole));
    RAMET_ASSIGN_OR_RETURN(const int64_t steps, StepsToRun(c, kKind, sizes));
    return BlockBackprop<T>(c, settings_, sizes).Run(sizes.state() == 0 ? 0 : steps);
  }

 private:
  const LstmSettings settings_;
};

template <class T>
using LstmCellKernel = LstmKernel<T, LstmKind::kCell>;
template <class T>
using BlockLstmKernel = LstmKernel<T, LstmKind::kBlock>;
template <class T>
using BlockLstmV2Kernel = LstmKernel<T, LstmKind::kBlockV2>;
template <class T>
using BlockLstmGradKernel = BlockGradKernel<T, LstmKind::kBlock>;
template <class T>
using BlockLstmGradV2Kernel = BlockGradKernel<T, LstmKind::kBlockV2>;

Status LstmCellShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape x, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape cs_prev, c.WithRank(1, 2));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape{x.dim(0), cs_prev.dim(1)});
  return OkStatus();
}

Status LstmCellGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape x, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape cs_prev, c.WithRank(1, 2));
  const int64_t cell = cs_prev.dim(1);
  int64_t gates = Shape::kUnknownDim;
  if (cell >= 0 && !MultiplyNonNegative(4, cell, &gates)) {
    return InvalidArgument("cs_prev has ", cell, " columns, which is too many for four gates");
  }
  c.set_output(0, Shape{x.dim(0), cell});
  c.set_output(1, Shape{x.dim(0), gates});
  constexpr int kFirst = 4;  // wci, followed by wcf and wco
  for (int i = 0; i < 3; ++i) {
    RAMET_ASSIGN_OR_RETURN(const Shape peephole, c.WithRank(kFirst + i, 1));
    c.set_output(2 + i, Shape{peephole.dim(0) < 0 ? cell : peephole.dim(0)});
  }
  return OkStatus();
}

Status BlockLstmShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape x, c.WithRank(1, 3));
  RAMET_ASSIGN_OR_RETURN(const Shape b, c.WithRank(8, 1));
  const int64_t cell = b.dim(0) < 0 ? b.dim(0) : b.dim(0) / 4;
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, Shape{x.dim(0), x.dim(1), cell});
  }
  return OkStatus();
}

Status BlockLstmGradShape(ShapeContext& c) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};  // of x, cs_prev, h_prev, w, wci, wcf, wco, b
  for (int i = 0; i < c.num_outputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Shape input, c.WithRank(i + 1, kRanks[i]));
    c.set_output(i, std::move(input));
  }
  return OkStatus();
}

Status LstmCellGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const bool peephole, c.attr<bool>("use_peephole"));
  const Output x = c.input(0), cs_prev = c.input(1), h_prev = c.input(2), w = c.input(3);
  const Shape x_shape = x.shape(), cs_shape = cs_prev.shape();
  const int64_t input = x_shape.rank() == 2 ? x_shape.dim(1) : -1;
  const int64_t cell = cs_shape.rank() == 2 ? cs_shape.dim(1) : -1;
  if (input < 0) return InvalidArgument("input_size from `x` must be statically known.");
  if (cell < 0) return InvalidArgument("cell_size from `cs_prev` must be statically known.");
  std::vector<Input> inputs;
  for (int i = 0; i < kLstmInputs; ++i) inputs.emplace_back(c.input(i));
  for (int i = 0; i < kLstmOutputs - 1; ++i) inputs.emplace_back(c.output(i));
  inputs.emplace_back(c.grad(1));
  inputs.emplace_back(c.grad(6));
  const Operation step = c.AddOperation("LSTMBlockCellGrad", inputs, {{"use_peephole", peephole}});
  if (!step.valid()) return c.Return(std::vector<Gradient>(kLstmInputs));
  const Output columns = step.output(1);
  const Output xh_grad = c.Add("MatMul", {columns, w}, {{"transpose_b", true}});
  const std::vector<int64_t> zero = {0, 0}, at = {0, input}, all = {x_shape.dim(0), input},
                             states = {x_shape.dim(0), cell};
  const Output x_grad = c.Add("Slice", {xh_grad, Int32Vector(c, zero), Int32Vector(c, all)});
  const Output h_grad = c.Add("Slice", {xh_grad, Int32Vector(c, at), Int32Vector(c, states)});
  const Output xh = c.Add("ConcatV2", {x, h_prev, Tensor(int32_t{1})}, {{"N", 2}}, "concat");
  const Output w_grad = c.Add("MatMul", {xh, columns}, {{"transpose_a", true}});
  const Output b_grad = c.Add("BiasAddGrad", {columns});
  return c.Return({x_grad, step.output(0), h_grad, w_grad, step.output(2), step.output(3),
                   step.output(4), b_grad});
}

// TensorFlow uses BlockLSTMGrad for BlockLSTMV2 too, although the order of its gates is different.
Status BlockLstmGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const bool peephole, c.attr<bool>("use_peephole"));
  std::vector<Input> inputs;
  for (int i = 0; i < c.num_inputs(); ++i) inputs.emplace_back(c.input(i));
  for (int i = 0; i < kLstmOutputs; ++i) inputs.emplace_back(c.output(i));
  inputs.emplace_back(c.grad(1));
  inputs.emplace_back(c.grad(6));
  const Operation all = c.AddOperation("BlockLSTMGrad", inputs, {{"use_peephole", peephole}});
  std::vector<Gradient> gradients(c.num_inputs());
  for (int i = 1; all.valid() && i < c.num_inputs(); ++i) gradients[i] = all.output(i - 1);
  return c.Return(std::move(gradients));
}

#define RAMET_LSTM_INPUTS  \
  Input("x: T")            \
      .Input("cs_prev: T") \
      .Input("h_prev: T")  \
      .Input("w: T")       \
      .Input("wci: T")     \
      .Input("wcf: T")     \
      .Input("wco: T")     \
      .Input("b: T")
#define RAMET_LSTM_OUTPUTS \
  Output("i: T")           \
      .Output("cs: T")     \
      .Output("f: T")      \
      .Output("o: T")      \
      .Output("ci: T")     \
      .Output("co: T")     \
      .Output("h: T")
#define RAMET_LSTM_SAVED(last) \
  Input("i: T").Input("cs: T").Input("f: T").Input("o: T").Input("ci: T").Input("co: T") last
#define RAMET_BLOCK_LSTM_GRADS    \
  Output("x_grad: T")             \
      .Output("cs_prev_grad: T")  \
      .Output("h_prev_grad: T")   \
      .Output("w_grad: T")        \
      .Output("wci_grad: T")      \
      .Output("wcf_grad: T")      \
      .Output("wco_grad: T")      \
      .Output("b_grad: T")        \
      .Attr("use_peephole: bool") \
      .Attr("T: {half, float}")

RAMET_OP("LSTMBlockCell")
    .RAMET_LSTM_INPUTS.RAMET_LSTM_OUTPUTS.Attr("forget_bias: float = 1")
    .Attr("cell_clip: float = 3")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .Doc(
        "Computes one step of an LSTM layer for x [batch, input] and the state cs_prev, h_prev "
        "[batch, cell]. With the four parts i, ci, f and o of [x, h_prev] * w + b (w is [input + "
        "cell, 4 * cell]): i = sigmoid(i + cs_prev * wci), ci = tanh(ci), f = sigmoid(f + "
        "forget_bias + cs_prev * wcf), cs = ci * i + cs_prev * f, limited to [-cell_clip, "
        "cell_clip] if cell_clip > 0, o = sigmoid(o + cs * wco), co = tanh(cs), h = co * o. The "
        "peephole vectors wci, wcf and wco are [cell] and used only with use_peephole. Error: the "
        "shapes do not fit together.")
    .Shape(LstmCellShape)
    .Gradient(LstmCellGradient)
    .CpuKernelClasses<LstmCellKernel, Half, float>();

RAMET_OP("LSTMBlockCellGrad")
    .RAMET_LSTM_INPUTS.RAMET_LSTM_SAVED(.Input("cs_grad: T"))
    .Input("h_grad: T")
    .Output("cs_prev_grad: T")
    .Output("dicfo: T")
    .Output("wci_grad: T")
    .Output("wcf_grad: T")
    .Output("wco_grad: T")
    .Attr("use_peephole: bool")
    .Attr("T: {half, float}")
    .Doc(
        "Returns gradients of LSTMBlockCell: of cs_prev, of [x, h_prev] * w + b and of the "
        "peephole vectors (zero without use_peephole). Error: the shapes do not fit together.")
    .Shape(LstmCellGradShape)
    .CpuKernelClasses<LstmCellGradKernel, Half, float>();

RAMET_OP("BlockLSTM")
    .Input("seq_len_max: int64")
    .RAMET_LSTM_INPUTS.RAMET_LSTM_OUTPUTS.Attr("forget_bias: float = 1")
    .Attr("cell_clip: float = 3")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .HostMemory({"seq_len_max"})
    .Doc(
        "Computes the first seq_len_max steps of an LSTM layer for x [time, batch, input], like "
        "LSTMBlockCell. The outputs are [time, batch, cell], zero for later steps. Error: the "
        "shapes do not fit together; seq_len_max is not in [0, time].")
    .Shape(BlockLstmShape)
    .Gradient(BlockLstmGradient)
    .CpuKernelClasses<BlockLstmKernel, Half, float>();

RAMET_OP("BlockLSTMV2")
    .Input("seq_len_max: int64")
    .RAMET_LSTM_INPUTS.RAMET_LSTM_OUTPUTS.Attr("cell_clip: float = 0")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .HostMemory({"seq_len_max"})
    .Doc(
        "BlockLSTM with the parts of [x, h_prev] * w + b in the order i, f, ci, o and without a "
        "bias of the forget gate. Error: the same as BlockLSTM.")
    .Shape(BlockLstmShape)
    .Gradient(BlockLstmGradient)
    .CpuKernelClasses<BlockLstmV2Kernel, Half, float>();

RAMET_OP("BlockLSTMGrad")
    .Input("seq_len_max: int64")
    .RAMET_LSTM_INPUTS.RAMET_LSTM_SAVED(.Input("h: T").Input("cs_grad: T"))
    .Input("h_grad: T")
    .RAMET_BLOCK_LSTM_GRADS.HostMemory({"seq_len_max"})
    .Doc(
        "Returns the gradients of BlockLSTM for its inputs other than seq_len_max. Error: the "
        "shapes do not fit together; seq_len_max is not in [0, time].")
    .Shape(BlockLstmGradShape)
    .CpuKernelClasses<BlockLstmGradKernel, Half, float>();

RAMET_OP("BlockLSTMGradV2")
    .Input("seq_len_max: int64")
    .RAMET_LSTM_INPUTS.RAMET_LSTM_SAVED(.Input("h: T").Input("cs_grad: T"))
    .Input("h_grad: T")
    .RAMET_BLOCK_LSTM_GRADS.HostMemory({"seq_len_max"})
    .Doc("Returns the gradients of BlockLSTMV2. Error: the same as BlockLSTMGrad.")
    .Shape(BlockLstmGradShape)
    .CpuKernelClasses<BlockLstmGradV2Kernel, Half, float>();

}  // namespace
}  // namespace ramet
