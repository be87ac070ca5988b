#include "pmi_server.hpp"

#include <gtest/gtest.h>

namespace weftrun {
namespace {

using Phase = PmiServer::Phase;

class Server : public testing::Test {
 protected:
  /// Sends one line; the replies to all ranks, each as "RANK:LINE".
  std::vector<std::string> send(uint32_t rank, const std::string& line) {
    end = server.receive(rank, line + "\n");
    std::vector<std::string> replies;
    for (const PmiServer::Reply& reply : server.take_replies())
      replies.push_back(std::to_string(reply.rank) + ":" + reply.line.substr(0, reply.line.size() - 1));
    return replies;
  }
  void join_all() {
    for (uint32_t rank = 0; rank < 2; ++rank) (void)send(rank, "cmd=init pmi_version=1 pmi_subversion=1");
  }
  using Lines = std::vector<std::string>;

  PmiServer server{2, "space"};
  std::optional<JobEnd> end;
};

TEST_F(Server, FollowsTheLifeOfARank) {
  EXPECT_FALSE(server.anyone_joined());
  EXPECT_EQ(server.phase(1), Phase::before_init);
  EXPECT_EQ(send(1, "cmd=init pmi_version=1 pmi_subversion=1"),
            Lines{"1:cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"});
  EXPECT_TRUE(server.anyone_joined());
  EXPECT_EQ(server.phase(1), Phase::joined);
  EXPECT_EQ(server.phase(0), Phase::before_init);
  EXPECT_EQ(send(1, "cmd=finalize"), Lines{"1:cmd=finalize_ack"});
  EXPECT_EQ(server.phase(1), Phase::finalized);
  EXPECT_FALSE(end);
}

TEST_F(Server, AnswersWhatClientsAsk) {
  join_all();
  EXPECT_EQ(send(0, "cmd=get_maxes"),
            Lines{"0:cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 weft_get_all=1"});
  EXPECT_EQ(send(0, "cmd=get_my_kvsname"), Lines{"0:cmd=my_kvsname kvsname=space"});
  EXPECT_EQ(send(0, "cmd=get_appnum"), Lines{"0:cmd=appnum appnum=0"});
  EXPECT_EQ(send(0, "cmd=get_universe_size"), Lines{"0:cmd=universe_size size=2"});
  EXPECT_EQ(send(0, "cmd=get kvsname=space key=PMI_process_mapping"),
            Lines{"0:cmd=get_result rc=0 msg=success value=(vector,(0,1,2))"});
}

TEST_F(Server, RefusesAnotherVersionOfPmi) {
  EXPECT_EQ(send(0, "cmd=init pmi_version=2 pmi_subversion=0"),
            Lines{"0:cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1"});
}

TEST_F(Server, GivesToAllWhatOneHasPut) {
  join_all();
  EXPECT_EQ(send(0, "cmd=put kvsname=space key=k value=v"), Lines{"0:cmd=put_result rc=0 msg=success"});
  EXPECT_EQ(send(1, "cmd=get kvsname=space key=k"), Lines{"1:cmd=get_result rc=0 msg=success value=v"});
  EXPECT_EQ(send(1, "cmd=get kvsname=space key=other"),
            Lines{"1:cmd=get_result rc=-1 msg=key_not_found value=unknown"});
  EXPECT_EQ(send(1, "cmd=get kvsname=wrong key=k"), Lines{"1:cmd=get_result rc=-1 msg=key_not_found value=unknown"});
}

TEST_F(Server, GivesTheValuesOfAllRanksInAFewReplies) {
  join_all();
  const std::string none = "cmd=weft_values rc=-1 msg=key_not_found";
  EXPECT_EQ(send(0, "cmd=weft_get_all kvsname=space key=k first=0"), Lines{"0:" + none});
  (void)send(0, "cmd=put kvsname=space key=k-0 value=zero");
  EXPECT_EQ(send(1, "cmd=weft_get_all kvsname=space key=k first=0"), Lines{"1:cmd=weft_values rc=0 values=zero"});
  EXPECT_EQ(send(1, "cmd=weft_get_all kvsname=space key=k first=1"), Lines{"1:" + none});
  (void)send(1, "cmd=put kvsname=space key=k-1 value=");
  EXPECT_EQ(send(1, "cmd=weft_get_all kvsname=space key=k first=0"), Lines{"1:cmd=weft_values rc=0 values=zero,"});
  EXPECT_EQ(send(1, "cmd=weft_get_all kvsname=space key=k first=1"), Lines{"1:cmd=weft_values rc=0 values="});
  for (const char* wrong : {"kvsname=wrong key=k first=0", "kvsname=space key=k first=2", "kvsname=space first=0",
                            "kvsname=space key=k first=-1", "kvsname=space key=k"})
    EXPECT_EQ(send(0, std::string("cmd=weft_get_all ") + wrong), Lines{"0:" + none}) << wrong;
  EXPECT_FALSE(end);
}

TEST_F(Server, KeepsRepliesOfManyValuesWithinALine) {
  join_all();
  const std::string longest(1023, 'v');
  for (const uint32_t rank : {0u, 1u})
    (void)send(rank, "cmd=put kvsname=space key=k-" + std::to_string(rank) + " value=" + longest);
  const Lines first = send(0, "cmd=weft_get_all kvsname=space key=k first=0");
  EXPECT_EQ(first, Lines{"0:cmd=weft_values rc=0 values=" + longest});
  EXPECT_EQ(send(0, "cmd=weft_get_all kvsname=space key=k first=1"), first);
}

TEST_F(Server, RefusesToStoreWhatBreaksItsLimits) {
  join_all();
  (void)send(0, "cmd=put kvsname=space key=k value=v");
  EXPECT_EQ(send(1, "cmd=put kvsname=space key=k value=w"), Lines{"1:cmd=put_result rc=-1 msg=key_was_put_before"});
  const Lines malformed{"0:cmd=put_result rc=-1 msg=malformed_key_or_value"};
  EXPECT_EQ(send(0, "cmd=put kvsname=space key=j"), malformed);
  EXPECT_EQ(send(0, "cmd=put kvsname=space key= value=v"), malformed);
  EXPECT_EQ(send(0, "cmd=put kvsname=wrong key=j value=v"), malformed);
  EXPECT_EQ(send(0, "cmd=put kvsname=space key=" + std::string(64, 'k') + " value=v"), malformed);
  EXPECT_EQ(send(0, "cmd=put kvsname=space key=j value=" + std::string(1024, 'v')), malformed);
  EXPECT_FALSE(end);
}

TEST_F(Server, HoldsTheFenceUntilAllAreThere) {
  join_all();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(send(1, "cmd=barrier_in"), Lines{});
    EXPECT_EQ(send(0, "cmd=barrier_in"), (Lines{"0:cmd=barrier_out", "1:cmd=barrier_out"}));
  }
}

TEST_F(Server, NoticesAFenceThatCannotEnd) {
  join_all();
  (void)send(1, "cmd=barrier_in");
  (void)send(0, "cmd=finalize");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->what, "finalized while others wait for all ranks");
}

TEST_F(Server, NoticesAFenceAfterAnotherRanksEnd) {
  join_all();
  (void)send(0, "cmd=finalize");
  (void)send(1, "cmd=barrier_in");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, JobEnd::Kind::violation);
}

TEST_F(Server, EndsTheJobWhenARankAsksForIt) {
  join_all();
  (void)send(1, "cmd=abort exitcode=5");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, JobEnd::Kind::exit_called);
  EXPECT_EQ(end->code, 5);
  EXPECT_FALSE(end->logged);
  (void)send(1, "cmd=abort exitcode=134 logged=1");
  EXPECT_TRUE(end->logged);
}

TEST_F(Server, EndsTheJobOnLinesThatAreNotPmi) {
  for (const char* line : {"", "GET / HTTP/1.1", "cmd=finalize", "cmd=get_maxes", "cmd="}) {
    (void)send(0, line);  // before init, even a known command is none
    ASSERT_TRUE(end) << line;
    EXPECT_EQ(end->kind, JobEnd::Kind::violation) << line;
  }
  join_all();
  for (const char* line : {"cmd=spawn", "mcmd=spawn", "cmd=abort", "cmd=abort exitcode=x", "cmd=put key=a key=b"}) {
    (void)send(0, line);
    EXPECT_TRUE(end) << line;
  }
}

TEST_F(Server, EndsTheJobOnALineWithoutEnd) {
  EXPECT_FALSE(server.receive(0, std::string(2000, 'x')));
  EXPECT_TRUE(server.receive(0, std::string(100, 'x')));
}

TEST_F(Server, EndsTheJobWhenARankAsksAgainInsideTheFence) {
  join_all();
  (void)send(0, "cmd=barrier_in");
  (void)send(0, "cmd=barrier_in");
  EXPECT_TRUE(end);
}

TEST_F(Server, TakesTheSecondHelloOfTwoLibrariesInOneProcess) {
  join_all();
  EXPECT_EQ(send(0, "cmd=init pmi_version=1 pmi_subversion=1"),
            Lines{"0:cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"});
  EXPECT_FALSE(end);
  (void)send(0, "cmd=finalize");
  (void)send(0, "cmd=init pmi_version=1 pmi_subversion=1");
  EXPECT_TRUE(end) << "but nobody comes back";
}

}  // namespace
}  // namespace weftrun
