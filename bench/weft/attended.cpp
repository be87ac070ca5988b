#include "weft/attended.hpp"

#include <cstdlib>
#include <string>

namespace bench {

void connect(const Bench& bench, Tcp& tcp) {
  const Symmetric memory(bench, sizeof(Tcp::Place));
  const uint32_t rank = bench.job.rank();
  Tcp::Place place;
  if (rank == 1) {
    const char* setting = std::getenv("WEFT_NET_INTERFACE");
    std::string interface = setting ? setting : "";
    interface = interface.substr(0, interface.find(','));
    require(tcp.listen_on(interface, weft_host_size() == weft_size(), place), "no interface for a TCP socket");
    weft_put(0, memory.offset(), &place, sizeof place);
  }
  bench.job.barrier();
  if (rank == 0) {
    weft_get(&place, 0, memory.offset(), sizeof place);
    tcp.call(place);
  }
  if (rank == 1) tcp.accept_one();
  bench.job.barrier();
}

}  // namespace bench
