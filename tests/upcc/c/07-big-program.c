// A small interpreter: what ordinary programs look like.
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef enum { T_NUM, T_SYM, T_CONS, T_FUN } Tag;
typedef struct Value Value;
typedef Value *(*Builtin)(Value *args, Value *env);
struct Value {
  Tag tag : 8;
  unsigned mark : 1;
  union {
    double num;
    struct { Value *car, *cdr; };
    struct { const char *name; size_t len; } sym;
    Builtin fn;
  };
};
static Value *pool, *free_list;
static size_t used, capacity = 1u << 10;
static _Noreturn void die(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  exit(EXIT_FAILURE);
}
static Value *make(Tag tag) {
  if (!pool && !(pool = calloc(capacity, sizeof *pool))) die("no memory: %zu\n", capacity * sizeof *pool);
  Value *v = free_list ? free_list : used < capacity ? &pool[used++] : NULL;
  if (!v) die("%s\n", "full");
  *v = (Value){.tag = tag};
  return v;
}
static inline bool is_delim(int c) { return c == EOF || isspace(c) || strchr("()", c) != NULL; }
static Value *cons(Value *a, Value *d) { Value *v = make(T_CONS); v->car = a, v->cdr = d; return v; }
static Value *read_value(const char **in);
static Value *read_list(const char **in) {
  while (isspace((unsigned char)**in)) ++*in;
  if (**in == ')') return ++*in, NULL;
  Value *head = read_value(in);
  return cons(head, read_list(in));
}
static Value *read_value(const char **in) {
  while (isspace((unsigned char)**in)) (*in)++;
  switch (**in) {
    case '\0': return NULL;
    case '(': return ++*in, read_list(in);
    case '0' ... '9': {
      char *end;
      Value *v = make(T_NUM);
      v->num = strtod(*in, &end);
      *in = end;
      return v;
    }
    default: {
      const char *start = *in;
      while (**in && !is_delim(**in)) ++*in;
      Value *v = make(T_SYM);
      v->sym.name = start, v->sym.len = (size_t)(*in - start);
      return v;
    }
  }
}
static Value *add(Value *args, Value *env) {
  (void)env;
  double s = 0;
  for (Value *p = args; p; p = p->cdr) s += p->car->num;
  Value *v = make(T_NUM);
  return v->num = s, v;
}
static const struct { const char *name; Builtin fn; } builtins[] = {{"+", add}, {.name = "sum", .fn = &add}};
static uint32_t hash(const void *data, size_t n) {
  uint32_t h = 2166136261u;
  for (const uint8_t *p = data; n-- > 0; p++) h = (h ^ *p) * UINT32_C(16777619);
  return h;
}
static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static Value *eval(Value *v, Value *env) {
  if (!v || v->tag == T_NUM) return v;
  if (v->tag != T_CONS) return NULL;
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
    if (v->car->sym.len == strlen(builtins[i].name) && !strncmp(v->car->sym.name, builtins[i].name, v->car->sym.len)) {
      Value *args = NULL, **tail = &args;
      for (Value *p = v->cdr; p; p = p->cdr, tail = &(*tail)->cdr) *tail = cons(eval(p->car, env), NULL);
      return builtins[i].fn(args, env);
    }
  return NULL;
}
int main(int argc, char *argv[]) {
  const char *text = argc > 1 ? argv[1] : "(+ 1 2 (sum 3 4))";
  double sorted[] = {3, 1, 2};
  qsort(sorted, 3, sizeof sorted[0], compare);
  Value *v = eval(read_value(&text), NULL);
  printf("%g %08x %g\n", v ? v->num : -1.0, hash("abc", 3), sorted[0]);
  free(pool);
  return 0;
}
