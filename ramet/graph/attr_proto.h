#pragma once

#include <cstddef>

#include "ramet/base/status.h"
#include "ramet/op/attr.h"
#include "ramet/proto/attr_value.pb.h"

// Attr <-> AttrValue and AttrMap <-> the attr field of a NodeDef. Pure functions, for any thread.
namespace ramet {

using AttrProtoMap = google::protobuf::Map<std::string, AttrValue>;

// What the values of one message may allocate beyond its own size: constants whose last value is
// repeated, or that are all zeros. One budget serves a whole import.
struct AttrBudget {
  size_t splat_bytes = size_t{1} << 31;
};

// The attr. Placeholders, mixed lists, tensors of dtypes that a Tensor cannot hold and values with
// unknown fields become an OpaqueAttr, which writes back the same message; IsPlainAttr tells what
// others do.
// \error kInvalidArgument if a shape or tensor in it is malformed; kResourceExhausted if a tensor
// is
//   larger than `budget` allows.
StatusOr<Attr> AttrFromProto(const AttrValue& proto, AttrBudget* budget);
// The same without regard to unknown fields on any level.
StatusOr<Attr> KnownAttrFromProto(const AttrValue& proto, AttrBudget* budget);
// Whether an Attr that is not opaque holds all of the message: no unknown fields, no names of
// dimensions, tensors as TensorToProto writes them.
bool IsPlainAttr(const AttrValue& proto);
// Writes `attr` over `*proto`. \error kInvalidArgument if a tensor in it has no proto form (not in
// host
//   memory), kDataLoss if the bytes of an OpaqueAttr are no AttrValue.
Status AttrToProto(const Attr& attr, AttrValue* proto);

// \error as above, with the attr's name.
StatusOr<AttrMap> AttrMapFromProto(const AttrProtoMap& proto, AttrBudget* budget);
Status AttrMapToProto(const AttrMap& attrs, AttrProtoMap* proto);

}  // namespace ramet
