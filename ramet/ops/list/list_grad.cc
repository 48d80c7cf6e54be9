#include "ramet/ops/list/list_grad.h"

#include "ramet/gradients/shape_ops.h"
#include "ramet/ops/array/grad_util.h"

namespace ramet::tensor_list {
namespace {

DType ElementType(GradientContext& c) {
  auto dtype = c.attr<DType>("element_dtype");
  return dtype.ok() ? *dtype : DType::kInvalid;
}

// Returns a partial shape in the form that list ops take.
Tensor PartialShapeTensor(const Shape& shape) {
  if (shape.unknown_rank()) return Tensor(int32_t{-1});
  return Tensor::Vector(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
}

Output ElementShapeOf(GradientContext& c, const Output& list) {
  return c.Add("TensorListElementShape", {list}, {{"shape_type", kInt32}});
}

// Returns a list as long as input 0 for the gradients of its elements, with no element set.
Output ReservedLike(GradientContext& c, bool length_first) {
  Output length, shape;
  if (length_first) length = c.Add("TensorListLength", {c.input(0)});
  shape = ElementShapeOf(c, c.input(0));
  if (!length_first) length = c.Add("TensorListLength", {c.input(0)});
  return c.Add("TensorListReserve", {shape, length}, {{"element_dtype", ElementType(c)}});
}

// Returns the shape of the rows of x.
Output RowShape(GradientContext& c, const Output& x) {
  return c.Add("Slice",
               {ShapeOf(c, x), Tensor::Vector<int32_t>({1}), Tensor::Vector<int32_t>({-1})});
}

}  // namespace

Status PushBackGradient(GradientContext& c) {
  const Operation pop = c.AddOperation("TensorListPopBack", {c.grad(0), ShapeOf(c, c.input(1))},
                                       {{"element_dtype", ElementType(c)}});
  RAMET_RETURN_IF_ERROR(c.graph().status());
  return c.Return({pop.output(0), pop.output(1)});
}

Status PopBackGradient(GradientContext& c) {
  return c.Return({c.Add("TensorListPushBack", {c.grad(0), c.grad(1)}), Gradient()});
}

Status GetItemGradient(GradientContext& c) {
  const Output list = ReservedLike(c, true);
  return c.Return(
      {c.Add("TensorListSetItem", {list, c.input(1), c.grad()}), Gradient(), Gradient()});
}

Status SetItemGradient(GradientContext& c) {
  const Output zeros = ZerosLikeOutput(c.input(2), true);
  const Output list = c.Add("TensorListSetItem", {c.grad(), c.input(1), zeros});
  const Output item = c.Add("TensorListGetItem", {c.grad(), c.input(1), ShapeOf(c, c.input(2))},
                            {{"element_dtype", ElementType(c)}});
  return c.Return({list, Gradient(), item});
}

Status ResizeGradient(GradientContext& c) {
  const Output length = c.Add("TensorListLength", {c.input(0)});
  return c.Return({c.Add("TensorListResize", {c.grad(), length}), Gradient()});
}

Status StackGradient(GradientContext& c) {
  const Shape shape = c.grad().shape();
  const Shape row = shape.rank() > 0 ? shape.Slice(1, shape.rank()) : Shape::Unknown();
  return c.Return({c.Add("TensorListFromTensor", {c.grad(), PartialShapeTensor(row)}), Gradient()});
}

Status FromTensorGradient(GradientContext& c) {
  const Shape shape = c.input(0).shape();
  const int64_t n = shape.rank() > 0 ? shape.dim(0) : -1;
  return c.Return({c.Add("TensorListStack", {c.grad(), RowShape(c, c.input(0))},
                         {{"element_dtype", ElementType(c)}, {"num_elements", n}}),
                   Gradient()});
}

Status GatherGradient(GradientContext& c) {
  const Output list = ReservedLike(c, false);
  return c.Return({c.Add("TensorListScatterIntoExistingList", {list, c.grad(), c.input(1)}),
                   Gradient(), Gradient()});
}

Status ScatterGradient(GradientContext& c) {
  std::vector<Gradient> grads(c.num_inputs());
  grads[0] = c.Add("TensorListGather", {c.grad(), c.input(1), RowShape(c, c.input(0))},
                   {{"element_dtype", ElementType(c)}});
  return c.Return(std::move(grads));
}

Status ScatterIntoExistingGradient(GradientContext& c) {
  const Output rows = c.Add("TensorListGather", {c.grad(), c.input(2), RowShape(c, c.input(1))},
                            {{"element_dtype", ElementType(c)}});
  const Output zeros = ZerosLikeOutput(c.input(1), true);
  return c.Return({c.Add("TensorListScatterIntoExistingList", {c.grad(), zeros, c.input(2)}), rows,
                   Gradient()});
}

Status ConcatGradient(GradientContext& c) {
  std::vector<Gradient> grads(c.num_inputs());
  const Output shape = ElementShapeOf(c, c.input(0));
  grads[0] = c.Add("TensorListSplit", {c.grad(), shape, c.output(1)});
  return c.Return(std::move(grads));
}

Status SplitGradient(GradientContext& c) {
  const Output shape = ConcatVectors(c, {Tensor::Vector<int32_t>({-1}), RowShape(c, c.input(0))});
  return c.Return({c.Add("TensorListConcatV2", {c.grad(), shape, c.input(2)},
                         {{"element_dtype", ElementType(c)}}),
                   Gradient(), Gradient()});
}

}  // namespace ramet::tensor_list
