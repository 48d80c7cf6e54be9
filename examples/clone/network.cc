#include "network.h"

namespace example {
namespace {

namespace rm = ramet;

constexpr int kSide = 16;

}  // namespace

Examples Products(double scale) {
  rm::Tensor x(rm::kFloat, {kSide * kSide, 2}), y(rm::kFloat, {kSide * kSide, 1});
  for (int i = 0; i < kSide * kSide; ++i) {
    const float a = 2.0f * (i % kSide) / (kSide - 1) - 1, b = 2.0f * (i / kSide) / (kSide - 1) - 1;
    x.mutable_data<float>()[2 * i] = a;
    x.mutable_data<float>()[2 * i + 1] = b;
    y.mutable_data<float>()[i] = static_cast<float>(scale) * a * b;
  }
  return {x, y};
}

void SomebodyTrains(const std::string& prefix) {
  rm::Graph graph;
  graph.SetSeed(1);
  rm::Scope s(graph);
  auto x = s.Placeholder("x", rm::kFloat, {-1, 2});
  auto y = s.Placeholder("y", rm::kFloat, {-1, 1});
  auto hidden = rm::Tanh(rm::Dense(s, x, 32, {.name = "hidden"}));
  auto out = rm::Identity(rm::Dense(s, hidden, 1, {.name = "linear"}), "out");
  auto loss = rm::ReduceMean(rm::Square(out - y));
  auto step = rm::Adam(0.01).Minimize(loss);
  auto init = s.GlobalVariablesInitializer();
  rm::Saver saver(graph);

  auto session = rm::Session::Create(graph).value();
  session.Run(init).value();
  const Examples data = Products(1);
  for (int i = 0; i < 300; ++i) session.Run({{x, data.x}, {y, data.y}}, step).value();
  saver.Save(session, prefix).value();
}

}  // namespace example
