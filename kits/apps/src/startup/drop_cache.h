/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drop_cache - learns which files an application uses and drops them from the page cache before its next start.
 *
 * Files are learnt from the running processes: those mapped or open at the time of a look, and by fanotify also those open in
 * between. Dropping is POSIX_FADV_DONTNEED for each file, so no other file is touched. Pages that another process has mapped, or
 * that are not yet written to disk, stay in the cache and are counted. */
#pragma once

#include "tree.h"

#define FILE_SET_MAX 16384
#define FILE_SET_STAYED 5

struct file_set {
	void *paths; /* owned; a tree of tsearch(), in the order of strcmp() */
	size_t n;
};

struct drop_result {
	int64_t files, refused; /* files dropped; files that could not be opened any more */
	/* bytes that left the page cache, and bytes still in it; -1: not known, since the kernel tells only a file's owner and users
	 * who may write it */
	int64_t dropped_bytes, stayed_bytes;
	/* the files of which most bytes stayed, most first; NULL: no more; owned by the file_set */
	const char *stayed[FILE_SET_STAYED];
	int64_t stayed_of_bytes[FILE_SET_STAYED];
};

/* Adds the files that the processes of the tree have mapped or open now. */
void file_set_add_processes(struct file_set *c, const struct tree *t);
void file_set_drop_cached(const struct file_set *c, struct drop_result *out);
void file_set_free(struct file_set *c);

/* The file in a line of /proc/PID/maps; NULL: none that could be dropped. Cuts off the end of the line. Pure. */
char *file_set_mapped_path(char *line);

/* Reports files when they are opened, by fanotify, which needs CAP_SYS_ADMIN in the first user namespace. */
struct open_trace {
	int fd; /* -1: not running */
};

/* Starts on the file systems of /, of the working folder and of HOME, if this process may. */
void open_trace_start(struct open_trace *o);
/* Adds the files that processes below `root` have opened since the last call. */
void open_trace_collect(struct open_trace *o, struct file_set *c, pid_t root);
void open_trace_stop(struct open_trace *o);
