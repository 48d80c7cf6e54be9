#include "ramet/ops/nn/window.h"

#include <algorithm>
#include <limits>

namespace ramet {
namespace {

using Padding = WindowAttrs::Padding;

constexpr int64_t kMaxWindow = std::numeric_limits<int32_t>::max();
// The largest image dimension. A larger one, which only images without elements can have, would
// overflow the sums below.
constexpr int64_t kMaxImage = std::numeric_limits<int64_t>::max() / 4;

// The destinations for one number for each dimension of an image.
struct PerDimension {
  int64_t* spatial;
  int64_t* batch;
  int64_t* channel;
};

void TakeApart(const WindowAttrs& w, std::span<const int64_t> values, PerDimension to) {
  *to.batch = values[w.batch_axis()];
  *to.channel = values[w.channel_axis()];
  for (int d = 0; d < w.spatial; ++d) to.spatial[d] = values[w.spatial_axis(d)];
}

Status CheckPositive(std::span<const int64_t> values, std::string_view must) {
  for (int64_t v : values) {
    if (v < 1 || v > kMaxWindow) return InvalidArgument(must, ", but got ", v);
  }
  return OkStatus();
}

Status SetStrides(std::span<const int64_t> strides, std::string_view op, WindowAttrs* w) {
  if (std::ssize(strides) != w->rank()) {
    return InvalidArgument(op, " requires the stride attribute to contain ", w->rank(),
                           " values, but got: ", strides.size());
  }
  RAMET_RETURN_IF_ERROR(CheckPositive(strides, "Stride must be > 0"));
  TakeApart(*w, strides, {w->stride, &w->batch_stride, &w->channel_stride});
  return OkStatus();
}

Status SetSize(std::span<const int64_t> ksize, std::string_view op, WindowAttrs* w) {
  if (std::ssize(ksize) != w->rank()) {
    return InvalidArgument(op, " requires the ksize attribute to contain ", w->rank(),
                           " values, but got: ", ksize.size());
  }
  RAMET_RETURN_IF_ERROR(
      CheckPositive(ksize, "Sliding window ksize must be positive. It must fit in 32 bits"));
  TakeApart(*w, ksize, {w->size, &w->batch_size, &w->channel_size});
  return OkStatus();
}

Status SetDilations(std::span<const int64_t> dilations, std::string_view op, WindowAttrs* w) {
  if (std::ssize(dilations) != w->rank()) {
    return InvalidArgument(op, " requires the dilation attribute to contain ", w->rank(),
                           " values, but got: ", dilations.size());
  }
  RAMET_RETURN_IF_ERROR(CheckPositive(dilations, "Dilation rate must be >= 1"));
  TakeApart(*w, dilations, {w->dilation, &w->batch_dilation, &w->channel_dilation});
  return OkStatus();
}

Status SetExplicitPaddings(const std::vector<int64_t>& paddings, WindowAttrs* w) {
  if (w->padding != Padding::kExplicit) {
    if (paddings.empty()) return OkStatus();
    return InvalidArgument(
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (std::ssize(paddings) != 2 * w->rank()) {
    return InvalidArgument("explicit_paddings attribute must contain ", 2 * w->rank(),
                           " values, but got: ", paddings.size());
  }
  if (std::ranges::any_of(paddings, [](int64_t p) { return p < 0 || p > kMaxWindow; })) {
    return InvalidArgument("All elements of explicit_paddings must be nonnegative");
  }
  for (int axis : {w->batch_axis(), w->channel_axis()}) {
    if (paddings[2 * axis] == 0 && paddings[2 * axis + 1] == 0) continue;
    return InvalidArgument(
        "Nonzero explicit padding in the batch or depth dimensions is not supported");
  }
  for (int d = 0; d < w->spatial; ++d) {
    w->before[d] = paddings[2 * w->spatial_axis(d)];
    w->after[d] = paddings[2 * w->spatial_axis(d) + 1];
  }
  return OkStatus();
}

StatusOr<Padding> ParsePadding(const std::string& name) {
  if (name == "VALID") return Padding::kValid;
  if (name == "SAME") return Padding::kSame;
  if (name == "EXPLICIT") return Padding::kExplicit;
  return InvalidArgument("padding must be SAME, VALID or EXPLICIT, but is '", name, "'");
}

// Returns the extent of the window including dilation, or -1 if it overflows.
int64_t Reach(const WindowAttrs& w, int d, int64_t size) {
  int64_t steps;
  if (size <= 0 || !MultiplyNonNegative(size - 1, w.dilation[d], &steps)) return size <= 0 ? 0 : -1;
  return steps < std::numeric_limits<int64_t>::max() / 4 ? steps + 1 : -1;
}

Status TooLarge(int64_t size) {
  return InvalidArgument("a window of ", size, " elements is too large with its dilation");
}

Status CheckImage(int64_t in) {
  if (in <= kMaxImage) return OkStatus();
  return InvalidArgument("an image dimension of ", in, " is too large; the limit is ", kMaxImage);
}

}  // namespace

bool IsChannelsFirst(std::string_view data_format) { return data_format.starts_with("NC"); }

StatusOr<WindowAttrs> ParseWindow(const AttrMap& attrs, int spatial, std::string_view op) {
  WindowAttrs w;
  w.spatial = spatial;
  w.channels_first = IsChannelsFirst(attrs.GetOr<std::string>("data_format", "NHWC"));
  RAMET_ASSIGN_OR_RETURN(std::string padding, attrs.Get<std::string>("padding"));
  RAMET_ASSIGN_OR_RETURN(w.padding, ParsePadding(padding));
  using List = std::vector<int64_t>;
  if (attrs.Find("strides") != nullptr) {
    RAMET_ASSIGN_OR_RETURN(List strides, attrs.Get<List>("strides"));
    RAMET_RETURN_IF_ERROR(SetStrides(strides, op, &w));
  }
  if (attrs.Find("ksize") != nullptr) {
    RAMET_ASSIGN_OR_RETURN(List ksize, attrs.Get<List>("ksize"));
    RAMET_RETURN_IF_ERROR(SetSize(ksize, op, &w));
  }
  if (attrs.Find("dilations") != nullptr) {
    RAMET_ASSIGN_OR_RETURN(List dilations, attrs.Get<List>("dilations"));
    RAMET_RETURN_IF_ERROR(SetDilations(dilations, op, &w));
  }
  RAMET_RETURN_IF_ERROR(SetExplicitPaddings(attrs.GetOr<List>("explicit_paddings", {}), &w));
  return w;
}

Status SetWindow(const Dims& ksize, const Dims& strides, WindowAttrs* window) {
  RAMET_RETURN_IF_ERROR(SetSize(ksize, "Pooling", window));
  return SetStrides(strides, "Pooling", window);
}

StatusOr<WindowPositions> PositionWindow(const WindowAttrs& w, int d, int64_t in, int64_t size) {
  RAMET_RETURN_IF_ERROR(CheckImage(in));
  const int64_t reach = Reach(w, d, size), stride = w.stride[d];
  if (reach < 0) return TooLarge(size);
  WindowPositions p;
  if (w.padding == Padding::kSame) {
    p.count = (in + stride - 1) / stride;
    p.before = std::max<int64_t>(0, (p.count - 1) * stride + reach - in) / 2;
  } else {
    p.before = w.before[d];
    p.count = (in + w.before[d] + w.after[d] - reach + stride) / stride;
  }
  if (p.count >= 0) return p;
  return InvalidArgument("Computed output size would be negative: ", p.count, " [input_size: ", in,
                         ", effective_filter_size: ", reach, ", stride: ", stride, "]");
}

StatusOr<int64_t> InferPositions(const WindowAttrs& w, int d, int64_t in, int64_t size) {
  if (in < 0) return -1;
  RAMET_RETURN_IF_ERROR(CheckImage(in));
  if (w.padding == Padding::kSame) return (in + w.stride[d] - 1) / w.stride[d];
  if (size < 0) return -1;
  const int64_t reach = Reach(w, d, size), padded = in + w.before[d] + w.after[d];
  if (reach < 0) return TooLarge(size);
  if (padded < reach) {
    return InvalidArgument("Negative dimension size caused by subtracting ", reach, " from ",
                           padded);
  }
  return (padded - reach + w.stride[d]) / w.stride[d];
}

}  // namespace ramet
