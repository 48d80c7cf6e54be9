// Tests of TLS and of hostile servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <optional>

#include "ramet/replica/redis/redis_follower.h"
#include "ramet/replica/redis/redis_publisher.h"
#include "ramet/replica/redis/testing/redis_server.h"

namespace ramet::redis {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Clock = FollowerTransport::Clock;

Announcement Announced() { return {7, {{"w", kFloat, Shape{300'000}}}, "graph"}; }

Tensor Value() { return Tensor::Vector(std::vector<float>(300'000, 1.5f)); }

// A server that sends the same bytes to every client, repeatedly if `endless`.
class FakeServer {
 public:
  FakeServer(std::string words, bool endless) : words_(std::move(words)), endless_(endless) {
    fd_ = BindToLoopback(&port_);
    EXPECT_EQ(listen(fd_, 8), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeServer() {
    stop_ = true;
    thread_.join();
    close(fd_);
  }
  int port() const { return port_; }
  size_t sent() const { return sent_; }

 private:
  void Serve() {
    while (!stop_) {
      pollfd wait = {fd_, POLLIN, 0};
      if (poll(&wait, 1, 20) <= 0) continue;
      const int client = accept(fd_, nullptr, nullptr);
      do {
        const ssize_t count = send(client, words_.data(), words_.size(), MSG_NOSIGNAL);
        if (count < 0) break;
        sent_ += static_cast<size_t>(count);
      } while (endless_ && !stop_);
      char ignored[4096];
      pollfd input = {client, POLLIN, 0};
      while (!stop_ && words_.empty()) poll(&input, 1, 20);
      (void)!recv(client, ignored, sizeof(ignored), MSG_DONTWAIT);
      close(client);
    }
  }

  const std::string words_;
  const bool endless_;
  int fd_ = -1, port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<size_t> sent_ = 0;
  std::thread thread_;
};

Status ConnectTo(int port, std::string_view options = "timeout=5") {
  return ConnectFollower("redis", StrCat("//127.0.0.1:", port, "/m?", options), Clock::now() + 10s)
      .status();
}

TEST(HostileServerTest, InvalidRepliesAreErrors) {
  for (const std::string_view words :
       {"*1000000000\r\n", "*5000\r\n", "$99999999999999999999\r\n", "$-7\r\n", "garbage\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", ":12x\r\n", "-\r\n", "\r\n",
        "HTTP/1.1 400 Bad Request\r\n\r\n", "*2\r\n$3\r\nabc\r\n", "$5\r\nab"}) {
    FakeServer server(std::string(words), /*endless=*/false);
    const Status status = ConnectTo(server.port());
    EXPECT_FALSE(status.ok()) << words;
    EXPECT_FALSE(IsNotFound(status)) << words << ": " << status.ToString();
  }
}

TEST(HostileServerTest, RepliesAreLimitedInSize) {
  for (const std::string& words : {std::string("$1000000000\r\n") + std::string(60'000, 'x'),
                                   std::string(60'000, '*'), std::string("+x")}) {
    FakeServer server(words, /*endless=*/true);
    const Status status = ConnectTo(server.port());
    EXPECT_TRUE(IsResourceExhausted(status) || IsDataLoss(status)) << status.ToString();
    EXPECT_LT(server.sent(), size_t{100} << 20);
  }
}

TEST(HostileServerTest, SilenceTimesOut) {
  FakeServer server("", /*endless=*/false);
  const Status status = ConnectTo(server.port(), "timeout=0.2");
  EXPECT_TRUE(IsUnavailable(status)) << status.ToString();
}

class RedisTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasProgram("redis-server")) GTEST_SKIP() << "skipped: there is no redis-server";
    if (!HasProgram("openssl")) GTEST_SKIP() << "skipped: there is no openssl";
    std::string folder = (std::filesystem::temp_directory_path() / "ramet_tls_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    ASSERT_TRUE(MakeCertificate("server", "IP:127.0.0.1"));
    ASSERT_TRUE(MakeCertificate("other", "IP:127.0.0.1"));
  }
  void TearDown() override {
    server_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  bool MakeCertificate(const std::string& name, const std::string& for_whom) {
    const pid_t pid = Spawn(
        {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", File(name + ".key"), "-out", File(name + ".crt"), "-days", "2",
         "-subj", "/CN=ramet", "-addext", "subjectAltName=" + for_whom},
        File("openssl.log"));
    int status = 0;
    waitpid(pid, &status, 0);
    return status == 0;
  }
  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  void Serve(const std::string& clients) {
    port_ = FreePort();
    server_.emplace(std::vector<std::string>{"--tls-port", StrCat(port_), "--tls-cert-file",
                                             File("server.crt"), "--tls-key-file",
                                             File("server.key"), "--tls-ca-cert-file",
                                             File("server.crt"), "--tls-auth-clients", clients});
  }
  std::string Location(std::string_view host, std::string_view options) const {
    return StrCat("//", host, ":", port_, "/m?timeout=5&poll=0.05&chunk=65536&", options);
  }
  static StatusOr<std::unique_ptr<FollowerTransport>> Connect(const std::string& location) {
    return ConnectFollower("rediss", location, Clock::now() + 10s);
  }

  std::string folder_;
  int port_ = 0;
  std::optional<RedisServer> server_;
};

TEST_F(RedisTlsTest, VersionsGoOverTls) {
  Serve("no");
  const std::string location = Location("127.0.0.1", "ca=" + File("server.crt"));
  auto publisher = OpenPublisher("rediss", location, Announced(), {}, false).value();
  auto follower = Connect(location).value();
  ASSERT_EQ(publisher->Publish({}, std::vector<Tensor>{Value()}, {}, nullptr).value(), 1u);
  ASSERT_TRUE(Eventually([&] { return follower->Newest("") == 1; }));
  EXPECT_TRUE(follower->Take(1).value()->values[0].BitwiseEquals(Value()));
}

TEST_F(RedisTlsTest, OnlyTheRightCertificateIsTrusted) {
  Serve("no");
  const Status other = Connect(Location("127.0.0.1", "ca=" + File("other.crt"))).status();
  EXPECT_TRUE(IsPermissionDenied(other)) << other.ToString();
  EXPECT_THAT(other.message(), HasSubstr("not trusted"));
  const Status host = Connect(Location("localhost", "ca=" + File("server.crt"))).status();
  EXPECT_TRUE(IsPermissionDenied(host)) << host.ToString();
  EXPECT_TRUE(IsPermissionDenied(Connect(Location("127.0.0.1", "db=0")).status()));
  EXPECT_TRUE(IsInvalidArgument(Connect(Location("127.0.0.1", "ca=/nowhere.crt")).status()));
  EXPECT_TRUE(IsUnavailable(
      ConnectFollower("redis", Location("127.0.0.1", "db=0"), Clock::now() + 10s).status()));
  port_ = server_->port();
  EXPECT_TRUE(IsUnavailable(
      Connect(Location("127.0.0.1", "timeout=0.5&ca=" + File("server.crt"))).status()));
}

TEST_F(RedisTlsTest, ClientsMayHaveToShowACertificate) {
  Serve("yes");
  const std::string ca = "ca=" + File("server.crt");
  const auto without = OpenPublisher("rediss", Location("127.0.0.1", ca), Announced(), {}, false);
  EXPECT_FALSE(without.ok());
  const std::string with = ca + "&cert=" + File("server.crt") + "&key=" + File("server.key");
  auto publisher = OpenPublisher("rediss", Location("127.0.0.1", with), Announced(), {}, false);
  EXPECT_TRUE(publisher.ok()) << publisher.status().ToString();
}

}  // namespace
}  // namespace ramet::redis
