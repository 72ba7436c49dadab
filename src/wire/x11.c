// SPDX-License-Identifier: GPL-3.0-or-later
#include "x11.h"
#include "memory.h"

#include <stdio.h>

enum { CORE, UNNAMED, NAMED }; /* numbers of extensions: the core protocol, unknown names, the first known name */
enum { QUERY_EXTENSION = 98 };
enum client_state { CLIENT_SETUP, CLIENT_FIRST, CLIENT_NEXT, CLIENT_REQUEST, CLIENT_LONG, CLIENT_QUERY, CLIENT_QUERIED };
enum server_state { SERVER_SETUP, SERVER_NEXT, SERVER_MESSAGE };
enum code { CODE_ERROR, CODE_REPLY };

struct x11_counts *x11_alloc_counts(void)
{
	struct x11_counts *n = memory_new(1, sizeof(*n));

	n->extensions = NAMED;
	return n;
}

struct x11_stream *x11_alloc_stream(struct x11_counts *sum)
{
	struct x11_stream *x = memory_new(1, sizeof(*x));

	x->sum = sum;
	x->client.want = 12;
	x->server.want = 8;
	x->client.to = &sum->setup[0].bytes;
	x->server.to = &sum->setup[1].bytes;
	sum->setup[0].count++;
	sum->setup[1].count++;
	return x;
}

static uint32_t card16(const struct x11_stream *x, const uint8_t *p)
{
	return x->little ? p[0] | (uint32_t)p[1] << 8 : (uint32_t)p[0] << 8 | p[1];
}

static uint32_t card32(const struct x11_stream *x, const uint8_t *p)
{
	return x->little ? card16(x, p) | card16(x, p + 2) << 16 : card16(x, p) << 16 | card16(x, p + 2);
}

static uint32_t padded_length(uint32_t n)
{
	return (n + 3) & ~3u;
}

static void count_kind(struct x11_stream *x, struct skip_parser *w, enum x11_kind kind, int extension, uint8_t minor)
{
	struct message_tally *t = &x->sum->tally[kind][extension][minor];

	t->count++;
	skip_parser_set_counter(w, &t->bytes);
}

/* Counts a request, or the reply to one, by its opcodes. */
static void count_request(struct x11_stream *x, struct skip_parser *w, enum x11_kind kind, uint8_t major, uint8_t minor)
{
	if (major < 128)
		count_kind(x, w, kind, CORE, major);
	else
		count_kind(x, w, kind, x->extension[major - 128] ? x->extension[major - 128] : UNNAMED, minor);
}

/* --- the application --- */

static void parse_setup(struct x11_stream *x, struct skip_parser *w, const uint8_t *p)
{
	if (p[0] != 'l' && p[0] != 'B') {
		skip_parser_stop(w, "X11: not a set-up request");
		return;
	}
	x->little = p[0] == 'l';
	x->ordered = true;
	x->client_state = CLIENT_NEXT;
	skip_parser_expect(w, padded_length(card16(x, p + 6)) + padded_length(card16(x, p + 8)), 0);
}

static void begin_request(struct x11_stream *x, struct skip_parser *w, const uint8_t *p)
{
	uint32_t words = card16(x, p + 2);

	x->major = p[0];
	x->minor = p[1];
	x->words = words;
	x->sent[++x->sequence] = (uint16_t)(x->major << 8 | x->minor);
	count_request(x, w, X11_REQUEST, x->major, x->minor);
	x->client_state = CLIENT_NEXT;
	if (!words) {
		x->client_state = CLIENT_LONG;
		skip_parser_expect(w, 0, 4);
	} else if (x->major == QUERY_EXTENSION && words > 2) {
		x->client_state = CLIENT_QUERY;
		skip_parser_expect(w, 0, 4);
	} else {
		skip_parser_expect(w, 4ull * (words - 1), 0);
	}
}

/* Number of the extension with this name, which is added if new; 0: no room. */
static uint8_t ensure_extension(struct x11_counts *n, const uint8_t *name, uint32_t length)
{
	char text[X11_NAME] = { 0 };
	int i = NAMED;

	for (uint32_t at = 0; at < length && at < X11_NAME - 1; at++)
		text[at] = name[at] > ' ' && name[at] < 127 ? (char)name[at] : '?';
	while (i < n->extensions && strcmp(n->name[i], text) != 0)
		i++;
	if (i == X11_EXTENSIONS)
		return 0;
	if (i == n->extensions) {
		memcpy(n->name[i], text, sizeof(text));
		n->extensions++;
	}
	return (uint8_t)i;
}

static void record_query(struct x11_stream *x, const uint8_t *name, uint32_t padded_length)
{
	uint32_t length = padded_length;

	while (length && !name[length - 1]) /* zero bytes are padding, not part of the name */
		length--;
	x->asked[x->next_asked].sequence = x->sequence;
	x->asked[x->next_asked].extension = ensure_extension(x->sum, name, length);
	x->next_asked = (uint8_t)((x->next_asked + 1) % X11_ASKED);
}

void x11_step_client(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct x11_stream *x = context;
	uint32_t words;

	switch (x->client_state) {
	case CLIENT_SETUP: parse_setup(x, w, piece); break;
	case CLIENT_REQUEST: begin_request(x, w, piece); break;
	case CLIENT_LONG:
		words = card32(x, piece);
		x->client_state = CLIENT_NEXT;
		if (words < 2)
			skip_parser_stop(w, "X11: a request without a length");
		else
			skip_parser_expect(w, 4ull * (words - 2), 0);
		break;
	case CLIENT_QUERY:
		x->client_state = CLIENT_QUERIED;
		skip_parser_expect(w, 0, padded_length(card16(x, piece)));
		if (!w->want || w->want > SKIP_PARSER_PIECE || w->want != 4ull * (x->words - 2))
			skip_parser_stop(w, "X11: a malformed extension name");
		break;
	case CLIENT_QUERIED:
		record_query(x, piece, n);
		/* fallthrough */
	default: /* at the end of a request */
		x->client_state = CLIENT_REQUEST;
		skip_parser_set_counter(w, NULL);
		skip_parser_expect(w, 0, 4);
	}
}

/* --- the display --- */

static void learn_extension(struct x11_stream *x, uint16_t sequence, const uint8_t *p)
{
	for (int i = 0; i < X11_ASKED; i++) {
		uint8_t extension = x->asked[i].extension;

		if (!extension || x->asked[i].sequence != sequence)
			continue;
		x->asked[i].extension = 0;
		if (p[8] && p[9] >= 128) {
			x->extension[p[9] - 128] = extension;
			x->first_event[extension] = p[10];
			x->first_error[extension] = p[11];
		}
	}
}

static void count_reply(struct x11_stream *x, struct skip_parser *w, const uint8_t *p)
{
	uint16_t sequence = (uint16_t)card16(x, p + 2), sent = x->sent[sequence];

	if (sent >> 8 == QUERY_EXTENSION)
		learn_extension(x, sequence, p);
	/* 0: a reply to a request that was not captured */
	count_request(x, w, X11_REPLY, (uint8_t)(sent >> 8), (uint8_t)sent);
}

/* The extension of an event or error: the one with the nearest first number at or below its code. */
static int find_extension(const uint8_t *first, uint8_t code)
{
	int best = UNNAMED;

	for (int i = NAMED; i < X11_EXTENSIONS; i++)
		if (first[i] && first[i] <= code && (best == UNNAMED || first[i] > first[best]))
			best = i;
	return best;
}

static void count_event(struct x11_stream *x, struct skip_parser *w, enum x11_kind kind, uint8_t code, uint8_t core,
			const uint8_t *first)
{
	int extension = code < core ? CORE : find_extension(first, code);

	count_kind(x, w, kind, extension, extension >= NAMED ? (uint8_t)(code - first[extension]) : code);
}

static void count_server_message(struct x11_stream *x, struct skip_parser *w, const uint8_t *p)
{
	uint8_t code = p[0] & 0x7f; /* the highest bit marks events that an application sent */
	uint64_t more = 0;

	if (code == CODE_REPLY || code == X11_GENERIC)
		more = 4ull * card32(x, p + 4);
	if (p[0] == CODE_ERROR)
		count_event(x, w, X11_ERROR, p[1], 128, x->first_error);
	else if (p[0] == CODE_REPLY)
		count_reply(x, w, p);
	else if (code == X11_GENERIC) /* its second byte is the extension's major opcode */
		count_kind(x, w, X11_EVENT, p[1] >= 128 && x->extension[p[1] - 128] ? x->extension[p[1] - 128] : CORE, code);
	else if (code < 2)
		skip_parser_stop(w, "X11: an event with an impossible number");
	else
		count_event(x, w, X11_EVENT, code, 64, x->first_event);
	skip_parser_expect(w, more, 0);
}

void x11_step_server(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct x11_stream *x = context;

	(void)n;
	if (x->server_state == SERVER_SETUP && !x->ordered) {
		skip_parser_stop(w, "X11: the byte order was not seen");
	} else if (x->server_state == SERVER_SETUP) {
		if (piece[0] != 1)
			skip_parser_stop(w, "X11: the display refused");
		x->server_state = SERVER_NEXT;
		skip_parser_expect(w, 4ull * card16(x, piece + 6), 0);
	} else if (x->server_state == SERVER_MESSAGE) {
		x->server_state = SERVER_NEXT;
		count_server_message(x, w, piece);
	} else {
		x->server_state = SERVER_MESSAGE;
		skip_parser_set_counter(w, NULL);
		skip_parser_expect(w, 0, 32);
	}
}

/* --- names --- */

/* Names of the protocol's numbers from 0 on (X Version 11, appendix B), and of the requests of two extensions; "-": none. */

static const char request_names[] =
	"- CreateWindow ChangeWindowAttributes GetWindowAttributes DestroyWindow DestroySubwindows ChangeSaveSet "
	"ReparentWindow MapWindow MapSubwindows UnmapWindow UnmapSubwindows ConfigureWindow CirculateWindow GetGeometry "
	"QueryTree InternAtom GetAtomName ChangeProperty DeleteProperty GetProperty ListProperties SetSelectionOwner "
	"GetSelectionOwner ConvertSelection SendEvent GrabPointer UngrabPointer GrabButton UngrabButton "
	"ChangeActivePointerGrab GrabKeyboard UngrabKeyboard GrabKey UngrabKey AllowEvents GrabServer UngrabServer "
	"QueryPointer GetMotionEvents TranslateCoordinates WarpPointer SetInputFocus GetInputFocus QueryKeymap OpenFont "
	"CloseFont QueryFont QueryTextExtents ListFonts ListFontsWithInfo SetFontPath GetFontPath CreatePixmap FreePixmap "
	"CreateGC ChangeGC CopyGC SetDashes SetClipRectangles FreeGC ClearArea CopyArea CopyPlane PolyPoint PolyLine "
	"PolySegment PolyRectangle PolyArc FillPoly PolyFillRectangle PolyFillArc PutImage GetImage PolyText8 PolyText16 "
	"ImageText8 ImageText16 CreateColormap FreeColormap CopyColormapAndFree InstallColormap UninstallColormap "
	"ListInstalledColormaps AllocColor AllocNamedColor AllocColorCells AllocColorPlanes FreeColors StoreColors "
	"StoreNamedColor QueryColors LookupColor CreateCursor CreateGlyphCursor FreeCursor RecolorCursor QueryBestSize "
	"QueryExtension ListExtensions ChangeKeyboardMapping GetKeyboardMapping ChangeKeyboardControl GetKeyboardControl "
	"Bell ChangePointerControl GetPointerControl SetScreenSaver GetScreenSaver ChangeHosts ListHosts SetAccessControl "
	"SetCloseDownMode KillClient RotateProperties ForceScreenSaver SetPointerMapping GetPointerMapping "
	"SetModifierMapping GetModifierMapping - - - - - - - NoOperation";
static const char event_names[] =
	"- - KeyPress KeyRelease ButtonPress ButtonRelease MotionNotify EnterNotify LeaveNotify FocusIn FocusOut "
	"KeymapNotify Expose GraphicsExposure NoExposure VisibilityNotify CreateNotify DestroyNotify UnmapNotify "
	"MapNotify MapRequest ReparentNotify ConfigureNotify ConfigureRequest GravityNotify ResizeRequest CirculateNotify "
	"CirculateRequest PropertyNotify SelectionClear SelectionRequest SelectionNotify ColormapNotify ClientMessage "
	"MappingNotify GenericEvent";
static const char error_names[] =
	"- Request Value Window Pixmap Atom Cursor Font Match Drawable Access Alloc Colormap GContext IDChoice Name "
	"Length Implementation";
static const char render_names[] =
	"QueryVersion QueryPictFormats QueryPictIndexValues QueryDithers CreatePicture ChangePicture "
	"SetPictureClipRectangles FreePicture Composite Scale Trapezoids Triangles TriStrip TriFan ColorTrapezoids "
	"ColorTriangles - CreateGlyphSet ReferenceGlyphSet FreeGlyphSet AddGlyphs AddGlyphsFromPicture FreeGlyphs "
	"CompositeGlyphs8 CompositeGlyphs16 CompositeGlyphs32 FillRectangles CreateCursor SetPictureTransform "
	"QueryFilters SetPictureFilter CreateAnimCursor AddTraps CreateSolidFill CreateLinearGradient "
	"CreateRadialGradient CreateConicalGradient";
static const char shm_names[] = "QueryVersion Attach Detach PutImage GetImage CreatePixmap AttachFd CreateSegment";

/* Word `number` of a list of names. False: there is none. */
static bool find_name(const char *names, int number, char name[static X11_NAME])
{
	for (; number > 0 && names; number--)
		names = strchr(names + 1, ' ');
	return names && sscanf(names, "%39s", name) == 1 && *name != '-';
}

static const char *list_names(const struct x11_counts *n, enum x11_kind kind, int extension)
{
	static const char *const core[X11_KINDS] = { request_names, request_names, event_names, error_names };

	if (extension == CORE)
		return core[kind];
	return kind == X11_EVENT || kind == X11_ERROR	? NULL
	       : !strcmp(n->name[extension], "RENDER")	? render_names
	       : !strcmp(n->name[extension], "MIT-SHM") ? shm_names
							: NULL;
}

void x11_message_name(const struct x11_counts *n, enum x11_kind kind, int extension, int minor, char *text, unsigned long size)
{
	char name[X11_NAME];
	bool named = find_name(list_names(n, kind, extension), minor, name);

	if (extension == CORE && named)
		snprintf(text, size, "%s", name);
	else if (extension == CORE && kind == X11_REPLY && !minor)
		snprintf(text, size, "to what was not seen");
	else if (extension == CORE)
		snprintf(text, size, "number %d", minor);
	else if (extension == UNNAMED)
		snprintf(text, size, "extension? %d", minor);
	else if (kind == X11_EVENT && minor == X11_GENERIC)
		snprintf(text, size, "%s GenericEvent", n->name[extension]);
	else if (named)
		snprintf(text, size, "%s %s", n->name[extension], name);
	else
		snprintf(text, size, "%s %d", n->name[extension], minor);
}
