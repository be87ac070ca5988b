/* Every trap of UPC.md section 3 in one program: each prints its name when it has passed. */
#include "../check.h"
#include "trap01_negative_offsets.upc"
#include "trap02_subtraction.upc"
#include "trap03_phase.upc"
#include "trap04_dimensions.upc"
#include "trap05_sizes.upc"
#include "trap06_members.upc"
#include "trap07_bit_fields.upc"
#include "trap08_values.upc"
#include "trap09_once.upc"
#include "trap10_truth.upc"
#include "trap11_forall.upc"
#include "trap12_initialisers.upc"
#include "trap13_private_globals.upc"
#include "trap14_fidelity.upc"
#include "trap15_order.upc"
#include "trap16_pragmas.upc"
#include "trap17_limits.upc"

int main(void) {
  RUN(trap01_negative_offsets);
  RUN(trap02_subtraction);
  RUN(trap03_phase);
  RUN(trap04_dimensions);
  RUN(trap05_sizes);
  RUN(trap06_members);
  RUN(trap07_bit_fields);
  RUN(trap08_values);
  RUN(trap09_once);
  RUN(trap10_truth);
  RUN(trap11_forall);
  RUN(trap12_initialisers);
  RUN(trap13_private_globals);
  RUN(trap14_fidelity);
  RUN(trap15_order);
  RUN(trap16_pragmas);
  RUN(trap17_limits);
  if (MYTHREAD == 0) puts("PASS");
}
