#include <algorithm>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/op/device_rows.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Local response normalization: divides each element by a power of a sum of the squares of its
// neighbors along the last dimension.

namespace ramet {
namespace {

struct LrnAttrs {
  explicit LrnAttrs(const AttrMap& attrs)
      : radius(attrs.GetOr("depth_radius", int64_t{5})),
        bias(attrs.GetOr("bias", 1.0f)),
        alpha(attrs.GetOr("alpha", 1.0f)),
        beta(attrs.GetOr("beta", 0.5f)) {}

  int64_t radius;
  float bias, alpha, beta;
};

// Rows with zeros between them, so that sums of neighbors can be computed as for one long row.
class PaddedRows {
 public:
  PaddedRows(int64_t rows, int64_t depth, int64_t radius)
      : radius_(std::min(radius, depth - 1)),
        stride_(depth + radius_),
        span_(rows * stride_ + 3 * radius_) {}
  int64_t stride() const { return stride_; }
  // Returns the number of elements that SetRoom needs.
  int64_t room() const { return kSpans * span_; }
  void SetRoom(float* room) {
    terms_ = room;
    std::fill_n(terms_, span_, 0.0f);
  }
  float* row(int64_t r) { return terms_ + radius_ + r * stride_; }

  // Sets sums[r * stride() + i] to the sum of the terms of row r at most `radius` away from i. It
  // is built from sums of 1, 2, 4, ... neighbors.
  void Sum(int64_t rows, float* sums) {
    const int64_t n = rows * stride_;
    const float* run = terms_;
    float *next = terms_ + span_, *spare = next + span_;
    std::fill_n(sums, n, 0.0f);
    int64_t length = n + 2 * radius_, begin = 0;
    for (int64_t width = 1, rest = 2 * radius_ + 1;; width *= 2) {
      if (rest % 2 != 0) {
        linalg::AddTo(linalg::Type::kFloat, run + begin, sums, n);
        begin += width;
      }
      rest /= 2;
      if (rest == 0) return;
      length -= width;
      linalg::Binary(linalg::BinaryOp::kAdd, linalg::Type::kFloat, run, run + width, next, length);
      run = next;
      std::swap(next, spare);
    }
  }

 private:
  static constexpr int kSpans = 3;
  const int64_t radius_, stride_, span_;
  float* terms_ = nullptr;
};

// Computes y = norm^-beta.
void Powers(const LrnAttrs& a, const float* norm, float* y, int64_t n) {
  constexpr linalg::Type kFloat = linalg::Type::kFloat;
  if (a.beta == 0.5f) {
    linalg::Unary(linalg::UnaryOp::kRsqrt, kFloat, norm, y, n);
  } else if (a.beta == 1) {
    linalg::Unary(linalg::UnaryOp::kReciprocal, kFloat, norm, y, n);
  } else {
    linalg::Unary(linalg::UnaryOp::kLog, kFloat, norm, y, n);
    for (int64_t i = 0; i < n; ++i) y[i] *= -a.beta;
    linalg::Unary(linalg::UnaryOp::kExp, kFloat, y, y, n);
  }
}

// Rows that are processed together, and their buffers.
class Batch {
 public:
  Batch(const LrnAttrs& attrs, int64_t depth)
      : a_(attrs),
        depth_(depth),
        rows_(std::max<int64_t>(1, kElements / depth)),
        terms_(rows_, depth, attrs.radius) {
    const int64_t n = rows_ * terms_.stride();
    norm_ = static_cast<float*>(
        linalg::Scratch(linalg::ScratchUse::kWindowSums,
                        (2 * n + terms_.room()) * static_cast<int64_t>(sizeof(float))));
    power_ = norm_ + n;
    terms_.SetRoom(power_ + n);
  }
  int64_t rows() const { return rows_; }

  template <class T>
  void Normalize(const T* x, int64_t rows, T* y) {
    FindNorms(x, rows);
    for (int64_t r = 0; r < rows; ++r, x += depth_, y += depth_) {
      const float* power = power_ + r * terms_.stride();
      for (int64_t i = 0; i < depth_; ++i) {
        y[i] = static_cast<T>(static_cast<float>(x[i]) * power[i]);
      }
    }
  }

  // Computes dx = dy / norm^beta - 2 alpha beta x * (the sum of dy y / norm around it).
  template <class T>
  void Grad(const T* dy, const T* x, const T* y, int64_t rows, T* dx) {
    FindNorms(x, rows);
    for (int64_t r = 0; r < rows; ++r) {
      const float* norm = norm_ + r * terms_.stride();
      float* terms = terms_.row(r);
      for (int64_t i = 0, at = r * depth_; i < depth_; ++i, ++at) {
        terms[i] = static_cast<float>(dy[at]) * static_cast<float>(y[at]) / norm[i];
      }
    }
    terms_.Sum(rows, norm_);
    const float factor = -2 * a_.alpha * a_.beta;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t first = r * terms_.stride();
      for (int64_t i = 0, at = r * depth_; i < depth_; ++i, ++at) {
        dx[at] = static_cast<T>(static_cast<float>(dy[at]) * power_[first + i] +
                                factor * static_cast<float>(x[at]) * norm_[first + i]);
      }
    }
  }

 private:
  static constexpr int64_t kElements = 4096;

  // Computes norm = bias + alpha * sum of squares, and power = norm^-beta, in rows like the terms.
  template <class T>
  void FindNorms(const T* x, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r) {
      float* terms = terms_.row(r);
      for (int64_t i = 0; i < depth_; ++i) {
        const float value = static_cast<float>(x[r * depth_ + i]);
        terms[i] = value * value;
      }
    }
    const int64_t n = rows * terms_.stride();
    terms_.Sum(rows, norm_);
    for (int64_t i = 0; i < n; ++i) norm_[i] = a_.bias + a_.alpha * norm_[i];
    Powers(a_, norm_, power_, n);
  }

  const LrnAttrs& a_;
  const int64_t depth_, rows_;
  PaddedRows terms_;
  float *norm_, *power_;
};

// The kernel of LRN (one input) and LRNGrad (three inputs).
template <class T>
class LrnKernel final : public Kernel {
 public:
  explicit LrnKernel(const AttrMap& attrs) : attrs_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const int64_t radius = LrnAttrs(*node.attrs).radius;
    if (radius < 0 || radius > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("depth_radius = ", radius, " larger than int max or negative");
    }
    return std::unique_ptr<Kernel>(std::make_unique<LrnKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    if (in.rank() != 4) return InvalidArgument("in must be 4-dimensional: ", in.shape());
    for (int i = 1; i < c.num_inputs(); ++i) {
      if (c.input(i).shape() == in.shape()) continue;
      return InvalidArgument("input_grads, input_image and output_image must have the same shape: ",
                             in.shape(), " and ", c.input(i).shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, in.dtype(), in.shape()));
    const int64_t depth = in.dim(3);
    if (in.num_elements() == 0) return OkStatus();
    const bool grad = c.num_inputs() == 3;
    if (const DeviceRows* rows = DeviceRows::Of(*out)) return OnDevice(c, *rows, *out);
    constexpr int64_t kGrainElements = 1 << 11;
    linalg::ParallelFor(
        in.num_elements() / depth, kGrainElements / depth + 1, [&](int64_t begin, int64_t end) {
          Batch batch(attrs_, depth);
          for (int64_t row = begin; row < end; row += batch.rows()) {
            const int64_t rows = std::min(batch.rows(), end - row), at = row * depth;
            T* y = out->mutable_data<T>() + at;
            if (grad) {
              batch.Grad(in.data<T>() + at, c.input(1).data<T>() + at, c.input(2).data<T>() + at,
                         rows, y);
            } else {
              batch.Normalize(in.data<T>() + at, rows, y);
            }
          }
        });
    return OkStatus();
  }

 private:
  Status OnDevice(KernelContext& c, const DeviceRows& rows, Tensor& out) const {
    const NeighborNorm norm = {attrs_.radius, attrs_.bias, attrs_.alpha, attrs_.beta};
    if (c.num_inputs() == 1) return rows.NormalizeNeighbors(norm, c.input(0), out);
    return rows.NormalizeNeighborsGrad(norm, c.input(0), c.input(1), c.input(2), out);
  }

  const LrnAttrs attrs_;
};

Status LrnShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 4));
  for (int i = 1; i < c.num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(x, x.MergeWith(c.input(i)));
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status LrnGradient(GradientContext& c) {
  AttrMap attrs;
  const auto own = c.op().attrs();
  for (const char* name : {"depth_radius", "bias", "alpha", "beta"}) {
    if (const Attr* value = own->Find(name)) attrs.Set(name, *value);
  }
  return c.Return({c.Add("LRNGrad", {c.grad(), c.input(0), c.output()}, std::move(attrs))});
}

RAMET_OP("LRN")
    .Input("input: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = float")
    .Doc(
        "Returns input / (bias + alpha * s)^beta, where s is the sum of the squares of the "
        "elements at most depth_radius away along the last dimension. The output has the shape of "
        "the input. Error: the rank is not 4; depth_radius is negative.")
    .Shape(LrnShape)
    .Gradient(LrnGradient)
    .CpuKernelClasses<LrnKernel, BFloat16, Half, float>();

RAMET_OP("LRNGrad")
    .Input("input_grads: T")
    .Input("input_image: T")
    .Input("output_image: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = float")
    .Doc(
        "Returns the gradient of LRN for its input, given the gradient input_grads of its output. "
        "Error: the shapes differ; the rank is not 4; depth_radius is negative.")
    .Shape(LrnShape)
    .CpuKernelClasses<LrnKernel, BFloat16, Half, float>();

}  // namespace
}  // namespace ramet
