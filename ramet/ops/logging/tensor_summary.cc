#include "ramet/op/op.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

constexpr uint32_t kDTypeField = 1, kShapeField = 2, kContentField = 4, kStringField = 8;

std::string ShapeBytes(const Shape& shape) {
  std::string bytes, dim;
  for (int i = 0; i < shape.rank(); ++i) {
    dim.clear();
    AppendNonZero(&dim, 1, static_cast<uint64_t>(shape.dim(i)));
    AppendBytesField(&bytes, 2, dim);
  }
  return bytes;
}

}  // namespace

StatusOr<std::string> TensorBytes(const Tensor& t) {
  std::string bytes;
  AppendNonZero(&bytes, kDTypeField, static_cast<uint64_t>(t.dtype()));
  AppendBytesField(&bytes, kShapeField, ShapeBytes(t.shape()));
  if (t.dtype() == DType::kString) {
    for (const std::string& s : t.flat<std::string>()) AppendBytesField(&bytes, kStringField, s);
    return bytes;
  }
  if (DTypeSize(t.dtype()) == 0) {
    return Unimplemented("tensors of dtype ", DTypeName(t.dtype()),
                         " cannot be written to a summary");
  }
  AppendNonEmpty(&bytes, kContentField, {static_cast<const char*>(t.raw_data()), t.bytes()});
  return bytes;
}

namespace {

class TensorSummaryKernel final : public Kernel {
 public:
  explicit TensorSummaryKernel(std::string name) : name_(std::move(name)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<TensorSummaryKernel>(node.name));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const std::string tensor, TensorBytes(c.input(0)));
    std::string value, summary;
    AppendField(&value, SummaryField::kNodeName, name_);
    AppendField(&value, SummaryField::kTensor, tensor);
    AppendValue(&summary, value);
    return SetSummary(c, std::move(summary));
  }

 private:
  const std::string name_;
};

// Returns the readable fields at the start of a message that may be truncated.
std::string_view LegalPrefix(std::string_view bytes) {
  std::string_view rest = bytes;
  size_t legal = 0;
  WireField field;
  while (!rest.empty() && TakeField(&rest, &field)) legal = bytes.size() - rest.size();
  return bytes.substr(0, legal);
}

Status SummarizeTagged(KernelContext& c) {
  const Tensor& tag = c.input(0);
  const Tensor& metadata = c.input(2);
  if (tag.rank() != 0) return InvalidArgument("tag must be scalar");
  if (metadata.rank() != 0) return InvalidArgument("serialized_summary_metadata must be scalar");
  RAMET_ASSIGN_OR_RETURN(const std::string tensor, TensorBytes(c.input(1)));
  std::string value = TaggedValue(tag.scalar<std::string>(), SummaryField::kTensor, tensor);
  AppendField(&value, SummaryField::kMetadata, LegalPrefix(metadata.scalar<std::string>()));
  std::string summary;
  AppendValue(&summary, value);
  return SetSummary(c, std::move(summary));
}

}  // namespace

RAMET_OP("TensorSummary")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("T: type")
    .Attr("description: string = ''")
    .Attr("labels: list(string) = []")
    .Attr("display_name: string = ''")
    .Doc(
        "Returns a serialized Summary with the tensor, under the name of the node. The attrs other "
        "than T are only information for readers of the graph. Error: the tensor holds handles "
        "(kUnimplemented).")
    .HostMemory({"tensor", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClass<TensorSummaryKernel>();

RAMET_OP("TensorSummaryV2")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("serialized_summary_metadata: string")
    .Output("summary: string")
    .Attr("T: type")
    .Doc(
        "Returns a serialized Summary with the tensor and a SummaryMetadata message under the "
        "scalar tag. Error: the tag or the metadata is not a scalar; the tensor holds handles "
        "(kUnimplemented).")
    .HostMemory({"tag", "tensor", "serialized_summary_metadata", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernel(SummarizeTagged);

}  // namespace ramet
