#include "upcrt/reduce_ops.hpp"

namespace weft::upcrt {
namespace {

// A type's size names the integer: long and long long are one.
weft_type_t library_type(const char* function, int type) {
  switch (type) {
    case UPC_CHAR:
    case UPC_INT8:
      return WEFT_I8;
    case UPC_UCHAR:
    case UPC_UINT8:
      return WEFT_U8;
    case UPC_SHORT:
    case UPC_INT16:
      return WEFT_I16;
    case UPC_USHORT:
    case UPC_UINT16:
      return WEFT_U16;
    case UPC_INT:
    case UPC_INT32:
      return WEFT_I32;
    case UPC_UINT:
    case UPC_UINT32:
      return WEFT_U32;
    case UPC_LONG:
    case UPC_LLONG:
    case UPC_INT64:
      return WEFT_I64;
    case UPC_ULONG:
    case UPC_ULLONG:
    case UPC_UINT64:
      return WEFT_U64;
    case UPC_FLOAT:
      return WEFT_F32;
    case UPC_DOUBLE:
      return WEFT_F64;
    case UPC_LDOUBLE:
      return WEFT_LONG_DOUBLE;
    default:
      fail({}, "%s: the type is none that reductions know", function);
  }
}

weft_reduce_op_t library_operation(const char* function, int op) {
  switch (op) {
    case UPC_ADD:
      return WEFT_REDUCE_ADD;
    case UPC_MULT:
      return WEFT_REDUCE_MULT;
    case UPC_AND:
      return WEFT_REDUCE_AND;
    case UPC_OR:
      return WEFT_REDUCE_OR;
    case UPC_XOR:
      return WEFT_REDUCE_XOR;
    case UPC_LOGAND:
      return WEFT_REDUCE_LOGAND;
    case UPC_LOGOR:
      return WEFT_REDUCE_LOGOR;
    case UPC_MIN:
      return WEFT_REDUCE_MIN;
    case UPC_MAX:
      return WEFT_REDUCE_MAX;
    default:
      fail({}, "%s: %#x is no operation of reductions", function, static_cast<unsigned>(op));
  }
}

}  // namespace

weft_reduction_t predefined_reduction(const char* function, int type, int op) {
  const weft_type_t value = library_type(function, type);
  const weft_reduce_op_t operation = library_operation(function, op);
  const bool floating = value == WEFT_F32 || value == WEFT_F64 || value == WEFT_LONG_DOUBLE;
  if (floating && (operation == WEFT_REDUCE_AND || operation == WEFT_REDUCE_OR || operation == WEFT_REDUCE_XOR))
    fail({}, "%s: bitwise operations are for integers", function);
  return weft_reduction_of(value, operation);
}

}  // namespace weft::upcrt
