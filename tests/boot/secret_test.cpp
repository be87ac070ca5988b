#include "boot/secret.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "boot/thread_job.hpp"

namespace {

using weft::boot::Secret;

// SipHash-2-4 with the key 00 01 .. 0f of the 16 bytes 00 01 .. 0f. An independent computation gave the number.
TEST(Secret, TokensAreTheKeyedHashOfBothNumbers) {
  const Secret secret = Secret::of(0x0706050403020100u, 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(secret.token(0x0706050403020100u, 0x0f0e0d0c0b0a0908u), 0x3f2acc7f57c29bdbu);
}

TEST(Secret, DirectionAndSecretMakeADifference) {
  const Secret one = Secret::of(1, 2), other = Secret::of(1, 3);
  EXPECT_NE(one.token(0, 1), one.token(1, 0));
  EXPECT_NE(one.token(0, 1), other.token(0, 1));
  EXPECT_EQ(one.token(0, 1), Secret::of(1, 2).token(0, 1));
}

TEST(Secret, AllRanksOfAJobShareOneAndTwoJobsDoNot) {
  std::vector<uint64_t> tokens;
  for (int jobs = 0; jobs < 2; ++jobs) {
    weft::boot::ThreadJob job(3, nullptr);
    std::vector<Secret> secrets(3);
    std::vector<std::thread> ranks;
    for (uint32_t rank = 0; rank < 3; ++rank)
      ranks.emplace_back([&, rank] {
        auto boot = job.boot(rank);
        EXPECT_TRUE(Secret::share(*boot, secrets[rank]).ok());
        EXPECT_TRUE(boot->finalize().ok());
      });
    for (std::thread& rank : ranks) rank.join();
    EXPECT_EQ(secrets[0].token(5, 6), secrets[1].token(5, 6));
    EXPECT_EQ(secrets[0].token(5, 6), secrets[2].token(5, 6));
    tokens.push_back(secrets[0].token(5, 6));
  }
  EXPECT_NE(tokens[0], tokens[1]);
}

}  // namespace
