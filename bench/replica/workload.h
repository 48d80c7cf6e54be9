#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ramet::replica_bench {

// SessionOptions::intra_op_parallelism_threads of the sessions.
extern int threads;

// A session with variables and a step that updates them.
struct Workload {
  explicit Workload(std::string name) : name(std::move(name)), graph(std::make_unique<Graph>()) {}

  std::string name;
  std::unique_ptr<Graph> graph;
  std::optional<Session> session;
  std::optional<Callable> step;
  std::vector<Tensor> feeds;
  std::vector<Tensor> batches;  // the values of feed 0, in turn; empty if it is always the same
  size_t steps = 0;
  std::vector<Variable> published;
  int64_t bytes = 0;  // the size of the published variables
  int variables = 0;
};

// Gradient descent on `variables` float variables with a total size of `bytes`. The gradients are
// separate variables, which are not published.
Workload Descent(int64_t bytes, int variables);
// A scatter-add to 1,000 rows of a table with rows of 1 KiB.
Workload SparseTable(int64_t bytes);
// Gradient descent on 1,000 rows of such a table, different ones in each step: lookup, product with
// a vector, squares, gradient, ScatterSub.
Workload SparseTraining(int64_t bytes);
// A multilayer perceptron of 784, 256, 256 and 10 units, with a batch of 64.
Workload Perceptron();
// A multilayer perceptron of 784, 2,048, 1,536 and 10 units, with a batch of 64 and 19 MB of
// weights.
Workload LargePerceptron();
// Two convolutions and two dense layers on images of 28 by 28, with a batch of 32.
Workload ConvNet();

}  // namespace ramet::replica_bench
