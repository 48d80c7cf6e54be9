#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include "ramet/base/file.h"

namespace ramet::redis {

// A flag that a thread can wait for with poll(2), together with a connection. Thread-safe.
class Signal {
 public:
  Signal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  int fd() const { return fd_.get(); }  // readable while it is set
  void Set() const {
    const uint64_t one = 1;
    (void)!write(fd_.get(), &one, sizeof(one));
  }
  void Clear() const {
    uint64_t count = 0;
    (void)!read(fd_.get(), &count, sizeof(count));
  }

 private:
  const FileDescriptor fd_;
};

}  // namespace ramet::redis
