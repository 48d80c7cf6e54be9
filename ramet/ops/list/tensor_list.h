#pragma once

#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/tensor/variant.h"

namespace ramet {

// A TensorList is the value of a variant: a list of tensors of one dtype, some of them not set yet.
// Ops that change a list make a new one; where nobody else holds the old one they take it over.
struct TensorList final : VariantValue {
  TensorList() = default;
  TensorList(const TensorList&) = default;
  TensorList& operator=(const TensorList&) = default;
  // Lists in lists are destroyed one after another: a loop can nest them deeper than the stack.
  ~TensorList() override;
  std::string_view type_name() const override { return "TensorList"; }

  // No list has more elements; a number from outside does not allocate without bound.
  static constexpr int64_t kMostElements = int64_t{1} << 24;

  int64_t size() const { return std::ssize(items); }
  // \error kInvalidArgument "Invalid data types; ..." if it is not the dtype of the list.
  Status CheckDType(DType dtype) const;
  // \error kInvalidArgument "WHAT element 3 in a list with 3 elements.".
  Status CheckIndex(int64_t index, std::string_view what) const;
  // \error kResourceExhausted if the list would be too long.
  Status Resize(int64_t size);
  // Keeps a tensor, a copy of memory that is only lent for a run.
  Status Set(int64_t index, const Tensor& value);

  DType dtype = DType::kInvalid;
  Shape element_shape = Shape::Unknown();
  int64_t max_num_elements = -1;  // -1: any number
  std::vector<Tensor> items;      // empty(): not set
};

// The list of scalar input i. \error kInvalidArgument if it is no scalar or no list.
StatusOr<const TensorList*> InputList(KernelContext& c, int i = 0);
// Output 0 as a list that is like the one of input i and may be changed: that one itself where
// nobody else needs it.
StatusOr<TensorList*> ChangedList(KernelContext& c, int i = 0);
// Output 0 as a new list.
StatusOr<TensorList*> NewList(KernelContext& c, DType dtype, Shape element_shape);

// The partial shape that an input of list ops describes: a vector, or the scalar -1 for any shape.
// \error kInvalidArgument if it describes none.
StatusOr<Shape> PartialShapeArg(const Tensor& t);
// What both say. \error kInvalidArgument "PartialTensorShape: Incompatible ... during merge: ...".
StatusOr<Shape> MergePartialShapes(const Shape& a, const Shape& b);
// \error kInvalidArgument if input i is no scalar.
StatusOr<int64_t> ScalarInput(KernelContext& c, int i);
// Zeros (false, empty strings, empty variants). \error kResourceExhausted.
StatusOr<Tensor> ZeroTensor(KernelContext& c, DType dtype, const Shape& shape);

// A kernel that is told the dtype of the elements: Compute(c, dtype).
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
