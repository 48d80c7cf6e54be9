#include "ramet/linalg/element_program.h"

#include <gtest/gtest.h>

#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

using Kind = ElementInstruction::Kind;
using Dims = std::vector<int64_t>;

ElementInstruction Map(UnaryOp op, int8_t x) {
  return {Kind::kUnary, static_cast<uint8_t>(op), Type::kFloat, Type::kFloat, 1, {x}};
}
ElementInstruction Pair(BinaryOp op, int8_t a, int8_t b) {
  return {Kind::kBinary, static_cast<uint8_t>(op), Type::kFloat, Type::kFloat, 2, {a, b}};
}
ElementInstruction Fold(ReduceOp op, int8_t x) {
  return {Kind::kReduce, static_cast<uint8_t>(op), Type::kFloat, Type::kFloat, 1, {x}};
}

ElementLayout LayoutOf(const Dims& shape, const std::vector<Dims>& operands, bool whole_rows) {
  const std::vector<ElementLayout::Shape> spans(operands.begin(), operands.end());
  ElementLayout layout;
  EXPECT_TRUE(ElementLayout::Make(shape, spans, whole_rows, &layout));
  return layout;
}

std::vector<float> RunProgram(const ElementProgram& program, const ElementLayout& layout,
                              const std::vector<std::vector<float>>& inputs, int64_t size,
                              bool streamed = false) {
  ElementProgram::Buffers buffers;
  for (size_t i = 0; i < inputs.size(); ++i) buffers.inputs[i] = inputs[i].data();
  std::vector<float> result(size + 4);
  auto* const aligned =
      reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(result.data()) + 15) / 16 * 16);
  buffers.outputs[0] = aligned;
  std::array<uint8_t, ElementProgram::kMaxValues> varies;
  EXPECT_TRUE(program.Resolve(layout, varies));
  program.Run(layout, varies, buffers, streamed);
  return {aligned, aligned + size};
}

TEST(ElementLayoutTest, CollapsesDimensions) {
  const ElementLayout layout =
      LayoutOf({2, 3, 4, 5}, {{2, 3, 4, 5}, {5}, {3, 1, 1}, {2, 1, 4, 5}}, false);
  EXPECT_EQ(layout.columns(), 5);
  EXPECT_EQ(layout.rows(), 4);
  EXPECT_EQ(layout.planes(), 6);
  EXPECT_EQ(layout.varies(1), ElementLayout::kColumn);
  EXPECT_EQ(layout.varies(2), ElementLayout::kOuter);
  EXPECT_EQ(layout.PlaneOffset(0, 4), 80);
  EXPECT_EQ(layout.PlaneOffset(1, 4), 0);
  EXPECT_EQ(layout.PlaneOffset(2, 4), 1);
  EXPECT_EQ(layout.PlaneOffset(3, 4), 20);
  EXPECT_EQ(LayoutOf({2, 3, 4}, {{2, 3, 4}, {1}}, false).columns(), 24);
  EXPECT_EQ(LayoutOf({2, 3, 4}, {{2, 3, 4}, {1}}, true).rows(), 6);
  EXPECT_EQ(LayoutOf({2, 3, 1}, {{2, 3, 1}}, true).columns(), 1);
  EXPECT_EQ(LayoutOf({}, {{}}, false).size(), 1);
}

TEST(ElementLayoutTest, RefusesOtherShapes) {
  const Dims shape = {2, 3}, other = {2}, longer = {1, 2, 3};
  ElementLayout layout;
  for (const Dims& operand : {other, longer}) {
    const ElementLayout::Shape operands[] = {operand};
    EXPECT_FALSE(ElementLayout::Make(shape, operands, false, &layout));
  }
}

TEST(ElementProgramTest, HasTheBitsOfSeparateCalls) {
  const ElementProgram program(
      {Type::kFloat, Type::kFloat},
      {Map(UnaryOp::kTanh, 0), Pair(BinaryOp::kMul, 2, 1), Pair(BinaryOp::kSub, 3, 0)}, {4});
  for (const int64_t n : {1, 3, 1024, 100'003}) {
    const std::vector<float> x = Noise(n), scale = {0.7f};
    std::vector<float> want(n);
    Unary(UnaryOp::kTanh, Type::kFloat, x.data(), want.data(), n);
    Binary(BinaryOp::kMul, Type::kFloat, BroadcastPlan::ScalarRight(n), want.data(), scale.data(),
           want.data());
    Binary(BinaryOp::kSub, Type::kFloat, want.data(), x.data(), want.data(), n);
    const ElementLayout layout = ElementLayout::Flat(n, 2, 2);
    EXPECT_EQ(RunProgram(program, layout, {x, scale}, n), want);
    EXPECT_TRUE(SameForAnyThreads([&] { return RunProgram(program, layout, {x, scale}, n); }));
    if (n > 1) {
      EXPECT_EQ(RunProgram(program, layout, {x, scale}, n, true), want);
    }
  }
}

TEST(ElementProgramTest, ReducesRows) {
  const ElementProgram program(
      {Type::kFloat, Type::kFloat},
      {Fold(ReduceOp::kMean, 0), Pair(BinaryOp::kSub, 0, 2), Pair(BinaryOp::kMul, 3, 1)}, {4});
  for (const int64_t columns : {1, 5, 128, 16384}) {
    const int64_t rows = 11;
    const std::vector<float> x = Noise(rows * columns), gamma = Noise(columns, 2);
    std::vector<float> mean(rows), want(rows * columns);
    Reduce(ReduceOp::kMean, Type::kFloat, ReducePlan::Rows(rows, columns), x.data(), mean.data());
    for (int64_t i = 0; i < rows * columns; ++i) {
      want[i] = (x[i] - mean[i / columns]) * gamma[i % columns];
    }
    const ElementLayout layout = LayoutOf({rows, columns}, {{rows, columns}, {columns}}, true);
    EXPECT_EQ(RunProgram(program, layout, {x, gamma}, rows * columns), want);
  }
}

TEST(ElementProgramTest, RefusesWhatBlocksCannotHold) {
  std::array<uint8_t, ElementProgram::kMaxValues> varies;
  const ElementProgram program({Type::kFloat}, {Fold(ReduceOp::kSum, 0)}, {1});
  EXPECT_FALSE(program.Resolve(LayoutOf({2, 16385}, {{2, 16385}}, true), varies));
  // A result that varies along the columns alone would be written by every block of rows.
  const ElementProgram rows({Type::kFloat, Type::kFloat},
                            {Map(UnaryOp::kExp, 1), Pair(BinaryOp::kAdd, 0, 2)}, {2, 3});
  EXPECT_FALSE(rows.Resolve(LayoutOf({2, 5}, {{2, 5}, {5}}, false), varies));
}

}  // namespace
}  // namespace ramet::linalg
