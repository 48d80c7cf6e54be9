#pragma once

#include <ramet/ramet.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model_file.h"

namespace cli {

// Where a model is, as options of a command say it.
struct ModelOptions {
  std::string path;               // as FindModelFile takes it
  std::string meta;               // the graph; "": the one at `path`
  std::string checkpoint;         // the values; "": those at `path`, if there are any
  std::vector<std::string> tags;  // of a SavedModel's graph; none: the only one, or "serve"
  bool clear_devices = true;
  bool run_init_op = true;  // of a SavedModel
};

// The tags that `wanted` means in a SavedModel's folder.
// \error kNotFound, listing what there is, if there is none, or none is named and there are several
//   without "serve"; those of SavedModelTags.
ramet::StatusOr<std::vector<std::string>> ChooseTags(const std::string& folder,
                                                     const std::vector<std::string>& wanted);

// A Model is a graph with a session and the values of its variables, ready to run.
class Model {
 public:
  // Imports the graph and restores the values, if there are any.
  // \error those of FindModelFile, of importing, of Saver::Restore and of the init op;
  // kInvalidArgument if there is no graph, or it has no saver to restore the checkpoint with.
  static ramet::StatusOr<Model> Open(const ModelOptions& options);
  // Imports a .meta file alone; devices that the file names do not count.
  // \error those of ImportMetaGraph and Session::Create.
  static ramet::StatusOr<Model> Import(const std::string& meta_path);
  // A session that somebody else has, with its values; it outlives the Model.
  static Model Over(ramet::Session& session);

  // \error those of Saver::Restore.
  ramet::Status Restore(const std::string& prefix);
  // `feeds` as "NAME=VALUE" (see ReadFeedValue), `fetches` as names of tensors ("x" means "x:0") or
  // operations. With a signature its keys count as names, too, and no fetches means all its
  // outputs. Resolves and reads them once. \error those of Graph::Tensor and ReadFeedValue;
  // kInvalidArgument if a feed has another form, or one of the signature's is missing; kNotFound,
  // listing what there is, if there is no such signature.
  ramet::Status Prepare(const std::vector<std::string>& feeds,
                        const std::vector<std::string>& fetches, const std::string& signature = "");
  // \error those of Session::Run.
  ramet::StatusOr<std::vector<ramet::Tensor>> Run() { return session_->Run(feeds_, fetches_); }
  // In the order of the fetches: "out:0"; of an operation "train"; of a signature the key.
  const std::vector<std::string>& fetched_names() const { return fetched_names_; }

  // \error kNotFound, listing what there is.
  ramet::StatusOr<ramet::Signature> FindSignature(const std::string& name) const;
  const ramet::Graph& graph() const { return *graph_; }
  ramet::Session& session() { return *session_; }
  // Whether the variables have values from a file.
  bool has_values() const { return has_values_; }

 private:
  Model() = default;
  ramet::Status ImportSavedModel(const ModelOptions& options, const ModelFile& file);
  ramet::Status ImportGraph(const ModelOptions& options, const ModelFile& file);
  ramet::Status ReadSignatures(const ramet::MetaGraphInfo& info);
  ramet::Status AddFeed(const std::string& feed, const ramet::Signature& signature);
  ramet::Status AddFetch(const std::string& fetch, const ramet::Signature& signature);
  ramet::Status AddDefaults(const std::string& name, const ramet::Signature& signature);

  std::shared_ptr<ramet::Graph> graph_ = std::make_shared<ramet::Graph>();
  std::unique_ptr<ramet::Saver> saver_;
  std::shared_ptr<ramet::Session> session_;
  bool has_values_ = false;
  std::map<std::string, ramet::Signature> signatures_;
  ramet::Feeds feeds_;
  std::vector<ramet::GraphElement> fetches_;
  std::vector<std::string> fetched_names_;
};

}  // namespace cli
