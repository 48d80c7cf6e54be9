#include "ramet/backends/gpu/library/cudnn_algorithms.h"

#include <algorithm>
#include <span>

namespace ramet::gpu::cudnn {
namespace {

// Algorithms whose times are compared. Each costs several milliseconds in the first step.
constexpr size_t kMaxAlgorithms = 8;
constexpr int64_t kMaxNotes = 64;         // of an engine; cuDNN 9.28 has 10 kinds
constexpr int64_t kAlignmentBytes = 256;  // of blocks of memory

// Returns cuDNN's number of a dtype, or nothing.
std::optional<int> TypeOf(DType dtype) {
  switch (dtype) {
    case kFloat: return api::k_CUDNN_DATA_FLOAT;
    case kDouble: return api::k_CUDNN_DATA_DOUBLE;
    case kHalf: return api::k_CUDNN_DATA_HALF;
    case kBFloat16: return api::k_CUDNN_DATA_BFLOAT16;
    default: return std::nullopt;
  }
}

// The dimensions of a geometry that cuDNN needs to know: two, or three for volumes.
int FirstDimension(const linalg::ConvGeometry& g) {
  return g.in[0] == 1 && g.filter[0] == 1 && g.out[0] == 1 && g.pad[0] == 0 ? 1 : 0;
}

std::span<const int64_t> Spatial(const linalg::ConvGeometry& g, std::span<const int64_t, 3> sizes) {
  return sizes.subspan(static_cast<size_t>(FirstDimension(g)));
}

// Describes an operand: [outer, channels, spatial...] in cuDNN's order of dimensions, with the
// strides of its order in memory.
StatusOr<Descriptor> MakeOperand(const api::Functions& cudnn, const LibraryConvolution& c,
                                 int64_t id, int64_t outer, int64_t channels,
                                 std::span<const int64_t, 3> sizes) {
  std::vector<int64_t> dims = {outer, channels};
  const auto spatial = Spatial(c.geometry, sizes);
  dims.insert(dims.end(), spatial.begin(), spatial.end());
  std::vector<int64_t> strides(dims.size());
  int64_t step = 1;
  if (!c.geometry.channels_first) {
    strides[1] = 1;
    step = channels;
  }
  for (size_t d = dims.size() - 1; d >= 2; --d) {
    strides[d] = step;
    step *= dims[d];
  }
  if (c.geometry.channels_first) {
    strides[1] = step;
    step *= channels;
  }
  strides[0] = step;
  return DescriptorBuilder(cudnn, api::k_CUDNN_BACKEND_TENSOR_DESCRIPTOR)
      .Choice(api::k_CUDNN_ATTR_TENSOR_DATA_TYPE, api::k_CUDNN_TYPE_DATA_TYPE, *TypeOf(c.dtype))
      .Integers(api::k_CUDNN_ATTR_TENSOR_DIMENSIONS, dims)
      .Integers(api::k_CUDNN_ATTR_TENSOR_STRIDES, strides)
      .Integer(api::k_CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .Integer(api::k_CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignmentBytes)
      .Finalize();
}

StatusOr<Descriptor> MakeWindow(const api::Functions& cudnn, const LibraryConvolution& c) {
  const linalg::ConvGeometry& g = c.geometry;
  const int compute = c.dtype == kDouble ? api::k_CUDNN_DATA_DOUBLE : api::k_CUDNN_DATA_FLOAT;
  return DescriptorBuilder(cudnn, api::k_CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)
      .Integer(api::k_CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 3 - FirstDimension(g))
      .Choice(api::k_CUDNN_ATTR_CONVOLUTION_COMP_TYPE, api::k_CUDNN_TYPE_DATA_TYPE, compute)
      .Choice(api::k_CUDNN_ATTR_CONVOLUTION_CONV_MODE, api::k_CUDNN_TYPE_CONVOLUTION_MODE,
              api::k_CUDNN_CROSS_CORRELATION)
      .Integers(api::k_CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, Spatial(g, g.pad))
      .Integers(api::k_CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, Spatial(g, c.pad_after))
      .Integers(api::k_CUDNN_ATTR_CONVOLUTION_DILATIONS, Spatial(g, g.dilation))
      .Integers(api::k_CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, Spatial(g, g.stride))
      .Finalize();
}

// The numbers of an operation and its attributes.
struct OperationNumbers {
  int operation, window, input, filter, output, alpha, beta;
};

OperationNumbers NumbersOf(ConvPart part) {
  switch (part) {
    case ConvPart::kForward:
      return {api::k_CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case ConvPart::kBackpropInput:
      return {api::k_CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {api::k_CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              api::k_CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

StatusOr<Descriptor> MakeOperation(const api::Functions& cudnn, const LibraryConvolution& c) {
  const linalg::ConvGeometry& g = c.geometry;
  const auto [input_id, filter_id, output_id] = kOperandIds;
  RAMET_ASSIGN_OR_RETURN(const Descriptor window, MakeWindow(cudnn, c));
  RAMET_ASSIGN_OR_RETURN(const Descriptor input,
                         MakeOperand(cudnn, c, input_id, g.batch, g.in_channels, g.in));
  RAMET_ASSIGN_OR_RETURN(const Descriptor filter, MakeOperand(cudnn, c, filter_id, g.out_channels,
                                                              g.in_channels / g.groups, g.filter));
  RAMET_ASSIGN_OR_RETURN(const Descriptor output,
                         MakeOperand(cudnn, c, output_id, g.batch, g.out_channels, g.out));
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool is_wide = c.dtype == kDouble;
  const int scale = is_wide ? api::k_CUDNN_TYPE_DOUBLE : api::k_CUDNN_TYPE_FLOAT;
  const OperationNumbers n = NumbersOf(c.part);
  return DescriptorBuilder(cudnn, n.operation)
      .Object(n.window, window)
      .Object(n.input, input)
      .Object(n.filter, filter)
      .Object(n.output, output)
      .Set(n.alpha, scale, 1, is_wide ? static_cast<const void*>(&wide_one) : &one)
      .Set(n.beta, scale, 1, is_wide ? static_cast<const void*>(&wide_zero) : &zero)
      .Finalize();
}

StatusOr<Descriptor> MakeGraph(const api::Functions& cudnn, api::Handle* handle,
                               const LibraryConvolution& c) {
  RAMET_ASSIGN_OR_RETURN(const Descriptor operation, MakeOperation(cudnn, c));
  return DescriptorBuilder(cudnn, api::k_CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
      .Handle(api::k_CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
      .Object(api::k_CUDNN_ATTR_OPERATIONGRAPH_OPS, operation)
      .Finalize();
}

// Returns configurations of engines in the order that a heuristic of cuDNN advises. Returns none if
// cuDNN does not have the heuristic.
std::vector<Descriptor> Advise(const api::Functions& cudnn, const Descriptor& graph, int mode) {
  const auto heuristic =
      DescriptorBuilder(cudnn, api::k_CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
          .Object(api::k_CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
          .Choice(api::k_CUDNN_ATTR_ENGINEHEUR_MODE, api::k_CUDNN_TYPE_HEUR_MODE, mode)
          .Finalize();
  int64_t count = 0;
  if (!heuristic.ok() ||
      cudnn.BackendGetAttribute(heuristic->get(), api::k_CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                api::k_CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count,
                                nullptr) != api::k_CUDNN_STATUS_SUCCESS) {
    return {};
  }
  auto found = Objects(cudnn, *heuristic, api::k_CUDNN_ATTR_ENGINEHEUR_RESULTS,
                       api::k_CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count);
  return found.ok() ? *std::move(found) : std::vector<Descriptor>();
}

// Reports whether an engine with these notes computes as precisely as Ramet promises.
bool IsPrecise(const LibraryConvolution& c, bool allows_tf32, std::span<const int> notes) {
  return std::ranges::none_of(notes, [&](int note) {
    switch (note) {
      case api::k_CUDNN_NUMERICAL_NOTE_TENSOR_CORE: return c.dtype == kFloat && !allows_tf32;
      case api::k_CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC: return c.deterministic;
      case api::k_CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      case api::k_CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION: return true;
      default: return false;
    }
  });
}

// Returns the number of the engine of a configuration, or nothing if it is not precise.
std::optional<int64_t> PreciseEngineOf(const api::Functions& cudnn, const LibraryConvolution& c,
                                       bool allows_tf32, const Descriptor& configuration) {
  const auto engine = Objects(cudnn, configuration, api::k_CUDNN_ATTR_ENGINECFG_ENGINE,
                              api::k_CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  if (!engine.ok() || engine->empty()) return std::nullopt;
  const auto notes = Numbers<int>(cudnn, engine->front(), api::k_CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                  api::k_CUDNN_TYPE_NUMERICAL_NOTE, kMaxNotes);
  const auto number = Numbers<int64_t>(
      cudnn, engine->front(), api::k_CUDNN_ATTR_ENGINE_GLOBAL_INDEX, api::k_CUDNN_TYPE_INT64, 1);
  if (!notes.ok() || !number.ok() || number->empty()) return std::nullopt;
  if (!IsPrecise(c, allows_tf32, *notes)) return std::nullopt;
  return number->front();
}

// \error kInternal: the engine does not support the convolution.
StatusOr<Algorithm> MakeAlgorithm(const api::Functions& cudnn, api::Handle* handle, int64_t engine,
                                  const Descriptor& configuration) {
  RAMET_ASSIGN_OR_RETURN(Descriptor plan,
                         DescriptorBuilder(cudnn, api::k_CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
                             .Handle(api::k_CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
                             .Object(api::k_CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
                             .Finalize());
  RAMET_ASSIGN_OR_RETURN(
      const auto bytes,
      Numbers<int64_t>(cudnn, plan, api::k_CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                       api::k_CUDNN_TYPE_INT64, 1));
  if (bytes.empty() || bytes.front() < 0) return Internal("cuDNN does not say the workspace");
  return Algorithm{engine, std::move(plan), static_cast<size_t>(bytes.front())};
}

}  // namespace

StatusOr<std::vector<Algorithm>> AlgorithmsFor(const api::Functions& cudnn, api::Handle* handle,
                                               const LibraryConvolution& c,
                                               const AlgorithmLimits& limits) {
  // With uneven padding, engines of cuDNN 9.14 gave wrong gradients of filters on an H100, and most
  // others are slow.
  if (!TypeOf(c.dtype) || HasUnevenPadding(c)) return Internal("cuDNN has no fast algorithm");
  RAMET_ASSIGN_OR_RETURN(const Descriptor graph, MakeGraph(cudnn, handle, c));
  std::vector<Algorithm> algorithms;
  const auto add_advised = [&](int mode) {
    for (const Descriptor& configuration : Advise(cudnn, graph, mode)) {
      if (algorithms.size() >= kMaxAlgorithms) return;
      const auto engine = PreciseEngineOf(cudnn, c, limits.allows_tf32, configuration);
      if (!engine || std::ranges::find(algorithms, *engine, &Algorithm::engine) != algorithms.end())
        continue;
      auto made = MakeAlgorithm(cudnn, handle, *engine, configuration);
      if (made.ok() && made->workspace_bytes <= limits.max_workspace_bytes) {
        algorithms.push_back(*std::move(made));
      }
    }
  };
  add_advised(api::k_CUDNN_HEUR_MODE_A);
  add_advised(api::k_CUDNN_HEUR_MODE_FALLBACK);
  return algorithms;
}

}  // namespace ramet::gpu::cudnn
