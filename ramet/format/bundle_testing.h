#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/bundle_restore.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/format/table_writer.h"

// Shared code for tests of bundles.
namespace ramet {

inline TensorSlice Slice(std::string_view text) { return TensorSlice::Parse(text).value(); }

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

inline Status Save(const std::string& prefix, const NamedTensors& tensors) {
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix));
  for (const auto& [name, tensor] : tensors) RAMET_RETURN_IF_ERROR(writer.Add(name, tensor));
  return writer.Finish();
}

inline StatusOr<std::vector<Tensor>> Load(const std::string& prefix,
                                          const std::vector<std::string>& names) {
  std::vector<BundleRequest> requests;
  for (const std::string& name : names) requests.push_back({name, DType::kInvalid, ""});
  return ReadBundle(prefix, requests);
}

// Reads every tensor of the bundle, one by one.
inline StatusOr<NamedTensors> LoadAll(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(prefix));
  RAMET_ASSIGN_OR_RETURN(const std::vector<BundleTensor> list, reader.List());
  NamedTensors tensors;
  for (const BundleTensor& info : list) {
    RAMET_ASSIGN_OR_RETURN(Tensor tensor, reader.Read(info.name));
    tensors.emplace_back(info.name, std::move(tensor));
  }
  return tensors;
}

inline void ExpectSame(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(a[i].second.BitwiseEquals(b[i].second)) << a[i].first;
  }
}

inline std::string DataPath(const std::string& prefix) { return BundleDataPath(prefix, 0, 1); }

// Writes an index of arbitrary records, including ones that no writer produces.
inline void WriteRawIndex(const std::string& prefix,
                          const std::vector<std::pair<std::string, std::string>>& records) {
  RemoveFile(BundleIndexPath(prefix)).IgnoreError();
  TableWriter table = TableWriter::Create(BundleIndexPath(prefix)).value();
  for (const auto& [key, value] : records) ASSERT_TRUE(table.Add(key, value).ok());
  ASSERT_TRUE(table.Finish().ok());
}

inline void WriteBytes(const std::string& path, std::string_view bytes) {
  ASSERT_TRUE(AtomicWriteFile(path, bytes).ok()) << path;
}

inline void ExpectError(const Status& status, Code code, std::string_view message) {
  EXPECT_EQ(static_cast<int>(status.code()), static_cast<int>(code)) << status.ToString();
  EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
}

// Makes the files of a folder look `seconds` old.
inline void Age(const std::string& folder, int64_t seconds = 1) {
  timespec times[2] = {{0, UTIME_OMIT}, {time(nullptr) - seconds, 0}};
  for (const std::string& name : ListDir(folder).value()) {
    EXPECT_EQ(::utimensat(AT_FDCWD, JoinPath(folder, name).c_str(), times, 0), 0) << name;
  }
}

}  // namespace ramet
