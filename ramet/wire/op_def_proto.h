#pragma once

#include "ramet/base/status.h"
#include "ramet/op/schema.h"
#include "ramet/proto/op_def.pb.h"

// Conversion between OpSchema and OpDef. Pure and thread-safe.
namespace ramet {

// Converts an OpDef. Deprecation, descriptions of arguments and full types are dropped.
// \error kInvalidArgument: a default value is malformed. Names the op and the attr.
StatusOr<OpSchema> OpSchemaFromProto(const OpDef& proto);

// Writes `schema` to `*proto` without documentation, as in stripped_op_list.
// \error kInvalidArgument: a default value has no proto form.
Status OpSchemaToProto(const OpSchema& schema, OpDef* proto);

}  // namespace ramet
