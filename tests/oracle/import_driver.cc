// import_driver < COMMANDS: moves one graph through Ramet, for tests that compare the result with
// TensorFlow's. A command is a line of tab-separated words: its name, a path, then KEY=VALUE words
// (keys may repeat). Each prints one line: "ok ..." or "error CODE message" (newlines as "\n").
//
//   import_graph FILE [name=N] [clear_devices] [novalidate] [map=KEY=TENSOR] [return=ELEMENT]
//   import_meta FILE [scope=S] [clear_devices] [novalidate] [map=KEY=TENSOR] [return=ELEMENT]
//   load_model DIR [tag=T] [scope=S] [no_init]
//   import_model DIR [tag=T] [scope=S]            only the graph and the names
//   restore PREFIX [restore_map=KEY=VARIABLE]
//   save PREFIX [meta] [new]                      meta: also writes PREFIX.meta; new: uses a new
//                                                 saver of everything that has a value, instead of
//                                                 the one that restored
//   export_graph FILE [shapes] [strip] [clear_devices] [text]
//   export_meta FILE [scope=S] [strip] [clear_devices] [clear_savers] [text] [fresh]
//   save_model DIR [tag=T] [text] [sig] [asset=TENSOR=PATH] [main_op=OP] [own_saver]
//                                                 as loaded; sig: in:0 and out:0 as
//                                                 serving_default; own_saver: with the imported
//                                                 saver
//   freeze FILE output=NODE... [allow=V] [deny=V] [graph=FILE]
//   extract FILE from=FILE output=NODE...
//   replace FILE from=FILE [value=VARIABLE=RAW FLOATS FILE=DIM,DIM]
//   remove_training FILE from=FILE [keep=NODE]
//   run TENSOR [feed=TENSOR=RAW FLOATS FILE=DIM,DIM]   prints the values
//   op OP_NAME TYPE                               adds a float placeholder
//   cpus N                                        the number of CPU devices of the next session

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "ramet/ramet.h"

namespace rm = ramet;

namespace {

struct Words {
  std::string command, path;
  std::vector<std::pair<std::string, std::string>> options;

  bool Has(const std::string& key) const {
    for (const auto& [k, v] : options) {
      if (k == key) return true;
    }
    return false;
  }
  std::string Get(const std::string& key, const std::string& otherwise = "") const {
    for (const auto& [k, v] : options) {
      if (k == key) return v;
    }
    return otherwise;
  }
  std::vector<std::string> All(const std::string& key) const {
    std::vector<std::string> values;
    for (const auto& [k, v] : options) {
      if (k == key) values.push_back(v);
    }
    return values;
  }
};

std::pair<std::string, std::string> Halves(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

Words ReadWords(const std::string& line) {
  Words words;
  std::stringstream stream(line);
  std::getline(stream, words.command, '\t');
  std::getline(stream, words.path, '\t');
  for (std::string word; std::getline(stream, word, '\t');) words.options.push_back(Halves(word));
  return words;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

rm::Status WriteAll(const std::string& path, const rm::StatusOr<std::string>& bytes) {
  if (!bytes.ok()) return bytes.status();
  std::ofstream(path, std::ios::binary).write(bytes->data(), static_cast<long>(bytes->size()));
  return rm::OkStatus();
}

class Driver {
 public:
  rm::StatusOr<std::string> Do(const Words& w) {
    if (w.command == "import_graph") return ImportGraph(w);
    if (w.command == "import_meta") return ImportMeta(w);
    if (w.command == "load_model" || w.command == "import_model") return LoadModel(w);
    if (w.command == "restore") return Restore(w);
    if (w.command == "save") return Save(w);
    if (w.command == "export_graph") return Done(ExportGraph(w));
    if (w.command == "export_meta") return Done(ExportMeta(w));
    if (w.command == "save_model") return Done(SaveModel(w));
    if (w.command == "freeze") return Done(Freeze(w));
    if (w.command == "extract") {
      return Done(WriteAll(w.path, rm::ExtractSubGraph(ReadAll(w.Get("from")), w.All("output"))));
    }
    if (w.command == "replace") return Done(Replace(w));
    if (w.command == "remove_training") {
      return Done(WriteAll(w.path, rm::RemoveTrainingNodes(ReadAll(w.Get("from")), w.All("keep"))));
    }
    if (w.command == "run") return Run(w);
    if (w.command == "cpus") return options_.device_count["CPU"] = std::atoi(w.path.c_str()), "";
    if (w.command == "op") {
      rm::Scope scope(graph_);
      return scope.Placeholder(w.path, rm::kFloat).name();
    }
    return rm::InvalidArgument("unknown command ", w.command);
  }

 private:
  static rm::StatusOr<std::string> Done(const rm::Status& status) {
    if (!status.ok()) return status;
    return std::string();
  }

  rm::StatusOr<std::map<std::string, rm::Output>> InputMap(const Words& w) {
    std::map<std::string, rm::Output> map;
    for (const std::string& text : w.All("map")) {
      const auto [key, tensor] = Halves(text);
      if (tensor.find(':') == std::string::npos) {
        RAMET_ASSIGN_OR_RETURN(rm::Operation op, graph_.FindOperation(tensor));
        map[key] = rm::Output(op, 0);
        continue;
      }
      RAMET_ASSIGN_OR_RETURN(map[key], graph_.Tensor(tensor));
    }
    return map;
  }

  static std::string NamesOf(const std::vector<std::variant<rm::Output, rm::Operation>>& elements) {
    std::vector<std::string> names;
    for (const auto& e : elements) {
      names.push_back(std::visit([](const auto& x) { return x.name(); }, e));
    }
    return rm::StrJoin(names, " ");
  }

  rm::StatusOr<std::string> ImportGraph(const Words& w) {
    rm::ImportOptions options;
    options.name = w.Get("name", "import");
    options.return_elements = w.All("return");
    options.clear_devices = w.Has("clear_devices");
    options.validate_shapes = !w.Has("novalidate");
    RAMET_ASSIGN_OR_RETURN(options.input_map, InputMap(w));
    RAMET_ASSIGN_OR_RETURN(auto results, rm::ImportGraphDefFile(graph_, w.path, options));
    return NamesOf(results.return_elements);
  }

  rm::StatusOr<std::string> ImportMeta(const Words& w) {
    rm::ImportMetaGraphOptions options;
    options.import_scope = w.Get("scope");
    options.return_elements = w.All("return");
    options.clear_devices = w.Has("clear_devices");
    options.validate_shapes = !w.Has("novalidate");
    RAMET_ASSIGN_OR_RETURN(options.input_map, InputMap(w));
    RAMET_ASSIGN_OR_RETURN(info_, rm::ImportMetaGraphFile(graph_, w.path, options));
    return NamesOf(info_.return_elements);
  }

  rm::StatusOr<std::string> LoadModel(const Words& w) {
    rm::LoadSavedModelOptions options;
    options.import_scope = w.Get("scope");
    options.run_init_op = !w.Has("no_init");
    if (w.command == "load_model") {
      RAMET_RETURN_IF_ERROR(NeedSession());
      RAMET_ASSIGN_OR_RETURN(model_, rm::LoadSavedModel(*session_, w.path, w.All("tag"), options));
    } else {
      RAMET_ASSIGN_OR_RETURN(model_, rm::ImportSavedModel(graph_, w.path, w.All("tag"), options));
    }
    info_ = model_.info;
    std::string text;
    for (const auto& [key, signature] : model_.signatures) {
      text += key + " " + signature.method_name;
      for (const auto& [name, t] : signature.inputs) text += " <" + name + ":" + t.name;
      for (const auto& [name, t] : signature.outputs) text += " >" + name + ":" + t.name;
      text += "; ";
    }
    for (const auto& asset : model_.assets) text += asset.tensor.name() + "=" + asset.path + "; ";
    if (model_.init_op.valid()) text += "init " + model_.init_op.name();
    return text;
  }

  rm::Status NeedSession() {
    if (session_) return rm::OkStatus();
    RAMET_ASSIGN_OR_RETURN(rm::Session session, rm::Session::Create(graph_, options_));
    session_.emplace(std::move(session));
    return rm::OkStatus();
  }

  rm::StatusOr<std::string> Restore(const Words& w) {
    rm::SaverOptions options;
    for (const std::string& text : w.All("restore_map")) {
      const auto [key, name] = Halves(text);
      for (const rm::Variable& v : info_.variables) {
        if (v.op_name() == name) options.var_map.emplace_back(key, v);
      }
    }
    if (info_.saver && options.var_map.empty()) {
      saver_.emplace(rm::Saver::FromNames(graph_, *info_.saver));
    } else {
      saver_.emplace(graph_, options);
    }
    RAMET_RETURN_IF_ERROR(NeedSession());
    return Done(saver_->Restore(*session_, w.path));
  }

  rm::Status NewSaver() {
    rm::SaverOptions options;
    for (const rm::Variable& v : info_.variables) {
      RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, session_->Value(v));
      if (!value.empty()) options.var_list.push_back(v);
    }
    saver_.emplace(graph_, options);
    return graph_.status();
  }

  rm::StatusOr<std::string> Save(const Words& w) {
    if (w.Has("new")) RAMET_RETURN_IF_ERROR(NewSaver());
    if (!saver_) return rm::FailedPrecondition("nothing was restored");
    return saver_->Save(*session_, w.path,
                        {.write_meta_graph = w.Has("meta"), .write_state = false});
  }

  rm::Status ExportGraph(const Words& w) {
    rm::GraphDefOptions options;
    options.add_shapes = w.Has("shapes");
    options.strip_default_attrs = w.Has("strip");
    options.clear_devices = w.Has("clear_devices");
    options.as_text = w.Has("text");
    return rm::ExportGraphDefFile(graph_, w.path, options);
  }

  rm::Status ExportMeta(const Words& w) {
    rm::ExportMetaGraphOptions options;
    options.export_scope = w.Get("scope");
    options.strip_default_attrs = w.Has("strip");
    options.clear_devices = w.Has("clear_devices");
    options.clear_extraneous_savers = w.Has("clear_savers");
    options.as_text = w.Has("text");
    if (!w.Has("fresh")) {
      options.saver = info_.saver;
      options.carried = info_.carried;
    }
    return rm::ExportMetaGraphFile(graph_, w.path, options);
  }

  rm::Status SaveModel(const Words& w) {
    rm::SavedModelGraph meta;
    meta.tags = w.All("tag");
    meta.signatures = model_.signatures;
    meta.assets = model_.assets;
    if (w.Has("sig")) {
      RAMET_ASSIGN_OR_RETURN(rm::Output in, graph_.Tensor("in:0"));
      RAMET_ASSIGN_OR_RETURN(rm::Output out, graph_.Tensor("out:0"));
      meta.signatures["serving_default"] = rm::MakeSignature({{"in", in}}, {{"out", out}});
    }
    for (const std::string& text : w.All("asset")) {
      const auto [tensor, path] = Halves(text);
      RAMET_ASSIGN_OR_RETURN(rm::Output output, graph_.Tensor(tensor));
      meta.assets.push_back({output, path});
    }
    if (w.Has("main_op")) {
      RAMET_ASSIGN_OR_RETURN(meta.main_op, graph_.FindOperation(w.Get("main_op")));
    }
    std::optional<rm::Saver> saver;
    if (w.Has("own_saver") && info_.saver) {
      meta.saver = &saver.emplace(rm::Saver::FromNames(graph_, *info_.saver));
    }
    meta.carried = info_.carried;
    RAMET_ASSIGN_OR_RETURN(auto builder, rm::SavedModelBuilder::Create(w.path));
    RAMET_RETURN_IF_ERROR(NeedSession());
    RAMET_RETURN_IF_ERROR(builder.AddMetaGraphAndVariables(*session_, meta));
    return builder.Save(w.Has("text")).status();
  }

  // "FILE=DIM,DIM"
  static rm::StatusOr<rm::Tensor> ReadFloats(const std::string& text) {
    const auto [path, shape] = Halves(text);
    std::vector<int64_t> dims;
    std::stringstream stream(shape);
    for (std::string dim; std::getline(stream, dim, ',');) dims.push_back(std::stoll(dim));
    RAMET_ASSIGN_OR_RETURN(rm::Shape s, rm::Shape::Make(dims));
    rm::Tensor value(rm::kFloat, s);
    const std::string bytes = ReadAll(path);
    bytes.copy(reinterpret_cast<char*>(value.mutable_data<float>()), value.bytes());
    return value;
  }

  static rm::Status Replace(const Words& w) {
    std::map<std::string, rm::Tensor> values;
    for (const std::string& text : w.All("value")) {
      const auto [name, rest] = Halves(text);
      RAMET_ASSIGN_OR_RETURN(values[name], ReadFloats(rest));
    }
    return WriteAll(w.path, rm::ReplaceVariables(ReadAll(w.Get("from")), values));
  }

  rm::Status Freeze(const Words& w) {
    rm::ConvertVariablesOptions options;
    if (w.Has("allow")) options.allow = w.All("allow");
    options.deny = w.All("deny");
    RAMET_RETURN_IF_ERROR(NeedSession());
    if (!w.Has("graph")) {
      return WriteAll(w.path, rm::ConvertVariablesToConstants(*session_, w.All("output"), options));
    }
    return WriteAll(w.path, rm::ConvertVariablesToConstants(*session_, ReadAll(w.Get("graph")),
                                                            w.All("output"), options));
  }

  rm::StatusOr<std::string> Run(const Words& w) {
    RAMET_RETURN_IF_ERROR(NeedSession());
    rm::Feeds feeds;
    for (const std::string& text : w.All("feed")) {
      const auto [tensor, rest] = Halves(text);
      RAMET_ASSIGN_OR_RETURN(rm::Tensor value, ReadFloats(rest));
      feeds.push_back({tensor, value});
    }
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor got, session_->Run(feeds, w.path));
    std::string text;
    if (got.empty() || got.dtype() != rm::kFloat) return got.ToString();
    for (float f : got.flat<float>()) {
      char number[40];
      std::snprintf(number, sizeof number, "%.9g ", static_cast<double>(f));
      text += number;
    }
    return text;
  }

  rm::Graph graph_;
  rm::SessionOptions options_ = {.allow_soft_placement = true};
  std::optional<rm::Session> session_;
  std::optional<rm::Saver> saver_;
  rm::MetaGraphInfo info_;
  rm::LoadedSavedModel model_;
};

std::string OneLine(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\\n");
  }
  return text;
}

}  // namespace

int main() {
  Driver driver;
  for (std::string line; std::getline(std::cin, line);) {
    auto result = driver.Do(ReadWords(line));
    if (result.ok()) {
      std::cout << "ok " << OneLine(*result) << std::endl;
    } else {
      const rm::Status& status = result.status();
      std::cout << "error " << rm::CodeName(status.code()) << " " << OneLine(status.message())
                << std::endl;
    }
  }
  return 0;
}
