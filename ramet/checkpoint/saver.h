#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/checkpoint/saveable_object.h"
#include "ramet/graph/meta_graph.h"
#include "ramet/graph/scope.h"
#include "ramet/runtime/session.h"

namespace ramet {

// What is stored under one name of a checkpoint: a variable, or all parts of a partitioned one.
class SavedVariable {
 public:
  SavedVariable(Variable variable) : variables_{variable} {}  // NOLINT: implicit on purpose
  SavedVariable(std::vector<Variable> parts)                  // NOLINT
      : variables_(std::move(parts)), is_partitioned_(true) {}
  const std::vector<Variable>& variables() const { return variables_; }
  bool is_partitioned() const { return is_partitioned_; }
  // The checkpoint's dtype, where it is not the variables': values are cast
  // (ClonedCheckpointEntry).
  SavedVariable& StoredAs(DType dtype) {
    stored_as_ = dtype;
    return *this;
  }
  DType stored_as() const { return stored_as_; }
  void Add(const Variable& part) { variables_.push_back(part); }

 private:
  std::vector<Variable> variables_;
  bool is_partitioned_ = false;
  DType stored_as_ = DType::kInvalid;
};

// The arguments of a Saver (tf.train.Saver).
struct SaverOptions {
  // What is saved; empty: the collections "variables" and "saveable_objects". Parts of a
  // partitioned variable are stored under its name.
  std::vector<Variable> var_list = {};
  // Names in the checkpoint and what is stored there. Replaces var_list.
  std::vector<std::pair<std::string, SavedVariable>> var_map = {};
  // Saved beside var_list or var_map; alone if both are empty.
  std::vector<SaveableObject> saveable_objects = {};
  // Restores tensors of another shape with as many elements.
  bool reshape = false;
  // One data file for each device that has variables.
  bool sharded = false;
  // How many checkpoints are kept; 0: all of them.
  int max_to_keep = 5;
  // One checkpoint of each so many hours is kept for good when it falls out of the list.
  double keep_checkpoint_every_n_hours = 10000.0;
  std::string name = "save";  // the name scope of the save and restore nodes
  // No effect on the graph, as in TensorFlow.
  bool restore_sequentially = false;
  // Build() makes the nodes, not the constructor. Only for the collections.
  bool defer_build = false;
  // A graph without variables is no error: saves write the .meta file alone, restores do nothing.
  bool allow_empty = false;
  // kV1: one file a shard, as TensorFlow before 1.0 wrote them.
  SaverNames::Format write_version = SaverNames::Format::kV2;
  bool pad_step_number = false;      // "model-00000100"
  bool save_relative_paths = false;  // in the state file
  std::string filename = "model";    // what the nodes save to when nothing is fed
};

// The step that becomes part of a checkpoint's name: a number, or a scalar tensor or variable
// (or its name), which the session evaluates.
class GlobalStep {
 public:
  template <class T>
  requires(std::is_integral_v<T>) GlobalStep(T step)
      : step_(static_cast<int64_t>(step)) {}                         // NOLINT: implicit on purpose
  GlobalStep(const Variable& variable) : step_(Output(variable)) {}  // NOLINT
  GlobalStep(Output tensor) : step_(tensor) {}                       // NOLINT
  GlobalStep(const char* name) : step_(std::string(name)) {}         // NOLINT
  GlobalStep(std::string name) : step_(std::move(name)) {}           // NOLINT
  const std::variant<int64_t, Output, std::string>& step() const { return step_; }

 private:
  std::variant<int64_t, Output, std::string> step_;
};

// The arguments of one save.
struct SaveOptions {
  // Appended to the path as "-STEP".
  std::optional<GlobalStep> global_step = {};
  std::string latest_filename = "checkpoint";
  std::string meta_graph_suffix = "meta";
  bool write_meta_graph = true;
  // What is written as the meta graph; "": the saver's graph as ExportMetaGraph gives it.
  std::string meta_graph = {};
  bool write_state = true;
  // Of the .meta file: leaves out attrs that have their default value.
  bool strip_default_attrs = false;
  // Accepted for TensorFlow's sake: a Ramet graph has no stack traces to write.
  bool save_debug_info = false;
};

// A Saver writes the variables of a session to TensorFlow's checkpoint files and reads them back
// (tf.train.Saver). It adds nodes to the graph when it is made (names and structure as
// TensorFlow's), so that the .meta file that it writes can be imported, saved and restored by
// TensorFlow and by Ramet.
//
// A save is one atomic step, also onto a prefix that exists: whoever reads meanwhile gets the old
// or the new checkpoint, and a crash leaves one of them. One thread at a time.
class RAMET_EXPORT Saver {
 public:
  // Errors of building go to the graph, in TensorFlow's wording: kInvalidArgument "No variables to
  // save", "At least two variables have the same name: v", "The same saveable will be restored with
  // two names: y", "Slices must all be from the same tensor: a != b", "All tensors of a saveable
  // object must be on the same device: x", "If `var_list` is provided then build cannot be
  // deferred. ...".
  explicit Saver(Graph& graph, const SaverOptions& options = {});
  Saver(Saver&&) noexcept;
  Saver& operator=(Saver&&) noexcept;
  ~Saver();

  // On nodes that are there, as a .meta file describes them. Missing ones show when they are run.
  // Of the options, those count that are about paths: pad_step_number, save_relative_paths.
  static Saver FromNames(Graph& graph, const SaverNames& names, const SaverOptions& options = {});
  // The same from a serialised SaverDef, with `import_scope` put in front of its names.
  // \error kDataLoss if the bytes are no SaverDef; kInvalidArgument "saver_def must specify the
  //   save_tensor_name" (restore_op_name).
  static StatusOr<Saver> FromProto(Graph& graph, std::string_view saver_def,
                                   std::string_view import_scope = "",
                                   const SaverOptions& options = {});
  // A serialised SaverDef, with "EXPORT_SCOPE/" taken off its names. \error kFailedPrecondition if
  // the saver is not built; kNotFound if its nodes are not under that scope.
  StatusOr<std::string> ToProto(std::string_view export_scope = "") const;

  // Makes the nodes if the constructor did not (defer_build); again without effect. \error as the
  // constructor.
  Status Build();

  // Writes PATH[-STEP].index, .data-00000-of-00001 (V1, and sharded: their files) and .meta,
  // records the checkpoint in the state file of its folder and removes what falls out of the list,
  // except the last .meta file of its path: TensorFlow removes it, also where later saves wrote
  // none (write_meta_graph = false). Returns what Restore takes, "" if the saver is empty. \error
  // kFailedPrecondition if a variable is uninitialised, the session is closed, or the saver is
  //   not built ("`build()` should be called before save if defer_build==True"); kInvalidArgument
  //   if latest_filename has a folder part or is the save path's own name, the step is not a
  //   number, or the folder's parent does not exist; those of the files (no space, ...), after
  //   which the old checkpoints are as they were.
  StatusOr<std::string> Save(Session& session, const std::string& save_path,
                             const SaveOptions& options = {});
  // Reads the variables from the checkpoint at `save_path`: V2, V1, or a V2 checkpoint of
  // tf.train.Checkpoint, whose keys are found by the variables' names.
  // \error kInvalidArgument if the path is empty or no checkpoint is there (naming the near ones);
  //   kNotFound, kInvalidArgument, kDataLoss as spec'd for RestoreV2 and Assign, with TensorFlow's
  //   wording. Variables may have been assigned before the error.
  Status Restore(Session& session, const std::string& save_path);

  // Writes the graph with this saver as a meta graph; `options.saver` is set to this one.
  // \error as ExportMetaGraphFile.
  Status ExportMetaGraph(const std::string& path, ExportMetaGraphOptions options = {}) const;

  // The checkpoints that are kept, oldest first.
  std::vector<std::string> last_checkpoints() const;
  // Replaces the list by checkpoints that are never deleted.
  void SetLastCheckpoints(const std::vector<std::string>& paths);
  // The same with the times (seconds since the epoch) at which they were saved.
  void SetLastCheckpointsWithTime(std::vector<std::pair<std::string, double>> paths_and_times);
  // Takes up the list of a process that ended: those of `paths` that exist, with the times of their
  // files.
  void RecoverLastCheckpoints(const std::vector<std::string>& paths);

  // Whether it has nothing to save (allow_empty).
  bool empty() const;
  const SaverNames& definition() const;
  Graph& graph() const;

 private:
  class Impl;
  explicit Saver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A graph that was imported with the Saver that its .meta file describes.
struct ImportedMetaGraph {
  MetaGraphInfo info;
  Saver saver;
};

// Imports a .meta file (tf.train.import_meta_graph). Without a SaverDef in it, the Saver is a new
// one over the graph's variables, or an empty one if there are none (TensorFlow: None).
// \error as ImportMetaGraphFile.
RAMET_EXPORT StatusOr<ImportedMetaGraph> ImportMetaGraph(
    Graph& graph, const std::string& path, const ImportMetaGraphOptions& options = {});

}  // namespace ramet
