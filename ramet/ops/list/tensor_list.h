#pragma once

#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/tensor/variant.h"

namespace ramet {

// A TensorList is the value of a variant: a list of tensors of the same dtype, some of which may
// not be set. Ops that change a list create a new one, or take over the old one if nothing else
// refers to it.
struct TensorList final : VariantValue {
  TensorList() = default;
  TensorList(const TensorList&) = default;
  TensorList& operator=(const TensorList&) = default;
  // Destroys nested lists iteratively: a loop can nest them deeper than the stack allows.
  ~TensorList() override;
  std::string_view type_name() const override { return "TensorList"; }

  // The maximum number of elements. It keeps an untrusted size from allocating without bound.
  static constexpr int64_t kMaxElements = int64_t{1} << 24;

  int64_t size() const { return std::ssize(items); }
  // \error kInvalidArgument: "Invalid data types; ..." if `dtype` is not the dtype of the list.
  Status CheckDType(DType dtype) const;
  // \error kInvalidArgument: "WHAT element 3 in a list with 3 elements.".
  Status CheckIndex(int64_t index, std::string_view what) const;
  // \error kResourceExhausted: out of memory, or more than 2^24 elements.
  Status Resize(int64_t size);
  // Stores a tensor, or a copy of it if its memory is lent only for the run.
  Status Set(int64_t index, const Tensor& value);

  DType dtype = DType::kInvalid;
  Shape element_shape = Shape::Unknown();
  int64_t max_num_elements = -1;  // -1: any number
  std::vector<Tensor> items;      // empty(): not set
};

// Returns the list in scalar input i.
// \error kInvalidArgument: the input is not a scalar or not a list.
StatusOr<const TensorList*> InputList(KernelContext& c, int i = 0);
// Sets output 0 to a list equal to that of input i and returns it for modification. It is the list
// of the input itself if nothing else needs that list.
StatusOr<TensorList*> ChangedList(KernelContext& c, int i = 0);
// Sets output 0 to a new list and returns it.
StatusOr<TensorList*> NewList(KernelContext& c, DType dtype, Shape element_shape);

// Returns the partial shape that an input of a list op describes: a vector, or the scalar -1 for
// any shape.
// \error kInvalidArgument: the input does not describe a shape.
StatusOr<Shape> PartialShapeArg(const Tensor& t);
// Merges two partial shapes.
// \error kInvalidArgument: "PartialTensorShape: Incompatible ... during merge: ...".
StatusOr<Shape> MergePartialShapes(const Shape& a, const Shape& b);
// Returns the value of scalar input i.
// \error kInvalidArgument: the input is not a scalar.
StatusOr<int64_t> ScalarInput(KernelContext& c, int i);
// Returns zeros (false, empty strings, empty variants).
// \error kResourceExhausted: out of memory.
StatusOr<Tensor> ZeroTensor(KernelContext& c, DType dtype, const Shape& shape);

// A kernel that passes the dtype of the elements to `compute`.
template <Status (*compute)(KernelContext& c, DType dtype)>
class WithElementType final : public Kernel {
 public:
  explicit WithElementType(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("element_dtype"));
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<WithElementType>(dtype));
  }
  Status Compute(KernelContext& c) override { return compute(c, dtype_); }

 private:
  const DType dtype_;
};

}  // namespace ramet
