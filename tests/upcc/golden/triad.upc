/* flags: -O2 */
shared double a[1000 * THREADS], b[1000 * THREADS], c[1000 * THREADS];
void triad(double s) {
  int i;
  upc_forall (i = 0; i < 1000 * THREADS; i++; &c[i])
    a[i] = b[i] + s * c[i];
}
