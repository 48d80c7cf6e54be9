// Helpers for tests that clone golden models.

#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

#include "case_file.h"

namespace ramet::zoo {

// Reports whether the model's files exist.
bool CanRun(const Case& c);

// Returns a session of the case's graph with the values of its checkpoint.
StatusOr<Session> Load(const Case& c, Graph& graph);

bool SameBits(const Tensor& a, const Tensor& b);
void ExpectSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const char* what);

// Runs the steps of a case on the original or on the clone.
class Steps {
 public:
  Steps(Session& session, const Cloned& clone, bool on_clone)
      : session_(session), clone_(clone), on_clone_(on_clone) {}

  // Returns the results of the step, or an empty list if it failed as the case requires. Feeds that
  // the clone does not need are dropped.
  std::vector<Tensor> Run(const Step& step) const;
  // Returns the results of each step of the case.
  std::vector<std::vector<Tensor>> Run(const Case& c) const;

 private:
  GraphElement At(const GraphElement& element) const;

  Session& session_;
  const Cloned& clone_;
  const bool on_clone_;
};

// Returns the values of the cloned variables or of their copies; empty tensors for those without a
// value.
std::vector<Tensor> Values(Session& session, const Cloned& clone, bool of_clone);

// Initializes the clone's tables, and gives it the values that the original has in `from`.
void StartFrom(Session& from, Session& to, const Cloned& clone, const Case& c);

// Converts a floating tensor to a different floating dtype; returns other tensors unchanged.
Tensor Converted(const Tensor& tensor, DType dtype);

}  // namespace ramet::zoo
