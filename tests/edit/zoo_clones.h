// What tests of clones do with golden models.

#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

#include "case_file.h"

namespace ramet::zoo {

// Whether the model's files are there.
bool CanRun(const Case& c);

// The case's graph with the values of its checkpoint.
StatusOr<Session> Load(const Case& c, Graph& graph);

bool SameBits(const Tensor& a, const Tensor& b);
void ExpectSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const char* what);

// Runs of a case on the original or on the clone.
class Steps {
 public:
  Steps(Session& session, const Cloned& clone, bool on_clone)
      : session_(session), clone_(clone), on_clone_(on_clone) {}

  // What the step gave; an empty list if it failed, as it must where the case says so. Feeds that
  // the clone has no use for are left out.
  std::vector<Tensor> Run(const Step& step) const;
  // What each step of the case gave.
  std::vector<std::vector<Tensor>> Run(const Case& c) const;

 private:
  GraphElement At(const GraphElement& element) const;

  Session& session_;
  const Cloned& clone_;
  const bool on_clone_;
};

// The values of the variables that were cloned, or of their copies; empty tensors for those without
// a value.
std::vector<Tensor> Values(Session& session, const Cloned& clone, bool of_clone);

// Gives the clone its tables, and the values of the original in `from`.
void StartFrom(Session& from, Session& to, const Cloned& clone, const Case& c);

// The floating elements in another floating dtype; other tensors as they are.
Tensor Converted(const Tensor& tensor, DType dtype);

}  // namespace ramet::zoo
