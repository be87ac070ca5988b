#include "linalg/arguments.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace weft::la {
namespace {

std::string pointer_text(int64_t given) {
  constexpr const char* words[] = {"usable", "NULL", "freed", "unknown"};
  return words[given];
}

// A matrix's number on its grid, and the grid's number. The grid counts more.
constexpr int64_t matrix_numbers = int64_t{1} << 32;

std::string matrix_text(int64_t numbers) {
  return "matrix " + std::to_string(numbers % matrix_numbers) + " of grid " + std::to_string(numbers / matrix_numbers);
}

}  // namespace

std::string Arguments::number(int64_t value) { return std::to_string(value); }
std::string Arguments::type_text(int64_t type) { return name_of_type(static_cast<int>(type)); }

void Arguments::pointer_is(const char* name, Given given) { alike(name, static_cast<int64_t>(given), pointer_text); }

// All ranks meet on the grid with the least number, in whatever order they give their matrices.
Arguments& Arguments::matrix(const char* name, const Matrix* matrix) {
  if (!is_usable(name, matrix)) {
    alike(name, 0, matrix_text);
    return *this;
  }
  const Grid& grid = matrix->grid;
  alike(name, grid.number * matrix_numbers + matrix->number, matrix_text);
  if (grid.number > meeting_grid_) return *this;
  meeting_grid_ = grid.number;
  meet_on(grid.all, "ranks of the grid");
  return *this;
}

Arguments& Arguments::alike_element(const std::string& name, weft_la_type_t type, const void* element) {
  if (!compares_) return *this;
  for_each_real(name, type, element, [&](const std::string& part, int64_t bits) { alike(part, bits, real_text); });
  return *this;
}

Arguments& Arguments::part(const char* name, const weft_la_part_t& part, int64_t rows, int64_t columns) {
  if (compares_) alike(std::string(name) + ".row", part.row).alike(std::string(name) + ".column", part.column);
  if (status_ != WEFT_OK) return *this;
  const weft_la_layout_t& layout = part.matrix->layout;
  reaches(name, "row", part.row, rows, layout.rows, layout);
  reaches(name, "column", part.column, columns, layout.columns, layout);
  return *this;
}

// The part's rows or columns lie in its matrix, which has `extent` of them.
void Arguments::reaches(const char* name, const char* what, int64_t start, int64_t count, int64_t extent,
                        const weft_la_layout_t& layout) {
  if (start >= 0 && start <= extent - count) return;
  const std::string place = std::string(name) + "." + what;
  const std::string limit =
      count > extent ? std::string("it has too few ") + what + "s" : place + " is 0 to " + number(extent - count);
  fail("%s is %s; %s %s%s from there must lie in %s.matrix, which is %s x %s: %s", place.c_str(), number(start).c_str(),
       number(count).c_str(), what, count == 1 ? "" : "s", name, number(layout.rows).c_str(),
       number(layout.columns).c_str(), limit.c_str());
}

Arguments& Arguments::disjoint(const char* name, const weft_la_part_t& one, int64_t rows, int64_t columns,
                               const char* other_name, const weft_la_part_t& other, int64_t other_rows,
                               int64_t other_columns) {
  const auto meet = [](int64_t start, int64_t count, int64_t other_start, int64_t other_count) {
    return start < other_start + other_count && other_start < start + count && count > 0 && other_count > 0;
  };
  if (status_ == WEFT_OK && one.matrix == other.matrix && meet(one.row, rows, other.row, other_rows) &&
      meet(one.column, columns, other.column, other_columns))
    fail("%s overlaps %s in their matrix (row %lld, column %lld); give it a matrix or a part of its own", name,
         other_name, static_cast<long long>(std::max(one.row, other.row)),
         static_cast<long long>(std::max(one.column, other.column)));
  return *this;
}

Arguments& Arguments::same_type(const char* name, const Matrix* matrix, const char* other_name, const Matrix* other) {
  if (status_ == WEFT_OK && matrix->layout.type != other->layout.type)
    fail("%s has type %s and %s type %s; they are of one type", name, name_of_type(matrix->layout.type).c_str(),
         other_name, name_of_type(other->layout.type).c_str());
  return *this;
}

Arguments& Arguments::same_grid(const char* name, const Matrix* matrix, const char* other_name, const Matrix* other) {
  if (status_ == WEFT_OK && &matrix->grid != &other->grid)
    fail("%s and %s are on two grids; weft_la_copy copies a matrix to another grid", name, other_name);
  return *this;
}

void Arguments::fail(const char* format, ...) {
  if (status_ != WEFT_OK) return;
  status_ = WEFT_ERR_INVALID;
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  problem_ = text;
}

int Arguments::status() {
  if (team_ != WEFT_TEAM_NONE && !values_.empty()) compare();
  values_.clear();
  if (problem_.empty()) return status_;
  if (compares_ && team_ == WEFT_TEAM_NONE) end_job(function_, "%s", problem_.c_str());
  refuse(speaks_ ? *speaks_ : speaks_without_grid(), function_, "%s", problem_.c_str());
  problem_.clear();
  return status_;
}

// Whether all ranks are in this function. It is asked before anything else that ranks send is looked at: of another
// function it would mean something else. Of one that does not compare even this is no name, and is not printed.
bool Arguments::same_function() {
  using Name = std::array<char, name_bytes>;
  Name mine{};
  std::snprintf(mine.data(), mine.size(), "%s", function_);
  std::vector<Name> names(weft_team_size(team_));
  weft_gather_all(team_, names.data(), mine.data(), mine.size(), 0);
  const auto other = std::find_if(names.begin(), names.end(), [&](const Name& name) { return name != mine; });
  if (other == names.end()) return true;
  const auto first = static_cast<uint32_t>(std::find(names.begin(), names.end(), mine) - names.begin());
  speaks_ = weft_team_rank(team_) == (checks_ranks() ? 0 : first);
  status_ = WEFT_OK;
  fail("rank %u calls it, and rank %u %s; all %s call the same functions in the same order",
       weft_team_world_rank(team_, first), weft_team_world_rank(team_, static_cast<uint32_t>(other - names.begin())),
       checks_ranks() ? other->data() : "something else", members_);
  return false;
}

// Whether ranks have given different things, or one refuses what it gave: then all refuse. What differs is said rather
// than what is wrong with it on one of them. Else the first that refuses says why.
void Arguments::compare() {
  if (!same_function()) return;
  std::vector<int64_t> most = {status_ == WEFT_OK ? 0 : 1};  // and for each value itself and its complement
  for (const Value& value : values_) most.insert(most.end(), {value.value, ~value.value});
  reduce_all(team_, most.data(), most.size(), WEFT_I64, WEFT_REDUCE_MAX);
  for (size_t i = 0; i < values_.size(); ++i) {
    const int64_t highest = most[2 * i + 1], lowest = ~most[2 * i + 2];
    if (lowest == highest) continue;
    const weft_rank_t low = least(values_[i].value == lowest ? weft_rank() : UINT32_MAX);
    const weft_rank_t high = least(values_[i].value == highest ? weft_rank() : UINT32_MAX);
    const Text text = values_[i].text;
    status_ = WEFT_OK;
    fail("%s is %s on rank %u and %s on rank %u; all %s give the same", values_[i].name.c_str(), text(lowest).c_str(),
         low, text(highest).c_str(), high, members_);
    return;
  }
  if (most[0] == 0) return;
  const uint32_t me = weft_team_rank(team_);
  speaks_ = me == least(status_ == WEFT_OK ? UINT32_MAX : me);
  status_ = WEFT_ERR_INVALID;
}

// On all ranks.
uint32_t Arguments::least(uint32_t mine) const {
  weft_reduce_all(team_, &mine, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_U32, WEFT_REDUCE_MIN), 0);
  return mine;
}

}  // namespace weft::la
