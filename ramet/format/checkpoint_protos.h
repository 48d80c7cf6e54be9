#pragma once

#include <string_view>

#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/proto/checkpoint.pb.h"

// Records shared by both checkpoint formats. All functions are pure.
namespace ramet {

// Parses a message. Returns false if the bytes are not such a message.
bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite* message);

// Checks that the file was not written for newer readers.
// \error kInvalidArgument: "Checkpoint min consumer version 9 above current version 1 ..." or a
//   similar message.
Status CheckCheckpointVersions(const VersionDef& versions);

// Converts a slice from its proto.
// \error kDataLoss: the rank, a start or a length is invalid.
StatusOr<TensorSlice> SliceFromProto(const TensorSliceProto& proto);
// Appends the extents of `slice` to `*proto`. A whole dimension is an empty message.
void SliceToProto(const TensorSlice& slice, TensorSliceProto* proto);

}  // namespace ramet
