#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/ops/ctc/log_sum.h"

namespace ramet {

// Log probabilities of a label sequence: of all its paths, and of those that end in a blank or in
// its last label.
template <class T>
struct BeamProbability {
  static constexpr T kNone = -std::numeric_limits<T>::infinity();
  T total = kNone, blank = kNone, label = kNone;
};

// One label sequence: a label behind the sequence of its parent.
template <class T>
struct BeamEntry {
  BeamEntry* parent = nullptr;
  int label = -1;
  std::map<int, BeamEntry*> children;
  BeamProbability<T> before, now;

  bool active() const { return now.total != BeamProbability<T>::kNone; }
  // Returns the labels from the first to this one; with `merge`, equal neighbors count once.
  std::vector<int> Sequence(bool merge) const {
    std::vector<int> labels;
    int previous = -1;
    for (const BeamEntry* e = this; e->parent != nullptr; e = e->parent) {
      if (!merge || e->label != previous) labels.push_back(e->label);
      previous = e->label;
    }
    std::ranges::reverse(labels);
    return labels;
  }
};

// A BeamSearch follows the most likely label sequences of one example, step by step (Graves 2012,
// section 7.5). The last class is the blank. Not thread-safe.
template <class T>
class BeamSearch {
 public:
  BeamSearch(int64_t width, int64_t classes)
      : width_(static_cast<size_t>(width)), classes_(classes) {
    Entry& root = entries_.emplace_back();
    root.now.total = root.now.blank = 0;
    leaves_.push_back(&root);
  }

  // Takes the logits of the next step.
  void Step(const T* logits) {
    const T norm = LogNorm(logits);
    const std::vector<Entry*> branches = std::move(leaves_);
    leaves_.clear();
    for (Entry* entry : branches) entry->before = entry->now;
    for (Entry* entry : branches) Continue(*entry, logits, norm);
    for (Entry* entry : branches) Grow(*entry, logits, norm);
  }

  // Returns the n most likely sequences, best first.
  // \error kInvalidArgument: n is larger than the beam or than the number of sequences.
  StatusOr<std::vector<const BeamEntry<T>*>> Best(int64_t n) const {
    if (n > static_cast<int64_t>(width_)) {
      return InvalidArgument("requested more paths than the beam width.");
    }
    if (n > std::ssize(leaves_)) {
      return InvalidArgument("Less leaves in the beam search than requested.");
    }
    return std::vector<const BeamEntry<T>*>(leaves_.begin(), leaves_.begin() + n);
  }

 private:
  using Entry = BeamEntry<T>;
  using Probability = BeamProbability<T>;

  T LogNorm(const T* logits) const {
    const T most = *std::max_element(logits, logits + classes_);
    T sum = 0;
    for (int64_t i = 0; i < classes_; ++i) sum += std::exp(logits[i] - most);
    return most + std::log(sum);
  }

  // Updates the probability of a sequence that stays as it is in this step.
  void Continue(Entry& entry, const T* logits, T norm) {
    if (entry.parent != nullptr) {
      if (entry.parent->active()) {
        const T previous = entry.label == entry.parent->label ? entry.parent->before.blank
                                                              : entry.parent->before.total;
        entry.now.label = LogSum(entry.now.label, previous);
      }
      entry.now.label += logits[entry.label] - norm;
    }
    entry.now.blank = entry.before.total + logits[classes_ - 1] - norm;
    entry.now.total = LogSum(entry.now.blank, entry.now.label);
    Push(entry);
  }

  bool IsCandidate(const Probability& p) const {
    return p.total > Probability::kNone &&
           (leaves_.size() < width_ || p.total > leaves_.back()->now.total);
  }

  // Adds the sequences that are one label longer, if they are likely enough.
  void Grow(Entry& entry, const T* logits, T norm) {
    if (!IsCandidate(entry.before)) return;
    for (int label = 0; label < classes_ - 1; ++label) {
      Entry& child = ChildOf(entry, label);
      if (child.active()) continue;
      child.now.blank = Probability::kNone;
      child.now.label =
          logits[label] - norm + (label == entry.label ? entry.before.blank : entry.before.total);
      child.now.total = child.now.label;
      if (!IsCandidate(child.now)) {
        child.before = child.now = {};
        continue;
      }
      if (leaves_.size() == width_) {
        leaves_.back()->now = {};
        leaves_.pop_back();
      }
      Push(child);
    }
  }

  Entry& ChildOf(Entry& entry, int label) {
    Entry*& child = entry.children[label];
    if (child == nullptr) {
      child = &entries_.emplace_back();
      child->parent = &entry;
      child->label = label;
    }
    return *child;
  }

  // Keeps the leaves sorted, best first; NaN sorts last.
  void Push(Entry& entry) {
    const auto better = [](const Entry* a, const Entry* b) { return a->now.total > b->now.total; };
    leaves_.insert(std::upper_bound(leaves_.begin(), leaves_.end(), &entry, better), &entry);
  }

  const size_t width_;
  const int64_t classes_;
  std::deque<Entry> entries_;  // owns all entries; the addresses stay
  std::vector<Entry*> leaves_;
};

}  // namespace ramet
