#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/runtime/session.h"
#include "ramet/saved_model/signature.h"

namespace ramet {

// Controls how a SavedModel is added to a graph (tf.saved_model.loader.load).
struct LoadSavedModelOptions {
  // Like the options of the same names in ImportMetaGraphOptions.
  std::string import_scope = {};
  bool clear_devices = false;
  std::map<std::string, Output> input_map = {};
  bool validate_shapes = true;
  // For LoadSavedModel. Set it to false to load a model whose init op (of a table, for example)
  // cannot run here.
  bool run_init_op = true;
};

// A file of a model, and the tensor that holds its path while the model is loaded.
struct SavedModelAsset {
  Output tensor = {};
  std::string path = {};
};

// The result of loading a SavedModel. All names are those in the graph after the import.
struct LoadedSavedModel {
  MetaGraphInfo info = {};
  // Excludes those that stand for operations (keys "__saved_model_..."). A signature that cannot be
  // parsed is skipped with a warning; its bytes are in info.signature_defs.
  std::map<std::string, Signature> signatures = {};
  std::vector<SavedModelAsset> assets = {};
  // Runs after the variables are restored. Invalid: nothing to run.
  Operation init_op = {};
  // The checkpoint with the variables: DIR/variables/variables.
  std::string variables_path = {};
};

// Reports whether `dir` has a saved_model.pb or saved_model.pbtxt
// (tf.saved_model.contains_saved_model).
RAMET_EXPORT bool MaybeSavedModelDirectory(const std::string& dir);

// Returns the tag sets of the meta graphs in `dir`, each sorted.
// \error as for ImportSavedModel.
RAMET_EXPORT StatusOr<std::vector<std::vector<std::string>>> SavedModelTags(const std::string& dir);

// Adds the meta graph with exactly these tags to `graph`. Does not restore or run anything.
// \error kNotFound: "SavedModel file does not exist at: ...", or no meta graph has these tags; the
//   message lists the tag sets.
// \error kDataLoss: "Cannot parse file ...".
// \error kInvalidArgument: an asset's file name leads out of the assets folder, or there is more
//   than one init op.
// \error as for ImportMetaGraphBytes.
RAMET_EXPORT StatusOr<LoadedSavedModel> ImportSavedModel(Graph& graph, const std::string& dir,
                                                         const std::vector<std::string>& tags,
                                                         const LoadSavedModelOptions& options = {});

// Adds the meta graph to the session's graph, restores the variables from DIR/variables, and runs
// the model's init op (signature "__saved_model_init_op", collections "saved_model_main_op" or
// "legacy_init_op") with the paths of the assets fed.
// \error as for ImportSavedModel, Saver::Restore and Session::Run.
RAMET_EXPORT StatusOr<LoadedSavedModel> LoadSavedModel(Session& session, const std::string& dir,
                                                       const std::vector<std::string>& tags,
                                                       const LoadSavedModelOptions& options = {});

}  // namespace ramet
