#pragma once

#include <unordered_map>

#include "ramet/edit/clone/copied_edges.h"
#include "ramet/edit/clone/names.h"
#include "ramet/graph/cond_context.h"
#include "ramet/graph/while_context.h"

namespace ramet {

// A ContextCopier copies the contexts of branches and loops that are part of the clone, and puts
// the copied nodes into them. Runs after NodeCopier::CopyAll and cannot fail. The caller holds the
// locks of both graphs.
class ContextCopier {
 public:
  ContextCopier(const CloneDtypes& dtypes, const CopiedEdges& edges, const CloneOptions& options,
                CloneNames& names, const CloneMapping& mapping);
  void CopyAll();

 private:
  void CopyContexts();
  bool IsCloned(ControlFlowContext& context) const;
  ControlFlowContext* Copy(ControlFlowContext& context, ControlFlowContext* outer);
  WhileContext& CopyLoop(WhileContext& loop, ControlFlowContext* outer);
  CondContext& CopyBranch(const CondContext& cond, ControlFlowContext* outer);
  void CopyValues(const ControlFlowContext& from, ControlFlowContext* to) const;
  void AddNodes();
  void AddCasts();

  const CloneDtypes& dtypes_;
  const CopiedEdges& edges_;
  const CloneOptions& options_;
  CloneNames& names_;
  const CloneMapping& mapping_;
  const GraphData& source_;
  GraphData& target_;
  // Contexts of the source, with those of the copies of their nodes.
  std::unordered_map<ControlFlowContext*, ControlFlowContext*> copies_ = {{nullptr, nullptr}};
};

}  // namespace ramet
