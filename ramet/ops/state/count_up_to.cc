#include "ramet/op/op.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

// Returns the attr `limit`.
// \error kInvalidArgument: the limit does not fit in a T.
template <class T>
StatusOr<int64_t> LimitOf(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(const int64_t limit, node.attrs->Get<int64_t>("limit"));
  if (static_cast<T>(limit) == limit) return limit;
  return InvalidArgument("Attr limit has value ", limit, " out of range for an ",
                         DTypeName(DTypeOf<T>::value));
}

// Sets output 0 to the value of variable input 0 and increments the variable.
template <class T>
class CountUpToKernel : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(int64_t limit, LimitOf<T>(node));
    return std::make_unique<CountUpToKernel>(limit);
  }
  explicit CountUpToKernel(int64_t limit) : limit_(limit) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Tensor * before, c.Allocate(0, DTypeOf<T>::value, Shape()));
    return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
      RAMET_RETURN_IF_ERROR(CheckVariableType("update", DTypeOf<T>::value, old.dtype()));
      if (old.rank() != 0) return InvalidArgument("input is not a scalar: ", old.shape());
      const T count = old.scalar<T>();
      if (count >= limit_) return OutOfRange("Reached limit of ", limit_);
      *before->template mutable_data<T>() = count;
      *out.mutable_data<T>() = count + 1;
      return OkStatus();
    });
  }

 private:
  const int64_t limit_;
};

template <class T>
class ResourceCountUpToKernel final : public CountUpToKernel<T> {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(int64_t limit, LimitOf<T>(node));
    return std::make_unique<ResourceCountUpToKernel>(limit);
  }
  using CountUpToKernel<T>::CountUpToKernel;

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(ReadHandle(c, 0, DTypeOf<T>::value).status());
    return CountUpToKernel<T>::Compute(c);
  }
};

Status CountUpToShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return ScalarShape(c);
}

}  // namespace

RAMET_OP("CountUpTo")
    .Input("ref: Ref(T)")
    .Output("output: T")
    .Attr("limit: int")
    .AttrRange("limit", INT64_MIN, INT64_MAX)
    .Attr("T: {int32, int64}")
    .Doc(
        "Returns the value of a scalar variable and increments the variable. Error: the value is "
        "not below `limit` (\"Reached limit of 5\", kOutOfRange); the variable is uninitialized "
        "(kFailedPrecondition) or not a scalar; `limit` does not fit in T.")
    .Shape(CountUpToShape)
    .CpuKernelClasses<CountUpToKernel, int32_t, int64_t>();

RAMET_OP("ResourceCountUpTo")
    .Input("resource: resource")
    .Output("output: T")
    .Attr("limit: int")
    .AttrRange("limit", INT64_MIN, INT64_MAX)
    .Attr("T: {int32, int64}")
    .Doc(
        "Returns the value of a scalar resource variable and increments the variable. Error: the "
        "value is not below `limit` (\"Reached limit of 5\", kOutOfRange); the variable has no "
        "value (kNotFound) or is not a scalar; `limit` does not fit in T.")
    .Shape(ScalarShape)
    .CpuKernelClasses<ResourceCountUpToKernel, int32_t, int64_t>();

}  // namespace ramet
