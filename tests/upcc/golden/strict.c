# 1 "strict.upc"
# 3 "strict.upc" 3
char x[1] __asm__("upc_shared.x") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};
char y[1] __asm__("upc_shared.y") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};
# 5 "strict.upc"
void f(void) {
# 6 "strict.upc" 3
upcc_put_strict_int(upcr_make(upcc_offset(x), 0, 0), 1, "strict.upc", 6);
upcc_put_int(upcr_make(upcc_offset(y), 0, 0), 1, "strict.upc", 7);{
#pragma GCC unroll 2
for (int i = 0; i < 2; i++) upcc_put_strict_int(upcr_make(upcc_offset(x), 0, 0), i, "strict.upc", 9);__asm__ volatile("" ::: "memory");}
# 10 "strict.upc"
  {
# 12 "strict.upc" 3
upcc_put_int(upcr_make(upcc_offset(x), 0, 0), 2, "strict.upc", 12);
# 13 "strict.upc"
  }
# 14 "strict.upc" 3
upcc_put_strict_int(upcr_make(upcc_offset(x), 0, 0), 3, "strict.upc", 14);
upcr_fence();
upcr_notify(1, (int)( 1), "strict.upc", 16);
upcr_wait(1, (int)( 1), "strict.upc", 17);
# 18 "strict.upc"
}
# 3 "strict.upc" 3
static const upcr_object_t __upcc_object_x __attribute__((used, section("upc_objects"), aligned(8))) = {"x", "strict.upc", 3, 1, 1ul, "shared int", 3189448409631304013ul, 4ul};
static const upcr_object_t __upcc_object_y __attribute__((used, section("upc_objects"), aligned(8))) = {"y", "strict.upc", 4, 1, 1ul, "relaxed shared int", 3189448409631304013ul, 4ul};
