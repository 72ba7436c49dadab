// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

const struct rdp_client_ops *rdp_plugin_load(struct why *why)
{
	const struct rdp_client_ops *ops;
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(RDP_PLUGIN));
	void *object;

	path[n > 0 ? n : 0] = '\0';
	strcpy(strrchr(path, '/') ? strrchr(path, '/') + 1 : path, RDP_PLUGIN);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object && access(path, R_OK))
		why_say(why, "rdp: was built without libfreerdp; apt-get install freerdp2-dev (or freerdp3-dev), and make");
	else if (!object)
		why_say(why, "rdp: %s; apt-get install --no-install-recommends libfreerdp-client" FREERDP "-" FREERDP, dlerror());
	if (!object)
		return NULL;
	ops = dlsym(object, RDP_PLUGIN_OPS);
	if (ops && ops->abi == RDP_PLUGIN_ABI)
		return ops;
	why_say(why, "%s is not of this build: install it and the program again", path);
	return NULL;
}
