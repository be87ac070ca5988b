#include "two_sided/mpi/communicators.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "two_sided/mpi/mpi.h"
#include "weft/job.h"

namespace weft::two_sided {

void refuse(const char* function, const char* what) {
  std::fprintf(stderr, "weft: rank %u: %s: %s\n", weft_rank(), function, what);
  weft_exit(1);
  std::abort();
}

Handles::Handles(uint32_t rank, uint32_t ranks) {
  communicators_.resize(MPI_COMM_WORLD);
  Communicator world;
  world.members.resize(ranks);
  std::iota(world.members.begin(), world.members.end(), 0);
  world.me = rank;
  add(std::move(world));
  types_.resize(MPI_BYTE);
  for (const size_t bytes : {size_t{1}, sizeof(int), sizeof(uint64_t), sizeof(double), sizeof(std::complex<double>)})
    add(Type{bytes, bytes});
}

namespace {

template <class T>
T& find(const std::vector<std::unique_ptr<T>>& all, int handle, const char* what) {
  if (handle <= 0 || static_cast<size_t>(handle) >= all.size() || !all[static_cast<size_t>(handle)])
    refuse("simulated MPI", what);
  return *all[static_cast<size_t>(handle)];
}

}  // namespace

Communicator& Handles::communicator(int handle) const {
  return find(communicators_, handle, "there is no such communicator");
}
const Type& Handles::type(int handle) const { return find(types_, handle, "there is no such type"); }

int Handles::add(Communicator communicator) {
  communicators_.push_back(std::make_unique<Communicator>(std::move(communicator)));
  return static_cast<int>(communicators_.size() - 1);
}
int Handles::add(Type type) {
  types_.push_back(std::make_unique<Type>(type));
  return static_cast<int>(types_.size() - 1);
}

void Handles::free_communicator(int handle) {
  if (handle == MPI_COMM_WORLD) refuse("MPI_Comm_free", "MPI_COMM_WORLD stays");
  (void)communicator(handle);
  communicators_[static_cast<size_t>(handle)].reset();
  while (!communicators_.back()) communicators_.pop_back();
}
void Handles::free_type(int handle) {
  if (handle <= MPI_C_DOUBLE_COMPLEX) refuse("MPI_Type_free", "a type that MPI names stays");
  (void)type(handle);
  types_[static_cast<size_t>(handle)].reset();
  while (!types_.back()) types_.pop_back();
}

Communicator Splits::made(uint32_t context, uint32_t number, const Member& member) {
  std::vector<Member> members = said_[{context, number}];
  std::erase_if(members, [&](const Member& other) { return other.color != member.color; });
  std::ranges::sort(members, {}, [](const Member& one) { return std::pair(one.key, one.rank); });
  Communicator made;
  for (const Member& other : members) {
    if (other.rank == member.rank) made.me = static_cast<uint32_t>(made.members.size());
    made.members.push_back(other.rank);
  }
  // World's context is 0, and each has two.
  const auto next = static_cast<uint32_t>(2 * contexts_.size() + 2);
  made.context = contexts_.try_emplace({context, number, member.color}, next).first->second;
  return made;
}

}  // namespace weft::two_sided
