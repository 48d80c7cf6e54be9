#include "ramet/replica/redis/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"
#include "ramet/replica/redis/redis_url.h"
#include "ramet/replica/version_limits.h"

namespace ramet::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ReplicaSignature kSignature = {{"a", kFloat, Shape{2}}, {"b", kFloat, Shape{1000}}};

ServerState State() {
  ServerState state{7, 4, 1024, {2, 4}, {{"stable", 2}}, {}, {}};
  state.signature = {1, 100, {{100, 5, false}}};
  state.graph = {2, 2000, {{1024, 6, false}, {300, 8, true}}};
  return state;
}

Manifest Version() {
  Manifest manifest;
  manifest.info.id = {7, 4, 99};
  manifest.info.time_nanos = 123;
  manifest.info.metrics = {{"loss", 0.25}, {"bad", std::nan("")}};
  manifest.values = {
      {3, 8, {{8, 1, false}}},
      {4, 4000, {{1024, 1, false}, {1024, 2, false}, {10, 3, true}, {928, 4, false}}}};
  return manifest;
}

// Replaces `from` in the text by `to` and updates the checksum.
std::string Changed(const std::string& sealed, std::string_view from, std::string_view to) {
  std::string text = sealed.substr(9);
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  char crc[16];
  snprintf(crc, sizeof(crc), "%08x\n", crc32c::Value(text));
  return crc + text;
}

TEST(RedisLayoutTest, StateReadsBack) {
  EXPECT_EQ(ParseState(StateText(State())).value(), State());
}

// Names of quotes take the most bytes in JSON.
TEST(RedisLayoutTest, TheLargestMetricsFitIntoAManifest) {
  Manifest manifest = Version();
  manifest.info.metrics = {{std::string(kMaxMetricsBytes / 2 - 10, '"'), 0.5}};
  ASSERT_TRUE(CheckMetrics(manifest.info.metrics).ok());
  EXPECT_LE(ManifestText(manifest).size(), MaxManifestBytes(kSignature, 1024));
}

TEST(RedisLayoutTest, ManifestReadsBack) {
  const Manifest manifest = ParseManifest(ManifestText(Version()), State(), 4, kSignature).value();
  EXPECT_EQ(manifest.info.id, Version().info.id);
  EXPECT_EQ(manifest.info.metrics.at("loss"), 0.25);
  EXPECT_TRUE(std::isnan(manifest.info.metrics.at("bad")));
  EXPECT_EQ(manifest.values, Version().values);
  EXPECT_LE(ManifestText(Version()).size(), MaxManifestBytes(kSignature, 1024));
}

TEST(RedisLayoutTest, DamagedStatesAreRefused) {
  const std::string good = StateText(State());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    EXPECT_FALSE(ParseState(bad).ok()) << i;
    EXPECT_FALSE(ParseState(good.substr(0, i)).ok()) << i;
  }
  const std::pair<const char*, const char*> changes[] = {
      {"\"chunk_bytes\":1024", "\"chunk_bytes\":0"},
      {"\"chunk_bytes\":1024", "\"chunk_bytes\":1099511627776"},
      {"\"chunk_bytes\":1024", "\"chunk_bytes\":-1"},
      {"\"versions\":[2,4]", "\"versions\":[4,2]"},
      {"\"versions\":[2,4]", "\"versions\":[2,5]"},
      {"\"versions\":[2,4]", "\"versions\":[]"},
      {"\"versions\":[2,4]", "\"versions\":7"},
      {"\"stable\":2", "\"stable\":3"},
      {"[1,100,[[100,5,0]]]", "[1,100,[]]"},
      {"[1,100,[[100,5,0]]]", "[1,100,[[101,5,0]]]"},
      {"[1,100,[[100,5,0]]]", "[1,100,[[100,5,1]]]"},
      {"[1,100,[[100,5,0]]]", "[1,100,[[100,4294967296,0]]]"},
      {"[1,100,[[100,5,0]]]", "[0,100,[[100,5,0]]]"},
      {"[1,100,[[100,5,0]]]", "[1,18446744073709551615,[[100,5,0]]]"},
      {"[1,100,[[100,5,0]]]", "[1,1e300,[[100,5,0]]]"},
      {"\"epoch\":7", "\"epoch\":\"7\""},
  };
  for (const auto& change : changes) {
    const Status status = ParseState(Changed(good, change.first, change.second)).status();
    EXPECT_TRUE(IsDataLoss(status)) << change.second << ": " << status.ToString();
  }
}

TEST(RedisLayoutTest, OtherLayoutsAreRefused) {
  const std::string other = StrCat("\"layout\":", kLayout + 1);
  const auto changed = [&](const std::string& good) {
    return Changed(good, "\"layout\":1", other);
  };
  for (const Status& status :
       {ParseState(changed(StateText(State()))).status(),
        ParseManifest(changed(ManifestText(Version())), State(), 4, kSignature).status()}) {
    EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
    EXPECT_EQ(status.message(),
              StrCat("the publisher writes layout ", kLayout + 1, ", this program reads layout ",
                     kLayout, "; use the same release of Ramet on both sides"));
  }
}

TEST(RedisLayoutTest, DamagedManifestsAreRefused) {
  const std::string good = ManifestText(Version());
  const std::pair<const char*, const char*> changes[] = {
      {"\"epoch\":7", "\"epoch\":8"},
      {"\"version\":4", "\"version\":5"},
      {"[3,8,[[8,1,0]]],", ""},
      {"[3,8,[[8,1,0]]]", "[3,12,[[12,1,0]]]"},
      {"[3,8,[[8,1,0]]]", "[3,8,[[4,1,0],[4,1,0]]]"},
      {"[3,8,[[8,1,0]]]", "{}"},
      {"[10,3,1]", "[1024,3,1]"},
      {"[928,4,0]", "[929,4,0]"},
      {"[10,3,1]", "[0,3,1]"},
      {"\"step\":99", "\"step\":[]"},
  };
  for (const auto& change : changes) {
    const auto manifest =
        ParseManifest(Changed(good, change.first, change.second), State(), 4, kSignature);
    EXPECT_TRUE(IsDataLoss(manifest.status())) << change.second;
  }
  EXPECT_TRUE(BlobsOf("nonsense").empty());
  EXPECT_EQ(BlobsOf(good), Version().values);
}

TEST(RedisUrlTest, ParsesEveryPart) {
  const RedisUrl url =
      ParseRedisUrl("rediss", "//me:p%40ss@db.example:7000/policy?lease=3&ttl=60&zstd=3&ca=/a%20b")
          .value();
  EXPECT_TRUE(url.tls.enabled);
  EXPECT_EQ(url.login.user, "me");
  EXPECT_EQ(url.login.password, "p@ss");
  EXPECT_EQ(url.host, "db.example");
  EXPECT_EQ(url.port, 7000);
  EXPECT_EQ(url.name, "policy");
  EXPECT_EQ(url.times.lease.count(), 3000);
  EXPECT_EQ(url.zstd, 3);
  EXPECT_EQ(url.tls.ca, "/a b");
  EXPECT_EQ(url.ToString(), "rediss://db.example:7000/policy");
  EXPECT_EQ(ParseRedisUrl("redis", "//[::1]:99/x").value().host, "::1");
  EXPECT_EQ(ParseRedisUrl("redis", "//host/x").value().port, 6379);
}

TEST(RedisUrlTest, MistakesAreNamedAndPasswordsAreNot) {
  for (const char* location :
       {"policy", "//host", "//:s3cret@/x", "//me:s3cret@host:0/x", "//me:s3cret@host:99999/x",
        "//me:s3cret@host/", "//me:s3cret@host/a/b", "//me:s3cret@host/a{b", "//me:s3cret%4@host/a",
        "//me:s3cret@host/a?zstd=99", "//me:s3cret@host/a?nonsense=1", "//me:s3cret@host/a?lease",
        "//me:s3cret@host/a?lease=x", "//me:s3cret@host/a?lease=10&ttl=5", "//[::1/x",
        "//me:s3cret@host/a?chunk=3", "//me:s3cret@host/a?ttl=nan"}) {
    const Status status = ParseRedisUrl("redis", location).status();
    EXPECT_TRUE(IsInvalidArgument(status)) << location;
    EXPECT_THAT(status.message(), Not(HasSubstr("s3cret")));
  }
}

}  // namespace
}  // namespace ramet::redis
