#pragma once

#include <cstddef>

#include "ramet/base/largest_users.h"
#include "ramet/base/status.h"
#include "ramet/op/attr.h"
#include "ramet/proto/attr_value.pb.h"

// Conversion between Attr and AttrValue, and between AttrMap and the attr field of a NodeDef. Pure
// and thread-safe.
namespace ramet {

using AttrProtoMap = google::protobuf::Map<std::string, AttrValue>;

// An AttrBudget limits the memory that attr values may allocate beyond the size of their message,
// as constants do whose last value is repeated or that are all zeros. One budget serves a whole
// import.
struct AttrBudget {
  size_t splat_bytes = size_t{1} << 31;
  // The name of the node that the next values belong to, and the nodes that used most of the budget
  // so far. Errors name them.
  std::string_view node = {};
  LargestUsers users = {};
};

// Converts an AttrValue to an Attr. Placeholders, mixed lists, tensors of dtypes that a Tensor
// cannot hold, and values with unknown fields become an OpaqueAttr, which is written back
// unchanged. IsPlainAttr reports which other values lose information.
// \error kInvalidArgument: a shape or tensor in it is malformed.
// \error kResourceExhausted: a tensor exceeds `budget`.
StatusOr<Attr> AttrFromProto(const AttrValue& proto, AttrBudget* budget);
// Like AttrFromProto, but ignores unknown fields at any level.
StatusOr<Attr> KnownAttrFromProto(const AttrValue& proto, AttrBudget* budget);
// Reports whether a non-opaque Attr holds the whole message: no unknown fields, no names of
// dimensions, and tensors in the form that TensorToProto writes.
bool IsPlainAttr(const AttrValue& proto);
// Writes `attr` to `*proto`, replacing its contents.
// \error kInvalidArgument: a tensor in it has no proto form (is not in host memory).
// \error kDataLoss: the bytes of an OpaqueAttr are not an AttrValue.
Status AttrToProto(const Attr& attr, AttrValue* proto);

// Errors are those above, with the attr's name.
StatusOr<AttrMap> AttrMapFromProto(const AttrProtoMap& proto, AttrBudget* budget);
Status AttrMapToProto(const AttrMap& attrs, AttrProtoMap* proto);

}  // namespace ramet
