#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace cli {

// An OutputFile is written next to its place, under a name that nobody else uses, and takes its
// place when it is whole. Unless it is committed it goes with this object. One thread at a time.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream() { return stream_; }
  // \error kUnknown with the system's reason if it could not be made or written.
  ramet::Status Check() const;
  // Renames it to its place. Once. \error as Check.
  ramet::Status Commit();

 private:
  // The bytes of a descriptor.
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(const std::string& path);
    ~Buffer() override;
    // Writes what is left. False if not all could be written.
    bool Close();
    int error() const { return error_; }

   protected:
    int_type overflow(int_type c) override;
    int sync() override { return Flush() ? 0 : -1; }

   private:
    bool Flush();
    int fd_;
    int error_;  // the first one
    std::vector<char> bytes_;
  };

  const std::string path_, temporary_;
  Buffer buffer_;
  std::ostream stream_;
  bool committed_ = false;
};

}  // namespace cli
