// Names of jobs and hosts, and what the loops of Job, Agent and ClusterJob share.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <string>
#include <string_view>

#include "pmi_server.hpp"
#include "speech.hpp"

namespace weftrun {

using namespace std::chrono_literals;

/// After a failure that came late: in which the other ranks may end by themselves.
inline constexpr auto time_to_linger = 800ms;

/// A name that no other job has.
std::string random_job_name();

/// This host's own name.
std::string host_name();

/// Where this process works.
std::string working_directory();

/// Lets this process open as many files as it may; returns the limits from before, for its children.
rlimit raise_descriptor_limit();

/// Rounded up, at least 0.
int milliseconds_until(std::chrono::steady_clock::time_point when);

/// Whether the environment sets this flag of the library's settings.
bool flag_is_set(const char* variable);

/// What to tell the user; empty if there is nothing to tell.
std::string line_of(const JobEnd& end, const std::string& who);
std::string received_signal(int signal);
/// How a job ends whose output cannot be written any more, as Outlet::flush() says: as a program whose reader has gone
/// (code 141, and nobody to tell), or with a line.
int code_of_output(int error);
std::string line_of_output(int error);
std::string reads_no_replies(const std::string& who);
std::string closed_its_connection(const std::string& who);

}  // namespace weftrun
