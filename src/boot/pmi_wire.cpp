#include "boot/pmi_wire.hpp"

#include <algorithm>
#include <array>

#include "base/parse.hpp"

namespace weft::boot {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<int8_t, 256> reverse_alphabet() {
  std::array<int8_t, 256> digits{};
  for (int8_t& digit : digits) digit = -1;
  for (size_t i = 0; i < alphabet.size(); ++i) digits[static_cast<uint8_t>(alphabet[i])] = static_cast<int8_t>(i);
  return digits;
}
constexpr std::array<int8_t, 256> digit_of = reverse_alphabet();

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::optional<PmiMessage> PmiMessage::parse(std::string_view line) {
  if (!printable(line)) return std::nullopt;
  PmiMessage message;
  while (!line.empty()) {
    const size_t blank = std::min(line.find(' '), line.size());
    const std::string_view field = line.substr(0, blank);
    line.remove_prefix(std::min(blank + 1, line.size()));
    if (field.empty()) continue;  // hydra ends some replies with a blank
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const std::string_view name = field.substr(0, equals);
    if (message.find(name)) return std::nullopt;
    message.fields_.emplace_back(name, field.substr(equals + 1));
  }
  if (message.fields_.empty() || message.fields_.front().first != "cmd") return std::nullopt;
  if (message.command().empty()) return std::nullopt;
  return message;
}

std::optional<std::string_view> PmiMessage::find(std::string_view name) const {
  for (const auto& [field, value] : fields_)
    if (field == name) return value;
  return std::nullopt;
}

std::optional<int64_t> PmiMessage::number(std::string_view name, int64_t low, int64_t high) const {
  const std::optional<std::string_view> text = find(name);
  return text ? base::parse_number<int64_t>(*text, low, high) : std::nullopt;
}

std::string pmi_encode(std::string_view value) {
  std::string text;
  text.reserve((value.size() * 4 + 2) / 3);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : value) {
    bits = (bits << 8) | static_cast<uint8_t>(c);
    for (count += 8; count >= 6; count -= 6) text.push_back(alphabet[(bits >> (count - 6)) & 63]);
  }
  if (count > 0) text.push_back(alphabet[(bits << (6 - count)) & 63]);
  return text;
}

std::optional<std::string> pmi_decode(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string value;
  value.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = digit_of[static_cast<uint8_t>(c)];
    if (digit < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      value.push_back(static_cast<char>((bits >> count) & 255));
    }
  }
  return value;
}

std::optional<std::string> PmiLines::next() {
  const size_t newline = buffer_.find('\n');
  if (newline == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(0, newline);
  buffer_.erase(0, newline + 1);
  return line;
}

}  // namespace weft::boot
