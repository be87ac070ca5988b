#include "driver/help.hpp"

#include <cstdio>
#include <string>

#include "optimise/options.hpp"
#include "sema/warnings.hpp"

namespace upcc::driver {

const char* version_number() { return UPCC_VERSION; }

void print_version() {
  std::printf("upcc %s: Unified Parallel C (UPC 1.3) by translation to C, on the Weft runtime\n", UPCC_VERSION);
}

void print_help() {
  std::puts(
      "Usage: upcc [options] file...\n"
      "Compiles Unified Parallel C. Files: .upc, .upci (preprocessed), and after -x upc, or as gupc, .c and .i;\n"
      "others go to the C compiler (with --pthreads C sources are translated, too), which the environment variable\n"
      "UPCC_CC or CC names (default: cc). UPCC_FLAGS: options before those of the command line.\n"
      "\n"
      "What to make:\n"
      "  -o FILE            name of the output\n"
      "  -c, -S, -E         stop after an object file, assembly, preprocessing\n"
      "  -fsyntax-only      only look for errors\n"
      "  --print-c          print the C that the C compiler would get\n"
      "  -save-temps        keep the preprocessed file (.upci), the C (.upc.c) and the assembly (.s)\n"
      "  -save-temps=obj    the same, in the folder of the output\n"
      "  -x LANGUAGE        treat the following files as LANGUAGE: upc, upc-cpp-output, c, c++, none, ...;\n"
      "                     upc is for sources in C and files of unknown kinds, not for objects or other languages\n"
      "  -M -MM -MD -MMD -MP -MG -MF FILE -MT NAME -MQ NAME   dependencies, as gcc\n"
      "\n"
      "UPC:\n"
      "  -T N, --threads=N  translate for exactly N threads (default: any number, chosen at start)\n"
      "  -fupc-threads-N    the same\n"
      "  --pthreads         UPC threads are POSIX threads of one process instead of processes\n"
      "  --no-pthreads      processes again\n"
      "\n"
      "As gcc:\n"
      "  language           -std= -ansi -f...\n"
      "  preprocessor       -I -D -U -include -imacros -isystem -iquote -idirafter -isysroot -nostdinc -undef -C -CC "
      "-P\n"
      "                     -H -Wp, -Xpreprocessor\n"
      "  warnings           -W... -w -pedantic -pedantic-errors\n"
      "  machine code       -O... -g... -f... -m... --param -Wa, -Xassembler -aux-info\n"
      "  linking            -l -L -shared -static -static-pie -static-libgcc -pie -no-pie -r -rdynamic -rpath -s -e -u "
      "-z\n"
      "                     -pthread -nostdlib -nodefaultlibs -nostartfiles -Wl, -Xlinker\n"
      "What upcc does not know goes to the C compiler.\n"
      "\n"
      "Optimiser, on from -O1: -fno-upc-PASS switches a pass off, -fupc-PASS on, -fno-upc-optimise all off,\n"
      "-fupc-optimise all on. -fupc-report says for each shared access in a loop what became of it, or why nothing\n"
      "did; -fupc-report=json the same on standard output, one object a line. --report-view shows it beside the\n"
      "source, --report-view=FILE as HTML, with what a run counted (UPC_PLACES) by --report-counts=FILE.\n"
      "-fupc-shadow compares each access of a loop with the loop element by element as the program runs. The passes:");
  for (const Pass* pass : kPasses) {
    std::printf("  %-18s %s\n", std::string(pass->name).c_str(), std::string(pass->help).c_str());
  }
  std::puts(
      "\n"
      "Warnings about UPC, on by default: -Wno-NAME switches one off, -Werror=NAME makes it an error. Their names:");
  for (const WarningInfo& warning : kWarnings) {
    std::printf("  -W%-18s %s\n", std::string(warning.name).c_str(), std::string(warning.help).c_str());
  }
  std::puts(
      "\n"
      "Other:\n"
      "  -v                 show the commands;  -###  show them without running them\n"
      "  --help             this text\n"
      "  --version, -V      the version;  -dumpversion  its number alone\n"
      "  -print-..., -dumpmachine, -dumpspecs   the C compiler answers (-print-file-name=libm.so)\n"
      "  @FILE              the options in FILE\n"
      "\n"
      "Start programs with upcrun -n THREADS ./prog, or under mpirun.");
}

}  // namespace upcc::driver
