// A process outside the job that speaks libfabric: stranger PROVIDER ADDRESS PORT
//
// Sends messages of many sizes with made-up headers to the endpoint, and tries to write and to read its memory with
// guessed keys. Exit code 0 if nothing was read, 1 if memory could be read, 2 for a mistake of the test.
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Endpoint {
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_av* addresses = nullptr;
  fid_cq* queue = nullptr;
  fid_ep* endpoint = nullptr;
  fi_addr_t target = 0;
};

void check(const char* call, ssize_t result) {
  if (result >= 0) return;
  std::fprintf(stderr, "stranger: %s: %s\n", call, fi_strerror(static_cast<int>(-result)));
  std::exit(2);
}

Endpoint open_endpoint(const char* provider, const char* address, const char* port) {
  fi_info* hints = fi_allocinfo();
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->addr_format = FI_SOCKADDR_IN;
  hints->fabric_attr->prov_name = strdup(provider);
  fi_info* info = nullptr;
  check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", nullptr, FI_SOURCE, hints, &info));
  Endpoint made;
  check("fi_fabric", fi_fabric(info->fabric_attr, &made.fabric, nullptr));
  check("fi_domain", fi_domain(made.fabric, info, &made.domain, nullptr));
  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  check("fi_av_open", fi_av_open(made.domain, &table, &made.addresses, nullptr));
  fi_cq_attr attributes{};
  attributes.format = FI_CQ_FORMAT_CONTEXT;
  check("fi_cq_open", fi_cq_open(made.domain, &attributes, &made.queue, nullptr));
  check("fi_endpoint", fi_endpoint(made.domain, info, &made.endpoint, nullptr));
  check("fi_ep_bind", fi_ep_bind(made.endpoint, &made.addresses->fid, 0));
  check("fi_ep_bind", fi_ep_bind(made.endpoint, &made.queue->fid, FI_TRANSMIT | FI_RECV));
  check("fi_enable", fi_enable(made.endpoint));
  sockaddr_in victim{};
  victim.sin_family = AF_INET;
  victim.sin_port = htons(static_cast<uint16_t>(std::atoi(port)));
  inet_pton(AF_INET, address, &victim.sin_addr);
  if (fi_av_insert(made.addresses, &victim, 1, &made.target, 0, nullptr) != 1) check("fi_av_insert", -FI_EINVAL);
  return made;
}

// Drives the endpoint until the operation with this context has ended or the time is over; an earlier one may still end
// meanwhile. 1: success, 0: nothing, -1: an error.
int settle(const Endpoint& endpoint, std::chrono::milliseconds time, const fi_context2* context) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    fi_cq_entry entry;
    const ssize_t count = fi_cq_read(endpoint.queue, &entry, 1);
    if (count == 1 && entry.op_context == context) return 1;
    if (count == 1 || count == -FI_EAGAIN) continue;
    fi_cq_err_entry error{};
    fi_cq_readerr(endpoint.queue, &error, 0);
    if (error.op_context == context) return -1;
  }
  return 0;
}

// `post` is given a context of its own, which lives as long as the endpoint.
template <class Attempt>
int attempt(const Endpoint& endpoint, Attempt post) {
  static std::deque<fi_context2> contexts;
  fi_context2* context = &contexts.emplace_back();
  for (const auto end = Clock::now() + std::chrono::seconds(2); Clock::now() < end;) {
    const ssize_t result = post(context);
    if (result == 0) return settle(endpoint, std::chrono::milliseconds(150), context);
    if (result != -FI_EAGAIN) return -1;
    settle(endpoint, std::chrono::milliseconds(1), context);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Endpoint endpoint = open_endpoint(argv[1], argv[2], argv[3]);
  std::mt19937_64 random(1);
  std::vector<uint64_t> data(1 << 18);
  for (uint64_t& word : data) word = random();
  int sent = 0;
  for (size_t size : {1u, 15u, 16u, 24u, 64u, 200u, 4096u, 16384u, 20000u, 300000u})
    for (uint32_t claimed : {0u, 1u, 4000000000u}) {
      std::memcpy(reinterpret_cast<char*>(data.data()) + 8, &claimed, sizeof claimed);
      sent += attempt(endpoint, [&](fi_context2* context) {
                return fi_send(endpoint.endpoint, data.data(), size, nullptr, endpoint.target, context);
              }) == 1;
    }
  int written = 0, read = 0;
  std::vector<uint64_t> landed(512, 0);
  for (uint64_t key : {uint64_t{0}, uint64_t{1}, uint64_t{2}, random(), random()}) {
    written += attempt(endpoint, [&](fi_context2* context) {
                 return fi_write(endpoint.endpoint, data.data(), 4096, nullptr, endpoint.target, 65536, key, context);
               }) == 1;
    read += attempt(endpoint, [&](fi_context2* context) {
              return fi_read(endpoint.endpoint, landed.data(), 4096, nullptr, endpoint.target, 65536, key, context);
            }) == 1;
  }
  for (uint64_t word : landed) read += word != 0;
  std::printf("stranger: %d messages left, %d writes left, %d reads\n", sent, written, read);
  return read == 0 ? 0 : 1;
}
