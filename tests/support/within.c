// within SECONDS SCRIPT COMMAND...: runs COMMAND and exits as it does. When it has not ended after that many seconds,
// SCRIPT prints the stack of each of its processes, and SIGTERM has ranks tell what they wait for (WEFT_BACKTRACE, set
// for them); then all of them are killed, and the exit status is 124. ctest's own limit would only kill.
//
// The seconds are those of a machine with up to four runnable threads for each processor. Where there are more,
// everybody waits for its turn, and a second counts for less.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* me = "within";

static void fail(const char* what) {
  fprintf(stderr, "%s: %s: %s\n", me, what, strerror(errno));
  exit(125);
}

// Starts a command that does not outlive this program.
static pid_t start(char** command) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(125);
  execvp(command[0], command);
  fail(command[0]);
  return -1;
}

// 1 and how it ended, or 0 after so many milliseconds.
static int ends_within(pid_t child, int milliseconds, int* status) {
  const int fd = (int)syscall(SYS_pidfd_open, child, 0);
  if (fd < 0) fail("pidfd_open");
  struct pollfd end = {.fd = fd, .events = POLLIN};
  int ready;
  do ready = poll(&end, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  close(fd);
  if (ready <= 0) return 0;
  waitpid(child, status, 0);
  return 1;
}

// What the last second counts for.
static double worth_of_second(void) {
  double minute, more, most;
  long running;
  FILE* file = fopen("/proc/loadavg", "r");
  if (file == NULL) return 1;
  const int read = fscanf(file, "%lf %lf %lf %ld/", &minute, &more, &most, &running);
  fclose(file);
  const double enough = 4.0 * (double)sysconf(_SC_NPROCESSORS_ONLN);
  return read == 4 && (double)running > enough ? enough / (double)running : 1;
}

int main(int argc, char** argv) {
  const int seconds = argc > 3 ? atoi(argv[1]) : 0;
  if (seconds <= 0) {
    fprintf(stderr, "usage: %s SECONDS SCRIPT COMMAND...\n", me);
    return 125;
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // A sanitizer tells more of a crash than Weft, whose handler would take its place.
  setenv("WEFT_BACKTRACE", "1", 0);
#endif
  // What COMMAND leaves behind is found below this process.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = start(argv + 3);
  int status = 0;
  int ended = 0;
  for (double passed = 0; passed < seconds && !ended; passed += worth_of_second())
    ended = ends_within(child, 1000, &status);
  if (ended) {
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    // ctest tells a crash by the signal.
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  fprintf(stderr, "%s: no end after %d s\n", me, seconds);
  char above[20];
  snprintf(above, sizeof above, "%d", (int)getpid());
  char* stacks[] = {argv[2], above, "stacks", NULL};
  char* end[] = {argv[2], above, "end", NULL};
  int ignored = 0;
  ends_within(start(stacks), 60000, &ignored);
  kill(child, SIGTERM);
  ends_within(child, 5000, &status);
  ends_within(start(end), 10000, &ignored);
  return 124;
}
