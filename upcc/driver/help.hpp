// What --help and --version print.
#pragma once

namespace upcc::driver {

void print_help();
void print_version();
const char* version_number();

}  // namespace upcc::driver
