// A thread that goes on with collectives while the rank computes: WEFT_PROGRESS=thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "os/thread.hpp"

namespace weft::coll {

class CollectiveThread {
 public:
  struct Look {
    bool happened;  // something got done
    bool more;      // there is more to wait for
  };
  /// `look` is called on this thread while there is something to wait for; it must not wait itself.
  explicit CollectiveThread(std::function<Look()> look)
      : look_(std::move(look)), thread_(os::start_thread("collectives of WEFT_PROGRESS=thread", [this] { run(); })) {}
  /// Returns when the thread has ended.
  ~CollectiveThread();
  CollectiveThread(const CollectiveThread&) = delete;
  CollectiveThread& operator=(const CollectiveThread&) = delete;

  /// There may be something to do. Any thread.
  void wake();

 private:
  enum Wanted : uint32_t { nothing, work, end };

  void run();

  std::function<Look()> look_;
  std::atomic<uint32_t> wanted_{nothing};
  std::thread thread_;
};

}  // namespace weft::coll
