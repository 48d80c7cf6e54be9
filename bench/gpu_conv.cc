// Benchmark of convolutions of ResNet-50 and of their gradients on a GPU, whose values stay there.
// It shows which algorithms, orders of images and copies around the library are worth it
// (ramet/backends/gpu/ops/library_convolutions.cc). Without a GPU it is skipped.
#include <benchmark/benchmark.h>

#include <array>

#include "ramet/ramet.h"

namespace ramet {
namespace {

constexpr int64_t kBatch = 64;

struct Layer {
  const char* name;
  int64_t size, in, out, filter, stride;
};

constexpr Layer kLayers[] = {{"7x7/2 of 3 channels", 224, 3, 64, 7, 2},
                             {"3x3 of 64 channels", 56, 64, 64, 3, 1},
                             {"1x1 of 256 channels", 56, 256, 64, 1, 1},
                             {"3x3/2 of 128 channels", 56, 128, 128, 3, 2},
                             {"1x1/2 of 256 channels", 56, 256, 512, 1, 2},
                             {"3x3 of 512 channels", 7, 512, 512, 3, 1},
                             {"depthwise 3x3 of 256 channels", 28, 256, 0, 3, 1}};
constexpr const char* kParts[] = {"forward", "input", "filter"};

// The images, filter and gradient of a layer as variables on the GPU, and an operation on them.
class LayerGraph {
 public:
  LayerGraph(const Layer& layer, bool is_half, bool channels_first)
      : layer_(layer),
        dtype_(is_half ? kHalf : kFloat),
        channels_first_(channels_first),
        scope_(graph_),
        gpu_(scope_.Device("/gpu:0")) {
    const int64_t out_size = (layer.size + layer.stride - 1) / layer.stride;
    const int64_t out = layer.out > 0 ? layer.out : layer.in;
    x_ = ImageDims(layer.size, layer.in);
    dy_ = ImageDims(out_size, out);
    filter_ = {layer.filter, layer.filter, layer.in, layer.out > 0 ? layer.out : 1};
  }

  Operation Make(int part) {
    const Output x = Value("x", x_), filter = Value("filter", filter_), dy = Value("dy", dy_);
    const std::string op = layer_.out > 0 ? "Conv2D" : "DepthwiseConv2dNative";
    const std::string backprop = layer_.out > 0 ? "Conv2DBackprop" : op + "Backprop";
    if (part == 0) return AddOp(graph_, op, {x, filter}, Attrs(), "conv");
    if (part == 1) {
      return AddOp(graph_, backprop + "Input", {SizesOf(x_), filter, dy}, Attrs(), "conv");
    }
    return AddOp(graph_, backprop + "Filter", {x, SizesOf(filter_), dy}, Attrs(), "conv");
  }
  double flops() const {
    const auto size = [](const std::array<int64_t, 4>& d) {
      return double(d[0] * d[1] * d[2] * d[3]);
    };
    const double depth =
        double(layer_.filter * layer_.filter) * double(layer_.out > 0 ? layer_.in : 1);
    return 2 * size(dy_) * depth;
  }
  Graph& graph() { return graph_; }

 private:
  std::array<int64_t, 4> ImageDims(int64_t size, int64_t channels) const {
    if (channels_first_) return {kBatch, channels, size, size};
    return {kBatch, size, size, channels};
  }
  Output Value(const std::string& name, const std::array<int64_t, 4>& dims) {
    const Shape shape{dims[0], dims[1], dims[2], dims[3]};
    return gpu_
        .GetVariable(name, shape, {.initializer = RandomNormal(0.0, 0.1, 1), .dtype = dtype_})
        .value();
  }
  Output SizesOf(const std::array<int64_t, 4>& dims) {
    Tensor sizes(kInt32, Shape{4});
    for (size_t d = 0; d < 4; ++d) sizes.mutable_flat<int32_t>()[d] = static_cast<int32_t>(dims[d]);
    return Constant(graph_, sizes);
  }
  AttrMap Attrs() const {
    std::vector<int64_t> strides = {1, layer_.stride, layer_.stride, 1};
    if (channels_first_) strides = {1, 1, layer_.stride, layer_.stride};
    return {{"strides", strides},
            {"padding", std::string("SAME")},
            {"data_format", std::string(channels_first_ ? "NCHW" : "NHWC")}};
  }

  const Layer layer_;
  const DType dtype_;
  const bool channels_first_;
  Graph graph_;
  Scope scope_, gpu_;
  std::array<int64_t, 4> x_, dy_, filter_;
};

void GpuConv(benchmark::State& state) {
  const Layer& layer = kLayers[state.range(0)];
  LayerGraph graph(layer, state.range(1) != 0, state.range(2) != 0);
  const Operation conv = graph.Make(static_cast<int>(state.range(3)));
  state.SetLabel(StrCat(layer.name, " ", kParts[state.range(3)]));
  auto session = Session::Create(graph.graph());
  if (!session.ok() || !session->InitializeMissing().ok()) {
    state.SkipWithError("no GPU");
    return;
  }
  const Callable run = session->MakeCallable({}, Fetches({conv})).value();
  for (auto _ : state) {
    if (auto status = run.Run(std::span<const Tensor>()).status(); !status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      return;
    }
  }
  state.counters["FLOPS"] =
      benchmark::Counter(graph.flops(), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(GpuConv)
    ->Name("ramet/gpu_conv")
    ->ArgNames({"layer", "half", "nchw", "part"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5, 6}, {0, 1}, {0, 1}, {0, 1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ramet
