#include "ramet/op/op.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

Status CheckShapes(const Tensor& tags, const Tensor& values) {
  if (tags.num_elements() == values.num_elements() && tags.rank() == values.rank()) {
    return OkStatus();
  }
  const std::string tag = tags.num_elements() == 1
                              ? StrCat(" (tag '", tags.data<std::string>()[0], "')")
                              : std::string();
  return InvalidArgument("tags and values are not the same shape: ", tags.shape(),
                         " != ", values.shape(), tag);
}

template <class T>
Status SummarizeScalars(KernelContext& c) {
  const Tensor& tags = c.input(0);
  const Tensor& values = c.input(1);
  if (!(tags.shape() == values.shape())) RAMET_RETURN_IF_ERROR(CheckShapes(tags, values));
  std::string summary, value;
  for (int64_t i = 0; i < tags.num_elements(); ++i) {
    value.clear();
    AppendNonEmpty(&value, static_cast<uint32_t>(SummaryField::kTag), tags.data<std::string>()[i]);
    AppendFloat(&value, static_cast<uint32_t>(SummaryField::kSimpleValue),
                NumberAs<float>(values.data<T>()[i]));
    AppendValue(&summary, value);
  }
  return SetSummary(c, std::move(summary));
}

}  // namespace

RAMET_OP("ScalarSummary")
    .Input("tags: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: realnumbertype")
    .Doc(
        "Returns a serialized Summary with one simple_value, a float, for each element of "
        "`values`, under the tag at the same position. Error: the shapes differ (\"tags and values "
        "are not the same shape: [2] != [3]\").")
    .HostMemory({"tags", "values", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernels<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, BFloat16, uint16_t, Half,
                uint32_t, uint64_t>([]<class T>(KernelContext& c) {
      return SummarizeScalars<T>(c);
    });

}  // namespace ramet
