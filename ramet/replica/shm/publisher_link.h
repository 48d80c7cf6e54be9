#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/pending_answers.h"
#include "ramet/replica/shm/requests.h"

namespace ramet::shm {

// A PublisherLink is a follower's connection to its publisher. A thread receives what the publisher
// sends, and other threads send requests and wait for the answers. Thread-safe after Start.
class PublisherLink {
 public:
  // Callbacks on the link's thread.
  struct Handler {
    std::function<Status(Packet packet)> take_segment;  // an error ends the connection
    std::function<void()> closed;
  };

  // `address` is for messages.
  PublisherLink(std::string address, Channel channel)
      : address_(std::move(address)), channel_(std::move(channel)) {}
  PublisherLink(const PublisherLink&) = delete;
  PublisherLink& operator=(const PublisherLink&) = delete;
  // Ends the thread.
  ~PublisherLink();

  // Receives a packet. Call this before Start only.
  // \error as for Channel::Receive.
  StatusOr<Packet> Receive(int64_t timeout_millis) const {
    return channel_.Receive(timeout_millis);
  }
  // Starts the thread.
  // \error kUnavailable: the system cannot start a thread.
  Status Start(Handler handler);
  bool connected() const { return connected_; }
  // Sends a request, whose number it sets, and waits for the answer.
  // \error as for Channel::Send and PendingAnswers::Wait.
  StatusOr<std::string> Ask(Request request, PendingAnswers::Clock::time_point deadline);
  // Ends current and future calls of Ask.
  void Interrupt() { answers_.Close(); }

 private:
  void Run();
  Status TakePacket(Packet packet);

  const std::string address_;
  const Channel channel_;
  Handler handler_;
  FileDescriptor stop_;
  std::atomic<bool> connected_ = true;
  PendingAnswers answers_;
  Mutex send_mutex_;  // serializes packets to the publisher
  std::thread thread_;
};

}  // namespace ramet::shm
