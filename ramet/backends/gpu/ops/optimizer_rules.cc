#include "ramet/backends/gpu/ops/optimizer_rules.h"

#include <algorithm>

namespace ramet::gpu {
namespace {

// Sets `result` to the proximal step of x with a rate and the penalties p1 (l1) and p2 (l2).
#define RAMET_PROXIMAL(x, rate, result)                                        \
  "const V rate = " rate "; const V x = " x                                    \
  ";"                                                                          \
  "const V rest = fabs(x) - rate * p1;"                                        \
  "const V shrunk = p1 > 0 ? SIGN(x) * (rest > 0 ? rest : K(0.0)) : x;" result \
  " = shrunk / (K(1.0) + rate * p2);"

// The FTRL step with the given shrinkage and power of the learning rate.
#define RAMET_FTRL(shrinkage, power)                                      \
  "const V shrunk = g + 2 * (" shrinkage                                  \
  ") * s0;"                                                               \
  "const V accum = s1 + g * g;"                                           \
  "const V now = " power " == K(-0.5) ? sqrt(accum) : pow(accum, -" power \
  ");"                                                                    \
  "const V before = " power " == K(-0.5) ? sqrt(s1) : pow(s1, -" power    \
  ");"                                                                    \
  "const V rate = FLAG ? p0 : K(1.0); const V per = FLAG ? K(1.0) : p0;"  \
  "s2 = s2 + (rate * shrunk - (now - before) / per * s0);"                \
  "const V most = p1 * rate;"                                             \
  "const V x = (s2 < -most ? -most : s2 > most ? most : s2) - s2;"        \
  "s0 = x / (now / per + 2 * p2 * rate);"                                 \
  "s1 = accum;"

constexpr OptimizerRule kRules[] = {
    {"ApplyGradientDescent", "s0 = s0 - g * p0;"},
    {"ApplyMomentum", R"(
      s1 = s1 * p1 + g;
      s0 = s0 - (FLAG ? g * p0 + s1 * p1 * p0 : s1 * p0);)"},
    {"ApplyAdam", R"(
      const V alpha = p2 * sqrt(K(1.0) - p1) / (K(1.0) - p0);
      s1 = s1 + (g - s1) * (K(1.0) - p3);
      s2 = s2 + (g * g - s2) * (K(1.0) - p4);
      const V direction = FLAG ? g * (K(1.0) - p3) + p3 * s1 : s1;
      s0 = s0 - (direction * alpha) / (sqrt(s2) + p5);)"},
    {"ApplyAdagrad", R"(
      if (FLAG) s1 = s1 + g * g;
      s0 = s0 - g * p0 * (K(1.0) / sqrt(s1));)"},
    {"ApplyAdagradV2", R"(
      if (FLAG) s1 = s1 + g * g;
      s0 = s0 - g * p0 / (sqrt(s1) + p1);)"},
    {"ApplyRMSProp", R"(
      s1 = s1 + (g * g - s1) * (K(1.0) - p1);
      s2 = s2 * p2 + (g * p0) / sqrt(s1 + p3);
      s0 = s0 - s2;)"},
    {"ApplyCenteredRMSProp", R"(
      s2 = s2 + (g * g - s2) * (K(1.0) - p1);
      s1 = s1 + (g - s1) * (K(1.0) - p1);
      s3 = s3 * p2 + (g * p0) / sqrt((s2 - s1 * s1) + p3);
      s0 = s0 - s3;)"},
    {"ApplyAdadelta", R"(
      s1 = s1 * p1 + g * g * (K(1.0) - p1);
      const V step = sqrt(s2 + p2) * (K(1.0) / sqrt(s1 + p2)) * g;
      s0 = s0 - step * p0;
      s2 = s2 * p1 + step * step * (K(1.0) - p1);)"},
    {"ApplyAdagradDA", R"(
      s1 = s1 + g;
      s2 = s2 + g * g;
      const V rest = fabs(s1) - p1 * p3;
      const V shrunk = p1 > 0 ? SIGN(s1) * (rest > 0 ? rest : K(0.0)) : s1;
      s0 = -p0 * shrunk / (p2 * p3 * p0 + sqrt(s2));)"},
    {"ApplyAdaMax", R"(
      s1 = s1 + (g - s1) * (K(1.0) - p2);
      s2 = p3 * s2 > fabs(g) ? p3 * s2 : fabs(g);
      s0 = s0 - p1 / (K(1.0) - p0) * (s1 / (s2 + p4));)"},
    {"ApplyAddSign", R"(
      s1 = s1 * p3 + g * (K(1.0) - p3);
      s0 = s0 - p0 * (p1 + p2 * SIGN(g) * SIGN(s1)) * g;)"},
    {"ApplyPowerSign", R"(
      s1 = s1 * p3 + g * (K(1.0) - p3);
      s0 = s0 - p0 * exp(p1 * p2 * SIGN(g) * SIGN(s1)) * g;)"},
    {"ApplyFtrl", RAMET_FTRL("K(0.0)", "p3")},
    {"ApplyFtrlV2", RAMET_FTRL("p3", "p4")},
    {"ApplyProximalGradientDescent", RAMET_PROXIMAL("s0 - p0 * g", "p0", "s0")},
    {"ApplyProximalAdagrad",
     "s1 = s1 + g * g;" RAMET_PROXIMAL("s0 - rate * g", "p0 / sqrt(s1)", "s0")},
};

}  // namespace

std::span<const OptimizerRule> OptimizerRules() { return kRules; }

const OptimizerRule& OptimizerRuleOf(std::string_view op) {
  for (std::string_view prefix : {"Resource", "Sparse"}) {
    if (op.starts_with(prefix)) op.remove_prefix(prefix.size());
  }
  return *std::ranges::find(kRules, op, &OptimizerRule::op);
}

}  // namespace ramet::gpu
