#pragma once

#include "ramet/base/status.h"
#include "ramet/op/schema.h"
#include "ramet/proto/op_def.pb.h"

// OpSchema <-> OpDef. Pure functions, for any thread.
namespace ramet {

// The schema that the definition describes. Deprecation, descriptions of single arguments and full
// types have no place in it.
// \error kInvalidArgument naming the op and the attr if a default value is malformed.
StatusOr<OpSchema> OpSchemaFromProto(const OpDef& proto);

// Writes `schema` over `*proto`, without documentation, as stripped_op_list holds definitions.
// \error kInvalidArgument if a default value has no proto form.
Status OpSchemaToProto(const OpSchema& schema, OpDef* proto);

}  // namespace ramet
