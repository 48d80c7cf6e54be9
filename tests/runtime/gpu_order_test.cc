// Tests of the order of the work in graphs. The GPU is a processor behind OpenCL (PoCL), which
// starts the kernels of a graph in any order that the graph allows.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "ramet/backends/gpu/chosen_devices.h"
#include "ramet/backends/gpu/testing/reordering_device.h"
#include "ramet/backends/gpu/testing/test_device.h"
#include "ramet/builders/math.h"
#include "ramet/builders/ops.gen.h"
#include "ramet/builders/train.h"
#include "ramet/device/device_work.h"
#include "ramet/runtime/session.h"

namespace ramet {
namespace {

Tensor Noise(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor t(kFloat, shape);
  for (float& x : t.mutable_flat<float>()) x = static_cast<float>(random()) / 4e9f;
  return t;
}

// A network in which most values have several readers, some of them far apart.
struct Branches {
  explicit Branches(Graph& g) {
    Scope s = Scope(g).Device("/gpu:0");
    const auto weights = [&](const char* name, const Shape& shape) {
      const Output value = Constant(g, Noise(shape, ++seed)) - 0.5f;
      variables.push_back(s.NewVariable(value, name));
      return variables.back();
    };
    const Output x = Constant(g, Noise({6, 8}, 100));
    const Output h = Tanh(MatMul(x, weights("w0", {8, 8})) + weights("b0", {8}));
    const Output p = Softmax(MatMul(h, weights("w1", {8, 8})));
    const Output q = Relu(MatMul(h, weights("w2", {8, 8})) + weights("b2", {8}));
    const Output mean = AddOp(g, "Mean", {h + q, Constant(g, 1)}, {{"keep_dims", true}}).output(0);
    const Output centered = h + q - mean;
    const Output out = MatMul(centered * p + Square(h), weights("w3", {8, 8}));
    loss = ReduceMean(Square(out + p * q * 0.01f + 1.0f));
    train = Momentum(0.1f, 0.9f).Minimize(loss);
  }

  uint32_t seed = 0;
  std::vector<Variable> variables;
  Output loss;
  Operation train;
};

TEST(GpuOrderTest, AllOrdersOfAGraphGiveTheSameBits) {
  RAMET_NEEDS_OPENCL_CPU();
  auto* const device = new gpu::ReorderingDevice(*gpu::TestDriverDevice());
  gpu::SetDevicesForTesting({device});
  Graph g;
  const Branches net(g);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  std::vector<Tensor> expected;
  for (bool reorders : {false, true, true}) {
    device->SetReorders(reorders);
    Session session = Session::Create(g, {.allow_soft_placement = true}).value();
    session.InitializeMissing().value();
    const DeviceWork before = WorkOfDevice("GPU", 0).value();
    for (int step = 0; step < 12; ++step) ASSERT_TRUE(session.Run(net.train).ok());
    EXPECT_GE((WorkOfDevice("GPU", 0).value() - before).graph_launches, 8);
    for (size_t i = 0; i < net.variables.size(); ++i) {
      const Tensor value = session.Value(net.variables[i]).value();
      if (!reorders) expected.push_back(value);
      EXPECT_TRUE(value.BitwiseEquals(expected[i])) << net.variables[i].op_name();
    }
  }
}

}  // namespace
}  // namespace ramet
