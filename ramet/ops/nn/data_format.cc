#include <algorithm>
#include <string>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/math/wrapping.h"

// DataFormatDimMap and DataFormatVecPermute, which translate dimensions and lists with one entry
// per dimension between data formats such as NHWC and NCHW.

namespace ramet {
namespace {

// A pair of data formats, which have the same letters in a different order.
struct FormatPair {
  static StatusOr<FormatPair> Of(const AttrMap& attrs) {
    FormatPair pair{attrs.GetOr<std::string>("src_format", "NHWC"),
                    attrs.GetOr<std::string>("dst_format", "NCHW")};
    for (const auto& [name, format] :
         {std::pair<const char*, std::string&>{"src", pair.source}, {"dst", pair.target}}) {
      if (format.size() == 4 || format.size() == 5) continue;
      return InvalidArgument(name == std::string_view("src") ? "Source" : "Destination",
                             " format must be of length 4 or 5, received ", name,
                             "_format = ", format);
    }
    if (pair.IsPermutation()) return pair;
    return InvalidArgument("Destination and source format must determine a permutation, got ",
                           pair.source, " and ", pair.target);
  }

  bool IsPermutation() const {
    std::string from = source, to = target;
    std::ranges::sort(from);
    std::ranges::sort(to);
    return from == to && std::ranges::adjacent_find(from) == from.end();
  }
  int rank() const { return static_cast<int>(source.size()); }

  std::string source, target;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> MakeFormatKernel(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(FormatPair formats, FormatPair::Of(*node.attrs));
  return std::unique_ptr<Kernel>(std::make_unique<K>(std::move(formats)));
}

template <class T>
class DimMapKernel final : public Kernel {
 public:
  static auto Make(const KernelNode& node) { return MakeFormatKernel<DimMapKernel>(node); }
  explicit DimMapKernel(FormatPair formats) {
    for (char letter : formats.source) {
      target_.push_back(static_cast<T>(formats.target.find(letter)));
    }
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    const T rank = static_cast<T>(target_.size());
    std::ranges::transform(x.flat<T>(), y->mutable_data<T>(), [&](T dim) {
      // Large numbers wrap around, as in TensorFlow. A number below -rank does so only if it is a
      // multiple of the rank; otherwise it names the last dimension.
      const T at = WrappingAdd(dim, rank) % rank;
      return target_[at < 0 ? rank - 1 : at];
    });
    return OkStatus();
  }

 private:
  std::vector<T> target_;
};

template <class T>
class VecPermuteKernel final : public Kernel {
 public:
  static auto Make(const KernelNode& node) { return MakeFormatKernel<VecPermuteKernel>(node); }
  explicit VecPermuteKernel(FormatPair formats) : formats_(std::move(formats)) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_RETURN_IF_ERROR(Check(x));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    const auto rows = static_cast<int>(x.dim(0)), width = x.rank() == 2 ? 2 : 1;
    const std::string from = Letters(formats_.source, rows), to = Letters(formats_.target, rows);
    for (int i = 0; i < rows; ++i) {
      const T* row = x.data<T>() + from.find(to[i]) * width;
      std::copy_n(row, width, y->mutable_data<T>() + i * width);
    }
    return OkStatus();
  }

 private:
  // Returns the letters of a format, without N and C if there are only entries for the others.
  std::string Letters(std::string format, int rows) const {
    if (rows == formats_.rank()) return format;
    std::erase_if(format, [](char letter) { return letter == 'N' || letter == 'C'; });
    return format;
  }

  Status Check(const Tensor& x) const {
    if (x.rank() != 1 && x.rank() != 2) {
      return InvalidArgument("input must be a vector or 2D tensor, but got shape ", x.shape());
    }
    const int rank = formats_.rank();
    const bool fits = x.dim(0) == rank || x.dim(0) == rank - 2;
    if (!fits || std::ssize(Letters(formats_.source, static_cast<int>(x.dim(0)))) != x.dim(0)) {
      return InvalidArgument(x.rank() == 1 ? "1D input" : "First dimension of 2D input",
                             " must be of size ", rank - 2, " or ", rank, ", but got shape ",
                             x.shape());
    }
    if (x.rank() == 1 || x.dim(1) == 2) return OkStatus();
    return InvalidArgument("Second dimension of 2D input must be of size 2, but got shape ",
                           x.shape());
  }

  const FormatPair formats_;
};

RAMET_OP("DataFormatDimMap")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("src_format: string = 'NHWC'")
    .Attr("dst_format: string = 'NCHW'")
    .Doc(
        "Returns, for each dimension number in x, the number of the dimension with the same letter "
        "in dst_format. Numbers of at least the rank wrap around. Error: the formats do not have 4 "
        "or 5 different letters, or not the same ones.")
    .Shape(UnchangedShape)
    .CpuKernelClasses<DimMapKernel, int32_t, int64_t>();

RAMET_OP("DataFormatVecPermute")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("src_format: string = 'NHWC'")
    .Attr("dst_format: string = 'NCHW'")
    .Doc(
        "Returns the entries of x in the order of dst_format. x has one entry, or a row of two "
        "entries, for each dimension of src_format, or for each one but N and C. Error: x has a "
        "different shape; the formats do not have 4 or 5 different letters, or not the same ones.")
    .HostMemory({"x", "y"})
    .Shape(UnchangedShape)
    .CpuKernelClasses<VecPermuteKernel, int32_t, int64_t>();

}  // namespace
}  // namespace ramet
