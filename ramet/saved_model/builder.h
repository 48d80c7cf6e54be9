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

// One meta graph of a SavedModel (the arguments of tf.saved_model.Builder.add_meta_graph).
struct SavedModelGraph {
  std::vector<std::string> tags = {};
  std::map<std::string, Signature> signatures = {};
  // Files that go with the model, each with the tensor that holds its path. An empty path means the
  // value of the tensor, which must then be a constant string. LoadedSavedModel::assets fits here.
  std::vector<SavedModelAsset> assets = {};
  // Runs after the variables are restored (main_op, also known as legacy_init_op); invalid: none,
  // or the one that the graph's collection "saved_model_main_op" has.
  Operation main_op = {};
  bool clear_devices = false;
  bool strip_default_attrs = false;
  // Saves and restores the variables; nullptr: a new sharded one over the collections "variables"
  // and "saveable_objects", which adds its nodes to the graph (none if there is nothing to save).
  const Saver* saver = nullptr;
  // What an import kept beside the graph (MetaGraphInfo::carried); `signatures` go over those in
  // it.
  std::string carried = {};
};

// A SavedModelBuilder writes a SavedModel: a folder with saved_model.pb, variables/ and assets/,
// which TensorFlow, TensorFlow Serving and LoadSavedModel read. The first meta graph brings the
// variables; further ones share them. Nothing but variables and assets is written before Save. The
// collections of the graph are not changed. One thread at a time.
class RAMET_EXPORT SavedModelBuilder {
 public:
  // Makes the folder. \error kAlreadyExists if it is there and not empty; those of CreateDirs.
  static StatusOr<SavedModelBuilder> Create(const std::string& dir);
  SavedModelBuilder(SavedModelBuilder&&) noexcept;
  SavedModelBuilder& operator=(SavedModelBuilder&&) noexcept;
  ~SavedModelBuilder();

  // Adds the session's graph and saves its variables; once, and first.
  // \error kFailedPrecondition if it was called before, or a variable is uninitialised;
  //   kInvalidArgument naming the signature if one of its tensors lacks name or dtype, or its key
  //   is reserved ("__saved_model_init_op", "__saved_model_train_op"); if there is a main op in the
  //   graph's collections already; if an asset's path is not known; those of the files.
  Status AddMetaGraphAndVariables(Session& session, const SavedModelGraph& meta_graph);
  // Adds another graph, whose variables are among those saved.
  // \error kFailedPrecondition if AddMetaGraphAndVariables has not been called; as above.
  Status AddMetaGraph(Graph& graph, const SavedModelGraph& meta_graph);
  // Writes saved_model.pb, or saved_model.pbtxt; returns its path. \error those of the files;
  // kResourceExhausted if the message would reach 2 GiB.
  StatusOr<std::string> Save(bool as_text = false);

 private:
  struct Impl;
  explicit SavedModelBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A SavedModel with one signature "serving_default" and the tag "serve", devices cleared, with the
// assets of the collection "asset_filepaths" (tf.saved_model.simple_save). \error as above.
RAMET_EXPORT Status SimpleSave(Session& session, const std::string& dir,
                               const std::map<std::string, Output>& inputs,
                               const std::map<std::string, Output>& outputs,
                               Operation legacy_init_op = {});

}  // namespace ramet
