// Sessions with two accelerators, each with memory that neither the host nor the other one can
// touch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace ramet {
namespace {

Session TwoDevices(Graph& g) { return Session::Create(g, {.device_count = {{"SIM", 2}}}).value(); }

std::string Name(int device) { return StrCat("/device:SIM:", device); }

Tensor Filled(float value) {
  Tensor t(kFloat, {1000});
  for (float& x : t.mutable_flat<float>()) x = value;
  return t;
}

TEST(TwoDevicesTest, AValueIsCopiedFromTheDeviceThatHoldsIt) {
  Graph g;
  Scope s(g);
  std::vector<Variable> variables;
  std::vector<GraphElement> fetches, initializers;
  for (int d = 0; d < 2; ++d) {
    Scope on_device = s.Device(Name(d));
    variables.push_back(
        on_device.GetVariable(StrCat("v", d), {1000}, ConstantInit(Filled(static_cast<float>(d)))));
    initializers.push_back(variables[d].initializer());
    fetches.push_back(variables[d] + variables[d]);
    fetches.push_back(variables[d].ref());
  }
  Session session = TwoDevices(g);
  ASSERT_TRUE(session.Run(Fetches(initializers)).ok());
  const std::vector<Tensor> values = session.Run(Fetches(fetches)).value();
  for (int d = 0; d < 2; ++d) {
    EXPECT_TRUE(values[2 * d].BitwiseEquals(Filled(static_cast<float>(2 * d))));
    EXPECT_TRUE(values[2 * d + 1].BitwiseEquals(Filled(static_cast<float>(d))));
    EXPECT_TRUE(session.Value(variables[d])->BitwiseEquals(Filled(static_cast<float>(d))));
  }
}

TEST(TwoDevicesTest, AValueGoesFromOneDeviceToTheOther) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {1000}), y;
  for (int d : {1, 0, 1, 0}) {
    Scope on_device = s.Device(Name(d));
    y = x = x + x;
  }
  Session session = TwoDevices(g);
  const Tensor sixteen = session.Run({{"x:0", Filled(1)}}, y).value();
  EXPECT_TRUE(sixteen.BitwiseEquals(Filled(16)));
}

// The axis, which stays in host memory, is the input after the values.
TEST(TwoDevicesTest, AnOpMayHaveAnyNumberOfInputs) {
  for (int inputs : {1, 63, 64, 65, 200}) {
    Graph g;
    Scope s(g);
    Output y;
    {
      Scope on_device = s.Device(Name(1));
      std::vector<Input> values;
      for (int i = 0; i < inputs; ++i) {
        values.push_back(Constant(g, Tensor::Vector<float>({static_cast<float>(i)})));
      }
      y = Concat(values, 0);
    }
    Session session = TwoDevices(g);
    const auto run = session.Run(y);
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    const auto elements = run->flat<float>();
    ASSERT_EQ(elements.size(), static_cast<size_t>(inputs));
    for (int i = 0; i < inputs; ++i) EXPECT_EQ(elements[i], static_cast<float>(i));
  }
}

// The last input alone can be taken over: the others are fed.
TEST(TwoDevicesTest, ManyInputsAreReleasedAfterTheirLastUse) {
  Graph g;
  Scope s(g);
  std::vector<Input> values;
  for (int i = 0; i < 100; ++i) {
    Output x = s.Placeholder(StrCat("x", i), kFloat, {1000});
    values.push_back(i < 99 ? x : x * x);
  }
  Output sum = AddN(values);
  Session session = Session::Create(g).value();
  Feeds feeds;
  for (int i = 0; i < 100; ++i) feeds.push_back({StrCat("x", i, ":0"), Filled(1)});
  const Tensor result = session.Run(feeds, sum).value();
  EXPECT_TRUE(result.BitwiseEquals(Filled(100)));
  for (const Feed& feed : feeds) EXPECT_TRUE(feed.value.BitwiseEquals(Filled(1)));
}

}  // namespace
}  // namespace ramet
