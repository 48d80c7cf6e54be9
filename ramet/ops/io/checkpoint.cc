#include "ramet/format/bundle_merge.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/format/checkpoint_reader.h"
#include "ramet/format/v1_writer.h"
#include "ramet/op/op.h"
#include "ramet/ops/io/args.h"

namespace ramet {
namespace {

// The inputs that SaveV2 and RestoreV2 share: the prefix, and a name and a slice for each tensor.
struct CheckpointArgs {
  std::string prefix;
  std::span<const std::string> names, slices;

  static StatusOr<CheckpointArgs> Of(KernelContext& c, int num_tensors) {
    CheckpointArgs args;
    RAMET_ASSIGN_OR_RETURN(args.prefix, StringArg(c.input(0), "prefix"));
    RAMET_ASSIGN_OR_RETURN(args.names, StringsArg(c.input(1), "tensor_names"));
    RAMET_ASSIGN_OR_RETURN(args.slices, StringsArg(c.input(2), "shape_and_slices"));
    if (static_cast<int>(args.names.size()) == num_tensors &&
        args.slices.size() == args.names.size()) {
      return args;
    }
    return InvalidArgument("tensor_names and shape_and_slices must have one entry for each of the ",
                           num_tensors, " tensors, but they have ", args.names.size(), " and ",
                           args.slices.size());
  }
};

Status AddTensor(BundleWriter& writer, const std::string& name, const std::string& spec,
                 const Tensor& tensor) {
  if (spec.empty()) return writer.Add(name, tensor);
  RAMET_ASSIGN_OR_RETURN(ShapeAndSlice slice, ParseShapeAndSlice(spec));
  if (!(slice.slice_shape == tensor.shape())) {
    return InvalidArgument("tensor_name = ", name, "; the slice '", spec, "' has shape ",
                           slice.slice_shape, ", but the tensor to save has ", tensor.shape());
  }
  return writer.AddSlice(name, slice.full_shape, slice.slice, tensor);
}

Status SaveV2(KernelContext& c) {
  const int n = c.num_inputs() - 3;
  RAMET_ASSIGN_OR_RETURN(CheckpointArgs args, CheckpointArgs::Of(c, n));
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(args.prefix));
  for (int i = 0; i < n; ++i) {
    RAMET_RETURN_IF_ERROR(AddTensor(writer, args.names[i], args.slices[i], c.input(3 + i)));
  }
  return writer.Finish();
}

class RestoreV2Kernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto dtypes, node.attrs->Get<std::vector<DType>>("dtypes"));
    return std::make_unique<RestoreV2Kernel>(std::move(dtypes));
  }
  explicit RestoreV2Kernel(std::vector<DType> dtypes) : dtypes_(std::move(dtypes)) {}

  Status Compute(KernelContext& c) override {
    const int n = static_cast<int>(dtypes_.size());
    RAMET_ASSIGN_OR_RETURN(CheckpointArgs args, CheckpointArgs::Of(c, n));
    std::vector<BundleRequest> requests;
    for (int i = 0; i < n; ++i) requests.push_back({args.names[i], dtypes_[i], args.slices[i]});
    Allocator* allocator = c.env().memory == nullptr ? c.allocator() : HostAllocator();
    RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                           ReadCheckpoint(args.prefix, requests, allocator));
    for (int i = 0; i < n; ++i) c.SetOutput(i, std::move(tensors[i]));
    return OkStatus();
  }

 private:
  const std::vector<DType> dtypes_;
};

// If the slices are known when the graph is built, so are the shapes of the outputs that have one.
Status RestoreV2Shape(ShapeContext& c) {
  for (int i : {1, 2}) {
    RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
    const int64_t count = c.input(i).unknown_rank() ? Shape::kUnknownDim : c.input(i).dim(0);
    if (count >= 0 && count != c.num_outputs()) {
      return InvalidArgument(i == 1 ? "tensor_names" : "shape_and_slices", " has ", count,
                             " elements, but there are ", c.num_outputs(), " tensors");
    }
  }
  const Tensor* slices = c.constant(2);
  if (slices == nullptr || slices->dtype() != DType::kString ||
      slices->num_elements() != c.num_outputs()) {
    return OkStatus();
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    const std::string& spec = slices->data<std::string>()[i];
    if (spec.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(ShapeAndSlice slice, ParseShapeAndSlice(spec));
    c.set_output(i, slice.slice_shape);
  }
  return OkStatus();
}

class MergeKernel final : public Kernel {
 public:
  static std::unique_ptr<MergeKernel> Make(const KernelNode& node) {
    MergeOptions options;
    options.delete_old_dirs = node.attrs->GetOr<bool>("delete_old_dirs", true);
    options.allow_missing_files = node.attrs->GetOr<bool>("allow_missing_files", false);
    return std::make_unique<MergeKernel>(options);
  }
  explicit MergeKernel(const MergeOptions& options) : options_(options) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto prefixes, StringsArg(c.input(0), "checkpoint_prefixes"));
    RAMET_ASSIGN_OR_RETURN(std::string destination, StringArg(c.input(1), "destination_prefix"));
    return MergeBundles(prefixes, destination, options_);
  }

 private:
  const MergeOptions options_;
};

StatusOr<int64_t> NumberArg(const Tensor& t, std::string_view name) {
  if (t.rank() == 0) return int64_t{t.scalar<int32_t>()};
  return InvalidArgument(name, " must be a scalar, got shape ", t.shape());
}

Status OutputString(KernelContext& c, std::string text) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kString, Shape()));
  *y->mutable_data<std::string>() = std::move(text);
  return OkStatus();
}

Status ShardedFilename(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string basename, StringArg(c.input(0), "basename"));
  RAMET_ASSIGN_OR_RETURN(int64_t shard, NumberArg(c.input(1), "shard"));
  RAMET_ASSIGN_OR_RETURN(int64_t shards, NumberArg(c.input(2), "num_shards"));
  return OutputString(c, V1ShardPath(basename, shard, shards));
}

Status ShardedFilespec(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string basename, StringArg(c.input(0), "basename"));
  RAMET_ASSIGN_OR_RETURN(int64_t shards, NumberArg(c.input(1), "num_shards"));
  return OutputString(c, V1ShardPattern(basename, shards));
}

}  // namespace

RAMET_OP("SaveV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Input("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Doc(
        "Writes the tensors as the checkpoint `prefix` in TensorFlow's V2 format, in one atomic "
        "step. tensor_names and shape_and_slices have one entry per tensor. An entry of "
        "shape_and_slices is \"\" for a whole tensor, or, for example, \"10 2 4,3:0,2\" for the "
        "slice of a tensor of shape [10,2] that begins at [4,0] and has the shape [3,2]. Error: "
        "the number of names or slices is not the number of tensors; a name occurs twice; a slice "
        "does not match its tensor; the files cannot be written (the error of the file system).")
    .Stateful()
    .HostMemory({"prefix", "tensor_names", "shape_and_slices", "tensors"})
    .Shape(NoOutputs)
    .CpuKernel(SaveV2);

RAMET_OP("RestoreV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Output("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Doc(
        "Reads tensors, or slices of them, from the checkpoint `prefix`. The inputs have the "
        "format described at SaveV2. Without a file `prefix`.index, it reads a V1 checkpoint, "
        "whose file or files the prefix names. All tensors come from the same save even if another "
        "process overwrites the checkpoint. Error: there is no such checkpoint or tensor "
        "(kNotFound); dtypes or shapes differ from the stored ones; a file is damaged (kDataLoss, "
        "kOutOfRange).")
    .Stateful()
    .HostMemory({"prefix", "tensor_names", "shape_and_slices"})
    .Shape(RestoreV2Shape)
    .CpuKernelClass<RestoreV2Kernel>();

RAMET_OP("MergeV2Checkpoints")
    .Input("checkpoint_prefixes: string")
    .Input("destination_prefix: string")
    .Attr("delete_old_dirs: bool = true")
    .Attr("allow_missing_files: bool = false")
    .Doc(
        "Combines the checkpoints of the shards of a model into one. Their data files are renamed. "
        "delete_old_dirs removes the directories of the shards if they are empty afterwards. "
        "Error: two checkpoints hold the same tensor; a checkpoint is missing and "
        "allow_missing_files is not set (kNotFound).")
    .Stateful()
    .HostMemory({"checkpoint_prefixes", "destination_prefix"})
    .Shape(NoOutputs)
    .CpuKernelClass<MergeKernel>();

RAMET_OP("ShardedFilename")
    .Input("basename: string")
    .Input("shard: int32")
    .Input("num_shards: int32")
    .Output("filename: string")
    .Doc(
        "Returns \"BASENAME-00001-of-00004\", the name of one shard. The inputs and the output are "
        "scalars. Error: an input is not a scalar.")
    .HostMemory({"basename", "shard", "num_shards", "filename"})
    .Shape(ScalarShape)
    .CpuKernel(ShardedFilename);

RAMET_OP("ShardedFilespec")
    .Input("basename: string")
    .Input("num_shards: int32")
    .Output("filename: string")
    .Doc(
        "Returns \"BASENAME-\?\?\?\?\?-of-00004\", the pattern of the names of all shards. The "
        "inputs and the output are scalars. Error: an input is not a scalar.")
    .HostMemory({"basename", "num_shards", "filename"})
    .Shape(ScalarShape)
    .CpuKernel(ShardedFilespec);

}  // namespace ramet
