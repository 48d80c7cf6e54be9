#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::portable {
namespace {

struct All : Sum {
  template <class T>
  static T Identity() {
    return T(1);
  }
  template <class V>
  static V Join(V a, V b) {
    return a & b;
  }
};
struct Any : Sum {
  template <class V>
  static V Join(V a, V b) {
    return a | b;
  }
};

// Unsigned arithmetic wraps. Sums and products have the same bits for both types.
template <class S, class U>
void AddPair(KernelTable& t) {
  AddReduction<U>(t);
  constexpr Type type = TypeOf<S>;
  t.Set(ReduceOp::kSum, type, ReduceRows<Sum, U>, ReduceColumns<Sum, U>);
  t.Set(ReduceOp::kProd, type, ReduceRows<Product, U>, ReduceColumns<Product, U>);
  t.Set(ReduceOp::kMax, type, ReduceRows<Maximum, S>, ReduceColumns<Maximum, S>);
  t.Set(ReduceOp::kMin, type, ReduceRows<Minimum, S>, ReduceColumns<Minimum, S>);
}

}  // namespace

void AddIntegerReductions(KernelTable& t) {
  AddPair<int8_t, uint8_t>(t);
  AddPair<int16_t, uint16_t>(t);
  AddPair<int32_t, uint32_t>(t);
  AddPair<int64_t, uint64_t>(t);
  t.Set(ReduceOp::kAll, Type::kBool, ReduceRows<All, uint8_t>, ReduceColumns<All, uint8_t>);
  t.Set(ReduceOp::kAny, Type::kBool, ReduceRows<Any, uint8_t>, ReduceColumns<Any, uint8_t>);
}

}  // namespace ramet::linalg::portable
