// Tests of `ramet follow`, `publish` and `sync` with a publisher or follower in this process.
#include <unistd.h>

#include "background_testing.h"
#include "cli_testing.h"
#include "npy.h"

namespace cli {
namespace {

using namespace std::chrono_literals;

class Sync : public Cli {
 protected:
  Sync() : session_(MakeModel(graph_, 7)) {}

  static std::string Address() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return rm::StrCat("shm:cli_test-", getpid(), "-", test->name());
  }
  rm::Publisher Publish(const rm::PublisherOptions& options = {}) {
    return rm::Publisher::Open(Address(), session_, options).value();
  }

  rm::Graph graph_;
  rm::Session session_;
};

TEST_F(Sync, FollowShowsAVersion) {
  rm::Publisher publisher = Publish();
  publisher.Publish({.step = 1200, .metrics = {{"loss", 0.25}}}).value();
  Result result = Run("follow " + Address() + " --once --timeout 60 --run out --feed x=[[1,2,3]]");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("v1 step 1200 · loss 0.25 · 40 B · [0-9.]+ .?.?s old\n"
                                       "  out:0  float\\[1,2\\] 6 6\n"));
}

TEST_F(Sync, FollowAsJson) {
  rm::Publisher publisher = Publish();
  publisher.Publish({.step = 5}).value();
  const json line =
      RunJson("follow " + Address() + " --once --json --timeout 60 --fetch out --feed x=[[1,2,3]]");
  EXPECT_EQ(line["version"], 1);
  EXPECT_EQ(line["step"], 5);
  EXPECT_EQ(line["epoch"], publisher.stats().epoch);
  EXPECT_EQ(line["fetched"]["out:0"]["values"], json({6, 6}));
}

TEST_F(Sync, FollowExportsCheckpoints) {
  rm::Publisher publisher = Publish();
  publisher.Publish({.step = 30}).value();
  Result result =
      Run("follow " + Address() + " --once --timeout 60 --export-checkpoints " + Path("exported"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" -> " + Path("exported/model-30")));
  EXPECT_EQ(Run("print " + Path("exported/model-30") + " w").out, "w  float[3,2] 1 1 1 1 1 1\n");
  Result again = Run("run " + Path("exported/model-30") + " --fetch out --feed x=[[1,2,3]]");
  EXPECT_THAT(again.out, HasSubstr("out:0  float[1,2] 6 6"));
}

TEST_F(Sync, FollowNamesAnExportFolderThatCannotBeCreated) {
  rm::Publisher publisher = Publish();
  publisher.Publish().value();
  SaveModel(Path("model"), 7);
  std::ofstream(Path("file")) << "not a folder";
  for (const std::string& address : {Address(), "file:" + *dir_}) {
    ExpectError(
        "follow " + address + " --once --timeout 60 --export-checkpoints " + Path("file/exported"),
        1, "cannot create the folder '" + Path("file/exported") + "'");
  }
}

TEST_F(Sync, FollowContinuesUntilInterrupted) {
  rm::Publisher publisher = Publish();
  publisher.Publish({.step = 1}).value();
  Background follow(*dir_, "follow " + Address());
  follow.WaitForOutput("v1 step 1 ");
  publisher.Publish({.step = 2}).value();
  follow.WaitForOutput("v2 step 2 · 40 B · arrived after ");
  follow.Interrupt();
  Result result = follow.Wait();
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.err, "");
}

TEST_F(Sync, FollowSaysThatThePublisherEnded) {
  std::optional<rm::Publisher> publisher(Publish());
  publisher->Publish({.step = 1}).value();
  Background follow(*dir_, "follow " + Address());
  follow.WaitForOutput("v1 step 1 ");
  publisher.reset();
  const std::string line =
      "the publisher at " + Address() + " has ended; waiting for another one\n";
  EXPECT_TRUE(Eventually(
      [&] { return Content(*dir_ + "/background.err").find(line) != std::string::npos; }));
  publisher.emplace(Publish());
  publisher->Publish({.step = 2}).value();
  follow.WaitForOutput("v1 step 2 ");
  follow.Interrupt();
  EXPECT_EQ(std::ranges::count(follow.Wait().err, '\n'), 1);
}

TEST_F(Sync, StatusOfAFolder) {
  SaveModel(Path("statusmodel"), 7);
  const std::string folder = "file:" + Path("statusdir");
  ASSERT_EQ(Run("publish " + Path("statusmodel") + " " + folder).code, 0);
  ASSERT_EQ(Run("publish " + Path("statusmodel") + " " + folder).code, 0);
  const std::string idle = Run("sync status " + folder).out;
  EXPECT_THAT(idle, StartsWith(folder + "\n  publisher  none (a folder of checkpoints)\n"));
  EXPECT_THAT(idle, HasSubstr("\n  published  2 versions, "));
  EXPECT_EQ(RunJson("sync status --json " + folder)["connected"], false);
  rm::Publisher publisher = rm::Publisher::Open(folder, session_).value();
  EXPECT_THAT(Run("sync status " + folder).out, HasSubstr("\n  publisher  running, epoch "));
  EXPECT_EQ(RunJson("sync status --json " + folder)["connected"], true);
}

TEST_F(Sync, PublishPrintsTheStepOfAWrittenVersion) {
  SaveModel(Path("stepped"), 3);
  const Result result = Run("publish " + Path("stepped") + " file:" + Path("steppeddir"));
  EXPECT_THAT(result.out, StartsWith("v1 step 3 · 40 B · "));
}

TEST_F(Sync, PublishSendsTheSignaturesOfAModel) {
  const rm::Output out = graph_.Tensor("out:0").value();
  const std::string folder = Path("signed");
  ASSERT_TRUE(rm::SimpleSave(session_, folder, {}, {{"result", out}}).ok());
  const std::string address = "file:" + Path("signeddir");
  ASSERT_EQ(Run("publish " + folder + " " + address).code, 0);
  const auto follower = rm::Follower::Open(address);
  ASSERT_TRUE(follower.ok()) << follower.status().ToString();
  const auto defs = follower->signature_defs();
  ASSERT_TRUE(defs.contains("serving_default"));
  EXPECT_EQ(rm::ParseSignature(defs.at("serving_default"))->outputs.at("result").name, "out:0");
}

TEST_F(Sync, PublishTakesOver) {
  SaveModel(Path("taken"), 7);
  rm::Publisher publisher = Publish();
  ExpectError("publish " + Path("taken") + " " + Address(), 1, "'ramet publish --takeover'");
  Background publish(*dir_, "publish --takeover " + Path("taken") + " " + Address());
  publish.WaitForOutput("v1 step 7 ");
  EXPECT_TRUE(rm::IsAborted(publisher.Publish().status()));
}

TEST_F(Sync, FollowErrors) {
  const Result nobody = Run("follow --once --timeout 0.1 " + Address());
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("waiting for a publisher at " + Address()));
  EXPECT_THAT(nobody.err, HasSubstr("there is no publisher"));
  EXPECT_THAT(nobody.err, HasSubstr("--timeout"));
  EXPECT_THAT(nobody.err, Not(HasSubstr("FollowerOptions")));
  ExpectError("follow " + Address() + "@", 2, "empty label");
  ExpectError("follow file:", 2, "file:DIR");
  ExpectError("follow xyz:x", 2, "xyz");
  rm::Publisher publisher = Publish();
  publisher.Publish().value();
  ExpectError("follow --once " + Address() + " --fetch nothing", 1, "nothing");
  ExpectError("publish " + Path("model") + " shm:" + Path("no/socket"), 1,
              "cannot make the socket: the folder '" + Path("no") + "' does not exist");
}

TEST_F(Sync, PublishServesACheckpoint) {
  SaveModel(Path("published"), 7);
  Background publish(*dir_, "publish " + Path("published") + " " + Address());
  rm::Follower follower = rm::Follower::Open(Address(), {.wait = 60s}).value();
  EXPECT_EQ(follower.Wait(1, 60s).value().id.step, 7);
  const rm::Feeds feeds = {{"x:0", rm::Tensor::Of<float>({1, 3}, {1, 2, 3})}};
  EXPECT_TRUE(follower.session()
                  .Run(feeds, "out:0")
                  .value()
                  .BitwiseEquals(rm::Tensor::Of<float>({1, 2}, {6, 6})));
  publish.Interrupt();
  Result result = publish.Wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("v1 step 7 · 40 B · [0-9.]+ .?.?s · [01] readers?\n"));
  EXPECT_EQ(result.err, "publishing until interrupted (Ctrl-C)\n");
}

TEST_F(Sync, PublishWatchesAFolder) {
  fs::create_directory(Path("watched"));
  SaveModel(Path("watched/model"), 10);
  Background publish(*dir_, "publish " + Path("watched") + " " + Address() + " --watch");
  rm::Follower follower = rm::Follower::Open(Address(), {.wait = 60s}).value();
  EXPECT_EQ(follower.Wait(1, 60s).value().id.step, 10);
  SaveModel(Path("watched/model"), 20);
  EXPECT_EQ(follower.Wait(2, 60s).value().id.step, 20);
  publish.Interrupt();
  EXPECT_EQ(publish.Wait().code, 130);
}

TEST_F(Sync, PublishSaysThatItWaitsForACheckpoint) {
  fs::create_directory(Path("unwritten"));
  Background publish(*dir_, "publish " + Path("unwritten") + " " + Address() + " --watch");
  EXPECT_TRUE(Eventually([&] {
    return Content(*dir_ + "/background.err") ==
           "waiting for a checkpoint in folder '" + Path("unwritten") + "': it has none yet\n";
  }));
  SaveModel(Path("unwritten/model"), 10);
  publish.WaitForOutput("v1 step 10 ");
}

TEST_F(Sync, HelpSaysWhereVersionsOutliveTheProgram) {
  const std::string help = Run("publish --help").out;
  EXPECT_THAT(help, HasSubstr(rm::ReplicaAddressForms()));
  EXPECT_THAT(help, HasSubstr("an address where versions outlive the publisher"));
}

TEST_F(Sync, PublishErrors) {
  ExpectError("publish " + Path("nothing") + " " + Address(), 1, Path("nothing"));
  SaveModel(Path("valueless"), 1);
  ExpectError("publish " + Path("valueless") + " policy", 2, "write shm:policy");
  ExpectError("publish " + Path("valueless") + " " + Address() + " --mode 9", 2, "mode");
  rm::Publisher publisher = Publish();
  ExpectError("publish " + Path("valueless") + " " + Address(), 1, "ALREADY_EXISTS");
}

TEST_F(Sync, StatusShowsAPublisher) {
  rm::Publisher publisher = Publish({.retention = {.retained = 3}});
  for (int64_t step : {10, 20}) publisher.Publish({.step = step}).value();
  ASSERT_TRUE(publisher.Promote("stable", 1).ok());
  Result result = Run("sync status " + Address());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(Address() + "\n  publisher  connected, epoch "));
  EXPECT_THAT(result.out, HasSubstr(" ago\n  kept       1, 2\n"
                                    "  labels     stable v1\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  newest     v2 step 20, "));
  EXPECT_THAT(result.out, HasSubstr("\n  published  2 versions, 0 skipped\n"));
  const json status = RunJson("sync status --json " + Address());
  EXPECT_EQ(status["version"], 2);
  EXPECT_EQ(status["step"], 20);
  EXPECT_EQ(status["versions"], json({1, 2}));
  EXPECT_EQ(status["labels"], json({{"stable", 1}}));
  const std::string text = Run("sync status --prometheus " + Address()).out;
  EXPECT_THAT(text, HasSubstr("# TYPE ramet_publisher_version gauge\nramet_publisher_version{"
                              "address=\"" +
                              Address() + "\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(",label=\"stable\"} 1\n"));
}

TEST_F(Sync, StatusWatchesUntilThePublisherEnds) {
  std::optional<rm::Publisher> publisher(Publish());
  publisher->Publish({.step = 1}).value();
  Background status(*dir_, "sync status --watch " + Address());
  status.WaitForOutput("v1 step 1 ");
  publisher->Publish({.step = 2}).value();
  status.WaitForOutput("v2 step 2 ");
  publisher.reset();
  Result result = status.Wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "the publisher has ended\n");
}

TEST_F(Sync, PromoteAndRollback) {
  rm::Publisher publisher = Publish({.retention = {.retained = 3}});
  for (int64_t step : {10, 20}) publisher.Publish({.step = step}).value();
  EXPECT_EQ(Run("sync promote " + Address() + " 1 stable").out, Address() + "@stable is v1\n");
  EXPECT_EQ(publisher.stats().labels.at("stable"), 1u);
  EXPECT_EQ(Run("sync rollback " + Address() + " 1").out, "v3 has the values of v1\n");
  EXPECT_EQ(publisher.stats().version, 3u);
  ExpectError("sync promote " + Address() + " 99 stable", 1, "99");
  ExpectError("sync rollback " + Address() + " 99", 1, "99");
  ExpectError("sync promote " + Address() + " 99 stable", 1,
              "NOT_FOUND: " + Address() +
                  ": version 99 is not kept (kept: 1, 2, 3); the publisher "
                  "keeps 3 versions, 'retained' keeps more");
  ExpectError("sync status " + Address() + "-nobody", 1, "there is no publisher");
  ExpectError("sync status " + Address() + "-nobody", 1,
              "NOT_FOUND: " + Address() +
                  "-nobody: there is no publisher; start one with 'ramet publish' or "
                  "ramet.Publisher");
  ExpectError("sync status policy", 2, "write shm:policy");
  ExpectError("sync", 2, "subcommand");
}

TEST_F(Sync, CompletionListsTheSubcommands) {
  EXPECT_THAT(Run("completion bash").out, HasSubstr("parts='status promote rollback'"));
  EXPECT_THAT(Run("completion zsh").out, HasSubstr("compadd -- status promote rollback"));
  EXPECT_THAT(Run("completion fish").out,
              HasSubstr("__fish_seen_subcommand_from sync' -f -a 'status promote rollback'"));
}

}  // namespace
}  // namespace cli
