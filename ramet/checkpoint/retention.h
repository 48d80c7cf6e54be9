#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/graph/meta_graph.h"

namespace ramet {

// The checkpoints that a saver keeps, by TensorFlow's exact rule: a save is recorded at the end of
// the list; then at most one, the oldest, falls out of it, and is deleted unless it was saved after
// the next time at which one is kept for good.
class CheckpointList {
 public:
  // max_to_keep 0: nothing is listed or deleted. `now`: seconds since the epoch.
  CheckpointList(int max_to_keep, double keep_every_n_hours, double now);

  void Record(const std::string& path, double now);
  // The checkpoint to delete after a save, if there is one.
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

// "DIR/m-5.meta" of "DIR/m-5"; the shard part of V1 paths ("-?????-of-00002") is left out.
std::string MetaGraphFilename(const std::string& checkpoint, std::string_view suffix);

// The files "BASE.SUFFIX" and "BASE-STEP.SUFFIX" that are in the folder of the checkpoint
// "BASE-STEP".
std::vector<std::string> MetaGraphsBeside(const std::string& checkpoint, std::string_view suffix);

// Removes what saves of the same base path, and of the state file, left when they were killed:
// files "BASE-STEP.index.tempstate..." and the like that are old and that nobody holds.
void RemoveLeftovers(const std::string& checkpoint, std::string_view suffix,
                     std::string_view latest_filename);

}  // namespace ramet
