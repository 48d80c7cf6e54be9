#pragma once

#include <string>
#include <vector>

#include "ramet/edit/clone/current_values.h"
#include "ramet/edit/clone/state_op_builder.h"

namespace ramet {

// An InitialValues adds the operations that give a clone's variables and tables their first values
// (CloneOptions::initial). Errors are those of Graph::AddNode.
class InitialValues {
 public:
  // `values` has the originals' values for kCurrent with different graphs.
  InitialValues(const CloneOptions& options, const StateValues& values, CloneMapping& mapping)
      : options_(options), values_(values), mapping_(mapping), builder_(mapping) {}

  // Completes the records of variables that were found by their operations, and makes the clone's
  // init_op.
  Status AddInit();

 private:
  Status CompleteReads();
  Status CompleteInitializers(const std::vector<Operation>& ops);
  // These return one operation per variable; invalid if there is no value.
  StatusOr<std::vector<Operation>> InitVariables();
  StatusOr<std::vector<Operation>> RestoreAll(const std::string& prefix);
  StatusOr<std::vector<Operation>> AssignAll();
  StatusOr<Operation> AddRestore(const std::string& prefix);
  StatusOr<Operation> AssignCurrent(const ClonedVariable& v, const std::string& name);
  StatusOr<Operation> AssignKnown(const ClonedVariable& v, Tensor value, const std::string& name);

  const CloneOptions& options_;
  const StateValues& values_;
  CloneMapping& mapping_;
  StateOpBuilder builder_;
};

}  // namespace ramet
