// Benchmarks of the functions of ramet/linalg with the shapes of an MLP 784-256-256-10 and with a
// million elements.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/reduce.h"
#include "ramet/linalg/softmax.h"
#include "ramet/linalg/training.h"

namespace {

using namespace ramet::linalg;  // NOLINT: not a library
using Floats = std::vector<float>;

Floats Values(int64_t n) {
  Floats values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 37 % 1000) / 1000 - 0.5f;
  return values;
}

struct GemmCase {
  const char* name;
  bool ta, tb;
  int64_t m, n, k;
};

constexpr GemmCase kGemms[] = {
    {"forward1", false, false, 50, 256, 784},  {"forward2", false, false, 50, 256, 256},
    {"forward3", false, false, 50, 10, 256},   {"weights1", true, false, 784, 256, 50},
    {"weights2", true, false, 256, 256, 50},   {"weights3", true, false, 256, 10, 50},
    {"inputs2", false, true, 50, 256, 256},    {"inputs3", false, true, 50, 256, 10},
    {"row1", false, false, 1, 256, 784},       {"row2", false, false, 1, 256, 256},
    {"row3", false, false, 1, 10, 256},        {"square1000", false, false, 1000, 1000, 1000},
    {"row_wide", false, false, 1, 8192, 1024}, {"row_deep", false, false, 1, 2048, 8192},
};

void RunGemm(benchmark::State& state, GemmCase c, int threads, bool deterministic) {
  SetIntraOpThreads(threads);
  SetDeterministic(deterministic);
  const Floats a = Values(c.m * c.k), b = Values(c.k * c.n);
  Floats y(c.m * c.n);
  for (auto _ : state) Gemm<float>(c.ta, c.tb, c.m, c.n, c.k, a.data(), b.data(), y.data());
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * c.m * c.n * c.k, benchmark::Counter::kIsIterationInvariantRate);
  SetDeterministic(false);
}

template <class Fn>
void Add(const std::string& name, const Fn& make) {
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(),
                                 [=](benchmark::State& state) {
                                   SetIntraOpThreads(threads);
                                   const auto run = make();
                                   for (auto _ : state) run();
                                 })
        ->UseRealTime();
  }
}

void AddUnary(const std::string& name, UnaryOp op, int64_t n) {
  Add("unary/" + name + "/" + std::to_string(n), [=] {
    return [=, x = Values(n), y = std::make_shared<Floats>(n)] {
      Unary(op, Type::kFloat, x.data(), y->data(), n);
    };
  });
}

void AddReduction(const std::string& name, const ReducePlan& plan) {
  Add("sum/" + name, [=] {
    return [=, x = Values(plan.input_size()), y = std::make_shared<Floats>(plan.output_size())] {
      Reduce(ReduceOp::kSum, Type::kFloat, plan, x.data(), y->data());
    };
  });
}

void AddOthers() {
  for (const int64_t n : {500, 12800, 1 << 20}) {
    AddUnary("relu", UnaryOp::kRelu, n);
    AddUnary("exp", UnaryOp::kExp, n);
    AddUnary("log", UnaryOp::kLog, n);
    AddUnary("tanh", UnaryOp::kTanh, n);
  }
  AddReduction("bias_gradient", ReducePlan::Columns(50, 256));
  AddReduction("rows_of_10", ReducePlan::Rows(50, 10));
  AddReduction("million", ReducePlan::Full(1 << 20));
  Add("add/bias", [] {
    BroadcastPlan plan;
    const int64_t a[] = {50, 256}, b[] = {256};
    BroadcastPlan::Make(a, b, &plan);
    return [plan, x = Values(12800), y = std::make_shared<Floats>(12800)] {
      Binary(BinaryOp::kAdd, Type::kFloat, plan, x.data(), x.data(), y->data());
    };
  });
  Add("softmax/50x10", [] {
    return [x = Values(500), y = std::make_shared<Floats>(500)] {
      Softmax(Type::kFloat, 50, 10, x.data(), y->data());
    };
  });
  for (const int64_t n : {2560, 65536, 200704}) {
    Add("gradient_descent/" + std::to_string(n), [=] {
      return [=, g = Values(n), var = std::make_shared<Floats>(n)] {
        ApplyGradientDescent(Type::kFloat, n, Update::InPlace(var->data()), 0.1, g.data());
      };
    });
  }
  for (const int64_t n : {200704, 1 << 22}) {
    Add("gradient_descent_out_of_place/" + std::to_string(n), [=] {
      return [=, g = Values(n), var = Values(n), fresh = std::make_shared<Floats>(n)] {
        ApplyGradientDescent(Type::kFloat, n, {var.data(), fresh->data()}, 0.1, g.data());
      };
    });
  }
}

const bool registered = [] {
  for (const GemmCase& c : kGemms) {
    for (const int threads : {1, 2}) {
      for (const bool deterministic : {false, true}) {
        const std::string name = std::string("gemm/") + c.name +
                                 (deterministic ? "/deterministic" : "") +
                                 "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark(name.c_str(), RunGemm, c, threads, deterministic)
            ->UseRealTime();
      }
    }
  }
  AddOthers();
  return true;
}();

}  // namespace
