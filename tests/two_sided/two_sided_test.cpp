// A program in MPI on a simulated machine (platform.json beside it): what arrives where, and what it takes. Each rank
// says what is wrong, and the program then ends with 1.
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace {

thread_local int rank = 0, size = 1;  // each simulated rank has its own

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "two_sided_test.cpp:%d: rank %d: %s does not hold\n", line, rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

// Of the platform: 1 us to send, 2 us to take in, 10 ns a look, 1 ns per copied byte, eager up to 1,000 bytes.
constexpr double send_overhead = 1e-6, receive_overhead = 2e-6, look = 10e-9, byte = 1e-9;

bool near(double value, double expected) { return std::abs(value - expected) < 1e-9; }

std::vector<int> numbers(int count, int from) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), from);
  return made;
}

// Short and long ones by turns, which the network lets pass each other; tags and sources choose.
void messages_are_matched_in_order() {
  constexpr int count = 40;
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  std::vector<std::vector<int>> sent, received;
  std::vector<MPI_Request> requests(2 * count);
  for (int i = 0; i < count; ++i) {
    sent.push_back(numbers(i % 3 == 0 ? 5000 : 1 + i, 1000 * rank + i));
    received.emplace_back(5000);
  }
  for (int i = 0; i < count; ++i)
    MPI_Irecv(received[i].data(), 5000, MPI_INT, i % 2 == 0 ? left : MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < count; ++i)
    MPI_Isend(sent[i].data(), static_cast<int>(sent[i].size()), MPI_INT, right, 7, MPI_COMM_WORLD,
              &requests[count + i]);
  std::vector<MPI_Status> statuses(2 * count);
  MPI_Waitall(2 * count, requests.data(), statuses.data());
  for (int i = 0; i < count; ++i) {
    const auto expected = numbers(static_cast<int>(sent[i].size()), 1000 * left + i);
    EXPECT(std::memcmp(received[i].data(), expected.data(), expected.size() * sizeof(int)) == 0);
    EXPECT(statuses[i].MPI_SOURCE == left && statuses[i].MPI_TAG == 7);
    EXPECT(requests[i] == MPI_REQUEST_NULL);
  }
}

// Of both lengths, that is through buffers and past them.
void thread_local_memory_is_each_ranks_own() {
  constexpr int most = 3000;
  static thread_local int sent[most], received[most];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (const int count : {10, most}) {
    for (int i = 0; i < count; ++i) sent[i] = 10000 * rank + i;
    MPI_Request request;
    MPI_Irecv(received, count, MPI_INT, left, 3, MPI_COMM_WORLD, &request);
    MPI_Send(sent, count, MPI_INT, right, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) EXPECT(received[i] == 10000 * left + i);
  }
}

void tags_and_communicators_separate() {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &other);  // in reverse
  int its_rank = 0;
  MPI_Comm_rank(other, &its_rank);
  EXPECT(its_rank == size - 1 - rank);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int sent[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2}, received[3] = {};
  MPI_Request requests[3];
  MPI_Isend(&sent[0], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent[1], 1, MPI_INT, size - 1 - right, 1, other, &requests[1]);
  MPI_Isend(&sent[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Recv(&received[2], 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&received[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
  MPI_Recv(&received[0], 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) EXPECT(received[i] == 10 * left + i);
  MPI_Comm_free(&other);
  EXPECT(other == MPI_COMM_NULL);
}

void collectives_compute() {
  double sums[2] = {rank + 1.0, 0.5};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sums[0] == size * (size + 1) / 2.0 && sums[1] == 0.5 * size);
  const double mine = rank % 3;
  double most = -1;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT(most == std::min(size - 1, 2));
  for (int root = 0; root < size; ++root) {
    std::vector<int> data = rank == root ? numbers(600, root) : std::vector<int>(600);
    MPI_Bcast(data.data(), 600, MPI_INT, root, MPI_COMM_WORLD);
    EXPECT(data == numbers(600, root));
  }
  // Spread out where they arrive, as the transposition of ft-mpi does.
  constexpr int block = 300;
  MPI_Datatype contiguous = MPI_DATATYPE_NULL, spread = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(block, MPI_INT, &contiguous);
  MPI_Type_create_resized(contiguous, 0, 2 * block * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  std::vector<int> source, destination(static_cast<std::size_t>(2 * block * size), -1);
  for (int to = 0; to < size; ++to)
    for (const int number : numbers(block, 10000 * rank + 1000 * to)) source.push_back(number);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(source.data(), block, MPI_INT, destination.data(), 1, spread, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  for (int from = 0; from < size; ++from) {
    const int* place = destination.data() + 2 * block * from;
    EXPECT(std::vector<int>(place, place + block) == numbers(block, 10000 * from + 1000 * rank));
    EXPECT(place[block] == -1);
  }
  MPI_Type_free(&spread);
  MPI_Type_free(&contiguous);
}

// How long rank 0 is inside its calls.
void sends_take_their_time() {
  std::vector<char> data(10000);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Request eager = MPI_REQUEST_NULL, rendezvous = MPI_REQUEST_NULL;
    double start = MPI_Wtime();
    MPI_Isend(data.data(), 1000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &eager);
    EXPECT(near(MPI_Wtime() - start, send_overhead + 1000 * byte));
    int done = 0;
    MPI_Test(&eager, &done, MPI_STATUS_IGNORE);
    EXPECT(done == 1);
    start = MPI_Wtime();
    MPI_Isend(data.data(), 1001, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &rendezvous);
    EXPECT(near(MPI_Wtime() - start, send_overhead));
    // Nobody has received it, however long that takes.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Test(&rendezvous, &done, MPI_STATUS_IGNORE);
    EXPECT(done == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&rendezvous, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 && rank == 1; ++i)
      MPI_Recv(data.data(), 1001, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// A receive that finds its message behind others looks at all of them.
void looks_cost() {
  constexpr int depth = 100;
  std::vector<char> data(8);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i <= depth; ++i) MPI_Send(data.data(), 8, MPI_BYTE, 1, i, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    for (const int wanted : {depth, 0}) {
      const double start = MPI_Wtime();
      MPI_Recv(data.data(), 8, MPI_BYTE, 0, wanted, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const int looked = wanted == depth ? depth + 1 : 1;
      EXPECT(near(MPI_Wtime() - start, looked * look + 8 * byte));
    }
    for (int i = 1; i < depth; ++i) MPI_Recv(data.data(), 8, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Rank 0's half of a round trip: all overheads of both, and the network, 1,000 ns and 1 ns per byte with a header
// of 32.
void a_round_trip_takes_the_sum() {
  std::vector<char> data(8);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 1) return;
  const auto trip = [&] {
    if (rank == 0) MPI_Send(data.data(), 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data.data(), 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data.data(), 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  };
  trip();
  const double start = MPI_Wtime();
  trip();
  const double half = send_overhead + receive_overhead + look + 2 * 8 * byte + 1040e-9;
  if (rank == 0) EXPECT(near(MPI_Wtime() - start, 2 * half));
  // Until then rank 1 sends nothing else, which rank 0 would take in, too.
  trip();
}

void make_a_mistake(const std::string& which) {
  std::vector<char> data(2000);
  if (which == "truncate" && rank == 0) MPI_Send(data.data(), 2000, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
  if (which == "truncate" && rank == 1) MPI_Recv(data.data(), 100, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (which == "deadlock") MPI_Recv(data.data(), 100, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (which == "rank") MPI_Send(data.data(), 1, MPI_BYTE, size, 3, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::fflush(stdout);
  if (argc > 1) make_a_mistake(argv[1]);
  messages_are_matched_in_order();
  thread_local_memory_is_each_ranks_own();
  tags_and_communicators_separate();
  collectives_compute();
  if (size > 1) {
    sends_take_their_time();
    looks_cost();
    a_round_trip_takes_the_sum();
  }
  MPI_Finalize();
  if (rank == 0) std::puts("passed");
  return 0;
}
