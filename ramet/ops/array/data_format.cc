#include <algorithm>
#include <string>
#include <vector>

#include "ramet/op/op.h"

// DataFormatDimMap and DataFormatVecPermute convert dimensions between orders such as NHWC and
// NCHW.

namespace ramet {
namespace {

// The orders of the dimensions, and to[i], the position in the destination of dimension i of the
// source.
struct FormatPair {
  std::string source, destination;
  std::vector<int64_t> to;

  static StatusOr<FormatPair> Parse(const AttrMap& attrs) {
    FormatPair pair;
    RAMET_ASSIGN_OR_RETURN(pair.source, attrs.Get<std::string>("src_format"));
    RAMET_ASSIGN_OR_RETURN(pair.destination, attrs.Get<std::string>("dst_format"));
    RAMET_RETURN_IF_ERROR(CheckLength("Source", "src_format", pair.source));
    RAMET_RETURN_IF_ERROR(CheckLength("Destination", "dst_format", pair.destination));
    for (const char dim : pair.source) {
      const size_t at = pair.destination.find(dim);
      if (at == std::string::npos || pair.source.size() != pair.destination.size()) {
        return InvalidArgument(pair.source, " is not a permutation of ", pair.destination);
      }
      pair.to.push_back(static_cast<int64_t>(at));
    }
    return pair;
  }

  int64_t rank() const { return static_cast<int64_t>(source.size()); }

 private:
  static Status CheckLength(const char* which, const char* attr, const std::string& format) {
    if (format.size() == 4 || format.size() == 5) return OkStatus();
    return InvalidArgument(which, " format must be of length 4 or 5, received ", attr, " = ",
                           format);
  }
};

template <class T>
class DimMapKernel final : public Kernel {
 public:
  explicit DimMapKernel(FormatPair formats) : formats_(std::move(formats)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(FormatPair formats, FormatPair::Parse(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<DimMapKernel>(std::move(formats)));
  }

  // Numbers outside of the range wrap around.
  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    const int64_t rank = formats_.rank();
    T* out = y->mutable_data<T>();
    for (const T dim : x.flat<T>()) {
      *out++ = static_cast<T>(formats_.to[(int64_t{dim} % rank + rank) % rank]);
    }
    return OkStatus();
  }

 private:
  const FormatPair formats_;
};

template <class T>
class VecPermuteKernel final : public Kernel {
 public:
  explicit VecPermuteKernel(FormatPair formats) : formats_(std::move(formats)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(FormatPair formats, FormatPair::Parse(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<VecPermuteKernel>(std::move(formats)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_RETURN_IF_ERROR(Check(x.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    // A vector without batch and channels is ordered by the remaining dimensions.
    const bool spatial = x.dim(0) != formats_.rank();
    const std::string from = spatial ? Spatial(formats_.source) : formats_.source;
    const std::string to = spatial ? Spatial(formats_.destination) : formats_.destination;
    const int64_t width = x.rank() == 2 ? x.dim(1) : 1;
    T* out = y->mutable_data<T>();
    for (const char dim : to) {
      const auto row = static_cast<int64_t>(from.find(dim));
      out = std::copy_n(x.data<T>() + row * width, width, out);
    }
    return OkStatus();
  }

 private:
  static std::string Spatial(std::string format) {
    std::erase(format, 'N');
    std::erase(format, 'C');
    return format;
  }

  Status Check(const Shape& shape) const {
    if (shape.rank() != 1 && shape.rank() != 2) {
      return InvalidArgument("input must be a vector or 2D tensor, but got shape ", shape);
    }
    const int64_t rank = formats_.rank(), spatial = rank - 2;
    const bool fits =
        shape.dim(0) == rank || (shape.dim(0) == spatial &&
                                 static_cast<int64_t>(Spatial(formats_.source).size()) == spatial);
    if (!fits) {
      return InvalidArgument(shape.rank() == 1 ? "1D" : "First dimension of 2D",
                             " input must be of size ", spatial, " or ", rank, ", but got shape ",
                             shape);
    }
    if (shape.rank() == 1 || shape.dim(1) == 2) return OkStatus();
    return InvalidArgument("Second dimension of 2D input must be of size 2, but got shape ", shape);
  }

  const FormatPair formats_;
};

#define RAMET_FORMAT_OP(name)              \
  RAMET_OP(name)                           \
      .Input("x: T")                       \
      .Output("y: T")                      \
      .Attr("T: {int32, int64} = int32")   \
      .Attr("src_format: string = 'NHWC'") \
      .Attr("dst_format: string = 'NCHW'")

RAMET_FORMAT_OP("DataFormatDimMap")
    .Doc(
        "Returns the numbers in dst_format of dimensions given by their numbers in src_format. "
        "Numbers wrap around. Error: the formats do not have 4 or 5 letters, or not the same ones.")
    .Shape(UnchangedShape)
    .CpuKernelClasses<DimMapKernel, int32_t, int64_t>();
RAMET_FORMAT_OP("DataFormatVecPermute")
    .Doc(
        "Moves the elements of a vector, or the rows of a matrix [n, 2], that belong to the "
        "dimensions of src_format to the order of dst_format. The input has an element for each "
        "dimension, or for each but N and C. Error: the input has a different shape; the formats "
        "do not have 4 or 5 letters, or not the same ones.")
    .Shape(UnchangedShape)
    .CpuKernelClasses<VecPermuteKernel, int32_t, int64_t>();

}  // namespace
}  // namespace ramet
