#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

// A Model is a graph from a .meta file with a session and the values of a checkpoint, ready to run.
class Model {
 public:
  // Imports `meta_path`; devices that the file names do not count.
  // \error those of ImportMetaGraph and Session::Create.
  static ramet::StatusOr<Model> Import(const std::string& meta_path);

  // \error those of Saver::Restore.
  ramet::Status Restore(const std::string& prefix) { return saver_.Restore(session_, prefix); }
  // `feeds` as "NAME=FILE.npy", `fetches` as tensor names; "x" means "x:0". Resolves and reads them
  // once. \error those of Graph::Tensor and ReadNpy; kInvalidArgument if a feed has another form.
  ramet::Status Prepare(const std::vector<std::string>& feeds,
                        const std::vector<std::string>& fetches);
  // \error those of Session::Run.
  ramet::StatusOr<std::vector<ramet::Tensor>> Run() { return session_.Run(feeds_, fetches_); }
  // In the order of the fetches: "out:0".
  const std::vector<std::string>& fetched_names() const { return fetched_names_; }

 private:
  Model(std::unique_ptr<ramet::Graph> graph, ramet::Saver saver, ramet::Session session);

  std::unique_ptr<ramet::Graph> graph_;
  ramet::Saver saver_;
  ramet::Session session_;
  ramet::Feeds feeds_;
  std::vector<ramet::GraphElement> fetches_;
  std::vector<std::string> fetched_names_;
};

}  // namespace cli
