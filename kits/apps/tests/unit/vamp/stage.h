/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage - files and processes that tests make and remove. Included by tests, behind folder.h. */
#pragma once

#include "proc.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void write_to(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void write_to(const char *text, const char *format, ...)
{
	char path[1024];
	va_list words;
	FILE *f;

	va_start(words, format);
	vsnprintf(path, sizeof(path), format, words);
	va_end(words);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A child that sleeps until it is killed. */
static inline pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	proc_end_with_parent(SIGKILL, getppid());
	for (;;)
		pause();
}

static inline void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
