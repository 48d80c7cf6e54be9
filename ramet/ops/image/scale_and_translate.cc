#include <algorithm>
#include <limits>

#include "ramet/base/run_interrupt.h"
#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/image/sampling_spans.h"
#include "ramet/ops/math/types.h"

// Resampling images with a filter.

namespace ramet {
namespace {

struct SamplingMode {
  static StatusOr<SamplingMode> Of(const AttrMap& attrs) {
    const std::string name = attrs.GetOr<std::string>("kernel_type", "lanczos3");
    RAMET_ASSIGN_OR_RETURN(const SamplingKernel kernel, SamplingKernel::Named(name));
    return SamplingMode{kernel, attrs.GetOr("antialias", true)};
  }

  SamplingKernel kernel;
  bool antialias;
};

// The sizes of a resampling, and its axes.
struct Sampling {
  int64_t batch, channels;
  SampledAxis rows, columns;
};

struct FloatPair {
  float row, column;
};

StatusOr<FloatPair> ReadPair(const Tensor& t) {
  if (t.rank() != 1) return InvalidArgument("t must be 1-dimensional", t.shape());
  if (t.dim(0) != 2) return InvalidArgument("t must have two elements", t.shape());
  return FloatPair{t.data<float>()[0], t.data<float>()[1]};
}

// Sets scale and translation from inputs 2 and 3.
Status ReadScale(const KernelContext& c, Sampling* s) {
  RAMET_ASSIGN_OR_RETURN(const FloatPair scale, ReadPair(c.input(2)));
  if (!(scale.row > 0 && scale.column > 0)) {
    return InvalidArgument("Scale must be greater than zero.");
  }
  RAMET_ASSIGN_OR_RETURN(const FloatPair translation, ReadPair(c.input(3)));
  s->rows.scale = scale.row;
  s->columns.scale = scale.column;
  s->rows.translation = translation.row;
  s->columns.translation = translation.column;
  return OkStatus();
}

Status CheckSides(const Tensor& images) {
  constexpr int64_t kMaxSide = std::numeric_limits<int32_t>::max();
  if (images.dim(1) < kMaxSide && images.dim(2) < kMaxSide) return OkStatus();
  return InvalidArgument("input sizes must be between 0 and max int32");
}

StatusOr<Sampling> SamplingOf(const KernelContext& c) {
  const Tensor& images = c.input(0);
  if (images.rank() != 4) return InvalidArgument("input must be 4-dimensional", images.shape());
  RAMET_RETURN_IF_ERROR(CheckSides(images));
  RAMET_ASSIGN_OR_RETURN(const auto size, HeightAndWidth(c.input(1), "output_shape_t"));
  if (size.first < 1 || size.second < 1) {
    return InvalidArgument("output dimensions must be positive");
  }
  if (images.dim(3) < 1) return InvalidArgument("image must have at least one channel");
  if (images.dim(1) < 1 || images.dim(2) < 1) {
    return InvalidArgument("input image must be of non-zero size");
  }
  Sampling s{images.dim(0), images.dim(3), {}, {}};
  s.rows.in = images.dim(1);
  s.columns.in = images.dim(2);
  s.rows.out = size.first;
  s.columns.out = size.second;
  RAMET_RETURN_IF_ERROR(ReadScale(c, &s));
  return s;
}

StatusOr<Sampling> SamplingGradOf(const KernelContext& c) {
  const Tensor &grads = c.input(0), &original = c.input(1);
  if (grads.rank() != 4) return InvalidArgument("input_grad must be 4-dimensional", grads.shape());
  if (original.rank() != 4) {
    return InvalidArgument("original_image must be 4-dimensional", original.shape());
  }
  RAMET_RETURN_IF_ERROR(CheckSides(grads));
  RAMET_RETURN_IF_ERROR(CheckSides(original));
  Sampling s{grads.dim(0), grads.dim(3), {}, {}};
  s.rows.in = original.dim(1);
  s.columns.in = original.dim(2);
  s.rows.out = grads.dim(1);
  s.columns.out = grads.dim(2);
  RAMET_RETURN_IF_ERROR(ReadScale(c, &s));
  return s;
}

float* SampledRow(int64_t elements) {
  return static_cast<float*>(linalg::Scratch(linalg::ScratchUse::kResizedRows,
                                             elements * static_cast<int64_t>(sizeof(float))));
}

// out = the sum of rows of `image` with the weights of `span`.
template <class T>
void MixSpan(const Spans::Span& span, const T* image, int64_t row_elements, float* out) {
  std::fill_n(out, row_elements, 0.0f);
  const T* row = image + span.begin * row_elements;
  for (const float weight : span.weights) {
    for (int64_t i = 0; i < row_elements; ++i) out[i] += ToFloat(row[i]) * weight;
    row += row_elements;
  }
}

// Sets a row of the result from a row of the image.
void MixSpans(const Spans& spans, const float* row, int64_t channels, float* out) {
  for (int64_t x = 0; x < spans.size(); ++x, out += channels) {
    MixSpan(spans[x], row, channels, out);
  }
}

// Resamples a batch of images, whose rows have in_row elements.
template <class T>
void Resample(const Spans& rows, const Spans& columns, const Sampling& s, int64_t in_height,
              int64_t in_row, const T* images, float* out) {
  const int64_t height = rows.size(), out_row = columns.size() * s.channels;
  const StopCheck stop;
  linalg::ParallelFor(s.batch * height, 1, [&](int64_t begin, int64_t end) {
    float* mixed = SampledRow(in_row);
    for (int64_t row = begin; row < end && !stop.due(); ++row) {
      const T* image = images + row / height * in_height * in_row;
      MixSpan(rows[row % height], image, in_row, mixed);
      MixSpans(columns, mixed, s.channels, out + row * out_row);
    }
  });
}

template <class T>
class ScaleAndTranslateKernel final : public Kernel {
 public:
  explicit ScaleAndTranslateKernel(const SamplingMode& mode) : mode_(mode) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const SamplingMode mode, SamplingMode::Of(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<ScaleAndTranslateKernel>(mode));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Sampling s, SamplingOf(c));
    const Shape shape{s.batch, s.rows.out, s.columns.out, s.channels};
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kFloat, shape));
    if (y->num_elements() == 0) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(const Spans rows, Spans::Of(c, mode_.kernel, s.rows, mode_.antialias));
    RAMET_ASSIGN_OR_RETURN(const Spans columns,
                           Spans::Of(c, mode_.kernel, s.columns, mode_.antialias));
    Resample(rows, columns, s, s.rows.in, s.columns.in * s.channels, c.input(0).data<T>(),
             y->mutable_data<float>());
    return OkStatus();
  }

 private:
  const SamplingMode mode_;
};

class ScaleAndTranslateGradKernel final : public Kernel {
 public:
  explicit ScaleAndTranslateGradKernel(const SamplingMode& mode) : mode_(mode) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const SamplingMode mode, SamplingMode::Of(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<ScaleAndTranslateGradKernel>(mode));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Sampling s, SamplingGradOf(c));
    const Shape shape{s.batch, s.rows.in, s.columns.in, s.channels};
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, DType::kFloat, shape));
    if (dx->num_elements() == 0) return OkStatus();
    if (c.input(0).num_elements() == 0) {
      std::ranges::fill(dx->mutable_flat<float>(), 0.0f);
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(const Spans rows, GradientSpans(c, s.rows));
    RAMET_ASSIGN_OR_RETURN(const Spans columns, GradientSpans(c, s.columns));
    Resample(rows, columns, s, s.rows.out, s.columns.out * s.channels, c.input(0).data<float>(),
             dx->mutable_data<float>());
    return OkStatus();
  }

 private:
  StatusOr<Spans> GradientSpans(KernelContext& c, const SampledAxis& axis) const {
    RAMET_ASSIGN_OR_RETURN(const Spans spans, Spans::Of(c, mode_.kernel, axis, mode_.antialias));
    return spans.Transposed(c);
  }

  const SamplingMode mode_;
};

template <class T>
using ScaleAndTranslateGradKernelOf = ScaleAndTranslateGradKernel;

Status ScaleAndTranslateGradient(GradientContext& c) {
  const Output grad = c.grad();
  return c.Return({c.Add("ScaleAndTranslateGrad", {grad, c.input(0), c.input(2), c.input(3)},
                         AttrsNamed(c, {"kernel_type", "antialias"})),
                   Gradient(), Gradient(), Gradient()});
}

RAMET_OP("ScaleAndTranslate")
    .Input("images: T")
    .Input("size: int32")
    .Input("scale: float")
    .Input("translation: float")
    .Output("resized_images: float")
    .Attr("T: {" RAMET_RESIZE_TYPES ", bfloat16, half, float, double}")
    .Attr("kernel_type: string = 'lanczos3'")
    .Attr("antialias: bool = true")
    .Doc(
        "Returns images [batch, height, width, channels] scaled by `scale` and moved by "
        "`translation`, vectors of two numbers for rows and columns, and cut to `size`, a vector "
        "of height and width. Pixels are weighted by a filter: lanczos1, lanczos3, lanczos5, "
        "gaussian, box, triangle, keyscubic or mitchellcubic. With antialias, the filter is wider "
        "where the image shrinks. Error: the images are not of rank 4 or have no pixels or "
        "channels; a size or a scale is not positive; the filter is unknown.")
    .HostMemory({"size", "scale", "translation"})
    .Shape(ResizeShape)
    .Gradient(ScaleAndTranslateGradient)
    .CpuKernelClasses<ScaleAndTranslateKernel, RAMET_IMAGE_NUMBERS>();

RAMET_OP("ScaleAndTranslateGrad")
    .Input("grads: T")
    .Input("original_image: T")
    .Input("scale: float")
    .Input("translation: float")
    .Output("output: T")
    .Attr("T: {float}")
    .Attr("kernel_type: string = 'lanczos3'")
    .Attr("antialias: bool = true")
    .Doc(
        "Returns the gradient of ScaleAndTranslate for its images, of which original_image gives "
        "the height and width, from the gradients `grads` of its result. Error: an input is not "
        "of rank 4; a scale is not positive; the filter is unknown.")
    .HostMemory({"scale", "translation"})
    .Shape(ResizeGradShape)
    .CpuKernelClasses<ScaleAndTranslateGradKernelOf, float>();

}  // namespace
}  // namespace ramet
