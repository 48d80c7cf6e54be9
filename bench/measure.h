#pragma once

// The loops that benchmarks of sessions share.
#include <benchmark/benchmark.h>

#include <vector>

#include "ramet/ramet.h"

namespace ramet {

// Measures runs of a callable with one fetch.
inline void MeasureRuns(benchmark::State& state, const Callable& callable,
                        const std::vector<Tensor>& feeds) {
  std::vector<Tensor> fetched(1);
  for (auto _ : state) {
    if (Status status = callable.Run(feeds, fetched); !status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      return;
    }
  }
}

// Measures runs of an operation of a graph without placeholders, on state.range(1) threads.
inline void MeasureOperation(benchmark::State& state, Graph& graph, const Operation& target,
                             bool deterministic) {
  const int threads = static_cast<int>(state.range(1));
  Session session = Session::Create(graph, {.intra_op_parallelism_threads = threads,
                                            .inter_op_parallelism_threads = threads,
                                            .deterministic = deterministic})
                        .value();
  session.InitializeMissing().value();
  MeasureRuns(state, session.MakeCallable({}, {target}).value(), {});
}

}  // namespace ramet
