#include "conduit/ofi/rail.hpp"

#include <sys/uio.h>

#include <cinttypes>
#include <cstdio>
#include <vector>

#include "base/log.hpp"
#include "boot/secret.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::ofi {
namespace {

// An endpoint's name in the longest of libfabric's address formats; as text it must fit into a value of boot.
constexpr size_t address_max = 128;

std::string to_hex(const std::vector<unsigned char>& bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

bool from_hex(const char* text, std::vector<unsigned char>& bytes) {
  for (; text[0] != '\0' && text[1] != '\0'; text += 2) {
    unsigned value = 0;
    if (std::sscanf(text, "%2x", &value) != 1) return false;
    bytes.push_back(static_cast<unsigned char>(value));
  }
  return !bytes.empty();
}

}  // namespace

Status Rail::failed(const char* call, ssize_t result) const {
  base::log_error("%s of libfabric failed on %s, interface %s: %s", call, info_->fabric_attr->prov_name,
                  interface_of(*info_).c_str(), library_->error(result));
  return WEFT_ERR_SYSTEM;
}

Status Rail::open(const Library& library, Info info, size_t index, size_t ranks, const Options& options,
                  std::unique_ptr<Rail>& rail) {
  std::unique_ptr<Rail> made(new Rail(library, std::move(info), index));
  made->register_local_ = options.register_local;
  if (options.order == Order::relaxed) {
    made->info_->tx_attr->msg_order = FI_ORDER_SAS;
    made->info_->rx_attr->msg_order = FI_ORDER_SAS;
  }
  const Status status = made->open_objects(ranks, options.wait);
  if (status.ok()) rail = std::move(made);
  return status;
}

template <class Object, class Make>
ssize_t make_object(Owned<Object>& owned, Make make) {
  Object* made = nullptr;
  const ssize_t result = make(&made);
  if (result == 0) owned.reset(made);
  return result;
}

Status Rail::open_objects(size_t ranks, bool wait) {
  ssize_t result = make_object(fabric_, [&](auto made) { return library_->fabric(info_->fabric_attr, made, nullptr); });
  if (result != 0) return failed("fi_fabric", result);
  result = make_object(domain_, [&](auto made) { return fi_domain(fabric_.get(), info_.get(), made, nullptr); });
  if (result != 0) return failed("fi_domain", result);
  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  table.count = ranks;
  result = make_object(addresses_, [&](auto made) { return fi_av_open(domain_.get(), &table, made, nullptr); });
  if (result != 0) return failed("fi_av_open", result);
  const Status status = open_queue(ranks, wait);
  if (!status.ok()) return status;
  result = make_object(endpoint_, [&](auto made) { return fi_endpoint(domain_.get(), info_.get(), made, nullptr); });
  if (result != 0) return failed("fi_endpoint", result);
  result = fi_ep_bind(endpoint_.get(), &addresses_->fid, 0);
  if (result == 0) result = fi_ep_bind(endpoint_.get(), &queue_->fid, FI_TRANSMIT | FI_RECV);
  if (result != 0) return failed("fi_ep_bind", result);
  if (!datagrams()) {
    // A buffer is given up when the longest message might not fit any more.
    const size_t least = message_max;
    result = fi_setopt(&endpoint_->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least);
    if (result != 0) return failed("fi_setopt(FI_OPT_MIN_MULTI_RECV)", result);
  }
  result = fi_enable(endpoint_.get());
  return result == 0 ? Status() : failed("fi_enable", result);
}

Status Rail::open_queue(size_t ranks, bool wait) {
  fi_cq_attr attributes{};
  attributes.format = FI_CQ_FORMAT_DATA;
  attributes.size = std::max<size_t>(4096, 64 * ranks);
  const auto open = [&](fi_wait_obj object) {
    attributes.wait_obj = object;
    return make_object(queue_, [&](auto made) { return fi_cq_open(domain_.get(), &attributes, made, nullptr); });
  };
  if (wait && open(FI_WAIT_FD) == 0 && fi_control(&queue_->fid, FI_GETWAIT, &wait_descriptor_) == 0) return {};
  wait_descriptor_ = -1;
  const ssize_t result = open(FI_WAIT_NONE);
  return result == 0 ? Status() : failed("fi_cq_open", result);
}

bool Rail::may_sleep() {
  fid* object = &queue_->fid;
  return fi_trywait(fabric_.get(), &object, 1) == FI_SUCCESS;
}

Status Rail::register_memory(const void* start, size_t size, uint64_t access, Owned<fid_mr>& registration) {
  uint64_t key = 0;
  const Status status = boot::random_bits(key);
  if (!status.ok()) return status;
  const size_t key_bytes = info_->domain_attr->mr_key_size;
  if (key_bytes < sizeof key) key &= (uint64_t{1} << 8 * key_bytes) - 1;
  ssize_t result = make_object(
      registration, [&](auto made) { return fi_mr_reg(domain_.get(), start, size, access, 0, key, 0, made, nullptr); });
  if (result == 0 && (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    result = fi_mr_bind(registration.get(), &endpoint_->fid, 0);
    if (result == 0) result = fi_mr_enable(registration.get());
  }
  if (result == 0) return {};
  base::log_error(
      "fi_mr_reg of libfabric cannot register %zu bytes on %s: %s; is the limit of locked memory (ulimit -l) "
      "too low, or the segment too large (%s)?",
      size, interface_of(*info_).c_str(), library_->error(result), os::segment_size_setting.load());
  return WEFT_ERR_NO_MEMORY;
}

Status Rail::register_segment(std::byte* segment, size_t size) {
  segment_start_ = segment;
  return register_memory(segment, size, segment_access, segment_);
}

Status Rail::publish(std::string& text) const {
  std::vector<unsigned char> name(address_max);
  size_t size = name.size();
  const ssize_t result = fi_getname(&endpoint_->fid, name.data(), &size);
  if (result != 0) return failed("fi_getname", result);
  name.resize(size);
  const bool by_address = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const uint64_t base = by_address ? reinterpret_cast<uint64_t>(segment_start_) : 0;
  char numbers[48];
  std::snprintf(numbers, sizeof numbers, "%" PRIx64 " %" PRIx64 " ", fi_mr_key(segment_.get()), base);
  text = numbers + to_hex(name);
  return {};
}

Status Rail::connect(const std::string& text, RemoteSegment& remote) {
  char name[2 * address_max + 1] = "";
  std::vector<unsigned char> bytes;
  const int count = std::sscanf(text.c_str(), "%" SCNx64 " %" SCNx64 " %256s", &remote.key, &remote.base, name);
  if (count != 3 || !from_hex(name, bytes)) return WEFT_ERR_BOOT;
  const int inserted = fi_av_insert(addresses_.get(), bytes.data(), 1, &remote.address, 0, nullptr);
  return inserted == 1 ? Status() : failed("fi_av_insert", inserted < 0 ? inserted : -FI_EINVAL);
}

ssize_t Rail::post_receive(std::byte* data, size_t size, void* descriptor, Operation& operation) {
  const iovec piece = {data, size};
  fi_msg message{};
  message.msg_iov = &piece;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = &operation.context;
  return fi_recvmsg(endpoint_.get(), &message, (datagrams() ? 0 : FI_MULTI_RECV) | FI_COMPLETION);
}

ssize_t Rail::send(fi_addr_t to, const std::byte* data, size_t size, void* descriptor, Operation* operation) {
  return fi_send(endpoint_.get(), data, size, descriptor, to, &operation->context);
}

namespace {

struct Transfer {
  Transfer(const RemoteSegment& remote, Operation& operation) {
    size_t count = 0;
    const Operation* before = nullptr;
    for (const Operation* each = &operation; each != nullptr; before = each, each = each->behind) {
      if (before != nullptr && Rail::adjoin(*before, *each)) {
        near[count - 1].iov_len += each->size;
        far[count - 1].len += each->size;
        continue;
      }
      near[count] = {each->local, each->size};
      descriptors[count] = each->descriptor;
      far[count++] = {remote.base + each->offset, each->size, remote.key};
    }
    message.msg_iov = near.data();
    message.desc = descriptors.data();
    message.iov_count = count;
    message.addr = remote.address;
    message.rma_iov = far.data();
    message.rma_iov_count = count;
    message.context = &operation.context;
  }
  std::array<iovec, gather_max> near;
  std::array<void*, gather_max> descriptors;
  std::array<fi_rma_iov, gather_max> far;
  fi_msg_rma message{};
};

}  // namespace

// Flags always with the message form: some providers ignore those of the endpoint.
ssize_t Rail::write(const RemoteSegment& remote, Operation& operation) {
  Transfer transfer(remote, operation);
  return fi_writemsg(endpoint_.get(), &transfer.message, operation.flags | FI_COMPLETION);
}

ssize_t Rail::read(const RemoteSegment& remote, Operation& operation) {
  Transfer transfer(remote, operation);
  return fi_readmsg(endpoint_.get(), &transfer.message, FI_COMPLETION);
}

bool Rail::take_error(fi_cq_err_entry& entry) {
  entry = {};
  return fi_cq_readerr(queue_.get(), &entry, 0) == 1;
}

std::string Rail::error_text(const fi_cq_err_entry& entry) const {
  std::string text = library_->strerror(entry.err);
  char buffer[128] = "";
  const char* detail = fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, buffer, sizeof buffer);
  if (detail != nullptr && *detail != '\0' && text != detail) text += std::string(" (") + detail + ")";
  return text;
}

}  // namespace weft::conduit::ofi
