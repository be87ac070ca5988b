// The PMI-1 wire protocol: one line per message, "cmd=NAME key=value key=value\n", over a stream socket.
//
// weftrun knows one request more and says so with cmd=maxes (weft_get_all=1): cmd=weft_get_all asks for the values of a
// key that each rank has put with its own number behind it, from rank `first` on, and cmd=weft_values brings as many,
// separated by commas, as fit in a line.
//
// Spoken by MPICH's mpiexec and weftrun (the servers) and by boot::connect_pmi1 (the client). The protocol is strictly
// request and reply, begun by the client. Source: MPICH's PMI-1, as its mpiexec (hydra) answers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::boot {

// What weftrun announces with cmd=maxes; the same as hydra's, so that no job works under one of them only.
inline constexpr size_t pmi_name_max = 256;
inline constexpr size_t pmi_key_max = 64;
inline constexpr size_t pmi_value_max = 1024;
/// No line is longer, its newline included.
inline constexpr size_t pmi_line_max = 2048;

/// One message. The first field is the command.
class PmiMessage {
 public:
  /// Parses a line without its newline. Nothing if it is not of the form above: no command first, an empty name, a
  /// field without '=', a name twice, or a character that is not printable.
  static std::optional<PmiMessage> parse(std::string_view line);

  std::string_view command() const { return fields_.front().second; }
  /// The value of a field; nothing if the message has none of this name.
  std::optional<std::string_view> find(std::string_view name) const;
  /// The value of a field that is a decimal number from `low` to `high`; nothing if it is absent or anything else.
  std::optional<int64_t> number(std::string_view name, int64_t low, int64_t high) const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Values cross the wire in the base64 alphabet of URLs without padding: the protocol cannot carry blanks, and 4/3 of
/// the longest value of Boot::put always fits pmi_value_max.
std::string pmi_encode(std::string_view value);
std::optional<std::string> pmi_decode(std::string_view text);

/// Cuts a stream into lines.
class PmiLines {
 public:
  void append(std::string_view bytes) { buffer_.append(bytes); }
  /// The next whole line without its newline, if there is one.
  std::optional<std::string> next();
  /// True if what waits for its newline is already longer than any line may be.
  bool overlong() const { return buffer_.size() >= pmi_line_max; }

 private:
  std::string buffer_;
};

}  // namespace weft::boot
