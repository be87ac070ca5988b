/* The twins of CG and IS, for each class that is measured. */
#ifndef WEFT_BENCH_UPC_PROGRAMS_TWINS_NPB_H
#define WEFT_BENCH_UPC_PROGRAMS_TWINS_NPB_H

void run_npb_twins_S(void);
void run_npb_twins_W(void);
#endif
