#include "apps/ft/mpi/grid_two_sided.hpp"

#include <cstring>

namespace ft {

using weft::fft::GridRound;
using weft::fft::Phase;

GridMessages grid_messages(std::string_view variant) {
  return variant.ends_with("-ialltoall") ? GridMessages::ialltoall : GridMessages::point_to_point;
}

GridTwoSided::GridTwoSided(const weft::fft::Grid& grid, GridMessages messages) : grid_(grid), messages_(messages) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_split(MPI_COMM_WORLD, rank_ / grid.ty, rank_ % grid.ty, &plane_);
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % grid.ty, rank_ / grid.ty, &across_);
}

GridTwoSided::~GridTwoSided() {
  MPI_Comm_free(&across_);
  MPI_Comm_free(&plane_);
}

GridTwoSided::Complex* GridTwoSided::allocate(std::size_t elements) { return arrays_.emplace_back(elements).data(); }

void GridTwoSided::begin(const GridRound& round) {
  round_ = round;
  MPI_Comm_size(team(), &members_);
  MPI_Comm_rank(team(), &me_);
  MPI_Datatype contiguous = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(round.elements), MPI_C_DOUBLE_COMPLEX, &contiguous);
  MPI_Type_create_resized(contiguous, 0, static_cast<MPI_Aint>(round.destination_distance * sizeof(Complex)), &block_);
  MPI_Type_commit(&block_);
  MPI_Type_free(&contiguous);
  if (!blocking() && messages_ == GridMessages::point_to_point) post_receives();
}

// In the order in which each member sends, so that one tag serves all: MPI keeps the order between two ranks.
void GridTwoSided::post_receives() {
  for (std::size_t k = 0; k < round_.count; ++k) {
    for (int i = 1; i < members_; ++i) {
      const int member = (me_ + members_ - i) % members_;
      Complex* place = round_.destination + k * round_.destination_step +
                       static_cast<std::size_t>(member) * round_.destination_distance;
      MPI_Irecv(place, static_cast<int>(round_.elements), MPI_C_DOUBLE_COMPLEX, member, 0, team(),
                &requests_.emplace_back());
    }
  }
}

void GridTwoSided::start(std::size_t k) {
  const Complex* source = round_.source + k * round_.source_step;
  Complex* destination = round_.destination + k * round_.destination_step;
  const int elements = static_cast<int>(round_.elements);
  count(static_cast<std::size_t>(members_), round_.elements);
  if (members_ == 1) return;
  if (blocking()) {
    MPI_Alltoall(source, elements, MPI_C_DOUBLE_COMPLEX, destination, 1, block_, team());
  } else if (messages_ == GridMessages::ialltoall) {
    MPI_Ialltoall(source, elements, MPI_C_DOUBLE_COMPLEX, destination, 1, block_, team(), &requests_.emplace_back());
    progress();
  } else {
    send_blocks(k);
    progress();
  }
}

// MPI moves data inside its calls only.
void GridTwoSided::progress() {
  for (int done = 1; done != 0 && oldest_ < requests_.size();) {
    MPI_Test(&requests_[oldest_], &done, MPI_STATUS_IGNORE);
    if (done != 0) ++oldest_;
  }
}

void GridTwoSided::send_blocks(std::size_t k) {
  const Complex* source = round_.source + k * round_.source_step;
  for (int i = 1; i < members_; ++i) {
    const int member = (me_ + i) % members_;
    MPI_Isend(source + static_cast<std::size_t>(member) * round_.elements, static_cast<int>(round_.elements),
              MPI_C_DOUBLE_COMPLEX, member, 0, team(), &requests_.emplace_back());
  }
  if (!simulated_work().has_data) return;
  const auto mine = static_cast<std::size_t>(me_);
  std::memcpy(static_cast<void*>(round_.destination + k * round_.destination_step + mine * round_.destination_distance),
              source + mine * round_.elements, round_.elements * sizeof(Complex));
}

void GridTwoSided::finish(weft::fft::PhaseClock& clock) {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  oldest_ = 0;
  MPI_Type_free(&block_);
  clock.lap(Phase::completion);
}

}  // namespace ft
