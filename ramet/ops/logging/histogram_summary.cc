#include <cmath>

#include "ramet/op/op.h"
#include "ramet/ops/logging/histogram.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

template <class T>
class HistogramSummaryKernel final : public Kernel {
 public:
  explicit HistogramSummaryKernel(std::string name) : name_(std::move(name)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<HistogramSummaryKernel>(node.name));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& tag = c.input(0);
    const Tensor& values = c.input(1);
    if (tag.rank() != 0) return InvalidArgument("tags must be scalar");
    Histogram histogram;
    for (const T& element : values.flat<T>()) {
      const double x = NumberAs<double>(element);
      if (std::isnan(x)) return InvalidArgument("Nan in summary histogram for: ", name_);
      if (std::isinf(x)) return InvalidArgument("Infinity in Histogram for: ", name_);
      histogram.Add(x);
    }
    std::string summary;
    AppendValue(&summary, TaggedValue(tag.scalar<std::string>(), SummaryField::kHistogram,
                                      histogram.Serialize()));
    return SetSummary(c, std::move(summary));
  }

 private:
  const std::string name_;
};

}  // namespace

RAMET_OP("HistogramSummary")
    .Input("tag: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: realnumbertype = float")
    .Doc(
        "Returns a serialized Summary with a histogram of the values under the scalar tag. Error: "
        "the tag is not a scalar; a value is not finite (\"Nan in summary histogram for: NODE\", "
        "\"Infinity in Histogram for: NODE\").")
    .HostMemory({"tag", "values", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClasses<HistogramSummaryKernel, float, double, int32_t, uint8_t, int16_t, int8_t,
                      int64_t, BFloat16, uint16_t, Half, uint32_t, uint64_t>();

}  // namespace ramet
