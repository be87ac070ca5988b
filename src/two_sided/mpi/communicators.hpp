// The communicators and types of all ranks, which are numbers in a program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace weft::two_sided {

/// Each rank's own one; all members of one have the same context.
struct Communicator {
  std::vector<uint32_t> members;  // ranks
  uint32_t me = 0;
  uint32_t context = 0;  // and the next one, for its collectives
  uint32_t splits = 0;   // of it so far
};

struct Type {
  size_t bytes = 0;   // of data
  size_t extent = 0;  // from one to the next
};

/// What a rank's handles stand for. They are numbers from 1 on; the first are those that MPI names.
class Handles {
 public:
  Handles(uint32_t rank, uint32_t ranks);
  /// Ends the job with a line if there is none of this number.
  Communicator& communicator(int handle) const;
  const Type& type(int handle) const;
  int add(Communicator communicator);
  int add(Type type);
  void free_communicator(int handle);
  void free_type(int handle);

 private:
  std::vector<std::unique_ptr<Communicator>> communicators_;
  std::vector<std::unique_ptr<Type>> types_;
};

/// Who takes part in the splitting of a communicator: all of its members say it here, without messages.
class Splits {
 public:
  struct Member {
    uint32_t rank;
    int color, key;
  };
  /// One member's; the others are there when a barrier has been passed.
  void say(uint32_t context, uint32_t number, const Member& member) { said_[{context, number}].push_back(member); }
  /// The members of this color, by key and rank, and what is theirs alone.
  Communicator made(uint32_t context, uint32_t number, const Member& member);

 private:
  std::map<std::tuple<uint32_t, uint32_t>, std::vector<Member>> said_;
  std::map<std::tuple<uint32_t, uint32_t, int>, uint32_t> contexts_;
};

/// Prints the line, and ends the job.
[[noreturn]] void refuse(const char* function, const char* what);

}  // namespace weft::two_sided
