#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/meta_graph.h"
#include "ramet/runtime/session.h"
#include "ramet/saved_model/signature.h"

namespace ramet {

// How a SavedModel is put into a graph (tf.saved_model.loader.load).
struct LoadSavedModelOptions {
  // As in ImportMetaGraphOptions.
  std::string import_scope = {};
  bool clear_devices = false;
  std::map<std::string, Output> input_map = {};
  bool validate_shapes = true;
  // Of LoadSavedModel. Without it a model is restored whose init op (of a table, say) cannot run
  // here.
  bool run_init_op = true;
};

// A file that belongs to a model: the tensor that holds its path while the model is loaded.
struct SavedModelAsset {
  Output tensor = {};
  std::string path = {};
};

// What came with a SavedModel. All names are those in the graph now.
struct LoadedSavedModel {
  MetaGraphInfo info = {};
  // Without those that stand for operations (keys "__saved_model_..."). One that cannot be read is
  // left out with a warning; its bytes are in info.signature_defs.
  std::map<std::string, Signature> signatures = {};
  std::vector<SavedModelAsset> assets = {};
  // What is to run after the variables are restored; invalid: nothing.
  Operation init_op = {};
  // The checkpoint with the variables: DIR/variables/variables.
  std::string variables_path = {};
};

// Whether `dir` holds a saved_model.pb or saved_model.pbtxt (tf.saved_model.contains_saved_model).
RAMET_EXPORT bool MaybeSavedModelDirectory(const std::string& dir);

// The tag sets of the meta graphs in `dir`, each sorted. \error as ImportSavedModel.
RAMET_EXPORT StatusOr<std::vector<std::vector<std::string>>> SavedModelTags(const std::string& dir);

// Adds the meta graph with exactly these tags to `graph`; restores and runs nothing.
// \error kNotFound "SavedModel file does not exist at: ..." or, listing the tag sets that are
//   there, if none is `tags`; kDataLoss "Cannot parse file ..."; kInvalidArgument if an asset's
//   file name leads out of the assets folder, or there is more than one init op; those of
//   ImportMetaGraphBytes.
RAMET_EXPORT StatusOr<LoadedSavedModel> ImportSavedModel(Graph& graph, const std::string& dir,
                                                         const std::vector<std::string>& tags,
                                                         const LoadSavedModelOptions& options = {});

// The same into the session's graph; then restores the variables from DIR/variables and runs the
// model's init op (signature "__saved_model_init_op", collections "saved_model_main_op" or
// "legacy_init_op") with the paths of the assets fed.
// \error besides: those of Saver::Restore and Session::Run.
RAMET_EXPORT StatusOr<LoadedSavedModel> LoadSavedModel(Session& session, const std::string& dir,
                                                       const std::vector<std::string>& tags,
                                                       const LoadSavedModelOptions& options = {});

}  // namespace ramet
