// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const void *plugin_load(const struct plugin *p, struct why *why)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const void *symbol;
	size_t folder;
	void *object;

	path[n > 0 ? n : 0] = '\0';
	folder = strrchr(path, '/') ? (size_t)(strrchr(path, '/') + 1 - path) : 0;
	snprintf(path + folder, sizeof(path) - folder, "%s", p->file);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = object ? dlsym(object, p->symbol) : NULL;
	if (!object && access(path, R_OK))
		why_say(why, "%s: %s", p->scheme, p->absent);
	else if (!object)
		why_say(why, "%s: %s; apt-get install --no-install-recommends %s", p->scheme, dlerror(), p->packages);
	else if (!symbol)
		why_say(why, "%s is not of this build: install it and the program again", path);
	return symbol;
}
