// Objects that each thread has of its own, made when first used. Not thread_local themselves: the system destroys such
// an object when one of its own threads ends, but simulated UPC threads share one.
#pragma once

namespace weft::upcrt {

/// Something of this thread that is to be destroyed with it.
struct MadeOfThread {
  void (*destroy)(MadeOfThread& made) = nullptr;
  MadeOfThread* next = nullptr;
};

/// Notes it for the end of this thread.
void destroy_with_thread(MadeOfThread& made);

/// This thread is a UPC thread until upc_thread_ends(), which destroys what is its own. Other threads, such as
/// OpenMP's, do so when the system ends them. UPC threads do not: exit() ends their thread_local objects before its
/// handlers, which need them.
void upc_thread_begins();
void upc_thread_ends();
bool is_upc_thread();

/// A thread_local variable of this type is the thread's own T.
template <class T>
class OfThread : private MadeOfThread {
 public:
  T* operator->() { return &get(); }
  T& operator*() { return get(); }
  T& get() {
    if (__builtin_expect(object_ == nullptr, 0)) set(new T());
    return *object_;
  }
  /// Makes it the thread's, which has none.
  void set(T* object) {
    object_ = object;
    if (destroy != nullptr) return;
    destroy = [](MadeOfThread& made) {
      static_cast<OfThread&>(made).reset();
      made.destroy = nullptr;
    };
    destroy_with_thread(*this);
  }
  T* find() const { return object_; }
  void reset() {
    delete object_;
    object_ = nullptr;
  }

 private:
  T* object_ = nullptr;
};

}  // namespace weft::upcrt
