#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/file.h"

namespace ramet {

// How the bytes of a file are compressed.
enum class FileCompression { kNone, kZlib, kGzip };

// Returns the compression that TensorFlow names "", "ZLIB" or "GZIP".
// \error kInvalidArgument: "Unsupported compression_type.".
StatusOr<FileCompression> ParseFileCompression(std::string_view name);

// A ByteStream reads the bytes of a file in order, decompressed. Not thread-safe.
class ByteStream {
 public:
  // `buffer_bytes` is how much it reads at a time; 0 means 256 KiB. It is at least 512 bytes and at
  // most 64 MiB.
  // \error as RandomAccessFile::Open.
  static StatusOr<std::unique_ptr<ByteStream>> Open(const std::string& path,
                                                    FileCompression compression,
                                                    int64_t buffer_bytes);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  const std::string& path() const { return file_.path(); }
  // The number of bytes that have been read.
  uint64_t offset() const { return offset_; }
  // Appends the next `n` bytes to *out. Returns how many, fewer only at the end. `n` may be larger
  // than the memory: no more is allocated than the file has.
  // \error kDataLoss: the compressed data are damaged or incomplete.
  StatusOr<uint64_t> Read(uint64_t n, std::string* out);
  // Drops the next `n` bytes. Returns how many, fewer only at the end.
  // \error as Read.
  StatusOr<uint64_t> Skip(uint64_t n);
  // Sets *line to the next line without its end, "\n" or "\r\n". Returns false at the end.
  // \error as Read.
  StatusOr<bool> ReadLine(std::string* line);

 private:
  struct Inflater;
  ByteStream(RandomAccessFile file, size_t buffer_bytes);
  // Fills the window if it is empty. Returns false at the end.
  StatusOr<bool> Fill();
  StatusOr<size_t> ReadFile(char* to, size_t size);

  const RandomAccessFile file_;
  uint64_t file_offset_ = 0;
  std::unique_ptr<Inflater> inflater_;  // null without compression
  std::string buffer_;
  std::string_view window_;  // the part of the buffer that has not been read
  uint64_t offset_ = 0;
};

}  // namespace ramet
