# 1 "triad.upc"
# 2 "triad.upc" 3
char a[125] __asm__("upc_shared.a") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};char b[125] __asm__("upc_shared.b") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};char c[125] __asm__("upc_shared.c") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};
# 3 "triad.upc"
void triad(double s) {
  int i;
# 5 "triad.upc" 3
{             i = 0;const upcr_forall_t __upcc_forall1 __attribute__((cleanup(upcr_forall_leave))) = upcr_forall_enter();{if (__upcc_forall1.controlling && upcr_unchecked()) {const long __upcc_first2 = (long)i, __upcc_count2 = upcc_iterations(__upcc_first2, (long)(int)( 1000 *upcr_threads()), 1, 1l, UPCC_BELOW, 0);if (__upcc_count2 > 0) {const long __upcc_begin2 = upcc_threads_behind(({ const int i = (int)__upcc_first2; (void)i; (long)upcr_thread(upcr_element(upcc_offset(c), (unsigned long)((long)(i)), 1, 8)); })), __upcc_taken2 = upcc_every_threads(__upcc_begin2, __upcc_count2);if (__upcc_taken2 > 0) {const long __upcc_start2 = __upcc_first2 + __upcc_begin2;{const int i = (int)__upcc_start2;(void)i;const upcr_pts_t __upcc_w0_2 = upcr_element(upcc_offset(a), (unsigned long)((long)(
      i)), 1, 8);char* const __upcc_p0_2 = upcr_self_at(__upcc_w0_2.offset);const upcr_pts_t __upcc_w1_2 = upcr_element(upcc_offset(b), (unsigned long)((long)(i)), 1, 8);char* const __upcc_p1_2 = upcr_self_at(__upcc_w1_2.offset);const upcr_pts_t __upcc_w2_2 = upcr_element(upcc_offset(c), (unsigned long)((long)(i)), 1, 8);char* const __upcc_p2_2 = upcr_self_at(__upcc_w2_2.offset);for (long __upcc_n2 = 0; __upcc_n2 < __upcc_taken2; ++__upcc_n2) {int i = upcc_index(__upcc_start2 + __upcc_n2 * ((long)upcr_threads()));(void)i;((double*)(void*)__upcc_p0_2)[__upcc_n2] =((double*)(void*)__upcc_p1_2)[__upcc_n2] + s *((double*)(void*)__upcc_p2_2)[__upcc_n2];}}}}i = (int)(__upcc_first2 + __upcc_count2 * 1l);__asm__ volatile("" ::: "memory");} else {
# 5 "triad.upc" 3
for (; i < 1000 *upcr_threads(); i++) if (upcr_forall_pointer(&__upcc_forall1, (upcr_element(upcc_offset(c), (unsigned long)((long)(i)), 1, 8)))) {
upcc_put_double(upcr_element(upcc_offset(a), (unsigned long)((long)(i)), 1, 8), upcc_get_double(upcr_element(upcc_offset(b), (unsigned long)((long)(i)), 1, 8), "triad.upc", 6) + s *upcc_get_double(upcr_element(upcc_offset(c), (unsigned long)((long)(i)), 1, 8), "triad.upc", 6), "triad.upc", 6);}}}}
# 7 "triad.upc"
}
# 2 "triad.upc" 3
static const upcr_object_t __upcc_object_a __attribute__((used, section("upc_objects"), aligned(8))) = {"a", "triad.upc", 2, 1, 1ul, "shared double[1000*THREADS]", 17868007515550872246ul, 8000ul};
# 2 "triad.upc" 3
static const upcr_object_t __upcc_object_b __attribute__((used, section("upc_objects"), aligned(8))) = {"b", "triad.upc", 2, 1, 1ul, "shared double[1000*THREADS]", 17868007515550872246ul, 8000ul};
# 2 "triad.upc" 3
static const upcr_object_t __upcc_object_c __attribute__((used, section("upc_objects"), aligned(8))) = {"c", "triad.upc", 2, 1, 1ul, "shared double[1000*THREADS]", 17868007515550872246ul, 8000ul};
