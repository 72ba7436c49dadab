// SPDX-License-Identifier: GPL-3.0-or-later
#include "audio_list.h"
#include "cli.h"
#include "json_in.h"

#include <errno.h>
#include <stdio.h>

int audio_list_read(const char *path, struct audio_list *out)
{
	struct audio_list l = { 0 };
	char why[80], key[64];
	struct json *j = json_read(path, why, sizeof(why));
	int64_t index, pid;
	bool corked;

	if (!j)
		return -EPROTO;
	for (int i = 0; snprintf(key, sizeof(key), "%d.index", i), json_get_int(j, key, &index); i++) {
		const char *text;

		snprintf(key, sizeof(key), "%d.corked", i);
		if ((json_get_bool(j, key, &corked) && corked) || l.n == AUDIO_STREAMS)
			continue;
		snprintf(key, sizeof(key), "%d.properties.application.process.id", i);
		text = json_get_str(j, key);
		if (!text || cli_read_int(text, &pid) || pid < 1 || pid > INT32_MAX)
			pid = 0;
		l.stream[l.n].index = index;
		l.stream[l.n++].pid = (int)pid;
	}
	json_free(j);
	*out = l;
	return 0;
}

bool audio_list_started(const struct audio_list *before, const struct audio_list *now)
{
	for (size_t i = 0; i < now->n; i++) {
		size_t k = 0;

		while (k < before->n && before->stream[k].index != now->stream[i].index)
			k++;
		if (k == before->n)
			return true;
	}
	return false;
}

bool audio_list_has(const struct audio_list *l, int pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->stream[i].pid == pid)
			return true;
	return false;
}
