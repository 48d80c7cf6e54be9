#include "ramet/replica/shm/admission.h"

#include "ramet/replica/shm/reader_quota.h"

namespace ramet::shm {

bool Admission::AcceptOne() {
  if (!listener_) return true;
  if (ReaderQuota::IsShortOfDescriptors(listener_->fd())) return false;
  auto channel = listener_->Accept();
  const bool is_full = IsResourceExhausted(channel.status());
  if (channel.ok()) Welcome(*std::move(channel));
  return !is_full;
}

// Segments that are added at the same time are sent before the server's next pause.
void Admission::Welcome(Channel channel) {
  const auto segments = pool_.Segments();
  Hello hello = greeting_.hello;
  hello.num_segments = segments.size();
  (void)readers_.Add(std::move(channel), HelloToText(hello), greeting_.fds, segments);
}

}  // namespace ramet::shm
