#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <string>
#include <vector>

namespace cli {

struct FollowOptions {
  std::string address;
  std::vector<std::string> feeds, fetches;
  std::string export_dir;  // the folder for a checkpoint of each version; "" for none
  bool once = false, json = false;
  double timeout = 0;

  // How long to wait for a version: 100 years without --timeout.
  std::chrono::milliseconds patience() const {
    return timeout > 0 ? std::chrono::milliseconds(static_cast<int64_t>(timeout * 1000))
                       : std::chrono::years(100);
  }
};

// Prints a line for each version published at the address, until the first one (with --once) or
// until Ctrl-C.
// \error as for Follower::Open, Follower::Wait, Model::Prepare, Model::Run and Saver::Save.
ramet::Status FollowPublished(const FollowOptions& options);

}  // namespace cli
