#include "weft/attended.hpp"

namespace bench {

void connect(const Bench& bench, Tcp& tcp) {
  const Symmetric memory(bench, sizeof(Tcp::Places));
  const uint32_t rank = bench.job.rank();
  Tcp::Places places;
  if (rank == 1) {
    tcp.listen_on_wanted(weft_host_size() == weft_size(), places);
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
