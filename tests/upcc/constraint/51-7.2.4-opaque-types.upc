// Programs have pointers to locks and the like, not the objects.
# 1 "upc.h" 1 3
typedef shared struct upcr_lock upc_lock_t;
typedef shared struct upcr_other upc_other_t;
void upc_lock(upc_lock_t *ptr);
# 7 "51.upc" 2
upc_lock_t file_scope;  // expect-error: object 'file_scope' has the opaque type 'upc_lock_t': declare a pointer, 'upc_lock_t *file_scope', and let upc_all_lock_alloc allocate what it points to
static upc_other_t other;  // expect-error: object 'other' has the opaque type 'upc_other_t': declare a pointer, 'upc_other_t *other'
upc_lock_t several[THREADS];  // expect-error: array type has opaque element type 'upc_lock_t': let the elements be pointers to it
struct s { upc_lock_t member; };  // expect-error: object 'member' has the opaque type 'upc_lock_t': declare a pointer, 'upc_lock_t *member', and let upc_all_lock_alloc allocate what it points to
void take(upc_lock_t by_value);  // expect-error: object 'by_value' has the opaque type 'upc_lock_t': declare a pointer, 'upc_lock_t *by_value', and let upc_all_lock_alloc allocate what it points to
extern upc_lock_t elsewhere;
upc_lock_t *pointer, *shared of_all, *shared table[THREADS];
void f(int *p) {
  upc_lock_t automatic;  // expect-error: object 'automatic' has the opaque type 'upc_lock_t': declare a pointer, 'upc_lock_t *automatic', and let upc_all_lock_alloc allocate what it points to
  *pointer;  // expect-error: invalid use of opaque type 'upc_lock_t'
  pointer->word = 1;  // expect-error: invalid use of opaque type 'upc_lock_t'
  pointer + 1;  // expect-error: arithmetic on a pointer to an opaque type 'upc_lock_t'
  p += sizeof *pointer;  // expect-error: invalid application of 'sizeof' to opaque type 'upc_lock_t'
  upc_lock(p);  // expect-error: passing argument 1 of 'upc_lock' from 'int *' to 'upc_lock_t *': a pointer-to-local cannot become a pointer-to-shared
  upc_lock(&pointer);  // expect-error: passing argument 1 of 'upc_lock' from 'upc_lock_t **' to 'upc_lock_t *': a pointer-to-local cannot become a pointer-to-shared; leave out the '&'
  upc_lock(table[0]);
  upc_lock(of_all);
}
