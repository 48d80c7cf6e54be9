#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/fft.h"
#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/signal/fft_grad.h"

// Fourier transforms over the last one to three dimensions.

namespace ramet {
namespace {

constexpr int kMaxAxes = 3;

enum class Spectrum { kFull, kFromReal, kToReal };

// The kind of a transform op.
struct Kind {
  int axes;
  bool inverse;
  Spectrum spectrum;

  bool has_length() const { return spectrum != Spectrum::kFull; }
  // Returns the size of the last dimension of the complex side for a transform of n elements.
  int64_t Half(int64_t n) const { return n == 0 ? 0 : n / 2 + 1; }
};

// The sizes of one transform, aligned to the right: unused leading axes have size 1.
struct Sizes {
  int64_t batch = 1;
  std::array<int64_t, kMaxAxes> in = {1, 1, 1}, length = {1, 1, 1}, out = {1, 1, 1};

  double scale() const {
    double elements = 1;
    for (const int64_t n : length) elements *= static_cast<double>(n);
    return 1 / elements;
  }
};

// Work for one thread, in elements.
constexpr int64_t kMinPieceElements = 1 << 14;

int64_t Grain(int64_t length) { return std::max<int64_t>(1, kMinPieceElements / length); }

// Computes the transforms of one run of an op on elements of type std::complex<T>.
template <class T>
class Transformer {
 public:
  using Complex = std::complex<T>;

  Transformer(linalg::FftPool<T>& pool, const Sizes& sizes, bool inverse)
      : pool_(pool), sizes_(sizes), inverse_(inverse) {}

  // Calls transform(plan, in_row, out_row) for each row along the last dimension.
  template <class In, class Out, class Fn>
  void Rows(const In* in, Out* out, const Fn& transform) {
    const int64_t n0 = sizes_.length[0], n1 = sizes_.length[1], n2 = sizes_.length[2];
    const int64_t rows = sizes_.batch * n0 * n1;
    linalg::ParallelFor(rows, Grain(n2), [&](int64_t begin, int64_t end) {
      typename linalg::FftPool<T>::Lease plan(pool_, n2);
      for (int64_t row = begin; row < end && !stop_.due(); ++row) {
        const int64_t i = row / n1 % n0, j = row % n1, b = row / (n0 * n1);
        const int64_t in_row = (b * sizes_.in[0] + i) * sizes_.in[1] + j;
        const int64_t out_row = (b * sizes_.out[0] + i) * sizes_.out[1] + j;
        transform(plan, in + in_row * sizes_.in[2], out + out_row * sizes_.out[2]);
      }
    });
  }

  // Transforms `data`, of shape `dims`, along `axis`, in place.
  void Columns(Complex* data, const std::array<int64_t, kMaxAxes>& dims, int axis) {
    const int64_t n = dims[axis];
    if (n == 1) return;
    int64_t stride = 1, outer = sizes_.batch;
    for (int a = axis + 1; a < kMaxAxes; ++a) stride *= dims[a];
    for (int a = 0; a < axis; ++a) outer *= dims[a];
    linalg::ParallelFor(outer * stride, Grain(n), [&](int64_t begin, int64_t end) {
      typename linalg::FftPool<T>::Lease plan(pool_, n);
      std::vector<Complex> x(n), y(n);
      for (int64_t column = begin; column < end && !stop_.due(); ++column) {
        Complex* const first = data + column / stride * n * stride + column % stride;
        for (int64_t i = 0; i < n; ++i) x[i] = first[i * stride];
        Run(plan, x.data(), y.data());
        for (int64_t i = 0; i < n; ++i) first[i * stride] = y[i];
      }
    });
  }

  void Run(typename linalg::FftPool<T>::Lease& plan, const Complex* x, Complex* y) const {
    if (inverse_) {
      plan->Inverse(x, y);
    } else {
      plan->Forward(x, y);
    }
  }

 private:
  linalg::FftPool<T>& pool_;
  const Sizes& sizes_;
  const bool inverse_;
  const StopCheck stop_;
};

template <class T, class X>
void Scale(X* x, int64_t n, double factor) {
  const auto by = static_cast<T>(factor);
  for (int64_t i = 0; i < n; ++i) x[i] *= by;
}

Status CheckRank(const Kind& kind, const Shape& in) {
  if (in.rank() >= kind.axes) return OkStatus();
  return InvalidArgument("Input must have rank of at least ", kind.axes, " but got: ", in);
}

// Reads the lengths of a transform and sets those dimensions of `out`.
Status ReadLengths(const Kind& kind, const Tensor& lengths, const Shape& in, Sizes* sizes,
                   Shape* out) {
  if (lengths.rank() != 1 || lengths.dim(0) != kind.axes) {
    return InvalidArgument("fft_length must have shape [", kind.axes, "]");
  }
  for (int i = 0; i < kind.axes; ++i) {
    const int64_t n = lengths.data<int32_t>()[i];
    if (n < 0) return InvalidArgument("fft_length[", i, "] must >= 0, but got: ", n);
    const bool last = i == kind.axes - 1;
    const int dim = in.rank() - kind.axes + i;
    const int64_t least = kind.inverse && last ? n / 2 + 1 : n;
    if (in.dim(dim) != 0 && in.dim(dim) < least) {
      return InvalidArgument("Input dimension ", dim, " must have length of at least ", least,
                             " but got: ", in.dim(dim));
    }
    sizes->length[kMaxAxes - kind.axes + i] = n;
    out->set_dim(dim, last && !kind.inverse ? kind.Half(n) : n);
  }
  return OkStatus();
}

StatusOr<Sizes> ReadSizes(const Kind& kind, KernelContext& c, Shape* out) {
  const Shape& in = c.input(0).shape();
  RAMET_RETURN_IF_ERROR(CheckRank(kind, in));
  Sizes sizes;
  *out = in;
  if (kind.has_length()) {
    RAMET_RETURN_IF_ERROR(ReadLengths(kind, c.input(1), in, &sizes, out));
    RAMET_RETURN_IF_ERROR(out->Validate());
  }
  sizes.batch = Product(in, 0, in.rank() - kind.axes);
  for (int i = 0; i < kind.axes; ++i) {
    const int dim = in.rank() - kind.axes + i, axis = kMaxAxes - kind.axes + i;
    sizes.in[axis] = in.dim(dim);
    sizes.out[axis] = out->dim(dim);
    if (!kind.has_length()) sizes.length[axis] = in.dim(dim);
    if (sizes.length[axis] <= linalg::Fft<double>::kMaxLength) continue;
    return InvalidArgument("a transform of ", sizes.length[axis],
                           " elements is too long; the limit is ", linalg::Fft<double>::kMaxLength);
  }
  return sizes;
}

// Copies the first dims[1] rows of dims[2] elements of each matrix, and so on, of a larger tensor.
template <class X>
void CopyCorner(const X* in, const std::array<int64_t, kMaxAxes>& from, int64_t batch,
                const std::array<int64_t, kMaxAxes>& dims, X* out) {
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < dims[0]; ++i) {
      for (int64_t j = 0; j < dims[1]; ++j, out += dims[2]) {
        const int64_t row = ((b * from[0]) + i) * from[1] + j;
        std::copy_n(in + row * from[2], dims[2], out);
      }
    }
  }
}

template <class T>
class FourierKernel : public Kernel {
 public:
  using Complex = std::complex<T>;
  using Lease = typename linalg::FftPool<T>::Lease;

  explicit FourierKernel(Kind kind) : kind_(kind) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    Shape shape;
    RAMET_ASSIGN_OR_RETURN(Sizes sizes, ReadSizes(kind_, c, &shape));
    const bool to_real = kind_.spectrum == Spectrum::kToReal;
    RAMET_ASSIGN_OR_RETURN(
        Tensor * y, c.Allocate(0, to_real ? DTypeOf<T>::value : DTypeOf<Complex>::value, shape));
    if (y->num_elements() == 0) return OkStatus();
    if (x.num_elements() == 0) {
      std::memset(y->raw_data(), 0, y->bytes());
      return OkStatus();
    }
    return to_real ? ToReal(c, sizes, *y) : ToComplex(x, sizes, *y);
  }

 private:
  Status ToComplex(const Tensor& x, const Sizes& sizes, Tensor& y) {
    Transformer<T> transformer(pool_, sizes, kind_.inverse);
    Complex* const out = y.mutable_data<Complex>();
    if (kind_.spectrum == Spectrum::kFromReal) {
      transformer.Rows(x.data<T>(), out,
                       [](Lease& plan, const T* in, Complex* row) { plan->ForwardReal(in, row); });
    } else {
      transformer.Rows(x.data<Complex>(), out, [&](Lease& plan, const Complex* in, Complex* row) {
        transformer.Run(plan, in, row);
      });
    }
    for (const int axis : {1, 0}) transformer.Columns(out, sizes.out, axis);
    if (kind_.inverse) Scale<T>(out, y.num_elements(), sizes.scale());
    return OkStatus();
  }

  Status ToReal(KernelContext& c, Sizes sizes, Tensor& y) {
    Transformer<T> transformer(pool_, sizes, true);
    const auto transform = [](Lease& plan, const Complex* in, T* row) {
      plan->InverseReal(in, row);
    };
    const Complex* in = c.input(0).data<Complex>();
    Tensor columns;
    if (kind_.axes > 1) {
      std::array<int64_t, kMaxAxes> dims = sizes.length;
      dims[2] = kind_.Half(dims[2]);
      RAMET_ASSIGN_OR_RETURN(
          columns,
          c.AllocateTemp(DTypeOf<Complex>::value, Shape{sizes.batch, dims[0], dims[1], dims[2]}));
      CopyCorner(in, sizes.in, sizes.batch, dims, columns.mutable_data<Complex>());
      for (const int axis : {1, 0})
        transformer.Columns(columns.mutable_data<Complex>(), dims, axis);
      in = columns.data<Complex>();
      sizes.in = dims;
    }
    transformer.Rows(in, y.mutable_data<T>(), transform);
    Scale<T>(y.mutable_data<T>(), y.num_elements(), sizes.scale());
    return OkStatus();
  }

  const Kind kind_;
  linalg::FftPool<T> pool_;
};

template <int kAxes, bool kInverse, Spectrum kSpectrum>
struct FourierKernelOf {
  template <class C>
  class Type final : public FourierKernel<typename C::value_type> {
    using T = typename C::value_type;

   public:
    Type() : FourierKernel<T>({kAxes, kInverse, kSpectrum}) {}
    static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
      const DType in = node.input_types[0], out = node.output_types[0];
      const DType real = DTypeOf<T>::value;
      if (kSpectrum == Spectrum::kFromReal && in != real) {
        return InvalidArgument("Wrong types for forward real FFT: in=", static_cast<int>(in),
                               " out=", static_cast<int>(out));
      }
      if (kSpectrum == Spectrum::kToReal && out != real) {
        return InvalidArgument("Wrong types for backward real FFT: in=", static_cast<int>(in),
                               " out=", static_cast<int>(out));
      }
      return std::unique_ptr<Kernel>(std::make_unique<Type>());
    }
  };
};

// Infers the shape of a transform whose lengths are input 1.
Status LengthShape(ShapeContext& c, int axes, bool to_real) {
  RAMET_ASSIGN_OR_RETURN(Shape out, c.WithRankAtLeast(0, axes));
  RAMET_ASSIGN_OR_RETURN(Shape lengths_shape, c.WithRank(1, 1));
  RAMET_RETURN_IF_ERROR(Shape{axes}.MergeWith(lengths_shape).status());
  if (out.unknown_rank()) return OkStatus();
  const Tensor* lengths = c.constant(1);
  for (int i = 0; i < axes; ++i) {
    int64_t n = Shape::kUnknownDim;
    if (lengths != nullptr) {
      n = lengths->data<int32_t>()[i];
      // The kernel reports negative lengths.
      if (n < 0) n = Shape::kUnknownDim;
      if (!to_real && i == axes - 1 && n > 0) n = n / 2 + 1;
    }
    out.set_dim(out.rank() - axes + i, n);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <int kAxes>
Status FullShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRankAtLeast(0, kAxes));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

#define RAMET_FFT_KERNELS(axes, inverse, spectrum)                                    \
  CpuKernelClasses<FourierKernelOf<axes, inverse, Spectrum::spectrum>::template Type, \
                   std::complex<float>, std::complex<double>>("Tcomplex")

#define RAMET_FFT_OP(name, opposite, axes, inverse, gradient)                   \
  RAMET_OP(name)                                                                \
      .Input("input: Tcomplex")                                                 \
      .Output("output: Tcomplex")                                               \
      .Attr("Tcomplex: {complex64, complex128} = complex64")                    \
      .Shape(FullShape<axes>)                                                   \
      .Gradient([](GradientContext& c) { return gradient(c, axes, opposite); }) \
      .RAMET_FFT_KERNELS(axes, inverse, kFull)
#define RAMET_RFFT_OP(name, axes)                                         \
  RAMET_OP(name)                                                          \
      .Input("input: Treal")                                              \
      .Input("fft_length: int32")                                         \
      .Output("output: Tcomplex")                                         \
      .Attr("Treal: {float, double} = float")                             \
      .Attr("Tcomplex: {complex64, complex128} = complex64")              \
      .HostMemory({"fft_length"})                                         \
      .Shape([](ShapeContext& c) { return LengthShape(c, axes, false); }) \
      .RAMET_FFT_KERNELS(axes, false, kFromReal)
#define RAMET_IRFFT_OP(name, axes)                                       \
  RAMET_OP(name)                                                         \
      .Input("input: Tcomplex")                                          \
      .Input("fft_length: int32")                                        \
      .Output("output: Treal")                                           \
      .Attr("Treal: {float, double} = float")                            \
      .Attr("Tcomplex: {complex64, complex128} = complex64")             \
      .HostMemory({"fft_length"})                                        \
      .Shape([](ShapeContext& c) { return LengthShape(c, axes, true); }) \
      .RAMET_FFT_KERNELS(axes, true, kToReal)

RAMET_FFT_OP("FFT", "IFFT", 1, false, FftGradient)
    .Doc(
        "Returns the discrete Fourier transform along the last dimension. The output has the shape "
        "of the input. Error: the rank is 0; the dimension is longer than 2^26.");
RAMET_FFT_OP("IFFT", "FFT", 1, true, IfftGradient)
    .Doc(
        "Returns the inverse of FFT: the transform with the opposite sign in the exponent, divided "
        "by the number of elements. Error: the same as FFT.");
RAMET_FFT_OP("FFT2D", "IFFT2D", 2, false, FftGradient)
    .Doc("FFT along the last two dimensions. Error: the rank is below 2; see FFT.");
RAMET_FFT_OP("IFFT2D", "FFT2D", 2, true, IfftGradient)
    .Doc("IFFT along the last two dimensions. Error: the same as FFT2D.");
RAMET_FFT_OP("FFT3D", "IFFT3D", 3, false, FftGradient)
    .Doc("FFT along the last three dimensions. Error: the rank is below 3; see FFT.");
RAMET_FFT_OP("IFFT3D", "FFT3D", 3, true, IfftGradient)
    .Doc("IFFT along the last three dimensions. Error: the same as FFT3D.");

RAMET_RFFT_OP("RFFT", 1)
    .Doc(
        "Returns elements 0 to n / 2 of the discrete Fourier transform of the first n = "
        "fft_length[0] real numbers along the last dimension. The others are the conjugates of "
        "these. Error: the rank is 0; fft_length is not one number >= 0; the dimension is shorter "
        "than fft_length; Tcomplex is not the complex type of Treal.")
    .Gradient(RfftGradient);
RAMET_RFFT_OP("RFFT2D", 2)
    .Doc(
        "RFFT along the last dimension, followed by FFT along the one before it. fft_length has "
        "the sizes of both. Error: the rank is below 2; see RFFT.")
    .Gradient(Rfft2dGradient);
RAMET_RFFT_OP("RFFT3D", 3)
    .Doc(
        "RFFT along the last dimension, followed by FFT along the two before it. fft_length has "
        "the three sizes. Error: the rank is below 3; see RFFT.");
RAMET_IRFFT_OP("IRFFT", 1)
    .Doc(
        "Returns the n = fft_length[0] real numbers along the last dimension whose RFFT is the "
        "input. Only the first n / 2 + 1 elements are read. Error: the rank is 0; fft_length is "
        "not one number >= 0; the dimension is shorter than n / 2 + 1; Tcomplex is not the complex "
        "type of Treal.")
    .Gradient([](GradientContext& c) { return IrfftGradient(c, 1, "RFFT"); });
RAMET_IRFFT_OP("IRFFT2D", 2)
    .Doc("The inverse of RFFT2D. Error: the rank is below 2; see IRFFT.")
    .Gradient([](GradientContext& c) { return IrfftGradient(c, 2, "RFFT2D"); });
RAMET_IRFFT_OP("IRFFT3D", 3).Doc("The inverse of RFFT3D. Error: the rank is below 3; see IRFFT.");

}  // namespace
}  // namespace ramet
