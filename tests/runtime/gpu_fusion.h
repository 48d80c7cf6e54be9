#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "ramet/backends/gpu/testing/test_driver.h"
#include "ramet/ramet.h"

namespace ramet::testing {

// The fixture of tests of fused kernels. The device is a processor behind OpenCL (PoCL), unless
// RAMET_TEST_GPU names a driver.
class GpuFusionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu::UseTestDriver();
    Graph g;
    const auto session = Session::Create(g);
    if (!session.ok()) GTEST_SKIP() << "skipped: " << session.status().message();
  }

  static DeviceWork Work() { return WorkOfDevice("GPU", 0).value(); }

  // Returns the work of a run.
  static DeviceWork WorkOf(Session& session, const Feeds& feeds, const Fetches& fetches) {
    const DeviceWork before = Work();
    const auto run = session.Run(feeds, fetches);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return Work() - before;
  }

  static Session NewSession(Graph& g, bool deterministic = false) {
    return Session::Create(g, {.allow_soft_placement = true, .deterministic = deterministic})
        .value();
  }

  static Fetches AsFetches(const std::vector<Output>& outputs) {
    return std::vector<GraphElement>(outputs.begin(), outputs.end());
  }

  static Tensor Noise(const Shape& shape, uint32_t seed) {
    std::mt19937 random(seed);
    Tensor t(kFloat, shape);
    for (float& x : t.mutable_flat<float>()) x = static_cast<float>(random()) / 4e8f - 5.0f;
    return t;
  }
};

}  // namespace ramet::testing
