# 1 "accesses.upc"
# 2 "accesses.upc" 3
char a[1] __asm__("upc_shared.a") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};
char b[2] __asm__("upc_shared.b") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};
upcr_pts_t p;
struct node { int v; unsigned bits : 3;upcr_pts_t next; };
char n[1] __asm__("upc_shared.n") __attribute__((section("upc_shared,\"aw\",@nobits#"), aligned(1), visibility("hidden"))) = {0};
int read(int i) { return upcc_get_int(upcr_element(upcc_offset(a), (unsigned long)((long)(i)), 1, 4), "accesses.upc", 7) +( (int)upcc_get_double(upcr_element(upcc_offset(b), (unsigned long)((long)(i)), 4, 8), "accesses.upc", 7)) +upcc_get_int(p, "accesses.upc", 7) +({ const upcr_pts_t upcr_p_ = upcr_make(upcc_offset(n), 0, 0); unsigned int upcr_v_; if (upcr_direct()) upcr_v_ = (unsigned int)((volatile struct node*)(void*)upcr_at(upcr_p_))->bits; else { struct node upcr_s_; upcr_get_slow((char*)(void*)&upcr_s_ + 4, upcr_field(upcr_p_, 4), 1, "accesses.upc", 7); upcr_v_ = (unsigned int)upcr_s_.bits; } upcr_v_; }); }
# 8 "accesses.upc"
void write(int i) {
# 9 "accesses.upc" 3
upcc_put_int(upcr_element(upcc_offset(a), (unsigned long)((long)(i)), 1, 4), 1, "accesses.upc", 9);
({ const upcr_pts_t __upcc_a1 = upcr_element(upcc_offset(a), (unsigned long)((long)(i)), 1, 4); const int __upcc_o2 = upcc_get_int(__upcc_a1, "accesses.upc", 10); upcc_put_int(__upcc_a1, ((int)__upcc_o2 + ( 2)), "accesses.upc", 10); });
({ const upcr_pts_t __upcc_a3 = upcr_element(upcc_offset(b), (unsigned long)((long)(i)), 4, 8); const double __upcc_o4 = upcc_get_double(__upcc_a3, "accesses.upc", 11); upcc_put_double(__upcc_a3, (__upcc_o4 + 1), "accesses.upc", 11); });
({ const upcr_pts_t upcr_p_ = upcr_make(upcc_offset(n), 0, 0); unsigned int upcr_n_ = (unsigned int)( 5); unsigned int upcr_v_; if (upcr_direct()) { volatile struct node* const upcr_s_ = (volatile struct node*)(void*)upcr_at(upcr_p_); upcr_v_ = (unsigned int)(upcr_s_->bits = upcr_n_); } else { struct node upcr_s_; upcr_get_slow((char*)(void*)&upcr_s_ + 4, upcr_field(upcr_p_, 4), 1, "accesses.upc", 12); upcr_v_ = (unsigned int)(upcr_s_.bits = upcr_n_); upcr_put_slow(upcr_field(upcr_p_, 4), (const char*)(const void*)&upcr_s_ + 4, 1, "accesses.upc", 12); } upcr_v_; });
  p =upcr_add( p, 1l, 0, 4);
upcc_put_pts(upcr_field(upcr_make(upcc_offset(n), 0, 0), 8), upcr_null(), "accesses.upc", 14);
# 15 "accesses.upc"
}
# 16 "accesses.upc" 3
int test(upcr_pts_t q) { return(!upcr_is_null( q)) &&(!upcr_equal( q, upcr_make(upcc_offset(a), 0, 0))) ? *((int *)upcr_local_at(q, "accesses.upc", 16)) :(40ul * (unsigned long)upcr_threads()); }
# 2 "accesses.upc" 3
static const upcr_object_t __upcc_object_a __attribute__((used, section("upc_objects"), aligned(8))) = {"a", "accesses.upc", 2, 1, 1ul, "shared int[10*THREADS]", 3279900534893962179ul, 40ul};
static const upcr_object_t __upcc_object_b __attribute__((used, section("upc_objects"), aligned(8))) = {"b", "accesses.upc", 3, 1, 4ul, "shared [4] double[16*THREADS]", 17868007515550872246ul, 128ul};
static const upcr_object_t __upcc_object_n __attribute__((used, section("upc_objects"), aligned(8))) = {"n", "accesses.upc", 6, 1, 1ul, "shared struct node", 13384323037140521009ul, 24ul};
