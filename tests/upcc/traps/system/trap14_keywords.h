/* C code that uses words which are UPC keywords as plain identifiers: a system header, so C (UPC 6.2). */
struct t14_words {
  int shared, strict, relaxed;
};
static inline int t14_keywords(int shared, int relaxed) {
  struct t14_words words = {.shared = shared, .strict = 2, .relaxed = relaxed};
  int upc_barrier = 0, MYTHREAD = 0;
  return words.shared + words.strict + words.relaxed + upc_barrier + MYTHREAD;
}
