#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/graph_def/meta_graph.h"

namespace ramet {

// The checkpoints that a saver keeps, by TensorFlow's exact rule. Each save appends to the list.
// Then at most one checkpoint, the oldest, drops out of it. It is deleted, unless it was saved
// after the next time at which one is kept permanently.
class CheckpointList {
 public:
  // With max_to_keep 0, nothing is listed or deleted. `now` is in seconds since the epoch.
  CheckpointList(int max_to_keep, double keep_every_n_hours, double now);

  void Record(const std::string& path, double now);
  // Returns the checkpoint to delete after a save, if any.
  std::optional<std::string> NextToDelete();

  const std::vector<std::pair<std::string, double>>& entries() const { return kept_; }
  void Set(std::vector<std::pair<std::string, double>> entries) { kept_ = std::move(entries); }

 private:
  int max_to_keep_;
  double keep_seconds_;
  double next_kept_time_;
  std::vector<std::pair<std::string, double>> kept_;
  std::vector<std::pair<std::string, double>> to_delete_;
};

// Returns "DIR/m-5.meta" for "DIR/m-5". The shard part of V1 paths ("-?????-of-00002") is dropped.
std::string MetaGraphFilename(const std::string& checkpoint, std::string_view suffix);

// Returns the files "BASE.SUFFIX" and "BASE-STEP.SUFFIX" in the folder of the checkpoint
// "BASE-STEP".
std::vector<std::string> MetaGraphsOfBasePath(const std::string& checkpoint,
                                              std::string_view suffix);

// Removes temporary files left by killed saves of the same base path or of the state file, such as
// "BASE-STEP.index.tempstate...", if they are old and not in use.
void RemoveLeftovers(const std::string& checkpoint, std::string_view suffix,
                     std::string_view latest_filename);

}  // namespace ramet
