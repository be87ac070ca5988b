// With one thread there is nobody to wait for. options: -T1
// options: -T1
shared int flag, count;
void f(void) {
  if (MYTHREAD == 0) upc_barrier;
  while (!flag) ;
  upc_forall (int i = 0; i < 3; i++; i) count++;
}
