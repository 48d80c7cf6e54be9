#include "ramet/linalg/strip_code.h"

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/binary_ops.h"
#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/levels/unary_ops.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ramet::linalg::RAMET_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kVectors = 8;
constexpr int kTileBytes = kVectors * kVectorBytes;
// How far before its use an input is prefetched (ramet_bench ramet/cheap_chain*).
constexpr int64_t kAheadBytes = 4096;

// Eight vectors are as many as the calling convention passes in registers, whatever their lanes.
typedef float V __attribute__((vector_size(kVectorBytes)));
typedef float UnalignedV __attribute__((vector_size(kVectorBytes), aligned(1), may_alias));
using Handler = void (*)(const StripStep* step, const StripOperand* operands, int64_t at, V, V, V,
                         V, V, V, V, V);

template <class T>
using MaskOf = typename Layout<T>::Bits;

#define RAMET_INLINE [[gnu::always_inline]] inline

// Continues with the step after `step`.
template <class... Vs>
RAMET_INLINE void Next(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  return reinterpret_cast<Handler>(step[1].handler)(step + 1, operands, at, v...);
}

RAMET_INLINE char* At(const StripOperand& operand, int64_t at) {
  return operand.data + (at & operand.mask);
}
template <class C>
RAMET_INLINE V Load(C*& from) {
  const V v = *reinterpret_cast<const UnalignedV*>(from);
  from += kVectorBytes;
  return v;
}
RAMET_INLINE void Store(char*& to, V v) {
  *reinterpret_cast<UnalignedV*>(to) = v;
  to += kVectorBytes;
}

// The elements of a vector. Loops over them become single instructions.
template <class T>
struct Lanes {
  static constexpr int kCount = kVectorBytes / sizeof(T);
  T x[kCount];

  Lanes() = default;
  RAMET_INLINE explicit Lanes(V v) { __builtin_memcpy(x, &v, kVectorBytes); }
  RAMET_INLINE V vector() const {
    V v;
    __builtin_memcpy(&v, x, kVectorBytes);
    return v;
  }
};

template <class Op, class T>
RAMET_INLINE V Map(V v) {
  Lanes<T> a(v);
  RAMET_IVDEP
  for (int i = 0; i < a.kCount; ++i) a.x[i] = Op::Do(a.x[i]);
  return a.vector();
}
template <class Op, class T>
RAMET_INLINE V Map(V v, V w) {
  Lanes<T> a(v), b(w);
  RAMET_IVDEP
  for (int i = 0; i < a.kCount; ++i) a.x[i] = Op::Do(a.x[i], b.x[i]);
  return a.vector();
}

// Map for operations with a bool as result.
template <class Op, class T>
RAMET_INLINE V Test(V v) {
  Lanes<T> a(v);
  Lanes<MaskOf<T>> y;
  RAMET_IVDEP
  for (int i = 0; i < a.kCount; ++i) y.x[i] = Op::Do(a.x[i]) ? ~MaskOf<T>{0} : MaskOf<T>{0};
  return y.vector();
}
template <class Op, class T>
RAMET_INLINE V Test(V v, V w) {
  Lanes<T> a(v), b(w);
  Lanes<MaskOf<T>> y;
  RAMET_IVDEP
  for (int i = 0; i < a.kCount; ++i) {
    y.x[i] = Op::Do(a.x[i], b.x[i]) ? ~MaskOf<T>{0} : MaskOf<T>{0};
  }
  return y.vector();
}

// A part is what a step does to one vector, given a cursor for its operand, which it advances.
struct LoadPart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V, char*& at) { return Load(at); }
};
struct StorePart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V v, char*& at) {
    Store(at, v);
    return v;
  }
};
template <class Op, class T>
struct UnaryPart {
  static constexpr bool kHasOperand = false;
  RAMET_INLINE static V Do(V v, char*&) { return Map<Op, T>(v); }
};
template <class Op, class T>
struct FirstPart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V v, char*& at) { return Map<Op, T>(v, Load(at)); }
};
// FirstPart for an operand with the same element everywhere, which is loaded once for a tile.
template <class Op, class T>
struct ScalarPart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V v, char* at) { return Map<Op, T>(v, Load(at)); }
};
template <class Op, class T>
struct SecondPart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V v, char*& at) { return Map<Op, T>(Load(at), v); }
};
template <class Op, class T>
struct UnaryTestPart {
  static constexpr bool kHasOperand = false;
  RAMET_INLINE static V Do(V v, char*&) { return Test<Op, T>(v); }
};
template <class Op, class T>
struct FirstTestPart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V v, char*& at) { return Test<Op, T>(v, Load(at)); }
};
template <class Op, class T>
struct SecondTestPart {
  static constexpr bool kHasOperand = true;
  RAMET_INLINE static V Do(V v, char*& at) { return Test<Op, T>(Load(at), v); }
};

// The handlers. Vs are eight vectors.

template <class Part, class... Vs>
void OneStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  char* a = Part::kHasOperand ? At(operands[step->a], at) : nullptr;
  ((v = Part::Do(v, a)), ...);
  return Next(step, operands, at, v...);
}
template <class Part1, class Part2, class... Vs>
void TwoSteps(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  char* a = Part1::kHasOperand ? At(operands[step->a], at) : nullptr;
  char* b = Part2::kHasOperand ? At(operands[step->b], at) : nullptr;
  ((v = Part2::Do(Part1::Do(v, a), b)), ...);
  return Next(step, operands, at, v...);
}

RAMET_INLINE void Stream(char*& to, V v) {
#if defined(__AVX512F__)
  _mm512_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m512>(v));
#elif defined(__AVX__)
  _mm256_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m256>(v));
#elif defined(__SSE2__)
  _mm_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m128>(v));
#else
  Store(to, v);
  return;
#endif
  to += kVectorBytes;
}
template <class... Vs>
void StreamStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  char* to = At(operands[step->a], at);
  (Stream(to, v), ...);
  return Next(step, operands, at, v...);
}

template <class T>
RAMET_INLINE V LoadBools(const uint8_t*& from) {
  Lanes<MaskOf<T>> y;
  RAMET_IVDEP
  for (int i = 0; i < y.kCount; ++i) y.x[i] = MaskOf<T>{0} - MaskOf<T>{from[i]};
  from += y.kCount;
  return y.vector();
}
template <class T, class... Vs>
void LoadBoolsStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  const auto* from =
      reinterpret_cast<const uint8_t*>(At(operands[step->a], at / static_cast<int64_t>(sizeof(T))));
  ((v = LoadBools<T>(from)), ...);
  return Next(step, operands, at, v...);
}

template <class T>
RAMET_INLINE void StoreBools(uint8_t*& to, V v) {
  const Lanes<MaskOf<T>> x(v);
  RAMET_IVDEP
  for (int i = 0; i < x.kCount; ++i) to[i] = static_cast<uint8_t>(x.x[i] & 1);
  to += x.kCount;
}
template <class T, class... Vs>
void StoreBoolsStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  auto* to =
      reinterpret_cast<uint8_t*>(At(operands[step->a], at / static_cast<int64_t>(sizeof(T))));
  (StoreBools<T>(to, v), ...);
  return Next(step, operands, at, v...);
}

// A step for functions that need many registers: computes one vector after another.
template <class Op, class T, class... Vs>
void FunctionStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  V tile[] = {v...};
#pragma GCC unroll 1
  for (V& x : tile) x = Map<Op, T>(x);
  const V* next = tile;
  ((v = *next++), ...);
  return Next(step, operands, at, v...);
}

template <class... Vs>
void SelectStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  const char* a = At(operands[step->a], at);
  const char* b = At(operands[step->b], at);
  using Bits = Lanes<uint32_t>;
  const auto select = [&](V mask) {
    Bits m(mask), x(Load(a)), y(Load(b));
    for (int i = 0; i < m.kCount; ++i) m.x[i] = (x.x[i] & m.x[i]) | (y.x[i] & ~m.x[i]);
    return m.vector();
  };
  ((v = select(v)), ...);
  return Next(step, operands, at, v...);
}

template <class T>
struct CastBool {
  static T Do(T mask) {
    const auto one = __builtin_bit_cast(MaskOf<T>, T(1));
    return __builtin_bit_cast(T, __builtin_bit_cast(MaskOf<T>, mask) & one);
  }
};

// Operations on bools, whatever their width.
struct Not {
  static uint32_t Do(uint32_t x) { return ~x; }
};
struct And {
  static uint32_t Do(uint32_t a, uint32_t b) { return a & b; }
};
struct Or {
  static uint32_t Do(uint32_t a, uint32_t b) { return a | b; }
};

template <class T>
constexpr int64_t kTileElements = kTileBytes / static_cast<int64_t>(sizeof(T));

template <class T, class... Vs>
void CallStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  alignas(64) V tile[] = {v...};
  step->function.unary(tile, tile, kTileElements<T>);
  const V* next = tile;
  ((v = *next++), ...);
  return Next(step, operands, at, v...);
}
template <class T, class... Vs>
void CallFirstStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  alignas(64) V tile[] = {v...};
  const char* other = At(operands[step->a], at);
  step->function.binary({tile, other, tile, 1, kTileElements<T>, 0, 0, false, false});
  const V* next = tile;
  ((v = *next++), ...);
  return Next(step, operands, at, v...);
}
template <class T, class... Vs>
void CallSecondStep(const StripStep* step, const StripOperand* operands, int64_t at, Vs... v) {
  alignas(64) V tile[] = {v...};
  const char* other = At(operands[step->a], at);
  step->function.binary({other, tile, tile, 1, kTileElements<T>, 0, 0, false, false});
  const V* next = tile;
  ((v = *next++), ...);
  return Next(step, operands, at, v...);
}

template <class... Vs>
void EndStep(const StripStep*, const StripOperand*, int64_t, Vs...) {}

StripStep::Handler Erased(Handler handler) { return reinterpret_cast<StripStep::Handler>(handler); }
// A handler, for eight vectors.
#define RAMET_STEP(...) Erased(&__VA_ARGS__)

// Parts by PairedStep.
template <class... Parts>
struct PartList {
  template <class First>
  static void AddPairsOf(StripStep::Handler* pairs) {
    ((*pairs++ = RAMET_STEP(TwoSteps<First, Parts>)), ...);
  }
  static void AddPairs(StripHandlers& t) {
    auto* row = t.pairs;
    static_assert(sizeof...(Parts) == kNumPairedSteps);
    (AddPairsOf<Parts>(*row++), ...);
  }
};

template <class T>
using PairedParts =
    PartList<LoadPart, StorePart, FirstPart<Add, T>, FirstPart<Sub, T>, SecondPart<Sub, T>,
             FirstPart<Mul, T>, FirstPart<Maximum, T>, FirstPart<Minimum, T>,
             FirstPart<ReluGrad, T>, UnaryPart<Relu, T>, UnaryPart<Neg, T>, UnaryPart<Square, T>,
             ScalarPart<Add, T>, ScalarPart<Sub, T>, ScalarPart<Mul, T>>;

template <class T>
struct Table {
  using Paired = PairedStep;
  StripHandlers& t;

  template <class Op>
  void Cheap(UnaryOp op, Paired paired = Paired::kNone) {
    t.unary[static_cast<int>(op)] = {RAMET_STEP(OneStep<UnaryPart<Op, T>>), paired};
  }
  template <class Op>
  void Costly(UnaryOp op) {
    t.unary[static_cast<int>(op)] = {RAMET_STEP(FunctionStep<Op, T>)};
  }
  template <class Op>
  void Test(UnaryOp op) {
    t.unary[static_cast<int>(op)] = {RAMET_STEP(OneStep<UnaryTestPart<Op, T>>)};
  }
  template <class Op, class L = T>
  void Cheap(BinaryOp op, Paired first = Paired::kNone, Paired second = Paired::kNone) {
    t.first[static_cast<int>(op)] = {RAMET_STEP(OneStep<FirstPart<Op, L>>), first};
    t.second[static_cast<int>(op)] = {RAMET_STEP(OneStep<SecondPart<Op, L>>), second};
  }
  template <class Op>
  void Scalar(BinaryOp op, Paired paired) {
    t.scalar[static_cast<int>(op)] = {RAMET_STEP(OneStep<ScalarPart<Op, T>>), paired};
  }
  template <class Op>
  void Test(BinaryOp op) {
    t.first[static_cast<int>(op)] = {RAMET_STEP(OneStep<FirstTestPart<Op, T>>)};
    t.second[static_cast<int>(op)] = {RAMET_STEP(OneStep<SecondTestPart<Op, T>>)};
  }

  void AddMoves() {
    t.load = {RAMET_STEP(OneStep<LoadPart>), Paired::kLoad};
    t.load_bools = {RAMET_STEP(LoadBoolsStep<T>)};
    t.store = {RAMET_STEP(OneStep<StorePart>), Paired::kStore};
    t.stream = {RAMET_STEP(StreamStep)};
    t.store_bools = {RAMET_STEP(StoreBoolsStep<T>)};
    t.call = {RAMET_STEP(CallStep<T>)};
    t.call_first = {RAMET_STEP(CallFirstStep<T>)};
    t.call_second = {RAMET_STEP(CallSecondStep<T>)};
    t.select = {RAMET_STEP(SelectStep)};
    t.cast_bools = {RAMET_STEP(OneStep<UnaryPart<CastBool<T>, T>>)};
    t.end = {RAMET_STEP(EndStep)};
  }

  void AddUnary() {
    Cheap<Neg>(UnaryOp::kNeg, Paired::kNeg);
    Cheap<Abs>(UnaryOp::kAbs);
    Cheap<Sign>(UnaryOp::kSign);
    Cheap<Square>(UnaryOp::kSquare, Paired::kSquare);
    Cheap<Sqrt>(UnaryOp::kSqrt);
    Cheap<Rsqrt>(UnaryOp::kRsqrt);
    Cheap<Reciprocal>(UnaryOp::kReciprocal);
    Cheap<Floor>(UnaryOp::kFloor);
    Cheap<Ceil>(UnaryOp::kCeil);
    Cheap<Rint>(UnaryOp::kRint);
    Cheap<Rint>(UnaryOp::kRound);
    Cheap<Relu>(UnaryOp::kRelu, Paired::kRelu);
    Cheap<Relu6>(UnaryOp::kRelu6);
    Cheap<Softsign>(UnaryOp::kSoftsign);
    Test<IsNan>(UnaryOp::kIsNan);
    Test<IsInf>(UnaryOp::kIsInf);
    Test<IsFinite>(UnaryOp::kIsFinite);
    Costly<Exp>(UnaryOp::kExp);
    Costly<Sigmoid>(UnaryOp::kSigmoid);
    t.unary[static_cast<int>(UnaryOp::kLogicalNot)] = {
        RAMET_STEP(OneStep<UnaryPart<Not, uint32_t>>)};
  }

  void AddBinary() {
    Cheap<Add>(BinaryOp::kAdd, Paired::kAdd);
    Cheap<Sub>(BinaryOp::kSub, Paired::kSub, Paired::kSubSecond);
    Cheap<Mul>(BinaryOp::kMul, Paired::kMul);
    Cheap<Div>(BinaryOp::kDiv);
    Cheap<FloorDiv>(BinaryOp::kFloorDiv);
    Cheap<Maximum>(BinaryOp::kMaximum, Paired::kMaximum);
    Cheap<Minimum>(BinaryOp::kMinimum, Paired::kMinimum);
    Cheap<SquaredDifference>(BinaryOp::kSquaredDifference);
    Cheap<DivNoNan>(BinaryOp::kDivNoNan);
    Cheap<MulNoNan>(BinaryOp::kMulNoNan);
    Cheap<Xdivy>(BinaryOp::kXdivy);
    Test<Equal>(BinaryOp::kEqual);
    Test<NotEqual>(BinaryOp::kNotEqual);
    Test<Less>(BinaryOp::kLess);
    Test<LessEqual>(BinaryOp::kLessEqual);
    Test<Greater>(BinaryOp::kGreater);
    Test<GreaterEqual>(BinaryOp::kGreaterEqual);
    Cheap<And, uint32_t>(BinaryOp::kLogicalAnd);
    Cheap<Or, uint32_t>(BinaryOp::kLogicalOr);
    Scalar<Add>(BinaryOp::kAdd, Paired::kAddScalar);
    Scalar<Sub>(BinaryOp::kSub, Paired::kSubScalar);
    Scalar<Mul>(BinaryOp::kMul, Paired::kMulScalar);
  }

  void AddGradients() {
    Cheap<ReluGrad>(BinaryOp::kReluGrad, Paired::kReluGrad);
    Cheap<Relu6Grad>(BinaryOp::kRelu6Grad);
    Cheap<EluGrad>(BinaryOp::kEluGrad);
    Cheap<SeluGrad>(BinaryOp::kSeluGrad);
    Cheap<SoftsignGrad>(BinaryOp::kSoftsignGrad);
    Cheap<SigmoidGrad>(BinaryOp::kSigmoidGrad);
    Cheap<TanhGrad>(BinaryOp::kTanhGrad);
    Cheap<SqrtGrad>(BinaryOp::kSqrtGrad);
    Cheap<RsqrtGrad>(BinaryOp::kRsqrtGrad);
    Cheap<ReciprocalGrad>(BinaryOp::kReciprocalGrad);
  }

  void AddAll() {
    AddMoves();
    AddUnary();
    AddBinary();
    AddGradients();
    PairedParts<T>::AddPairs(t);
  }
};

// Prefetches a tile of an input.
RAMET_INLINE void Prefetch(const char* tile) {
  for (int64_t k = 0; k < kTileBytes; k += 64) __builtin_prefetch(tile + k);
}

void RunStrip(const StripStep* code, const StripOperand* operands,
              std::span<const char* const> inputs, int64_t begin, int64_t end) {
  const auto first = reinterpret_cast<Handler>(code->handler);
  const V v = {};
  for (int64_t at = begin; at < end; at += kTileBytes) {
    for (const char* input : inputs) Prefetch(input + at + kAheadBytes);
    first(code, operands, at, v, v, v, v, v, v, v, v);
  }
}

#undef RAMET_STEP
#undef RAMET_INLINE

}  // namespace

void AddStrips(KernelTable& table) {
  static_assert(kTileBytes <= StripTable::kMaxTileBytes);
  table.strips.tile_bytes = kTileBytes;
  table.strips.run = &RunStrip;
  Table<float>{table.strips.handlers[static_cast<int>(StripType::kFloat)]}.AddAll();
  Table<double>{table.strips.handlers[static_cast<int>(StripType::kDouble)]}.AddAll();
}

}  // namespace ramet::linalg::RAMET_LEVEL
