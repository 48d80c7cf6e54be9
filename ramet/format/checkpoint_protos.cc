#include "ramet/format/checkpoint_protos.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ramet/format/checkpoint_version.h"

namespace ramet {
namespace {

template <class... Parts>
Status RefuseVersion(const Parts&... parts) {
  return InvalidArgument("Checkpoint ", parts..., " (this reader supports version ",
                         kCheckpointVersion, ")");
}

}  // namespace

bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite* message) {
  return bytes.size() <= INT32_MAX &&
         message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

Status CheckCheckpointVersions(const VersionDef& versions) {
  if (versions.producer() < 0) {
    return RefuseVersion("producer version ", versions.producer(),
                         " below min producer 0 supported");
  }
  if (versions.min_consumer() > kCheckpointVersion) {
    return RefuseVersion("min consumer version ", versions.min_consumer(),
                         " above current version ", kCheckpointVersion,
                         ": it was written for a newer reader");
  }
  if (std::ranges::count(versions.bad_consumers(), kCheckpointVersion) > 0) {
    return RefuseVersion("disallows consumer version ", kCheckpointVersion,
                         ": its writer knows this reader's version to be broken");
  }
  return OkStatus();
}

StatusOr<TensorSlice> SliceFromProto(const TensorSliceProto& proto) {
  if (proto.extent_size() > Shape::kMaxRank) {
    return DataLoss("a slice of rank ", proto.extent_size());
  }
  std::vector<TensorSlice::Extent> extents;
  for (const auto& e : proto.extent()) {
    if (e.has_length_hack_case() == TensorSliceProto::Extent::HAS_LENGTH_HACK_NOT_SET) {
      extents.push_back({});
    } else if (e.start() < 0 || e.length() < 0) {
      return DataLoss("a slice extent ", e.start(), ",", e.length());
    } else {
      extents.push_back({e.start(), e.length()});
    }
  }
  return TensorSlice(std::move(extents));
}

void SliceToProto(const TensorSlice& slice, TensorSliceProto* proto) {
  for (const TensorSlice::Extent& e : slice.extents()) {
    TensorSliceProto::Extent* extent = proto->add_extent();
    if (e.whole()) continue;
    extent->set_start(e.start);
    extent->set_length(e.length);
  }
}

}  // namespace ramet
