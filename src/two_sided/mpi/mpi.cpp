#include "two_sided/mpi/mpi.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "os/dataless.hpp"
#include "two_sided/model.hpp"
#include "two_sided/mpi/communicators.hpp"
#include "weft/job.h"

using namespace weft::two_sided;

// One send or receive, or those that a collective is made of.
struct weft_sim_mpi_request {
  std::vector<std::unique_ptr<Request>> parts;
  size_t first = 0;  // those before it are complete
  const Communicator* communicator = nullptr;

  Request& add() { return *parts.emplace_back(std::make_unique<Request>()); }
};

namespace {

// What belongs to one simulation.
struct World {
  explicit World(Model& of) : model(of), handles(of.size()) {}

  Handles& own() {
    std::unique_ptr<Handles>& its = handles[model.rank()];
    if (!its) its = std::make_unique<Handles>(model.rank(), model.size());
    return *its;
  }

  Model& model;
  std::vector<std::unique_ptr<Handles>> handles;  // by rank
  Splits splits;
};

World& world() {
  static std::weak_ptr<World> current;
  if (const auto known = current.lock()) return *known;
  const auto made = std::make_shared<World>(Model::current());
  made->model.simulation().keep(made);
  current = made;
  return *made;
}

Communicator& find(MPI_Comm comm) { return world().own().communicator(comm); }
const Type& find_type(MPI_Datatype type) { return world().own().type(type); }
size_t bytes_of(int count, MPI_Datatype type) { return static_cast<size_t>(count) * find_type(type).bytes; }

uint32_t member(const Communicator& comm, int number) {
  if (number < 0 || static_cast<size_t>(number) >= comm.members.size())
    refuse("simulated MPI", "there is no such rank in the communicator");
  return comm.members[static_cast<size_t>(number)];
}

bool test(weft_sim_mpi_request& request) {
  while (request.first < request.parts.size() && world().model.test(*request.parts[request.first])) ++request.first;
  return request.first == request.parts.size();
}

void wait_for(weft_sim_mpi_request& request, const char* call) {
  for (; request.first < request.parts.size(); ++request.first) world().model.wait(*request.parts[request.first], call);
}

void finish(MPI_Request* request, MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) {
    const Request& last = *(*request)->parts.back();
    const auto& members = (*request)->communicator->members;
    const auto found = std::ranges::find(members, last.envelope.source);
    *status = {static_cast<int>(found - members.begin()), last.envelope.tag, MPI_SUCCESS, last.size};
  }
  delete *request;
  *request = MPI_REQUEST_NULL;
}

// ---- Messages of collectives, which have a context of their own ----

class Messages {
 public:
  Messages(const Communicator& comm, const char* call) : comm_(comm), call_(call) { all_.communicator = &comm; }

  void send(uint32_t to, const void* data, size_t bytes) {
    world().model.send(comm_.members[to], 0, comm_.context + 1, data, bytes, all_.add());
  }
  void receive(uint32_t from, void* data, size_t bytes) {
    world().model.receive({comm_.members[from], 0, comm_.context + 1}, data, bytes, all_.add());
  }
  void wait() {
    wait_for(all_, call_);
    all_.parts.clear();
    all_.first = 0;
  }
  weft_sim_mpi_request take() { return std::move(all_); }

 private:
  const Communicator& comm_;
  const char* call_;
  weft_sim_mpi_request all_;
};

uint32_t size_of(const Communicator& comm) { return static_cast<uint32_t>(comm.members.size()); }

void barrier(const Communicator& comm, const char* call) {
  const uint32_t n = size_of(comm);
  for (uint32_t distance = 1; distance < n; distance *= 2) {
    Messages messages(comm, call);
    messages.receive((comm.me + n - distance) % n, nullptr, 0);
    messages.send((comm.me + distance) % n, nullptr, 0);
    messages.wait();
  }
}

// Down a binomial tree.
void broadcast(const Communicator& comm, void* data, size_t bytes, uint32_t root, const char* call) {
  const uint32_t n = size_of(comm), place = (comm.me + n - root) % n;
  const uint32_t below = place == 0 ? std::bit_ceil(n) : 1u << std::countr_zero(place);
  Messages messages(comm, call);
  if (place != 0) messages.receive((place - below + root) % n, data, bytes);
  messages.wait();
  for (uint32_t distance = below / 2; distance > 0; distance /= 2)
    if (place + distance < n) messages.send((place + distance + root) % n, data, bytes);
  messages.wait();
}

void combine(double* result, const double* other, size_t count, MPI_Op op) {
  for (size_t i = 0; i < count; ++i) result[i] = op == MPI_SUM ? result[i] + other[i] : std::max(result[i], other[i]);
}

// Up a binomial tree to member 0, and down again: all get the same bits.
void reduce_all(const Communicator& comm, double* data, size_t count, MPI_Op op, const char* call) {
  const uint32_t n = size_of(comm);
  std::vector<double> other(count);
  for (uint32_t distance = 1; distance < n; distance *= 2) {
    Messages messages(comm, call);
    if ((comm.me & distance) != 0) {
      messages.send(comm.me - distance, data, count * sizeof(double));
      messages.wait();
      break;
    }
    if (comm.me + distance >= n) continue;
    messages.receive(comm.me + distance, other.data(), count * sizeof(double));
    messages.wait();
    combine(data, other.data(), count, op);
  }
  broadcast(comm, data, count * sizeof(double), 0, call);
}

// All receives, then all sends, each to another one first.
weft_sim_mpi_request start_exchange(const Communicator& comm, const void* source, size_t bytes, void* destination,
                                    size_t distance, const char* call) {
  const uint32_t n = size_of(comm);
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(destination);
  Messages messages(comm, call);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t peer = (comm.me + n - i) % n;
    messages.receive(peer, to + peer * distance, bytes);
  }
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t peer = (comm.me + i) % n;
    messages.send(peer, from + peer * bytes, bytes);
  }
  if (bytes != 0) weft::os::copy_data(to + comm.me * distance, from + comm.me * bytes, bytes);
  return messages.take();
}

}  // namespace

extern "C" {

// ---- The job ----

int MPI_Init(int* argc, char*** argv) {
  if (weft_init(argc, argv) != WEFT_OK) std::exit(2);
  if (weft::sim::Simulation::on_this_thread()) return MPI_SUCCESS;
  refuse("MPI_Init", "this program is for simulated machines alone; start it with weftrun --sim PLATFORM -n RANKS");
}

int MPI_Finalize(void) {
  barrier(find(MPI_COMM_WORLD), "MPI_Finalize");
  return weft_finalize() == WEFT_OK ? MPI_SUCCESS : 1;
}

int MPI_Abort(MPI_Comm, int code) {
  weft_exit(code);
  return code;
}

double MPI_Wtime(void) { return static_cast<double>(weft_time_ns()) * 1e-9; }

// ---- Communicators and types ----

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = static_cast<int>(find(comm).me);
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = static_cast<int>(find(comm).members.size());
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  Communicator& parent = find(comm);
  const uint32_t number = parent.splits++;
  const Splits::Member own = {world().model.rank(), color, key};
  world().splits.say(parent.context, number, own);
  barrier(parent, "MPI_Comm_split");
  *made = color == MPI_UNDEFINED ? MPI_COMM_NULL : world().own().add(world().splits.made(parent.context, number, own));
  return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* made) {
  if (type != MPI_COMM_TYPE_SHARED) refuse("MPI_Comm_split_type", "it knows MPI_COMM_TYPE_SHARED alone");
  const Model& model = world().model;
  return MPI_Comm_split(comm, static_cast<int>(world().model.simulation().network().host_of(model.rank())), key, made);
}

int MPI_Comm_free(MPI_Comm* comm) {
  world().own().free_communicator(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype* made) {
  const Type& type = find_type(of);
  const auto times = static_cast<size_t>(count);
  *made = world().own().add(Type{times * type.bytes, times * type.extent});
  return MPI_SUCCESS;
}

int MPI_Type_create_resized(MPI_Datatype of, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made) {
  if (lower != 0 || extent < 0) refuse("MPI_Type_create_resized", "it begins at 0, and its extent is not negative");
  *made = world().own().add(Type{find_type(of).bytes, static_cast<size_t>(extent)});
  return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }

int MPI_Type_free(MPI_Datatype* type) {
  world().own().free_type(*type);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

// ---- Messages ----

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const Communicator& its = find(comm);
  *request = new weft_sim_mpi_request{.parts = {}, .communicator = &its};
  world().model.send(member(its, to), tag, its.context, data, bytes_of(count, type), (*request)->add());
  return MPI_SUCCESS;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const Communicator& its = find(comm);
  *request = new weft_sim_mpi_request{.parts = {}, .communicator = &its};
  const uint32_t source = from == MPI_ANY_SOURCE ? any_source : member(its, from);
  world().model.receive({source, tag, its.context}, data, bytes_of(count, type), (*request)->add());
  return MPI_SUCCESS;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data, count, type, to, tag, comm, &request);
  wait_for(*request, "MPI_Send");
  finish(&request, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(data, count, type, from, tag, comm, &request);
  wait_for(*request, "MPI_Recv");
  finish(&request, status);
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = *request == MPI_REQUEST_NULL || test(**request);
  if (*done != 0 && *request != MPI_REQUEST_NULL) finish(request, status);
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  wait_for(**request, "MPI_Wait");
  finish(request, status);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    wait_for(*requests[i], "MPI_Waitall");
    finish(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
  }
  return MPI_SUCCESS;
}

// ---- Collectives ----

int MPI_Barrier(MPI_Comm comm) {
  barrier(find(comm), "MPI_Barrier");
  return MPI_SUCCESS;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Communicator& its = find(comm);
  (void)member(its, root);
  broadcast(its, data, bytes_of(count, type), static_cast<uint32_t>(root), "MPI_Bcast");
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* source, void* destination, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (type != MPI_DOUBLE || (op != MPI_SUM && op != MPI_MAX))
    refuse("MPI_Allreduce", "it knows MPI_SUM and MPI_MAX of MPI_DOUBLE alone");
  auto* data = static_cast<double*>(destination);
  const auto elements = static_cast<size_t>(count);
  if (source != MPI_IN_PLACE && elements != 0) std::memcpy(data, source, elements * sizeof(double));
  reduce_all(find(comm), data, elements, op, "MPI_Allreduce");
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void* source, int source_count, MPI_Datatype source_type, void* destination,
                 int destination_count, MPI_Datatype destination_type, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(source, source_count, source_type, destination, destination_count, destination_type, comm, &request);
  wait_for(*request, "MPI_Alltoall");
  finish(&request, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

int MPI_Ialltoall(const void* source, int source_count, MPI_Datatype source_type, void* destination,
                  int destination_count, MPI_Datatype destination_type, MPI_Comm comm, MPI_Request* request) {
  const Type& type = find_type(destination_type);
  const size_t bytes = bytes_of(source_count, source_type);
  const bool has_gaps = type.extent != type.bytes && destination_count != 1;
  if (has_gaps || find_type(source_type).extent != find_type(source_type).bytes)
    refuse("MPI_Alltoall", "types with gaps are for the receive side alone, one element to each rank");
  if (bytes != bytes_of(destination_count, destination_type))
    refuse("MPI_Alltoall", "what is sent to a rank has another size than what is received from one");
  const size_t distance = static_cast<size_t>(destination_count) * type.extent;
  *request = new weft_sim_mpi_request(start_exchange(find(comm), source, bytes, destination, distance, "MPI_Alltoall"));
  return MPI_SUCCESS;
}

}  // extern "C"
