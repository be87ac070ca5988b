// Starts weftrun's agent on a host: directly on this one, else through ssh or the program that WEFT_RSH names.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace weftrun {

struct RemoteAgent {
  pid_t pid = -1;  // of ssh, or of the agent itself; leads a process group of its own
  int to = -1;     // its standard input
  int from = -1;   // its standard output
  int errors = -1;
};

/// Where this weftrun itself is.
std::string own_path();

/// True if `host` is the one we are on.
bool is_this_host(const std::string& host);

/// Starts the agent of `host`, where weftrun is `weftrun_path`. False if no process could be started; errno says why.
/// What goes wrong later shows on `errors`.
bool start_agent(const std::string& host, const std::string& weftrun_path, RemoteAgent& agent);

/// NAME=VALUE of what ranks on any host need: WEFT_*, UPC_*, LD_LIBRARY_PATH, and what the user has named (NAME, or
/// NAME=VALUE). False, with the reason, if one of these is not set here.
bool choose_environment(const std::vector<std::string>& named, std::vector<std::string>& variables, std::string& error);

}  // namespace weftrun
