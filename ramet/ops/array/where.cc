#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

template <class T>
bool IsSet(const T& v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(v) != 0;
  } else {
    return v != T(0);
  }
}

constexpr auto kWhere = []<class T>(KernelContext& c) -> Status {
  const Tensor& x = c.input(0);
  const auto flat = x.flat<T>();
  const int64_t count = std::ranges::count_if(flat, IsSet<T>);
  const int rank = x.rank();
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kInt64, Shape{count, rank}));
  int64_t* out = y->mutable_data<int64_t>();
  int64_t* const end = out + count * rank;
  // A fed float array may change between the two passes.
  int64_t left = count;
  for (size_t i = 0; i < flat.size() && left > 0; ++i) {
    if (!IsSet(flat[i])) continue;
    --left;
    int64_t rest = static_cast<int64_t>(i);
    for (int d = rank - 1; d >= 0; --d) {
      out[d] = rest % x.dim(d);
      rest /= x.dim(d);
    }
    out += rank;
  }
  std::fill(out, end, 0);
  return OkStatus();
};

Status WhereShape(ShapeContext& c) {
  c.set_output(0, Shape{Shape::kUnknownDim, c.input(0).rank()});
  return OkStatus();
}

// Numbers the distinct values of a vector in the order in which they first appear. Values are
// compared with ==, so 0 equals -0 and a NaN does not equal itself.
class Numbering {
 public:
  explicit Numbering(const Tensor& x) : x_(x) {}

  // Returns the number of the value of element i; a new one if the value has not been seen.
  int64_t Add(int64_t i) {
    const auto [key, equals_itself] = Key(i);
    if (!equals_itself) return next_++;
    auto [it, fresh] = numbers_.try_emplace(key, next_);
    if (fresh) ++next_;
    return it->second;
  }
  // Reports whether element i of `x` (of the same dtype) has been added.
  bool Contains(const Tensor& x, int64_t i) const {
    const auto [key, equals_itself] = Numbering(x).Key(i);
    return equals_itself && numbers_.contains(key);
  }
  int64_t size() const { return next_; }

 private:
  std::pair<std::string_view, bool> Key(int64_t i) const {
    if (x_.dtype() == DType::kString) return {x_.data<std::string>()[i], true};
    const size_t width = DTypeSize(x_.dtype());
    const std::string_view bytes(static_cast<const char*>(x_.raw_data()) + i * width, width);
    switch (x_.dtype()) {
      case DType::kFloat: return FloatKey(x_.data<float>()[i], bytes);
      case DType::kDouble: return FloatKey(x_.data<double>()[i], bytes);
      case DType::kHalf: return FloatKey(static_cast<float>(x_.data<Half>()[i]), bytes);
      case DType::kBFloat16: return FloatKey(static_cast<float>(x_.data<BFloat16>()[i]), bytes);
      default: return {bytes, true};
    }
  }
  static std::pair<std::string_view, bool> FloatKey(double v, std::string_view bytes) {
    static constexpr char kZero[8] = {};
    if (v == 0) return {std::string_view(kZero, bytes.size()), true};
    return {bytes, !std::isnan(v)};
  }

  const Tensor& x_;
  std::unordered_map<std::string_view, int64_t> numbers_;
  int64_t next_ = 0;
};

template <class Index>
Status UniqueOf(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 1) return InvalidArgument("unique expects a 1D vector. x has shape ", x.shape());
  RAMET_ASSIGN_OR_RETURN(Tensor * idx, c.Allocate(1, DTypeOf<Index>::value, x.shape()));
  Numbering numbering(x);
  std::vector<int64_t> first, counts;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const int64_t number = numbering.Add(i);
    if (number == static_cast<int64_t>(first.size())) {
      first.push_back(i);
      counts.push_back(0);
    }
    ++counts[number];
    idx->mutable_data<Index>()[i] = static_cast<Index>(number);
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), Shape{numbering.size()}));
  for (size_t i = 0; i < first.size(); ++i) CopyElements(x, first[i], *y, i, 1);
  if (c.num_outputs() < 3) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(Tensor * count,
                         c.Allocate(2, DTypeOf<Index>::value, Shape{numbering.size()}));
  std::ranges::transform(counts, count->mutable_data<Index>(),
                         [](int64_t v) { return static_cast<Index>(v); });
  return OkStatus();
}

constexpr auto kUnique = []<class Index>(KernelContext& c) -> Status { return UniqueOf<Index>(c); };

Status UniqueShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 1));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape::OfRank(1));
  c.set_output(1, std::move(x));
  return OkStatus();
}

constexpr auto kListDiff = []<class Index>(KernelContext& c) -> Status {
  const Tensor &x = c.input(0), &y = c.input(1);
  if (x.rank() != 1) return InvalidArgument("x should be a 1D vector, but has shape ", x.shape());
  if (y.rank() != 1) return InvalidArgument("y should be a 1D vector, but has shape ", y.shape());
  Numbering excluded(y);
  for (int64_t i = 0; i < y.num_elements(); ++i) excluded.Add(i);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (!excluded.Contains(x, i)) kept.push_back(i);
  }
  const Shape shape{static_cast<int64_t>(kept.size())};
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, x.dtype(), shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * idx, c.Allocate(1, DTypeOf<Index>::value, shape));
  for (size_t i = 0; i < kept.size(); ++i) {
    CopyElements(x, kept[i], *out, i, 1);
    idx->mutable_data<Index>()[i] = static_cast<Index>(kept[i]);
  }
  return OkStatus();
};

Status ListDiffShape(ShapeContext& c) {
  for (int i : {0, 1}) {
    RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
    c.set_output(i, Shape::OfRank(1));
  }
  return OkStatus();
}

}  // namespace

RAMET_OP("Where")
    .Foldable()
    .Input("input: T")
    .Output("index: int64")
    .Attr("T: {numbertype, bool} = DT_BOOL")
    .Doc(
        "Returns the coordinates of the elements that are nonzero (or true) in row-major order, as "
        "a tensor of shape [count, rank].")
    .Shape(WhereShape)
    .CpuKernels<bool, float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>>(kWhere);

RAMET_OP("Unique")
    .Foldable()
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the distinct values of the vector `x` in the order in which they first appear, "
        "and for each element of x the index of its value: y[idx[i]] = x[i]. Error: `x` is not a "
        "vector.")
    .Shape(UniqueShape)
    .CpuKernels<int32_t, int64_t>(kUnique, "out_idx");

RAMET_OP("UniqueWithCounts")
    .Foldable()
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Output("count: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .Doc("Like Unique; `count` also gives the number of times that each value of y occurs in x.")
    .Shape(UniqueShape)
    .CpuKernels<int32_t, int64_t>(kUnique, "out_idx");

RAMET_OP("ListDiff")
    .Foldable()
    .Input("x: T")
    .Input("y: T")
    .Output("out: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the elements of the vector `x` that are not in the vector `y`, in order, and "
        "their indices in x. Error: `x` or `y` is not a vector.")
    .Shape(ListDiffShape)
    .CpuKernels<int32_t, int64_t>(kListDiff, "out_idx");

}  // namespace ramet
