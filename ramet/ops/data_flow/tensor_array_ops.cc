#include "ramet/op/op.h"
#include "ramet/ops/data_flow/tensor_array_grad.h"
#include "ramet/ops/data_flow/tensor_array_kernels.h"

namespace ramet {
namespace {

namespace ta = tensor_array;

// Adapts a factory function to the interface that CpuKernelClass expects.
template <StatusOr<std::unique_ptr<Kernel>> (*make)(const KernelNode&)>
struct MadeBy {
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) { return make(node); }
};

// Checks that input i is a scalar as far as its shape is known.
// \error kInvalidArgument: it is not.
Status ExpectScalar(ShapeContext& c, int i) { return c.WithRank(i, 0).status(); }

Status HandleShape(ShapeContext& c) {
  if (c.num_inputs() == 1) RAMET_RETURN_IF_ERROR(ExpectScalar(c, 0));
  c.set_output(0, Shape{2});
  if (c.num_outputs() > 1) c.set_output(1, Shape());
  return OkStatus();
}

Status WriteShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(ExpectScalar(c, 1));
  RAMET_RETURN_IF_ERROR(c.handle(0).second.MergeWith(c.input(2)).status());
  return ScalarShape(c);
}

Status ReadShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(ExpectScalar(c, 1));
  c.set_output(0, c.handle(0).second);
  return OkStatus();
}

Status GatherShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape indices, c.WithRank(1, 1));
  auto [dtype, shape] = c.handle(0);
  if (dtype == DType::kInvalid) {
    shape = c.attrs().GetOr<Shape>("element_shape", Shape::Unknown());
  }
  c.set_output(0, indices.Concatenate(shape));
  return OkStatus();
}

Status ScatterShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape indices, c.WithRank(1, 1));
  RAMET_ASSIGN_OR_RETURN(Shape value, c.WithRankAtLeast(2, 1));
  if (!value.unknown_rank() && !value.Slice(0, 1).IsCompatibleWith(indices)) {
    return InvalidArgument("Dimensions must be equal, but are ", value.dim(0), " and ",
                           indices.dim(0));
  }
  return ScalarShape(c);
}

Status ConcatShape(ShapeContext& c) {
  c.set_output(1, Shape::OfRank(1));
  return OkStatus();
}

constexpr char kArrayDoc[] =
    "Creates an array of `size` tensors of the same dtype that lives until the end of the run; "
    "each run starts with an empty one. The flow passes from op to op and determines their order. "
    "An element is written once and, with clear_after_read, read once. With dynamic_size, a write "
    "past the end extends the array. Elements must be compatible with element_shape; with "
    "identical_element_shapes, the first element written determines its unknown dimensions. Error: "
    "`size` is not a scalar or is negative; `size` is above 2^24 (kResourceExhausted).";
constexpr char kGradDoc[] =
    "Returns the array of gradients of the elements of an array for `source`; all nodes with the "
    "same source share it. Repeated writes to an element are summed. An element that was written "
    "in the array but not in the gradient is zeros. The original array cannot grow afterwards. "
    "Error: the array is closed or holds gradients itself.";
constexpr char kWriteDoc[] =
    "Writes `value` to element `index`, a scalar. Error: the index is out of range in an array "
    "that cannot grow; the element was written or read before; the dtype or shape does not match; "
    "the array is closed; the index is 2^24 or higher (kResourceExhausted).";
constexpr char kReadDoc[] =
    "Reads element `index`, a scalar. An element that was not written is zeros if its shape is "
    "known. Error: the index is out of range; the element was cleared by an earlier read; it was "
    "not written and its shape is unknown; the dtype does not match; the array is closed.";
constexpr char kGatherDoc[] =
    "Reads the elements `indices`, a vector, and stacks them along a new first dimension. They "
    "must have the same shape. If there are none, element_shape must be fully defined. Error: an "
    "element cannot be read (see TensorArrayReadV3); the shapes differ; there are no elements and "
    "element_shape is not fully defined (kUnimplemented).";
constexpr char kScatterDoc[] =
    "Writes row i of `value` to element indices[i], for each i. Error: an element cannot be "
    "written (see TensorArrayWriteV3); the number of rows and the number of indices differ.";
constexpr char kConcatDoc[] =
    "Reads all elements and concatenates them along their first dimension; `lengths` holds their "
    "sizes in that dimension. The remaining dimensions must be equal. If there are no elements, "
    "element_shape_except0 must be fully defined. Error: an element cannot be read (see "
    "TensorArrayReadV3); the shapes differ; an element is a scalar; there are no elements and "
    "element_shape_except0 is not fully defined (kUnimplemented).";
constexpr char kSplitDoc[] =
    "Writes the first lengths[0] rows of `value` to element 0, the next lengths[1] rows to element "
    "1, and so on. Error: an element cannot be written (see TensorArrayWriteV3); `lengths` is not "
    "a vector, has a negative element or does not add up to the number of rows; the number of "
    "lengths is not the size of an array that cannot grow.";
constexpr char kSizeDoc[] = "Returns the number of elements, a scalar. Error: the array is closed.";
constexpr char kCloseDoc[] =
    "Closes an array and frees its elements. The array cannot be used afterwards.";

constexpr char kGradWithShapeDoc[] =
    "Like TensorArrayGradV3, for gradients whose shapes have the dimensions shape_to_prepend in "
    "front of those of the elements. Error: the same as TensorArrayGradV3; shape_to_prepend is not "
    "a shape.";
constexpr char kPackDoc[] =
    "Reads all elements and stacks them along a new first dimension, like TensorArrayGatherV3.";
constexpr char kUnpackDoc[] =
    "Writes row i of `value` to element i, for all elements. Error: an element cannot be written "
    "(see TensorArrayWriteV3); the number of rows is not the size of the array.";

RAMET_OP("TensorArrayV3")
    .Input("size: int32")
    .Output("handle: resource")
    .Output("flow: float")
    .Attr("dtype: type")
    .Attr("element_shape: shape = unknown")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("identical_element_shapes: bool = false")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .Doc(kArrayDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeArray>>();

RAMET_OP("TensorArrayV2")
    .Input("size: int32")
    .Output("handle: string")
    .Attr("dtype: type")
    .Attr("element_shape: shape = unknown")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .Doc(kArrayDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeArray>>();

RAMET_OP("TensorArray")
    .Input("size: int32")
    .Output("handle: Ref(string)")
    .Attr("dtype: type")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("tensor_array_name: string = ''")
    .Attr("element_shape: shape = unknown")
    .Stateful()
    .Doc(kArrayDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeArray>>();

RAMET_OP("TensorArrayGradV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("grad_handle: resource")
    .Output("flow_out: float")
    .Attr("source: string")
    .Stateful()
    .Doc(kGradDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeGradient>>();

RAMET_OP("TensorArrayGradV2")
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("grad_handle: string")
    .Attr("source: string")
    .Stateful()
    .Doc(kGradDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeGradient>>();

RAMET_OP("TensorArrayGrad")
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("grad_handle: Ref(string)")
    .Attr("source: string")
    .Stateful()
    .Doc(kGradDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeGradient>>();

RAMET_OP("TensorArrayGradWithShape")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Input("shape_to_prepend: int32")
    .Output("grad_handle: resource")
    .Output("flow_out: float")
    .Attr("source: string")
    .Stateful()
    .Doc(kGradWithShapeDoc)
    .Shape(HandleShape)
    .NotDifferentiable()
    .CpuKernelClass<MadeBy<ta::MakeGradient>>();

// The ops that take a handle, for the three forms of handles.
#define RAMET_TENSOR_ARRAY_OPS(SUFFIX, HANDLE, STATEFUL)                       \
  RAMET_OP("TensorArrayWrite" SUFFIX)                                          \
      .Input("handle: " HANDLE)                                                \
      .Input("index: int32")                                                   \
      .Input("value: T")                                                       \
      .Input("flow_in: float")                                                 \
      .Output("flow_out: float")                                               \
      .Attr("T: type") STATEFUL.Doc(kWriteDoc)                                 \
      .Shape(WriteShape)                                                       \
      .Gradient(ta::WriteGradient)                                             \
      .CpuKernel(ta::Write);                                                   \
  RAMET_OP("TensorArrayRead" SUFFIX)                                           \
      .Input("handle: " HANDLE)                                                \
      .Input("index: int32")                                                   \
      .Input("flow_in: float")                                                 \
      .Output("value: dtype")                                                  \
      .Attr("dtype: type") STATEFUL.Doc(kReadDoc)                              \
      .Shape(ReadShape)                                                        \
      .Gradient(ta::ReadGradient)                                              \
      .CpuKernelClass<MadeBy<ta::MakeRead>>();                                 \
  RAMET_OP("TensorArrayGather" SUFFIX)                                         \
      .Input("handle: " HANDLE)                                                \
      .Input("indices: int32")                                                 \
      .Input("flow_in: float")                                                 \
      .Output("value: dtype")                                                  \
      .Attr("dtype: type")                                                     \
      .Attr("element_shape: shape = unknown") STATEFUL.Doc(kGatherDoc)         \
      .Shape(GatherShape)                                                      \
      .Gradient(ta::GatherGradient)                                            \
      .CpuKernelClass<MadeBy<ta::MakeGather>>();                               \
  RAMET_OP("TensorArrayScatter" SUFFIX)                                        \
      .Input("handle: " HANDLE)                                                \
      .Input("indices: int32")                                                 \
      .Input("value: T")                                                       \
      .Input("flow_in: float")                                                 \
      .Output("flow_out: float")                                               \
      .Attr("T: type") STATEFUL.Doc(kScatterDoc)                               \
      .Shape(ScatterShape)                                                     \
      .Gradient(ta::ScatterGradient)                                           \
      .CpuKernel(ta::Scatter);                                                 \
  RAMET_OP("TensorArrayConcat" SUFFIX)                                         \
      .Input("handle: " HANDLE)                                                \
      .Input("flow_in: float")                                                 \
      .Output("value: dtype")                                                  \
      .Output("lengths: int64")                                                \
      .Attr("dtype: type")                                                     \
      .Attr("element_shape_except0: shape = unknown") STATEFUL.Doc(kConcatDoc) \
      .Shape(ConcatShape)                                                      \
      .Gradient(ta::ConcatGradient)                                            \
      .CpuKernelClass<MadeBy<ta::MakeConcat>>();                               \
  RAMET_OP("TensorArraySplit" SUFFIX)                                          \
      .Input("handle: " HANDLE)                                                \
      .Input("value: T")                                                       \
      .Input("lengths: int64")                                                 \
      .Input("flow_in: float")                                                 \
      .Output("flow_out: float")                                               \
      .Attr("T: type") STATEFUL.Doc(kSplitDoc)                                 \
      .Shape(ScalarShape)                                                      \
      .Gradient(ta::SplitGradient)                                             \
      .CpuKernel(ta::Split);                                                   \
  RAMET_OP("TensorArraySize" SUFFIX)                                           \
      .Input("handle: " HANDLE)                                                \
      .Input("flow_in: float")                                                 \
      .Output("size: int32") STATEFUL.Doc(kSizeDoc)                            \
      .Shape(ScalarShape)                                                      \
      .NotDifferentiable()                                                     \
      .CpuKernel(ta::Size);                                                    \
  RAMET_OP("TensorArrayClose" SUFFIX)                                          \
      .Input("handle: " HANDLE) STATEFUL.Doc(kCloseDoc)                        \
      .Shape(NoOutputs)                                                        \
      .NotDifferentiable()                                                     \
      .CpuKernel(ta::Close)

RAMET_TENSOR_ARRAY_OPS("V3", "resource", .Stateful());
RAMET_TENSOR_ARRAY_OPS("V2", "string", );
RAMET_TENSOR_ARRAY_OPS("", "Ref(string)", );
#undef RAMET_TENSOR_ARRAY_OPS

RAMET_OP("TensorArrayPack")
    .Input("handle: Ref(string)")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = unknown")
    .Doc(kPackDoc)
    .Shape(UnknownShape)
    .CpuKernelClass<MadeBy<ta::MakePack>>();

RAMET_OP("TensorArrayUnpack")
    .Input("handle: Ref(string)")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .Doc(kUnpackDoc)
    .Shape(ScalarShape)
    .CpuKernel(ta::Unpack);

}  // namespace
}  // namespace ramet
