#include "output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace weftrun {
namespace {

class Pipe : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(::pipe(ends), 0);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  void TearDown() override {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::string take() {
    std::string text(1 << 20, '\0');
    const ssize_t count = ::read(ends[0], text.data(), text.size());
    text.resize(count < 0 ? 0 : static_cast<size_t>(count));
    return text;
  }
  std::string flushed(Outlet& outlet) {
    EXPECT_EQ(outlet.flush(), 0);
    return take();
  }
  int ends[2];
};

TEST(ContactErrorsOfARank, AreHeldBackAndNothingElse) {
  RefusalLines refusals;
  RankErrors contacts(2, refusals);
  const std::string closed =
      "weft: rank 2: error: lost contact with rank 0: it has closed the connection; it was at 10.0.0.1:5 through "
      "eth0\n";
  const std::string reset = "weft: thread 2: error: lost contact with rank 3: Connection reset by peer\n";
  const std::string unreached = "weft: rank 2: error: cannot send to rank 5 at 10.0.0.5:1: Connection timed out\n";
  EXPECT_EQ(contacts.filter("one\n" + closed + "two"), "one\ntwo");
  EXPECT_EQ(contacts.filter(closed), closed) << "it stands within a line";
  const std::string others = "weft: rank 2: warning: slow\nweft: rank 3: error: lost contact with rank 0\n\nend\n";
  EXPECT_EQ(contacts.filter(others), others);
  const std::string cut = "weft: rank 2: error: lost contact with rank 4: Connection timed out; it was at 10.0.0.4:1\n";
  EXPECT_EQ(contacts.filter(unreached + reset + cut), "");
  EXPECT_EQ(contacts.take(), closed + unreached + reset + cut);
  EXPECT_EQ(contacts.take(), "");
  EXPECT_EQ(contacts.filter(unreached), unreached) << "its end has come before its line";
}

TEST(ContactErrorsOfARank, AreToldIfSomebodyInterferes) {
  RefusalLines refusals;
  RankErrors contacts(2, refusals);
  for (const char* reason :
       {"lost contact with rank 1: it sends what is not authentic",
        "lost contact with rank 1: Connection reset by peers' enemy",
        "cannot send to rank 5 at 10.0.0.5:1: what listens there does not know this job's secret; it is not ours"}) {
    const std::string line = std::string("weft: rank 2: error: ") + reason + "\n";
    EXPECT_EQ(contacts.filter(line), line);
  }
  EXPECT_EQ(contacts.take(), "");
}

TEST(RefusalLines, ArePrintedUpToANumberForTheJob) {
  RefusalLines refusals;
  uint32_t printed = 0;
  constexpr uint32_t ranks = RefusalLines::printed_max + 3;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    RankErrors errors(rank, refusals);
    const std::string refused =
        "weft: rank " + std::to_string(rank) + ": warning: refused a connection from 10.0.0.9:1\n";
    const std::string rest = errors.filter("one\n" + refused + "two\n");
    if (rest == "one\n" + refused + "two\n")
      ++printed;
    else
      EXPECT_EQ(rest, "one\ntwo\n");
    const std::string another = "weft: rank " + std::to_string(rank) + ": warning: refused to be moved\n";
    EXPECT_EQ(errors.filter(another), another);
    EXPECT_EQ(errors.take(), "");
  }
  EXPECT_EQ(printed, RefusalLines::printed_max);
  EXPECT_EQ(refusals.held_back(), 3u);
  RankErrors thread(5, refusals);
  EXPECT_EQ(thread.filter("weft: thread 5: warning: refused a message that does not carry this job's secret\n"), "");
  EXPECT_EQ(refusals.held_back(), 4u);
}

TEST_F(Pipe, GetsWholeLinesWithTheirTag) {
  Outlet outlet(ends[1]);
  Tagger tagger("[3] ");
  tagger.feed("one\n\ntwo\nthr", outlet);
  EXPECT_EQ(flushed(outlet), "[3] one\n[3] \n[3] two\n");
  tagger.feed("e", outlet);
  EXPECT_EQ(flushed(outlet), "");
  tagger.feed("e\nfour", outlet);
  EXPECT_EQ(flushed(outlet), "[3] three\n");
  tagger.finish(outlet);
  tagger.finish(outlet);
  EXPECT_EQ(flushed(outlet), "[3] four\n");
}

TEST_F(Pipe, GetsALineWithoutEndInPieces) {
  Outlet outlet(ends[1]);
  Tagger tagger("[0] ");
  for (int i = 0; i < 40; ++i) tagger.feed(std::string(65536, 'x'), outlet);
  EXPECT_TRUE(outlet.congested()) << "something was passed on before the memory is full";
}

TEST_F(Pipe, NeverBlocksTheWriterAndLosesNothing) {
  Outlet outlet(ends[1]);
  std::string sent;
  for (int i = 0; i < 100000; ++i) sent += std::to_string(i) + "\n";
  outlet.append(sent);
  EXPECT_TRUE(outlet.congested());
  std::string received;
  while (!outlet.idle()) {
    EXPECT_EQ(outlet.flush(), 0);
    received += take();
  }
  EXPECT_EQ(received, sent);
  EXPECT_FALSE(outlet.congested());
}

TEST_F(Pipe, WithoutAReaderIsReported) {
  Outlet outlet(ends[1]);
  ::close(ends[0]);
  outlet.append("text");
  EXPECT_EQ(outlet.flush(), EPIPE);
  EXPECT_TRUE(outlet.idle());
}

}  // namespace
}  // namespace weftrun
