/* <upc_types.h>: operations, types and synchronisation flags shared by the UPC libraries (UPC 7.3). Plain C. */
#ifndef UPC_TYPES_H
#define UPC_TYPES_H

/* 7.3.1: operations. Bits, so that sets can be formed. */
typedef int upc_op_t;
#define UPC_ADD 0x0001
#define UPC_MULT 0x0002
#define UPC_AND 0x0004
#define UPC_OR 0x0008
#define UPC_XOR 0x0010
#define UPC_LOGAND 0x0020
#define UPC_LOGOR 0x0040
#define UPC_MIN 0x0080
#define UPC_MAX 0x0100

/* 7.3.2: types. */
typedef int upc_type_t;
#define UPC_CHAR 1
#define UPC_UCHAR 2
#define UPC_SHORT 3
#define UPC_USHORT 4
#define UPC_INT 5
#define UPC_UINT 6
#define UPC_LONG 7
#define UPC_ULONG 8
#define UPC_LLONG 9
#define UPC_ULLONG 10
#define UPC_INT8 11
#define UPC_UINT8 12
#define UPC_INT16 13
#define UPC_UINT16 14
#define UPC_INT32 15
#define UPC_UINT32 16
#define UPC_INT64 17
#define UPC_UINT64 18
#define UPC_FLOAT 19
#define UPC_DOUBLE 20
#define UPC_LDOUBLE 21
#define UPC_PTS 22

/* 7.3.3: synchronisation of collectives. An omitted half means ALLSYNC. */
typedef int upc_flag_t;
#define UPC_IN_NOSYNC 0x01
#define UPC_IN_MYSYNC 0x02
#define UPC_IN_ALLSYNC 0x04
#define UPC_OUT_NOSYNC 0x08
#define UPC_OUT_MYSYNC 0x10
#define UPC_OUT_ALLSYNC 0x20

#endif
