// ramet_serve_bench: the load of the benchmarks of the server, and the run that calls are compared
// with. bench/serve/run.py runs it.
//
//   ramet_serve_bench load TARGET MODEL ROWS COLUMNS RATE SECONDS OUTSTANDING
//       calls of gRPC; RATE 0: a closed loop of OUTSTANDING calls
//   ramet_serve_bench rest TARGET MODEL ROWS COLUMNS SECONDS CONNECTIONS      requests of REST
//   ramet_serve_bench empty TARGET RATE SECONDS                calls of gRPC that run no graph
//   ramet_serve_bench callable FOLDER ROWS COLUMNS SECONDS     Callable::Run in this process
//   ramet_serve_bench idle TARGET grpc|rest CONNECTIONS SECONDS    connections that do nothing
//
// Prints one line of JSON.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <ramet/ramet.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "load.h"
#include "proto/predict_messages.h"

namespace {

namespace rm = ramet;

double ProcessorSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

rm::Tensor Input(const std::string& rows, const std::string& columns) {
  rm::Tensor x(rm::kFloat, {std::stoll(rows), std::stoll(columns)});
  for (float& value : x.mutable_flat<float>()) value = 0.5f;
  return x;
}

double Percentile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const auto at = static_cast<size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::min(at, sorted.size()) - (at > 0 ? 1 : 0)];
}

int Print(LoadResult result) {
  std::ranges::sort(result.micros);
  std::cout << "{\"per_second\": " << static_cast<double>(result.micros.size()) / result.seconds
            << ", \"p50_us\": " << Percentile(result.micros, 0.5)
            << ", \"p99_us\": " << Percentile(result.micros, 0.99)
            << ", \"p999_us\": " << Percentile(result.micros, 0.999)
            << ", \"max_us\": " << (result.micros.empty() ? 0 : result.micros.back())
            << ", \"answered\": " << result.micros.size() << ", \"failed\": " << result.failed
            << "}" << std::endl;
  return 0;
}

int MeasureLoad(char** arguments) {
  const server::PredictRequest request{.inputs = {{"x", Input(arguments[2], arguments[3])}}};
  Load load{
      .target = arguments[0],
      .request = server::WritePredictRequest({.name = arguments[1]}, request).value().Joined(),
      .rate = std::atof(arguments[4]),
      .outstanding = std::atoi(arguments[6]),
      .time = std::chrono::duration<double>(std::atof(arguments[5]))};
  return Print(RunLoad(load));
}

// Rows of numbers with a few digits, as in Input.
int MeasureRest(char** arguments) {
  std::string row = "[0.5";
  for (int i = 1; i < std::atoi(arguments[3]); ++i) row += ", 0.5";
  row += "]";
  std::string body = "{\"instances\": [" + row;
  for (int i = 1; i < std::atoi(arguments[2]); ++i) body += ", " + row;
  return Print(RunHttpLoad({.target = arguments[0],
                            .method = std::string("/v1/models/") + arguments[1] + ":predict",
                            .request = body + "]}",
                            .outstanding = std::atoi(arguments[5]),
                            .time = std::chrono::duration<double>(std::atof(arguments[4]))}));
}

int MeasureEmptyCalls(char** arguments) {
  return Print(RunLoad({.target = arguments[0],
                        .method = "/inference.GRPCInferenceService/ServerLive",
                        .rate = std::atof(arguments[1]),
                        .time = std::chrono::duration<double>(std::atof(arguments[2]))}));
}

int MeasureCallable(char** arguments) {
  rm::Graph graph;
  rm::Session session = rm::Session::Create(graph).value();
  const auto model = rm::LoadSavedModel(session, arguments[0], {"serve"}).value();
  const rm::Signature& signature = model.signatures.at("serving_default");
  const auto callable = session
                            .MakeCallable({signature.inputs.begin()->second.name},
                                          signature.outputs.begin()->second.name)
                            .value();
  const std::vector<rm::Tensor> feeds = {Input(arguments[1], arguments[2])};
  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() + kLoadWarmup;
  while (Clock::now() < warm) (void)callable.Run(feeds).value();
  const auto begin = Clock::now();
  const double processor = ProcessorSeconds();
  const std::chrono::duration<double> time(std::atof(arguments[3]));
  int64_t runs = 0;
  for (; Clock::now() - begin < time; ++runs) (void)callable.Run(feeds).value();
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  std::cout << "{\"per_second\": " << static_cast<double>(runs) / elapsed.count()
            << ", \"processor_us\": "
            << (ProcessorSeconds() - processor) * 1e6 / static_cast<double>(runs) << "}"
            << std::endl;
  return 0;
}

// The first bytes of a client of each interface: a request, or the preface of HTTP/2 and empty
// settings.
constexpr std::string_view kFirstOfRest = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kFirstOfGrpc("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x4\0\0\0\0\0", 33);

int HoldConnections(char** arguments) {
  const std::string_view first =
      std::string_view(arguments[1]) == "grpc" ? kFirstOfGrpc : kFirstOfRest;
  const std::string target = arguments[0];
  const size_t colon = target.rfind(':');
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(target.substr(colon + 1))));
  inet_pton(AF_INET, target.substr(0, colon).c_str(), &address.sin_addr);
  int open = 0;
  for (int i = 0; i < std::atoi(arguments[2]); ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) continue;
    open += send(fd, first.data(), first.size(), MSG_NOSIGNAL) == std::ssize(first);
  }
  std::cout << "{\"open\": " << open << "}" << std::endl;
  std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(arguments[3])));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "load" && argc == 9) return MeasureLoad(argv + 2);
  if (command == "rest" && argc == 8) return MeasureRest(argv + 2);
  if (command == "empty" && argc == 5) return MeasureEmptyCalls(argv + 2);
  if (command == "callable" && argc == 6) return MeasureCallable(argv + 2);
  if (command == "idle" && argc == 6) return HoldConnections(argv + 2);
  std::cerr << "usage: see bench/serve/main.cc\n";
  return 2;
}
