#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "ramet/replica/follower.h"
#include "ramet/replica/publisher.h"

// The tables of the options of publishers and followers, and the names of their values. Bindings
// set options by name through them: a new option is a member and a row here.
namespace ramet {

// Calls fn(name, member) for each option of a publisher, except for the variables.
template <class Fn>
void ForEachOption(PublisherOptions& options, Fn&& fn) {
  fn("all_variables", options.all_variables);
  fn("graph", options.graph);
  fn("rename", options.rename);
  fn("convert", options.convert);
  fn("every_steps", options.every_steps);
  fn("every_seconds", options.every_seconds);
  fn("retained", options.retention.retained);
  fn("max_bytes", options.retention.max_bytes);
  fn("at_limit", options.retention.at_limit);
  fn("mode", options.access.mode);
  fn("group", options.access.group);
  fn("takeover", options.access.takeover);
}

// Calls fn(name, member) for each option of a follower, except for its session, its host, the
// options of its own session, and the time to wait for a publisher.
template <class Fn>
void ForEachOption(FollowerOptions& options, Fn&& fn) {
  fn("clear_devices", options.clear_devices);
  fn("device", options.device);
  fn("scope", options.scope);
  fn("strip_training", options.strip_training);
  fn("outputs", options.outputs);
  fn("model", options.model);
  fn("on_change", options.on_change);
  fn("fallback", options.fallback);
  fn("auto", options.automatic);
  fn("subsets", options.subsets);
  fn("allow_missing", options.allow_missing);
  fn("verify", options.verify);
}

template <class Value>
using ValueNames = std::span<const std::pair<std::string_view, Value>>;

// Return the names of the values of an option of this type.
inline ValueNames<Verify> NamesOf(Verify) {
  static constexpr std::pair<std::string_view, Verify> kNames[] = {
      {"off", Verify::kOff}, {"async", Verify::kAsync}, {"before_use", Verify::kBeforeUse}};
  return kNames;
}
inline ValueNames<OnChange> NamesOf(OnChange) {
  static constexpr std::pair<std::string_view, OnChange> kNames[] = {{"refuse", OnChange::kRefuse},
                                                                     {"reload", OnChange::kReload}};
  return kNames;
}
inline ValueNames<RetentionOptions::AtLimit> NamesOf(RetentionOptions::AtLimit) {
  using AtLimit = RetentionOptions::AtLimit;
  static constexpr std::pair<std::string_view, AtLimit> kNames[] = {{"skip", AtLimit::kSkip},
                                                                    {"wait", AtLimit::kWait}};
  return kNames;
}
inline ValueNames<Conversion> NamesOf(Conversion) {
  static constexpr std::pair<std::string_view, Conversion> kNames[] = {
      {"bfloat16", Conversion::kBFloat16},
      {"half", Conversion::kHalf},
      {"float16", Conversion::kHalf},
      {"int8", Conversion::kInt8},
      {"none", Conversion::kNone}};
  return kNames;
}

}  // namespace ramet
