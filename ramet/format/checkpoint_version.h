#pragma once

namespace ramet {

// The version of both checkpoint formats that writers record and readers support.
inline constexpr int kCheckpointVersion = 1;

}  // namespace ramet
