// The uses of files of tensors.
#include <algorithm>
#include <map>
#include <set>

#include "npy.h"
#include "npz.h"
#include "ramet/base/file.h"
#include "ramet/data/idx.h"
#include "ramet/data/mnist.h"
#include "ramet/format/safetensors.h"
#include "tensors.h"
#include "use.h"

namespace ramet::fuzz {
namespace {

uint64_t Touch(const Tensor& value) {
  uint64_t sum = 0;
  if (value.dtype() == kString) {
    for (const std::string& s : value.flat<std::string>()) {
      for (const char c : s) sum += static_cast<uint8_t>(c);
    }
    return sum;
  }
  const auto* bytes = static_cast<const uint8_t*>(value.raw_data());
  for (size_t i = 0; i < value.bytes(); ++i) sum += bytes[i];
  return sum;
}

bool HasOddBool(const Tensor& value) {
  const auto* bytes = static_cast<const uint8_t*>(value.raw_data());
  return value.dtype() == kBool &&
         std::any_of(bytes, bytes + value.bytes(), [](uint8_t b) { return b > 1; });
}

// Writes the tensors in one of the formats, and reads them again.
void Convert(FileUse& use, const std::vector<cli::TensorInfo>& infos,
             const std::map<std::string, Tensor>& values) {
  use.progress.Phase("converting");
  cli::SinkOptions options;
  options.format = use.random.Pick(cli::SinkFormats());
  options.compress = use.random.Percent(50);
  if (options.format == "v2") options.shards = static_cast<int>(use.random.In(1, 3));
  const std::string to = JoinPath(use.out, "converted");
  auto sink = cli::MakeSink(to, infos, options);
  if (!use.Ok(sink.status())) return;
  for (const size_t i : (*sink)->Order()) {
    if (!use.Ok((*sink)->Add(infos[i], values.at(infos[i].name)))) return;
  }
  if (!use.Ok((*sink)->Finish())) return;
  use.progress.Phase("reading what was converted");
  auto source = cli::OpenTensors(to);
  if (!source.ok()) return use.Find("converted: " + source.status().ToString());
  for (const auto& [name, value] : values) {
    const auto same = (*source)->Read(name);
    if (!same.ok() || !same->BitwiseEquals(value)) {
      use.Find(StrCat("converted: not the same values in ", options.format, ": ",
                      same.status().ToString()));
    }
  }
  use.progress.Exported();
}

}  // namespace

bool FileUse::Ok(const Status& status) const {
  if (!status.ok()) progress.Note(status.ToString());
  const std::string_view what = status.message();
  if (has_graph) return status.ok();
  if (what.find("out of memory") != what.npos || what.find("out of host memory") != what.npos) {
    Find("memory: " + status.ToString());
  }
  return status.ok();
}

void FileUse::Check(const Tensor& value, DType dtype, const Shape& shape, const char* what) const {
  progress.Note(StrCat(what, " ", DTypeName(value.dtype()), value.shape(), " ", Touch(value)));
  if (value.dtype() != dtype || value.shape() != shape) {
    Find(StrCat("a ", what, " is ", DTypeName(value.dtype()), value.shape(), ", not ",
                DTypeName(dtype), shape));
  }
  if (HasOddBool(value)) {
    Find(StrCat("bool: a ", what, " has a byte that is neither 0 nor 1"));
  }
  value.ToString();
}

void UseTensors(FileUse& use) {
  use.progress.Phase("opening as a file of tensors");
  auto source = cli::OpenTensors(use.path);
  if (!use.Ok(source.status())) return;
  use.progress.Phase("listing tensors");
  const auto infos = (*source)->List();
  if (!use.Ok(infos.status())) return;
  use.progress.Phase("reading tensors");
  std::map<std::string, Tensor> values;
  for (const cli::TensorInfo& info : *infos) {
    const Status verified = (*source)->Verify(info.name);
    auto value = (*source)->Read(info.name);
    if (verified.ok() != value.ok()) use.Find("verified: " + verified.ToString());
    if (!use.Ok(value.status())) continue;
    use.Check(*value, info.dtype, info.shape, "tensor");
    values.emplace(info.name, *std::move(value));
  }
  if (!infos->empty() && values.size() == infos->size()) Convert(use, *infos, values);
}

void UseSafetensors(FileUse& use) {
  use.progress.Phase("opening");
  const auto reader = SafetensorsReader::Open(use.path);
  if (use.Ok(reader.status())) {
    use.progress.Built();
    uint64_t end = 0;
    for (const SafetensorsEntry& entry : reader->entries()) {
      if (entry.begin != end || entry.end < entry.begin) use.Find("safetensors: a gap");
      end = entry.end;
      const auto value = reader->Read(entry.name);
      if (!use.Ok(value.status())) continue;
      use.Check(*value, entry.dtype, entry.shape, "tensor");
      use.progress.Ran();
    }
  }
  UseTensors(use);
}

void UseNpz(FileUse& use) {
  use.progress.Phase("opening");
  auto reader = cli::NpzReader::Open(use.path);
  if (use.Ok(reader.status())) {
    use.progress.Built();
    std::set<std::string> names;
    for (const cli::NpzMember& member : reader->members()) {
      if (!names.insert(member.name).second) use.Find("npz: a name stands twice");
      const auto value = reader->Read(member.name);
      if (!use.Ok(value.status())) continue;
      use.Check(*value, member.dtype, member.shape, "array");
      use.progress.Ran();
    }
  }
  UseTensors(use);
}

void UseNpy(FileUse& use) {
  use.progress.Phase("opening");
  const auto value = cli::ReadNpy(use.path);
  if (use.Ok(value.status())) {
    use.progress.Built();
    use.Check(*value, value->dtype(), value->shape(), "array");
    const std::string to = JoinPath(use.out, "again.npy");
    if (!use.Ok(cli::WriteNpy(to, *value))) return;
    const auto again = cli::ReadNpy(to);
    if (!again.ok() || !again->BitwiseEquals(*value)) use.Find("npy: not the same array");
    use.progress.Ran();
  }
  UseTensors(use);
}

void UseIdx(FileUse& use) {
  use.progress.Phase("opening");
  const auto array = ReadIdx(use.path);
  if (!use.Ok(array.status())) return;
  use.progress.Built();
  int64_t elements = 1;
  for (const int64_t dim : array->shape) elements *= dim;
  if (elements != static_cast<int64_t>(array->data.size())) use.Find("idx: not its elements");
  use.progress.Ran();
}

void UseMnist(FileUse& use) {
  use.progress.Phase("reading");
  MnistOptions options;
  options.validation_size = use.random.In(-1, 5);
  options.one_hot = use.random.Percent(50);
  options.reshape = use.random.Percent(50);
  options.dtype = use.random.Percent(70) ? kFloat : kUInt8;
  options.num_classes = static_cast<int>(use.random.Pick({10, 10, 1, 0, -1, 300}));
  options.seed = 1;
  auto data = Mnist::Read(use.path, options);
  if (!use.Ok(data.status())) return;
  use.progress.Built();
  for (DataSet* part : {&data->train, &data->validation, &data->test}) {
    for (const int64_t size : {int64_t{3}, int64_t{0}, int64_t{-1}, int64_t{20}}) {
      const Batch batch = part->NextBatch(size, use.random.Percent(50));
      Touch(batch.images);
      Touch(batch.labels);
    }
    Touch(part->images());
    Touch(part->labels());
  }
  use.progress.Ran();
}

}  // namespace ramet::fuzz
