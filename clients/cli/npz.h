#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

// Arrays in NumPy's .npz files (docs/formats/npz.md): zip files whose members NAME.npy are stored
// or deflated; zip64 where sizes ask for it. The dtypes are those of npy.h.

struct NpzMember {
  std::string name;  // without .npy
  ramet::DType dtype = ramet::DType::kInvalid;
  ramet::Shape shape;
};

// An NpzReader reads one file, member by member. Nothing in it is trusted: every offset and length
// is checked before it is used, and each member's CRC-32 is verified. One thread at a time.
class NpzReader {
 public:
  // Reads the directory and the header of each array. \error kNotFound if the file cannot be
  // opened;
  //   kDataLoss naming file, member and offset if it is damaged, has a member twice, or one that is
  //   no array; kUnimplemented for encrypted members, other compressions, and dtypes that npy.h
  //   does not have.
  static ramet::StatusOr<NpzReader> Open(const std::string& path);
  NpzReader(NpzReader&&) noexcept;
  ~NpzReader();

  const std::vector<NpzMember>& members() const;  // in the order of the file
  // \error kNotFound if there is none of that name; kDataLoss as Open, and if the CRC-32 is wrong.
  ramet::StatusOr<ramet::Tensor> Read(const std::string& name);
  // Reads an array in small pieces that are not kept, to check its CRC-32. \error as Read.
  ramet::Status Verify(const std::string& name);

 private:
  class Impl;
  explicit NpzReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// An NpzWriter writes one file, which appears under its name, whole, with Finish. One thread at a
// time.
class NpzWriter {
 public:
  // \error kUnknown if the file cannot be made.
  static ramet::StatusOr<NpzWriter> Create(const std::string& path, bool compress);
  NpzWriter(NpzWriter&&) noexcept;
  // Without a successful Finish: removes what was written.
  ~NpzWriter();

  // \error kUnimplemented if NumPy has no such dtype; kInvalidArgument if the name is empty or
  // longer
  //   than a zip file allows; kUnknown if the file cannot be written.
  ramet::Status Add(const std::string& name, const ramet::Tensor& tensor);
  ramet::Status Finish();

 private:
  class Impl;
  explicit NpzWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cli
