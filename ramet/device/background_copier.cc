#include "ramet/device/background_copier.h"

namespace ramet {

BackgroundCopier::~BackgroundCopier() = default;

BackgroundCopier* BackgroundCopierOf(Device& device) {
  return dynamic_cast<BackgroundCopier*>(&device);
}

}  // namespace ramet
