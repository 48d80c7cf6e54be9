#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "ramet/replica/shm/admission.h"
#include "ramet/replica/shm/reader_list.h"
#include "ramet/replica/shm/requests.h"

namespace ramet::shm {

// A ReaderServer serves the followers of a publisher on its own thread. It accepts them, sends them
// new segments, and receives their requests.
class ReaderServer {
 public:
  // Callbacks into the publisher, on the server's thread.
  struct Handler {
    // Answers a request. Returns nothing if the answer comes later.
    std::function<std::optional<StatusOr<std::string>>(uint64_t reader, const Request& request)>
        respond;
    std::function<void()> reader_left;
    std::function<void()> wake_followers;  // called after Wake
  };

  // `readers` must outlive the server.
  ReaderServer(std::string address, ReaderList& readers, Handler handler)
      : address_(std::move(address)), readers_(readers), handler_(std::move(handler)) {}
  ReaderServer(const ReaderServer&) = delete;
  ReaderServer& operator=(const ReaderServer&) = delete;
  ~ReaderServer() { Stop(); }
  // Starts the thread. `pool` must outlive the server.
  // \error kUnavailable: the system cannot start a thread.
  Status Start(Listener listener, Greeting greeting, const SharedPool& pool);
  // Ends the thread.
  void Stop();

  // Wakes the thread, so that it calls wake_followers and sends new segments. Thread-safe.
  void Wake() const;
  // Refuses new connections. Call this from a handler only.
  void CloseListener() { admission_->Close(); }

 private:
  void Serve();
  Status ServeOnce();
  int PauseMillis();
  void ClearWake() const;
  void Receive(int fd);

  const std::string address_;
  ReaderList& readers_;
  const Handler handler_;
  const SharedPool* pool_ = nullptr;
  std::optional<Admission> admission_;
  FileDescriptor wake_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;

  // Used by the thread only.
  int resend_millis_ = 0;
  bool is_full_ = false;  // descriptors are short
};

}  // namespace ramet::shm
