// A training program with one added line, which publishes its variables after each step. With
// FOLLOWERS, training begins when that many followers are connected.
//   replica_trainer [ADDRESS [STEPS [FOLLOWERS]]]
#include <ramet/ramet.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace rm = ramet;
using namespace std::chrono_literals;

int main(int argc, char** argv) try {
  const std::string address = argc > 1 ? argv[1] : "shm:line";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 2000;
  const int followers = argc > 3 ? std::atoi(argv[3]) : 0;

  rm::Graph graph;
  rm::Scope s(graph);
  auto x = s.Placeholder("x", rm::kFloat, {-1});
  auto y = s.Placeholder("y", rm::kFloat, {-1});
  auto w = s.GetVariable("w", {}, rm::Zeros());
  auto b = s.GetVariable("b", {}, rm::Zeros());
  auto out = rm::Identity(x * w + b, "out");
  auto loss = rm::ReduceMean(rm::Square(out - y));
  auto train =
      rm::GradientDescent(0.05).Minimize(loss, {.global_step = rm::GetOrCreateGlobalStep(graph)});
  auto init = s.GlobalVariablesInitializer();
  auto session = rm::Session::Create(graph).value();
  session.Run(init).value();

  auto publisher = rm::Publisher::Open(address, session, {.every_steps = 1}).value();
  while (publisher.stats().readers < followers) std::this_thread::sleep_for(10ms);

  const rm::Feeds line = {{x, rm::Tensor::Vector<float>({-1, 0, 1, 2})},
                          {y, rm::Tensor::Vector<float>({-1, 1, 3, 5})}};
  for (int i = 0; i < steps; ++i) session.Run(line, train).value();

  const auto learned = session.Run({w, b}).value();
  std::cout << "trained " << steps << " steps: y = " << learned[0].scalar<float>() << " x + "
            << learned[1].scalar<float>() << "; published " << publisher.stats().published
            << " versions\n";
  return 0;
} catch (const ramet::BadStatusAccess& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
