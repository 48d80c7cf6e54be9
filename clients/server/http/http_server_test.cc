#include "http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/http_testing.h"
#include "http/listen_address.h"

namespace server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

// Answers with the method, the target and the body.
void Echo(HttpRequest request, HttpResponder respond) {
  respond({.content_type = "text/plain",
           .headers = {{"X-Test", "1"}},
           .body = request.method + " " + request.target + " " + request.body});
}

std::unique_ptr<HttpServer> StartServer(HttpServerOptions options = {},
                                        HttpHandler handler = &Echo) {
  auto server = HttpServer::Start(options, std::move(handler));
  EXPECT_TRUE(server.ok()) << server.status().message();
  return server.ok() ? *std::move(server) : nullptr;
}

// Returns what a new connection receives for `text` until the server ends it.
std::string AllAnswers(const HttpServer& server, std::string_view text) {
  TestClient client(server.ports()[0]);
  client.Send(text);
  return client.ReadToEnd();
}

TEST(HttpServerTest, AnswersSeveralRequestsOnOneConnection) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  const std::string answer = client.Ask(Get("/a?b"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nX-Test: 1\r\n"));
  EXPECT_EQ(BodyOf(answer), "GET /a?b ");
  EXPECT_EQ(BodyOf(client.Ask(Post("/c", "body"))), "POST /c body");
}

TEST(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  std::string text;
  for (int i = 0; i < 50; ++i) text += Post("/" + std::to_string(i), std::string(300, 'x'));
  ASSERT_TRUE(client.Send(text));
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(BodyOf(client.ReadAnswer()), StartsWith("POST /" + std::to_string(i) + " xxx"));
  }
}

TEST(HttpServerTest, TakesChunkedBodies) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  EXPECT_EQ(BodyOf(client.Ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")),
            "POST / abcde");
  EXPECT_EQ(BodyOf(client.Ask(Get("/"))), "GET / ");
}

TEST(HttpServerTest, AsksForTheBodyThatAClientHoldsBack) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(false), StartsWith("HTTP/1.1 100 "));
  EXPECT_EQ(BodyOf(client.Ask("abc")), "POST / abc");
}

TEST(HttpServerTest, LargeBodiesBothWays) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  const std::string body(5'000'000, 'y');
  EXPECT_EQ(BodyOf(client.Ask(Post("/", body))), "POST / " + body);
}

TEST(HttpServerTest, HalfClosedClientsGetTheirAnswer) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  client.Send(Get("/x"));
  client.FinishSending();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("GET /x "));
}

TEST(HttpServerTest, HeadHasNoBody) {
  auto server = StartServer();
  TestClient client(server->ports()[0]);
  client.Send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(false), HasSubstr("Content-Length: 8\r\n"));
  EXPECT_EQ(BodyOf(client.Ask(Get("/y"))), "GET /y ");
}

TEST(HttpServerTest, ClosesIfTheClientAsksForIt) {
  auto server = StartServer();
  EXPECT_THAT(AllAnswers(*server, Get("/", "Connection: close\r\n")),
              HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(AllAnswers(*server, "GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.0 200 OK"));
}

TEST(HttpServerTest, RefusesWhatIsNotHttp) {
  auto server = StartServer();
  for (const char* text :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nA\r\n\r\n"}) {
    EXPECT_THAT(AllAnswers(*server, text), StartsWith("HTTP/1.1 400 ")) << text;
  }
  EXPECT_THAT(AllAnswers(*server, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
              StartsWith("HTTP/1.1 400 "));
}

TEST(HttpServerTest, LimitsHeadersAndBodies) {
  HttpServerOptions options;
  options.limits.max_header_bytes = 1000;
  options.limits.max_body_bytes = 100;
  auto server = StartServer(options);
  EXPECT_THAT(AllAnswers(*server, Get("/", "A: " + std::string(2000, 'a') + "\r\n")),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(AllAnswers(*server, Post("/", std::string(101, 'b'))), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(AllAnswers(*server, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nc8\r\n" +
                                      std::string(200, 'c') + "\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  TestClient fits(server->ports()[0]);
  EXPECT_THAT(fits.Ask(Post("/", std::string(100, 'b'))), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServerTest, ABodyThatIsAnnouncedTooLargeIsRefusedBeforeItIsSent) {
  HttpServerOptions options;
  options.limits.max_body_bytes = 100;
  auto server = StartServer(options);
  EXPECT_THAT(
      AllAnswers(*server, "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 999\r\n\r\n"),
      StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServerTest, LimitsTheMemoryOfAllRequests) {
  HttpServerOptions options;
  options.limits.max_buffered_bytes = 1000;
  auto server = StartServer(options);
  TestClient holder(server->ports()[0]);
  holder.Send("POST / HTTP/1.1\r\nContent-Length: 901\r\n\r\n" + std::string(900, 'a'));
  TestClient client(server->ports()[0]);
  std::string answer;
  while (!answer.starts_with("HTTP/1.1 503")) {  // until the server has read the other request
    TestClient other(server->ports()[0]);
    answer = other.Ask(Post("/", std::string(200, 'b')));
  }
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(holder.Ask("a"), StartsWith("HTTP/1.1 200 "));
  while (!answer.starts_with("HTTP/1.1 200")) {
    TestClient other(server->ports()[0]);
    answer = other.Ask(Post("/", std::string(200, 'b')));
  }
}

TEST(HttpServerTest, LimitsConnections) {
  HttpServerOptions options;
  options.limits.max_connections = 2;
  auto server = StartServer(options);
  TestClient a(server->ports()[0]), b(server->ports()[0]);
  a.Ask(Get("/"));
  b.Ask(Get("/"));
  TestClient c(server->ports()[0]);
  EXPECT_THAT(c.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(BodyOf(a.Ask(Get("/"))), "GET / ");
}

TEST(HttpServerTest, SlowClientsEnd) {
  HttpServerOptions options;
  options.limits.header_time = 50ms;
  options.limits.body_time = 50ms;
  auto server = StartServer(options);
  EXPECT_THAT(AllAnswers(*server, "GET / HTTP/1.1\r\nHo"), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(AllAnswers(*server, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc"),
              StartsWith("HTTP/1.1 408 "));
  // A client that sends a byte now and then does not get more time.
  TestClient drip(server->ports()[0]);
  drip.Send("GET / HTTP/1.1\r\nX: ");
  while (drip.Send("x")) std::this_thread::sleep_for(10ms);
  EXPECT_THAT(drip.ReadToEnd(), testing::Not(HasSubstr("200 OK")));
}

TEST(HttpServerTest, AClientThatDoesNotReadEnds) {
  HttpServerOptions options;
  options.limits.body_time = 50ms;
  options.limits.min_bytes_per_second = 1 << 30;
  auto server = StartServer(options, [](HttpRequest, HttpResponder respond) {
    respond({.body = std::string(64 << 20, 'x')});
  });
  TestClient client(server->ports()[0]);
  client.Send(Get("/"));
  while (server->connections() == 0) std::this_thread::sleep_for(1ms);
  while (server->connections() > 0) std::this_thread::sleep_for(1ms);
}

TEST(HttpServerTest, IdleConnectionsEnd) {
  HttpServerOptions options;
  options.limits.idle_time = 50ms;
  auto server = StartServer(options);
  TestClient client(server->ports()[0]);
  EXPECT_THAT(client.Ask(Get("/")), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(HttpServerTest, HandlersMayFail) {
  auto server = StartServer({}, [](HttpRequest request, HttpResponder) {
    if (request.target == "/throw") throw std::runtime_error("x");
  });
  TestClient client(server->ports()[0]);
  EXPECT_THAT(client.Ask(Get("/throw")), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(client.Ask(Get("/drop")), StartsWith("HTTP/1.1 500 "));
}

TEST(HttpServerTest, AnswersMayComeFromOtherThreads) {
  std::mutex mutex;
  std::vector<std::thread> threads;
  auto server = StartServer({}, [&](HttpRequest request, HttpResponder respond) {
    auto shared = std::make_shared<HttpResponder>(std::move(respond));
    std::lock_guard<std::mutex> lock(mutex);
    threads.emplace_back([shared, target = request.target] { (*shared)({.body = target}); });
  });
  TestClient client(server->ports()[0]);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(BodyOf(client.Ask(Get("/t"))), "/t");
  std::lock_guard<std::mutex> lock(mutex);
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServerTest, AClientThatGoesCancelsItsRequest) {
  struct Held {
    std::shared_ptr<ramet::CancellationToken> token;
    HttpResponder respond;
  };
  std::mutex mutex;
  std::map<std::string, Held> held;
  auto server = StartServer({}, [&](HttpRequest request, HttpResponder respond) {
    std::lock_guard<std::mutex> lock(mutex);
    held.emplace(request.target, Held{request.cancellation, std::move(respond)});
  });
  const auto cancelled = [&](const char* target) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = held.find(target);
    return found != held.end() && found->second.token->cancelled();
  };
  TestClient stays(server->ports()[0]);
  stays.Send(Get("/stays"));
  std::make_unique<TestClient>(server->ports()[0])->Send(Get("/goes"));
  while (!cancelled("/goes")) std::this_thread::sleep_for(1ms);
  std::thread drainer([&] { server->Drain(30s); });  // a drained request is not cancelled
  std::this_thread::sleep_for(600ms);
  EXPECT_FALSE(cancelled("/stays"));
  for (auto& [target, request] : held) request.respond({.body = target});
  EXPECT_EQ(BodyOf(stays.ReadAnswer()), "/stays");
  drainer.join();
}

TEST(HttpServerTest, RequestsThatTakeLongDoNotBlockOthers) {
  std::atomic<bool> finish = false;
  auto server = StartServer({.threads = 12}, [&](HttpRequest request, HttpResponder respond) {
    while (request.target == "/slow" && !finish) std::this_thread::sleep_for(1ms);
    respond({.body = request.target});
  });
  std::vector<std::unique_ptr<TestClient>> slow;
  for (int i = 0; i < 11; ++i) {
    slow.push_back(std::make_unique<TestClient>(server->ports()[0]));
    slow.back()->Send(Get("/slow"));
  }
  TestClient client(server->ports()[0]);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(BodyOf(client.Ask(Get("/quick"))), "/quick");
  finish = true;
  for (auto& one : slow) EXPECT_EQ(BodyOf(one->ReadAnswer()), "/slow");
}

TEST(HttpServerTest, AdmissionComesBeforeTheBody) {
  HttpServerOptions options;
  options.admission = [](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (request.Header("authorization") == "Bearer x") return std::nullopt;
    return HttpResponse{.status = 401};
  };
  auto server = StartServer(options);
  EXPECT_THAT(AllAnswers(*server, "POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n"),
              StartsWith("HTTP/1.1 401 "));
  TestClient friendly(server->ports()[0]);
  EXPECT_THAT(friendly.Ask(Get("/", "Authorization: Bearer x\r\n")), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServerTest, DrainAnswersWhatHasBegun) {
  std::atomic<bool> begun = false, finish = false;
  auto server = StartServer({}, [&](HttpRequest request, HttpResponder respond) {
    if (request.target == "/slow") {
      begun = true;
      while (!finish) std::this_thread::sleep_for(1ms);
    }
    respond({.body = request.target});
  });
  const int port = server->ports()[0];
  TestClient idle(port), slow(port);
  idle.Ask(Get("/"));
  slow.Send(Get("/slow"));
  while (!begun) std::this_thread::sleep_for(1ms);
  std::thread drain([&] { server->Drain(60s); });
  EXPECT_EQ(idle.ReadToEnd(), "");
  finish = true;
  const std::string answer = slow.ReadToEnd();
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("/slow"));
  drain.join();
  EXPECT_FALSE(TestClient(port).connected());
  server->Drain(1s);
}

TEST(HttpServerTest, AddressesThatCannotBeUsed) {
  EXPECT_EQ(HttpServer::Start({.addresses = {"x"}}, &Echo).status().code(),
            ramet::Code::kInvalidArgument);
  EXPECT_EQ(HttpServer::Start({.addresses = {"example:80"}}, &Echo).status().code(),
            ramet::Code::kInvalidArgument);
  auto server = StartServer();
  const std::string used = "127.0.0.1:" + std::to_string(server->ports()[0]);
  EXPECT_EQ(HttpServer::Start({.addresses = {used}}, &Echo).status().code(),
            ramet::Code::kUnavailable);
}

TEST(ListenAddressTest, Parses) {
  EXPECT_EQ(ParseListenAddress("[::1]:85")->host, "::1");
  EXPECT_EQ(ParseListenAddress("localhost:85")->host, "127.0.0.1");
  EXPECT_TRUE(ParseListenAddress("*:0")->any_host);
  EXPECT_EQ(ParseListenAddress("unix:/a/b")->unix_path, "/a/b");
  for (const char* bad :
       {"", "1.2.3.4", ":80", "::1:80", "a:", "a:65536", "a:-1", "a:8x", "unix:"}) {
    EXPECT_FALSE(ParseListenAddress(bad).ok()) << bad;
  }
  EXPECT_FALSE(ParseListenAddress("unix:" + std::string(200, 'x')).ok());
}

class CurlTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("curl --version > /dev/null 2>&1 && openssl version > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "needs curl and openssl";
    }
    std::string name = "/tmp/http_server_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Makes a key and a certificate that signs itself.
  TlsFiles MakeCertificate(const std::string& name) {
    const TlsFiles files = {folder_ + "/" + name + ".crt", folder_ + "/" + name + ".key"};
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -out " +
        files.certificate_chain + " -keyout " + files.private_key + " 2> /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return files;
  }
  std::string Curl(const std::string& arguments) {
    const std::string command = "curl -sS -m 60 " + arguments + " 2>&1";
    FILE* const pipe = popen(command.c_str(), "r");
    std::string output;
    char buffer[4096];
    while (const size_t size = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, size);
    pclose(pipe);
    return output;
  }

  std::string folder_;
};

TEST_F(CurlTest, UnixSocket) {
  const std::string path = folder_ + "/socket";
  {
    auto server = StartServer({.addresses = {"unix:" + path, "127.0.0.1:0"}});
    EXPECT_EQ(Curl("--unix-socket " + path + " http://x/a -d b"), "POST /a b");
    EXPECT_FALSE(HttpServer::Start({.addresses = {"unix:" + path}}, &Echo).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CurlTest, Tls) {
  HttpServerOptions options;
  options.tls = MakeCertificate("server");
  auto server = StartServer(options);
  const std::string url = "https://localhost:" + std::to_string(server->ports()[0]);
  const std::string trust = "--cacert " + options.tls->certificate_chain + " ";
  EXPECT_EQ(Curl(trust + url + "/a -d b"), "POST /a b");
  EXPECT_EQ(Curl(trust + url + "/a " + url + "/b"), "GET /a GET /b ");
  std::ofstream(folder_ + "/large") << std::string(3'000'000, 'z');
  EXPECT_EQ(Curl(trust + url + "/ --data-binary @" + folder_ + "/large").size(), 3'000'007u);
  EXPECT_THAT(Curl(url), HasSubstr("curl: ("));
  TestClient plain(server->ports()[0]);
  EXPECT_THAT(plain.Ask(Get("/")), testing::Not(HasSubstr("HTTP/1.1 200")));
}

TEST_F(CurlTest, MutualTls) {
  const TlsFiles client = MakeCertificate("client"), stranger = MakeCertificate("stranger");
  HttpServerOptions options;
  options.tls = MakeCertificate("server");
  options.tls->client_ca = client.certificate_chain;
  auto server = StartServer(options);
  const std::string url = "https://localhost:" + std::to_string(server->ports()[0]) + "/a ";
  const std::string trust = "--cacert " + options.tls->certificate_chain + " ";
  const auto as = [](const TlsFiles& files) {
    return "--cert " + files.certificate_chain + " --key " + files.private_key + " ";
  };
  EXPECT_EQ(Curl(trust + as(client) + url), "GET /a ");
  EXPECT_THAT(Curl(trust + url), HasSubstr("curl: ("));
  EXPECT_THAT(Curl(trust + as(stranger) + url), HasSubstr("curl: ("));
}

TEST_F(CurlTest, TlsFilesThatCannotBeUsed) {
  HttpServerOptions options;
  options.tls = TlsFiles{folder_ + "/none", folder_ + "/none"};
  EXPECT_EQ(HttpServer::Start(options, &Echo).status().code(), ramet::Code::kNotFound);
  std::ofstream(folder_ + "/none") << "text";
  EXPECT_EQ(HttpServer::Start(options, &Echo).status().code(), ramet::Code::kInvalidArgument);
  options.tls = MakeCertificate("a");
  options.tls->private_key = MakeCertificate("b").private_key;
  EXPECT_EQ(HttpServer::Start(options, &Echo).status().code(), ramet::Code::kInvalidArgument);
}

}  // namespace
}  // namespace server
