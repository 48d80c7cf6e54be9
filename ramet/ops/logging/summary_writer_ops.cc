#include <cmath>

#include "ramet/op/op.h"
#include "ramet/op/resource_handle.h"
#include "ramet/op/shared_name.h"
#include "ramet/ops/logging/histogram.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"
#include "ramet/ops/logging/summary_writer.h"

namespace ramet {
namespace {

// The fields of TensorFlow's Event.
constexpr uint32_t kStep = 2, kGraphDef = 4, kSummary = 5;

class WriterKernel final : public Kernel {
 public:
  explicit WriterKernel(const KernelNode& node) : name_(SharedNameOf(node)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<WriterKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    auto found = std::dynamic_pointer_cast<SummaryWriter>(
        c.env().resources->FindOrCreate(StrCat(name_.container, " summary writers"), name_.name,
                                        [] { return std::make_shared<SummaryWriter>(); }));
    c.SetOutput(0, MakeHandle(std::move(found)));
    return OkStatus();
  }

 private:
  const SharedName name_;
};

StatusOr<std::shared_ptr<SummaryWriter>> InputWriter(KernelContext& c) {
  if (c.variable(0) == nullptr) {
    auto writer = std::dynamic_pointer_cast<SummaryWriter>(CarriedResource(c.input(0)));
    if (writer != nullptr) return writer;
  }
  return InvalidArgument("writer must be the handle of a summary writer");
}

// Returns the scalar string of input i.
StatusOr<std::string> Text(KernelContext& c, int i, std::string_view name) {
  const Tensor& t = c.input(i);
  if (t.rank() == 0) return t.scalar<std::string>();
  return InvalidArgument(name, " must be scalar");
}

template <class T>
StatusOr<int64_t> Number(KernelContext& c, int i, std::string_view name) {
  const Tensor& t = c.input(i);
  if (t.rank() == 0) return static_cast<int64_t>(t.scalar<T>());
  return InvalidArgument(name, " must be scalar");
}

Status CreateFileWriter(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto writer, InputWriter(c));
  SummaryWriter::Options options;
  RAMET_ASSIGN_OR_RETURN(options.folder, Text(c, 1, "logdir"));
  RAMET_ASSIGN_OR_RETURN(options.max_queue, Number<int32_t>(c, 2, "max_queue"));
  RAMET_ASSIGN_OR_RETURN(options.flush_millis, Number<int32_t>(c, 3, "flush_millis"));
  RAMET_ASSIGN_OR_RETURN(options.suffix, Text(c, 4, "filename_suffix"));
  return writer->Open(options);
}

Status FlushWriter(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto writer, InputWriter(c));
  return writer->Flush();
}

Status CloseWriter(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto writer, InputWriter(c));
  return writer->Close();
}

// Adds an event with a step and one more field.
Status AddEvent(KernelContext& c, uint32_t field, std::string_view bytes) {
  RAMET_ASSIGN_OR_RETURN(const auto writer, InputWriter(c));
  RAMET_ASSIGN_OR_RETURN(const int64_t step, Number<int64_t>(c, 1, "step"));
  std::string event;
  AppendNonZero(&event, kStep, static_cast<uint64_t>(step));
  AppendBytesField(&event, field, bytes);
  return writer->Add(event);
}

// Adds an event whose summary has one value.
Status AddSummary(KernelContext& c, std::string_view value) {
  std::string summary;
  AppendValue(&summary, value);
  return AddEvent(c, kSummary, summary);
}

template <class T>
Status WriteScalar(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const std::string tag, Text(c, 2, "tag"));
  if (c.input(3).rank() != 0) return InvalidArgument("value must be scalar");
  std::string value;
  AppendField(&value, SummaryField::kTag, tag);
  AppendFloat(&value, static_cast<uint32_t>(SummaryField::kSimpleValue),
              NumberAs<float>(c.input(3).scalar<T>()));
  return AddSummary(c, value);
}

template <class T>
Status WriteHistogram(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const std::string tag, Text(c, 2, "tag"));
  Histogram histogram;
  for (const T& element : c.input(3).flat<T>()) {
    const double x = NumberAs<double>(element);
    if (std::isnan(x)) return InvalidArgument("Nan in summary histogram for: ", tag);
    if (std::isinf(x)) return InvalidArgument("Infinity in summary histogram for: ", tag);
    histogram.Add(x);
  }
  return AddSummary(c, TaggedValue(tag, SummaryField::kHistogram, histogram.Serialize()));
}

Status WriteTensor(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const std::string tag, Text(c, 3, "tag"));
  RAMET_ASSIGN_OR_RETURN(const std::string metadata, Text(c, 4, "summary_metadata"));
  RAMET_ASSIGN_OR_RETURN(const std::string tensor, TensorBytes(c.input(2)));
  std::string value = TaggedValue(tag, SummaryField::kTensor, tensor);
  if (!metadata.empty()) AppendField(&value, SummaryField::kMetadata, metadata);
  return AddSummary(c, value);
}

// Adds an event per serialized Summary.
Status WriteRawProto(KernelContext& c) {
  for (const std::string& summary : c.input(2).flat<std::string>()) {
    RAMET_RETURN_IF_ERROR(AddEvent(c, kSummary, summary));
  }
  return OkStatus();
}

Status WriteGraph(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const std::string graph, Text(c, 2, "tensor"));
  return AddEvent(c, kGraphDef, graph);
}

Status ImportEvent(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto writer, InputWriter(c));
  RAMET_ASSIGN_OR_RETURN(const std::string event, Text(c, 1, "event"));
  return writer->Import(event);
}

template <Status (*compute)(KernelContext&)>
class WritingKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode&) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<WritingKernel>());
  }
  Status Compute(KernelContext& c) override { return compute(c); }
};
template <class T>
using ScalarKernel = WritingKernel<&WriteScalar<T>>;
template <class T>
using WriteHistogramKernel = WritingKernel<&WriteHistogram<T>>;

}  // namespace

RAMET_OP("SummaryWriter")
    .Output("writer: resource")
    .Attr("shared_name: string = ''")
    .Attr("container: string = ''")
    .Stateful()
    .Doc("Returns the handle of a summary writer, which belongs to the session.")
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClass<WriterKernel>();

RAMET_OP("CreateSummaryFileWriter")
    .Input("writer: resource")
    .Input("logdir: string")
    .Input("max_queue: int32")
    .Input("flush_millis: int32")
    .Input("filename_suffix: string")
    .Stateful()
    .Doc(
        "Lets a summary writer write to a new event file in a folder, unless it has a file. Error: "
        "the folder or the file cannot be created.")
    .HostMemory({"logdir", "max_queue", "flush_millis", "filename_suffix"})
    .NotDifferentiable()
    .CpuKernel(CreateFileWriter);

RAMET_OP("FlushSummaryWriter")
    .Input("writer: resource")
    .Stateful()
    .Doc("Writes all events of a summary writer to its file.")
    .NotDifferentiable()
    .CpuKernel(FlushWriter);

RAMET_OP("CloseSummaryWriter")
    .Input("writer: resource")
    .Stateful()
    .Doc("Writes all events of a summary writer and closes its file.")
    .NotDifferentiable()
    .CpuKernel(CloseWriter);

RAMET_OP("WriteScalarSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("value: T")
    .Attr("T: realnumbertype")
    .Stateful()
    .Doc("Adds an event with a number. Error: an input is not a scalar; the writer has no file.")
    .HostMemory({"step", "tag", "value"})
    .NotDifferentiable()
    .CpuKernelClasses<ScalarKernel, float, double, int32_t, uint8_t, int16_t, int8_t, int64_t,
                      BFloat16, uint16_t, Half, uint32_t, uint64_t>();

RAMET_OP("WriteHistogramSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("values: T")
    .Attr("T: realnumbertype = float")
    .Stateful()
    .Doc("Adds an event with a histogram. Error: a value is not finite; the writer has no file.")
    .HostMemory({"step", "tag", "values"})
    .NotDifferentiable()
    .CpuKernelClasses<WriteHistogramKernel, float, double, int32_t, uint8_t, int16_t, int8_t,
                      int64_t, BFloat16, uint16_t, Half, uint32_t, uint64_t>();

RAMET_OP("WriteSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: T")
    .Input("tag: string")
    .Input("summary_metadata: string")
    .Attr("T: type")
    .Stateful()
    .Doc("Adds an event with a tensor. Error: the dtype has no bytes; the writer has no file.")
    .HostMemory({"step", "tensor", "tag", "summary_metadata"})
    .NotDifferentiable()
    .CpuKernel(WriteTensor);

RAMET_OP("WriteRawProtoSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: string")
    .Stateful()
    .Doc("Adds an event per serialized Summary. Error: the writer has no file.")
    .HostMemory({"step", "tensor"})
    .NotDifferentiable()
    .CpuKernel(WriteRawProto);

RAMET_OP("WriteGraphSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: string")
    .Stateful()
    .Doc("Adds an event with a serialized GraphDef. Error: the writer has no file.")
    .HostMemory({"step", "tensor"})
    .NotDifferentiable()
    .CpuKernel(WriteGraph);

RAMET_OP("ImportEvent")
    .Input("writer: resource")
    .Input("event: string")
    .Stateful()
    .Doc("Adds a serialized Event. Error: the writer has no file.")
    .HostMemory({"event"})
    .NotDifferentiable()
    .CpuKernel(ImportEvent);

}  // namespace ramet
