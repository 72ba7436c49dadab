// SPDX-License-Identifier: GPL-3.0-or-later
/* The client of RDP (MS-RDPBCGR, MS-RDPEGFX) on libfreerdp 2.11 or 3.
 *
 * Without the graphics pipeline, the thread of handle() decodes pictures, with it one of the library's. Keys leave from the thread
 * that calls key(): the library locks its connection for each message. */
#include "rdp/client.h"

#include <freerdp/client.h>
#include <freerdp/client/channels.h>
#include <freerdp/client/cliprdr.h>
#include <freerdp/client/cmdline.h>
#include <freerdp/client/rdpgfx.h>
#include <freerdp/channels/cliprdr.h>
#include <freerdp/channels/rdpgfx.h>
#include <freerdp/event.h>
#include <freerdp/freerdp.h>
#include <freerdp/gdi/gdi.h>
#include <freerdp/gdi/gfx.h>
#include <freerdp/input.h>
#include <freerdp/version.h>
#include <winpr/synch.h>
#include <winpr/wlog.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#if FREERDP_VERSION_MAJOR >= 3
#define CLIENT_CONTEXT rdpClientContext
#define VERSION3_CONST const
#define VERSION2_CONST
#define CLIPBOARD_TYPE(type, flags) .common = { .msgType = (type), .msgFlags = (flags) }
#else
#define CLIENT_CONTEXT rdpContext
#define VERSION3_CONST
#define VERSION2_CONST const
#define CLIPBOARD_TYPE(type, flags) .msgType = (type), .msgFlags = (flags)
#endif

enum { HANDLES = 64, FORMAT = PIXEL_FORMAT_BGRX32, LAYOUT_US = 0x409 };

/* How pictures came. Those of the graphics pipeline are numbered as there (RDPGFX_CODECID_...). */
enum { CODEC_BITMAP = 16, CODEC_REMOTEFX, CODEC_NSCODEC, CODEC_PIXELS, CODECS };
static const char *const codec_names[CODECS] = {
	[RDPGFX_CODECID_UNCOMPRESSED] = "uncompressed",
	[RDPGFX_CODECID_CAVIDEO] = "RemoteFX",
	[RDPGFX_CODECID_CLEARCODEC] = "ClearCodec",
	[RDPGFX_CODECID_CAPROGRESSIVE] = "progressive",
	[RDPGFX_CODECID_PLANAR] = "planar",
	[RDPGFX_CODECID_AVC420] = "H.264",
	[RDPGFX_CODECID_ALPHA] = "alpha",
	[RDPGFX_CODECID_CAPROGRESSIVE_V2] = "progressive 2",
	[RDPGFX_CODECID_AVC444] = "H.264 4:4:4",
	[RDPGFX_CODECID_AVC444v2] = "H.264 4:4:4 (2)",
	[CODEC_BITMAP] = "bitmaps",
	[CODEC_REMOTEFX] = "RemoteFX",
	[CODEC_NSCODEC] = "NSCodec",
	[CODEC_PIXELS] = "pixels",
};

struct rdp_client {
	CLIENT_CONTEXT base; /* the library allocates it */
	struct rdp_client_cfg cfg;
	bool connected, asked; /* asked: a password was */
	char untrusted[RDP_FINGERPRINT];
	HANDLE stop;
	_Atomic uint32_t codecs;		/* bits */
	_Atomic uint32_t pipeline;		/* the version agreed on; 0: there is none */
	pcRdpgfxSurfaceCommand surface_command; /* the library's own */
	pcRdpgfxCapsConfirm caps_confirm;
	pBitmapUpdate bitmap_update;
	pSurfaceBits surface_bits;
};

static struct rdp_client *find_client(rdpContext *context)
{
	return (struct rdp_client *)(void *)context;
}

static rdpContext *context_of(struct rdp_client *c)
{
	return (rdpContext *)(void *)c;
}

static void note_codec(struct rdp_client *c, unsigned codec)
{
	if (codec < CODECS)
		atomic_fetch_or(&c->codecs, 1u << codec);
}

/* --- pictures --- */

static BOOL on_begin_paint(rdpContext *context)
{
	HGDI_WND window = context->gdi->primary->hdc->hwnd;

	window->invalid->null = TRUE;
	window->ninvalid = 0;
	return TRUE;
}

static BOOL on_end_paint(rdpContext *context)
{
	const GDI_RGN *drawn = context->gdi->primary->hdc->hwnd->invalid;
	struct pixel_area area = { drawn->x, drawn->y, drawn->w, drawn->h };
	struct rdp_client *c = find_client(context);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!drawn->null)
		c->cfg.drawn(c->cfg.self, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, &area);
	return TRUE;
}

static BOOL on_resize(rdpContext *context)
{
	struct rdp_client *c = find_client(context);
	UINT32 width = freerdp_settings_get_uint32(context->settings, FreeRDP_DesktopWidth);
	UINT32 height = freerdp_settings_get_uint32(context->settings, FreeRDP_DesktopHeight);
	uint8_t *pixels = c->cfg.resize(c->cfg.self, (int)width, (int)height);

	return pixels && gdi_resize_ex(context->gdi, width, height, width * 4, FORMAT, pixels, NULL);
}

static BOOL on_bitmap_update(rdpContext *context, const BITMAP_UPDATE *update)
{
	note_codec(find_client(context), CODEC_BITMAP);
	return find_client(context)->bitmap_update(context, update);
}

static BOOL on_surface_bits(rdpContext *context, const SURFACE_BITS_COMMAND *command)
{
	unsigned codec = command->bmp.codecID;

	note_codec(find_client(context), codec == RDP_CODEC_ID_REMOTEFX || codec == RDP_CODEC_ID_IMAGE_REMOTEFX ? CODEC_REMOTEFX
					 : codec == RDP_CODEC_ID_NSCODEC					? CODEC_NSCODEC
														: CODEC_PIXELS);
	return find_client(context)->surface_bits(context, command);
}

static UINT on_surface_command(RdpgfxClientContext *gfx, const RDPGFX_SURFACE_COMMAND *command)
{
	struct rdp_client *c = find_client(((rdpGdi *)gfx->custom)->context);

	note_codec(c, command->codecId);
	return c->surface_command(gfx, command);
}

static UINT on_caps_confirm(RdpgfxClientContext *gfx, const RDPGFX_CAPS_CONFIRM_PDU *caps)
{
	struct rdp_client *c = find_client(((rdpGdi *)gfx->custom)->context);

	atomic_store(&c->pipeline, caps->capsSet->version);
	return c->caps_confirm ? c->caps_confirm(gfx, caps) : CHANNEL_RC_OK;
}

/* Without these, the library takes a pointer shape for an error. */
static BOOL on_pointer_new(rdpContext *context, rdpPointer *pointer)
{
	(void)context;
	(void)pointer;
	return TRUE;
}

static void on_pointer_free(rdpContext *context, rdpPointer *pointer)
{
	(void)context;
	(void)pointer;
}

static BOOL on_pointer_set(rdpContext *context, VERSION2_CONST rdpPointer *pointer)
{
	(void)context;
	(void)pointer;
	return TRUE;
}

static BOOL on_pointer_system(rdpContext *context)
{
	(void)context;
	return TRUE;
}

static BOOL on_pointer_position(rdpContext *context, UINT32 x, UINT32 y)
{
	(void)context;
	(void)x;
	(void)y;
	return TRUE;
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

static UINT accept_capabilities(CliprdrClientContext *clipboard, const CLIPRDR_CAPABILITIES *capabilities)
{
	(void)clipboard;
	(void)capabilities;
	return CHANNEL_RC_OK;
}

static UINT accept_formats(CliprdrClientContext *clipboard, const CLIPRDR_FORMAT_LIST *list)
{
	CLIPRDR_FORMAT_LIST_RESPONSE response = { CLIPBOARD_TYPE(CB_FORMAT_LIST_RESPONSE, CB_RESPONSE_OK) };

	(void)list;
	return clipboard->ClientFormatListResponse(clipboard, &response);
}

static UINT accept_response(CliprdrClientContext *clipboard, const CLIPRDR_FORMAT_LIST_RESPONSE *response)
{
	(void)clipboard;
	(void)response;
	return CHANNEL_RC_OK;
}

static UINT refuse_data(CliprdrClientContext *clipboard, const CLIPRDR_FORMAT_DATA_REQUEST *request)
{
	CLIPRDR_FORMAT_DATA_RESPONSE response = { CLIPBOARD_TYPE(CB_FORMAT_DATA_RESPONSE, CB_RESPONSE_FAIL) };

	(void)request;
	return clipboard->ClientFormatDataResponse(clipboard, &response);
}

/* --- connecting --- */

static void on_channel(void *p, VERSION3_CONST ChannelConnectedEventArgs *event)
{
	struct rdp_client *c = p;

	if (!strcmp(event->name, RDPGFX_DVC_CHANNEL_NAME)) {
		RdpgfxClientContext *gfx = event->pInterface;

		gdi_graphics_pipeline_init(context_of(c)->gdi, gfx);
		c->surface_command = gfx->SurfaceCommand;
		gfx->SurfaceCommand = on_surface_command;
		c->caps_confirm = gfx->CapsConfirm;
		gfx->CapsConfirm = on_caps_confirm;
	} else if (!strcmp(event->name, CLIPRDR_SVC_CHANNEL_NAME)) {
		CliprdrClientContext *clipboard = event->pInterface;

		clipboard->MonitorReady = offer_nothing;
		clipboard->ServerCapabilities = accept_capabilities;
		clipboard->ServerFormatList = accept_formats;
		clipboard->ServerFormatListResponse = accept_response;
		clipboard->ServerFormatDataRequest = refuse_data;
	}
}

static void on_channel_end(void *p, VERSION3_CONST ChannelDisconnectedEventArgs *event)
{
	if (!strcmp(event->name, RDPGFX_DVC_CHANNEL_NAME))
		gdi_graphics_pipeline_uninit(context_of(p)->gdi, event->pInterface);
}

static BOOL on_pre_connect(freerdp *instance)
{
	rdpContext *context = instance->context;

	PubSub_SubscribeChannelConnected(context->pubSub, on_channel);
	PubSub_SubscribeChannelDisconnected(context->pubSub, on_channel_end);
#if FREERDP_VERSION_MAJOR < 3
	if (!freerdp_client_load_addins(context->channels, context->settings))
		return FALSE;
#endif
	return TRUE;
}

static BOOL on_post_connect(freerdp *instance)
{
	rdpContext *context = instance->context;
	struct rdp_client *c = find_client(context);
	UINT32 width = freerdp_settings_get_uint32(context->settings, FreeRDP_DesktopWidth);
	UINT32 height = freerdp_settings_get_uint32(context->settings, FreeRDP_DesktopHeight);
	uint8_t *pixels = c->cfg.resize(c->cfg.self, (int)width, (int)height);
	rdpPointer pointer = { .size = sizeof(pointer),
			       .New = on_pointer_new,
			       .Free = on_pointer_free,
			       .Set = on_pointer_set,
			       .SetNull = on_pointer_system,
			       .SetDefault = on_pointer_system,
			       .SetPosition = on_pointer_position };
	rdpUpdate *update = context->update;

	if (!pixels || !gdi_init_ex(instance, FORMAT, width * 4, pixels, NULL))
		return FALSE;
	update->BeginPaint = on_begin_paint;
	update->EndPaint = on_end_paint;
	update->DesktopResize = on_resize;
	c->bitmap_update = update->BitmapUpdate;
	update->BitmapUpdate = on_bitmap_update;
	c->surface_bits = update->SurfaceBits;
	update->SurfaceBits = on_surface_bits;
	graphics_register_pointer(context->graphics, &pointer);
	return TRUE;
}

static void on_post_disconnect(freerdp *instance)
{
	gdi_free(instance);
}

static DWORD on_certificate(freerdp *instance, const char *host, UINT16 port, const char *common_name, const char *subject,
			    const char *issuer, const char *fingerprint, DWORD flags)
{
	struct rdp_client *c = find_client(instance->context);

	(void)host;
	(void)port;
	(void)common_name;
	(void)subject;
	(void)issuer;
	(void)flags;
	if (c->cfg.trust(c->cfg.self, fingerprint))
		return 2; /* accepted, and not stored */
	snprintf(c->untrusted, sizeof(c->untrusted), "%s", fingerprint);
	return 0;
}

static BOOL on_new(freerdp *instance, rdpContext *context)
{
	(void)context;
	instance->PreConnect = on_pre_connect;
	instance->PostConnect = on_post_connect;
	instance->PostDisconnect = on_post_disconnect;
	instance->VerifyCertificateEx = on_certificate;
	return TRUE;
}

static void on_free(freerdp *instance, rdpContext *context)
{
	(void)instance;
	(void)context;
}

static int on_start_stop(rdpContext *context)
{
	(void)context;
	return 0;
}

static bool apply_words(rdpSettings *s, const struct rdp_client_cfg *cfg)
{
	const char *slash = strchr(cfg->user, '\\');
	char domain[256] = "";

	if (slash)
		snprintf(domain, sizeof(domain), "%.*s", (int)(slash - cfg->user), cfg->user);
	/* "|": what stands for the port is an open socket. The name is then that of the certificate. */
	return freerdp_settings_set_string(s, FreeRDP_ServerHostname, "|") &&
	       freerdp_settings_set_uint32(s, FreeRDP_ServerPort, (UINT32)cfg->fd) &&
	       freerdp_settings_set_string(s, FreeRDP_CertificateName, cfg->host) &&
	       freerdp_settings_set_string(s, FreeRDP_Username, slash ? slash + 1 : cfg->user) &&
	       (!slash || freerdp_settings_set_string(s, FreeRDP_Domain, domain)) &&
	       (!cfg->password || freerdp_settings_set_string(s, FreeRDP_Password, cfg->password)) &&
	       freerdp_settings_set_string(s, FreeRDP_ConfigPath, cfg->folder);
}

static bool apply_settings(rdpSettings *s, const struct rdp_client_cfg *cfg)
{
	return apply_words(s, cfg) && freerdp_settings_set_bool(s, FreeRDP_SupportGraphicsPipeline, TRUE) &&
	       freerdp_settings_set_bool(s, FreeRDP_RedirectClipboard, TRUE) &&
	       freerdp_settings_set_bool(s, FreeRDP_RemoteFxCodec, TRUE) && freerdp_settings_set_bool(s, FreeRDP_NSCodec, TRUE) &&
	       freerdp_settings_set_bool(s, FreeRDP_BitmapCacheEnabled, FALSE) &&
	       freerdp_settings_set_bool(s, FreeRDP_AutoReconnectionEnabled, FALSE) &&
	       freerdp_settings_set_bool(s, FreeRDP_AudioPlayback, FALSE) &&
	       freerdp_settings_set_bool(s, FreeRDP_DeviceRedirection, FALSE) &&
	       freerdp_settings_set_uint32(s, FreeRDP_DesktopWidth, (UINT32)cfg->width) &&
	       freerdp_settings_set_uint32(s, FreeRDP_DesktopHeight, (UINT32)cfg->height) &&
	       freerdp_settings_set_uint32(s, FreeRDP_ColorDepth, 32) &&
	       freerdp_settings_set_uint32(s, FreeRDP_KeyboardLayout, LAYOUT_US) &&
	       freerdp_settings_set_uint32(s, FreeRDP_ProxyType, PROXY_TYPE_IGNORE);
}

static void close_client(struct rdp_client *c)
{
	HANDLE stop = c->stop;

	if (c->connected)
		freerdp_disconnect(context_of(c)->instance);
	freerdp_client_context_free(context_of(c));
	CloseHandle(stop);
}

/* The library's error in a few words; *refused: that of a user or password. */
static const char *last_error(rdpContext *context, bool *refused)
{
	UINT32 code = freerdp_get_last_error(context);

	switch (code) {
	case FREERDP_ERROR_AUTHENTICATION_FAILED:
	case FREERDP_ERROR_CONNECT_LOGON_FAILURE:
	case FREERDP_ERROR_CONNECT_WRONG_PASSWORD:
	case FREERDP_ERROR_CONNECT_ACCESS_DENIED:
	case FREERDP_ERROR_CONNECT_NO_OR_MISSING_CREDENTIALS: *refused = true;
	}
	return code ? freerdp_get_last_error_name(code) : "no reason given";
}

static struct rdp_client *connect_client(const struct rdp_client_cfg *cfg, bool *refused, struct why *why)
{
	RDP_CLIENT_ENTRY_POINTS entry = { .Version = RDP_CLIENT_INTERFACE_VERSION,
					  .Size = sizeof(RDP_CLIENT_ENTRY_POINTS_V1),
					  .ContextSize = sizeof(struct rdp_client),
					  .ClientNew = on_new,
					  .ClientFree = on_free,
					  .ClientStart = on_start_stop,
					  .ClientStop = on_start_stop };
	struct rdp_client *c;

	WLog_SetLogLevel(WLog_GetRoot(), WLOG_OFF);
	*refused = false;
	c = (struct rdp_client *)(void *)freerdp_client_context_new(&entry);
	if (!c) {
		snprintf(why->text, sizeof(why->text), "libfreerdp cannot start");
		close(cfg->fd);
		return NULL;
	}
	c->cfg = *cfg;
	c->stop = CreateEvent(NULL, TRUE, FALSE, NULL);
	c->connected = c->stop && apply_settings(context_of(c)->settings, cfg) && freerdp_connect(context_of(c)->instance);
	if (c->connected)
		return c;
	snprintf(why->text, sizeof(why->text), "%s", last_error(context_of(c), refused));
	close_client(c);
	return NULL;
}

static bool has_ended(struct rdp_client *c)
{
#if FREERDP_VERSION_MAJOR >= 3
	return freerdp_shall_disconnect_context(context_of(c));
#else
	return freerdp_shall_disconnect(context_of(c)->instance);
#endif
}

static int handle_events(struct rdp_client *c, int timeout_ms)
{
	HANDLE handles[HANDLES] = { c->stop };
	DWORD n, got;

	do {
		n = freerdp_get_event_handles(context_of(c), handles + 1, HANDLES - 1);
		if (!n || has_ended(c))
			return -1;
		got = WaitForMultipleObjects(n + 1, handles, FALSE, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
		if (got == WAIT_OBJECT_0)
			return 0;
		if (!freerdp_check_event_handles(context_of(c)) || has_ended(c))
			return -1;
	} while (timeout_ms < 0);
	return 0;
}

static void stop_handling(struct rdp_client *c)
{
	SetEvent(c->stop);
}

/* --- input --- */

static int send_key(struct rdp_client *c, unsigned scancode, bool down)
{
	UINT16 flags = (UINT16)((down ? KBD_FLAGS_DOWN : KBD_FLAGS_RELEASE) | (scancode & 0x100 ? KBD_FLAGS_EXTENDED : 0));

	return freerdp_input_send_keyboard_event(context_of(c)->input, flags, (uint8_t)scancode) ? 0 : -1;
}

static int send_character(struct rdp_client *c, uint16_t code, bool down)
{
	return freerdp_input_send_unicode_keyboard_event(context_of(c)->input, down ? 0 : KBD_FLAGS_RELEASE, code) ? 0 : -1;
}

static int send_pointer(struct rdp_client *c, unsigned flags, int x, int y)
{
	return freerdp_input_send_mouse_event(context_of(c)->input, (UINT16)flags, (UINT16)x, (UINT16)y) ? 0 : -1;
}

static void describe_client(struct rdp_client *c, char *text, size_t size)
{
	const rdpSettings *s = context_of(c)->settings;
	UINT32 protocol = freerdp_settings_get_uint32(s, FreeRDP_SelectedProtocol), codecs = atomic_load(&c->codecs);
	UINT32 pipeline = atomic_load(&c->pipeline);
	size_t used;
	char version[40] = "no graphics pipeline";

	if (pipeline)
		snprintf(version, sizeof(version), "graphics pipeline 0x%x", (unsigned)pipeline);
	snprintf(text, size, "FreeRDP %s, %ux%u, %u bits, %s, %s: ", freerdp_get_version_string(),
		 (unsigned)freerdp_settings_get_uint32(s, FreeRDP_DesktopWidth),
		 (unsigned)freerdp_settings_get_uint32(s, FreeRDP_DesktopHeight),
		 (unsigned)freerdp_settings_get_uint32(s, FreeRDP_ColorDepth),
		 protocol & 2	? "NLA"
		 : protocol & 1 ? "TLS"
				: "no TLS",
		 version);
	for (int i = 0; i < CODECS; i++) {
		used = strlen(text);
		if (codecs >> i & 1 && codec_names[i])
			snprintf(text + used, size - used, "%s%s", text[used - 2] == ':' ? "" : ", ", codec_names[i]);
	}
	if (!codecs)
		snprintf(text + strlen(text), size - strlen(text), "drawing orders");
}

__attribute__((visibility("default"))) extern const struct rdp_client_ops rdp_client_ops;
const struct rdp_client_ops rdp_client_ops = {
	.abi = RDP_PLUGIN_ABI,
	.connect = connect_client,
	.handle = handle_events,
	.stop = stop_handling,
	.key = send_key,
	.character = send_character,
	.pointer = send_pointer,
	.describe = describe_client,
	.close = close_client,
};
