// The end of a rank whose communication has broken off.
#pragma once

#include <string>

#include "base/log.hpp"
#include "boot/boot.hpp"
#include "os/clock.hpp"

namespace weft::conduit {

/// Why communication has broken off.
struct Failure {
  std::string text;
  bool peer_lost = false;  ///< the end of a peer, or of its network, may be the reason, and nobody who interferes
};

/// Says why and ends the job. When a peer is lost the launcher notices, too, and its verdict is better: it knows who
/// died first, and how. So it has three seconds to end the job before this rank does; what it ends then says nothing.
inline void give_up(boot::Boot& boot, const Failure& failure) {
  constexpr uint64_t launchers_time_ns = 3'000'000'000;
  // MPICH's mpiexec drops what a rank has written just before it ends the job.
  constexpr uint64_t lines_time_ns = 200'000'000;
  if (failure.peer_lost) os::sleep_ns(launchers_time_ns);
  base::log_error("%s", failure.text.c_str());
  os::sleep_ns(lines_time_ns);
  boot.abort(1, failure.text);
}

}  // namespace weft::conduit
