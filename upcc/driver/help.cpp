#include "driver/help.hpp"

#include <cstdio>
#include <string>

#include "optimise/options.hpp"

#ifndef UPCC_VERSION
#define UPCC_VERSION "0.1.0"
#endif

namespace upcc::driver {

const char* version_number() { return UPCC_VERSION; }

void print_version() {
  std::printf("upcc %s: Unified Parallel C (UPC 1.3) by translation to C, on the Weft runtime\n", UPCC_VERSION);
}

void print_help() {
  std::puts(
      "Usage: upcc [options] file...\n"
      "Compiles Unified Parallel C. Files: .upc, .upci (preprocessed), or with -x upc any name; all others go to the\n"
      "C compiler (with --pthreads C sources are translated, too), which the environment variable CC names (default: "
      "cc).\n"
      "\n"
      "What to make:\n"
      "  -o FILE            name of the output\n"
      "  -c, -S, -E         stop after an object file, assembly, preprocessing\n"
      "  -fsyntax-only      only look for errors\n"
      "  --print-c          print the C that the C compiler would get\n"
      "  -M -MM -MD -MMD -MF FILE -MT NAME -MQ NAME -MP   dependencies, as gcc\n"
      "  -save-temps        keep the preprocessed file (.upci), the C (.upc.c) and the assembly (.s)\n"
      "  -x LANGUAGE        treat the following files as LANGUAGE: upc, upc-cpp-output, c, c++, none, ...\n"
      "\n"
      "UPC:\n"
      "  -T N, --threads=N  translate for exactly N threads (default: any number, chosen at start)\n"
      "  --pthreads         UPC threads are POSIX threads of one process instead of processes\n"
      "\n"
      "Language, warnings, optimisation: -std= -I -D -U -W... -w -Werror -O... -g -f... -m... as gcc.\n"
      "\n"
      "Optimiser, on from -O1: -fno-upc-PASS switches a pass off, -fupc-PASS on, -fno-upc-optimise all off. The "
      "passes:");
  for (const PassInfo& pass : kPasses) {
    std::printf("  %-18s %s\n", std::string(pass.name).c_str(), std::string(pass.help).c_str());
  }
  std::puts(
      "\n"
      "  -v                 show the commands;  -###  show them without running them\n"
      "  --help, --version\n"
      "\n"
      "Start programs with upcrun -n THREADS ./prog, or under mpirun.");
}

}  // namespace upcc::driver
