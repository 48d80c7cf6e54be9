#include "ramet/format/checkpoint_reader.h"
#include "ramet/format/v1_writer.h"
#include "ramet/op/op.h"
#include "ramet/ops/io/args.h"

namespace ramet {
namespace {

Status AddTensor(V1Writer& writer, const std::string& name, const std::string& spec,
                 const Tensor& tensor) {
  if (spec.empty()) return writer.Add(name, tensor);
  RAMET_ASSIGN_OR_RETURN(ShapeAndSlice slice, ParseShapeAndSlice(spec));
  if (slice.slice_shape != tensor.shape()) {
    return InvalidArgument(
        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: ",
        spec, ", tensor: ", tensor.shape(), " (tensor_name = ", name, ")");
  }
  return writer.AddSlice(name, slice.full_shape, slice.slice, tensor);
}

// Writes the inputs from `first` on; `specs` is empty if all tensors are whole.
Status SaveTensors(KernelContext& c, std::span<const std::string> specs, int first) {
  RAMET_ASSIGN_OR_RETURN(const std::string path, StringArg(c.input(0), "filename"));
  RAMET_ASSIGN_OR_RETURN(const auto names, StringsArg(c.input(1), "tensor_names"));
  const int n = c.num_inputs() - first;
  if (std::ssize(names) != n) {
    return InvalidArgument(
        "Expected totally ", first + std::ssize(names),
        " inputs as input #1 (which is a string tensor of saved names) contains ", names.size(),
        " names, but received ", c.num_inputs(), " inputs");
  }
  V1Writer writer(path);
  for (int i = 0; i < n; ++i) {
    const std::string& spec = specs.empty() ? std::string() : specs[i];
    RAMET_RETURN_IF_ERROR(AddTensor(writer, names[i], spec, c.input(first + i)));
  }
  return writer.Finish();
}

Status Save(KernelContext& c) { return SaveTensors(c, {}, 2); }

Status SaveSlices(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto specs, StringsArg(c.input(2), "shapes_and_slices"));
  const int n = c.num_inputs() - 3;
  if (std::ssize(specs) != n) {
    return InvalidArgument("Expected ", n, " elements for the tensor shapes and slices but got ",
                           specs.size());
  }
  return SaveTensors(c, specs, 3);
}

class RestoreKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const DType dtype, node.attrs->Get<DType>("dt"));
    const int64_t shard = node.attrs->GetOr<int64_t>("preferred_shard", -1);
    if (shard >= -1) return std::make_unique<RestoreKernel>(dtype);
    return InvalidArgument("Attribute 'preferred_shard' must be greater or equal to -1, but is ",
                           shard);
  }
  explicit RestoreKernel(DType dtype) : dtype_(dtype) {}

  Status Compute(KernelContext& c) override {
    BundleRequest request;
    request.dtype = dtype_;
    RAMET_ASSIGN_OR_RETURN(const std::string pattern, StringArg(c.input(0), "file_pattern"));
    RAMET_ASSIGN_OR_RETURN(request.name, StringArg(c.input(1), "tensor_name"));
    if (c.num_inputs() > 2) {
      RAMET_ASSIGN_OR_RETURN(request.shape_and_slice, StringArg(c.input(2), "shape_and_slice"));
    }
    Allocator* allocator = c.env().memory == nullptr ? c.allocator() : HostAllocator();
    RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, ReadV1(pattern, {&request, 1}, allocator));
    c.SetOutput(0, std::move(tensors[0]));
    return OkStatus();
  }

 private:
  const DType dtype_;
};

// Infers the shape from the slice if it is known when the graph is built.
Status RestoreSliceShape(ShapeContext& c) {
  const Tensor* spec = c.constant(2);
  if (spec == nullptr || spec->dtype() != DType::kString || spec->num_elements() != 1 ||
      spec->scalar<std::string>().empty()) {
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(ShapeAndSlice slice, ParseShapeAndSlice(spec->scalar<std::string>()));
  c.set_output(0, slice.slice_shape);
  return OkStatus();
}

}  // namespace

RAMET_OP("Save")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Doc(
        "Writes the tensors under their names to one file in TensorFlow's V1 checkpoint format, in "
        "one atomic step. Error: a name occurs twice; the number of names is not the number of "
        "tensors; V1 does not support a dtype (bfloat16, uint32 and others; kUnimplemented); the "
        "file cannot be written (the error of the file system).")
    .Stateful()
    .HostMemory({"filename", "tensor_names", "data"})
    .Shape(NoOutputs)
    .CpuKernel(Save);

RAMET_OP("SaveSlices")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("shapes_and_slices: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Doc(
        "Like Save, but the tensors may be slices of larger ones. An entry of shapes_and_slices is "
        "\"\" for a whole tensor, or, for example, \"10 2 4,3:0,2\" for the slice of a tensor of "
        "shape [10,2] that begins at [4,0] and has the shape [3,2]. Error: the same as Save; a "
        "slice does not match its tensor; slices overlap (kInternal).")
    .Stateful()
    .HostMemory({"filename", "tensor_names", "shapes_and_slices", "data"})
    .Shape(NoOutputs)
    .CpuKernel(SaveSlices);

RAMET_OP("Restore")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .Doc(
        "Reads a tensor from the V1 checkpoint whose files match the pattern. preferred_shard, a "
        "hint where to look first, has no effect: the indexes of all shards are read. Error: the "
        "file or the tensor does not exist (kNotFound); the dtype differs from the stored one; "
        "slices are missing; a file is damaged (kDataLoss, kInternal).")
    .Stateful()
    .HostMemory({"file_pattern", "tensor_name"})
    .Shape(UnknownShape)
    .CpuKernelClass<RestoreKernel>();

RAMET_OP("RestoreSlice")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Input("shape_and_slice: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .Doc(
        "Like Restore, for a slice of the tensor. shape_and_slice has the format described at "
        "SaveSlices. Error: the same as Restore; the shape differs from the stored one.")
    .Stateful()
    .HostMemory({"file_pattern", "tensor_name", "shape_and_slice"})
    .Shape(RestoreSliceShape)
    .CpuKernelClass<RestoreKernel>();

}  // namespace ramet
