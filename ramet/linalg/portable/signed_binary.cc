#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/portable/integer_binary.h"

namespace ramet::linalg::portable {

void AddSignedBinary(KernelTable& t) {
  AddSignedness<int8_t>(t);
  AddSignedness<int16_t>(t);
  AddSignedness<int32_t>(t);
  t.Set(BinaryOp::kDiv, Type::kInt32, Int32Rows<Int32Div>);
  t.Set(BinaryOp::kFloorDiv, Type::kInt32, Int32Rows<Int32FloorDiv>);
  t.Set(BinaryOp::kMod, Type::kInt32, Int32Rows<Int32Mod>);
  t.Set(BinaryOp::kFloorMod, Type::kInt32, Int32Rows<Int32FloorMod>);
  AddSignedness<int64_t>(t);
}

}  // namespace ramet::linalg::portable
