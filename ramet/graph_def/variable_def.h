#pragma once

#include "ramet/base/status.h"
#include "ramet/graph/variable.h"
#include "ramet/graph_def/export_scope.h"
#include "ramet/graph_def/name_resolver.h"
#include "ramet/proto/variable.pb.h"

namespace ramet {

// Converts a VariableDef to a record.
// \error kNotFound: the variable, its initializer or its snapshot is not in the graph.
// \error kInvalidArgument: the slice information is inconsistent.
StatusOr<VariableRecord> VariableFromProto(const VariableDef& proto, const NameResolver& resolver);

// Converts a record to a VariableDef, with names relative to `scope`. The caller holds the graph's
// lock.
void VariableToProto(const GraphImpl& impl, const VariableRecord& record, const ExportScope& scope,
                     VariableDef* proto);

}  // namespace ramet
