#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/move.h"

// UniqueV2 and UniqueWithCountsV2: the distinct slices of a tensor along an axis.

namespace ramet {
namespace {

// Returns the axis; an empty `axis` means the only one of a vector.
StatusOr<int> UniqueAxis(const Tensor& x, const Tensor& axis) {
  if (axis.rank() != 1) return InvalidArgument("axis expects a 1D vector.");
  if (axis.dim(0) > 1) {
    return InvalidArgument("axis does not support input tensors larger than 1 elements");
  }
  if (axis.dim(0) == 0) {
    if (x.rank() == 1) return 0;
    return InvalidArgument("unique expects a 1D vector.");
  }
  const int64_t asked = IntegerAt(axis, 0), at = asked < 0 ? asked + x.rank() : asked;
  if (at >= 0 && at < x.rank()) return static_cast<int>(at);
  return InvalidArgument("axis has to be between [0, ", x.rank(), ")");
}

// Appends bytes that are the same for equal elements. Returns false for NaN, which equals nothing.
template <class T>
bool AppendKey(T value, std::string& key) {
  if constexpr (std::is_same_v<T, std::string>) {
    key += StrCat(value.size(), ":") + value;
  } else {
    if constexpr (!std::is_integral_v<T>) {
      const auto number = static_cast<std::conditional_t<std::is_arithmetic_v<T>, T, float>>(value);
      if (std::isnan(number)) return false;
      if (number == 0) value = T(0.0F);
    }
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return true;
}

// The tensor as [outer, slices, inner]; slices are compared.
struct Slices {
  int64_t outer, count, inner;

  int64_t position(int64_t o, int64_t slice) const { return (o * count + slice) * inner; }
};

// Returns the number of each slice, in the order in which the slices first appear.
template <class T>
std::vector<int64_t> NumberSlices(const T* x, const Slices& s, std::vector<int64_t>& first) {
  std::unordered_map<std::string, int64_t> numbers;
  std::vector<int64_t> number(s.count);
  if (s.outer == 0 || s.inner == 0) {  // Slices without elements are equal.
    if (s.count > 0) first.push_back(0);
    return number;
  }
  for (int64_t i = 0; i < s.count; ++i) {
    std::string key;
    bool comparable = true;
    for (int64_t o = 0; o < s.outer; ++o) {
      for (int64_t k = 0; k < s.inner; ++k) {
        comparable = AppendKey<T>(x[s.position(o, i) + k], key) && comparable;
      }
    }
    const int64_t next = std::ssize(first);
    number[i] = comparable ? numbers.try_emplace(std::move(key), next).first->second : next;
    if (number[i] == next) first.push_back(i);
  }
  return number;
}

Status WriteNumbers(KernelContext& c, int output, DType type, const std::vector<int64_t>& values) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(output, type, Shape{std::ssize(values)}));
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == kInt32) {
      y->mutable_data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    } else {
      y->mutable_data<int64_t>()[i] = values[i];
    }
  }
  return OkStatus();
}

template <class T>
class UniqueV2Kernel final : public Kernel {
 public:
  explicit UniqueV2Kernel(DType index) : index_(index) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<UniqueV2Kernel>(node.output_types[1]));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const int axis, UniqueAxis(x, c.input(1)));
    const Slices slices{Product(x.shape(), 0, axis), x.dim(axis),
                        Product(x.shape(), axis + 1, x.rank())};
    std::vector<int64_t> first;
    const std::vector<int64_t> numbers = NumberSlices(x.data<T>(), slices, first);
    RAMET_RETURN_IF_ERROR(WriteNumbers(c, 1, index_, numbers));
    RAMET_RETURN_IF_ERROR(WriteSlices(c, axis, slices, first));
    if (c.num_outputs() < 3) return OkStatus();
    std::vector<int64_t> counts(first.size());
    for (const int64_t number : numbers) ++counts[number];
    return WriteNumbers(c, 2, index_, counts);
  }

 private:
  static Status WriteSlices(KernelContext& c, int axis, const Slices& slices,
                            const std::vector<int64_t>& chosen) {
    const Tensor& x = c.input(0);
    Shape shape = x.shape();
    shape.set_dim(axis, std::ssize(chosen));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
    if (y->num_elements() == 0) return OkStatus();
    const Slices written{slices.outer, std::ssize(chosen), slices.inner};
    for (int64_t o = 0; o < slices.outer; ++o) {
      for (size_t i = 0; i < chosen.size(); ++i) {
        CopyElements(x, slices.position(o, chosen[i]), *y,
                     written.position(o, static_cast<int64_t>(i)), slices.inner);
      }
    }
    return OkStatus();
  }

  const DType index_;
};

Status UniqueV2Shape(ShapeContext& c) {
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, Shape::OfRank(1));
  const Shape& x = c.input(0);
  const Tensor* axis = c.constant(1);
  if (x.unknown_rank()) return OkStatus();
  if (axis == nullptr) c.set_output(0, Shape::OfRank(x.rank()));
  if (axis == nullptr || axis->rank() != 1 || axis->dim(0) > 1) return OkStatus();
  const int64_t asked = axis->dim(0) == 0 ? 0 : IntegerAt(*axis, 0);
  const int64_t at = asked < 0 ? asked + x.rank() : asked;
  if (at < 0 || at >= x.rank()) return OkStatus();
  Shape y = x;
  y.set_dim(static_cast<int>(at), Shape::kUnknownDim);
  c.set_output(0, std::move(y));
  c.set_output(1, Shape{x.dim(static_cast<int>(at))});
  return OkStatus();
}

#define RAMET_UNIQUE_V2(name)                                                                    \
  RAMET_OP(name)                                                                                 \
      .Input("x: T")                                                                             \
      .Input("axis: Taxis")                                                                      \
      .Output("y: T")                                                                            \
      .Output("idx: out_idx")                                                                    \
      .Attr("T: type")                                                                           \
      .Attr("Taxis: {int32, int64} = int64")                                                     \
      .Attr("out_idx: {int32, int64} = int32")                                                   \
      .HostMemory({"axis"})                                                                      \
      .Shape(UniqueV2Shape)                                                                      \
      .CpuKernelClasses<UniqueV2Kernel, float, double, Half, BFloat16, int8_t, int16_t, int32_t, \
                        int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool, std::string>()
#define RAMET_UNIQUE_V2_DOC                                                                      \
  "Returns the distinct slices of x along `axis`, a vector of one axis (negative values count "  \
  "from the end) or empty for a vector x, in the order in which they first appear. idx has the " \
  "number of each slice. A NaN does not equal itself. Error: `axis` is not such a vector or is " \
  "out of range."

RAMET_UNIQUE_V2("UniqueV2").Doc(RAMET_UNIQUE_V2_DOC);
RAMET_UNIQUE_V2("UniqueWithCountsV2")
    .Output("count: out_idx")
    .Doc(RAMET_UNIQUE_V2_DOC " Also returns how often each slice occurs.");

}  // namespace
}  // namespace ramet
