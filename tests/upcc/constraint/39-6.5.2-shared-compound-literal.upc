// A compound literal in a function is automatic, so it is not shared.
void f(void) {
  (shared int){1};  // expect-error: a compound literal of shared type 'shared int' would be an automatic shared object
}
