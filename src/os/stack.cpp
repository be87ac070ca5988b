#include "os/stack.hpp"

#include <link.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>

namespace weft::os {

namespace {

int add_thread_local_size(dl_phdr_info* object, size_t, void* total) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type == PT_TLS) *static_cast<size_t*>(total) += part.p_memsz + part.p_align;
  }
  return 0;
}

}  // namespace

void give_threads_whole_stacks() {
  pthread_attr_t defaults;
  rlimit limit;
  size_t size = 0;
  if (pthread_getattr_default_np(&defaults) != 0) return;
  pthread_attr_getstacksize(&defaults, &size);
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) size = limit.rlim_cur;
  dl_iterate_phdr(add_thread_local_size, &size);
  pthread_attr_setstacksize(&defaults, (size + 0xffff) & ~size_t{0xffff});
  pthread_setattr_default_np(&defaults);
  pthread_attr_destroy(&defaults);
}

}  // namespace weft::os
