#include "weft/attended.hpp"

#include <cstdlib>
#include <string>

namespace bench {

void connect(const Bench& bench, Tcp& tcp) {
  const Symmetric memory(bench, sizeof(Tcp::Places));
  const uint32_t rank = bench.job.rank();
  Tcp::Places places;
  if (rank == 1) {
    const char* setting = std::getenv("WEFT_NET_INTERFACE");
    std::string interface = setting ? setting : "";
    interface = interface.substr(0, interface.find(','));
    require(tcp.listen_on(interface, weft_host_size() == weft_size(), places), "no interface for a TCP socket");
    weft_put(0, memory.offset(), &places, sizeof places);
  }
  bench.job.barrier();
  if (rank == 0) {
    weft_get(&places, 0, memory.offset(), sizeof places);
    tcp.call(places);
  }
  if (rank == 1) tcp.accept_one();
  bench.job.barrier();
}

}  // namespace bench
