// Whether non-blocking puts into mapped memory go past the caches.
//
// Others look at what a thread has put once that thread has synchronised with them. If it puts more between two such
// points than caches hold, what it put first has left them again before anybody looks, and has pushed out other data on
// its way. The core's puts can be told so (WEFT_STREAM); UPC has no way to say it. So the runtime watches: a thread
// that has put `volume` since it last let others look streams from there on, and in the intervals that follow until one
// puts less.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::upcrt {

class StreamChoice {
 public:
  static constexpr uint64_t volume = uint64_t{8} << 20;
  /// Streaming stores pay for whole cache lines in a row.
  static constexpr size_t smallest = 512;

  /// For a put of `size` bytes. strict_count: a number that changes with this thread's strict operations, which let
  /// others look, too.
  bool stream(size_t size, uint32_t strict_count) {
    if (strict_count != strict_count_) {
      strict_count_ = strict_count;
      others_look();
    }
    bytes_ += size;
    if (bytes_ >= volume) streaming_ = true;
    return streaming_ && size >= smallest;
  }

  /// The thread notifies a barrier, unlocks, posts: an interval ends. One without puts says nothing.
  void others_look() {
    if (bytes_ != 0) streaming_ = bytes_ >= volume;
    bytes_ = 0;
  }

 private:
  uint64_t bytes_ = 0;
  uint32_t strict_count_ = 0;
  bool streaming_ = false;
};

}  // namespace weft::upcrt
