#include "paper.h"
#include <errno.h>
int paper_find(const struct replay *replay, int runs, struct paper *out, char *why, size_t size) { (void)replay; (void)runs; (void)out; (void)why; (void)size; return -ENOSYS; }
void paper_free(struct paper *p) { (void)p; }
int paper_answers(const struct replay *replay, int runs, const struct paper *p, struct answers *out) { (void)replay; (void)runs; (void)p; (void)out; return -ENOSYS; }
void paper_old(FILE *out, const struct paper *p) { (void)out; (void)p; }
