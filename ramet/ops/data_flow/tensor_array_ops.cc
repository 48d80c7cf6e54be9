#include "ramet/op/op.h"
#include "ramet/ops/data_flow/tensor_array_grad.h"
#include "ramet/ops/data_flow/tensor_array_kernels.h"

namespace ramet {
namespace {

namespace ta = tensor_array;

// What CpuKernelClass asks for its kernels.
template <StatusOr<std::unique_ptr<Kernel>> (*make)(const KernelNode&)>
struct MadeBy {
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) { return make(node); }
};

// \error kInvalidArgument if input i is known to be no scalar.
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
    "A new array of `size` tensors of one dtype, which lives until the end of the run: a later "
    "run\n"
    "starts with an empty one. The flow is handed on from op to op and puts them into order. An\n"
    "element is written once and, with clear_after_read, read once. With dynamic_size a write\n"
    "behind the end makes the array longer. Elements must fit element_shape; with\n"
    "identical_element_shapes the first one decides what is left open there.\n"
    "\\error kInvalidArgument if size is no scalar or negative; kResourceExhausted if it is above\n"
    "  2^24.";
constexpr char kGradDoc[] =
    "The array of the gradients of an array's elements that belongs to `source`: the same one for\n"
    "each node of that source. What is written to one element again is added up; an element that\n"
    "was written in the array but not here is zeros. The array cannot grow afterwards.\n"
    "\\error kInvalidArgument if the array is closed, or holds gradients itself.";
constexpr char kWriteDoc[] =
    "Writes `value` to element `index`.\n"
    "\\error kInvalidArgument if the index is outside of an array that cannot grow, the element "
    "was\n"
    "  written or read before, the dtype or shape does not fit, or the array is closed.";
constexpr char kReadDoc[] =
    "Reads element `index`. One that was not written is zeros if its shape is known.\n"
    "\\error kInvalidArgument if the index is outside, the element was cleared by an earlier "
    "read,\n"
    "  or was not written and has no known shape, the dtype does not fit, or the array is closed.";
constexpr char kGatherDoc[] =
    "Reads the elements `indices` and joins them in a new first dimension. They must have one\n"
    "shape; if there are none, element_shape must be fully known.\n"
    "\\error as a read; kInvalidArgument if the shapes differ; kUnimplemented if there are no\n"
    "  elements and element_shape is not known.";
constexpr char kScatterDoc[] =
    "Writes row i of `value` to element indices[i], for each i.\n"
    "\\error as a write; kInvalidArgument if there are not as many rows as indices.";
constexpr char kConcatDoc[] =
    "Reads all elements and joins them along their first dimension; `lengths` are their sizes\n"
    "there. The other dimensions must agree; if there are no elements, element_shape_except0 must\n"
    "be fully known.\n"
    "\\error as a read; kInvalidArgument if shapes do not fit or an element is a scalar;\n"
    "  kUnimplemented if there are no elements and element_shape_except0 is not known.";
constexpr char kSplitDoc[] =
    "Writes the first lengths[0] rows of `value` to element 0, the next lengths[1] to element 1 "
    "and\n"
    "so on.\n"
    "\\error as a write; kInvalidArgument if the lengths do not add up to the rows of value, or "
    "are\n"
    "  not as many as the elements of an array that cannot grow.";
constexpr char kSizeDoc[] =
    "The number of elements. \\error kInvalidArgument if the array is closed.";
constexpr char kCloseDoc[] =
    "Closes an array and frees its elements; nothing can be done with it any more.";

constexpr char kGradWithShapeDoc[] =
    "As TensorArrayGradV3, for gradients that have the dimensions shape_to_prepend before those "
    "of\n"
    "the array's elements.\n"
    "\\error as TensorArrayGradV3; kInvalidArgument if shape_to_prepend is no shape.";
constexpr char kPackDoc[] =
    "Reads all elements and joins them in a new first dimension, as TensorArrayGatherV3 does.";
constexpr char kUnpackDoc[] =
    "Writes row i of `value` to element i, for all elements.\n"
    "\\error as a write; kInvalidArgument if there are not as many rows as elements.";

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

// The ops that take a handle, in the three forms that it had.
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
