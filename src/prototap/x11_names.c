// SPDX-License-Identifier: GPL-3.0-or-later
/* x11_names - what the protocol's numbers are called (X Version 11, appendix B; of extensions, the two that draw most). */
#include "x11.h"

#include <stdio.h>
#include <string.h>

enum { CORE, UNNAMED };

const char *const x11_request_names[128] = {
	NULL, "CreateWindow", "ChangeWindowAttributes", "GetWindowAttributes", "DestroyWindow", "DestroySubwindows", "ChangeSaveSet",
	"ReparentWindow", "MapWindow", "MapSubwindows", "UnmapWindow", "UnmapSubwindows", "ConfigureWindow", "CirculateWindow",
	"GetGeometry", "QueryTree", "InternAtom", "GetAtomName", "ChangeProperty", "DeleteProperty", "GetProperty", "ListProperties",
	"SetSelectionOwner", "GetSelectionOwner", "ConvertSelection", "SendEvent", "GrabPointer", "UngrabPointer", "GrabButton",
	"UngrabButton", "ChangeActivePointerGrab", "GrabKeyboard", "UngrabKeyboard", "GrabKey", "UngrabKey", "AllowEvents", "GrabServer",
	"UngrabServer", "QueryPointer", "GetMotionEvents", "TranslateCoordinates", "WarpPointer", "SetInputFocus", "GetInputFocus",
	"QueryKeymap", "OpenFont", "CloseFont", "QueryFont", "QueryTextExtents", "ListFonts", "ListFontsWithInfo", "SetFontPath",
	"GetFontPath", "CreatePixmap", "FreePixmap", "CreateGC", "ChangeGC", "CopyGC", "SetDashes", "SetClipRectangles", "FreeGC",
	"ClearArea", "CopyArea", "CopyPlane", "PolyPoint", "PolyLine", "PolySegment", "PolyRectangle", "PolyArc", "FillPoly",
	"PolyFillRectangle", "PolyFillArc", "PutImage", "GetImage", "PolyText8", "PolyText16", "ImageText8", "ImageText16",
	"CreateColormap", "FreeColormap", "CopyColormapAndFree", "InstallColormap", "UninstallColormap", "ListInstalledColormaps",
	"AllocColor", "AllocNamedColor", "AllocColorCells", "AllocColorPlanes", "FreeColors", "StoreColors", "StoreNamedColor",
	"QueryColors", "LookupColor", "CreateCursor", "CreateGlyphCursor", "FreeCursor", "RecolorCursor", "QueryBestSize",
	"QueryExtension", "ListExtensions", "ChangeKeyboardMapping", "GetKeyboardMapping", "ChangeKeyboardControl", "GetKeyboardControl",
	"Bell", "ChangePointerControl", "GetPointerControl", "SetScreenSaver", "GetScreenSaver", "ChangeHosts", "ListHosts",
	"SetAccessControl", "SetCloseDownMode", "KillClient", "RotateProperties", "ForceScreenSaver", "SetPointerMapping",
	"GetPointerMapping", "SetModifierMapping", "GetModifierMapping",
	[127] = "NoOperation",
};
const char *const x11_event_names[36] = {
	NULL, NULL, "KeyPress", "KeyRelease", "ButtonPress", "ButtonRelease", "MotionNotify", "EnterNotify", "LeaveNotify", "FocusIn",
	"FocusOut", "KeymapNotify", "Expose", "GraphicsExposure", "NoExposure", "VisibilityNotify", "CreateNotify", "DestroyNotify",
	"UnmapNotify", "MapNotify", "MapRequest", "ReparentNotify", "ConfigureNotify", "ConfigureRequest", "GravityNotify",
	"ResizeRequest", "CirculateNotify", "CirculateRequest", "PropertyNotify", "SelectionClear", "SelectionRequest",
	"SelectionNotify", "ColormapNotify", "ClientMessage", "MappingNotify", "GenericEvent",
};
const char *const x11_error_names[18] = {
	NULL, "Request", "Value", "Window", "Pixmap", "Atom", "Cursor", "Font", "Match", "Drawable", "Access", "Alloc", "Colormap",
	"GContext", "IDChoice", "Name", "Length", "Implementation",
};
static const char *const render[] = {
	"QueryVersion", "QueryPictFormats", "QueryPictIndexValues", "QueryDithers", "CreatePicture", "ChangePicture",
	"SetPictureClipRectangles", "FreePicture", "Composite", "Scale", "Trapezoids", "Triangles", "TriStrip", "TriFan",
	"ColorTrapezoids", "ColorTriangles", NULL, "CreateGlyphSet", "ReferenceGlyphSet", "FreeGlyphSet", "AddGlyphs",
	"AddGlyphsFromPicture", "FreeGlyphs", "CompositeGlyphs8", "CompositeGlyphs16", "CompositeGlyphs32", "FillRectangles",
	"CreateCursor", "SetPictureTransform", "QueryFilters", "SetPictureFilter", "CreateAnimCursor", "AddTraps", "CreateSolidFill",
	"CreateLinearGradient", "CreateRadialGradient", "CreateConicalGradient",
};
static const char *const shm[] = {
	"QueryVersion", "Attach", "Detach", "PutImage", "GetImage", "CreatePixmap", "AttachFd", "CreateSegment",
};

static const char *x11_minor_name(const char *extension, int minor)
{
	if (!strcmp(extension, "RENDER") && minor < (int)(sizeof(render) / sizeof(*render)))
		return render[minor];
	if (!strcmp(extension, "MIT-SHM") && minor < (int)(sizeof(shm) / sizeof(*shm)))
		return shm[minor];
	return NULL;
}

static const char *x11_core_name(enum x11_kind kind, int number)
{
	if (kind == X11_EVENT)
		return number < 36 ? x11_event_names[number] : NULL;
	if (kind == X11_ERROR)
		return number < 18 ? x11_error_names[number] : NULL;
	return number < 128 ? x11_request_names[number] : NULL;
}

void x11_name(const struct x11_count *n, enum x11_kind kind, int extension, int minor, char *text, unsigned long size)
{
	bool request = kind == X11_REQUEST || kind == X11_REPLY;
	const char *name = NULL;

	if (extension == CORE)
		name = x11_core_name(kind, minor);
	else if (extension > UNNAMED && request)
		name = x11_minor_name(n->name[extension], minor);
	if (extension == CORE && name)
		snprintf(text, size, "%s", name);
	else if (extension == CORE && kind == X11_REPLY && !minor)
		snprintf(text, size, "to what was not seen");
	else if (extension == CORE)
		snprintf(text, size, "number %d", minor);
	else if (extension == UNNAMED)
		snprintf(text, size, "extension? %d", minor);
	else if (kind == X11_EVENT && minor == X11_GENERIC)
		snprintf(text, size, "%s %s", n->name[extension], x11_event_names[X11_GENERIC]);
	else if (name)
		snprintf(text, size, "%s %s", n->name[extension], name);
	else
		snprintf(text, size, "%s %d", n->name[extension], minor);
}
