#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "child_process.h"
#include "ramet/ramet.h"

// Helpers of tests with several processes: a trainer whose values reveal torn versions.
namespace ramet {

using std::chrono::milliseconds;

// Returns `usual` times RAMET_STRESS.
inline int Times(int usual) {
  const char* factor = std::getenv("RAMET_STRESS");
  return usual * std::max(1, factor ? std::atoi(factor) : 1);
}

// A trainer with variables whose elements all grow by one with each step.
class Counting {
 public:
  Counting(int variables, int64_t elements) : scope_(graph_) {
    std::vector<Operation> adds;
    std::vector<Input> lowest, highest;
    const Output minus_one = Constant(graph_, Tensor(-1.0f));
    for (int i = 0; i < variables; ++i) {
      Variable w = scope_.GetVariable(StrCat("w", i), {elements}, Zeros());
      Variable one = scope_.GetVariable(StrCat("one", i), {elements},
                                        {.initializer = Ones(), .trainable = false});
      adds.push_back(AddOp(graph_, "ApplyGradientDescent", {w.ref(), minus_one, Output(one)}));
      lowest.push_back(ReduceMin(w, {0}));
      highest.push_back(ReduceMax(w, {0}));
      published_.push_back(w);
    }
    ReduceMin(Stack(lowest), {0}, {.name = "lowest"});
    ReduceMax(Stack(highest), {0}, {.name = "highest"});
    session_.emplace(Session::Create(graph_).value());
    session_->InitializeMissing().value();
    step_.emplace(session_->MakeCallable({}, {Group(graph_, adds, "step")}).value());
  }
  Publisher Publish(const std::string& address, PublisherOptions options = {}) {
    options.variables = published_;
    return Publisher::Open(address, *session_, options).value();
  }
  int64_t Step() {
    std::vector<Tensor> none(1);
    if (!step_->Run({}, none).ok()) std::abort();
    return ++steps_;
  }

 private:
  Graph graph_;
  Scope scope_;
  std::vector<Variable> published_;
  std::optional<Session> session_;
  std::optional<Callable> step_;
  int64_t steps_ = 0;
};

// Checks that a follower's run sees one whole version.
class Checking {
 public:
  explicit Checking(Follower& follower)
      : run_(follower.session().MakeCallable({}, {"lowest:0", "highest:0"}).value()), seen_(2) {}
  // Returns the step of the version seen, or -1 if it was not whole.
  int64_t Check() {
    RunMetadata metadata;
    if (!run_.Run({}, seen_, RunOptions(), &metadata).ok()) return -1;
    const auto step = static_cast<float>(metadata.version.step);
    const bool whole = seen_[0].scalar<float>() == step && seen_[1].scalar<float>() == step;
    return whole ? metadata.version.step : -1;
  }

 private:
  Callable run_;
  std::vector<Tensor> seen_;
};

inline FollowerOptions Waiting() {
  FollowerOptions options;
  options.wait = milliseconds(30000);
  options.allow_missing = true;
  return options;
}

}  // namespace ramet
