#pragma once

#include <string>

#include "ramet/base/status.h"
#include "ramet/graph/collections.h"
#include "ramet/graph/control_flow_context.h"

namespace ramet {

// Conversion of branches and loops to and from files: CondContextDef and WhileContextDef, with
// everything nested in them, in the collections "cond_context" and "while_context".

// A ContextItem is a context in a collection. It is serialized when the graph is exported.
class RAMET_EXPORT ContextItem final : public CollectionObject {
 public:
  explicit ContextItem(ControlFlowContext* context) : context_(context) {}
  ControlFlowContext* context() const { return context_; }
  StatusOr<CollectionItem> Export(const std::string& export_scope) const override;

 private:
  ControlFlowContext* const context_;  // owned by the graph, as the collection is
};

// Adds a context to the collection of its kind unless it is nested; then the outermost context
// contains it.
RAMET_EXPORT void AddToCollection(ControlFlowContext& context);

// Returns the serialized CondContextDef or WhileContextDef of a context, with sorted maps and sets.
// `export_scope` ("a/b" without a trailing slash, or empty) is stripped from names.
RAMET_EXPORT std::string ContextToProto(ControlFlowContext& context,
                                        const std::string& export_scope = "");

// Turns the messages that an import has put into the two collections, starting at these positions,
// into contexts nested in the current one. Messages that refer to nodes missing from the graph stay
// messages.
void RestoreContexts(Graph& graph, size_t first_cond, size_t first_while);

}  // namespace ramet
