#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace cli {

// Creates a folder for output, with its parents. Does nothing if it exists.
// \error kUnknown: the folder cannot be created; the message has the system's reason.
ramet::Status MakeFolder(const std::string& folder);

// Checks that the folder of an output file exists. Commands create a folder only if an option names
// it. Error messages begin with `what`.
// \error kNotFound: the folder does not exist.
ramet::Status CheckFolderOf(const std::string& what, const std::string& file);

// Creates a file for writing. Returns its descriptor, or -1 with errno set: EEXIST if the name is
// taken, even by a dangling link.
int CreateNewFile(const std::string& path);

// Writes a text: replaces a regular file atomically, or writes into a pipe or device.
// \error kUnknown: the file cannot be written; the message has the system's reason.
ramet::Status WriteWhole(const std::string& path, const std::string& text);

// An OutputFile writes a file atomically: into a temporary file with a unique name in the same
// folder, which Commit renames to `path`. Without Commit, the destructor removes the temporary
// file. Not thread-safe.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream() { return stream_; }
  // \error kUnknown: the file cannot be created or written; the message has the system's reason.
  ramet::Status Check() const;
  // Gives the file its name. Call it at most once.
  // \error as for Check.
  ramet::Status Commit();

 private:
  // A stream buffer that writes to a file descriptor.
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(const std::string& path);
    ~Buffer() override;
    // Writes what is left and closes the file. Returns false if an error occurred.
    bool Close();
    int error() const { return error_; }

   protected:
    int_type overflow(int_type c) override;
    int sync() override { return Flush() ? 0 : -1; }

   private:
    bool Flush();
    int fd_;
    int error_;  // the errno of the first error, 0 if there was none
    std::vector<char> bytes_;
  };

  const std::string path_, temporary_;
  Buffer buffer_;
  std::ostream stream_;
  bool committed_ = false;
};

}  // namespace cli
