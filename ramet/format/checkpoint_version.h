#pragma once

namespace ramet {

// Of both checkpoint formats: what writers record as producer, and what this reader knows.
inline constexpr int kCheckpointVersion = 1;

}  // namespace ramet
