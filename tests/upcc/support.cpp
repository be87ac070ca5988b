#include "support.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "sema/target.hpp"

namespace upcc::test {

namespace {

FrontendOptions read_options(const std::vector<std::string>& options) {
  FrontendOptions out;
  out.colour = Colour::never;
  for (const std::string& o : options) {
    if (o == "-C") out.upc = false;
    if (o == "-w") out.warnings.suppress_all = true;
    if (o == "-Wall") out.warnings.all = true;
    if (o == "-Wextra") out.warnings.extra = true;
    if (o == "-Wpedantic") out.warnings.pedantic = true;
    if (o == "-Werror") out.warnings.errors = true;
    if (o.starts_with("-Wno-")) out.warnings.disabled.insert(o.substr(5));
    if (o.starts_with("-std=c")) out.gnu_keywords = false;
    if (o.starts_with("-T")) out.static_threads = std::stoll(o.substr(2));
  }
  return out;
}

void read_messages(CheckResult& result) {
  static const std::regex line_form("[^:]*:([0-9]+):([0-9]+): (error|warning|note|fatal error): (.*)");
  std::istringstream in(result.output);
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (line.size() > 2000 || !std::regex_match(line, m, line_form)) continue;
    result.messages.push_back({std::stoi(m[1]), std::stoi(m[2]), m[3], m[4]});
    if (m[3] == "error") result.errors.push_back(m[4]);
  }
}

}  // namespace

CheckResult check(const std::string& text, const std::vector<std::string>& options) {
  CheckResult result;
  run_on_big_stack([&] {
    Compilation compilation(text, "test.upc", read_options(options), nullptr);
    compilation.diagnostics.capture(&result.output);
    result.ok = compilation.run();
  });
  read_messages(result);
  return result;
}

std::string preprocess(const std::string& path, const std::vector<std::string>& flags, bool upc) {
  std::string command = "cc -E -x c";
  std::string threads;
  if (upc) {
    command +=
        " -D__UPC__=1 -D__UPC_VERSION__=201311L -DUPC_MAX_BLOCK_SIZE=" + std::to_string(target::kMaxBlockSize) + "L";
    threads = " -D__UPC_DYNAMIC_THREADS__=1";
  }
  for (const std::string& flag : flags) {
    if (flag.starts_with("-T"))
      threads = " -D__UPC_STATIC_THREADS__=1 -DTHREADS=" + flag.substr(2);
    else if (flag != "-C")
      command += " " + flag;
  }
  command += threads + " '" + path + "'";
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  if (pclose(pipe) != 0) out.clear();
  return out;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_regular_file()) out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace upcc::test
