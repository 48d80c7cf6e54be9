// saver_driver SCRIPT: runs a script of saver commands, one per line with tab-separated fields, and
// prints one line for each: "ok RESULT" or "error CODE MESSAGE" (newlines as "\n").
// saver_options_test.py runs the same script with TensorFlow.
//
//   graph META             starts a new graph, imported from META without its saver
//   load ID META           starts a new graph, imported from META with its saver
//   session CPUS           creates a session with CPUS CPU devices
//   init                   runs the initializers of variables without a value
//   assign VAR VALUE       fills a float variable
//   value VAR              prints its values
//   object NAME VAR VAR    a saveable object that saves the first variable and twice the second
//   saver ID KEY=VALUE...  lists are separated by ',', entries of var_map are NAME:VAR+VAR
//   build ID | save ID PATH KEY=VALUE... | restore ID PATH | meta ID PATH KEY=VALUE...
//   last ID | set_last ID PATHS | recover ID PATHS | proto ID SCOPE | from_proto ID ID2 SCOPE
//   run FETCH FEED VALUE   runs a tensor or operation with a string fed
//   latest DIR FILE | exists PREFIX | remove PREFIX | mtimes PREFIXES | state DIR
//   update DIR PATH ALL TIMES | iterate DIR COUNT TIMEOUT_MS | touch PATH
//   forward SECONDS        advances the clock

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "ramet/ramet.h"

namespace rm = ramet;

namespace {

std::atomic<int64_t> seconds_ahead = 0;

using Words = std::vector<std::string>;
using Options = std::map<std::string, std::string>;

Words Split(const std::string& text, char by) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, by);) words.push_back(word);
  return words;
}

Options OptionsFrom(const Words& words, size_t first) {
  Options options;
  for (size_t i = first; i < words.size(); ++i) {
    const size_t eq = words[i].find('=');
    options[words[i].substr(0, eq)] = words[i].substr(eq + 1);
  }
  return options;
}

void Check(const rm::Status& status) {
  if (!status.ok()) throw rm::BadStatusAccess(status);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ",") + w;
  return text;
}

class Script {
 public:
  std::string Run(const Words& w) {
    auto it = commands_.find(w.at(0));
    if (it == commands_.end()) throw std::runtime_error("no such command: " + w[0]);
    return (this->*it->second)(w);
  }

 private:
  using Command = std::string (Script::*)(const Words&);

  rm::Variable Find(const std::string& name) {
    for (size_t i = 0; i < graph_->variables().size(); ++i) {
      rm::Variable v(graph_.get(), static_cast<rm::VariableId>(i));
      if (v.op_name() == name) return v;
    }
    throw std::runtime_error("no such variable: " + name);
  }

  std::vector<rm::Variable> FindAll(const Words& names) {
    std::vector<rm::Variable> found;
    for (const std::string& name : names) found.push_back(Find(name));
    return found;
  }

  void NewGraph() {
    savers_.clear();
    session_.reset();
    graph_ = std::make_unique<rm::Graph>();
  }

  std::string NewGraphFrom(const Words& w) {
    NewGraph();
    Check(rm::ImportMetaGraphFile(*graph_, w.at(1)).status());
    return "";
  }

  std::string Load(const Words& w) {
    NewGraph();
    auto imported = rm::ImportMetaGraph(*graph_, w.at(2));
    Check(imported.status());
    savers_.insert_or_assign(w.at(1), std::move(imported->saver));
    return "";
  }

  std::string NewSession(const Words& w) {
    rm::SessionOptions options;
    options.device_count = {{"CPU", std::stoi(w.at(1))}};
    options.allow_soft_placement = true;
    session_ = std::make_unique<rm::Session>(rm::Session::Create(*graph_, options).value());
    return "";
  }

  std::string Init(const Words&) {
    session_->InitializeMissing().value();
    return "";
  }

  std::string Assign(const Words& w) {
    const rm::Variable v = Find(w.at(1));
    rm::Tensor value(v.dtype(), v.shape());
    if (v.dtype() == rm::kInt64) {
      value.mutable_flat<int64_t>()[0] = std::stoll(w.at(2));
    } else {
      for (float& f : value.mutable_flat<float>()) f = std::stof(w.at(2));
    }
    Check(session_->Assign(v, value));
    return "";
  }

  std::string Value(const Words& w) {
    std::string text;
    const rm::Tensor value = session_->Value(Find(w.at(1))).value();
    for (float f : value.flat<float>()) text += (text.empty() ? "" : " ") + std::to_string(f);
    return text;
  }

  std::string NewObject(const Words& w) {
    rm::Scope scope(*graph_);
    const rm::Variable a = Find(w.at(2)), b = Find(w.at(3));
    const rm::Output twice =
        rm::AddOp(*graph_, "Mul", {b.value(), rm::Tensor(2.0f)}, {}, "mul").output(0);
    rm::SaveableObject object;
    object.name = w.at(1);
    object.specs = {{a.value(), "", w[1] + "/x"}, {twice, "", w[1] + "/y"}};
    object.restore = [this, a, b](const std::vector<rm::Output>& read,
                                  const std::vector<rm::Input>& shapes) {
      rm::Output x = read[0];
      if (!shapes.empty()) {
        x = rm::AddOp(*graph_, "Reshape", {x, shapes[0]}).output(0);
      }
      const rm::Operation first = rm::AddOp(*graph_, "Assign", {a.ref(), x});
      const rm::Output half =
          rm::AddOp(*graph_, "RealDiv", {read[1], rm::Tensor(2.0f)}, {}, "truediv").output(0);
      return rm::Group(*graph_, {first, rm::AddOp(*graph_, "Assign", {b.ref(), half})},
                       "group_deps");
    };
    objects_.insert_or_assign(w[1], object);
    return "";
  }

  std::string NewSaver(const Words& w) {
    rm::SaverOptions o;
    for (const auto& [key, value] : OptionsFrom(w, 2)) {
      if (key == "var_list") o.var_list = FindAll(Split(value, ','));
      if (key == "objects") {
        for (const std::string& name : Split(value, ',')) {
          o.saveable_objects.push_back(objects_.at(name));
        }
      }
      if (key == "var_map") {
        for (const std::string& entry : Split(value, ',')) {
          const Words parts = Split(entry, ':');
          std::vector<rm::Variable> found = FindAll(Split(parts.at(1), '+'));
          o.var_map.emplace_back(parts[0], parts[1].find('+') == std::string::npos
                                               ? rm::SavedVariable(found[0])
                                               : rm::SavedVariable(found));
        }
      }
      if (key == "reshape") o.reshape = value == "1";
      if (key == "sharded") o.sharded = value == "1";
      if (key == "max_to_keep") o.max_to_keep = std::stoi(value);
      if (key == "keep_checkpoint_every_n_hours")
        o.keep_checkpoint_every_n_hours = std::stod(value);
      if (key == "name") o.name = value;
      if (key == "restore_sequentially") o.restore_sequentially = value == "1";
      if (key == "defer_build") o.defer_build = value == "1";
      if (key == "allow_empty") o.allow_empty = value == "1";
      if (key == "write_version")
        o.write_version = static_cast<rm::SaverNames::Format>(value[0] - '0');
      if (key == "pad_step_number") o.pad_step_number = value == "1";
      if (key == "save_relative_paths") o.save_relative_paths = value == "1";
      if (key == "filename") o.filename = value;
    }
    rm::Saver saver(*graph_, o);
    Check(graph_->status());
    savers_.insert_or_assign(w.at(1), std::move(saver));
    return "";
  }

  std::string Build(const Words& w) {
    Check(savers_.at(w.at(1)).Build());
    return "";
  }

  static std::optional<rm::GlobalStep> StepFrom(const std::string& text) {
    if (text.find_first_not_of("-0123456789") == std::string::npos) return std::stoll(text);
    return rm::GlobalStep(text);
  }

  std::string Save(const Words& w) {
    rm::SaveOptions o;
    for (const auto& [key, value] : OptionsFrom(w, 3)) {
      if (key == "global_step") o.global_step = StepFrom(value);
      if (key == "latest_filename") o.latest_filename = value;
      if (key == "meta_graph_suffix") o.meta_graph_suffix = value;
      if (key == "write_meta_graph") o.write_meta_graph = value == "1";
      if (key == "write_state") o.write_state = value == "1";
      if (key == "strip_default_attrs") o.strip_default_attrs = value == "1";
      if (key == "save_debug_info") o.save_debug_info = value == "1";
    }
    return savers_.at(w.at(1)).Save(*session_, w.at(2), o).value();
  }

  std::string Restore(const Words& w) {
    Check(savers_.at(w.at(1)).Restore(*session_, w.size() > 2 ? w[2] : ""));
    return "";
  }

  std::string Meta(const Words& w) {
    rm::ExportMetaGraphOptions o;
    for (const auto& [key, value] : OptionsFrom(w, 3)) {
      if (key == "clear_devices") o.clear_devices = value == "1";
      if (key == "as_text") o.as_text = value == "1";
      if (key == "strip_default_attrs") o.strip_default_attrs = value == "1";
      if (key == "clear_extraneous_savers") o.clear_extraneous_savers = value == "1";
    }
    Check(savers_.at(w.at(1)).ExportMetaGraph(w.at(2), o));
    return "";
  }

  std::string Last(const Words& w) { return Joined(savers_.at(w.at(1)).last_checkpoints()); }

  std::string SetLast(const Words& w) {
    savers_.at(w.at(1)).SetLastCheckpoints(Split(w.at(2), ','));
    return "";
  }

  std::string Recover(const Words& w) {
    savers_.at(w.at(1)).RecoverLastCheckpoints(Split(w.at(2), ','));
    return "";
  }

  std::string Proto(const Words& w) {
    const std::string bytes = savers_.at(w.at(1)).ToProto(w.size() > 2 ? w[2] : "").value();
    std::string hex;
    for (unsigned char c : bytes) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02x", c);
      hex += digits;
    }
    return hex;
  }

  std::string FromProto(const Words& w) {
    const std::string bytes = savers_.at(w.at(1)).ToProto(w.size() > 3 ? w[3] : "").value();
    rm::Saver copy = rm::Saver::FromProto(*graph_, bytes, w.size() > 3 ? w[3] : "").value();
    savers_.insert_or_assign(w.at(2), std::move(copy));
    return "";
  }

  std::string RunNodes(const Words& w) {
    const rm::Tensor got = session_->Run({{w.at(2), rm::Tensor(w.at(3))}}, w.at(1)).value();
    if (got.empty() || got.dtype() != rm::kString) return "";
    return got.data<std::string>()[0];
  }

  std::string Latest(const Words& w) {
    auto latest = rm::LatestCheckpoint(w.at(1), w.size() > 2 ? w[2] : "checkpoint");
    return latest.ok() ? *latest : "none";
  }

  std::string Exists(const Words& w) { return rm::CheckpointExists(w.at(1)) ? "yes" : "no"; }

  std::string Remove(const Words& w) {
    Check(rm::RemoveCheckpoint(w.at(1)));
    return "";
  }

  std::string Mtimes(const Words& w) {
    return std::to_string(rm::GetCheckpointMtimes(Split(w.at(1), ',')).size());
  }

  std::string State(const Words& w) {
    auto state = rm::GetCheckpointState(w.at(1)).value();
    if (!state) return "none";
    std::string text =
        state->model_checkpoint_path + ";" + Joined(state->all_model_checkpoint_paths);
    for (double t : state->all_model_checkpoint_timestamps) text += ";" + std::to_string(t);
    return text;
  }

  std::string Update(const Words& w) {
    rm::CheckpointStateInfo state;
    state.model_checkpoint_path = w.at(2);
    if (w.size() > 3) state.all_model_checkpoint_paths = Split(w[3], ',');
    if (w.size() > 4) {
      for (const std::string& t : Split(w[4], ',')) {
        state.all_model_checkpoint_timestamps.push_back(std::stod(t));
      }
    }
    Check(rm::UpdateCheckpointState(w.at(1), state));
    return "";
  }

  std::string Iterate(const Words& w) {
    rm::CheckpointsIteratorOptions o;
    o.timeout = std::chrono::milliseconds(std::stoi(w.at(3)));
    rm::CheckpointsIterator all(w.at(1), o);
    Words seen;
    for (int i = 0; i < std::stoi(w.at(2)); ++i) {
      auto next = all.Next();
      seen.push_back(next ? *next : "end");
    }
    return Joined(seen);
  }

  std::string Forward(const Words& w) {
    seconds_ahead += std::stoi(w.at(1));
    return "";
  }

  std::string Touch(const Words& w) {
    std::ofstream(w.at(1)) << (w.size() > 2 ? w[2] : "");
    return "";
  }

  const std::map<std::string, Command> commands_ = {
      {"graph", &Script::NewGraphFrom},
      {"load", &Script::Load},
      {"session", &Script::NewSession},
      {"init", &Script::Init},
      {"assign", &Script::Assign},
      {"value", &Script::Value},
      {"object", &Script::NewObject},
      {"saver", &Script::NewSaver},
      {"build", &Script::Build},
      {"save", &Script::Save},
      {"restore", &Script::Restore},
      {"meta", &Script::Meta},
      {"last", &Script::Last},
      {"set_last", &Script::SetLast},
      {"recover", &Script::Recover},
      {"proto", &Script::Proto},
      {"from_proto", &Script::FromProto},
      {"run", &Script::RunNodes},
      {"latest", &Script::Latest},
      {"exists", &Script::Exists},
      {"remove", &Script::Remove},
      {"mtimes", &Script::Mtimes},
      {"state", &Script::State},
      {"update", &Script::Update},
      {"iterate", &Script::Iterate},
      {"forward", &Script::Forward},
      {"touch", &Script::Touch},
  };
  std::unique_ptr<rm::Graph> graph_;
  std::map<std::string, rm::SaveableObject> objects_;
  std::map<std::string, rm::Saver> savers_;
  std::unique_ptr<rm::Session> session_;
};

std::string OneLine(const std::string& text) {
  std::string line;
  for (char c : text) line += c == '\n' ? "\\n" : std::string(1, c);
  return line;
}

}  // namespace

// Replaces the system's function for everything that this program loads.
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += seconds_ahead;
  return static_cast<int>(result);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Script script;
  std::ifstream in(argv[1]);
  for (std::string line; std::getline(in, line);) {
    try {
      const std::string result = script.Run(Split(line, '\t'));
      std::cout << "ok " << OneLine(result) << std::endl;
    } catch (const rm::BadStatusAccess& e) {
      std::cout << "error " << OneLine(e.what()) << std::endl;
    } catch (const std::exception& e) {
      std::cout << "wrong " << e.what() << std::endl;
      return 1;
    }
  }
}
