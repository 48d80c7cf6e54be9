#include "ramet/linalg/training.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

struct GoldenStep {
  std::string rule;
  Type type;
  // The bits of each state after one step.
  std::vector<std::vector<uint64_t>> states;
};

// One step of TensorFlow 2.21's ApplyXxx on CPU from the states in Start.
const GoldenStep kGoldenSteps[] = {
    {"GradientDescent", Type::kFloat, {{0x3fc3d70a, 0xc015c28f, 0x3e428f5c}}},
    {"Momentum",
     Type::kFloat,
     {{0x3fc2b021, 0xc0149ba6, 0x3e020c4a}, {0xbe570a3e, 0x3f3851eb, 0x3fdd70a4}}},
    {"Adam",
     Type::kFloat,
     {{0x3fbffc0d, 0xc00ffe6b, 0x3e99386c},
      {0x3d75c28d, 0xbdb851e8, 0x3f3d70a4},
      {0x3efde69b, 0x3fdecbfb, 0x3ffefd22}}},
    {"MomentumNesterov",
     Type::kFloat,
     {{0x3fc6425b, 0xc019e83e, 0x3d0c7e28}, {0xbe570a3e, 0x3f3851eb, 0x3fdd70a4}}},
    {"AdamNesterov",
     Type::kFloat,
     {{0x3fbffe6c, 0xc0100028, 0x3e9933b2},
      {0x3d75c28d, 0xbdb851e8, 0x3f3d70a4},
      {0x3efde69b, 0x3fdecbfb, 0x3ffefd22}}},
    {"Adagrad",
     Type::kFloat,
     {{0x3fc4ffcf, 0xc013999a, 0x3e74549b}, {0x3f170a3e, 0x4023d70a, 0x404d70a4}}},
    {"AdagradV2",
     Type::kFloat,
     {{0x3fc4fe25, 0xc0139906, 0x3e745d96}, {0x3f170a3e, 0x4023d70a, 0x404d70a4}}},
    {"RmsProp",
     Type::kFloat,
     {{0x3fbb6bf9, 0xc00a3c13, 0xbeadbe8a},
      {0x3eeb020c, 0x3fd3f7cf, 0x3ff5e354},
      {0x3d1280da, 0xbdb87d93, 0x3f23ac12}}},
    {"CenteredRmsProp",
     Type::kFloat,
     {{0x3fb791a4, 0xc00838d0, 0xbe9c5b68},
      {0x3d75c28d, 0xbdb851e8, 0x3f3d70a4},
      {0x409049ba, 0x40af645a, 0x40cd78d5},
      {0x3d86e5c2, 0xbdf8e608, 0x3f1afa81}}},
    {"GradientDescent",
     Type::kDouble,
     {{0x3ff87ae147ae147b, 0xc002b851eb851eb8, 0x3fc851eb851eb851}}},
    {"Momentum",
     Type::kDouble,
     {{0x3ff85604189374bc, 0xc0029374bc6a7efa, 0x3fc04189374bc6a7},
      {0xbfcae147ae147ae0, 0x3fe70a3d70a3d70a, 0x3ffbae147ae147ae}}},
    {"Adam",
     Type::kDouble,
     {{0x3ff7ff81ab73213b, 0xc001ffcd6c8724a6, 0x3fd3270d7cb72ebd},
      {0x3faeb851eb851eba, 0xbfb70a3d70a3d70c, 0x3fe7ae147ae147ae},
      {0x3fdfbcd35a858794, 0x3ffbd97f62b6ae7d, 0x3fffdfa43fe5c91d}}},
    {"MomentumNesterov",
     Type::kDouble,
     {{0x3ff8c84b5dcc63f1, 0xc0033d07c84b5dcc, 0x3fa18fc504816ef8},
      {0xbfcae147ae147ae0, 0x3fe70a3d70a3d70a, 0x3ffbae147ae147ae}}},
    {"AdamNesterov",
     Type::kDouble,
     {{0x3ff7ffcd77c7a6e4, 0xc00200050ebf4923, 0x3fd32676342f12d9},
      {0x3faeb851eb851eba, 0xbfb70a3d70a3d70c, 0x3fe7ae147ae147ae},
      {0x3fdfbcd35a858794, 0x3ffbd97f62b6ae7d, 0x3fffdfa43fe5c91d}}},
    {"Adagrad",
     Type::kDouble,
     {{0x3ff89ff9e3e7d45f, 0xc002733333333333, 0x3fce8a93508ed7a7},
      {0x3fe2e147ae147ae1, 0x40047ae147ae147b, 0x4009ae147ae147ae}}},
    {"AdagradV2",
     Type::kDouble,
     {{0x3ff89fc4a4644ee8, 0xc0027320c78e26b2, 0x3fce8bb29d4a16be},
      {0x3fe2e147ae147ae1, 0x40047ae147ae147b, 0x4009ae147ae147ae}}},
    {"RmsProp",
     Type::kDouble,
     {{0x3ff76d7f2623e398, 0xc00147826f58dd90, 0xbfd5b7d15abe75ad},
      {0x3fdd604189374bc7, 0x3ffa7ef9db22d0e6, 0x3ffebc6a7ef9db23},
      {0x3fa2501b3b838d08, 0xbfb70fb214e44e07, 0x3fe4758246f8d470}}},
    {"CenteredRmsProp",
     Type::kDouble,
     {{0x3ff6f2347d771001, 0xc0010719f95dfb1a, 0xbfd38b6ce8755209},
      {0x3faeb851eb851eba, 0xbfb70a3d70a3d70c, 0x3fe7ae147ae147ae},
      {0x401209374bc6a7f0, 0x4015ec8b43958106, 0x4019af1a9fbe76c9},
      {0x3fb0dcb8288efff0, 0xbfbf1cc0d4409cb4, 0x3fe35f500dd4429e}}},
    {"GradientDescent", Type::kHalf, {{0x3e1f, 0xc0ae, 0x3216}}},
    {"Momentum", Type::kHalf, {{0x3e16, 0xc0a5, 0x3012}, {0xb2b9, 0x39c2, 0x3eeb}}},
    {"Adam",
     Type::kHalf,
     {{0x3e00, 0xc080, 0x34ca}, {0x2bac, 0xadc1, 0x39ec}, {0x37f0, 0x3ef7, 0x3ff8}}},
    {"MomentumNesterov", Type::kHalf, {{0x3e32, 0xc0cf, 0x2868}, {0xb2b9, 0x39c2, 0x3eeb}}},
    {"AdamNesterov",
     Type::kHalf,
     {{0x3e00, 0xc080, 0x34ca}, {0x2bac, 0xadc1, 0x39ec}, {0x37f0, 0x3ef7, 0x3ff8}}},
    {"Adagrad", Type::kHalf, {{0x3e28, 0xc09d, 0x33a4}, {0x38b8, 0x411f, 0x426b}}},
    {"AdagradV2", Type::kHalf, {{0x3e28, 0xc09d, 0x33a4}, {0x38b8, 0x411f, 0x426b}}},
    {"RmsProp",
     Type::kHalf,
     {{0x3ddb, 0xc052, 0xb56d}, {0x3758, 0x3ea0, 0x3faf}, {0x2893, 0xadc3, 0x391d}}},
    {"CenteredRmsProp",
     Type::kHalf,
     {{0x3dbd, 0xc042, 0xb4e3},
      {0x2bac, 0xadc1, 0x39ec},
      {0x4482, 0x457b, 0x466c},
      {0x2c36, 0xafc6, 0x38d8}}},
};

using ByteVector = std::vector<uint8_t>;

ByteVector Encode(Type type, const std::vector<double>& values) {
  ByteVector bytes(values.size() * TypeSize(type));
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == Type::kDouble) std::memcpy(&bytes[i * 8], &values[i], 8);
    const float f = static_cast<float>(values[i]);
    if (type == Type::kFloat) std::memcpy(&bytes[i * 4], &f, 4);
    const Half h(f);
    if (type == Type::kHalf) std::memcpy(&bytes[i * 2], &h, 2);
  }
  return bytes;
}

// Rounds a number to `type`.
double In(Type type, double x) {
  if (type == Type::kFloat) return static_cast<float>(x);
  if (type == Type::kHalf) return static_cast<float>(Half(static_cast<float>(x)));
  return x;
}

std::vector<ByteVector> Start(const std::string& rule, Type type) {
  const ByteVector var = Encode(type, {1.5, -2.25, .3});
  const ByteVector slot = Encode(type, {.5, 1.75, 2.});
  const ByteVector moment = Encode(type, {.1, -.2, .7});
  if (rule == "GradientDescent") return {var};
  if (rule.starts_with("Momentum")) return {var, moment};
  if (rule.starts_with("Adagrad")) return {var, slot};
  if (rule.starts_with("Adam")) return {var, moment, slot};
  if (rule == "RmsProp") return {var, slot, moment};
  return {var, moment, Encode(type, {5., 6., 7.}), moment};
}

void Step(const std::string& rule, Type type, int64_t n, const std::vector<Update>& s,
          const void* g) {
  const auto in = [&](double x) { return In(type, x); };
  const bool nesterov = rule.ends_with("Nesterov");
  if (rule == "GradientDescent") ApplyGradientDescent(type, n, s[0], in(.1), g);
  if (rule.starts_with("Momentum")) {
    ApplyMomentum(type, n, s[0], s[1], in(.1), g, in(.9), nesterov);
  }
  if (rule.starts_with("Adam")) {
    ApplyAdam(type, n, s[0], s[1], s[2], in(.9), in(.98), in(.001), in(.9), in(.99), in(1e-4), g,
              nesterov);
  }
  if (rule == "Adagrad") ApplyAdagrad(type, n, s[0], s[1], in(.1), g, true);
  if (rule == "AdagradV2") ApplyAdagradV2(type, n, s[0], s[1], in(.1), in(1e-3), g, true);
  if (rule == "RmsProp") {
    ApplyRmsProp(type, n, s[0], s[1], s[2], in(.1), in(.9), in(.8), in(1e-3), g);
  }
  if (rule == "CenteredRmsProp") {
    ApplyCenteredRmsProp(type, n, s[0], s[1], s[2], s[3], in(.1), in(.9), in(.8), in(1e-3), g);
  }
}

uint64_t BitsAt(Type type, const ByteVector& bytes, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[i * TypeSize(type)], TypeSize(type));
  return bits;
}

TEST(Training, HasTensorFlowsBits) {
  AtEachLevel([] {
    for (const GoldenStep& golden : kGoldenSteps) {
      const ByteVector grad = Encode(golden.type, {-.3, .9, 1.1});
      std::vector<ByteVector> states = Start(golden.rule, golden.type);
      std::vector<Update> updates;
      for (ByteVector& state : states) updates.push_back(Update::InPlace(state.data()));
      Step(golden.rule, golden.type, 3, updates, grad.data());
      // TensorFlow's float Adagrad uses an approximate reciprocal root with an error of some units
      // in the last place.
      const uint64_t slack = golden.rule == "Adagrad" && golden.type == Type::kFloat ? 2 : 0;
      for (size_t s = 0; s < states.size(); ++s) {
        for (size_t i = 0; i < 3; ++i) {
          const uint64_t got = BitsAt(golden.type, states[s], i);
          const uint64_t want = golden.states[s][i];
          EXPECT_LE(std::max(got, want) - std::min(got, want), slack)
              << golden.rule << " type " << static_cast<int>(golden.type) << " state " << s;
        }
      }
    }
  });
}

// n is odd and large enough for streaming stores.
TEST(Training, OutOfPlaceHasTheSameBitsAndKeepsTheOld) {
  const int64_t n = (1 << 20) + 37;
  const std::vector<float> grad = Noise(n, 9);
  for (const char* rule : {"GradientDescent", "MomentumNesterov", "Adam", "CenteredRmsProp"}) {
    const size_t count = Start(rule, Type::kFloat).size();
    std::vector<std::vector<float>> old_values, in_place, fresh;
    for (size_t s = 0; s < count; ++s) {
      old_values.push_back(Noise(n, s + 1));
      for (float& v : old_values.back()) v = s == 0 ? v : s == 2 ? 2 + v : std::fabs(v);
      fresh.emplace_back(n + 1);
    }
    in_place = old_values;
    const std::vector<std::vector<float>> before = old_values;
    std::vector<Update> same, apart;
    for (size_t s = 0; s < count; ++s) {
      same.push_back(Update::InPlace(in_place[s].data()));
      apart.push_back({old_values[s].data(), fresh[s].data() + 1});
    }
    Step(rule, Type::kFloat, n, same, grad.data());
    Step(rule, Type::kFloat, n, apart, grad.data());
    EXPECT_EQ(old_values, before) << rule;
    for (size_t s = 0; s < count; ++s) {
      EXPECT_EQ(std::memcmp(in_place[s].data(), fresh[s].data() + 1, n * 4), 0) << rule << " " << s;
    }
  }
}

TEST(Training, SameForAnyThreads) {
  const std::vector<float> start = Noise(200001), grad = Noise(200001, 2);
  EXPECT_TRUE(SameForAnyThreads([&] {
    std::vector<float> var = start;
    ApplyGradientDescent(Type::kFloat, 200001, Update::InPlace(var.data()), 0.1, grad.data());
    return var;
  }));
}

TEST(Training, AdagradCanSkipItsSlots) {
  std::vector<float> var = {1}, accum = {4};
  const float grad = 2;
  ApplyAdagrad(Type::kFloat, 1, Update::InPlace(var.data()), Update::InPlace(accum.data()), 0.5,
               &grad, false);
  EXPECT_EQ(var[0], 0.5f);
  EXPECT_EQ(accum[0], 4);
}

}  // namespace
}  // namespace ramet::linalg
