#include "upcrt/sums.hpp"

#include <array>
#include <cstring>

namespace weft::upcrt {
namespace {

constexpr size_t kSums = 256;
// Others see what a long loop does now and then.
constexpr uint32_t kMostWaiting = 1 << 16;

// What is to be done to one object.
struct Sum {
  uint64_t offset = 0;
  uint64_t thread = 0;
  upcr_update_op_t op = UPCR_UPDATE_ADD;  // or AND, OR, XOR
  upcr_update_type_t type = UPCR_UPDATE_U64;
  bool waits = false;
  uint64_t value = 0;
  Place where;
};

struct Table {
  std::array<Sum, kSums> sums;
  std::array<uint8_t, kSums> used = {};  // the first `count` are numbers of sums
  uint32_t count = 0;
  uint32_t updates = 0;  // since it was empty
};
constinit thread_local Table table __attribute__((tls_model("initial-exec")));

static_assert(kSums == 256, "`used` holds numbers of sums");

uint8_t slot_of(uint64_t offset, uint64_t thread) {
  return static_cast<uint8_t>((offset / sizeof(uint32_t) + thread * 61) * 0x9e37'79b9'7f4a'7c15 >> 56);
}

void send(Sum& sum) {
  // The low bytes of the value; the same number where the object has 4.
  uint32_t low = static_cast<uint32_t>(sum.value);
  const void* const operand = sum.type == UPCR_UPDATE_U32 ? static_cast<const void*>(&low) : &sum.value;
  upcr_update(upcr_make(sum.offset, sum.thread, 0), sum.op, sum.type, operand, sum.where.file, sum.where.line);
  sum.waits = false;
}

uint64_t value_of(const void* operand, upcr_update_type_t type) {
  uint32_t low;
  uint64_t value;
  if (type == UPCR_UPDATE_U64) {
    std::memcpy(&value, operand, sizeof value);
    return value;
  }
  std::memcpy(&low, operand, sizeof low);
  return low;
}

}  // namespace

void add_up(upcr_pts_t target, upcr_update_op_t op, upcr_update_type_t type, const void* operand, Place where) {
  uint64_t value = op == UPCR_UPDATE_INC ? 1 : op == UPCR_UPDATE_DEC ? ~uint64_t{0} : value_of(operand, type);
  if (op == UPCR_UPDATE_SUB) value = -value;
  if (op == UPCR_UPDATE_SUB || op == UPCR_UPDATE_INC || op == UPCR_UPDATE_DEC) op = UPCR_UPDATE_ADD;
  const uint64_t thread = upcr_thread(target);
  const uint8_t slot = slot_of(target.offset, thread);
  Sum& sum = table.sums[slot];
  const bool same =
      sum.waits && sum.offset == target.offset && sum.thread == thread && sum.op == op && sum.type == type;
  if (!same) {
    if (sum.waits)
      send(sum);
    else
      table.used[table.count++] = slot;
    sum = {target.offset, thread, op, type, true, value, where};
  } else if (op == UPCR_UPDATE_ADD) {
    sum.value += value;
  } else if (op == UPCR_UPDATE_AND) {
    sum.value &= value;
  } else if (op == UPCR_UPDATE_OR) {
    sum.value |= value;
  } else {
    sum.value ^= value;
  }
  if (++table.updates == kMostWaiting) upcr_updates_finish();
}

void send_sums() {
  for (uint32_t i = 0; i < table.count; ++i) send(table.sums[table.used[i]]);
  table.count = table.updates = 0;
}

}  // namespace weft::upcrt
