#include "linalg/scalapack/operand.hpp"

namespace weft::scalapack {
namespace {

// ScaLAPACK's NUMROC: of the first `count` rows (columns), those on process row `process`.
int64_t count_on(int64_t count, int64_t block, int64_t process, int64_t first, int64_t processes) {
  const int64_t distance = (processes + process - first) % processes, blocks = count / block;
  const int64_t whole = blocks / processes * block, extra = blocks % processes;
  return whole + (distance < extra ? block : distance == extra ? count % block : 0);
}

size_t element_size(weft_la_type_t type) {
  constexpr size_t sizes[] = {4, 8, 8, 16};
  return sizes[type];
}

}  // namespace

Descriptor descriptor_of(const int* given) {
  Descriptor d;
  std::copy_n(given, d.size(), d.begin());
  return d;
}

Descriptor pblas_descriptor_of(const int* given) {
  if (given[DTYPE] != 2) return descriptor_of(given);
  const int first_row_block = given[4], first_column_block = given[5];
  const int row_block = given[6], column_block = given[7];
  const bool regular = first_row_block == row_block && first_column_block == column_block;
  return {regular ? 1 : 2, given[CTXT], given[M], given[N], row_block, column_block, given[8], given[9], given[10]};
}

bool Operand::in_order(const Context& context) const {
  const Descriptor& d = descriptor_;
  if (d[DTYPE] != 1 || d[CTXT] != context.number || d[MB] < 1 || d[NB] < 1) return false;
  if (d[RSRC] < 0 || d[RSRC] >= context.rows || d[CSRC] < 0 || d[CSRC] >= context.columns) return false;
  if (rows_ < 0 || columns_ < 0 || row_ < 0 || column_ < 0) return false;
  if (row_ + rows_ > d[M] || column_ + columns_ > d[N]) return false;
  return d[LLD] >= std::max<int64_t>(1, count_on(d[M], d[MB], context.row, d[RSRC], context.rows));
}

void Operand::tell(char letter, std::vector<Given>& given) const {
  const auto add = [&](const std::string& name, int64_t value) { given.push_back({name, value}); };
  add(std::string("i") + letter, row_ + 1);
  add(std::string("j") + letter, column_ + 1);
  constexpr std::pair<int, const char*> fields[] = {{M, "M"},   {N, "N"},       {MB, "MB"},
                                                    {NB, "NB"}, {RSRC, "RSRC"}, {CSRC, "CSRC"}};
  for (const auto& [field, name] : fields)
    add(std::string(name) + " of desc" + letter, descriptor_[static_cast<size_t>(field)]);
}

weft_la_layout_t Operand::layout(const Context& context) const {
  const Descriptor& d = descriptor_;
  return {type_,
          first_row() + rows_,
          first_column() + columns_,
          d[MB],
          d[NB],
          static_cast<uint32_t>(row_owner(context, row_)),
          static_cast<uint32_t>((d[CSRC] + column_ / d[NB]) % context.columns)};
}

void* Operand::local(const Context& context) const {
  const Descriptor& d = descriptor_;
  const int64_t row = count_on(row_ - first_row(), d[MB], context.row, d[RSRC], context.rows);
  const int64_t column = count_on(column_ - first_column(), d[NB], context.column, d[CSRC], context.columns);
  return array_ + static_cast<size_t>(row + column * leading()) * element_size(type_);
}

Copy::Copy(weft_la_grid_t* grid, const Context& context, const Operand& operand, bool imported)
    : context_(context), operand_(operand) {
  const weft_la_layout_t layout = operand.layout(context);
  if (weft_la_matrix_create(grid, &layout, &matrix_) != WEFT_OK) return;
  if (imported) weft_la_import(matrix_, operand.local(context), operand.leading());
}

void Copy::write_back() const { weft_la_export(matrix_, operand_.local(context_), operand_.leading()); }

}  // namespace weft::scalapack
