#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/portable/integer_binary.h"

namespace ramet::linalg::portable {

void AddSignedBinary(KernelTable& t) {
  AddSignedness<int8_t>(t);
  AddSignedness<int16_t>(t);
  AddSignedness<int32_t>(t);
  AddSignedness<int64_t>(t);
}

}  // namespace ramet::linalg::portable
