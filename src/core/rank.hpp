// What one rank is made of, up to active messages and progress. The layers above add their state in capi::RankState.
#pragma once

#include <memory>
#include <string>

#include "base/settings.hpp"
#include "boot/boot.hpp"
#include "boot/hosts.hpp"
#include "conduit/conduit.hpp"
#include "conduit/hook/recorder.hpp"
#include "core/am_registry.hpp"
#include "core/heap.hpp"
#include "core/mapped_peers.hpp"
#include "core/progress.hpp"
#include "weft/job.h"

namespace weft::core {

/// The start of every segment belongs to the runtime; each layer has a fixed part of it.
struct ControlArea {
  static constexpr size_t bytes = size_t{64} << 10;
  // Nobody may touch what comes first, so that the use of a null reference faults; where the segment need not be
  // registered with a network, in the segments of the first ranks and in a rank's own.
  static constexpr size_t forbidden_bytes = size_t{56} << 10;
  static constexpr size_t barrier_offset = forbidden_bytes;
  // Checked mode: lowest offset of the rank's local memory; 0: not told.
  static constexpr size_t local_bottom_offset = bytes - 64;
};

/// From now on this puts the lines that tell a broken rule in the words of a language above; see
/// weft_detail_word_misuse().
void word_misuse(bool (*words)(char* line, size_t size, bool with_place));
/// In its words. False, and the same line, if there is no language.
bool worded(char* line, size_t size, bool with_place);

class Rank {
 public:
  /// What a layer above has to say about its settings, which all ranks have alike: it logs what is wrong.
  using CheckSettings = Status (*)(const base::Settings& settings);
  /// Joins the job through `boot`. Collective.
  static Status create(std::unique_ptr<boot::Boot> boot, weft_thread_mode_t mode, CheckSettings check,
                       std::unique_ptr<Rank>& rank);

  conduit::RankId id() const { return conduit_->rank(); }
  conduit::RankId size() const { return conduit_->size(); }
  const base::Settings& settings() const { return settings_; }
  boot::Boot& boot() { return *boot_; }
  /// Which ranks share a host.
  const boot::Hosts& hosts() const { return hosts_; }
  conduit::Conduit& conduit() { return *conduit_; }
  const conduit::Capabilities& capabilities() const { return capabilities_; }
  /// Segments that this rank may load and store.
  const MappedPeers& mapped() const { return mapped_; }
  /// Those that it may use past the conduit: the same, or its own only.
  const MappedPeers& direct() const { return capabilities_.may_bypass ? mapped_ : own_; }
  /// What this rank does is recorded there; null if nobody asked for that.
  conduit::hook::Recorder* recorder() const { return recorder_.get(); }
  AmRegistry& handlers() { return handlers_; }
  Progress& progress() { return *progress_; }
  SegmentHeap& heap() { return *heap_; }
  /// The transport that was chosen.
  const std::string& transport() const { return transport_; }
  weft_thread_mode_t thread_mode() const { return thread_mode_; }
  bool threads_multiple() const { return thread_mode_ == WEFT_THREAD_MULTIPLE; }

  /// Logs the line and ends the job: the program broke a rule of the interface. `place_helps`: the user should know
  /// where it did.
  [[noreturn]] void refuse(const char* line, bool place_helps = true);
  /// The segment is full. `use`: what needs so many bytes, as "a collective needs there for ...".
  [[noreturn]] void refuse_for_room(size_t size, const char* use);

 private:
  Rank() = default;
  Status join(weft_thread_mode_t mode, CheckSettings check);

  base::Settings settings_;
  std::unique_ptr<boot::Boot> boot_;
  boot::Hosts hosts_;
  AmRegistry handlers_;
  std::unique_ptr<conduit::hook::Recorder> recorder_;  // before the conduit, which it outlives
  std::unique_ptr<conduit::Conduit> conduit_;
  std::string transport_;
  conduit::Capabilities capabilities_;
  MappedPeers mapped_, own_;
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<SegmentHeap> heap_;
  weft_thread_mode_t thread_mode_ = WEFT_THREAD_SERIALIZED;
};

}  // namespace weft::core
