#pragma once

#include "ramet/replica/follower_source.h"
#include "ramet/replica/verifier.h"

namespace ramet {

// Brings the values of a version to the devices that the model's variables are on, so that no run
// has to. Values that a publisher in this process has on the same device are shared, others are
// copied while the device goes on with its work.
// \error as for BackgroundCopier::CopyIn.
Status PlaceValues(const FollowerSource& source, HeldValues* values);

}  // namespace ramet
