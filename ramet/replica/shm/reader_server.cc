#include "ramet/replica/shm/reader_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>
#include <vector>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/replica/start_thread.h"

namespace ramet::shm {
namespace {

constexpr int kMinResendMillis = 1;
constexpr int kMaxResendMillis = 100;  // for followers that have not read for long
constexpr int kFullMillis = 100;       // pause in accepting when descriptors are short
constexpr int kOverdueMillis = 1000;

}  // namespace

Status ReaderServer::Start(Listener listener, Greeting greeting, const SharedPool& pool) {
  wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.get() < 0) return ErrnoStatus(errno, "an event");
  admission_.emplace(std::move(listener), std::move(greeting), pool, readers_);
  pool_ = &pool;
  resend_millis_ = kMinResendMillis;
  return StartThread(&thread_, [this] { Serve(); });
}

void ReaderServer::Stop() {
  stopping_ = true;
  if (!thread_.joinable()) return;
  Wake();
  thread_.join();
}

void ReaderServer::Wake() const {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));
}

void ReaderServer::ClearWake() const {
  uint64_t count = 0;
  (void)!read(wake_.get(), &count, sizeof(count));
}

// Serves followers. After an error, such as a lack of memory, pauses and continues.
void ReaderServer::Serve() {
  while (!stopping_) {
    const Status served = Guarded([this] { return ServeOnce(); });
    if (served.ok()) continue;
    LogOnce(LogLevel::kWarning, StrCat("serving ", address_), "shm:", address_,
            ": cannot serve followers at the moment: ", served.message());
    std::this_thread::sleep_for(std::chrono::milliseconds(kFullMillis));
  }
}

Status ReaderServer::ServeOnce() {
  const int listener = is_full_ ? -1 : admission_->fd();
  std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}, {listener, POLLIN, 0}};
  for (int fd : readers_.fds()) waits.push_back({fd, POLLIN, 0});
  const int ready = poll(waits.data(), waits.size(), PauseMillis());
  is_full_ = false;
  if (ready < 0 || stopping_) return OkStatus();
  if (waits[0].revents != 0) {
    ClearWake();
    handler_.wake_followers();
  }
  if (waits[1].revents != 0) is_full_ = !admission_->AcceptOne();
  for (size_t i = 2; i < waits.size(); ++i) {
    if (waits[i].revents != 0) Receive(waits[i].fd);
  }
  return OkStatus();
}

// Returns how long the server may sleep, or -1 if it may sleep until something arrives.
int ReaderServer::PauseMillis() {
  int pause = is_full_ ? kFullMillis : INT_MAX;
  if (readers_.DropOverdue(ReaderList::Clock::now())) pause = std::min(pause, kOverdueMillis);
  if (readers_.SendSegmentsOf(*pool_)) {
    resend_millis_ = kMinResendMillis;
  } else {
    pause = std::min(pause, resend_millis_);
    resend_millis_ = std::min(2 * resend_millis_, kMaxResendMillis);
  }
  return pause == INT_MAX ? -1 : pause;
}

void ReaderServer::Receive(int fd) {
  const uint64_t reader = readers_.IdOf(fd);
  auto packet = readers_.Receive(reader);
  if (reader == 0 || IsDeadlineExceeded(packet.status())) return;
  const auto request = packet.ok() ? ParseRequest(packet->text) : packet.status();
  if (request.ok()) {
    const auto text = handler_.respond(reader, *request);
    if (!text) return;
    // A follower that does not read its answers does not get them.
    const Status sent = readers_.Send(reader, AnswerToText({request->number, *text}));
    if (!IsUnavailable(sent)) return;
  }
  readers_.Remove(reader);
  handler_.reader_left();
}

}  // namespace ramet::shm
