#include "ramet/data/idx.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  StatusOr<IdxArray> array = ParseIdx({reinterpret_cast<const char*>(data), size}, "input");
  if (!array.ok()) return 0;
  size_t elements = 1;
  for (int64_t dim : array->shape) elements *= static_cast<size_t>(dim);
  if (elements != array->data.size()) std::abort();
  return 0;
}
