// The collectives that weft-bench and its MPI peers measure alike, over all ranks: blocking, strictly synchronised, and
// eight in flight. A loop ends with a barrier, so that what runs ahead is counted. The limit is a memcpy of what a rank
// receives. Those with a list of sizes, named _v, move blocks of 1/2, 1 and 3/2 of the size in turn.
//
// A library's calls are the static functions of a type: weft/collective.cpp and mpi/collective.cpp have one each.
#pragma once

#include <cstring>

#include "common/compare.hpp"
#include "common/opaque.hpp"

namespace bench {

constexpr size_t collectives_in_flight = 8;

template <class Library, class Call>
Loop looped(Call call) {
  return [=](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) call();
    Library::barrier();
  };
}

// The blocks of the members, without gaps, as a library's own integers.
template <class Library>
struct Blocks {
  Blocks(size_t size, uint32_t members) {
    typename Library::Count at = 0;
    for (uint32_t m = 0; m < members; ++m) {
      sizes.push_back(static_cast<typename Library::Count>(size / 2 * (1 + m % 3)));
      offsets.push_back(at);
      at += sizes.back();
    }
  }
  std::vector<typename Library::Count> sizes, offsets;
};

template <class Library, auto call>
Subject with_list(const Bench& bench, const char* name, char* to, const char* from, size_t size) {
  return {name, size, looped<Library>([=, blocks = Blocks<Library>(size, bench.job.size()), me = bench.job.rank()] {
            call(to, from, blocks.sizes.data(), blocks.offsets.data(), me);
          })};
}

// A function, not a value of one: what is measured is the call alone.
template <class Library, auto call>
Subject blocking(const char* name, char* to, const char* from, size_t size) {
  return {name, size, looped<Library>([=] { call(to, from, size); })};
}

template <class Library>
Loop broadcasts_in_flight(char* to, const char* from, size_t size) {
  return looped<Library>([=] {
    typename Library::Request requests[collectives_in_flight];
    for (size_t i = 0; i < collectives_in_flight; ++i)
      Library::begin_broadcast(to + i * size, from + i * size, size, &requests[i]);
    Library::wait_all(requests, collectives_in_flight);
  });
}

template <class Library>
void compare_collectives(const Bench& bench, char* to, const char* from, size_t size) {
  std::vector<Subject> subjects = {blocking<Library, Library::broadcast>("broadcast", to, from, size),
                                   blocking<Library, Library::broadcast_strict>("broadcast_strict", to, from, size),
                                   blocking<Library, Library::reduce>("reduce", to, from, size),
                                   blocking<Library, Library::reduce_all>("reduce_all", to, from, size)};
  if (size * collectives_in_flight <= bench.max_size)
    subjects.push_back(
        {"broadcast_in_flight", size, broadcasts_in_flight<Library>(to, from, size), 0, double{collectives_in_flight}});
  if (size * bench.job.size() <= 2 * bench.max_size) {
    subjects.push_back(blocking<Library, Library::scatter>("scatter", to, from, size));
    subjects.push_back(blocking<Library, Library::gather>("gather", to, from, size));
    subjects.push_back(blocking<Library, Library::gather_all>("gather_all", to, from, size));
    subjects.push_back(blocking<Library, Library::exchange>("exchange", to, from, size));
    subjects.push_back(blocking<Library, Library::exchange_nb>("exchange_nb", to, from, size));
    subjects.push_back(with_list<Library, Library::scatter_v>(bench, "scatter_v", to, from, size));
    subjects.push_back(with_list<Library, Library::gather_v>(bench, "gather_v", to, from, size));
    subjects.push_back(with_list<Library, Library::gather_all_v>(bench, "gather_all_v", to, from, size));
  }
  const Bare copy = {"memcpy", [=](uint64_t iterations) {
                       char* target = to;
                       for (uint64_t i = 0; i < iterations; ++i) {
                         std::memcpy(target, from, size);
                         opaque(target);
                       }
                     }};
  bench.compare(Unit::ns, {copy}, subjects);
}

/// `to` and `from` have 2 * bench.max_size bytes.
template <class Library>
void compare_collectives(const Bench& bench, char* to, const char* from) {
  bench.section("collectives");
  for (const size_t size : sizes(8, bench.max_size, 8)) compare_collectives<Library>(bench, to, from, size);
  bench.section("teams");
  bench.compare(Unit::ns, {Bare{"none", {}}},
                {{"team_split", 0, looped<Library>(Library::split_team)},
                 {"team_barrier", 0, looped<Library>(Library::team_barrier)}});
}

}  // namespace bench
