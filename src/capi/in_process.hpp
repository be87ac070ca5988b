// What ranks that are threads of a process and ranks that are simulated in one have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "boot/boot.hpp"

namespace weft::capi {

/// Whether further ranks can start at the program's main: logs what is missing. `what` ranks cannot be here, which the
/// launcher's `option` asks for.
Status check_main(uint32_t ranks, int* argc, char*** argv, const char* what, const char* option);

/// Runs `body` as a rank: weft_init() inside it finds its Boot. Gives what the body returns; ends the job if the rank
/// is still in it then.
int run_rank(std::unique_ptr<boot::Boot> boot, const std::function<int()>& body);

/// The program's main, with arguments of its own, as processes have: the vector and the texts. exit(code) after
/// weft_finalize() is a return from it. With `refuse_exit` it is not: this is called then, and does not return.
int run_main(int count, char** values, void (*refuse_exit)(int code) = nullptr);
/// If the rank has left the job and run_main() called its main, that returns this code now. Else nothing happens.
void leave_main(int code);
/// From now on a rank ends the job if the calling thread ends before weft_finalize(): the others would wait for ever.
void expect_pthread_exit();
/// The rank that calls has left the job, and may call exit() from now on.
void expect_exit();

/// If a code is not 0 and the program's is, the process ends with the first such.
void end_with_failure_of(const std::vector<int>& codes);

}  // namespace weft::capi
