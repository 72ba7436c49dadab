// SPDX-License-Identifier: GPL-3.0-or-later
#include "audio.h"
#include "cli.h"
#include "files.h"
#include "json_in.h"
#include "dial.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 8

static void choose_address(struct audio_server *s, const char *name)
{
	const char *given = name ? name : getenv("PULSE_SERVER");
	const char *folder = getenv("PULSE_RUNTIME_PATH"), *runtime = getenv("XDG_RUNTIME_DIR");

	if (given && *given)
		snprintf(s->name, sizeof(s->name), "%s", given);
	else if (folder && *folder)
		snprintf(s->name, sizeof(s->name), "unix:%s/native", folder);
	else if (runtime && *runtime)
		snprintf(s->name, sizeof(s->name), "unix:%s/pulse/native", runtime);
	else
		snprintf(s->name, sizeof(s->name), "unix:/run/user/%u/pulse/native", (unsigned)geteuid());
	s->socket = !strncmp(s->name, "unix:", 5) ? s->name + 5 : s->name[0] == '/' ? s->name : NULL;
}

/* Finds the server's pid. If systemd made the socket (the server starts when a client connects), the server writes its pid into a
 * file beside the socket. */
static pid_t find_server_pid(const char *socket, pid_t maker)
{
	char path[200], text[24];
	pid_t pid;

	proc_read_line(maker, "comm", text, sizeof(text));
	if (strcmp(text, "systemd"))
		return maker;
	snprintf(path, sizeof(path), "%.*s/pid", (int)(strrchr(socket, '/') - socket), socket);
	files_read_line(path, text, sizeof(text));
	pid = atoi(text);
	return pid > 0 && !kill(pid, 0) ? pid : 0;
}

int audio_find_server(struct audio_server *s, const char *name, struct why *why)
{
	struct ucred maker;
	struct stat st;
	int fd;

	*s = (struct audio_server){ .uid = geteuid(), .gid = getegid() };
	choose_address(s, name);
	if (!s->socket)
		return 0;
	fd = dial_unix(s->socket, 0, &maker);
	if (fd < 0) {
		why_say(why, "no sound server at %s: %s (start one, or name it with --audio-server)", s->socket, strerror(-fd));
		return fd;
	}
	close(fd);
	s->pid = find_server_pid(s->socket, maker.pid);
	if (!stat(s->socket, &st)) {
		s->uid = st.st_uid;
		s->gid = st.st_gid;
	}
	return 0;
}

/* Executes pactl in the child. The user is changed first, since that clears the signal for the parent's death. */
static void exec_pactl(const struct audio_server *s, const char *const *words, int out, pid_t parent)
{
	const char *argv[WORDS + 5] = { "pactl", "--server", s->name };
	int null = open("/dev/null", O_RDWR);

	if (geteuid() == 0 && s->uid != 0 &&
	    (setgroups(0, NULL) || setresgid(s->gid, s->gid, s->gid) || setresuid(s->uid, s->uid, s->uid) || unsetenv("HOME") ||
	     chdir("/")))
		_exit(1);
	for (int i = 0; words[i] && i < WORDS; i++)
		argv[3 + i] = words[i];
	if (proc_end_with_parent(SIGKILL, parent) || setenv("LC_ALL", "C", 1) || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(1);
	execvp("pactl", (char **)(uintptr_t)argv);
	_exit(127);
}

int pactl_start(struct audio_pactl *p, const struct audio_server *s, const char *const *words, bool stream)
{
	int ends[2] = { -1, -1 }, err = 0;
	pid_t parent = getpid();

	*p = (struct audio_pactl){ .pidfd = -1, .out = -1 };
	if (stream && (pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK)))
		return -errno;
	if (!stream && (ends[0] = ends[1] = memfd_create("pactl", MFD_CLOEXEC)) < 0)
		return -errno;
	p->out = ends[0];
	p->pid = fork();
	if (!p->pid)
		exec_pactl(s, words, ends[1], parent);
	if (p->pid < 0 || (p->pidfd = pidfd_open(p->pid, 0)) < 0)
		err = -errno;
	if (stream)
		close(ends[1]);
	if (p->pid < 0)
		p->pid = 0;
	if (err)
		pactl_end(p);
	return err;
}

int pactl_end(struct audio_pactl *p)
{
	int status = 0;

	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (p->pidfd >= 0)
		close(p->pidfd);
	if (p->out >= 0)
		close(p->out);
	*p = (struct audio_pactl){ .pidfd = -1, .out = -1 };
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int audio_parse_streams(const char *path, struct audio_streams *out)
{
	struct audio_streams l = { 0 };
	struct why why;
	char key[64];
	struct json_document *j = json_read_file(path, &why);
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
		if (!text || cli_parse_int(text, &pid) || pid < 1 || pid > INT32_MAX)
			pid = 0;
		l.stream[l.n].index = index;
		l.stream[l.n++].pid = (int)pid;
	}
	json_free(j);
	*out = l;
	return 0;
}

bool audio_has_new(const struct audio_streams *before, const struct audio_streams *now)
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

bool audio_has_pid(const struct audio_streams *l, int pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->stream[i].pid == pid)
			return true;
	return false;
}
