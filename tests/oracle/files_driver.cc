// Follows and publishes folders of checkpoints for replica_files_test.py.
//
//   files_driver follow ADDRESS OUT [META]
//       for each line "VERSION" on stdin: waits for that version or a later one, writes the values
//       of all variables as raw bytes to OUT/NAME ('/' as '+') and prints "VERSION STEP". The graph
//       is that of the file META if given, else that of the checkpoints
//   files_driver hunt ADDRESS ENOUGH LAST
//       follows until the elements of the first variable are LAST; prints "enough" after ENOUGH
//       versions, and at the end the numbers of versions seen, of versions with unequal elements,
//       and of refused versions
//   files_driver publish META ADDRESS OUT STEPS
//       imports META, initializes it, runs "train" STEPS times and publishes after each run; writes
//       the values to OUT/STEP+NAME and prints the version

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace rm = ramet;

namespace {

using namespace std::chrono_literals;

std::vector<rm::Variable> Variables(rm::Session& session) {
  return session.graph().collections().Get<rm::Variable>(rm::graph_keys::kGlobalVariables);
}

void Write(rm::Session& session, const std::string& out) {
  for (const rm::Variable& variable : Variables(session)) {
    std::string name = variable.op_name();
    for (char& c : name) c = c == '/' ? '+' : c;
    const rm::Tensor value = session.Value(variable).value();
    if (value.empty()) continue;
    std::ofstream file(out + name, std::ios::binary);
    file.write(static_cast<const char*>(value.raw_data()),
               static_cast<std::streamsize>(value.bytes()));
  }
}

void Follow(const std::string& address, const std::string& out, const std::string& meta) {
  rm::Graph graph;
  std::optional<rm::Session> session;
  rm::FollowerOptions options;
  options.wait = 120s;
  if (!meta.empty()) {
    rm::ImportMetaGraph(graph, meta).value();
    session.emplace(rm::Session::Create(graph).value());
    options.session = &*session;
    options.allow_missing = true;
  }
  rm::Follower follower = rm::Follower::Open(address, options).value();
  for (std::string line; std::getline(std::cin, line);) {
    const rm::VersionInfo info = follower.Wait(std::stoull(line), 120s).value();
    Write(follower.session(), out + "/");
    std::cout << info.id.version << ' ' << info.id.step << std::endl;
  }
}

void Hunt(const std::string& address, size_t enough, float last) {
  rm::Follower follower = rm::Follower::Open(address, {.wait = 120s}).value();
  std::vector<rm::GraphElement> reads;
  for (const rm::Variable& variable : Variables(follower.session())) {
    reads.push_back(variable.op_name() + "/read:0");
  }
  std::set<uint64_t> seen;
  int torn = 0;
  for (float now = 0; now != last;) {
    rm::RunMetadata metadata;
    const std::vector<rm::Tensor> values =
        follower.session().Run({}, rm::Fetches(reads), {}, &metadata).value();
    now = values[0].flat<float>()[0];
    if (!seen.insert(metadata.version.version).second) continue;
    if (seen.size() == enough) std::cout << "enough" << std::endl;
    bool same = true;
    for (const rm::Tensor& value : values) {
      for (const float element : value.flat<float>()) same = same && element == now;
    }
    torn += !same;
  }
  std::cout << seen.size() << ' ' << torn << ' ' << follower.stats().refused << std::endl;
}

void Publish(const std::string& meta, const std::string& address, const std::string& out,
             int steps) {
  rm::Graph graph;
  rm::ImportMetaGraph(graph, meta).value();
  rm::Session session = rm::Session::Create(graph).value();
  session.InitializeMissing().value();
  rm::PublisherOptions options;
  options.all_variables = true;
  options.retention.retained = steps;
  options.retention.at_limit = rm::RetentionOptions::AtLimit::kWait;
  rm::Publisher publisher = rm::Publisher::Open(address, session, options).value();
  for (int i = 1; i <= steps; ++i) {
    session.Run("train").value();
    std::cout << publisher.Publish().value() << std::endl;
    Write(session, out + "/" + std::to_string(i) + "+");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if ((args.size() == 3 || args.size() == 4) && args[0] == "follow") {
    Follow(args[1], args[2], args.size() == 4 ? args[3] : "");
  } else if (args.size() == 4 && args[0] == "hunt") {
    Hunt(args[1], std::stoul(args[2]), std::stof(args[3]));
  } else if (args.size() == 5 && args[0] == "publish") {
    Publish(args[1], args[2], args[3], std::stoi(args[4]));
  } else {
    std::cerr << "files_driver follow ADDRESS OUT [META] | hunt ADDRESS ENOUGH LAST | publish META "
                 "ADDRESS OUT STEPS\n";
    return 2;
  }
  return 0;
}
