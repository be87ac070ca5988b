// The PMIx client: Open MPI's mpirun, and srun --mpi=pmix.
//
// libpmix is opened at run time, so that the library neither links nor needs it elsewhere. PMIx counts how often it is
// initialised in a process: an MPI library that uses it too, before, after or around Weft, does not disturb.
#include <dlfcn.h>
#include <pmix.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/log.hpp"
#include "boot/process_managers.hpp"

namespace weft::boot {
namespace {

/// The functions of libpmix that are used, by the types its header gives them.
struct Library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Fence) fence;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Register_event_handler) register_event_handler;
  decltype(&PMIx_Abort) abort;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Error_string) error_string;
};

Status open_library(Library& library) {
  // Never closed: its progress thread may outlive our last call.
  void* handle = ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    base::log_error(
        "the launcher speaks PMIx, but its library cannot be opened (%s): install libpmix2, or start with "
        "weftrun",
        ::dlerror());
    return WEFT_ERR_BOOT;
  }
  const auto load = [handle](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    return function != nullptr;
  };
  if (load(library.init, "PMIx_Init") && load(library.put, "PMIx_Put") && load(library.commit, "PMIx_Commit") &&
      load(library.fence, "PMIx_Fence") && load(library.get, "PMIx_Get") &&
      load(library.register_event_handler, "PMIx_Register_event_handler") && load(library.abort, "PMIx_Abort") &&
      load(library.finalize, "PMIx_Finalize") && load(library.error_string, "PMIx_Error_string"))
    return WEFT_OK;
  base::log_error("libpmix.so.2 is not a usable PMIx library: %s", ::dlerror());
  return WEFT_ERR_BOOT;
}

class Pmix final : public Boot {
 public:
  explicit Pmix(const Library& library) : library_(library) {}

  uint32_t rank() const override { return self_.rank; }
  uint32_t size() const override { return size_; }
  const char* name() const override { return "pmix"; }
  bool is_private() const override { return false; }

  Status open();
  Status put(std::string_view key, std::string_view value) override;
  Status fence() override;
  Status get(uint32_t rank, std::string_view key, std::string& value) override;
  // An MPI program may still end well: its launcher counts the end of a process that has left some PMIx session open as
  // improper.
  void cannot_start() override { (void)finalize(); }
  Status finalize() override { return check("PMIx_Finalize", library_.finalize(nullptr, 0)); }
  [[noreturn]] void abort(int exit_code, std::string_view reason) override;

 private:
  Status check(const char* call, pmix_status_t result) const {
    if (result == PMIX_SUCCESS) return WEFT_OK;
    base::log_error("%s failed: %s; is the launcher still there?", call, library_.error_string(result));
    return WEFT_ERR_BOOT;
  }

  const Library library_;
  pmix_proc_t self_{};
  uint32_t size_ = 0;
};

// On PMIx's own thread. A launcher that was killed ends nobody: what it has started ends itself.
void launcher_is_gone(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*, size_t, pmix_info_t*, size_t,
                      pmix_event_notification_cbfunc_fn_t, void*) {
  base::log_error("the launcher is gone; this rank ends");
  ::_exit(1);
}

std::string pmix_key(std::string_view key) { return "weft-" + std::string(key); }

Status Pmix::open() {
  Status status = check("PMIx_Init", library_.init(&self_, nullptr, 0));
  if (!status.ok()) return status;
  pmix_status_t gone[] = {PMIX_ERR_LOST_CONNECTION};
  (void)library_.register_event_handler(gone, std::size(gone), nullptr, 0, launcher_is_gone, nullptr, nullptr);
  pmix_proc_t job = self_;
  job.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* value = nullptr;
  status = check("PMIx_Get of the job's size", library_.get(&job, PMIX_JOB_SIZE, nullptr, 0, &value));
  if (!status.ok()) return status;
  if (value->type == PMIX_UINT32) size_ = value->data.uint32;
  std::free(value);
  if (size_ > self_.rank) return WEFT_OK;
  base::log_error("the launcher's PMIx says that this is rank %u of %u", self_.rank, size_);
  return WEFT_ERR_BOOT;
}

Status Pmix::put(std::string_view key, std::string_view value) {
  if (!may_put(key, value)) return WEFT_ERR_INVALID;
  std::string text(value);
  pmix_value_t wrapped{};
  wrapped.type = PMIX_STRING;
  wrapped.data.string = text.data();
  return check("PMIx_Put", library_.put(PMIX_GLOBAL, pmix_key(key).c_str(), &wrapped));
}

Status Pmix::fence() {
  const Status status = check("PMIx_Commit", library_.commit());
  if (!status.ok()) return status;
  pmix_info_t collect{};
  std::strncpy(collect.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;
  return check("PMIx_Fence", library_.fence(nullptr, 0, &collect, 1));
}

Status Pmix::get(uint32_t rank, std::string_view key, std::string& value) {
  pmix_proc_t peer = self_;
  peer.rank = rank;
  // What a fence has brought is here already: a key that is not will not come later.
  pmix_info_t immediate{};
  std::strncpy(immediate.key, PMIX_IMMEDIATE, PMIX_MAX_KEYLEN);
  immediate.value.type = PMIX_BOOL;
  immediate.value.data.flag = true;
  pmix_value_t* found = nullptr;
  const pmix_status_t result = library_.get(&peer, pmix_key(key).c_str(), &immediate, 1, &found);
  if (result != PMIX_SUCCESS || !found) return missing(rank, key);
  const bool is_text = found->type == PMIX_STRING && found->data.string;
  if (is_text) {
    value = found->data.string;
    std::free(found->data.string);
  }
  std::free(found);
  return is_text ? Status(WEFT_OK) : missing(rank, key);
}

void Pmix::abort(int exit_code, std::string_view reason) {
  const std::string message = reason.empty() ? "weft_exit" : std::string(reason);
  (void)library_.abort(exit_code, message.c_str(), nullptr, 0);
  ::_exit(exit_code);
}

}  // namespace

Status connect_pmix(std::unique_ptr<Boot>& boot) {
  Library library{};
  Status status = open_library(library);
  if (!status.ok()) return status;
  auto client = std::make_unique<Pmix>(library);
  status = client->open();
  if (status.ok()) boot = std::move(client);
  return status;
}

}  // namespace weft::boot
