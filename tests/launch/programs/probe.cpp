// A Weft program that does what its first argument says; the tests of the launcher watch what comes of it.
//
//   probe hello                each rank prints "rank R of N"
//   probe wait                 each rank prints "ready PID" and waits for its end
//   probe barriers             as wait, but in one barrier after the other
//   probe stubborn             as wait, but ignores SIGTERM
//   probe parent               as wait, but starts two children before, one of them a daemon in a session of its own
//   probe leave-children       as parent, but ends in order
//   probe exit CODE RANK       RANK exits with CODE, the others wait in a barrier
//   probe no-finalize RANK     RANK returns 0 from main, the others wait in a barrier
//   probe early-exit CODE RANK the same, before weft_init
//   probe late-exit CODE RANK  the same, after weft_finalize; the others print "done" a moment later
//   probe late-hang CODE RANK  the same, but the others never end
//   probe exits CODE RANK      after weft_finalize each rank prints "done" and calls exit(), RANK with CODE, the
//                              others with 0; at its exit each process prints "bye"
//   probe pthread-exit RANK    RANK calls pthread_exit() before weft_finalize, the others wait there
//   probe late-pthread-exit RANK  the same, after weft_finalize
//   probe weft-exit CODE RANK  RANK calls weft_exit(CODE), the others wait in a barrier
//   probe late-weft-exit CODE RANK  the same, after weft_finalize; the others print "done" a moment later
//   probe abort RANK           RANK calls weft_abort, the others wait in a barrier
//   probe segfault RANK        RANK crashes, the others wait in a barrier
//   probe overflow RANK        the same, by the overflow of its stack
//   probe large-frame RANK     RANK uses the far end of 4 MiB on its stack, the others wait in a barrier
//   probe deadlock RANK        RANK waits for a signal that nobody sends, the others wait in a barrier
//   probe polls RANK           RANK waits in a barrier, the others poll for a signal that nobody sends
//   probe spin RANK            RANK computes for a second of processor time without calling Weft
//   probe poll NS              each rank calls weft_poll() for so long
//   probe compute [COUNT]      each rank says that it computes ten million operations, in so many calls
//   probe clock                each rank prints the time before weft_init, after it and after weft_finalize
//   probe collectives RANK     RANK begins a reduction, the others a broadcast
//   probe roots                each rank begins a broadcast from itself
//   probe thread RANK          RANK makes a thread, which calls Weft
//   probe close-all RANK       RANK closes all descriptors from 3 on, then all enter a barrier and finalize
//   probe die-together         all ranks exit with code 10 + rank at once
//   probe echo                 rank 0 copies its input to its output, the others print how many bytes they can read
//   probe collective           a reduction over all ranks, waited for by its handle
//   probe lines                each rank writes whole, partial and empty lines, and one without a newline to each
//                              stream
//   probe flood COUNT          each rank prints COUNT lines "R: 0 xxx..."
//   probe processors           each rank prints "rank R: " and the processors it may use
//   probe babble               rank 1 sends a line to the launcher that is not PMI
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/sim.h>
#include <weft/weft.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

// One write per line, so that lines of ranks that share a stream do not mix.
void print(const std::string& text) {
  [[maybe_unused]] const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
}

std::string name() { return "rank " + std::to_string(weft_rank()); }

[[noreturn]] void wait_for_the_end() {
  for (;;) ::pause();
}

void announce() {
  weft_barrier();
  print("ready " + std::to_string(::getpid()) + "\n");
}

// Calls itself until the stack is full.
int descend(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : descend(depth + 1) + room[0];
}

// Touches what is farthest from its caller's frame, and nothing between.
[[gnu::noinline]] bool use_large_frame() {
  volatile char room[4 << 20];
  room[0] = 1;
  return room[0] == 1;
}

void start_child(bool daemon) {
  if (::fork() != 0) return;
  if (daemon) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
  }
  std::signal(SIGTERM, SIG_IGN);
  print("child " + std::to_string(::getpid()) + "\n");
  ::close(STDOUT_FILENO);
  wait_for_the_end();
}

// The compiler may not know that it is null: it would leave a store there out.
int* volatile nowhere = nullptr;

void crash() { *nowhere = 1; }

void copy_input() {
  char bytes[4096];
  size_t total = 0;
  for (ssize_t count; (count = ::read(STDIN_FILENO, bytes, sizeof bytes)) > 0; total += static_cast<size_t>(count))
    if (weft_rank() == 0) print(std::string(bytes, static_cast<size_t>(count)));
  if (weft_rank() == 0 && ::isatty(STDIN_FILENO)) print("a terminal\n");
  if (weft_rank() != 0) print(name() + " read " + std::to_string(total) + " bytes\n");
}

void write_lines() {
  const std::string rank = std::to_string(weft_rank());
  print("whole " + rank + "\npar");
  weft_barrier();
  std::this_thread::sleep_for(20ms);
  print("tial " + rank + "\n\n");
  print("unfinished " + rank);
  std::fprintf(stderr, "error %s", rank.c_str());
}

void flood(int lines) {
  for (int line = 0; line < lines; ++line)
    print(std::to_string(weft_rank()) + ": " + std::to_string(line) + " " +
          std::string(static_cast<size_t>(line) % 199, 'x') + "\n");
}

// Ten puts, two signals, a request and its reply; and what the library does for collectives.
void communicate() {
  static weft_am_id_t ping, pong;
  const weft_am_entry_t entries[] = {
      {"ping", [](const weft_am_t* message) { weft_am_reply_short(message, pong, nullptr, 0); }, &ping, WEFT_AM_ANY},
      {"pong", [](const weft_am_t*) {}, &pong, WEFT_AM_ANY}};
  weft_am_register(entries, 2);
  const uint32_t next = (weft_rank() + 1) % weft_size();
  size_t block = 0;
  weft_alloc_symmetric(64, 0, &block);
  uint64_t word = 1, sum = 0;
  for (int i = 0; i < 10; ++i) weft_put(next, block, &word, sizeof word);
  for (int i = 0; i < 2; ++i) weft_semaphore_post(next, block + 8, 1);
  weft_team_t team = WEFT_TEAM_NONE;
  weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team);
  for (int i = 0; i < 5; ++i) weft_reduce_all(team, &sum, &word, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0);
  weft_team_barrier(team);
  weft_team_free(team);
  weft_am_request_short(next, ping, nullptr, 0, 0);
}

[[noreturn]] void barriers() {
  announce();
  for (;;) weft_barrier();
}

void collective() {
  const uint64_t word = 1;
  uint64_t sum = 0;
  weft_handle_t handle = WEFT_HANDLE_DONE;
  weft_reduce_all_nb(WEFT_TEAM_WORLD, &sum, &word, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0, &handle);
  weft_handle_wait(handle);
}

void broadcast_from(weft_rank_t root) {
  uint64_t word = 1;
  weft_broadcast(WEFT_TEAM_WORLD, &word, &word, sizeof word, root, 0);
}

void compute(int calls) {
  for (int i = 0; i < calls; ++i) weft_sim_compute(1e7 / calls, 0);
}

void print_processors() {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  std::string text = name() + ":";
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(static_cast<size_t>(processor), &allowed)) text.append(" ").append(std::to_string(processor));
  print(text + "\n");
}

// Of a word that nobody writes.
size_t alone_offset() {
  size_t offset = 0;
  weft_alloc(sizeof(uint64_t), 0, &offset);
  std::memset(weft_pointer(weft_rank(), offset), 0, sizeof(uint64_t));
  return offset;
}

void spin() {
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC;
  while (std::clock() < end) {
  }
}

void poll_for(int ns) {
  const uint64_t end = weft_time_ns() + static_cast<uint64_t>(ns);
  while (weft_time_ns() < end) weft_poll();
}

void babble() {
  const std::string line = "good day\n";
  ::send(std::atoi(std::getenv("PMI_FD")), line.data(), line.size(), 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 1 ? argv[1] : "hello";
  // The last two numbers, as far as they are given: a code and a rank, or a rank alone.
  const int first = argc > 2 ? std::atoi(argv[2]) : 0;
  const uint32_t rank = static_cast<uint32_t>(argc > 3 ? std::atoi(argv[3]) : first);
  // Before weft_init nobody but the launcher knows the rank.
  const char* told = std::getenv("PMI_RANK") ? std::getenv("PMI_RANK") : std::getenv("PMIX_RANK");
  if (action == "early-exit" && told && std::to_string(rank) == told) return first;

  static bool comes_first = true;  // of the ranks of a process
  if (action == "exits" && comes_first) std::atexit([] { print("bye\n"); });
  comes_first = false;

  const uint64_t before = weft_time_ns();
  if (weft_init(&argc, &argv) != WEFT_OK) return 99;
  const uint64_t within = weft_time_ns();
  const bool chosen = weft_rank() == rank;
  if (action == "hello") print(name() + " of " + std::to_string(weft_size()) + "\n");
  if (action == "stubborn") std::signal(SIGTERM, SIG_IGN);
  if (action == "parent" || action == "leave-children") {
    start_child(false);
    start_child(true);
  }
  if (action == "wait" || action == "stubborn" || action == "parent") {
    announce();
    wait_for_the_end();
  }
  if (action == "exit" && chosen) std::_Exit(first);
  if (action == "close-all" && chosen) ::closefrom(3);
  if (action == "no-finalize" && chosen) return 0;
  if (action == "pthread-exit" && chosen) ::pthread_exit(nullptr);
  if (action == "weft-exit" && chosen) weft_exit(first);
  if (action == "abort" && chosen) weft_abort("the test wants it");
  if (action == "overflow" && chosen) {
    const rlimit small{1 << 20, 1 << 20};  // it may be unlimited
    ::setrlimit(RLIMIT_STACK, &small);
    return descend(1);
  }
  if (action == "large-frame" && chosen && !use_large_frame()) return 97;
  if (action == "deadlock" && chosen) weft_signal_wait(alone_offset(), WEFT_NE, 0, nullptr);
  if (action == "polls" && !chosen)
    for (const size_t signal = alone_offset(); weft_signal_test(signal, WEFT_NE, 0, nullptr) == 0;) continue;
  if (action == "spin" && chosen) spin();
  if (action == "thread" && chosen) std::thread([] { weft_poll(); }).join();
  if (action == "segfault") {
    // The others have left weft_init, and wait again when this one crashes.
    weft_barrier();
    if (chosen) std::this_thread::sleep_for(300ms);
    if (chosen) crash();
  }
  if (action == "die-together") {
    weft_barrier();
    std::_Exit(10 + static_cast<int>(weft_rank()));
  }
  if (action == "echo") copy_input();
  if (action == "communicate") communicate();
  if (action == "collective") collective();
  if (action == "poll") poll_for(first);
  if (action == "compute") compute(std::max(first, 1));
  if (action == "collectives" && chosen) collective();
  if (action == "collectives") broadcast_from(0);
  if (action == "roots") broadcast_from(weft_rank());
  if (action == "barriers") barriers();
  if (action == "lines") write_lines();
  if (action == "flood") flood(first);
  if (action == "processors") print_processors();
  if (action == "babble" && weft_rank() == 1) babble();
  weft_barrier();

  const bool late = action == "late-exit" || action == "late-hang";
  if (weft_finalize() != WEFT_OK) return 98;
  if (action == "clock")
    print(std::to_string(before) + " " + std::to_string(within) + " " + std::to_string(weft_time_ns()) + "\n");
  if (action == "late-weft-exit" && chosen) weft_exit(first);
  if (late && chosen) return first;
  if (action == "late-pthread-exit" && chosen) ::pthread_exit(nullptr);
  if (action == "late-hang") wait_for_the_end();
  if (action == "exits") {
    print("done\n");
    std::exit(chosen ? first : 0);
  }
  if (action == "late-exit" || action == "late-weft-exit") {
    std::this_thread::sleep_for(200ms);
    print("done\n");
  }
  return 0;
}
