// Folders of checkpoints: the state file, and the files that a publisher puts next to checkpoints.
#include "formats.h"
#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"
#include "ramet/proto/checkpoint.pb.h"
#include "spoil.h"
#include "text_draft.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

std::string DrawPath(Random& random) {
  if (random.Percent(40)) return "m";
  if (random.Percent(20)) return DrawString(random);
  if (random.Percent(5)) return std::string(static_cast<size_t>(random.Below(10'000)), 'p');
  return random.Pick({"",
                      ".",
                      "..",
                      "/",
                      "checkpoint",
                      "m.index",
                      "m-1",
                      "./m",
                      "../in/m",
                      "//m",
                      "m*",
                      "m-\?\?\?\?\?-of-00001",
                      "[m]",
                      "m\\",
                      "sub/m",
                      "/dev/zero",
                      "m\n",
                      "~",
                      "m-99999999999999999999",
                      "m-0",
                      "m.data-00000-of-00001"});
}

// A link, a pipe or a folder where a file is expected.
void AddOddFile(Random& random, std::string path, FileSet* set) {
  using Kind = DrawnFile::Kind;
  DrawnFile odd{std::move(path), "", random.Pick({Kind::kFolder, Kind::kPipe, Kind::kLink})};
  if (odd.kind == Kind::kLink)
    odd.bytes = random.Pick({"m.index", "nowhere", "checkpoint", ".", "/dev/zero"});
  set->files.push_back(std::move(odd));
}

std::string DrawState(Random& random) {
  CheckpointState state;
  state.set_model_checkpoint_path(DrawPath(random));
  for (int64_t n = random.Percent(3) ? 2000 : random.Below(4); n > 0; --n) {
    state.add_all_model_checkpoint_paths(DrawPath(random));
    if (random.Percent(80)) state.add_all_model_checkpoint_timestamps(HostileNumber(random));
  }
  if (random.Percent(30)) state.set_last_preserved_timestamp(HostileNumber(random));
  for (int64_t n = random.Pick({0, 0, 1, 2}); n > 0; --n) SpoilMessage(random, &state);
  std::string text = BytesOf(random, state, 95);
  if (random.Percent(10)) {
    text += random.Pick({"unknown: 1\n", "model_checkpoint_path: 'm'\n", "# a comment", "{",
                         "all_model_checkpoint_paths: ['m', 'n']", "[a.b/c]: {}",
                         "all_model_checkpoint_timestamps: -nan", "model_checkpoint_path: '\\0m'"});
  }
  if (random.Percent(3)) text += std::string(5000, '{');
  return text;
}

std::string DrawSpec(Random& random, int lies) {
  std::string shape;
  for (int64_t rank = random.Percent(lies) ? random.Below(300) : 2; rank > 0; --rank) {
    shape += (shape.empty() ? "" : ",") + JsonNumber(random, rank == 2 ? 2 : 3, lies / 3);
  }
  const std::string name = random.Percent(lies) ? DrawTensorName(random) : "w";
  const std::string dtype =
      random.Percent(lies) ? random.Pick({"int8", "string", "", "double", "resource", "bfloat16"})
                           : "float";
  std::string spec = StrCat("{\"name\":", JsonString(random, name), ",\"dtype\":\"", dtype,
                            "\",\"shape\":[", shape, "]");
  if (random.Percent(lies)) spec += ",\"source\":" + JsonString(random, DrawTensorName(random));
  if (random.Percent(lies)) spec += ",\"source_dtype\":\"float\"";
  if (random.Percent(lies)) spec += ",\"scales\":" + JsonString(random, "w:scales");
  return spec + "}";
}

// Draws a version file (ramet/replica/files/version_file.h) for an index of these bytes.
std::string DrawVersion(Random& random, const std::string& index) {
  const int lies = random.Pick({0, 10, 30, 60});
  std::string text = "{";
  const auto add = [&](const char* name, std::string value) {
    if (random.Percent(lies / 6)) return;
    if (random.Percent(lies / 6)) value = JsonValue(random);
    text += StrCat(text.size() > 1 ? "," : "", "\"", name, "\":", value);
    if (random.Percent(lies / 10)) text += StrCat(",\"", name, "\":", value);
  };
  add("layout", JsonNumber(random, 1, lies / 4));
  add("epoch", JsonNumber(random, 5, lies));
  add("version", JsonNumber(random, 7, lies));
  add("step", JsonNumber(random, 8, lies));
  add("time_nanos", JsonNumber(random, 1, lies));
  add("index_bytes", JsonNumber(random, static_cast<int64_t>(index.size()), lies / 4));
  add("index_crc32c", JsonNumber(random, crc32c::Value(index), lies / 4));
  if (random.Percent(30)) add("rollback_to", JsonNumber(random, 3, lies));
  if (random.Percent(50)) {
    add("metrics", StrCat("{\"loss\":", random.Percent(50) ? "\"nan\"" : JsonValue(random), "}"));
  }
  if (random.Percent(30)) add("source_hash", JsonString(random, DrawString(random)));
  if (random.Percent(30)) add("content_hash", JsonString(random, std::string(16, 'a')));
  std::string specs;
  for (int64_t n = random.Percent(60) ? random.In(0, 3) : 0; n > 0; --n) {
    specs += (specs.empty() ? "" : ",") + DrawSpec(random, lies);
  }
  if (!specs.empty()) add("signature", "[" + specs + "]");
  text += "}";
  if (random.Percent(lies / 10)) SpoilBytes(random, &text);
  return text;
}

}  // namespace

void ReplaceByOddFile(Random& random, FileSet* set) {
  const auto at = static_cast<size_t>(random.Below(static_cast<int64_t>(set->files.size())));
  const std::string path = set->files[at].path;
  set->files.erase(set->files.begin() + static_cast<int64_t>(at));
  AddOddFile(random, path, set);
}

FileSet DrawStateFile(Random& random) {
  FileSet set{"state", ".", {}};
  AddModelBundle(random, random.Percent(80) ? "m" : "m-1", random.Pick({0, 0, 30}), &set);
  set.Add("checkpoint", DrawState(random));
  if (random.Percent(8)) ReplaceByOddFile(random, &set);
  return set;
}

FileSet DrawVersionFile(Random& random) {
  FileSet set{"version", ".", {}};
  AddModelBundle(random, "m-7", random.Pick({0, 0, 0, 30}), &set);
  set.Add("m-7.version", DrawVersion(random, set.files.back().bytes));
  if (random.Percent(50)) set.Add("checkpoint", "model_checkpoint_path: 'm-7'\n");
  if (random.Percent(40)) {
    set.Add("m-7.meta", BytesOf(random, DrawMetaGraphDef(random), 10));
  }
  if (random.Percent(10)) {
    set.Add("labels/stable.label", DrawState(random));
  } else if (random.Percent(15)) {
    AddOddFile(random, random.Pick({"m-7.graphs", "labels", "m-8.index"}), &set);
  }
  if (random.Percent(8)) ReplaceByOddFile(random, &set);
  return set;
}

}  // namespace ramet::fuzz
