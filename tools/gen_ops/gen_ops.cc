// gen_ops [--check] ROOT: writes ramet/builders/ops.gen.h, ramet/builders/ops.gen.cc and
// docs/ops.md in the source tree ROOT, from the op registry and the conformance cases. With --check
// it only compares them, and fails if they differ.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "writers.h"

namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns 0, or 1 after printing what is wrong.
int Put(const std::filesystem::path& path, const std::string& text, bool check) {
  if (ReadFile(path) == text) return 0;
  if (check) {
    std::cerr << path.string() << " does not match the op registry; run gen_ops ROOT\n";
    return 1;
  }
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (out.flush()) return 0;
  std::cerr << "cannot write " << path.string() << "\n";
  return 1;
}

// The texts between each `begin` in the line and the next quote mark.
std::vector<std::string> Quoted(const std::string& line, const std::string& begin) {
  std::vector<std::string> found;
  for (size_t at = 0; (at = line.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    found.push_back(line.substr(at, line.find('"', at) - at));
  }
  return found;
}

// Counts the lines of the files in a folder under tests/data that name each op: as the member "op"
// of a case, as the second string of a program's node, or as the first word.
void CountCases(const std::filesystem::path& root, gen_ops::CaseCounts* counts) {
  const std::filesystem::path data = root / "tests/data";
  const auto each_line = [&](const char* folder, auto&& names_of) {
    for (const auto& file : std::filesystem::directory_iterator(data / folder)) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) {
        const std::vector<std::string> names = names_of(line);
        for (const std::string& name : std::set(names.begin(), names.end())) ++(*counts)[name];
      }
    }
  };
  each_line("conformance", [](const std::string& line) { return Quoted(line, "\"op\":\""); });
  each_line("conformance_programs", [](const std::string& line) {
    std::vector<std::string> ops = Quoted(line, " op: \\\"");
    for (std::string& op : ops) op.pop_back();
    for (const std::string& name : Quoted(line, "[\"")) {
      const auto types = Quoted(line, "[\"" + name + "\",\"");
      ops.insert(ops.end(), types.begin(), types.end());
    }
    return ops;
  });
  each_line("random", [](const std::string& line) {
    return std::vector<std::string>{line.substr(0, line.find(' '))};
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 + check || argv[argc - 1][0] == '-') {
    std::cerr << "usage: gen_ops [--check] ROOT\n";
    return 2;
  }
  const std::filesystem::path root = argv[argc - 1];
  const std::vector<const ramet::Op*> ops = ramet::OpRegistry::Global().All();
  std::vector<gen_ops::Signature> signatures;
  for (const ramet::Op* op : ops) {
    if (gen_ops::IsLeftOut(op->name())) continue;
    auto signature = gen_ops::MakeSignature(*op);
    if (!signature.ok()) {
      std::cerr << signature.status().ToString() << "\n";
      return 1;
    }
    signatures.push_back(*signature);
  }
  gen_ops::CaseCounts counts;
  CountCases(root, &counts);
  int bad = Put(root / "ramet/builders/ops.gen.h", gen_ops::HeaderText(signatures), check);
  bad += Put(root / "ramet/builders/ops.gen.cc", gen_ops::SourceText(signatures), check);
  bad += Put(root / "docs/ops.md", gen_ops::DocsText(ops, counts), check);
  return bad == 0 ? 0 : 1;
}
