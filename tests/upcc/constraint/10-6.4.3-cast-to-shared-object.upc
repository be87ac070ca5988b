// Only pointers refer to shared objects: a value cannot be cast to a shared type.
int x;
void f(void) {
  int y = (shared int)x;  // expect-error: cast to shared type 'shared int': only pointers can refer to shared objects
}
