/* standards: c11 c99 c17 gnu89 iso9899:1999 c89 */
/* Strict C that every -std= takes, without extensions and without // comments. Names that are keywords elsewhere. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct list { int value; struct list *next; };
typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(a, b) int a; int b; { return a - b; }

static struct list *push(struct list *list, struct list *cell, int value) {
  cell->value = value;
  cell->next = list;
  return cell;
}

int main(void) {
#ifdef __STRICT_ANSI__
  int asm = 1, typeof = 2;
#define WORDS (asm + typeof)
#else
#define WORDS 3
#endif
  static const operation table[] = {add, sub};
  struct list cells[3], *head = NULL, *at;
  int i, sum = 0;
  unsigned char byte = 250;
  long big = 2147483647L;
  for (i = 0; i < 3; i++) head = push(head, &cells[i], i * i);
  for (at = head; at != NULL; at = at->next) sum = table[i++ % 2](sum, at->value);
  byte += 10;
  printf("%d %d %ld %d\n", sum, byte, big + 1 > big ? 1L : 0L, WORDS);
  printf("%d %d %d\n", -7 / 2, -7 % 2, (int)sizeof(struct list *));
  printf("%s %d\n", strchr("find", 'n'), '\x7f');
  return sum & 1 ? 3 : 0;
}
