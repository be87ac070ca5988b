"""Faults to plant in Weft, one at a time, to see whether the tests on simulated networks notice (run_mutants.py).

They were chosen before those tests were written: of flow control, credits, order, completion, and reuse of scratch
space, each what somebody might well do wrong.
"""

from typing import NamedTuple

FABRIC = "src/conduit/sim/fabric.cpp"
REFERENCE = "src/rma/reference.cpp"
SCRATCH = "src/coll/scratch.cpp"
DISSEMINATION = "src/coll/dissemination.hpp"


class Mutant(NamedTuple):
    """What is exchanged in a file; every text of `edits` is there once."""

    name: str
    why: str
    file: str
    edits: tuple[tuple[str, str], ...]


MUTANTS = (
    # ---- Flow control of active messages ----
    Mutant("credit-not-asked", "a sender without credits is not noted, so nobody tells it when there are some",
           FABRIC, (("      channel.starved = true;\n", ""),)),
    Mutant("credit-not-given-back", "a request that has been taken gives no credit back",
           FABRIC, (("  ++channel.taken;\n", ""),)),
    Mutant("credit-wakes-nobody", "credits come back, and their sender sleeps on",
           FABRIC, (("  fabric->simulation().wake(sender);\n", ""),)),
    Mutant("declined-is-lost", "a piece that finds no room is counted and not sent again",
           REFERENCE, (("  if (result == Result::retry)\n    rank_.progress().wait([&] { return conduit_.am_send(peer, "
                        "AmClass::request, message) != Result::retry; });\n", ""),)),
    Mutant("declined-is-counted", "an operation that was declined is waited for all the same",
           REFERENCE, (("    --operation.expected;\n", ""),)),
    # ---- Order ----
    Mutant("message-overtakes", "messages of one class are delivered as they come",
           FABRIC, (("packet.channel->arrivals.arrived(packet, ",
                     "InOrder<Packet>().arrived((packet.number = 0, packet), "),)),
    Mutant("strict-is-relaxed", "in strict order a transfer takes effect when it has arrived, whatever is before it",
           FABRIC, (("  if (!strict_) return transfer.take_effect(now);\n", "  return transfer.take_effect(now);\n"),)),
    Mutant("signal-before-data", "a signal is applied when its data has left, not when it has arrived",
           FABRIC, (("  fabric->notify(from, *completion, false);\n}\n\nvoid Transfer::arrived",
                     "  if (has_signal) apply_signal(fabric->segment(to) + signal_offset, signal_value, signal_op);\n"
                     "  has_signal = false;\n"
                     "  fabric->notify(from, *completion, false);\n}\n\nvoid Transfer::arrived"),)),
    Mutant("signal-before-last-piece", "of a long put by messages the signal goes with the first piece",
           REFERENCE, (("  if (first > 0 && put(operation, peer, offset, source, first, immediate) == Result::retry) "
                        "return Result::retry;\n", ""),
                       (".payload = size == 0 ? nullptr : static_cast<const std::byte*>(source) + first,",
                        ".payload = size == 0 ? nullptr : static_cast<const std::byte*>(source),"),
                       ("                              .size = size - first,\n"
                        "                              .offset = offset + first},\n"
                        "                             immediate && first == 0);\n",
                        "                              .size = size - first,\n"
                        "                              .offset = offset},\n"
                        "                             immediate);\n"
                        "  if (first > 0 && result != Result::retry)\n"
                        "    (void)put(operation, peer, offset + size - first,\n"
                        "              static_cast<const std::byte*>(source) + size - first, first, false);\n"))),
    # ---- Completion ----
    Mutant("source-free-too-early", "a put is complete locally before its source has been read",
           FABRIC, (("  simulation_.send(Message::of(transfer.from, transfer.to, bytes_out(transfer)",
                     "  if (transfer.kind != Transfer::Kind::get) notify(transfer.from, *transfer.completion, false);\n"
                     "  simulation_.send(Message::of(transfer.from, transfer.to, bytes_out(transfer)"),
                    ("  fabric->notify(from, *completion, false);\n}\n\nvoid Transfer::arrived",
                     "}\n\nvoid Transfer::arrived"))),
    Mutant("remote-at-departure", "a put is complete remotely when its data has left",
           FABRIC, (("  fabric->notify(from, *completion, false);\n}\n\nvoid Transfer::arrived",
                     "  fabric->notify(from, *completion, false);\n  fabric->notify(from, *completion, true);\n}\n\n"
                     "void Transfer::arrived"),
                    ("  fabric->notify(from, *completion, true);\n  fabric->finish(*this);\n",
                     "  if (kind == Kind::get) fabric->notify(from, *completion, true);\n  fabric->finish(*this);\n"))),
    Mutant("data-wakes-nobody", "a rank's memory changes, and the rank sleeps on",
           FABRIC, (("  simulation_.wake(peer, when);\n", "  (void)when;\n"),)),
    Mutant("last-completion-wakes-nobody", "the last completion that a rank waits for comes, and the rank sleeps on",
           FABRIC, (("  if (is_last || !simulation_.rests_surely(rank))",
                     "  if (static_cast<void>(is_last), !simulation_.rests_surely(rank))"),)),
    # One that only wakes nobody changes times alone, which tests/capi/waits_test.py notices: the last completion wakes.
    Mutant("room-stays-taken", "a rank that once had no room for a transfer never has any again",
           FABRIC, (("  if (std::exchange(port.starved, false)) simulation_.wake(transfer.from);\n",
                     "  if (port.starved) simulation_.wake(transfer.from);\n"),)),
    Mutant("one-acknowledgement-for-all", "of a transfer in pieces only the first is waited for",
           REFERENCE, (("  ++operation.expected;\n", "  if (operation.expected == 0) ++operation.expected;\n"),)),
    Mutant("implicit-waits-for-sources", "waiting for implicit operations ends when their sources are free",
           "src/rma/outstanding.cpp", (("waiting_ != nullptr && waiting_->remote_done()",
                                        "waiting_ != nullptr && waiting_->local_done()"),)),
    Mutant("collective-frees-sources", "a collective is over while its puts still read their sources",
           "src/coll/engine.cpp", (("    if (!call.puts_.local_done()) return false;\n", ""),)),
    Mutant("semaphore-overdrawn", "a semaphore gives what is not there yet",
           "src/capi/signal.cpp", (("  while (count >= n)\n", "  while (count >= 1)\n"),)),
    # ---- Ranks that are not woken ----
    Mutant("signal-in-sleep", "a rank sleeps through the signal that it waits for",
           FABRIC, (("      (transfer.has_signal && concerns(transfer.signal_offset, sizeof(uint64_t))))\n",
                     "      false)\n"),)),
    Mutant("turn-in-sleep", "a rank that waits for the others' words of a bank's turn sleeps through them",
           SCRATCH, (("    scratch_.scheduler_.add(*this);\n", "    scratch_.scheduler_.add_independent(*this);\n"),)),
    Mutant("credit-lost-in-sleep", "a message that a sleeping rank takes in gives no credit back",
           FABRIC, (("    taken(taken_now, now);\n", "    (void)now;\n"),)),
    # ---- Words and scratch space that are used again ----
    Mutant("barrier-without-parity", "two barriers that overlap share their words",
           DISSEMINATION, (("tell(number_ & 1, step, word);", "tell(0, step, word);"),
                           ("  bool heard(Load& load) {\n    const uint64_t word = load(number_ & 1, step_);",
                            "  bool heard(Load& load) {\n    const uint64_t word = load(0, step_);"))),
    Mutant("bank-turns-in-use", "a bank is turned while collectives of this rank still use it",
           SCRATCH, (("!ready.closed || ready.users != 0 || ", "!ready.closed || "),)),
    Mutant("bank-turns-alone", "a bank is used again without a barrier",
           SCRATCH, (("*this, members_.size(), members_.me(), 2,", "*this, 1, members_.me(), 2,"),)),
    Mutant("growth-does-not-wait", "the space grows while earlier collectives still use it",
           SCRATCH, (("    return s.bank_[0].users == 0 && s.bank_[1].users == 0 && s.bank_[0].turning.ended() && "
                      "s.bank_[1].turning.ended();\n", "    return s.growing_;\n"),)),
    Mutant("stale-stamp-counts", "a line counts as there if it holds any stamp",
           "src/coll/call.hpp", (("own_ + stamp_at) == region_.stamp; }", "own_ + stamp_at) != 0; }"),)),
    Mutant("stale-stamp-ends-wait", "a collective that waits for a line goes on when that holds any stamp",
           "src/coll/task.hpp", (("__ATOMIC_ACQUIRE) == value;", "__ATOMIC_ACQUIRE) != 0;"),)),
)
