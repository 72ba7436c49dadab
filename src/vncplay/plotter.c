// SPDX-License-Identifier: GPL-3.0-or-later
#include "plotter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

FILE *plotter_table(char *path, size_t size)
{
	const char *folder = getenv("TMPDIR");
	FILE *out;
	int fd;

	if (snprintf(path, size, "%s/vncplay.XXXXXX", folder && *folder ? folder : "/tmp") >= (int)size) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkostemp(path, O_CLOEXEC);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out && fd >= 0) {
		close(fd);
		unlink(path);
	}
	return out;
}

/* Beside the program's folder in a checkout, in share of an installation. */
static int find_script(char *path, size_t size)
{
	static const char *const places[] = { "../plots", "../../share/thinprobe/plots", "../../../../plots" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return -1;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (snprintf(path, size, "%s/%s/vncplay.gp", self, places[i]) < (int)size && !access(path, R_OK))
			return 0;
	return -1;
}

static int run_gnuplot(char *const *words)
{
	extern char **environ;
	posix_spawn_file_actions_t quiet;
	pid_t pid;
	int err, status;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, "gnuplot", &quiet, NULL, words, environ);
	posix_spawn_file_actions_destroy(&quiet);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : 1;
}

int plotter_draw(FILE *table, const char *path, const char *figure, const char *svg, char *why, size_t size)
{
	char script[PATH_MAX + 32], half[PATH_MAX];
	char *words[] = { (char *)(uintptr_t)"gnuplot", (char *)(uintptr_t)"-c", script, (char *)(uintptr_t)figure,
			  (char *)(uintptr_t)path, half, NULL };
	int err = ferror(table) ? -EIO : 0;

	if (fclose(table))
		err = -errno;
	if (err) {
		snprintf(why, size, "cannot write %s: %s", path, strerror(-err));
	} else if (find_script(script, sizeof(script))) {
		err = -1;
		snprintf(why, size, "plots/vncplay.gp is not where it should be, beside this program's folder");
	} else if (snprintf(half, sizeof(half), "%s.half", svg) >= (int)sizeof(half)) {
		err = -1;
		snprintf(why, size, "%.60s...: too long", svg);
	} else {
		err = run_gnuplot(words);
		if (err)
			snprintf(why, size, "%s", err == -ENOENT ? "gnuplot is not installed: thinprobe setup" :
				 err < 0 ? strerror(-err) : "gnuplot could not draw this");
		else if (rename(half, svg)) {
			err = -errno;
			snprintf(why, size, "cannot write %s: %s", svg, strerror(-err));
		}
		if (err)
			unlink(half);
	}
	unlink(path);
	return err ? -1 : 0;
}
