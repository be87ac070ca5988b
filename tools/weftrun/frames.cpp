#include "frames.hpp"

#include <algorithm>
#include <cstring>

#include "base/parse.hpp"
#include "weft/version.h"

namespace weftrun {
namespace {

constexpr size_t header_size = 12;
constexpr uint32_t largest_payload = 16 << 20;
constexpr std::string_view greeting_start = "weftrun-agent ";

void put_u32(std::string& text, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) text.push_back(static_cast<char>(value >> shift & 255));
}

uint32_t get_u32(std::string_view text, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>(text[at + i]);
  return value;
}

std::string version() {
  return std::to_string(WEFT_VERSION_MAJOR) + "." + std::to_string(WEFT_VERSION_MINOR) + "." +
         std::to_string(WEFT_VERSION_PATCH);
}

}  // namespace

std::string encode(FrameType type, uint32_t rank, std::string_view payload) {
  std::string text;
  text.reserve(header_size + payload.size());
  put_u32(text, static_cast<uint32_t>(payload.size()));
  text.push_back(static_cast<char>(type));
  text.append(3, '\0');
  put_u32(text, rank);
  text.append(payload);
  return text;
}

std::optional<Frame> FrameReader::next() {
  if (damaged_ || waiting() < header_size) return std::nullopt;
  const uint32_t size = get_u32(buffer_, begin_);
  const uint8_t type = static_cast<uint8_t>(buffer_[begin_ + 4]);
  if (size > largest_payload || type < static_cast<uint8_t>(FrameType::setup) ||
      type > static_cast<uint8_t>(FrameType::heartbeat)) {
    damaged_ = true;
    return std::nullopt;
  }
  if (waiting() < header_size + size) return std::nullopt;
  Frame frame{static_cast<FrameType>(type), get_u32(buffer_, begin_ + 8), buffer_.substr(begin_ + header_size, size)};
  begin_ += header_size + size;
  if (begin_ == buffer_.size() || begin_ > (1 << 20)) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  return frame;
}

std::optional<std::string> FrameReader::next_line() {
  const size_t newline = buffer_.find('\n', begin_);
  if (newline == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(begin_, newline - begin_);
  begin_ = newline + 1;
  return line;
}

std::string pack(const std::vector<std::string>& strings) {
  std::string text;
  for (const std::string& string : strings) {
    put_u32(text, static_cast<uint32_t>(string.size()));
    text.append(string);
  }
  return text;
}

std::optional<std::vector<std::string>> unpack(std::string_view text) {
  std::vector<std::string> strings;
  while (!text.empty()) {
    if (text.size() < 4) return std::nullopt;
    const uint32_t size = get_u32(text, 0);
    if (text.size() - 4 < size) return std::nullopt;
    strings.emplace_back(text.substr(4, size));
    text.remove_prefix(4 + size);
  }
  return strings;
}

std::string number_text(uint64_t number) { return std::to_string(number); }

uint64_t number_of(std::string_view text) { return weft::base::parse_number<uint64_t>(text).value_or(0); }

std::string Setup::encode() const {
  return pack({folder, path, pack(arguments), pack(variables), number_text(ranks), number_text(first_rank),
               number_text(bind ? 1 : 0), number_text(timeout_ms)});
}

std::optional<Setup> Setup::decode(std::string_view text) {
  const auto fields = unpack(text);
  if (!fields || fields->size() != 8) return std::nullopt;
  auto arguments = unpack((*fields)[2]);
  auto variables = unpack((*fields)[3]);
  if (!arguments || arguments->empty() || !variables) return std::nullopt;
  const auto number = [&](size_t i) { return static_cast<uint32_t>(number_of((*fields)[i])); };
  return Setup{(*fields)[0], (*fields)[1], std::move(*arguments), std::move(*variables),
               number(4),    number(5),    number(6) == 1,        number(7)};
}

std::string greeting() {
  return std::string(greeting_start) + version() + " protocol " + std::to_string(agent_protocol);
}

std::optional<std::string> compare_greeting(std::string_view line) {
  const size_t start = line.find(greeting_start);
  if (start == std::string_view::npos) return std::nullopt;
  line.remove_prefix(start);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line == greeting()) return "";
  return "has another version of weftrun (" + std::string(line.substr(std::min(line.size(), greeting_start.size()))) +
         ", here " + greeting().substr(greeting_start.size()) + "): install the same Weft on all hosts";
}

}  // namespace weftrun
