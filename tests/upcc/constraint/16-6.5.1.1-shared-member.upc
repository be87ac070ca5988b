// A structure or union has no shared members; pointers-to-shared are fine.
struct s {
  shared int x;  // expect-error: member 'x' has shared type 'shared int': a structure or union cannot contain shared members; a pointer may be one, 'shared int *x'
  shared int *y;
  char *shared p;  // expect-error: member 'p' has shared type 'char * shared': a structure or union cannot contain shared members
  shared [] int a[4];  // expect-error: member 'a' has shared type 'shared [] int[4]': a structure or union cannot contain shared members
};
union u {
  shared float f;  // expect-error: member 'f' has shared type 'shared float': a structure or union cannot contain shared members; a pointer may be one, 'shared float *f'
};
