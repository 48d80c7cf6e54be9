#pragma once

#include "ramet/ops/dataset/dataset.h"

namespace ramet {

// Returns a dataset of these elements, which all have the components of `spec`.
StatusOr<std::shared_ptr<Dataset>> MakeListOfElements(
    ElementSpec spec, std::shared_ptr<const std::vector<Element>> elements);

}  // namespace ramet
