#include "ramet/replica/shm/publisher_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "ramet/base/exception.h"
#include "ramet/base/strings.h"
#include "ramet/replica/start_thread.h"

namespace ramet::shm {

PublisherLink::~PublisherLink() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof(one));
  thread_.join();
}

Status PublisherLink::Start(Handler handler) {
  handler_ = std::move(handler);
  stop_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stop_.get() < 0) return ErrnoStatus(errno, "an event");
  return StartThread(&thread_, [this] { Run(); });
}

Status PublisherLink::TakePacket(Packet packet) {
  if (!IsAnswer(packet.text)) return handler_.take_segment(std::move(packet));
  RAMET_ASSIGN_OR_RETURN(Answer answer, ParseAnswer(packet.text));
  answers_.Deliver(answer.number, std::move(answer.text));
  return OkStatus();
}

// Receives packets until the publisher is gone.
void PublisherLink::Run() {
  while (connected_) {
    pollfd waits[] = {{stop_.get(), POLLIN, 0}, {channel_.fd(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents != 0) return;
    auto packet = channel_.Receive(0);
    if (IsDeadlineExceeded(packet.status())) continue;
    const Status taken =
        Guarded([&] { return packet.ok() ? TakePacket(*std::move(packet)) : packet.status(); });
    if (!taken.ok()) connected_ = false;
  }
  answers_.Close();
  handler_.closed();
}

StatusOr<std::string> PublisherLink::Ask(Request request,
                                         PendingAnswers::Clock::time_point deadline) {
  request.number = answers_.Begin();
  Status sent;
  {
    MutexLock lock(send_mutex_);
    sent = channel_.Send(RequestToText(request));
  }
  auto answer = answers_.Wait(request.number,
                              sent.ok() ? deadline : PendingAnswers::Clock::time_point::min());
  const Status& status = sent.ok() ? answer.status() : sent;
  if (status.ok()) return answer;
  // The publisher's own functions begin their messages with the address, too.
  const std::string where = StrCat("shm:", address_);
  return status.message().starts_with(where + ": ") ? status : status.WithContext(where);
}

}  // namespace ramet::shm
