// open_file KIND PATH: opens a file of the corpus in every way that its kind supports. Prints "OK",
// or the error with exit code 1. `open_file kinds -` lists the kinds.
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "ramet/ramet.h"

namespace {

namespace rm = ramet;

rm::Status OpenCheckpoint(const std::string& prefix) {
  auto reader = rm::CheckpointReader::Open(prefix);
  if (!reader.ok()) return reader.status();
  auto tensors = reader->List();
  if (!tensors.ok()) return tensors.status();
  rm::Status first;
  for (const auto& tensor : *tensors) first.Update(reader->Read(tensor.name).status());
  return first;
}

rm::Status OpenSafetensors(const std::string& path) {
  auto reader = rm::SafetensorsReader::Open(path);
  if (!reader.ok()) return reader.status();
  rm::Status first;
  for (const auto& entry : reader->entries()) first.Update(reader->Read(entry.name).status());
  return first;
}

rm::Status OpenState(const std::string& dir) {
  auto latest = rm::LatestCheckpoint(dir);
  return latest.ok() ? OpenCheckpoint(*latest) : latest.status();
}

// Runs the node `y`, if there is one.
rm::Status RunIt(rm::Graph& graph) {
  if (!graph.FindOperation("y").ok()) return rm::OkStatus();
  auto session = rm::Session::Create(graph);
  if (!session.ok()) return session.status();
  return session->Run("y").status();
}

rm::Status OpenGraph(const std::string& path) {
  rm::Graph graph;
  rm::ImportOptions options;
  options.name = "";
  auto imported = rm::ImportGraphDefFile(graph, path, options);
  return imported.ok() ? RunIt(graph) : imported.status();
}

rm::Status OpenMeta(const std::string& path) {
  rm::Graph graph;
  auto imported = rm::ImportMetaGraph(graph, path);
  // A meta graph without variables has no saver.
  const bool no_saver =
      rm::IsInvalidArgument(imported.status()) &&
      imported.status().message().find("No variables to save") != std::string::npos;
  if (!imported.ok() && !no_saver) return imported.status();
  return no_saver ? rm::OkStatus() : RunIt(graph);
}

rm::Status OpenMnist(const std::string& dir) {
  rm::MnistOptions options;
  options.validation_size = 0;
  options.one_hot = true;
  return rm::Mnist::Read(dir, options).status();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<rm::Status(const std::string&)>> kinds = {
      {"checkpoint", OpenCheckpoint}, {"state", OpenState},
      {"graph", OpenGraph},           {"meta", OpenMeta},
      {"mnist", OpenMnist},           {"safetensors", OpenSafetensors}};
  if (argc == 3 && std::string_view(argv[1]) == "kinds") {
    for (const auto& [kind, open] : kinds) std::cout << kind << "\n";
    return 0;
  }
  if (argc != 3 || !kinds.contains(argv[1])) {
    std::cerr << "usage: open_file KIND PATH\n";
    return 2;
  }
  const rm::Status status = kinds.at(argv[1])(argv[2]);
  std::cout << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
