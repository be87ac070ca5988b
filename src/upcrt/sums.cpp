#include "upcrt/sums.hpp"

#include <array>
#include <cstring>

namespace weft::upcrt {
namespace {

// Others see what a long loop does now and then.
constexpr uint32_t kMostWaiting = 1 << 16;

// What upcr_add_up() need not know of a sum.
struct Sum {
  uint64_t offset = 0;
  uint64_t thread = 0;
  upcr_update_op_t op = UPCR_UPDATE_ADD;  // or AND, OR, XOR
  upcr_update_type_t type = UPCR_UPDATE_U64;
  bool waits = false;
  Place where;
};

struct Table {
  std::array<Sum, UPCR_SUMS> sums;
  std::array<uint8_t, UPCR_SUMS> used = {};  // the first `count` are numbers of sums
  uint32_t count = 0;
};
constinit thread_local Table table __attribute__((tls_model("initial-exec")));

static_assert(UPCR_SUMS == 256, "`used` holds numbers of sums");

uint8_t slot_of(uint64_t offset, uint64_t thread) {
  return static_cast<uint8_t>((offset / sizeof(uint32_t) + thread * 61) * 0x9e37'79b9'7f4a'7c15 >> 56);
}

// A subscript that belongs to another slot.
int64_t no_index_of(uint8_t slot) { return ~int64_t{slot}; }

// An update of 0 by -1 and so on: what a sum of one update holds.
uint64_t operand_of(const WholeUpdate& update) {
  uint32_t low;
  uint64_t value;
  switch (update.op) {
    case UPCR_UPDATE_INC:
      return 1;
    case UPCR_UPDATE_DEC:
      return ~uint64_t{0};
    default:
      break;
  }
  if (update.type == UPCR_UPDATE_U32) {
    std::memcpy(&low, update.operand, sizeof low);
    value = low;
  } else {
    std::memcpy(&value, update.operand, sizeof value);
  }
  return update.op == UPCR_UPDATE_SUB ? -value : value;
}

// Of two updates that add up to one, the one that does: SUB, INC and DEC add.
upcr_update_op_t summed_op(upcr_update_op_t op) {
  return op == UPCR_UPDATE_SUB || op == UPCR_UPDATE_INC || op == UPCR_UPDATE_DEC ? UPCR_UPDATE_ADD : op;
}

void send(uint8_t slot) {
  Sum& sum = table.sums[slot];
  upcr_sum_t& found = upcr_sums.of[slot];
  // The low bytes of the value; the same number where the object has 4.
  uint32_t low = static_cast<uint32_t>(found.value);
  const void* const operand = sum.type == UPCR_UPDATE_U32 ? static_cast<const void*>(&low) : &found.value;
  upcr_update(upcr_make(sum.offset, sum.thread, 0), sum.op, sum.type, operand, sum.where.file, sum.where.line);
  sum.waits = false;
  found.index = no_index_of(slot);
}

void add_up_in(uint8_t slot, const WholeUpdate& update, int64_t index) {
  if (upcr_sums.left == 0) upcr_updates_finish();
  const uint64_t value = operand_of(update);
  const uint64_t thread = upcr_thread(update.target);
  const upcr_update_op_t op = summed_op(update.op);
  Sum& sum = table.sums[slot];
  uint64_t& total = upcr_sums.of[slot].value;
  const bool same = sum.waits && sum.offset == update.target.offset && sum.thread == thread && sum.op == op &&
                    sum.type == update.type;
  if (!same) {
    if (sum.waits)
      send(slot);
    else
      table.used[table.count++] = slot;
    sum = {update.target.offset, thread, op, update.type, true, update.where};
    total = value;
  } else if (op == UPCR_UPDATE_ADD) {
    total += value;
  } else if (op == UPCR_UPDATE_AND) {
    total &= value;
  } else if (op == UPCR_UPDATE_OR) {
    total |= value;
  } else {
    total ^= value;
  }
  upcr_sums.of[slot].index = index;
  upcr_sums.size = update.type == UPCR_UPDATE_U32 ? sizeof(uint32_t) : sizeof(uint64_t);
  --upcr_sums.left;
}

}  // namespace

void add_up(const WholeUpdate& update) {
  const uint8_t slot = slot_of(update.target.offset, upcr_thread(update.target));
  add_up_in(slot, update, no_index_of(slot));
}

void add_up(const WholeUpdate& update, int64_t index) {
  add_up_in(static_cast<uint8_t>(static_cast<uint64_t>(index) % UPCR_SUMS), update, index);
}

void send_sums() {
  for (uint32_t i = 0; i < table.count; ++i) send(table.used[i]);
  table.count = 0;
  upcr_sums.left = kMostWaiting;
  upcr_sums.of[0].index = no_index_of(0);  // at first it is 0, which only this entry could be taken to hold
}

}  // namespace weft::upcrt

// All of it is zero at first: with none left, nobody looks for a sum, and an update begins with send_sums().
UPCR_THREAD_LOCAL upcr_sums_t upcr_sums;
