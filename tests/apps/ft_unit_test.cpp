// The parts of the FT benchmark that do not communicate.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "apps/ft/evolve.hpp"
#include "apps/ft/memory.hpp"
#include "apps/ft/options.hpp"
#include "apps/ft/problem.hpp"
#include "apps/ft/random.hpp"
#include "apps/ft/result.hpp"

namespace {

using ft::Complex;
using weft::fft::Route;

// The generator one step at a time, as the benchmark describes it.
class PlainGenerator {
 public:
  double next() {
    // In halves of 23 bits, so that nothing relies on overflow.
    constexpr std::uint64_t half = std::uint64_t{1} << 23;
    const std::uint64_t a1 = ft::random_multiplier / half, a2 = ft::random_multiplier % half;
    const std::uint64_t x1 = state_ / half, x2 = state_ % half;
    const std::uint64_t high = (a1 * x2 + a2 * x1) % half;
    state_ = (high * half + a2 * x2) % (half * half);
    return std::ldexp(static_cast<double>(state_), -46);
  }

 private:
  std::uint64_t state_ = ft::random_seed;
};

TEST(Random, PlanesEqualTheSequenceTakenOneByOne) {
  const weft::fft::Shape shape{6, 5, 4};
  const std::size_t stride = 7;
  PlainGenerator generator;
  for (std::size_t z = 0; z < 4; ++z) {
    std::vector<Complex> plane(6 * stride);
    ft::random_plane(shape, z, 0, static_cast<std::size_t>(shape.ny), plane.data(), stride);
    for (std::size_t y = 0; y < 5; ++y) {
      for (std::size_t x = 0; x < 6; ++x) {
        EXPECT_EQ(plane[x * stride + y].real(), generator.next());
        EXPECT_EQ(plane[x * stride + y].imag(), generator.next());
      }
    }
  }
}

TEST(Random, RowsOfAPlaneAreThoseOfTheWholePlane) {
  const weft::fft::Shape shape{6, 12, 4};
  std::vector<Complex> whole(6 * 12), part(6 * 5);
  ft::random_plane(shape, 3, 0, 12, whole.data(), 12);
  ft::random_plane(shape, 3, 4, 5, part.data(), 5);
  for (std::size_t x = 0; x < 6; ++x) {
    for (std::size_t y = 0; y < 5; ++y) EXPECT_EQ(part[x * 5 + y], whole[x * 12 + 4 + y]);
  }
}

TEST(Random, PowerJumpsAhead) {
  std::uint64_t state = 1;
  for (std::uint64_t steps = 0; steps < 50; ++steps) {
    EXPECT_EQ(ft::random_power(ft::random_multiplier, steps), state);
    state = state * ft::random_multiplier & ft::random_mask;
  }
}

TEST(Evolve, ClosedFormEqualsTheCumulativeProduct) {
  const int nz = 16, nx = 8, ny = 12;
  const Route route{.a = nz, .b = nx, .y = ny, .ranks = 2, .rank = 1, .pad = 3};
  std::vector<Complex> field(route.source_elements());
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = {1.0 + static_cast<double>(i), -2.0};
  std::vector<Complex> cumulative = field;
  const auto wave = [](std::size_t k, int n) { return static_cast<double>((static_cast<int>(k) + n / 2) % n - n / 2); };
  ft::EvolvedField evolved(route, field.data());
  std::vector<Complex> work(route.a * (route.y + 1));
  for (int t = 1; t <= 25; ++t) {
    evolved.set_iteration(t);
    for (std::size_t x = 0; x < route.b_local(); ++x) {
      evolved.load(x, work.data(), route.y + 1);
      for (std::size_t z = 0; z < route.a; ++z) {
        for (std::size_t y = 0; y < route.y; ++y) {
          const double kx = wave(x + route.b_local(), nx), ky = wave(y, ny), kz = wave(z, nz);
          Complex& u = cumulative[z * route.source_stride() + x * route.y + y];
          u *= std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * (kx * kx + ky * ky + kz * kz));
          EXPECT_LT(std::abs(work[z * (route.y + 1) + y] - u), 1e-13 * std::abs(u));
        }
      }
    }
  }
}

TEST(Evolve, RowsOfAPlaneAreThoseOfTheWholePlane) {
  const Route route{.a = 4, .b = 2, .y = 12};
  const Route half{.a = 4, .b = 2, .y = 6};
  std::vector<Complex> field(route.source_elements(), 1.0), ones(half.source_elements(), 1.0);
  ft::EvolvedField whole(route, field.data()), part(half, ones.data(), 6, 12);
  std::vector<Complex> expected(4 * 12), got(4 * 6);
  whole.set_iteration(3);
  part.set_iteration(3);
  whole.load(1, expected.data(), 12);
  part.load(1, got.data(), 6);
  for (std::size_t z = 0; z < 4; ++z) {
    for (std::size_t y = 0; y < 6; ++y) EXPECT_EQ(got[z * 6 + y], expected[z * 12 + 6 + y]);
  }
}

TEST(Evolve, WavesBeyondHalfOfTheExtentAreNegative) {
  const auto factors = ft::decay(8, 0, 8, 3);
  for (std::size_t k = 1; k < 8; ++k) EXPECT_EQ(factors[k], factors[8 - k]);
  EXPECT_EQ(factors[0], 1.0);
  EXPECT_LT(factors[4], factors[3]);
  EXPECT_EQ(ft::decay(8, 2, 1, 3)[0], factors[2]);
}

TEST(Problem, EveryClassButEAndFHasAReferencePerIteration) {
  for (const ft::Problem& problem : ft::problems()) {
    const bool published = problem.name != 'E' && problem.name != 'F';
    EXPECT_EQ(problem.reference.size(), published ? static_cast<std::size_t>(problem.iterations) : 0u) << problem.name;
  }
  EXPECT_FALSE(ft::find_problem("Q"));
  EXPECT_FALSE(ft::find_problem("SA"));
  EXPECT_FALSE(ft::find_problem(""));
  EXPECT_EQ(ft::find_problem("F")->shape.nx, 8192);
}

TEST(Verification, AllowsTheToleranceAndNoMore) {
  const ft::Problem problem = *ft::find_problem("S");
  std::vector<Complex> sums(problem.reference.begin(), problem.reference.end());
  EXPECT_TRUE(*ft::verify(problem, sums).passed);
  sums[3] *= 1 + 0.5e-12;
  EXPECT_TRUE(*ft::verify(problem, sums).passed);
  sums[3] *= 1 + 2e-12;
  const ft::Verification failed = ft::verify(problem, sums);
  EXPECT_FALSE(*failed.passed);
  EXPECT_EQ(failed.first_failure, 4);
  sums[3] = problem.reference[3];
  sums[5] = {std::nan(""), 0};
  EXPECT_FALSE(*ft::verify(problem, sums).passed);
  EXPECT_FALSE(ft::verify(*ft::find_problem("E"), sums).passed.has_value());
}

TEST(Verification, DecidesTheExitCode) {
  ft::Result result;
  EXPECT_EQ(ft::exit_code(result), 0);
  result.verification.passed = true;
  EXPECT_EQ(ft::exit_code(result), 0);
  result.verification.passed = false;
  EXPECT_EQ(ft::exit_code(result), 1);
}

TEST(Rates, FollowTheBenchmarksCount) {
  // Class A: N = 2^23, ln N = 23 ln 2; computed by hand from the formula.
  const double n = 8388608, log_n = 23 * std::numbers::ln2;
  EXPECT_NEAR(ft::nas_megaoperations({256, 256, 128}, 6),
              1e-6 * n * (14.8157 + 7.19641 * log_n + 6 * (5.23518 + 7.21113 * log_n)), 1e-6);
  EXPECT_NEAR(ft::nas_megaoperations({256, 256, 128}, 6), 7137, 1);
  EXPECT_EQ(ft::transform_operations({256, 256, 128}), 5.0 * 23 * 8388608);
}

ft::Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "ft");
  return ft::parse_options(static_cast<int>(words.size()), words.data(), "ft", "test",
                           {"pencils", "slabs", "packed-slabs-2d", "slabs-2d", "slabs-2d-ialltoall"});
}

TEST(Options, AreRead) {
  const auto parsed = parse({"--class", "B", "--variant", "slabs", "--pad", "4", "--progress", "--iterations", "7",
                             "--json", "out.json", "--plan", "quick", "--kernel", "fftw"});
  ASSERT_FALSE(parsed.done);
  EXPECT_EQ(parsed.options.problem.name, 'B');
  EXPECT_EQ(parsed.options.variant, "slabs");
  EXPECT_EQ(parsed.options.pad, 4);
  EXPECT_TRUE(parsed.options.progress);
  EXPECT_EQ(parsed.options.iterations, 7);
  EXPECT_EQ(parsed.options.json, "out.json");
  EXPECT_EQ(parsed.options.planning.rigor, weft::fft::Rigor::quick);
  EXPECT_EQ(parsed.options.planning.kernel, weft::fft::Kernel::fftw);
  EXPECT_EQ(parse({"--class", "C"}).options.iterations, 20);
}

TEST(Options, GridIsTheMostNearlySquareUnlessGiven) {
  EXPECT_EQ(ft::chosen_grid(parse({"--variant", "slabs-2d"}).options, 8), (weft::fft::Grid{2, 4}));
  EXPECT_EQ(ft::chosen_grid(parse({"--variant", "slabs-2d", "--grid", "8x1"}).options, 8), (weft::fft::Grid{8, 1}));
  EXPECT_EQ(ft::chosen_grid(parse({"--variant", "slabs-2d"}).options, 6), std::nullopt);
  EXPECT_EQ(ft::chosen_grid(parse({"--variant", "slabs"}).options, 8), std::nullopt);
  EXPECT_EQ(ft::grid_strategy(parse({"--variant", "packed-slabs-2d"}).options), weft::fft::GridStrategy::packed_slabs);
  EXPECT_EQ(ft::grid_strategy(parse({"--variant", "slabs-2d-ialltoall"}).options), weft::fft::GridStrategy::slabs);
  EXPECT_EQ(ft::grid_strategy(parse({"--variant", "pencils"}).options), std::nullopt);
}

TEST(Options, MistakesAreNamedWithAWayOut) {
  const auto expect_refused = [](std::vector<const char*> words, const std::string& text) {
    const auto parsed = parse(words);
    EXPECT_TRUE(parsed.done);
    EXPECT_EQ(parsed.exit_code, 2);
    EXPECT_NE(parsed.message.find(text), std::string::npos) << parsed.message;
    EXPECT_EQ(parsed.message.find('\n'), std::string::npos) << parsed.message;
  };
  expect_refused({"--class", "Q"}, "unknown class 'Q'; use one of S, W, A, B, C, D, E, F");
  expect_refused({"--variant", "slabs-3d"}, "unknown variant");
  expect_refused({"--variant", "planes"}, "unknown variant 'planes'; use one of pencils, slabs");
  expect_refused({"--variant", "slabs-2d", "--grid", "2by4"}, "cannot read --grid '2by4'; write TYxTZ, as 2x4");
  expect_refused({"--variant", "slabs", "--grid", "2x4"}, "--grid is for the 2-D variants, and slabs is none");
  expect_refused({"--pad", "-1"}, "--pad -1 is out of range; use 0 to 4096");
  expect_refused({"--pad", "x"}, "--pad");
  expect_refused({"--iterations", "7"}, "class S has 1 to 6");
  expect_refused({"--iterations", "0"}, "class S has 1 to 6");
  expect_refused({"--plan", "slow"}, "use quick or patient");
  expect_refused({"--kernel", "mkl"}, "use auto or fftw");
  expect_refused({"--colour"}, "--colour");
  expect_refused({"--class"}, "--class");
  EXPECT_EQ(parse({"--help"}).exit_code, 0);
}

TEST(Memory, SaysWhatIsNeededAndAvailable) {
  EXPECT_EQ(ft::memory_problem("class S", 1, 1), "");
  const std::string line = ft::memory_problem("class F", std::size_t{1} << 50, 2);
  EXPECT_NE(line.find("class F needs 2097152.0 GiB of memory on this host"), std::string::npos) << line;
  EXPECT_NE(line.find("available; use a smaller class"), std::string::npos) << line;
}

TEST(Json, SaysNullWhereThereIsNoReference) {
  ft::Options options;
  options.problem = *ft::find_problem("E");
  options.variant = "pencils";
  options.iterations = 1;
  ft::Result result;
  result.seconds = 2;
  result.seconds_per_transform = 1;
  const auto json = nlohmann::json::parse(ft::json_report(options, result));
  EXPECT_TRUE(json["verified"].is_null());
  EXPECT_TRUE(json["messages_per_rank"].is_null());
  EXPECT_TRUE(json["phases"]["local_fft"].is_null());
  EXPECT_NE(ft::text_report(options, result).find("no reference checksums are published for class E"),
            std::string::npos);
}

}  // namespace
