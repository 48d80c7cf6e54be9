#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <mutex>
#include <thread>

#include "load.h"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Tcp = asio::ip::tcp;

Tcp::socket Connect(asio::io_context& io, const std::string& target) {
  const size_t colon = target.rfind(':');
  Tcp::socket socket(io);
  asio::connect(socket,
                Tcp::resolver(io).resolve(target.substr(0, colon), target.substr(colon + 1)));
  socket.set_option(Tcp::no_delay(true));
  return socket;
}

// Sends requests on one connection until `end` and counts those from `begin` on.
LoadResult RunConnection(const Load& load, Clock::time_point begin, Clock::time_point end) {
  asio::io_context io;
  Tcp::socket socket = Connect(io, load.target);
  http::request<http::string_body> request(http::verb::post, load.method, 11);
  request.set(http::field::host, load.target);
  request.body() = load.request;
  request.prepare_payload();
  beast::flat_buffer buffer;
  LoadResult result;
  for (auto sent = Clock::now(); sent < end; sent = Clock::now()) {
    http::write(socket, request);
    http::response<http::string_body> response;
    http::read(socket, buffer, response);
    const std::chrono::duration<double, std::micro> time = Clock::now() - sent;
    if (sent < begin) continue;
    result.failed += response.result() != http::status::ok;
    if (response.result() == http::status::ok) result.micros.push_back(time.count());
  }
  return result;
}

}  // namespace

LoadResult RunHttpLoad(const Load& load) {
  const auto begin = Clock::now() + kLoadWarmup;
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(load.time);
  std::mutex mutex;
  LoadResult all{.seconds = load.time.count()};
  std::vector<std::thread> threads;
  for (int i = 0; i < load.outstanding; ++i) {
    threads.emplace_back([&] {
      const LoadResult one = RunConnection(load, begin, end);
      const std::lock_guard<std::mutex> lock(mutex);
      all.micros.insert(all.micros.end(), one.micros.begin(), one.micros.end());
      all.failed += one.failed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return all;
}
