#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <string>
#include <vector>

namespace cli {

struct FollowOptions {
  std::string address;
  std::vector<std::string> feeds, fetches;
  std::string export_dir;  // where each version goes as a checkpoint; "": nowhere
  bool once = false, json = false;
  double timeout = 0;

  // Without --timeout: a time that does not come.
  std::chrono::milliseconds patience() const {
    return timeout > 0 ? std::chrono::milliseconds(static_cast<int64_t>(timeout * 1000))
                       : std::chrono::years(100);
  }
};

// A line for each version that is published at the address, until --once or Ctrl-C.
// \error those of Follower::Open and Wait, of preparing and running, of saving.
ramet::Status FollowPublished(const FollowOptions& options);

}  // namespace cli
