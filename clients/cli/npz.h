#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

// Reads and writes NumPy's .npz files (docs/formats/npz.md): zip files with members NAME.npy,
// stored or deflated, in zip64 form where sizes require it. The dtypes are those of npy.h.

struct NpzMember {
  std::string name;  // without .npy
  ramet::DType dtype = ramet::DType::kInvalid;
  ramet::Shape shape;
};

// An NpzReader reads one file, member by member. It does not trust the file: it checks every offset
// and length before using it and verifies the CRC-32 of each member. Not thread-safe.
class NpzReader {
 public:
  // Reads the directory and the header of each array.
  // \error kNotFound: the file cannot be opened.
  // \error kDataLoss: the file is damaged, has a member twice or has one that is not an array. The
  //   message names file, member and offset.
  // \error kUnimplemented: a member is encrypted, or its compression or dtype is not supported.
  static ramet::StatusOr<NpzReader> Open(const std::string& path);
  NpzReader(NpzReader&&) noexcept;
  ~NpzReader();

  const std::vector<NpzMember>& members() const;  // in the order of the file
  // \error kNotFound: there is no array of that name.
  // \error kDataLoss: as Open, or the CRC-32 is wrong.
  ramet::StatusOr<ramet::Tensor> Read(const std::string& name);
  // Checks the CRC-32 of an array without holding it in memory.
  // \error as for Read.
  ramet::Status Verify(const std::string& name);

 private:
  class Impl;
  explicit NpzReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// An NpzWriter writes one file, which appears under its name when Finish succeeds. Not thread-safe.
class NpzWriter {
 public:
  // \error kUnknown: the file cannot be created.
  static ramet::StatusOr<NpzWriter> Create(const std::string& path, bool compress);
  NpzWriter(NpzWriter&&) noexcept;
  // Removes what was written unless Finish has succeeded.
  ~NpzWriter();

  // Writes one array.
  // \error kUnimplemented: NumPy has no such dtype.
  // \error kInvalidArgument: the name is empty or longer than a zip file allows.
  // \error kUnknown: the file cannot be written.
  ramet::Status Add(const std::string& name, const ramet::Tensor& tensor);
  // Writes the directory and gives the file its name.
  // \error kUnknown: the file cannot be written.
  ramet::Status Finish();

 private:
  class Impl;
  explicit NpzWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cli
