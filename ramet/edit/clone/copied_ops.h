#pragma once

#include <unordered_map>

#include "ramet/edit/clone/function_copies.h"
#include "ramet/edit/clone/mapping.h"

namespace ramet {

// The op of copied nodes, and which of their attrs may change.
struct CopiedOp {
  const Op* op = nullptr;      // in the source
  const Op* target = nullptr;  // in the clone
  bool has_frame = false;
  bool has_shared_name = false;
  bool is_handle = false;  // VarHandleOp, whose resource does not default to the node's name
  bool calls_functions = false;
  bool is_constant = false;
};

// A CopiedOps finds the op of the copies for each op of the source. Ops that are defined by a file
// or the library belong to a graph, so it adds them to a different target.
class CopiedOps {
 public:
  CopiedOps(const FunctionCopies& functions, const CloneMapping& mapping)
      : functions_(functions), mapping_(mapping) {}
  const CopiedOp& Of(const Op* op) {
    if (last_ == nullptr || last_->op != op) last_ = &Find(op);
    return *last_;
  }

 private:
  const CopiedOp& Find(const Op* op);
  const Op* TargetOp(const Op* op) const;

  const FunctionCopies& functions_;
  const CloneMapping& mapping_;
  std::unordered_map<const Op*, CopiedOp> known_;
  const CopiedOp* last_ = nullptr;
};

}  // namespace ramet
