// Tests that random ops draw the same numbers as TensorFlow, bit for bit. gen_random.py writes the
// expected numbers to tests/data/random/golden.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/kernel_tester.h"
#include "ramet/runtime/session.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

// One line of the file: the result of one run of an op.
struct Golden {
  std::string op;
  DType dtype;
  int64_t seed, seed2;
  int run;
  std::vector<int64_t> dims, args;
  std::string bits;
  std::string line;
};

Golden ParseLine(const std::string& line) {
  Golden g;
  g.line = line;
  std::istringstream in(line.substr(0, line.find(':')));
  std::string dtype, dims;
  in >> g.op >> dtype >> g.seed >> g.seed2 >> g.run >> dims;
  g.dtype = ParseDType(dtype).value();
  std::istringstream list(dims.substr(1));
  for (std::string d; std::getline(list, d, ',');) g.dims.push_back(std::atoll(d.c_str()));
  for (int64_t arg; in >> arg;) g.args.push_back(arg);
  g.bits = line.substr(line.find(':') + 2);
  return g;
}

std::vector<Golden> LoadGolden() {
  std::ifstream file(RAMET_RANDOM_GOLDEN);
  std::vector<Golden> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(ParseLine(line));
  return lines;
}

std::string BitsOf(const Tensor& t) {
  if (t.num_elements() > 12) {
    const uLong crc =
        crc32(0, static_cast<const Bytef*>(t.raw_data()), static_cast<uInt>(t.bytes()));
    char text[16];
    std::snprintf(text, sizeof(text), "crc %08lx", crc);
    return text;
  }
  std::ostringstream out;
  const size_t width = DTypeSize(t.dtype());
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(t.raw_data()) + i * width, width);
    out << (i > 0 ? " " : "") << std::hex << bits;
  }
  return out.str();
}

Tensor Integer(DType dtype, int64_t value) {
  return dtype == kInt32 ? Tensor(static_cast<int32_t>(value)) : Tensor(value);
}

Tensor Iota(DType dtype, const Shape& shape) {
  Tensor t(dtype, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    if (dtype == kInt32) {
      t.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
    } else {
      t.mutable_data<double>()[i] = static_cast<double>(i);
    }
  }
  return t;
}

// The logits that gen_random.py passes to Multinomial.
Tensor Logits(DType dtype, const Shape& shape) {
  Tensor t(dtype, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const double value = static_cast<double>(i % 7 - 3) / 4;
    if (dtype == kFloat) {
      t.mutable_data<float>()[i] = static_cast<float>(value);
    } else {
      t.mutable_data<double>()[i] = value;
    }
  }
  return t;
}

std::vector<Input> SeedInputs(const Golden& g) {
  if (!g.op.ends_with("V2")) return {Tensor::Vector<int64_t>({g.seed, g.seed2})};
  const auto key = static_cast<uint64_t>(g.seed), counter = static_cast<uint64_t>(g.seed2);
  return {Tensor::Vector<uint64_t>({key}), Tensor::Vector<uint64_t>({counter, 0}),
          Tensor(int32_t{1})};
}

Output AddStatelessOp(Graph& graph, const Golden& g) {
  std::vector<Input> inputs = {Tensor::Vector<int64_t>(g.dims)};
  for (const Input& seed : SeedInputs(g)) inputs.push_back(seed);
  for (int64_t bound : g.args) inputs.push_back(Integer(g.dtype, bound));
  return AddOp(graph, g.op, inputs, {{"dtype", g.dtype}}).output(0);
}

Output AddRandomOp(Graph& graph, const Golden& g) {
  if (g.op.starts_with("Stateless")) return AddStatelessOp(graph, g);
  AttrMap attrs = {{"seed", g.seed}, {"seed2", g.seed2}};
  const Shape shape(g.dims);
  const Tensor dims = Tensor::Vector<int64_t>(g.dims);
  std::vector<Input> inputs = {dims};
  if (g.op == "RandomUniformInt") {
    inputs = {dims, Integer(g.dtype, g.args[0]), Integer(g.dtype, g.args[1])};
  } else if (g.op == "RandomShuffle") {
    inputs = {Iota(g.dtype, shape)};
  } else if (g.op == "Multinomial") {
    inputs = {Logits(g.dtype == kInt32 ? kDouble : kFloat, shape), Integer(kInt32, g.args[0])};
    attrs.Set("output_dtype", g.dtype);
  } else {
    attrs.Set("dtype", g.dtype);
  }
  return AddOp(graph, g.op, inputs, attrs).output(0);
}

// The end of the lines of the session that starts at line `begin`: its later runs follow.
size_t EndOfSession(const std::vector<Golden>& lines, size_t begin) {
  size_t end = begin + 1;
  while (end < lines.size() && lines[end].run > 1) ++end;
  return end;
}

TEST(RandomTest, DrawsTheSameNumbersAsTensorFlowInEveryRun) {
  const std::vector<Golden> lines = LoadGolden();
  ASSERT_GT(lines.size(), 3000u);
  for (size_t i = 0; i < lines.size(); i = EndOfSession(lines, i)) {
    Graph graph;
    Output y = AddRandomOp(graph, lines[i]);
    ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
    for (int threads : {1, 3}) {
      Session session = Session::Create(graph, {.intra_op_parallelism_threads = threads}).value();
      for (size_t run = i; run < EndOfSession(lines, i); ++run) {
        auto drawn = session.Run(y);
        ASSERT_TRUE(drawn.ok()) << drawn.status().ToString();
        EXPECT_EQ(BitsOf(*drawn), lines[run].bits) << lines[run].line.substr(0, 60);
      }
    }
  }
}

TEST(RandomTest, WithoutSeedsEverySessionDrawsDifferentNumbers) {
  Graph graph;
  Output y =
      AddOp(graph, "RandomUniform", {Tensor::Vector<int32_t>({8})}, {{"dtype", kFloat}}).output(0);
  Session a = Session::Create(graph).value(), b = Session::Create(graph).value();
  const Tensor first = a.Run(y).value();
  EXPECT_FALSE(first.BitwiseEquals(a.Run(y).value()));
  EXPECT_FALSE(first.BitwiseEquals(b.Run(y).value()));
}

// Two ops with the same seeds have separate generators.
TEST(RandomTest, EachNodeHasItsOwnState) {
  Graph graph;
  const AttrMap attrs = {{"dtype", kFloat}, {"seed", 3}, {"seed2", 5}};
  Output x = AddOp(graph, "RandomStandardNormal", {Tensor::Vector<int32_t>({8})}, attrs).output(0);
  Output y = AddOp(graph, "RandomStandardNormal", {Tensor::Vector<int32_t>({8})}, attrs).output(0);
  Session session = Session::Create(graph).value();
  auto both = session.Run({x, y}).value();
  EXPECT_TRUE(both[0].BitwiseEquals(both[1]));
}

TEST(RandomTest, ArgumentsAreChecked) {
  auto error = [](std::string_view op, std::vector<Tensor> inputs) {
    KernelTester tester(op);
    if (op == "RandomUniform") tester.Attr("dtype", kFloat);
    for (Tensor& t : inputs) tester.Input(std::move(t));
    return tester.Run().status();
  };
  EXPECT_THAT(error("RandomUniform", {Tensor::Vector<int32_t>({2, -3})}).message(),
              HasSubstr("Dimension -3 must be >= 0"));
  EXPECT_THAT(error("RandomUniform", {Tensor(int32_t{2})}).message(),
              HasSubstr("shape must be a vector"));
  EXPECT_THAT(
      error("RandomUniform", {Tensor::Vector<int64_t>({int64_t{1} << 40, int64_t{1} << 40})})
          .message(),
      HasSubstr("overflows"));
  EXPECT_THAT(error("RandomUniformInt",
                    {Tensor::Vector<int32_t>({2}), Tensor(int32_t{3}), Tensor(int32_t{3})})
                  .message(),
              HasSubstr("Need minval < maxval, got 3 >= 3"));
  EXPECT_THAT(error("Multinomial", {Tensor::Of<float>({2, 2}, {1, 2, 3, 4}), Tensor(int32_t{-1})})
                  .message(),
              HasSubstr("num_samples should be nonnegative, got -1"));
}

TEST(RandomTest, ShuffleKeepsRowsAndStrings) {
  Tensor words = Tensor::Vector<std::string>({"a", "b", "c", "d", "e"});
  auto shuffled = KernelTester("RandomShuffle").Input(words).Attr("seed", 5).RunOne().value();
  auto flat = shuffled.flat<std::string>();
  EXPECT_THAT(flat, ::testing::UnorderedElementsAre("a", "b", "c", "d", "e"));
}

}  // namespace
}  // namespace ramet
