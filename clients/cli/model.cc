#include "model.h"

#include <utility>

#include "npy.h"

namespace cli {
namespace {

namespace rm = ramet;

rm::StatusOr<rm::Output> FindTensor(const rm::Graph& graph, const std::string& name) {
  return graph.Tensor(name.find(':') == std::string::npos ? name + ":0" : name);
}

}  // namespace

Model::Model(std::unique_ptr<rm::Graph> graph, rm::Saver saver, rm::Session session)
    : graph_(std::move(graph)), saver_(std::move(saver)), session_(std::move(session)) {}

rm::StatusOr<Model> Model::Import(const std::string& meta_path) {
  auto graph = std::make_unique<rm::Graph>();
  RAMET_ASSIGN_OR_RETURN(auto imported,
                         rm::ImportMetaGraph(*graph, meta_path, {.clear_devices = true}));
  RAMET_ASSIGN_OR_RETURN(auto session, rm::Session::Create(*graph));
  return Model(std::move(graph), std::move(imported.saver), std::move(session));
}

rm::Status Model::Prepare(const std::vector<std::string>& feeds,
                          const std::vector<std::string>& fetches) {
  for (const std::string& feed : feeds) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos) {
      return rm::InvalidArgument("--feed ", feed, ": expected NAME=FILE.npy");
    }
    RAMET_ASSIGN_OR_RETURN(const rm::Output tensor, FindTensor(*graph_, feed.substr(0, equals)));
    RAMET_ASSIGN_OR_RETURN(rm::Tensor value, ReadNpy(feed.substr(equals + 1)));
    feeds_.push_back({tensor, std::move(value)});
  }
  for (const std::string& fetch : fetches) {
    RAMET_ASSIGN_OR_RETURN(const rm::Output tensor, FindTensor(*graph_, fetch));
    fetches_.emplace_back(tensor);
    fetched_names_.push_back(tensor.name());
  }
  return rm::OkStatus();
}

}  // namespace cli
