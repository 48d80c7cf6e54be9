#pragma once

#include <string_view>

#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/proto/checkpoint.pb.h"

// What the records of both checkpoint formats share. All functions are pure.
namespace ramet {

// False if the bytes are no such message.
bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite* message);

// \error kInvalidArgument "Checkpoint min consumer version 9 above current version 1 ..." and the
// like, if the file was written for newer readers.
Status CheckCheckpointVersions(const VersionDef& versions);

// \error kDataLoss if the rank, a start or a length cannot be.
StatusOr<TensorSlice> SliceFromProto(const TensorSliceProto& proto);
// Appends the extents of `slice` to `*proto`; a dimension that is taken whole is an empty message.
void SliceToProto(const TensorSlice& slice, TensorSliceProto* proto);

}  // namespace ramet
