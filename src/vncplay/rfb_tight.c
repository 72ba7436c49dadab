/* stub */
#include "rfb_inside.h"
ssize_t rfb_tight(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)in;
	(void)n;
	return rfb_bad(r, "Tight is not understood yet");
}
