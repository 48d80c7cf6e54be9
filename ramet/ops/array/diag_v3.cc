#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

// MatrixDiag, MatrixDiagPart and MatrixSetDiag for bands of diagonals. Diagonal k is the k-th above
// the main diagonal, or below it if k is negative.

namespace ramet {
namespace {

// The diagonals `lower` to `upper`, packed as the rows of a matrix with the highest diagonal first.
// A diagonal shorter than its row is aligned to the left or right end of the row.
struct DiagonalBand {
  int64_t lower = 0, upper = 0;
  bool left_above = true, left_below = true;

  int64_t count() const { return upper - lower + 1; }
  // Returns the number of elements of diagonal d.
  static int64_t Length(int64_t d, int64_t rows, int64_t columns) {
    return std::max<int64_t>(
        0, std::min(rows + std::min<int64_t>(d, 0), columns - std::max<int64_t>(d, 0)));
  }
  int64_t Width(int64_t rows, int64_t columns) const {
    return std::max<int64_t>(
        0, std::min(rows + std::min<int64_t>(upper, 0), columns - std::max<int64_t>(lower, 0)));
  }
  int64_t Begin(int64_t d, int64_t length, int64_t width) const {
    return (d >= 0 && left_above) || (d <= 0 && left_below) ? 0 : width - length;
  }
};

StatusOr<DiagonalBand> ParseBand(const Tensor& k, const std::string& align) {
  if (k.rank() > 1) {
    return InvalidArgument("diag_index must be a scalar or vector, received shape: ", k.shape());
  }
  const int64_t n = k.num_elements();
  if (n == 0) return InvalidArgument("Expected diag_index to have at least 1 element");
  if (n > 2) {
    return InvalidArgument("diag_index must have only one or two elements, received ", n,
                           " elements.");
  }
  DiagonalBand band;
  band.lower = IntegerAt(k, 0);
  band.upper = IntegerAt(k, n - 1);
  band.left_above = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
  band.left_below = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  if (band.lower <= band.upper) return band;
  return InvalidArgument("lower_diag_index must not be larger than upper_diag_index: ", band.lower,
                         " > ", band.upper);
}

// V2 ops have no such attr and align to the left.
std::string AlignOf(const AttrMap& attrs) { return attrs.GetOr<std::string>("align", "LEFT_LEFT"); }

// Checks that the band lies in a matrix of this size.
// \error kInvalidArgument: it does not.
Status CheckInside(const DiagonalBand& band, int64_t rows, int64_t columns) {
  for (bool lower : {true, false}) {
    const int64_t d = lower ? band.lower : band.upper;
    if (d == 0 || (-rows < d && d < columns)) continue;
    return InvalidArgument(lower ? "lower" : "upper", "_diag_index is out of bound: ", d,
                           ". It must be between ", -rows, " and ", columns);
  }
  return OkStatus();
}

// Returns the shape [..., (count,) width] of the packed diagonals of matrices [..., rows, columns].
Shape PackedShape(const Shape& batch, const DiagonalBand& band, int64_t width) {
  Shape shape = batch;
  if (band.count() > 1) shape.Append(band.count());
  shape.Append(width);
  return shape;
}

// A batch of matrices and their packed diagonals.
struct Layout {
  DiagonalBand band;
  int64_t batch, rows, columns, width;
};

// Calls fn(matrix element, packed element, n, step) for each diagonal. Its n elements are `step`
// apart in the matrix and adjacent in the packed row.
template <class Fn>
void ForDiagonals(const Layout& l, Fn&& fn) {
  const int64_t upmost = std::min(l.band.upper, l.columns - 1);
  const int64_t lowest = std::max(l.band.lower, 1 - l.rows);
  for (int64_t b = 0; b < l.batch; ++b) {
    for (int64_t d = upmost; d >= lowest; --d) {
      const int64_t length = DiagonalBand::Length(d, l.rows, l.columns);
      const int64_t row = std::max<int64_t>(-d, 0), column = std::max<int64_t>(d, 0);
      const int64_t packed_row = b * l.band.count() + l.band.upper - d;
      fn((b * l.rows + row) * l.columns + column,
         packed_row * l.width + l.band.Begin(d, length, l.width), length, l.columns + 1);
    }
  }
}

void CopyDiagonals(const Layout& l, DType dtype, const Tensor& packed, Tensor& matrices) {
  DispatchElement(dtype, [&]<class U>() {
    const U* from = static_cast<const U*>(packed.raw_data());
    U* to = static_cast<U*>(matrices.raw_data());
    ForDiagonals(l, [&](int64_t at, int64_t p, int64_t n, int64_t step) {
      for (int64_t i = 0; i < n; ++i) to[at + i * step] = from[p + i];
    });
  });
}

// MatrixDiagPart takes one element of any rank (`any_rank`), as TensorFlow does.
Status CheckPadding(const Tensor& padding, bool any_rank) {
  if ((any_rank || padding.rank() == 0) && padding.num_elements() == 1) return OkStatus();
  return InvalidArgument("padding_value must be a scalar, received shape: ", padding.shape());
}

// A kernel that stores the alignment.
template <Status (*compute)(KernelContext&, const std::string&)>
class AlignedKernel final : public Kernel {
 public:
  explicit AlignedKernel(std::string align) : align_(std::move(align)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<AlignedKernel>(AlignOf(*node.attrs)));
  }
  Status Compute(KernelContext& c) override { return compute(c, align_); }

 private:
  const std::string align_;
};

// Returns the requested number of rows or columns of MatrixDiag, or -1.
StatusOr<int64_t> SizeArg(const Tensor& t, std::string_view name) {
  if (t.rank() != 0) return InvalidArgument(name, " must be a scalar");
  return IntegerAt(t, 0);
}

// Replaces *rows and *columns by their actual values where they are -1.
// \error kInvalidArgument: matrices of this size do not have such diagonals.
Status FixSize(const DiagonalBand& band, int64_t width, int64_t* rows, int64_t* columns) {
  const int64_t least_rows = width - std::min<int64_t>(band.upper, 0);
  const int64_t least_columns = width + std::max<int64_t>(band.lower, 0);
  if (*rows != -1 && *rows < least_rows) {
    return InvalidArgument("The number of rows is too small.");
  }
  if (*columns != -1 && *columns < least_columns) {
    return InvalidArgument("The number of columns is too small.");
  }
  if (*rows == -1 && *columns == -1) {
    *rows = *columns = std::max(least_rows, least_columns);
  } else if (*rows == -1) {
    *rows = least_rows;
  } else if (*columns == -1) {
    *columns = least_columns;
  }
  if (*rows == least_rows || *columns == least_columns) return OkStatus();
  return InvalidArgument(
      "The number of rows or columns is not consistent with the specified d_lower, d_upper, and "
      "diagonal.");
}

StatusOr<Shape> DiagonalBatch(const DiagonalBand& band, const Shape& diagonal) {
  const int r = diagonal.rank();
  if (band.count() == 1) return diagonal.Slice(0, r - 1);
  if (r < 2 || (diagonal.dim(r - 2) >= 0 && diagonal.dim(r - 2) != band.count())) {
    return InvalidArgument(
        "The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range.");
  }
  return diagonal.Slice(0, r - 2);
}

Status MatrixDiagV3(KernelContext& c, const std::string& align) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) {
    return InvalidArgument("diagonal must be at least 1-dim, received shape: ", x.shape());
  }
  RAMET_ASSIGN_OR_RETURN(DiagonalBand band, ParseBand(c.input(1), align));
  RAMET_ASSIGN_OR_RETURN(int64_t rows, SizeArg(c.input(2), "num_rows"));
  RAMET_ASSIGN_OR_RETURN(int64_t columns, SizeArg(c.input(3), "num_cols"));
  RAMET_RETURN_IF_ERROR(CheckPadding(c.input(4), false));
  RAMET_ASSIGN_OR_RETURN(Shape batch, DiagonalBatch(band, x.shape()));
  const int64_t width = x.dim(x.rank() - 1);
  RAMET_RETURN_IF_ERROR(FixSize(band, width, &rows, &columns));
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(batch.Concatenate(Shape{rows, columns}).dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  RAMET_RETURN_IF_ERROR(FillWith(c.input(4), *y));
  CopyDiagonals({band, batch.num_elements(), rows, columns, width}, x.dtype(), x, *y);
  return OkStatus();
}

Status CheckMatrices(const Tensor& x) {
  if (x.rank() >= 2) return OkStatus();
  return InvalidArgument("input must be at least 2-dim, received shape: ", x.shape());
}

Status MatrixDiagPartV3(KernelContext& c, const std::string& align) {
  const Tensor& x = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckMatrices(x));
  RAMET_ASSIGN_OR_RETURN(DiagonalBand band, ParseBand(c.input(1), align));
  RAMET_RETURN_IF_ERROR(CheckPadding(c.input(2), true));
  const int r = x.rank();
  const int64_t rows = x.dim(r - 2), columns = x.dim(r - 1);
  RAMET_RETURN_IF_ERROR(CheckInside(band, rows, columns));
  const int64_t width = band.Width(rows, columns);
  const Shape batch = x.shape().Slice(0, r - 2);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), PackedShape(batch, band, width)));
  if (y->num_elements() == 0) return OkStatus();
  RAMET_RETURN_IF_ERROR(FillWith(c.input(2), *y));
  DispatchElement(x.dtype(), [&]<class U>() {
    const U* from = static_cast<const U*>(x.raw_data());
    U* to = static_cast<U*>(y->raw_data());
    ForDiagonals({band, batch.num_elements(), rows, columns, width},
                 [&](int64_t at, int64_t p, int64_t n, int64_t step) {
                   for (int64_t i = 0; i < n; ++i) to[p + i] = from[at + i * step];
                 });
  });
  return OkStatus();
}

Status MatrixSetDiagV3(KernelContext& c, const std::string& align) {
  const Tensor &x = c.input(0), &diagonal = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckMatrices(x));
  if (diagonal.rank() < 1) {
    return InvalidArgument("diagonal must be at least 1-dim, received shape: ", diagonal.shape());
  }
  RAMET_ASSIGN_OR_RETURN(DiagonalBand band, ParseBand(c.input(2), align));
  const int r = x.rank();
  const int64_t rows = x.dim(r - 2), columns = x.dim(r - 1);
  RAMET_RETURN_IF_ERROR(CheckInside(band, rows, columns));
  const Shape batch = x.shape().Slice(0, r - 2);
  const int64_t width = band.Width(rows, columns);
  const Shape expected = PackedShape(batch, band, width);
  if (diagonal.shape() != expected) {
    return InvalidArgument("diagonal must have shape ", expected,
                           " for diagonals lower_diag_index ", band.lower, " to upper_diag_index ",
                           band.upper, " of input shape: ", x.shape(),
                           ", but has diagonal shape: ", diagonal.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->num_elements() == 0) return OkStatus();
  if (y->raw_data() != x.raw_data()) CopyElements(x, 0, *y, 0, x.num_elements());
  CopyDiagonals({band, batch.num_elements(), rows, columns, width}, x.dtype(), diagonal, *y);
  return OkStatus();
}

Status MatrixDiagShapeV3(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  const Tensor *k = c.constant(1), *num_rows = c.constant(2), *num_columns = c.constant(3);
  if (x.unknown_rank() || k == nullptr) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(DiagonalBand band, ParseBand(*k, "LEFT_LEFT"));
  RAMET_ASSIGN_OR_RETURN(Shape batch, DiagonalBatch(band, x));
  int64_t rows = Shape::kUnknownDim, columns = Shape::kUnknownDim;
  const int64_t width = x.dim(x.rank() - 1);
  if (num_rows != nullptr && num_columns != nullptr) {
    RAMET_ASSIGN_OR_RETURN(rows, SizeArg(*num_rows, "num_rows"));
    RAMET_ASSIGN_OR_RETURN(columns, SizeArg(*num_columns, "num_cols"));
    if (width >= 0) RAMET_RETURN_IF_ERROR(FixSize(band, width, &rows, &columns));
  }
  c.set_output(0, batch.Concatenate(Shape{rows, columns}));
  return OkStatus();
}

Status MatrixDiagPartShapeV3(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  const Tensor* k = c.constant(1);
  if (x.unknown_rank() || k == nullptr) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(DiagonalBand band, ParseBand(*k, "LEFT_LEFT"));
  const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  int64_t width = Shape::kUnknownDim;
  if (rows >= 0 && columns >= 0) {
    RAMET_RETURN_IF_ERROR(CheckInside(band, rows, columns));
    width = band.Width(rows, columns);
  }
  c.set_output(0, PackedShape(x.Slice(0, x.rank() - 2), band, width));
  return OkStatus();
}

Status MatrixSetDiagShapeV3(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  RAMET_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  c.set_output(0, std::move(x));
  return OkStatus();
}

Output ZeroOf(GradientContext& c, DType type, std::string_view name) {
  Tensor zero(type, Shape());
  FillZeros(zero).IgnoreError();
  return Constant(c.graph(), std::move(zero), name);
}

// Returns the attr `align` of a V3 op, to pass on to another op.
AttrMap SameAlign(GradientContext& c) {
  AttrMap attrs;
  if (const Attr* align = c.op().attrs()->Find("align")) attrs.Set("align", *align);
  return attrs;
}

// Returns `name` followed by "V2" or "V3".
std::string Version(GradientContext& c, std::string_view name) {
  return StrCat(name, c.op().attrs()->Find("align") != nullptr ? "V3" : "V2");
}

Output DiagPartOf(GradientContext& c, const Output& grad, const Output& k) {
  return c.Add(Version(c, "MatrixDiagPart"),
               {grad, k, ZeroOf(c, grad.dtype(), "diag_part/padding_value")}, SameAlign(c),
               "diag_part");
}

Status MatrixDiagGradientV3(GradientContext& c) {
  std::vector<Gradient> grads(5);
  grads[0] = DiagPartOf(c, c.grad(), c.input(1));
  return c.Return(std::move(grads));
}

Status MatrixDiagPartGradientV3(GradientContext& c) {
  const Shape x = c.input(0).shape();
  const int r = x.rank();
  const Output grad = c.grad(), k = c.input(1);
  if (r >= 2 && x.dim(r - 1) >= 0 && x.dim(r - 2) >= 0) {
    const auto size = [&](int axis, std::string_view name) {
      return Constant(c.graph(), Tensor(static_cast<int32_t>(x.dim(axis))), name);
    };
    const Output rows = size(r - 2, "diag/num_rows"), columns = size(r - 1, "diag/num_cols");
    return c.Return({c.Add(Version(c, "MatrixDiag"),
                           {grad, k, rows, columns, ZeroOf(c, grad.dtype(), "diag/padding_value")},
                           SameAlign(c), "diag"),
                     Gradient(), Gradient()});
  }
  const Output zeros = c.Add("ZerosLike", {c.input(0)}, {}, "zeros_like");
  return c.Return({c.Add(Version(c, "MatrixSetDiag"), {zeros, grad, k}, SameAlign(c), "set_diag"),
                   Gradient(), Gradient()});
}

Status MatrixSetDiagGradientV3(GradientContext& c) {
  const Output grad = c.grad(), k = c.input(2);
  const Shape diagonal = c.input(1).shape();
  constexpr int64_t kSmall = 1000;
  const bool known = diagonal.IsFullyDefined() && diagonal.num_elements() < kSmall;
  Tensor none(grad.dtype(), known ? diagonal : Shape());
  RAMET_RETURN_IF_ERROR(FillZeros(none));
  const Output zeros = known ? Constant(c.graph(), std::move(none), "zeros")
                             : c.Add("ZerosLike", {c.input(1)}, {}, "zeros_like");
  const Output dx = c.Add(Version(c, "MatrixSetDiag"), {grad, zeros, k}, SameAlign(c), "set_diag");
  return c.Return({dx, DiagPartOf(c, grad, k), Gradient()});
}

#define RAMET_ALIGN_ATTR \
  Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
#define RAMET_BAND_DOC                                                                        \
  " k selects a diagonal (0 is the main one, positive numbers are above it) or, with two "    \
  "elements, the lowest and highest diagonal of a band. "                                     \
  "A band is packed as [..., high - low + 1, length of the longest diagonal], the highest "   \
  "diagonal first. The attr align says for the diagonals above and below the main one "       \
  "to which end of their rows shorter ones are aligned; ops without it align to the left. "   \
  "Error: k does not have one or two elements, is not in increasing order or is outside the " \
  "matrices; padding_value, num_rows or num_cols is not a scalar; the shapes do not fit together."

constexpr char kDiagDoc[] =
    "Returns matrices [..., num_rows, num_cols] with the given diagonals and padding_value "
    "elsewhere. A size of -1 means as small as possible." RAMET_BAND_DOC;
constexpr char kDiagPartDoc[] =
    "Returns the diagonals of the matrices `input`, [..., rows, columns], padded with "
    "padding_value." RAMET_BAND_DOC;
constexpr char kSetDiagDoc[] =
    "Returns the matrices `input`, [..., rows, columns], with the selected diagonals replaced by "
    "`diagonal`." RAMET_BAND_DOC;

}  // namespace

#define RAMET_MATRIX_DIAG(name)                  \
  RAMET_OP(name)                                 \
      .Input("diagonal: T")                      \
      .Input("k: int32")                         \
      .Input("num_rows: int32")                  \
      .Input("num_cols: int32")                  \
      .Input("padding_value: T")                 \
      .Output("output: T")                       \
      .Attr("T: type")                           \
      .HostMemory({"k", "num_rows", "num_cols"}) \
      .Doc(kDiagDoc)                             \
      .Shape(MatrixDiagShapeV3)                  \
      .Gradient(MatrixDiagGradientV3)            \
      .CpuKernelClass<AlignedKernel<MatrixDiagV3>>()
#define RAMET_MATRIX_DIAG_PART(name)      \
  RAMET_OP(name)                          \
      .Input("input: T")                  \
      .Input("k: int32")                  \
      .Input("padding_value: T")          \
      .Output("diagonal: T")              \
      .Attr("T: type")                    \
      .HostMemory({"k"})                  \
      .Doc(kDiagPartDoc)                  \
      .Shape(MatrixDiagPartShapeV3)       \
      .Gradient(MatrixDiagPartGradientV3) \
      .CpuKernelClass<AlignedKernel<MatrixDiagPartV3>>()
#define RAMET_MATRIX_SET_DIAG(name)      \
  RAMET_OP(name)                         \
      .Input("input: T")                 \
      .Input("diagonal: T")              \
      .Input("k: int32")                 \
      .Output("output: T")               \
      .Attr("T: type")                   \
      .HostMemory({"k"})                 \
      .Doc(kSetDiagDoc)                  \
      .Shape(MatrixSetDiagShapeV3)       \
      .Gradient(MatrixSetDiagGradientV3) \
      .CpuKernelClass<AlignedKernel<MatrixSetDiagV3>>()

RAMET_MATRIX_DIAG("MatrixDiagV2");
RAMET_MATRIX_DIAG("MatrixDiagV3").RAMET_ALIGN_ATTR;
RAMET_MATRIX_DIAG_PART("MatrixDiagPartV2");
RAMET_MATRIX_DIAG_PART("MatrixDiagPartV3").RAMET_ALIGN_ATTR;
RAMET_MATRIX_SET_DIAG("MatrixSetDiagV2");
RAMET_MATRIX_SET_DIAG("MatrixSetDiagV3").RAMET_ALIGN_ATTR;

}  // namespace ramet
