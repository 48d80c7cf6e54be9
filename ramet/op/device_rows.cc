#include "ramet/op/device_rows.h"

namespace ramet {

const DeviceRows* DeviceRows::Of(const Tensor& t) {
  return dynamic_cast<const DeviceRows*>(DeviceMath::Of(t));
}

}  // namespace ramet
