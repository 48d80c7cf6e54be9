#pragma once

#include <string>

#include "ramet/base/status.h"
#include "ramet/graph/collections.h"
#include "ramet/graph/control_flow_context.h"

namespace ramet {

// How branches and loops are in files: CondContextDef and WhileContextDef in the collections
// "cond_context" and "while_context", with all that is nested in them.

// A context in a collection: written as it is when the graph is exported.
class RAMET_EXPORT ContextItem final : public CollectionObject {
 public:
  explicit ContextItem(ControlFlowContext* context) : context_(context) {}
  ControlFlowContext* context() const { return context_; }
  StatusOr<CollectionItem> Export(const std::string& export_scope) const override;

 private:
  ControlFlowContext* const context_;  // owned by the graph, as the collection is
};

// Adds a context to the collection of its kind, unless it is nested: the outer one has it then.
RAMET_EXPORT void AddToCollection(ControlFlowContext& context);

// The serialised CondContextDef or WhileContextDef of a context, maps and sets in order; names have
// lost `export_scope` ("a/b", without a slash at the end; empty: none).
RAMET_EXPORT std::string ContextToProto(ControlFlowContext& context,
                                        const std::string& export_scope = "");

// Makes contexts of what an import has put into the two collections from these positions on, within
// the context that is current. Messages that name what the graph does not have stay messages.
void RestoreContexts(Graph& graph, size_t first_cond, size_t first_while);

}  // namespace ramet
