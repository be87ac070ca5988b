// The PMI-1 client against weftrun's server, and against servers that misbehave.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

#include "boot/boot.hpp"
#include "pmi_server.hpp"

namespace weft::boot {
namespace {

void set_environment(int descriptor, uint32_t rank, uint32_t size) {
  ::setenv("PMI_FD", std::to_string(descriptor).c_str(), 1);
  ::setenv("PMI_RANK", std::to_string(rank).c_str(), 1);
  ::setenv("PMI_SIZE", std::to_string(size).c_str(), 1);
}

class Environment : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE", "PMI_PORT"}) ::unsetenv(name);
  }
  std::unique_ptr<Boot> boot;
};

/// Serves `size` ranks until all have closed their sockets.
class Launcher {
 public:
  explicit Launcher(uint32_t size) : server_(size, "space") {
    for (uint32_t rank = 0; rank < size; ++rank) {
      int pair[2];
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
      sockets_.push_back({pair[0], POLLIN, 0});
      clients.push_back(pair[1]);
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~Launcher() { thread_.join(); }

  std::vector<int> clients;

 private:
  void serve() {
    for (size_t open = sockets_.size(); open > 0;) {
      ::poll(sockets_.data(), sockets_.size(), -1);
      for (uint32_t rank = 0; rank < sockets_.size(); ++rank) {
        if (sockets_[rank].fd < 0 || sockets_[rank].revents == 0) continue;
        char bytes[64];  // small, so that lines come in pieces
        const ssize_t count = ::recv(sockets_[rank].fd, bytes, sizeof bytes, 0);
        if (count <= 0) {
          ::close(sockets_[rank].fd);
          sockets_[rank].fd = -1;
          --open;
          continue;
        }
        EXPECT_FALSE(server_.receive(rank, {bytes, static_cast<size_t>(count)}));
        for (const auto& reply : server_.take_replies())
          ::send(sockets_[reply.rank].fd, reply.line.data(), reply.line.size(), MSG_NOSIGNAL);
      }
    }
  }

  weftrun::PmiServer server_;
  std::vector<pollfd> sockets_;
  std::thread thread_;
};

TEST_F(Environment, RanksExchangeValuesThroughTheLauncher) {
  constexpr uint32_t size = 7;
  Launcher launcher(size);
  std::vector<std::unique_ptr<Boot>> boots(size);
  for (uint32_t rank = 0; rank < size; ++rank) {
    set_environment(launcher.clients[rank], rank, size);
    ASSERT_TRUE(connect(boots[rank]).ok());
    EXPECT_EQ(boots[rank]->rank(), rank);
    EXPECT_EQ(boots[rank]->size(), size);
    EXPECT_STREQ(boots[rank]->name(), "pmi1");
  }
  const auto value_of = [](uint32_t rank) { return "host " + std::to_string(rank) + " = " + std::string(500, '~'); };
  const std::string key(key_max, 'k');
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      Boot& mine = *boots[rank];
      EXPECT_TRUE(mine.put(key, value_of(rank)).ok());
      EXPECT_TRUE(mine.fence().ok());
      std::vector<std::string> all;
      EXPECT_TRUE(mine.get_all(key, all).ok());
      EXPECT_EQ(all.size(), size);
      for (uint32_t peer = 0; peer < size; ++peer) {
        std::string value;
        EXPECT_TRUE(mine.get(peer, key, value).ok());
        EXPECT_EQ(value, value_of(peer));
        EXPECT_EQ(all[peer], value_of(peer));
      }
      EXPECT_TRUE(mine.fence().ok());
      EXPECT_TRUE(mine.finalize().ok());
    });
  for (std::thread& rank : ranks) rank.join();
}

/// Answers as Slurm's plugin pmi2 does when a task opens the conversation with version 1.1: other fields in other
/// places than hydra's, requests of at most 1024 bytes, values visible after the barrier only.
class Srun {
 public:
  explicit Srun(uint32_t size) : sockets_(size) {
    for (int& socket : sockets_) {
      int pair[2];
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
      socket = pair[0];
      clients.push_back(pair[1]);
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~Srun() { thread_.join(); }

  std::vector<int> clients;

 private:
  void serve() {
    uint32_t open = static_cast<uint32_t>(sockets_.size());
    while (open > 0) {
      std::vector<pollfd> sources;
      for (const int socket : sockets_) sources.push_back({socket, POLLIN, 0});
      ::poll(sources.data(), sources.size(), -1);
      for (size_t rank = 0; rank < sockets_.size(); ++rank) {
        if (sources[rank].revents == 0) continue;
        char bytes[1024];
        const ssize_t count = ::recv(sockets_[rank], bytes, sizeof bytes, 0);
        const std::string request(bytes, static_cast<size_t>(std::max<ssize_t>(count, 0)));
        const bool finalize = request == "cmd=finalize\n";
        EXPECT_TRUE(request.ends_with("\n")) << request;
        const std::string reply = finalize ? "cmd=finalize_ack rc=0\n" : answer(request);
        ::send(sockets_[rank], reply.data(), reply.size(), MSG_NOSIGNAL);
        if (!finalize && count > 0) continue;
        ::close(sockets_[rank]);
        sockets_[rank] = -1;
        --open;
      }
    }
  }

  std::string answer(const std::string& request) {
    const auto message = PmiMessage::parse(std::string_view(request).substr(0, request.size() - 1));
    if (!message) return "";
    const std::string command(message->command());
    const std::string key(message->find("key").value_or(""));
    if (command == "init") {
      EXPECT_EQ(request, "cmd=init pmi_version=1 pmi_subversion=1\n");
      return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
    }
    if (command == "get_maxes") return "cmd=maxes rc=0 kvsname_max=256 keylen_max=256 vallen_max=1024\n";
    if (command == "get_my_kvsname") return "cmd=my_kvsname rc=0 kvsname=4711.0\n";
    if (command == "put") {
      coming_[key] = message->find("value").value_or("");
      return "cmd=put_result rc=0\n";
    }
    if (command == "get")
      return values_.contains(key) ? "cmd=get_result rc=0 value=" + values_[key] + "\n" : "cmd=get_result rc=1\n";
    EXPECT_EQ(command, "barrier_in");
    if (++waiting_ < sockets_.size()) return "";
    waiting_ = 0;
    values_.merge(coming_);
    const std::string over = "cmd=barrier_out rc=0\n";
    for (const int socket : sockets_) ::send(socket, over.data(), over.size(), MSG_NOSIGNAL);
    return "";
  }

  std::vector<int> sockets_;
  std::map<std::string, std::string> coming_, values_;
  size_t waiting_ = 0;
  std::thread thread_;
};

TEST_F(Environment, RanksExchangeValuesThroughSlurmsPmi2) {
  constexpr uint32_t size = 3;
  Srun srun(size);
  std::vector<std::unique_ptr<Boot>> boots(size);
  for (uint32_t rank = 0; rank < size; ++rank) {
    set_environment(srun.clients[rank], rank, size);
    ::setenv("PMI_JOBID", "4711.0", 1);
    ASSERT_TRUE(connect(boots[rank]).ok());
  }
  ::unsetenv("PMI_JOBID");
  const std::string key(key_max, 'k');
  const auto value_of = [](uint32_t rank) { return std::string(value_max - 1, '~') + std::to_string(rank); };
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      Boot& mine = *boots[rank];
      EXPECT_TRUE(mine.put(key, value_of(rank)).ok());
      EXPECT_TRUE(mine.fence().ok());
      std::string value;
      std::vector<std::string> all;
      EXPECT_TRUE(mine.get_all(key, all).ok());
      EXPECT_EQ(all.size(), size);
      for (uint32_t peer = 0; peer < size; ++peer) {
        EXPECT_TRUE(mine.get(peer, key, value).ok());
        EXPECT_EQ(value, value_of(peer));
        EXPECT_EQ(all[peer], value);
      }
      EXPECT_FALSE(mine.get(0, "nothing", value).ok());
      EXPECT_TRUE(mine.fence().ok());
      EXPECT_TRUE(mine.finalize().ok());
    });
  for (std::thread& rank : ranks) rank.join();
}

TEST_F(Environment, AKeyThatNobodyPutIsAnError) {
  Launcher launcher(1);
  set_environment(launcher.clients[0], 0, 1);
  ASSERT_TRUE(connect(boot).ok());
  std::string value = "untouched";
  EXPECT_EQ(boot->get(0, "nothing", value).code(), WEFT_ERR_BOOT);
  EXPECT_EQ(value, "untouched");
  std::vector<std::string> all;
  EXPECT_EQ(boot->get_all("nothing", all).code(), WEFT_ERR_BOOT);
  EXPECT_EQ(boot->put("Upper", "x").code(), WEFT_ERR_INVALID);
  EXPECT_EQ(boot->put("", "x").code(), WEFT_ERR_INVALID);
  EXPECT_EQ(boot->put(std::string(key_max + 1, 'k'), "x").code(), WEFT_ERR_INVALID);
  EXPECT_EQ(boot->put("k", std::string(value_max + 1, 'x')).code(), WEFT_ERR_INVALID);
  EXPECT_EQ(boot->put("k", "a\nb").code(), WEFT_ERR_INVALID);
  EXPECT_TRUE(boot->finalize().ok());
}

TEST_F(Environment, WithoutALauncherTheJobIsOneRank) {
  ASSERT_TRUE(connect(boot).ok());
  EXPECT_STREQ(boot->name(), "alone");
  EXPECT_EQ(boot->rank(), 0u);
  EXPECT_EQ(boot->size(), 1u);
  EXPECT_TRUE(boot->put("k", "v").ok());
  EXPECT_TRUE(boot->fence().ok());
  std::string value;
  EXPECT_TRUE(boot->get(0, "k", value).ok());
  EXPECT_EQ(value, "v");
  EXPECT_FALSE(boot->get(1, "k", value).ok());
  EXPECT_TRUE(boot->finalize().ok());
}

TEST_F(Environment, VariablesThatMakeNoSenseAreRefused) {
  struct Case {
    const char *descriptor, *rank, *size;
  };
  for (const Case& each : {Case{"x", "0", "1"}, Case{"-1", "0", "1"}, Case{"3", "2", "2"}, Case{"3", "-1", "2"},
                           Case{"3", "0", "0"}, Case{"3", "", "1"}, Case{"9999", "0", "1"}}) {
    ::setenv("PMI_FD", each.descriptor, 1);
    ::setenv("PMI_RANK", each.rank, 1);
    ::setenv("PMI_SIZE", each.size, 1);
    EXPECT_EQ(connect(boot).code(), WEFT_ERR_BOOT) << each.descriptor << " " << each.rank << " " << each.size;
  }
}

TEST_F(Environment, PmiOverTcpIsRefusedRatherThanTakenForAJobOfOne) {
  ::setenv("PMI_PORT", "host:1234", 1);
  EXPECT_EQ(connect(boot).code(), WEFT_ERR_BOOT);
}

/// Connects to a server that answers the first requests with these lines and then closes.
Status connect_to(const std::vector<std::string>& answers, std::unique_ptr<Boot>& boot) {
  int pair[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::thread server([&] {
    char bytes[4096];
    for (const std::string& answer : answers) {
      if (::recv(pair[0], bytes, sizeof bytes, 0) <= 0) break;
      ::send(pair[0], answer.data(), answer.size(), MSG_NOSIGNAL);
    }
    ::shutdown(pair[0], SHUT_RDWR);
  });
  set_environment(pair[1], 0, 2);
  const Status status = connect(boot);
  ::shutdown(pair[1], SHUT_RDWR);
  server.join();
  ::close(pair[0]);
  ::close(pair[1]);
  return status;
}

TEST_F(Environment, AServerThatMisbehavesIsAnErrorNotAHang) {
  const std::string hello = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
  const std::vector<std::vector<std::string>> servers = {
      {},
      {"\n"},
      {"hello\n"},
      {"cmd=maxes\n"},
      {"cmd=response_to_init rc=-1\n"},
      {"cmd=response_to_init\n"},
      {std::string(5000, 'x')},
      {hello, "cmd=maxes keylen_max=16 vallen_max=1024\n"},
      {hello, "cmd=maxes keylen_max=64 vallen_max=100\n"},
      {hello, "cmd=maxes\n"},
      {hello, "cmd=maxes keylen_max=64 vallen_max=1024\n"},
  };
  for (size_t i = 0; i < servers.size(); ++i) EXPECT_EQ(connect_to(servers[i], boot).code(), WEFT_ERR_BOOT) << i;
}

}  // namespace
}  // namespace weft::boot
