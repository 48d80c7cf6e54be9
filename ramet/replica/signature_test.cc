#include "ramet/replica/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ramet/replica/announced_graph.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/version_text.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

VariableSpec Spec(std::string name, DType dtype, Shape shape) {
  VariableSpec spec;
  spec.name = std::move(name);
  spec.dtype = dtype;
  spec.shape = std::move(shape);
  return spec;
}

TEST(Signature, SurvivesItsText) {
  ReplicaSignature signature = {Spec("serve/w", kInt8, {3, 4}), Spec("serve/w:scales", kFloat, {4}),
                                Spec("b", kBFloat16, {}), Spec("step", kInt64, {})};
  signature[0].source = "train/w";
  signature[0].source_dtype = kFloat;
  signature[0].scales = "serve/w:scales";
  signature[2].source_dtype = kDouble;
  EXPECT_EQ(SignatureFromJson(SignatureToJson(signature)).value(), signature);
}

TEST(Signature, DamagedSignaturesAreErrors) {
  const std::string w = R"("name":"w","shape":[3])";
  for (const std::string& text : std::vector<std::string>{
           "",
           "{}",
           "[1]",
           R"([{"name":"w"}])",
           "[{" + w + "}]",
           "[{" + w + R"(,"dtype":"nothing"}])",
           "[{" + w + R"(,"dtype":"string"}])",
           R"([{"name":"w","dtype":"float","shape":[-1]}])",
           R"([{"name":"w","dtype":"float","shape":[9223372036854775807,9]}])",
           "[{" + w + R"(,"dtype":"float"},{)" + w + R"(,"dtype":"float"}])",
           "[{" + w + R"(,"dtype":"int8","source_dtype":"float"}])",
           "[{" + w + R"(,"dtype":"int64","source_dtype":"int32"}])",
           "[{" + w + R"(,"dtype":"int8","source_dtype":"float","scales":"s"}])",
           "[{" + w +
               R"(,"dtype":"int8","source_dtype":"float","scales":"s"},)"
               R"({"name":"s","dtype":"float","shape":[2]}])",
           "[{" + w +
               R"(,"dtype":"int8","source_dtype":"double","scales":"s"},)"
               R"({"name":"s","dtype":"float","shape":[3]}])",
       }) {
    EXPECT_TRUE(IsInvalidArgument(SignatureFromJson(text).status())) << text;
  }
}

TEST(Signature, DifferencesAreNamed) {
  ReplicaSignature offered = {Spec("w", kBFloat16, {4})};
  offered[0].source_dtype = kFloat;
  EXPECT_TRUE(CheckOffers(offered, {Spec("w", kFloat, Shape::Unknown())}).ok());
  EXPECT_THAT(CheckOffers(offered, {Spec("w", kBFloat16, {4})}).message(),
              HasSubstr("'w' is bfloat16[4] in the graph and float[4] as published"));
  ReplicaSignature many;
  for (int i = 0; i < 9; ++i) many.push_back(Spec("v" + std::to_string(i), kFloat, {}));
  EXPECT_THAT(CheckOffers(offered, many).message(), HasSubstr("; and 4 more"));
}

TEST(VersionText, InfoSurvivesItsText) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  VersionInfo info, back;
  EXPECT_EQ(InfoToText(info), "");
  info.metrics = {{"loss", 0.1}, {"worst", -kInfinity}, {"best", kInfinity}, {"none", NAN}};
  info.rollback_to = 7;
  InfoFromText(InfoToText(info), &back);
  EXPECT_EQ(back.rollback_to, 7u);
  EXPECT_EQ(back.metrics["loss"], 0.1);
  EXPECT_EQ(back.metrics["worst"], -kInfinity);
  EXPECT_EQ(back.metrics["best"], kInfinity);
  EXPECT_TRUE(std::isnan(back.metrics["none"]));
  for (const char* text : {"", "x", "[]", R"({"metrics":3,"rollback_to":"x"})"}) {
    VersionInfo nothing;
    InfoFromText(text, &nothing);
    EXPECT_TRUE(nothing.metrics.empty() && nothing.rollback_to == 0) << text;
  }
}

TEST(VersionText, StatsSurviveTheirText) {
  PublisherStats stats;
  stats.epoch = ~uint64_t{0};
  stats.version = 3;
  stats.labels = {{"stable \"one\"", 2}};
  const PublisherStats back = PublisherStatsFromText(PublisherStatsToText(stats)).value();
  EXPECT_EQ(back.epoch, stats.epoch);
  EXPECT_EQ(back.step, -1);
  EXPECT_EQ(back.labels, stats.labels);
  EXPECT_TRUE(IsInvalidArgument(PublisherStatsFromText("[]").status()));
}

TEST(Requests, SurviveTheirText) {
  const shm::Request request{.number = 4, .verb = "promote", .version = 9, .label = "a b  c"};
  const shm::Request back = shm::ParseRequest(shm::RequestToText(request)).value();
  EXPECT_EQ(back.number, 4u);
  EXPECT_EQ(back.version, 9u);
  EXPECT_EQ(back.label, "a b  c");
  const auto fine = shm::ParseAnswer(shm::AnswerToText({7, std::string("x y")})).value();
  EXPECT_EQ(fine.number, 7u);
  EXPECT_EQ(*fine.text, "x y");
  const auto error = shm::ParseAnswer(shm::AnswerToText({7, NotFound("no such thing")})).value();
  EXPECT_TRUE(IsNotFound(error.text.status()));
  EXPECT_EQ(error.text.status().message(), "no such thing");
  const auto large = shm::ParseAnswer(shm::AnswerToText({7, std::string(5000, 'x')})).value();
  EXPECT_TRUE(IsResourceExhausted(large.text.status()));
}

TEST(AnnouncedGraph, DamagedGraphsHaveNoModels) {
  EXPECT_TRUE(AnnouncedModels("").empty());
  EXPECT_EQ(AnnouncedGraph("anything", "").value(), "anything");
  EXPECT_TRUE(IsInvalidArgument(AnnouncedGraph("anything", "m").status()));
  const std::string saved_model("\x08\x01\x12\x7f", 4);
  EXPECT_TRUE(AnnouncedModels(saved_model).empty());
  EXPECT_TRUE(IsInvalidArgument(AnnouncedGraph(saved_model, "m").status()));
}

}  // namespace
}  // namespace ramet
