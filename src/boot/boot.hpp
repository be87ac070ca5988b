// How a rank learns who it is and exchanges a few bytes with the others before any communication exists.
//
// Three ways in, chosen by the environment that the launcher made (boot::connect):
//   pmi1   PMI_FD is set: MPICH's mpiexec and weftrun, both speak the PMI-1 wire protocol
//   pmix   PMIX_NAMESPACE is set: Open MPI's mpirun (libpmix is opened only then)
//   alone  none of these: a job of one rank
// When ranks are threads of one process, each has a Boot of boot::ThreadJob instead; when simulated, of boot::SimJob.
//
// All calls are made by one thread of the rank, during start and end only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace weft::boot {

/// PMI-1 servers take keys of 63 characters, of which prefix and rank need some.
inline constexpr size_t key_max = 40;
inline constexpr size_t value_max = 512;

/// A rank that cannot start puts this before weft_init() returns its error; weftrun looks at it.
inline constexpr std::string_view init_failed_key = "init-failed";
/// With this value if a setting of the user's is wrong, and so the command line of a launcher.
inline constexpr std::string_view wrong_settings = "settings";
/// A simulated job that a signal ends puts this before it writes its reports; weftrun looks at it.
inline constexpr std::string_view reports_key = "reports";

class Boot {
 public:
  virtual ~Boot() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;
  /// Name of the way in, for weft-info and messages: "pmi1", "pmix", "alone", "threads", "sim".
  virtual const char* name() const = 0;

  /// Whether values that cross networks are encrypted there, as they are by weftrun's connections of ssh.
  virtual bool is_private() const { return true; }

  /// Name of this rank's host where the way in decides on it; empty: the one that the process runs on.
  virtual std::string host() const { return {}; }

  /// Makes a value visible to all ranks after the next fence(). Keys are unique per rank by construction (the
  /// implementation adds the rank); at most key_max characters of [a-z0-9-], each put once. Values: printable, at most
  /// value_max bytes. WEFT_ERR_INVALID, logged, for others.
  [[nodiscard]] virtual Status put(std::string_view key, std::string_view value) = 0;

  /// Collective. After it, get() sees every put() made before it on any rank.
  [[nodiscard]] virtual Status fence() = 0;

  /// The value that `rank` put under `key` before the last fence.
  [[nodiscard]] virtual Status get(uint32_t rank, std::string_view key, std::string& value) = 0;

  /// The values that all ranks put under `key` before the last fence, by rank. A few questions where weftrun is the
  /// launcher, one per rank where it is another.
  [[nodiscard]] virtual Status get_all(std::string_view key, std::vector<std::string>& values);

  /// What every rank works out alike, once per `key` and job. Ranks that are threads of one process get the same: the
  /// first makes it, while the others wait.
  using Common = std::shared_ptr<const void>;
  virtual Common in_common(std::string_view /*key*/, const std::function<Common()>& make) { return make(); }

  /// Tells the launcher that this rank cannot start, and may go on without Weft. No call may follow.
  virtual void cannot_start() { (void)put(init_failed_key, "1"); }

  /// Tells the launcher that this rank ends in order. No call may follow.
  [[nodiscard]] virtual Status finalize() = 0;

  /// Ends the whole job with this exit code (0 to 255). Does not return. `reason` is empty if the program asked for
  /// the end (weft_exit): the launcher then says which rank did. Otherwise it is what the rank has logged already, and
  /// weftrun adds no line of its own.
  [[noreturn]] virtual void abort(int exit_code, std::string_view reason) = 0;
};

/// Joins the job that the launcher described in the environment. On failure logs what is wrong with which variable or
/// connection, and what to do.
[[nodiscard]] Status connect(std::unique_ptr<Boot>& boot);

}  // namespace weft::boot
