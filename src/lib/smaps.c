// SPDX-License-Identifier: GPL-3.0-or-later
#include "smaps.h"
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

/* The lines that are read; all others are ignored. */
static const struct {
	const char *name;
	size_t at;
} lines[] = {
	{ "Rss:", offsetof(struct smaps_values, rss) },
	{ "Pss:", offsetof(struct smaps_values, pss) },
	{ "Shared_Clean:", offsetof(struct smaps_values, shared_clean) },
	{ "Shared_Dirty:", offsetof(struct smaps_values, shared_dirty) },
	{ "Private_Dirty:", offsetof(struct smaps_values, private_dirty) },
	{ "Anonymous:", offsetof(struct smaps_values, anonymous) },
	{ "AnonHugePages:", offsetof(struct smaps_values, huge) },
	{ "Swap:", offsetof(struct smaps_values, swap) },
	{ "Locked:", offsetof(struct smaps_values, locked) },
};

static int64_t *value_address(struct smaps_values *f, size_t i)
{
	return (int64_t *)((char *)f + lines[i].at);
}

static bool has_prefix(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Shared memory has a name and an inode like a file, but is not backed by one: recognised by the name. */
static enum smaps_kind mapping_kind(const struct smaps_mapping *m)
{
	static const char *const memory[] = { "/SYSV",		"/memfd:",     "/dev/shm/", "/dev/zero (deleted)",
					      "/anon_hugepage", "[anon_shmem:" };

	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		if (has_prefix(m->name, memory[i]))
			return SMAPS_SHARED_MEMORY;
	if (has_prefix(m->name, "[v")) /* vdso, vvar, vvar_vclock, vsyscall */
		return SMAPS_SPECIAL;
	if (m->inode)
		return SMAPS_FILE;
	return m->perms[3] == 's' ? SMAPS_SHARED_MEMORY : SMAPS_ANONYMOUS;
}

/* "7f12-7f34 r-xp 00002000 fe:00 247026    /usr/bin/with a space" */
static int parse_mapping_line(char *line, struct smaps_mapping *m)
{
	int name = 0;

	*m = (struct smaps_mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n", &m->start, &m->end, m->perms, &m->offset,
		   &m->inode, &name) != 5 ||
	    !name || strlen(m->perms) != 4)
		return -EPROTO;
	m->name = line + name;
	m->kind = mapping_kind(m);
	return 0;
}

static int store_mapping_value(const char *line, struct smaps_values *f)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *number = line + strlen(lines[i].name);
		char *end;
		long long kb;

		if (!has_prefix(line, lines[i].name))
			continue;
		errno = 0;
		kb = strtoll(number, &end, 10);
		if (errno || end == number || kb < 0 || kb > INT64_MAX / 1024 / 1024 || strcmp(end, " kB") != 0)
			return -EPROTO;
		*value_address(f, i) = kb * 1024;
		return 0;
	}
	return 0;
}

static void add_values(struct smaps_values *sum, const struct smaps_values *f)
{
	struct smaps_values is = *f;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		*value_address(sum, i) += *value_address(&is, i);
}

static int add_mapping(struct smaps_sum *sum, const struct smaps_mapping *m, smaps_each *each, void *context)
{
	int64_t pages = m->is.rss - m->is.anonymous, shared = m->is.shared_clean + m->is.shared_dirty;

	add_values(&sum->all, &m->is);
	sum->mappings++;
	if (m->kind == SMAPS_FILE) {
		sum->file_resident += pages;
		sum->file_shared += shared < pages ? shared : pages;
	}
	if (m->kind == SMAPS_SHARED_MEMORY) {
		sum->shared_memory_resident += m->is.rss;
	} else if (m->perms[3] == 'p') {
		sum->anonymous_resident += m->is.anonymous;
		sum->anonymous_swap += m->is.swap;
	}
	return each ? each(context, m) : 0;
}

/* Whether a line is a value ("Rss: ..."), not the first line of a mapping, which begins with an address. */
static bool is_value_line(const char *line)
{
	size_t word = strcspn(line, ": ");

	return line[word] == ':' && *line >= 'A' && *line <= 'Z';
}

int smaps_parse(FILE *in, struct smaps_sum *sum, smaps_each *each, void *context)
{
	struct smaps_mapping m;
	char *line = NULL, *head = NULL; /* `head`: first line of the mapping, which holds its name */
	size_t room = 0;
	ssize_t n;
	int err = 0;

	*sum = (struct smaps_sum){ 0 };
	while (!err && (n = getline(&line, &room, in)) >= 0) {
		if (n && line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (is_value_line(line)) {
			err = head ? store_mapping_value(line, &m.is) : -EPROTO;
			continue;
		}
		if (head)
			err = add_mapping(sum, &m, each, context);
		if (!err) {
			free(head);
			head = must_alloc(strdup(line));
			err = parse_mapping_line(head, &m);
		}
	}
	if (!err && ferror(in))
		err = errno ? -errno : -EIO;
	if (!err && head)
		err = add_mapping(sum, &m, each, context);
	free(line);
	free(head);
	return err;
}

int smaps_read(pid_t pid, struct smaps_sum *sum, smaps_each *each, void *context)
{
	char path[64];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	errno = 0;
	err = smaps_parse(in, sum, each, context);
	fclose(in);
	return err;
}
