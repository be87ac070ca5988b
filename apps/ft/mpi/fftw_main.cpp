// ft-fftw-mpi: the same benchmark with FFTW's own distributed transform, as a user of FFTW would write it: layout
// [z][y][x] divided by z, transposed output left transposed, evolution and checksum as separate passes.
#include <fftw3-mpi.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

#include "apps/ft/driver.hpp"
#include "apps/ft/evolve.hpp"
#include "apps/ft/memory.hpp"
#include "apps/ft/mpi/mpi_job.hpp"
#include "apps/ft/random.hpp"
#include "fft/transform.hpp"

namespace {

using ft::Complex;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Freed {
  void operator()(fftw_complex* data) const { fftw_free(data); }
  void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using Array = std::unique_ptr<fftw_complex, Freed>;
using Plan = std::unique_ptr<fftw_plan_s, Freed>;

class FftwField {
 public:
  FftwField(const ft::Options& options) : shape_(options.problem.shape) {
    const ptrdiff_t elements = fftw_mpi_local_size_3d_transposed(shape_.nz, shape_.ny, shape_.nx, MPI_COMM_WORLD,
                                                                 &z_count_, &z_first_, &y_count_, &y_first_);
    const auto size = static_cast<std::size_t>(elements);
    spatial_.reset(fftw_alloc_complex(size));
    spectral_.reset(fftw_alloc_complex(size));
    if (!spatial_ || !spectral_) throw std::bad_alloc();
    // FFTW measures whole distributed transforms while it plans; MEASURE finds its best here in reasonable time.
    const unsigned rigor = options.planning.rigor == weft::fft::Rigor::patient ? FFTW_MEASURE : FFTW_ESTIMATE;
    forward_.reset(fftw_mpi_plan_dft_3d(shape_.nz, shape_.ny, shape_.nx, spatial_.get(), spectral_.get(),
                                        MPI_COMM_WORLD, FFTW_FORWARD, rigor | FFTW_MPI_TRANSPOSED_OUT));
    inverse_.reset(fftw_mpi_plan_dft_3d(shape_.nz, shape_.ny, shape_.nx, spatial_.get(), spatial_.get(), MPI_COMM_WORLD,
                                        FFTW_BACKWARD, rigor | FFTW_MPI_TRANSPOSED_IN));
    if (!forward_ || !inverse_) throw std::runtime_error("FFTW has no plan for this shape");
  }

  void set_initial() {
    // random_plane() stores [x][y]; FFTW's planes are [y][x].
    std::vector<Complex> plane(static_cast<std::size_t>(shape_.nx) * static_cast<std::size_t>(shape_.ny));
    const auto nx = static_cast<std::size_t>(shape_.nx);
    const auto ny = static_cast<std::size_t>(shape_.ny);
    for (ptrdiff_t z = 0; z < z_count_; ++z) {
      ft::random_plane(shape_, static_cast<std::size_t>(z_first_ + z), 0, ny, plane.data(), ny);
      Complex* out = data(spatial_) + static_cast<std::size_t>(z) * nx * ny;
      for (std::size_t y = 0; y < ny; ++y) {
        for (std::size_t x = 0; x < nx; ++x) out[y * nx + x] = plane[x * ny + y];
      }
    }
  }
  void forward() { fftw_execute(forward_.get()); }

  /// Transposed layout: [y = this rank's][z][x].
  void evolve(int t) {
    const auto nx = static_cast<std::size_t>(shape_.nx);
    const auto nz = static_cast<std::size_t>(shape_.nz);
    const auto decay_x = ft::decay(shape_.nx, 0, nx, t);
    const auto decay_y =
        ft::decay(shape_.ny, static_cast<std::size_t>(y_first_), static_cast<std::size_t>(y_count_), t);
    const auto decay_z = ft::decay(shape_.nz, 0, nz, t);
    const Complex* in = data(spectral_);
    Complex* out = data(spatial_);
    for (double factor_y : decay_y) {
      for (double factor_z : decay_z) {
        for (std::size_t x = 0; x < nx; ++x) *out++ = *in++ * (factor_y * factor_z * decay_x[x]);
      }
    }
  }
  void inverse() { fftw_execute(inverse_.get()); }

  Complex checksum() const {
    Complex sum = 0;
    for (ptrdiff_t j = 1; j <= 1024; ++j) {
      const ptrdiff_t z = 5 * j % shape_.nz - z_first_;
      if (z < 0 || z >= z_count_) continue;
      sum += data(spatial_)[(z * shape_.ny + 3 * j % shape_.ny) * shape_.nx + j % shape_.nx];
    }
    return sum / static_cast<double>(shape_.elements());
  }

 private:
  static Complex* data(const Array& array) { return reinterpret_cast<Complex*>(array.get()); }

  ft::Shape shape_;
  ptrdiff_t z_count_ = 0, z_first_ = 0, y_count_ = 0, y_first_ = 0;
  Array spatial_, spectral_;
  Plan forward_, inverse_;
};

ft::Result run_benchmark(const ft::Options& options, ft::Job& job) {
  FftwField field(options);
  field.set_initial();
  field.forward();
  field.evolve(1);
  field.inverse();
  job.barrier();

  ft::Result result;
  result.library = "FFTW " + std::string(fftw_version).substr(5, 6) + " on " + ft::mpi_library();
  result.ranks = job.size();
  result.hosts = job.hosts();
  std::vector<Complex>& sums = result.checksums;
  double inverse_seconds = 0;
  const double start = now();
  field.set_initial();
  field.forward();
  for (int t = 1; t <= options.iterations; ++t) {
    field.evolve(t);
    const double begin = now();
    field.inverse();
    inverse_seconds += now() - begin;
    sums.push_back(field.checksum());
    if (options.progress) {
      Complex sum = sums.back();
      job.sum({reinterpret_cast<double*>(&sum), 2});
      if (job.rank() == 0) std::fputs(ft::progress_line(t, sum, now() - start).c_str(), stdout);
    }
  }
  job.sum({reinterpret_cast<double*>(sums.data()), 2 * sums.size()});
  result.verification = ft::verify(options.problem, sums);
  double times[2] = {now() - start, inverse_seconds / options.iterations};
  job.max(times);
  result.seconds = times[0];
  result.seconds_per_transform = times[1];
  return result;
}

// FFTW itself divides any shape among any ranks; the limits are those of the other programs, to compare like with like.
std::string problem(const ft::Options& options, const ft::Job& job) {
  const std::string shape = weft::fft::shape_problem(options.problem.shape, job.size());
  if (!shape.empty()) return shape;
  const std::size_t arrays = 3 * options.problem.shape.elements() * sizeof(Complex);  // two, and FFTW's buffer
  return ft::memory_problem(std::string("class ") + options.problem.name, arrays / static_cast<std::size_t>(job.size()),
                            job.ranks_on_host());
}

int run(int argc, char** argv) {
  ft::MpiJob job;
  const ft::Program program{
      .name = "ft-fftw-mpi",
      .description = "NAS FT: 3-D FFT benchmark with FFTW's own MPI transform. Start it with mpirun -n RANKS.",
      .variants = {"fftw"},
      .problem = [&](const ft::Options& options) { return problem(options, job); },
      .run = [&](const ft::Options& options) { return run_benchmark(options, job); }};
  return ft::drive(program, argc, argv, job);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int code = 0;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ft-fftw-mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fftw_mpi_cleanup();
  MPI_Finalize();
  return code;
}
