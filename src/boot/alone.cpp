// A program started without a launcher: a job of one rank.
#include <unistd.h>

#include <map>

#include "boot/process_managers.hpp"

namespace weft::boot {
namespace {

class Alone final : public Boot {
 public:
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 1; }
  const char* name() const override { return "alone"; }

  Status put(std::string_view key, std::string_view value) override {
    if (!may_put(key, value)) return WEFT_ERR_INVALID;
    values_.insert_or_assign(std::string(key), std::string(value));
    return WEFT_OK;
  }

  Status fence() override { return WEFT_OK; }

  Status get(uint32_t rank, std::string_view key, std::string& value) override {
    const auto found = values_.find(std::string(key));
    if (rank != 0 || found == values_.end()) return missing(rank, key);
    value = found->second;
    return WEFT_OK;
  }

  Status finalize() override { return WEFT_OK; }

  [[noreturn]] void abort(int exit_code, std::string_view /*reason*/) override { ::_exit(exit_code); }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace

std::unique_ptr<Boot> alone() { return std::make_unique<Alone>(); }

}  // namespace weft::boot
