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
#include "ramet/graph/scope.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/runtime/session.h"

namespace ramet {

// The variables stored under one name of a checkpoint: one variable, or the parts of a partitioned
// one.
class SavedVariable {
 public:
  SavedVariable(Variable variable) : variables_{variable} {}  // NOLINT: implicit on purpose
  SavedVariable(std::vector<Variable> parts)                  // NOLINT
      : variables_(std::move(parts)), is_partitioned_(true) {}
  const std::vector<Variable>& variables() const { return variables_; }
  bool is_partitioned() const { return is_partitioned_; }
  // Sets the dtype in the checkpoint if it differs from the variables'. Values are cast
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

// Options of a Saver (tf.train.Saver).
struct SaverOptions {
  // Variables to save. Empty: the collections "variables" and "saveable_objects". Parts of a
  // partitioned variable are stored under its name.
  std::vector<Variable> var_list = {};
  // Names in the checkpoint and the variables stored under them. Replaces var_list.
  std::vector<std::pair<std::string, SavedVariable>> var_map = {};
  // Saved in addition to var_list or var_map, or alone if both are empty.
  std::vector<SaveableObject> saveable_objects = {};
  // Allows restoring a tensor whose shape differs but has the same number of elements.
  bool reshape = false;
  // Writes one data file per device that has variables.
  bool sharded = false;
  // Number of checkpoints to keep. 0: all.
  int max_to_keep = 5;
  // When checkpoints drop out of the list, one per this many hours is kept permanently.
  double keep_checkpoint_every_n_hours = 10000.0;
  std::string name = "save";  // the name scope of the save and restore nodes
  // Has no effect on the graph, as in TensorFlow.
  bool restore_sequentially = false;
  // Adds the nodes in Build() instead of the constructor. Only for saving the collections.
  bool defer_build = false;
  // Accepts a graph without variables: saves write only the .meta file, and restores do nothing.
  bool allow_empty = false;
  // kV1: one file per shard, in the format of TensorFlow before 1.0.
  SaverNames::Format write_version = SaverNames::Format::kV2;
  bool pad_step_number = false;      // "model-00000100"
  bool save_relative_paths = false;  // in the state file
  std::string filename = "model";    // path that the nodes save to if none is fed
};

// The step that becomes part of a checkpoint's name: a number, or a scalar tensor or variable (or
// its name) that the session evaluates.
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

// Options of one save.
struct SaveOptions {
  // Appended to the path as "-STEP".
  std::optional<GlobalStep> global_step = {};
  std::string latest_filename = "checkpoint";
  std::string meta_graph_suffix = "meta";
  bool write_meta_graph = true;
  // Contents of the meta graph file. Empty: the saver's graph in the form of ExportMetaGraph.
  std::string meta_graph = {};
  bool write_state = true;
  // Omits attrs with their default value from the .meta file.
  bool strip_default_attrs = false;
  // Accepted for compatibility with TensorFlow. Ramet graphs have no stack traces to write.
  bool save_debug_info = false;
};

// A Saver writes the variables of a session to TensorFlow's checkpoint files and restores them
// (tf.train.Saver). The constructor adds nodes to the graph, with the names and structure that
// TensorFlow uses, so that TensorFlow and Ramet can import the .meta file and save and restore with
// it.
//
// A save is atomic, even if it overwrites a checkpoint: concurrent readers get the old or the new
// checkpoint, and a crash leaves one of them. Not thread-safe.
class RAMET_EXPORT Saver {
 public:
  // Adds the nodes of a saver to `graph`. Errors are recorded in the graph, in TensorFlow's
  // wording.
  // \error kInvalidArgument: "No variables to save", "At least two variables have the same name:
  //   v", "The same saveable will be restored with two names: y", "Slices must all be from the same
  //   tensor: a != b", "All tensors of a saveable object must be on the same device: x", "If
  //   `var_list` is provided then build cannot be deferred. ...".
  explicit Saver(Graph& graph, const SaverOptions& options = {});
  Saver(Saver&&) noexcept;
  Saver& operator=(Saver&&) noexcept;
  ~Saver();

  // Makes a saver that uses existing nodes, as described by a .meta file. Missing nodes cause an
  // error when they are run. Only the options pad_step_number and save_relative_paths apply.
  static Saver FromNames(Graph& graph, const SaverNames& names, const SaverOptions& options = {});
  // Like FromNames, for a serialized SaverDef. Prepends `import_scope` to its names.
  // \error kDataLoss: the bytes are not a SaverDef.
  // \error kInvalidArgument: "saver_def must specify the save_tensor_name" (or restore_op_name).
  static StatusOr<Saver> FromProto(Graph& graph, std::string_view saver_def,
                                   std::string_view import_scope = "",
                                   const SaverOptions& options = {});
  // Returns a serialized SaverDef, with "EXPORT_SCOPE/" removed from its names.
  // \error kFailedPrecondition: the saver is not built.
  // \error kNotFound: the saver's nodes are not in that scope.
  StatusOr<std::string> ToProto(std::string_view export_scope = "") const;

  // Adds the nodes if the constructor did not (defer_build). Further calls have no effect.
  // \error as for the constructor.
  Status Build();

  // Writes PATH[-STEP].index, .data-00000-of-00001 (or the files of V1 and sharded checkpoints) and
  // .meta. Then records the checkpoint in the state file of its folder and removes checkpoints that
  // drop out of the list. Returns the path for Restore, or an empty string if the saver is empty.
  //
  // The last .meta file of a path is kept. TensorFlow removes it, even if later saves wrote none
  // (write_meta_graph = false).
  //
  // After a file error, the old checkpoints are unchanged.
  // \error kFailedPrecondition: a variable is uninitialized, the session is closed, or the saver is
  //   not built ("`build()` should be called before save if defer_build==True").
  // \error kInvalidArgument: latest_filename has a folder part or equals the name in the save path,
  //   the step is not a number, or the parent folder does not exist.
  // \error as for the file operations, for example if the disk is full.
  StatusOr<std::string> Save(Session& session, const std::string& save_path,
                             const SaveOptions& options = {});
  // Restores the variables from the checkpoint at `save_path`: V2, V1, or a V2 checkpoint of
  // tf.train.Checkpoint, whose keys are found by the variables' names. Some variables may have been
  // assigned before an error.
  // \error kInvalidArgument: the path is empty or has no checkpoint. The message lists nearby ones.
  // \error as for RestoreV2 and Assign: kNotFound, kInvalidArgument, kDataLoss.
  Status Restore(Session& session, const std::string& save_path);

  // Writes the graph as a meta graph with this saver, which replaces options.saver.
  // \error as for ExportMetaGraphFile.
  Status ExportMetaGraph(const std::string& path, ExportMetaGraphOptions options = {}) const;

  // Returns the checkpoints that are kept, oldest first.
  std::vector<std::string> last_checkpoints() const;
  // Replaces the list by checkpoints that are never deleted.
  void SetLastCheckpoints(const std::vector<std::string>& paths);
  // Replaces the list. The times are those of the saves, in seconds since the epoch.
  void SetLastCheckpointsWithTime(std::vector<std::pair<std::string, double>> paths_and_times);
  // Replaces the list by that of an earlier process: the checkpoints of `paths` that exist, with
  // the times of their files.
  void RecoverLastCheckpoints(const std::vector<std::string>& paths);

  // Reports whether there is nothing to save (allow_empty).
  bool empty() const;
  const SaverNames& definition() const;
  Graph& graph() const;

 private:
  class Impl;
  explicit Saver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// An imported graph and the Saver described by its .meta file.
struct ImportedMetaGraph {
  MetaGraphInfo info;
  Saver saver;
};

// Imports a .meta file (tf.train.import_meta_graph). If the file has no SaverDef, the Saver is a
// new one for the graph's variables, or an empty one if there are none (TensorFlow returns None).
// \error as for ImportMetaGraphFile.
RAMET_EXPORT StatusOr<ImportedMetaGraph> ImportMetaGraph(
    Graph& graph, const std::string& path, const ImportMetaGraphOptions& options = {});

}  // namespace ramet
