#include <cstring>

#include "ramet/linalg/bias.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/op/channel_steps.h"
#include "ramet/op/epilogue.h"
#include "ramet/op/op.h"
#include "ramet/op/weights_kernel.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/packed_weights.h"
#include "ramet/ops/math/types.h"

// MatMul: the product of two matrices.

namespace ramet {
namespace {

class MatMulKernel final : public Kernel, public EpilogueKernel, public WeightsKernel {
 public:
  explicit MatMulKernel(const KernelNode& node)
      : transpose_a_(node.attrs->GetOr("transpose_a", false)),
        transpose_b_(node.attrs->GetOr("transpose_b", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<MatMulKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Shape& a = c.input(0).shape();
    const Shape& b = c.input(1).shape();
    for (int i = 0; i < 2; ++i) {
      if (c.input(i).rank() != 2) {
        return InvalidArgument("In[", i, "] is not a matrix. Instead it has shape ",
                               c.input(i).shape());
      }
    }
    const int64_t m = a.dim(transpose_a_ ? 1 : 0), k = a.dim(transpose_a_ ? 0 : 1);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument("Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, c.input(0).dtype(), Shape{m, n}));
    if (m == 0 || n == 0) return OkStatus();
    linalg::Gemm(LinalgType(y->dtype()), transpose_a_, transpose_b_, m, n, k, c.input(0).raw_data(),
                 c.input(1).raw_data(), y->raw_data());
    return OkStatus();
  }

  bool ComputeWith(Epilogue epilogue, KernelContext& c) override {
    return ComputeFused(epilogue, c, nullptr);
  }
  bool ComputeWithWeights(Epilogue epilogue, KernelContext& c) override {
    if (c.num_outputs() > 1) return ComputePieces(epilogue, c);
    return ComputeFused(epilogue, c, &weights_);
  }

  bool ComputeWithSteps(std::span<const ChannelStep> steps, KernelContext& c) override {
    return ComputeSteps(steps, c, nullptr);
  }
  bool CanSplitColumns() const override { return true; }
  bool ComputeStepsWithWeights(std::span<const ChannelStep> steps, KernelContext& c) override {
    return ComputeSteps(steps, c, &weights_);
  }

 private:
  struct Sizes {
    int64_t m, n, k;
  };
  // Returns false if the inputs are not valid matrices of float, or the result is empty.
  bool FindSizes(const KernelContext& c, Sizes* s) const {
    const Tensor &a = c.input(0), &b = c.input(1);
    if (a.dtype() != kFloat || a.rank() != 2 || b.rank() != 2) return false;
    *s = {a.dim(transpose_a_ ? 1 : 0), b.dim(transpose_b_ ? 0 : 1), a.dim(transpose_a_ ? 0 : 1)};
    return s->k == b.dim(transpose_b_ ? 1 : 0) && s->m > 0 && s->n > 0;
  }

  // `weights`, if not null, keeps b packed.
  bool ComputeFused(Epilogue epilogue, KernelContext& c, PackedWeights* weights) {
    Sizes s;
    if (!FindSizes(c, &s)) return false;
    const auto [m, n, k] = s;
    const Tensor &a = c.input(0), &b = c.input(1);
    const Shape shape{m, n};
    const linalg::RightOperand right{transpose_b_, n, k, b.data<float>()};
    if (epilogue == Epilogue::kNone) {
      auto y = c.Allocate(0, kFloat, shape);
      if (y.ok()) Multiply(m, a, b, right, {}, weights, (*y)->mutable_data<float>());
      return y.ok();
    }
    const Tensor& addend = c.input(2);
    if (addend.empty()) return false;
    const bool row = addend.rank() == 1 && addend.dim(0) == n;
    if (!row && addend.shape() != shape) return false;
    auto y = row ? c.Allocate(0, kFloat, shape) : c.ForwardOrAllocate(0, {2}, kFloat, shape);
    if (!y.ok()) return false;
    float* data = static_cast<float*>((*y)->raw_data());
    const float* added = addend.data<float>();
    if (!row && added != data) std::memcpy(data, added, m * n * sizeof(float));
    Multiply(
        m, a, b, right,
        {.accumulate = !row, .bias = row ? added : nullptr, .relu = epilogue == Epilogue::kAddRelu},
        weights, data);
    return true;
  }

  bool ComputeSteps(std::span<const ChannelStep> steps, KernelContext& c, PackedWeights* weights) {
    Sizes s;
    if (!FindSizes(c, &s)) return false;
    const Tensor &a = c.input(0), &b = c.input(1);
    const Shape shape{s.m, s.n};
    linalg::ChannelEpilogue epilogue;
    if (!ResolveChannelSteps(steps, c, 2, shape, &epilogue)) return false;
    const auto y = c.Allocate(0, kFloat, shape);
    if (!y.ok()) return false;
    float* const data = (*y)->mutable_data<float>();
    Multiply(s.m, a, b, {transpose_b_, s.n, s.k, b.data<float>()}, {}, weights, data);
    linalg::ApplyEpilogue(s.m, s.n, epilogue, data);
    return true;
  }

  // Computes equal parts of the columns of the result.
  bool ComputePieces(Epilogue epilogue, KernelContext& c) {
    constexpr int kMaxPieces = 8;
    const int num_pieces = c.num_outputs();
    Sizes s;
    if (!FindSizes(c, &s) || num_pieces > kMaxPieces || s.n % num_pieces != 0) return false;
    const float* bias = nullptr;
    if (epilogue != Epilogue::kNone) {
      if (c.input(2).rank() != 1 || c.input(2).dim(0) != s.n) return false;
      bias = c.input(2).data<float>();
    }
    float* pieces[kMaxPieces];
    const Shape shape{s.m, s.n / num_pieces};
    for (int i = 0; i < num_pieces; ++i) {
      auto piece = c.Allocate(i, kFloat, shape);
      if (!piece.ok()) return false;
      pieces[i] = (*piece)->mutable_data<float>();
    }
    return MultiplyToPieces(s, c, {.bias = bias, .relu = epilogue == Epilogue::kAddRelu}, pieces);
  }

  bool MultiplyToPieces(const Sizes& s, KernelContext& c, linalg::PackedGemmOptions options,
                        float* const* pieces) {
    const Tensor &a = c.input(0), &b = c.input(1);
    const linalg::RightOperand right{transpose_b_, s.n, s.k, b.data<float>()};
    const int64_t columns = s.n / c.num_outputs();
    options.pieces = pieces;
    options.piece_columns = columns;
    if (!transpose_a_ && weights_.Multiply(s.m, a.data<float>(), b, right, options, nullptr)) {
      return true;
    }
    auto whole = c.AllocateTemp(kFloat, Shape{s.m, s.n});
    if (!whole.ok()) return false;
    options.pieces = nullptr;
    float* const from = whole->mutable_data<float>();
    Multiply(s.m, a, b, right, options, nullptr, from);
    for (int64_t i = 0; i < s.m * c.num_outputs(); ++i) {
      const int64_t row = i / c.num_outputs();
      std::memcpy(pieces[i % c.num_outputs()] + row * columns, from + i * columns,
                  columns * sizeof(float));
    }
    return true;
  }

  void Multiply(int64_t m, const Tensor& a, const Tensor& b, const linalg::RightOperand& right,
                const linalg::PackedGemmOptions& options, PackedWeights* weights, float* y) const {
    if (weights != nullptr && !transpose_a_ &&
        weights->Multiply(m, a.data<float>(), b, right, options, y)) {
      return;
    }
    linalg::Gemm(transpose_a_, transpose_b_, m, right.n, right.k, a.data<float>(), right.data, y,
                 {.accumulate = options.accumulate});
    if (options.bias != nullptr) {
      linalg::AddBias(linalg::Type::kFloat, m, right.n, options.bias, options.relu, y);
    } else if (options.relu) {
      linalg::Unary(linalg::UnaryOp::kRelu, linalg::Type::kFloat, y, y, m * right.n);
    }
  }

  const bool transpose_a_;
  const bool transpose_b_;
  PackedWeights weights_;
};

template <class T>
using MatMulKernelOf = MatMulKernel;

Status MatMulShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape a, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(Shape b, c.WithRank(1, 2));
  RAMET_ASSIGN_OR_RETURN(bool transpose_a, c.attr<bool>("transpose_a"));
  RAMET_ASSIGN_OR_RETURN(bool transpose_b, c.attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1), inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("Dimensions must be equal, but are ", inner_a, " and ", inner_b,
                           " (the matrices have shapes ", a, " and ", b, ")");
  }
  c.set_output(0, {a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
  return OkStatus();
}

// With y = op(a) op(b), each gradient is a product of the incoming gradient and the other operand,
// written so that nothing is transposed twice.
Status MatMulGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool transpose_a, c.attr<bool>("transpose_a"));
  RAMET_ASSIGN_OR_RETURN(bool transpose_b, c.attr<bool>("transpose_b"));
  Output grad = c.grad();
  Output a = Conj(c, c.input(0));
  Output b = Conj(c, c.input(1));
  auto product = [&](Output x, Output y, bool transpose_x, bool transpose_y, const char* role) {
    return c.Add("MatMul", {x, y},
                 {{"transpose_a", transpose_x}, {"transpose_b", transpose_y}, {role, true}});
  };
  Output a_grad = transpose_a ? product(b, grad, transpose_b, true, "grad_a")
                              : product(grad, b, false, !transpose_b, "grad_a");
  Output b_grad = transpose_b ? product(grad, a, true, transpose_a, "grad_b")
                              : product(a, grad, !transpose_a, false, "grad_b");
  return c.Return({a_grad, b_grad});
}

RAMET_OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, "
        "complex64, complex128}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .Doc(
        "Returns the product [m, n] of the matrices a, [m, k], and b, [k, n]. With transpose_a, a "
        "is [k, m]; with transpose_b, b is [n, k]. Transposing does not conjugate. grad_a and "
        "grad_b only mark the node as a gradient. Integers wrap. Error: an input is not a matrix; "
        "the inner dimensions differ.")
    .Shape(MatMulShape)
    .Gradient(MatMulGradient)
    .CpuKernelClasses<MatMulKernelOf, RAMET_FLOATS, int32_t, int64_t, RAMET_UNSIGNED,
                      RAMET_COMPLEX>();

}  // namespace
}  // namespace ramet
