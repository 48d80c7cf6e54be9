#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/redis/testing/redis_server.h"

namespace ramet::redis {

// A relay between clients and a server on the loopback interface that cuts a connection when a test
// asks for it.
class CuttingRelay {
 public:
  explicit CuttingRelay(int server_port) : server_(Loopback(server_port)) {
    listener_ = BindToLoopback(&port_);
    if (listen(listener_, 8) != 0) std::abort();
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~CuttingRelay() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ended_ = true;
    for (std::thread& relay : relays_) relay.join();
    close(listener_);
  }
  CuttingRelay(const CuttingRelay&) = delete;
  CuttingRelay& operator=(const CuttingRelay&) = delete;

  int port() const { return port_; }
  int cuts() const { return cuts_; }
  // Forwards the next command that contains `text` to the server, then cuts the connection so that
  // the reply is lost.
  void LoseReplyTo(std::string text) {
    MutexLock lock(mutex_);
    fatal_ = std::move(text);
  }

 private:
  void Accept() {
    for (int client; (client = accept(listener_, nullptr, nullptr)) >= 0;) {
      relays_.emplace_back([this, client] { Relay(client); });
    }
  }

  void Relay(int client) {
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(server, reinterpret_cast<const sockaddr*>(&server_), sizeof(server_)) == 0) {
      while (!ended_ && Pump(client, server)) {
      }
    }
    close(client);
    close(server);
  }

  // Returns false if the connection has ended.
  bool Pump(int client, int server) {
    std::array<pollfd, 2> both = {{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    if (poll(both.data(), both.size(), 10) <= 0) return true;
    std::array<char, 65536> bytes;
    for (size_t i = 0; i < both.size(); ++i) {
      if (both[i].revents == 0) continue;
      const ssize_t got = recv(both[i].fd, bytes.data(), bytes.size(), 0);
      if (got <= 0) return false;
      const bool cut = i == 0 && IsFatal({bytes.data(), static_cast<size_t>(got)});
      if (send(both[1 - i].fd, bytes.data(), static_cast<size_t>(got), MSG_NOSIGNAL) != got) {
        return false;
      }
      if (cut) return AwaitReply(server);
    }
    return true;
  }

  // The commands that tests ask for arrive in one piece.
  bool IsFatal(std::string_view bytes) {
    MutexLock lock(mutex_);
    if (fatal_.empty() || bytes.find(fatal_) == bytes.npos) return false;
    fatal_.clear();
    return true;
  }

  bool AwaitReply(int server) {
    std::array<char, 1024> lost;
    (void)!recv(server, lost.data(), lost.size(), 0);
    ++cuts_;
    return false;
  }

  const sockaddr_in server_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> ended_ = false;
  std::atomic<int> cuts_ = 0;
  Mutex mutex_;
  std::string fatal_ RAMET_GUARDED_BY(mutex_);
  std::thread acceptor_;
  std::vector<std::thread> relays_;  // used by the acceptor until it has ended
};

}  // namespace ramet::redis
