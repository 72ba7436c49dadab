// SPDX-License-Identifier: GPL-3.0-or-later
/* The client of RDP (MS-RDPBCGR, MS-RDPEGFX) on libfreerdp 2.11 or 3.
 *
 * Without the graphics pipeline, the thread of handle() decodes pictures, with it one of the library's. Keys leave from the thread
 * that calls key(): the library locks its connection for each message. */
#include "client.h"

#include <freerdp/client/channels.h>
#include <freerdp/client/cliprdr.h>
#include <freerdp/client/cmdline.h>
#include <freerdp/client/rdpgfx.h>
#include <freerdp/channels/rdpgfx.h>
#include <freerdp/freerdp.h>
#include <freerdp/gdi/gfx.h>
#include <freerdp/version.h>
#include <winpr/path.h>
#include <winpr/synch.h>
#include <winpr/wlog.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if FREERDP_VERSION_MAJOR >= 3
#define CLIENT_CONTEXT rdpClientContext
#define CONST_OF_3 const
#define CLIPBOARD_TYPE(type, flags) .common = { .msgType = (type), .msgFlags = (flags) }
#define HAS_ENDED(context) freerdp_shall_disconnect_context(context)
#define MAKE_FOLDER winpr_PathMakePath
#else
#define CLIENT_CONTEXT rdpContext
#define CONST_OF_3
#define CLIPBOARD_TYPE(type, flags) .msgType = (type), .msgFlags = (flags)
#define HAS_ENDED(context) freerdp_shall_disconnect((context)->instance)
#define MAKE_FOLDER PathMakePathA
#endif

enum { HANDLES = 64, CODECS = 16, FORMAT = PIXEL_FORMAT_BGRX32, LAYOUT_US = 0x409 };

/* Codecs of the graphics pipeline, a word each, numbered as there (RDPGFX_CODECID_...). */
static const char codecs[] =
	"uncompressed - - RemoteFX - - - - ClearCodec progressive planar H.264 alpha progressive-2 H.264/4:4:4 "
	"H.264/4:4:4";

struct rdp_client {
	CLIENT_CONTEXT base; /* the library allocates it */
	struct rdp_client_cfg cfg;
	bool connected;
	_Atomic uint32_t seen;			/* bit N: codec N */
	_Atomic uint32_t pipeline;		/* version of the graphics pipeline; 0: there is none */
	_Atomic uint32_t stamp;			/* of the frame that is under way; 0: there is none, or it has none */
	pcRdpgfxSurfaceCommand surface_command; /* the library's functions, which ours call */
	pcRdpgfxCapsConfirm caps_confirm;
	pcRdpgfxStartFrame start_frame;
	pcRdpgfxEndFrame end_frame;
};

static struct rdp_client *find_client(rdpContext *context)
{
	return (struct rdp_client *)(void *)context;
}

static rdpContext *find_context(struct rdp_client *c)
{
	return (rdpContext *)(void *)c;
}

/* --- pictures --- */

static BOOL on_begin_paint(rdpContext *context)
{
	context->gdi->primary->hdc->hwnd->invalid->null = TRUE;
	context->gdi->primary->hdc->hwnd->ninvalid = 0;
	return TRUE;
}

static void tell_drawn(rdpContext *context, struct pixel_area area)
{
	const struct rdp_client_cfg *cfg = &find_client(context)->cfg;
	uint32_t stamp = atomic_load(&find_client(context)->stamp);
	struct timespec now;
	int64_t at_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	at_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	cfg->drawn(cfg->self, at_ns, &area);
	if (stamp && cfg->stamped)
		cfg->stamped(cfg->self, at_ns, stamp);
}

static BOOL on_end_paint(rdpContext *context)
{
	const GDI_RGN *drawn = context->gdi->primary->hdc->hwnd->invalid;

	if (!drawn->null)
		tell_drawn(context, (struct pixel_area){ drawn->x, drawn->y, drawn->w, drawn->h });
	return TRUE;
}

/* --- the pointer: nobody sees it, and the library ends the connection at one that a server has never sent --- */

#define IGNORE(name, update) \
	static BOOL name(rdpContext *context, const update *ignored) \
	{ \
		(void)context, (void)ignored; \
		return TRUE; \
	}

IGNORE(ignore_position, POINTER_POSITION_UPDATE)
IGNORE(ignore_system, POINTER_SYSTEM_UPDATE)
IGNORE(ignore_color, POINTER_COLOR_UPDATE)
IGNORE(ignore_new, POINTER_NEW_UPDATE)
IGNORE(ignore_cached, POINTER_CACHED_UPDATE)
IGNORE(ignore_large, POINTER_LARGE_UPDATE)

static void ignore_pointers(rdpPointerUpdate *pointer)
{
	pointer->PointerPosition = ignore_position;
	pointer->PointerSystem = ignore_system;
	pointer->PointerColor = ignore_color;
	pointer->PointerNew = ignore_new;
	pointer->PointerCached = ignore_cached;
	pointer->PointerLarge = ignore_large;
}

/* --- the screen --- */

/* Makes the picture, or another one. */
static BOOL on_resize(rdpContext *context)
{
	const struct rdp_client_cfg *cfg = &find_client(context)->cfg;
	UINT32 width = freerdp_settings_get_uint32(context->settings, FreeRDP_DesktopWidth);
	UINT32 height = freerdp_settings_get_uint32(context->settings, FreeRDP_DesktopHeight);
	uint8_t *pixels;

	ignore_pointers(context->update->pointer);
	if (context->gdi && context->gdi->width == (INT32)width && context->gdi->height == (INT32)height)
		return TRUE; /* FreeRDP 3 also tells of this; what is drawn stays */
	pixels = cfg->resize(cfg->self, (int)width, (int)height);
	if (!pixels)
		return FALSE;
	if (context->gdi) /* it may call on_end_paint(), and nothing is drawn in the new one */
		on_begin_paint(context);
	return context->gdi ? gdi_resize_ex(context->gdi, width, height, width * 4, FORMAT, pixels, NULL)
			    : gdi_init_ex(context->instance, FORMAT, width * 4, pixels, NULL);
}

/* Without this function the library ends the connection at a bell. */
IGNORE(ignore_sound, PLAY_SOUND_UPDATE)

/* --- pictures that are not decoded --- */

static void tell_came(rdpContext *context)
{
	tell_drawn(context, (struct pixel_area){ 0, 0, context->gdi->width, context->gdi->height });
}

static BOOL skip_bitmaps(rdpContext *context, const BITMAP_UPDATE *bitmaps)
{
	(void)bitmaps;
	tell_came(context);
	return TRUE;
}

static BOOL skip_surface(rdpContext *context, const SURFACE_BITS_COMMAND *surface)
{
	(void)surface;
	tell_came(context);
	return TRUE;
}

/* --- the graphics pipeline --- */

/* NULL: a server has closed the channel, and sends on another one of that name. */
static struct rdp_client *find_gfx_client(RdpgfxClientContext *gfx)
{
	return gfx->custom ? find_client(((rdpGdi *)gfx->custom)->context) : NULL;
}

static UINT on_start_frame(RdpgfxClientContext *gfx, const RDPGFX_START_FRAME_PDU *frame)
{
	struct rdp_client *c = find_gfx_client(gfx);

	if (!c)
		return CHANNEL_RC_NOT_OPEN;
	atomic_store(&c->stamp, frame->timestamp);
	return c->start_frame(gfx, frame);
}

/* What came in the frame is drawn here. */
static UINT on_end_frame(RdpgfxClientContext *gfx, const RDPGFX_END_FRAME_PDU *frame)
{
	struct rdp_client *c = find_gfx_client(gfx);
	UINT err;

	if (!c)
		return CHANNEL_RC_NOT_OPEN;
	if (c->cfg.blind)
		tell_came(find_context(c));
	err = c->end_frame(gfx, frame);
	atomic_store(&c->stamp, 0);
	return err;
}

static UINT on_surface_command(RdpgfxClientContext *gfx, const RDPGFX_SURFACE_COMMAND *command)
{
	struct rdp_client *c = find_gfx_client(gfx);

	if (!c)
		return CHANNEL_RC_NOT_OPEN;
	if (command->codecId < CODECS)
		atomic_fetch_or(&c->seen, 1u << command->codecId);
	return c->cfg.blind ? CHANNEL_RC_OK : c->surface_command(gfx, command);
}

static UINT on_caps_confirm(RdpgfxClientContext *gfx, const RDPGFX_CAPS_CONFIRM_PDU *caps)
{
	struct rdp_client *c = find_gfx_client(gfx);

	if (!c)
		return CHANNEL_RC_NOT_OPEN;
	atomic_store(&c->pipeline, caps->capsSet->version);
	return c->caps_confirm ? c->caps_confirm(gfx, caps) : CHANNEL_RC_OK;
}

/* --- the clipboard: always empty. A server may close the connection to a client that does not answer (weston 14). --- */

static UINT offer_nothing(CliprdrClientContext *clipboard, const CLIPRDR_MONITOR_READY *ready)
{
	CLIPRDR_GENERAL_CAPABILITY_SET general = { .capabilitySetType = CB_CAPSTYPE_GENERAL,
						   .capabilitySetLength = CB_CAPSTYPE_GENERAL_LEN,
						   .version = CB_CAPS_VERSION_2,
						   .generalFlags = CB_USE_LONG_FORMAT_NAMES };
	CLIPRDR_CAPABILITIES capabilities = { CLIPBOARD_TYPE(CB_CLIP_CAPS, 0), .cCapabilitiesSets = 1,
					      .capabilitySets = (CLIPRDR_CAPABILITY_SET *)(void *)&general };
	CLIPRDR_FORMAT_LIST list = { CLIPBOARD_TYPE(CB_FORMAT_LIST, 0) };
	UINT err = clipboard->ClientCapabilities(clipboard, &capabilities);

	(void)ready;
	return err ? err : clipboard->ClientFormatList(clipboard, &list);
}

static UINT accept_formats(CliprdrClientContext *clipboard, const CLIPRDR_FORMAT_LIST *list)
{
	CLIPRDR_FORMAT_LIST_RESPONSE response = { CLIPBOARD_TYPE(CB_FORMAT_LIST_RESPONSE, CB_RESPONSE_OK) };

	(void)list;
	return clipboard->ClientFormatListResponse(clipboard, &response);
}

static UINT refuse_data(CliprdrClientContext *clipboard, const CLIPRDR_FORMAT_DATA_REQUEST *request)
{
	CLIPRDR_FORMAT_DATA_RESPONSE response = { CLIPBOARD_TYPE(CB_FORMAT_DATA_RESPONSE, CB_RESPONSE_FAIL) };

	(void)request;
	return clipboard->ClientFormatDataResponse(clipboard, &response);
}

/* --- connecting --- */

/* The libraries find this function before their own: where they keep certificates and licences, they need not make a folder. */
__attribute__((visibility("default"))) BOOL MAKE_FOLDER(LPCSTR path, LPSECURITY_ATTRIBUTES attributes)
{
	(void)path, (void)attributes;
	return TRUE;
}

static void on_channel(void *p, CONST_OF_3 ChannelConnectedEventArgs *event)
{
	struct rdp_client *c = find_client(p);

	if (!strcmp(event->name, RDPGFX_DVC_CHANNEL_NAME)) {
		RdpgfxClientContext *gfx = event->pInterface;

		if (!gdi_graphics_pipeline_init(find_context(c)->gdi, gfx))
			return;
		c->surface_command = gfx->SurfaceCommand;
		gfx->SurfaceCommand = on_surface_command;
		/* if a server opens the channel again, the library leaves this one as it is */
		if (gfx->CapsConfirm != on_caps_confirm)
			c->caps_confirm = gfx->CapsConfirm;
		gfx->CapsConfirm = on_caps_confirm;
		c->start_frame = gfx->StartFrame;
		gfx->StartFrame = on_start_frame;
		c->end_frame = gfx->EndFrame;
		gfx->EndFrame = on_end_frame;
	} else if (!strcmp(event->name, CLIPRDR_SVC_CHANNEL_NAME)) {
		CliprdrClientContext *clipboard = event->pInterface;

		clipboard->custom = c; /* without it the library answers nothing */
		clipboard->MonitorReady = offer_nothing;
		clipboard->ServerFormatList = accept_formats;
		clipboard->ServerFormatDataRequest = refuse_data;
	}
}

static void on_channel_end(void *p, CONST_OF_3 ChannelDisconnectedEventArgs *event)
{
	if (!strcmp(event->name, RDPGFX_DVC_CHANNEL_NAME))
		gdi_graphics_pipeline_uninit(((rdpContext *)p)->gdi, event->pInterface);
}

static BOOL on_pre_connect(freerdp *instance)
{
	PubSub_SubscribeChannelConnected(instance->context->pubSub, on_channel);
	PubSub_SubscribeChannelDisconnected(instance->context->pubSub, on_channel_end);
#if FREERDP_VERSION_MAJOR < 3
	return freerdp_client_load_addins(instance->context->channels, instance->context->settings);
#else
	return TRUE;
#endif
}

static BOOL on_post_connect(freerdp *instance)
{
	rdpUpdate *update = instance->context->update;

	if (!on_resize(instance->context))
		return FALSE;
	update->BeginPaint = on_begin_paint;
	update->EndPaint = on_end_paint;
	update->DesktopResize = on_resize;
	update->PlaySound = ignore_sound;
	if (find_client(instance->context)->cfg.blind) {
		update->BitmapUpdate = skip_bitmaps;
		update->SurfaceBits = skip_surface;
	}
	return TRUE;
}

static DWORD on_certificate(freerdp *instance, const char *host, UINT16 port, const char *common_name, const char *subject,
			    const char *issuer, const char *fingerprint, DWORD flags)
{
	const struct rdp_client_cfg *cfg = &find_client(instance->context)->cfg;

	(void)host, (void)port, (void)common_name, (void)subject, (void)issuer, (void)flags;
	return cfg->trust(cfg->self, fingerprint) ? 2 : 0; /* 2: accepted, and not stored */
}

static bool apply_words(rdpSettings *s, const struct rdp_client_cfg *cfg)
{
	const char *slash = strchr(cfg->user, '\\');
	char domain[256];

	snprintf(domain, sizeof(domain), "%.*s", slash ? (int)(slash - cfg->user) : 0, cfg->user);
	/* "|": what stands for the port is an open socket */
	return freerdp_settings_set_string(s, FreeRDP_ServerHostname, "|") &&
	       freerdp_settings_set_uint32(s, FreeRDP_ServerPort, (UINT32)cfg->fd) &&
	       freerdp_settings_set_string(s, FreeRDP_CertificateName, cfg->host) &&
	       freerdp_settings_set_string(s, FreeRDP_Username, slash ? slash + 1 : cfg->user) &&
	       freerdp_settings_set_string(s, FreeRDP_Domain, domain) &&
	       (!cfg->password || freerdp_settings_set_string(s, FreeRDP_Password, cfg->password)) &&
	       freerdp_settings_set_string(s, FreeRDP_ConfigPath, "/dev/null"); /* it has nothing of its own to read or write */
}

static bool apply_settings(rdpSettings *s, const struct rdp_client_cfg *cfg)
{
	return apply_words(s, cfg) && freerdp_settings_set_bool(s, FreeRDP_SupportGraphicsPipeline, TRUE) &&
	       freerdp_settings_set_bool(s, FreeRDP_RedirectClipboard, TRUE) &&
	       freerdp_settings_set_bool(s, FreeRDP_RdpSecurity, cfg->unchecked) &&
#if FREERDP_VERSION_MAJOR >= 3 /* version 2 has it set by the server alone */
	       freerdp_settings_set_bool(s, FreeRDP_UnicodeInput, TRUE) &&
#endif
	       freerdp_settings_set_bool(s, FreeRDP_BitmapCacheEnabled, FALSE) &&
	       freerdp_settings_set_bool(s, FreeRDP_AudioPlayback, FALSE) &&
	       freerdp_settings_set_uint32(s, FreeRDP_DesktopWidth, (UINT32)cfg->width) &&
	       freerdp_settings_set_uint32(s, FreeRDP_DesktopHeight, (UINT32)cfg->height) &&
	       freerdp_settings_set_uint32(s, FreeRDP_ColorDepth, 32) &&
	       freerdp_settings_set_uint32(s, FreeRDP_KeyboardLayout, LAYOUT_US) &&
	       freerdp_settings_set_uint32(s, FreeRDP_ProxyType, PROXY_TYPE_IGNORE);
}

/* It is of no more use: the library never connects again by itself, and each of our connections has settings of its own. */
static void forget_password(rdpSettings *s)
{
	const char *password = freerdp_settings_get_string(s, FreeRDP_Password);

	if (password)
		explicit_bzero((char *)(uintptr_t)password, strlen(password));
	freerdp_settings_set_string(s, FreeRDP_Password, NULL);
}

static void close_client(struct rdp_client *c)
{
	if (c->connected)
		freerdp_disconnect(find_context(c)->instance);
	if (find_context(c)->gdi)
		gdi_free(find_context(c)->instance);
	freerdp_client_context_free(find_context(c));
}

/* The server closed the connection; the library has these words for it. */
static bool is_end(UINT32 error)
{
	return error == FREERDP_ERROR_CONNECT_FAILED || error == FREERDP_ERROR_CONNECT_TRANSPORT_FAILED;
}

/* The server asks for the password before there is a session (NLA). */
static bool asks_first(const rdpSettings *s)
{
	return freerdp_settings_get_uint32(s, FreeRDP_SelectedProtocol) & 2;
}

/* A server that does may just close the connection. */
static enum rdp_refusal find_refusal(const rdpSettings *s, UINT32 error)
{
	static const UINT32 refusals[] = {
		FREERDP_ERROR_AUTHENTICATION_FAILED,
		FREERDP_ERROR_CONNECT_LOGON_FAILURE,
		FREERDP_ERROR_CONNECT_WRONG_PASSWORD,
		FREERDP_ERROR_CONNECT_ACCESS_DENIED,
		FREERDP_ERROR_CONNECT_ACCOUNT_LOCKED_OUT,
		FREERDP_ERROR_CONNECT_ACCOUNT_DISABLED,
		FREERDP_ERROR_CONNECT_ACCOUNT_EXPIRED,
		FREERDP_ERROR_CONNECT_ACCOUNT_RESTRICTION,
		FREERDP_ERROR_CONNECT_PASSWORD_EXPIRED,
		FREERDP_ERROR_CONNECT_PASSWORD_CERTAINLY_EXPIRED,
		FREERDP_ERROR_CONNECT_PASSWORD_MUST_CHANGE,
		FREERDP_ERROR_CONNECT_LOGON_TYPE_NOT_GRANTED,
		FREERDP_ERROR_CONNECT_NO_OR_MISSING_CREDENTIALS,
	};
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		if (error == refusals[i])
			return RDP_REFUSED;
	return asks_first(s) && is_end(error) ? RDP_REFUSED_MAYBE : RDP_REFUSED_NOT;
}

static struct rdp_client *connect_client(const struct rdp_client_cfg *cfg, enum rdp_refusal *refused, struct why *why)
{
	RDP_CLIENT_ENTRY_POINTS entry = { .Version = RDP_CLIENT_INTERFACE_VERSION,
					  .Size = sizeof(RDP_CLIENT_ENTRY_POINTS_V1),
					  .ContextSize = sizeof(struct rdp_client) };
	rdpContext *context;
	struct rdp_client *c;
	UINT32 error;

	setenv("HOME", "/", 0); /* the library wants one, and uses nothing of it */
	context = freerdp_client_context_new(&entry);
	snprintf(why->text, sizeof(why->text), "the library cannot start");
	if (!context)
		return NULL;
	c = find_client(context);
	if (!getenv("WLOG_LEVEL"))
		WLog_SetLogLevel(WLog_GetRoot(), WLOG_OFF);
	context->instance->PreConnect = on_pre_connect;
	context->instance->PostConnect = on_post_connect;
	context->instance->VerifyCertificateEx = on_certificate;
#if FREERDP_VERSION_MAJOR >= 3
	context->instance->AuthenticateEx = NULL; /* it would ask at the terminal */
#endif
	c->cfg = *cfg;
	c->connected = apply_settings(context->settings, cfg) && freerdp_connect(context->instance);
	forget_password(context->settings);
	*refused = asks_first(context->settings) ? RDP_REFUSED_NOT : RDP_REFUSED_MAYBE;
	if (c->connected)
		return c;
	error = freerdp_get_last_error(context);
	*refused = find_refusal(context->settings, error);
	snprintf(why->text, sizeof(why->text), "%s%s", error ? freerdp_get_last_error_name(error) : "no reason given",
		 !cfg->unchecked && !*refused && (is_end(error) || error == FREERDP_ERROR_SECURITY_NEGO_CONNECT_FAILED)
			 ? "; one without TLS wants --cert-ignore"
			 : "");
	close_client(c);
	return NULL;
}

static int handle_events(struct rdp_client *c, int timeout_ms)
{
	HANDLE handles[HANDLES];
	DWORD n;

	do {
		n = freerdp_get_event_handles(find_context(c), handles, HANDLES);
		if (!n || HAS_ENDED(find_context(c)))
			return -1;
		WaitForMultipleObjects(n, handles, FALSE, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
		if (!freerdp_check_event_handles(find_context(c)) || HAS_ENDED(find_context(c)))
			return -1;
	} while (timeout_ms < 0);
	return 0;
}

/* The server's own reason, or what the library did not take. */
static const char *explain_end(struct rdp_client *c)
{
	UINT32 told = freerdp_error_info(find_context(c)->instance), error = freerdp_get_last_error(find_context(c));

	if (told)
		return freerdp_get_error_info_name(told);
	return error ? freerdp_get_last_error_name(error) : "no reason given";
}

/* --- input --- */

static bool send_key(struct rdp_client *c, uint16_t scancode, bool down)
{
	UINT16 flags = (UINT16)((down ? KBD_FLAGS_DOWN : KBD_FLAGS_RELEASE) | (scancode & 0x100 ? KBD_FLAGS_EXTENDED : 0));

	return freerdp_input_send_keyboard_event(find_context(c)->input, flags, (uint8_t)scancode);
}

static bool takes_characters(struct rdp_client *c)
{
	return freerdp_settings_get_bool(find_context(c)->settings, FreeRDP_UnicodeInput);
}

static bool send_character(struct rdp_client *c, uint16_t code, bool down)
{
	return freerdp_input_send_unicode_keyboard_event(find_context(c)->input, down ? 0 : KBD_FLAGS_RELEASE, code);
}

static bool send_pointer(struct rdp_client *c, unsigned flags, int x, int y)
{
	return freerdp_input_send_mouse_event(find_context(c)->input, (UINT16)flags, (UINT16)x, (UINT16)y);
}

static void describe_client(struct rdp_client *c, char *text, size_t size)
{
	const rdpSettings *s = find_context(c)->settings;
	UINT32 protocol = freerdp_settings_get_uint32(s, FreeRDP_SelectedProtocol), pipeline = atomic_load(&c->pipeline);
	const char *word = codecs, *security = protocol & 2 ? "NLA" : protocol & 1 ? "TLS" : "no TLS";
	char came[200] = "no graphics pipeline, bitmaps";
	int used = pipeline ? snprintf(came, sizeof(came), "graphics pipeline 0x%x,", (unsigned)pipeline) : 0;

	for (int i = 0; used && i < CODECS; i++, word += strcspn(word, " ") + 1)
		if (atomic_load(&c->seen) >> i & 1)
			used += snprintf(came + used, sizeof(came) - (size_t)used, " %.*s", (int)strcspn(word, " "), word);
	snprintf(text, size, "FreeRDP %s, %dx%d, %u bits, %s, %s", freerdp_get_version_string(), find_context(c)->gdi->width,
		 find_context(c)->gdi->height, (unsigned)freerdp_settings_get_uint32(s, FreeRDP_ColorDepth), security, came);
}

__attribute__((visibility("default"))) extern const struct rdp_client_ops rdp_client_ops;
const struct rdp_client_ops rdp_client_ops = {
	.abi = RDP_PLUGIN_ABI,
	.connect = connect_client,
	.handle = handle_events,
	.explain_end = explain_end,
	.key = send_key,
	.takes_characters = takes_characters,
	.character = send_character,
	.pointer = send_pointer,
	.describe = describe_client,
	.close = close_client,
};
