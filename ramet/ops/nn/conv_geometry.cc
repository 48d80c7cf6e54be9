#include "ramet/ops/nn/conv_geometry.h"

namespace ramet {
namespace {

// These return dimensions of a filter shape [spatial..., in, out].
int64_t FilterIn(const ConvAttrs& a, const Shape& filter) { return filter.dim(a.window.spatial); }
int64_t FilterOut(const ConvAttrs& a, const Shape& filter) {
  return filter.dim(a.window.spatial + 1);
}

Status CheckGroups(int64_t in, int64_t filter_in, int64_t out) {
  if (filter_in <= 0) {
    return InvalidArgument("filter depth must be stricly positive, got ", filter_in);
  }
  if (in % filter_in != 0) {
    return InvalidArgument("input depth must be evenly divisible by filter depth: ", in, " vs ",
                           filter_in);
  }
  const int64_t groups = in / filter_in;
  if (groups == 0 || out % groups != 0) {
    return InvalidArgument("output depth must be evenly divisible by number of groups: ", out,
                           " vs ", groups);
  }
  return OkStatus();
}

Status SetChannels(const ConvAttrs& a, int64_t in, const Shape& filter, linalg::ConvGeometry* g) {
  const int64_t filter_in = FilterIn(a, filter), last = FilterOut(a, filter);
  g->in_channels = in;
  if (a.depthwise) {
    if (in != filter_in) {
      return InvalidArgument("input and filter must have the same depth: ", in, " vs ", filter_in);
    }
    g->groups = in;
    g->out_channels = in * last;
    return OkStatus();
  }
  RAMET_RETURN_IF_ERROR(CheckGroups(in, filter_in, last));
  g->groups = in / filter_in;
  g->out_channels = last;
  return OkStatus();
}

Status CheckBackprop(const ConvAttrs& a, const linalg::ConvGeometry& g, const Shape& out) {
  const WindowAttrs& w = a.window;
  if (out.dim(w.batch_axis()) != g.batch) {
    return InvalidArgument(
        a.label, ": input and out_backprop must have the same batch size. Input batch: ", g.batch,
        ", outbackprop batch: ", out.dim(w.batch_axis()), ", batch_dim: ", w.batch_axis());
  }
  if (out.dim(w.channel_axis()) != g.out_channels) {
    return a.depthwise
               ? InvalidArgument(a.label, ": depth_multiplier * in_depth not equal to out_depth")
               : InvalidArgument(a.label, ": filter and out_backprop must have the same out_depth");
  }
  for (int d = 0; d < w.spatial; ++d) {
    const int at = 3 - w.spatial + d;
    const int64_t actual = out.dim(w.spatial_axis(d));
    if (actual == g.out[at]) continue;
    return InvalidArgument(a.label,
                           ": Size of out_backprop doesn't match computed: actual = ", actual,
                           ", computed = ", g.out[at], " spatial_dim: ", w.spatial_axis(d),
                           " input: ", g.in[at], " filter: ", g.filter[at], " output: ", actual,
                           " stride: ", g.stride[at], " dilation: ", g.dilation[at]);
  }
  return OkStatus();
}

StatusOr<ConvAttrs> ShapeAttrs(ShapeContext& c, int spatial, bool depthwise) {
  ConvAttrs a;
  a.depthwise = depthwise;
  RAMET_ASSIGN_OR_RETURN(a.window,
                         ParseWindow(c.attrs(), spatial, spatial == 3 ? "Conv3D" : "Conv2D"));
  return a;
}

StatusOr<int64_t> InferGroupedOut(int64_t in, int64_t filter_in, int64_t out) {
  if (filter_in == 0) return InvalidArgument("Depth of filter must not be 0");
  if (in < 0 || filter_in < 0) return out;
  if (in % filter_in != 0) {
    return InvalidArgument("Depth of input (", in, ") is not a multiple of input depth of filter (",
                           filter_in, ")");
  }
  const int64_t groups = in / filter_in;
  if (groups == 0) return InvalidArgument("Number of groups must not be 0");
  if (out >= 0 && out % groups != 0) {
    return InvalidArgument("Depth of output (", out,
                           ") is not a multiple of the number of groups (", groups, ")");
  }
  return out;
}

StatusOr<int64_t> InferDepthwiseOut(int64_t in, int64_t filter_in, int64_t multiplier) {
  if (in >= 0 && filter_in >= 0 && in != filter_in) {
    return InvalidArgument("Dimensions must be equal, but are ", in, " and ", filter_in);
  }
  const int64_t channels = in >= 0 ? in : filter_in;
  int64_t out;
  if (channels < 0 || multiplier < 0) return -1;
  if (MultiplyNonNegative(channels, multiplier, &out)) return out;
  return InvalidArgument("the number of output channels overflows: ", channels, " * ", multiplier);
}

}  // namespace

StatusOr<ConvAttrs> ConvAttrs::Parse(const AttrMap& attrs, int spatial, bool depthwise,
                                     std::string_view label) {
  ConvAttrs a;
  a.depthwise = depthwise;
  a.label = label;
  RAMET_ASSIGN_OR_RETURN(a.window, ParseWindow(attrs, spatial, spatial == 3 ? "Conv3D" : "Conv2D"));
  if (a.window.batch_stride != 1 || a.window.channel_stride != 1) {
    return Unimplemented(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (a.window.batch_dilation != 1 || a.window.channel_dilation != 1) {
    return Unimplemented(
        "Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  return a;
}

StatusOr<linalg::ConvGeometry> ConvGeometryOf(const ConvAttrs& a, const Shape& input,
                                              const Shape& filter) {
  const WindowAttrs& w = a.window;
  linalg::ConvGeometry g;
  g.channels_first = w.channels_first;
  g.batch = input.dim(w.batch_axis());
  RAMET_RETURN_IF_ERROR(SetChannels(a, input.dim(w.channel_axis()), filter, &g));
  for (int d = 0; d < w.spatial; ++d) {
    const int at = 3 - w.spatial + d;
    g.in[at] = input.dim(w.spatial_axis(d));
    g.filter[at] = filter.dim(d);
    g.stride[at] = w.stride[d];
    g.dilation[at] = w.dilation[d];
    RAMET_ASSIGN_OR_RETURN(WindowPositions p, PositionWindow(w, d, g.in[at], g.filter[at]));
    g.out[at] = p.count;
    g.pad[at] = p.before;
  }
  return g;
}

Shape ConvOutputShape(const ConvAttrs& a, const linalg::ConvGeometry& g) {
  Shape shape = Shape::OfRank(a.window.rank());
  shape.set_dim(a.window.batch_axis(), g.batch);
  shape.set_dim(a.window.channel_axis(), g.out_channels);
  for (int d = 0; d < a.window.spatial; ++d) {
    shape.set_dim(a.window.spatial_axis(d), g.out[3 - a.window.spatial + d]);
  }
  return shape;
}

StatusOr<linalg::ConvGeometry> BackpropGeometryOf(const ConvAttrs& a, const Shape& input,
                                                  const Shape& filter, const Shape& out_backprop) {
  const int rank = a.window.rank();
  if (input.rank() != rank) {
    return InvalidArgument(a.label, ": input must be ", rank, "-dimensional, got: ", input);
  }
  if (filter.rank() != rank) {
    return InvalidArgument(a.label, ": filter must be ", rank, "-dimensional, got: ", filter);
  }
  if (out_backprop.rank() != rank) {
    return InvalidArgument(a.label, ": out_backprop must be ", rank,
                           "-dimensional, got: ", out_backprop);
  }
  auto g = ConvGeometryOf(a, input, filter);
  if (!g.ok()) return g.status().WithContext(a.label);
  RAMET_RETURN_IF_ERROR(CheckBackprop(a, *g, out_backprop));
  return g;
}

Status ConvShape(ShapeContext& c, int spatial, bool depthwise) {
  RAMET_ASSIGN_OR_RETURN(ConvAttrs a, ShapeAttrs(c, spatial, depthwise));
  const WindowAttrs& w = a.window;
  RAMET_ASSIGN_OR_RETURN(Shape input, c.WithRank(0, w.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape filter, c.WithRank(1, w.rank()));
  Shape output = Shape::OfRank(w.rank());
  output.set_dim(w.batch_axis(), input.dim(w.batch_axis()));
  const auto infer = depthwise ? InferDepthwiseOut : InferGroupedOut;
  RAMET_ASSIGN_OR_RETURN(int64_t channels, infer(input.dim(w.channel_axis()), FilterIn(a, filter),
                                                 FilterOut(a, filter)));
  output.set_dim(w.channel_axis(), channels);
  for (int d = 0; d < spatial; ++d) {
    RAMET_ASSIGN_OR_RETURN(int64_t size,
                           InferPositions(w, d, input.dim(w.spatial_axis(d)), filter.dim(d)));
    // As in TensorFlow, the output size is inferred only if the size of the filter is known,
    // whatever the padding; depthwise convolutions need it only if the size depends on it.
    output.set_dim(w.spatial_axis(d), filter.dim(d) < 0 && !depthwise ? -1 : size);
  }
  c.set_output(0, std::move(output));
  return OkStatus();
}

Status ConvBackpropInputShape(ShapeContext& c, int spatial, bool depthwise) {
  RAMET_ASSIGN_OR_RETURN(ConvAttrs a, ShapeAttrs(c, spatial, depthwise));
  const WindowAttrs& w = a.window;
  RAMET_ASSIGN_OR_RETURN(Shape sizes, c.constant_as_shape(0));
  RAMET_ASSIGN_OR_RETURN(Shape filter, c.WithRank(1, w.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape out, c.WithRank(2, w.rank()));
  const bool short_form = spatial == 2 && !depthwise && sizes.rank() == 2;
  if (!sizes.unknown_rank() && !short_form && sizes.rank() != w.rank()) {
    return InvalidArgument("input_sizes must contain ", w.rank(),
                           " values, but got: ", sizes.rank());
  }
  Shape input = sizes.unknown_rank() || short_form ? Shape::OfRank(w.rank()) : sizes;
  if (short_form) {
    for (int d = 0; d < 2; ++d) input.set_dim(w.spatial_axis(d), sizes.dim(d));
    input.set_dim(w.channel_axis(), FilterIn(a, filter));
  }
  if (spatial == 2 && !depthwise && input.dim(w.batch_axis()) < 0) {
    input.set_dim(w.batch_axis(), out.dim(w.batch_axis()));
  }
  c.set_output(0, std::move(input));
  return OkStatus();
}

Status ConvBackpropFilterShape(ShapeContext& c, int spatial) {
  RAMET_RETURN_IF_ERROR(
      ParseWindow(c.attrs(), spatial, spatial == 3 ? "Conv3D" : "Conv2D").status());
  RAMET_ASSIGN_OR_RETURN(Shape sizes, c.constant_as_shape(1));
  c.set_output(0, sizes.unknown_rank() ? Shape::OfRank(spatial + 2) : std::move(sizes));
  return OkStatus();
}

}  // namespace ramet
