#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/meta_graph.h"
#include "ramet/graph/scope.h"
#include "ramet/runtime/session.h"

namespace ramet {

// The arguments of a Saver (tf.train.Saver).
struct SaverOptions {
  // What is saved; default: the collection "variables".
  std::vector<Variable> var_list = {};
  // Names in the checkpoint for variables of var_list: {name, variable}. Replaces var_list.
  std::vector<std::pair<std::string, Variable>> var_map = {};
  // How many checkpoints are kept; 0: all of them.
  int max_to_keep = 5;
  // One checkpoint of each so many hours is kept for good when it falls out of the list.
  double keep_checkpoint_every_n_hours = 10000.0;
  bool pad_step_number = false;  // "model-00000100"
  std::string name = "save";     // the name scope of the save and restore nodes
};

// The arguments of one save.
struct SaveOptions {
  // Appended to the path as "-STEP".
  std::optional<int64_t> global_step = {};
  std::string latest_filename = "checkpoint";
  std::string meta_graph_suffix = "meta";
  bool write_meta_graph = true;
  bool write_state = true;
};

// A Saver writes the variables of a session to TensorFlow's V2 checkpoint files and reads them back
// (tf.train.Saver). It adds nodes to the graph when it is made (names and structure as
// TensorFlow's), so that the .meta file that it writes can be imported, saved and restored by
// TensorFlow and by Ramet.
//
// A save is one atomic step, also onto a prefix that exists: whoever reads meanwhile gets the old
// or the new checkpoint, and a crash leaves one of them. One thread at a time.
class RAMET_EXPORT Saver {
 public:
  // Errors of building go to the graph (no variables: kInvalidArgument "No variables to save").
  explicit Saver(Graph& graph, const SaverOptions& options = {});
  // On nodes that are there, as a .meta file describes them.
  static Saver FromNames(Graph& graph, const SaverNames& names);

  // Writes PATH[-STEP].index, .data-00000-of-00001 and .meta, records the checkpoint in the state
  // file of its folder and removes what falls out of the list. Returns the checkpoint's prefix.
  // \error kFailedPrecondition if a variable is uninitialised or the session is closed;
  //   kInvalidArgument if latest_filename has a folder part or is the save path's own name, or the
  //   folder's parent does not exist; those of the files (no space, ...), after which the old
  //   checkpoints are as they were.
  StatusOr<std::string> Save(Session& session, const std::string& save_path,
                             const SaveOptions& options = {});
  // Reads the variables from the checkpoint at `save_path`.
  // \error kInvalidArgument if the path is empty or no checkpoint is there (naming the near ones);
  //   kNotFound, kInvalidArgument, kDataLoss as spec'd for RestoreV2 and Assign, with TensorFlow's
  //   wording. Variables may have been assigned before the error.
  Status Restore(Session& session, const std::string& save_path);

  // The checkpoints that are kept, oldest first.
  std::vector<std::string> last_checkpoints() const;
  const SaverNames& definition() const { return definition_; }
  Graph& graph() const { return *graph_; }

 private:
  struct Kept {
    std::string path;
    double time;
  };
  Saver(Graph* graph, SaverNames names, bool pad_step_number);
  Status CheckArguments(const std::string& save_path, const SaveOptions& options) const;
  Status Record(const std::string& path, const SaveOptions& options);
  void DeleteOne(const SaveOptions& options);
  Status WriteMetaGraph(const std::string& path, const SaveOptions& options) const;
  std::vector<std::string> RestoredVariables() const;

  Graph* graph_;
  SaverNames definition_;
  bool pad_step_number_ = false;
  std::vector<Kept> kept_;
  std::vector<Kept> to_delete_;
  double next_kept_time_ = 0;
};

// A graph that was imported with the Saver that its .meta file describes.
struct ImportedMetaGraph {
  MetaGraphInfo info;
  Saver saver;
};

// Imports a .meta file (tf.train.import_meta_graph). Without a SaverDef in it, the Saver is a new
// one over the graph's variables. \error as ImportMetaGraphFile; kFailedPrecondition "No variables
// to save" if
//   there are neither.
RAMET_EXPORT StatusOr<ImportedMetaGraph> ImportMetaGraph(
    Graph& graph, const std::string& path, const ImportMetaGraphOptions& options = {});

}  // namespace ramet
