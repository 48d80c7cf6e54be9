#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/portable/integer_binary.h"

namespace ramet::linalg::portable {
namespace {

// Operations with the same bits for signed and unsigned types.
template <class T>
void AddBits(KernelTable& t, Type signed_type) {
  for (const Type type : {TypeOf<T>, signed_type}) {
    t.Set(BinaryOp::kAdd, type, BinaryRows<IntAdd, T>);
    t.Set(BinaryOp::kSub, type, BinaryRows<IntSub, T>);
    t.Set(BinaryOp::kMul, type, BinaryRows<IntMul, T>);
    t.Set(BinaryOp::kSquaredDifference, type, BinaryRows<IntSquaredDifference, T>);
    t.Set(BinaryOp::kEqual, type, BinaryRows<IntEqual, T, bool>);
    t.Set(BinaryOp::kNotEqual, type, BinaryRows<IntNotEqual, T, bool>);
    t.Set(BinaryOp::kBitwiseAnd, type, BinaryRows<IntAnd, T>);
    t.Set(BinaryOp::kBitwiseOr, type, BinaryRows<IntOr, T>);
    t.Set(BinaryOp::kBitwiseXor, type, BinaryRows<IntXor, T>);
  }
}

}  // namespace

void AddUnsignedBinary(KernelTable& t) {
  AddSignedness<uint8_t>(t);
  AddSignedness<uint16_t>(t);
  AddSignedness<uint32_t>(t);
  AddSignedness<uint64_t>(t);
  AddBits<uint8_t>(t, Type::kInt8);
  AddBits<uint16_t>(t, Type::kInt16);
  AddBits<uint32_t>(t, Type::kInt32);
  AddBits<uint64_t>(t, Type::kInt64);
  t.Set(BinaryOp::kEqual, Type::kBool, BinaryRows<IntEqual, uint8_t, bool>);
  t.Set(BinaryOp::kNotEqual, Type::kBool, BinaryRows<IntNotEqual, uint8_t, bool>);
  t.Set(BinaryOp::kLogicalAnd, Type::kBool, BinaryRows<IntAnd, uint8_t>);
  t.Set(BinaryOp::kLogicalOr, Type::kBool, BinaryRows<IntOr, uint8_t>);
}

}  // namespace ramet::linalg::portable
