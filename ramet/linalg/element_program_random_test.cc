// Compares random programs with the separate functions, bit by bit.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/element_program.h"
#include "ramet/linalg/select.h"
#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

using Kind = ElementInstruction::Kind;
using Dims = std::vector<int64_t>;
using Bytes = std::vector<char>;

constexpr Type kTypes[] = {Type::kFloat, Type::kFloat,    Type::kFloat, Type::kDouble, Type::kBool,
                           Type::kHalf,  Type::kBfloat16, Type::kInt32, Type::kInt64};

// Values of all kinds, those that loops may treat differently among them.
Bytes RandomValues(Type type, int64_t n, std::mt19937* random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double special[] = {NAN, kInfinity, -kInfinity, -0.0, 0.0, 1e-40, -1e-45, 3e38, -1.0, 0.5};
  std::vector<double> values(n);
  for (double& x : values) {
    x = (*random)() % 4 == 0 ? special[(*random)() % std::size(special)]
                             : static_cast<double>((*random)()) / 1e9 - 2.0;
    if (TypeSize(type) == 1) x = (*random)() % 2;
    if (type == Type::kInt32 || type == Type::kInt64) x = static_cast<int>((*random)() % 100) - 50;
  }
  Bytes bytes(n * TypeSize(type));
  Cast(Type::kDouble, values.data(), type, bytes.data(), n);
  return bytes;
}

// One program with its inputs and the values that separate functions compute.
class RandomProgram {
 public:
  RandomProgram(int64_t rows, int64_t columns, uint32_t seed)
      : random_(seed), rows_(rows), columns_(columns) {
    const int inputs = 1 + Pick(4);
    for (int i = 0; i < inputs; ++i) AddInput(i == 0);
    const int instructions = 1 + Pick(Pick(2) == 0 ? 8 : 60);
    while (static_cast<int>(instructions_.size()) < instructions) AddInstruction();
  }

  // Returns whether the program could be run.
  bool Check(uint32_t seed) {
    for (int v = 0; v < static_cast<int>(types_.size()); ++v) Compute(v);
    std::vector<int8_t> outputs;
    const auto is_full = [&](int v) { return full_[v]; };
    for (int v = num_inputs(); v < static_cast<int>(types_.size()); ++v) {
      const bool last = v + 1 == static_cast<int>(types_.size());
      if (is_full(v) && (last || Pick(8) == 0) && outputs.size() < 6) {
        outputs.push_back(static_cast<int8_t>(v));
      }
    }
    if (outputs.empty()) return false;
    const ElementProgram program({types_.begin(), types_.begin() + num_inputs()}, instructions_,
                                 outputs);
    std::vector<ElementLayout::Shape> spans(shapes_.begin(), shapes_.end());
    ElementLayout layout;
    const Dims shape = {rows_, columns_};
    if (!ElementLayout::Make(shape, spans, false, &layout)) return false;
    std::array<uint8_t, ElementProgram::kMaxValues> varies;
    if (!program.Resolve(layout, varies)) return false;
    ElementProgram::Buffers buffers;
    for (int i = 0; i < num_inputs(); ++i) buffers.inputs[i] = inputs_[i].data();
    std::vector<Bytes> results;
    for (int8_t v : outputs) results.push_back(Bytes(size() * TypeSize(types_[v]) + 8, 77));
    for (size_t o = 0; o < results.size(); ++o) buffers.outputs[o] = results[o].data();
    program.Run(layout, varies, buffers, false);
    for (size_t o = 0; o < results.size(); ++o) Compare(outputs[o], results[o], seed);
    return true;
  }

 private:
  int Pick(int n) { return static_cast<int>(random_() % n); }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int64_t size() const { return rows_ * columns_; }

  void AddInput(bool full) {
    const Dims shapes[] = {{rows_, columns_}, {rows_, columns_}, {columns_}, {rows_, 1}, {1}};
    const Dims shape = shapes[full ? 0 : Pick(5)];
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    types_.push_back(kTypes[full ? 0 : Pick(std::size(kTypes))]);
    shapes_.push_back(shape);
    inputs_.push_back(RandomValues(types_.back(), n, &random_));
    full_.push_back(n == size());
  }

  int8_t AnyOf(Type type) {
    std::vector<int8_t> fitting;
    for (size_t v = 0; v < types_.size(); ++v) {
      if (types_[v] == type) fitting.push_back(static_cast<int8_t>(v));
    }
    if (fitting.empty()) return -1;
    // Mostly the last ones, so that there are chains.
    return Pick(2) == 0 ? fitting.back() : fitting[Pick(static_cast<int>(fitting.size()))];
  }

  void AddInstruction() {
    ElementInstruction made;
    made.type = kTypes[Pick(std::size(kTypes))];
    const bool is_real = made.type == Type::kFloat || made.type == Type::kDouble;
    const int what = Pick(10);
    if (what < 4) {
      made.kind = Kind::kUnary;
      const auto op = static_cast<UnaryOp>(Pick(kNumUnaryOps));
      if (!HasUnary(op, made.type) || op >= UnaryOp::kConj) return;
      if (op == UnaryOp::kReciprocal && !is_real) return;
      made.op = static_cast<uint8_t>(op);
      made.result = UnaryResultType(op, made.type);
      Finish(made, {AnyOf(made.type)});
    } else if (what < 8) {
      made.kind = Kind::kBinary;
      const auto op = static_cast<BinaryOp>(Pick(kNumBinaryOps));
      if (!HasBinary(op, made.type)) return;
      const bool may_fail = op >= BinaryOp::kDiv && op <= BinaryOp::kPow;
      if ((may_fail || op == BinaryOp::kReciprocalGrad) && !is_real) return;
      made.op = static_cast<uint8_t>(op);
      made.result = BinaryResultType(op, made.type);
      Finish(made, {AnyOf(made.type), AnyOf(made.type)});
    } else if (what < 9) {
      made.kind = Kind::kSelect;
      made.result = made.type;
      Finish(made, {AnyOf(Type::kBool), AnyOf(made.type), AnyOf(made.type)});
    } else {
      made.kind = Kind::kCast;
      made.result = kTypes[Pick(std::size(kTypes))];
      if (made.result == made.type) return;
      Finish(made, {AnyOf(made.type)});
    }
  }

  void Finish(ElementInstruction made, const std::vector<int8_t>& operands) {
    bool full = false;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] < 0) return;
      made.operands[k] = operands[k];
      full = full || full_[operands[k]];
    }
    made.num_operands = static_cast<int8_t>(operands.size());
    instructions_.push_back(made);
    types_.push_back(made.result);
    full_.push_back(full);
  }

  // Computes a value for each element.
  void Compute(int v) {
    const int64_t n = size();
    Bytes y(n * TypeSize(types_[v]));
    if (v < num_inputs()) {
      const int64_t width = TypeSize(types_[v]);
      const int64_t count = static_cast<int64_t>(inputs_[v].size()) / width;
      for (int64_t i = 0; i < n; ++i) {
        const bool by_row = shapes_[v].size() == 2 && shapes_[v][1] == 1 && columns_ > 1;
        const int64_t at = by_row ? i / columns_ % count : i % count;
        std::memcpy(&y[i * width], &inputs_[v][at * width], width);
      }
    } else {
      const ElementInstruction& made = instructions_[v - num_inputs()];
      const auto at = [&](int k) { return values_[made.operands[k]].data(); };
      switch (made.kind) {
        case Kind::kUnary:
          Unary(static_cast<UnaryOp>(made.op), made.type, at(0), y.data(), n);
          break;
        case Kind::kBinary:
          Binary(static_cast<BinaryOp>(made.op), made.type, at(0), at(1), y.data(), n);
          break;
        case Kind::kSelect:
          Select(TypeSize(made.type), BroadcastPlan::Flat(n), reinterpret_cast<const bool*>(at(0)),
                 at(1), at(2), y.data());
          break;
        default: Cast(made.type, at(0), made.result, y.data(), n);
      }
    }
    values_.push_back(y);
  }

  // NaNs need not have the same sign: it depends on the order of two NaN operands.
  void Compare(int v, const Bytes& found, uint32_t seed) {
    const int64_t width = TypeSize(types_[v]);
    std::vector<double> a(size()), b(size());
    Cast(types_[v], values_[v].data(), Type::kDouble, a.data(), size());
    Cast(types_[v], found.data(), Type::kDouble, b.data(), size());
    for (int64_t i = 0; i < size(); ++i) {
      const bool same = std::memcmp(&values_[v][i * width], &found[i * width], width) == 0;
      const bool is_real = types_[v] != Type::kInt64 && types_[v] != Type::kBool;
      if (same || (is_real && a[i] != a[i] && b[i] != b[i])) continue;
      ADD_FAILURE() << "seed " << seed << ", " << rows_ << " x " << columns_ << ", value " << v
                    << " of " << types_.size() << ", element " << i << ": " << b[i]
                    << " instead of " << a[i] << "\n"
                    << Text();
      return;
    }
    for (size_t i = size() * width; i < found.size(); ++i) {
      EXPECT_EQ(found[i], 77) << "seed " << seed << ": wrote past the end";
    }
  }

  // Lists the types of the inputs, and kind, op, type and operands of the instructions.
  std::string Text() const {
    std::ostringstream text;
    for (int i = 0; i < num_inputs(); ++i) {
      text << i << ": type " << static_cast<int>(types_[i]) << (full_[i] ? "" : " repeated")
           << "\n";
    }
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const ElementInstruction& made = instructions_[i];
      text << i + inputs_.size() << ": kind " << static_cast<int>(made.kind) << " op "
           << static_cast<int>(made.op) << " type " << static_cast<int>(made.type) << " of";
      for (int8_t operand : made.reads()) text << " " << static_cast<int>(operand);
      text << "\n";
    }
    return text.str();
  }

  std::mt19937 random_;
  const int64_t rows_, columns_;
  std::vector<Type> types_;  // of all values
  std::vector<Dims> shapes_;
  std::vector<Bytes> inputs_;
  std::vector<bool> full_;  // the value has an element for each element of the shape
  std::vector<ElementInstruction> instructions_;
  std::vector<Bytes> values_;
};

TEST(RandomElementProgramTest, HaveTheBitsOfSeparateFunctions) {
  const Dims shapes[] = {{1, 1},   {1, 2},    {1, 31},   {1, 64},    {1, 65},  {1, 127},
                         {1, 128}, {3, 5},    {7, 64},   {5, 129},   {130, 1}, {1, 1023},
                         {33, 96}, {1, 8192}, {1, 8193}, {2, 20000}, {700, 3}};
  AtEachLevel([&] {
    int run = 0;
    for (uint32_t seed = 0; seed < 600; ++seed) {
      const Dims& shape = shapes[seed % std::size(shapes)];
      run += RandomProgram(shape[0], shape[1], seed).Check(seed) ? 1 : 0;
    }
    EXPECT_GT(run, 200);
  });
}

}  // namespace
}  // namespace ramet::linalg
