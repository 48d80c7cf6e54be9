#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/checkpoint/saver.h"
#include "ramet/saved_model/loader.h"
#include "ramet/saved_model/signature.h"

namespace ramet {

// A meta graph of a SavedModel (the arguments of tf.saved_model.Builder.add_meta_graph).
struct SavedModelGraph {
  std::vector<std::string> tags = {};
  std::map<std::string, Signature> signatures = {};
  // Files of the model, each with the tensor that holds its path. If a path is empty, it is the
  // value of the tensor, which must then be a constant string. LoadedSavedModel::assets can be used
  // here.
  std::vector<SavedModelAsset> assets = {};
  // Runs after the variables are restored (main_op, also known as legacy_init_op). If invalid, only
  // the one in the graph's collection "saved_model_main_op" runs, if there is one.
  Operation main_op = {};
  bool clear_devices = false;
  bool strip_default_attrs = false;
  // Saves and restores the variables. If null, a new sharded Saver for the collections "variables"
  // and "saveable_objects" is added to the graph, unless there is nothing to save.
  const Saver* saver = nullptr;
  // Data that an import returned (MetaGraphInfo::carried). `signatures` replace those in it.
  std::string carried = {};
};

// A SavedModelBuilder writes a SavedModel: a folder with saved_model.pb, variables/ and assets/,
// which TensorFlow, TensorFlow Serving and LoadSavedModel can read. The first meta graph comes with
// the variables, and further ones share them. Before Save, only variables and assets are written.
// The graph's collections do not change. Not thread-safe.
class RAMET_EXPORT SavedModelBuilder {
 public:
  // Creates the folder.
  // \error kAlreadyExists: the folder exists and is not empty.
  // \error as for CreateDirs.
  static StatusOr<SavedModelBuilder> Create(const std::string& dir);
  SavedModelBuilder(SavedModelBuilder&&) noexcept;
  SavedModelBuilder& operator=(SavedModelBuilder&&) noexcept;
  ~SavedModelBuilder();

  // Adds the session's graph and saves its variables. Must be called once, before AddMetaGraph.
  // \error kFailedPrecondition: it was called before, or a variable is uninitialized.
  // \error kInvalidArgument: a tensor of a signature has no name or dtype, or a signature's key is
  //   reserved ("__saved_model_init_op", "__saved_model_train_op"). Names the signature.
  // \error kInvalidArgument: the collections already have a main op, or an asset's path is unknown.
  // \error as for the file operations.
  Status AddMetaGraphAndVariables(Session& session, const SavedModelGraph& meta_graph);
  // Adds another graph whose variables are among those saved.
  // \error kFailedPrecondition: AddMetaGraphAndVariables has not been called.
  // \error as for AddMetaGraphAndVariables.
  Status AddMetaGraph(Graph& graph, const SavedModelGraph& meta_graph);
  // Writes saved_model.pb, or saved_model.pbtxt if `as_text`, and returns its path.
  // \error kResourceExhausted: the message would reach 2 GiB.
  // \error as for the file operations.
  StatusOr<std::string> Save(bool as_text = false);

 private:
  struct Impl;
  explicit SavedModelBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Writes a SavedModel with one signature "serving_default", the tag "serve", cleared devices, and
// the assets of the collection "asset_filepaths" (tf.saved_model.simple_save).
// \error as for SavedModelBuilder.
RAMET_EXPORT Status SimpleSave(Session& session, const std::string& dir,
                               const std::map<std::string, Output>& inputs,
                               const std::map<std::string, Output>& outputs,
                               Operation legacy_init_op = {});

}  // namespace ramet
