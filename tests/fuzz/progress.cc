#include "progress.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ramet::fuzz {
namespace {

template <size_t N>
void Copy(std::string_view from, char (&to)[N]) {
  const size_t size = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), size);
  to[size] = '\0';
}

}  // namespace

void Progress::Subject(std::string_view subject) {
  Copy(subject, shared_->subject);
  counts_ = nullptr;
  for (uint32_t i = 0; i < shared_->num_ops; ++i) {
    if (subject == shared_->ops[i].name) counts_ = &shared_->ops[i];
  }
  if (counts_ == nullptr && shared_->num_ops < SharedState::kMaxOps) {
    counts_ = &shared_->ops[shared_->num_ops];
    Copy(subject, counts_->name);
    ++shared_->num_ops;
  }
  if (counts_ != nullptr) ++counts_->drawn;
}

void Progress::Text(std::string_view text) {
  const size_t size = std::min(text.size(), SharedState::kMaxText);
  shared_->text_size = 0;
  std::memcpy(shared_->text, text.data(), size);
  shared_->text_size = static_cast<uint32_t>(size);
  if (verbose_) std::fprintf(stdout, "%.*s\n", static_cast<int>(size), text.data());
}

void Progress::Phase(std::string_view phase) {
  if (shared_->finding_size > 0) return;  // keep the phase of the finding
  Copy(phase, shared_->phase);
  if (verbose_) {
    std::fprintf(stdout, "-- %s\n", shared_->phase);
    std::fflush(stdout);
  }
}

void Progress::Finding(std::string_view what) {
  if (shared_->finding_size > 0) return;
  const size_t size = std::min(what.size(), sizeof(shared_->finding));
  std::memcpy(shared_->finding, what.data(), size);
  shared_->finding_size = static_cast<uint32_t>(size);
  if (verbose_) std::fprintf(stdout, "FINDING: %.*s\n", static_cast<int>(size), what.data());
}

void Progress::Note(std::string_view what) {
  if (verbose_) std::fprintf(stdout, "   %.*s\n", static_cast<int>(what.size()), what.data());
}

void Progress::Built() {
  ++shared_->built;
  if (counts_ != nullptr) ++counts_->built;
}

void Progress::Ran() {
  ++shared_->ran;
  if (counts_ != nullptr) ++counts_->ran;
}

void Progress::Differentiated() {
  ++shared_->differentiated;
  if (counts_ != nullptr) ++counts_->differentiated;
}

}  // namespace ramet::fuzz
