// Tests of `ramet follow`, `publish` and `sync` with a Redis server that each test starts.
#include <unistd.h>

#include <thread>

#include "cli_testing.h"
#include "ramet/replica/redis/testing/redis_server.h"

namespace cli {
namespace {

using namespace std::chrono_literals;
using rm::redis::Eventually;
using rm::redis::RedisServer;

class SyncRedis : public Cli {
 protected:
  SyncRedis() : session_(MakeModel(graph_, 7)) {}
  void SetUp() override {
    if (!rm::redis::HasProgram("redis-server")) {
      GTEST_SKIP() << "skipped: there is no redis-server";
    }
    server_.emplace();
  }
  std::string Address(std::string_view label = "") const {
    return rm::StrCat("redis://", server_->where(), "/policy", label);
  }
  rm::Publisher Publish(int retained = 1) {
    return rm::Publisher::Open(Address(), session_, {.retention = {.retained = retained}}).value();
  }
  // Publishes and waits until the version is on the server.
  static uint64_t Send(rm::Publisher& publisher, const rm::PublishOptions& options) {
    const uint64_t version = publisher.Publish(options).value();
    EXPECT_TRUE(Eventually([&] { return publisher.stats().version == version; }));
    return version;
  }

  std::optional<RedisServer> server_;
  rm::Graph graph_;
  rm::Session session_;
};

TEST_F(SyncRedis, FollowShowsAVersion) {
  rm::Publisher publisher = Publish();
  Send(publisher, {.step = 1200, .metrics = {{"loss", 0.25}}});
  Result result = Run("follow " + Address() + " --once --timeout 60 --run out --feed x=[[1,2,3]]");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("v1 step 1200 · loss 0.25 · 40 B · [0-9.]+ .?.?s old\n"
                                       "  out:0  float\\[1,2\\] 6 6\n"));
  const json line = RunJson("follow --once --json --timeout 60 " + Address());
  EXPECT_EQ(line["version"], 1);
  EXPECT_EQ(line["epoch"], publisher.stats().epoch);
}

TEST_F(SyncRedis, PublishPrintsTheStepOfASentVersion) {
  SaveModel(Path("sent"), 3);
  EXPECT_THAT(Run("publish " + Path("sent") + " " + Address()).out,
              StartsWith("v1 step 3 · 40 B · "));
}

TEST_F(SyncRedis, FollowALabel) {
  rm::Publisher publisher = Publish();
  Send(publisher, {.step = 10});
  ASSERT_TRUE(publisher.Promote("stable", 1).ok());
  Send(publisher, {.step = 20});
  EXPECT_THAT(Run("follow --once --timeout 60 " + Address("@stable")).out,
              StartsWith("v1 step 10 "));
  EXPECT_THAT(Run("follow --once --timeout 60 " + Address()).out, StartsWith("v2 step 20 "));
}

TEST_F(SyncRedis, FollowExportsTheVersionOfAPublisherThatEnded) {
  {
    rm::Publisher publisher = Publish();
    Send(publisher, {.step = 30});
  }
  Result result = Run("follow " + Address() + " --once --timeout 60 --export-checkpoints " +
                      Path("from-redis"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Run("print " + Path("from-redis/model-30") + " w").out, "w  float[3,2] 1 1 1 1 1 1\n");
}

TEST_F(SyncRedis, StatusShowsAPublisher) {
  rm::Publisher publisher = Publish(3);
  for (int64_t step : {10, 20}) Send(publisher, {.step = step});
  ASSERT_TRUE(publisher.Promote("stable", 1).ok());
  Result result = Run("sync status " + Address());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(Address() + "\n  publisher  connected, epoch "));
  EXPECT_THAT(result.out, HasSubstr("\n  newest     v2 step 20, "));
  EXPECT_THAT(result.out, HasSubstr(" ago\n  kept       1, 2\n"
                                    "  labels     stable v1\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  published  2 versions, 0 skipped\n"));
  const json status = RunJson("sync status --json " + Address());
  EXPECT_EQ(status["version"], 2);
  EXPECT_EQ(status["epoch"], publisher.stats().epoch);
  EXPECT_EQ(status["versions"], json({1, 2}));
  EXPECT_EQ(status["labels"], json({{"stable", 1}}));
  EXPECT_THAT(Run("sync status --prometheus " + Address()).out,
              HasSubstr("ramet_publisher_version{address=\"" + Address() + "\"} 2\n"));
}

TEST_F(SyncRedis, PromoteAndRollback) {
  rm::Publisher publisher = Publish(3);
  for (int64_t step : {10, 20}) Send(publisher, {.step = step});
  EXPECT_EQ(Run("sync promote " + Address() + " 1 stable").out, Address() + "@stable is v1\n");
  EXPECT_EQ(Run("sync rollback " + Address() + " 1").out, "v3 has the values of v1\n");
  EXPECT_TRUE(Eventually([&] { return publisher.stats().version == 3; }));
  EXPECT_EQ(publisher.stats().labels.at("stable"), 1u);
  ExpectError("sync promote " + Address() + " 99 stable", 1, "99");
}

TEST_F(SyncRedis, ThePasswordIsNotShown) {
  rm::Publisher publisher = Publish();
  Send(publisher, {.step = 1});
  server_->Ask({"ACL", "SETUSER", "me", "on", ">s3cret", "~*", "&*", "+@all"});
  const std::string address = rm::StrCat("redis://me:s3cret@", server_->where(), "/policy");
  for (const char* command : {"sync status ", "sync status --json ", "sync status --prometheus ",
                              "follow --once --timeout 60 "}) {
    Result result = Run(command + address);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("s3cret"))) << command;
  }
  Result wrong = Run("sync status " + rm::StrCat("redis://me:wr0ng@", server_->where(), "/policy"));
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.out + wrong.err, Not(HasSubstr("wr0ng")));
}

TEST_F(SyncRedis, MissingPublisherIsAnError) {
  ExpectError("sync status " + Address(), 1, "there is no publisher");
  { Send(*std::make_unique<rm::Publisher>(Publish()), {.step = 1}); }
  ExpectError("sync status " + Address(), 1, "there is no publisher");
  server_->Kill();
  ExpectError("sync status " + Address(), 1, "there is no publisher");
  ExpectError("follow --once --timeout 0.1 redis://host", 2, "there is no name");
}

}  // namespace
}  // namespace cli
