// SPDX-License-Identifier: GPL-3.0-or-later
/* confine - what docs/sandbox.md says of each profile, tried in children; what is left where the kernel lacks a part. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

#ifdef CONFINE_WITHOUT_SECCOMP
#define FILTERED false
#else
#define FILTERED true
#endif

static int listeners[2];
static struct sockaddr_in ports[2]; /* the first is the server's; nothing may connect to the other */

static void listen_anywhere(int i)
{
	socklen_t size = sizeof(ports[i]);

	ports[i] = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	listeners[i] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(listeners[i], (struct sockaddr *)&ports[i], size), 0);
	assert_int_equal(listen(listeners[i], 8), 0);
	assert_int_equal(getsockname(listeners[i], (struct sockaddr *)&ports[i], &size), 0);
}

/* --- what is tried: 0, or an errno --- */

static int try_create(int other)
{
	return open(other ? "/tmp/thinprobe-confined" : in_folder("new"), O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0;
}

static int try_read(int other)
{
	return open(other ? "/etc/passwd" : in_folder("old"), O_RDONLY) < 0 ? errno : 0;
}

static int try_connect(int other)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 || connect(fd, (struct sockaddr *)&ports[other], sizeof(ports[other])) ? errno : 0;
}

static int try_listen(int other)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ? errno : 0;
}

static int try_share(int other)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600), err = errno;

	if (id >= 0)
		shmctl(id, IPC_RMID, NULL);
	return id < 0 ? err : 0;
}

static int try_fork(int other)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int try_exec(int other)
{
	execl("/bin/true", "true", NULL);
	return errno;
}

static int try_ptrace(int other)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0;
}

/* A socket that leads to whatever listens in the file system: 0, or the last errno. */
static int try_unix(int other)
{
	int pair[2];

	return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_DGRAM, 0) >= 0 ||
			       !socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)
		       ? 0
		       : errno;
}

static pid_t victim; /* another process of this user */

static bool signals_by_descriptor(void)
{
	struct f_owner_ex owner = { F_OWNER_PID, victim };

	return fcntl(listeners[0], F_SETOWN, victim) >= 0 || fcntl(listeners[0], F_SETSIG, SIGUSR1) >= 0 ||
	       fcntl(listeners[0], F_SETOWN_EX, &owner) >= 0 || ioctl(listeners[0], FIOSETOWN, &victim) >= 0 ||
	       syscall(SYS_fcntl, listeners[0], 1L << 32 | F_SETOWN, victim) >= 0;
}

/* Whatever ends, slows or limits another process. 0: one way is open; or the last errno. */
static int try_harm(int other)
{
	const struct rlimit short_time = { 1, 1 };
	const struct sched_param param = { 0 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (!kill(victim, SIGUSR1) || !syscall(SYS_tkill, victim, SIGUSR1) || !syscall(SYS_tgkill, victim, victim, SIGUSR1) ||
	    !sigqueue(victim, SIGUSR1, (union sigval){ 0 }) || signals_by_descriptor())
		return 0;
	if (!prlimit(victim, RLIMIT_CPU, &short_time, NULL) || !prlimit(victim, RLIMIT_FSIZE, &short_time, NULL) ||
	    !syscall(SYS_prlimit64, 1L << 32 | victim, RLIMIT_CPU, &short_time, NULL))
		return 0;
	if (!setpriority(PRIO_PROCESS, (id_t)victim, 19) || !setpriority(PRIO_PGRP, 0, 19) || !setpriority(PRIO_USER, 0, 19))
		return 0;
	return !sched_setscheduler(victim, SCHED_IDLE, &param) || !sched_setparam(victim, &param) ||
			       !sched_setaffinity(victim, sizeof(cpus), &cpus)
		       ? 0
		       : errno;
}

/* In the order of the table. */
static int (*const tries[])(int other) = { try_create, try_read, try_connect, try_listen, try_share,
					   try_fork,   try_exec, try_ptrace,  try_unix,	  try_harm };
#define TRIES (sizeof(tries) / sizeof(*tries))

/* --- */

static void *do_nothing(void *arg)
{
	return arg;
}

/* A thread begins, sets its own priority, limits and CPUs, and signals itself, the time zone and /proc can be read, and a report is
 * put in its place: of every profile. */
static bool does_its_work(void)
{
	const struct sched_param param = { 0 };
	struct rlimit limit;
	cpu_set_t cpus;
	pthread_t thread;

	signal(SIGUSR2, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &limit) || setrlimit(RLIMIT_NOFILE, &limit) || raise(SIGUSR2) ||
	    sched_setscheduler(0, SCHED_OTHER, &param) || sched_getaffinity(0, sizeof(cpus), &cpus) ||
	    sched_setaffinity(0, sizeof(cpus), &cpus) || fcntl(STDIN_FILENO, F_SETFD, fcntl(STDIN_FILENO, F_GETFD)) < 0)
		return false;
	return !pthread_create(&thread, NULL, do_nothing, NULL) && !pthread_join(thread, NULL) &&
	       open("/proc/self/status", O_RDONLY) >= 0 && open("/usr", O_RDONLY) >= 0 &&
	       !rename(in_folder("report.tmp"), in_folder("report"));
}

/* Tries it in a confined child: 0, an errno, 128 + a signal that killed it; -1: it could not do its work. */
static int in_child(struct confine_cfg cfg, int (*try)(int other), int other)
{
	uint16_t port = ntohs(ports[0].sin_port);
	struct why why;
	int status;
	pid_t pid;

	put("report.tmp", "");
	cfg.files[0] = in_folder("report");
	cfg.port = &port;
	cfg.ports = 1;
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(confine_apply(&cfg, &why) || !does_its_work() ? 255 : try(other));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static bool is_denied(int err)
{
	return err == EPERM || err == EACCES;
}

/* Version of landlock here; 0: none. */
static int landlock_version(void)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct why why;
		int version = 0;

		confine_apply(&(struct confine_cfg){ .profile = CONFINE_DECODE }, &why);
		_exit(sscanf(confine_state(), "landlock %d", &version) == 1 ? version : 0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* Whether it does what its word in the table says. Without landlock, files and ports are not told apart, and who has children may
 * signal others, too. */
static bool holds_word(enum confine_profile_number profile, size_t at, const char *word, int landlock)
{
	struct confine_cfg cfg = { .profile = profile };
	int mine = in_child(cfg, tries[at], 0), others = in_child(cfg, tries[at], 1);
	/* the version of landlock that tells its own from others */
	int least = at < 2 ? 1 : at < 4 ? 4 : tries[at] == try_harm && profile == CONFINE_SERVE ? 6 : 0;

	if (mine < 0 || others < 0)
		return false;
	if (landlock < least || (!FILTERED && at > 3))
		return true;
	if (!strcmp(word, "open"))
		return !mine && !others;
	if (!strcmp(word, "killed"))
		return mine == 128 + SIGSYS && others == mine;
	return is_denied(others) && (!strcmp(word, "its own") ? !mine : is_denied(mine));
}

TEST(each_profile_closes_what_the_document_says)
{
	char line[400], path[400], word[TRIES + 1][16];
	int rows = 0, landlock = landlock_version();
	const char *end = strstr(__FILE__, "tests/unit/");
	FILE *f;

	victim = fork();
	if (!victim) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, SIG_IGN);
		for (;;)
			pause();
	}
	listen_anywhere(0);
	listen_anywhere(1);
	put("old", "");
	snprintf(path, sizeof(path), "%.*sdocs/sandbox.md", (int)(end - __FILE__), __FILE__);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int profile = 0,
		    n = sscanf(
			    line,
			    "| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]| %15[^|]|",
			    word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], word[8], word[9], word[10]);

		for (int i = 0; i < n; i++)
			word[i][strlen(word[i]) - 1] = '\0';
		while (confine_profiles[profile].name && strcmp(confine_profiles[profile].name, word[0]) != 0)
			profile++;
		if (n != TRIES + 1 || !confine_profiles[profile].name)
			continue;
		rows++;
		for (size_t i = 0; i < TRIES; i++)
			if (!holds_word((enum confine_profile_number)profile, i, word[i + 1], landlock))
				fail_msg("%s, column %zu: not %s", word[0], i + 1, word[i + 1]);
	}
	fclose(f);
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	assert_int_equal(rows, CONFINE_SERVE + 1);
}

/* As where a container refuses landlock; port: as where a rule for a port (2) fails. */
static void lose_landlock(bool port)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (port)
		seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOMEM), SCMP_SYS(landlock_add_rule), 1, SCMP_A1(SCMP_CMP_EQ, 2));
	else
		seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0);
	seccomp_load(filter);
	seccomp_release(filter);
}

static int apply_crippled(enum confine_mode mode, enum confine_profile_number profile)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		const uint16_t port = 5900;
		struct why why;
		int err;

		lose_landlock(profile == CONFINE_CALL);
		err = confine_apply(
			&(struct confine_cfg){
				.profile = profile, .mode = (int)mode, .port = &port, .ports = profile == CONFINE_CALL },
			&why);
		_exit(err ? 1 : strstr(confine_state(), "no landlock") ? 2 : !strcmp(confine_state(), "off") ? 3 : 4);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST(a_missing_part_is_told_and_strict_refuses_it)
{
	assert_int_equal(apply_crippled(CONFINE_AUTO, CONFINE_DECODE), 2);
	assert_int_equal(apply_crippled(CONFINE_STRICT, CONFINE_DECODE), 1);
	assert_int_equal(apply_crippled(CONFINE_OFF, CONFINE_DECODE), 3);
}

TEST(a_port_that_cannot_be_left_open_is_an_error_at_the_start)
{
	if (landlock_version() < 4)
		skip();
	assert_int_equal(apply_crippled(CONFINE_AUTO, CONFINE_CALL), 1);
}

static int try_allocate(int mib)
{
	void *memory = mmap(NULL, (size_t)mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? errno : 0;
}

TEST(no_more_memory_than_the_limit_can_be_allocated)
{
	struct confine_cfg limited = { .profile = CONFINE_DECODE, .memory_bytes = (size_t)256 << 20 }, free_of_it = limited;

	if (!FILTERED) /* sanitizers */
		skip();
	free_of_it.memory_bytes = 0;
	assert_int_equal(in_child(free_of_it, try_allocate, 300), 0);
	assert_int_equal(in_child(limited, try_allocate, 100), 0);
	assert_int_equal(in_child(limited, try_allocate, 300), ENOMEM);
}

static char *find_variable(const char *start)
{
	for (char **at = environ; *at; at++)
		if (!strncmp(*at, start, strlen(start)))
			return *at;
	return NULL;
}

static int try_token(int other)
{
	return find_variable("CONFINE_TOKEN=") || !find_variable("LAB_ID=") || !getenv("PATH") ? 1 : 0;
}

TEST(nothing_of_the_environment_stays_that_is_not_for_it)
{
	char *token;
	struct why why;
	pid_t pid;
	int status;

	setenv("CONFINE_TOKEN", "s3cret", 1);
	setenv("LAB_ID", "7", 1);
	assert_int_equal(in_child((struct confine_cfg){ .mode = CONFINE_OFF }, try_token, 0), 1);
	assert_int_equal(in_child((struct confine_cfg){ .profile = CONFINE_CALL }, try_token, 0), 0);
	pid = fork();
	if (!pid) { /* not only the list of variables: also the memory that they were in */
		token = find_variable("CONFINE_TOKEN=");
		_exit(confine_apply(&(struct confine_cfg){ .profile = CONFINE_DECODE }, &why) || *token || token[16] ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	unsetenv("CONFINE_TOKEN");
	unsetenv("LAB_ID");
}

static int try_core(int other)
{
	struct rlimit limit;

	return prctl(PR_GET_DUMPABLE) || getrlimit(RLIMIT_CORE, &limit) || limit.rlim_max ? 1 : 0;
}

TEST(what_holds_a_secret_leaves_no_core)
{
	if (!FILTERED) /* sanitizers */
		skip();
	assert_int_equal(in_child((struct confine_cfg){ .secret = true }, try_core, 0), 0);
	assert_int_equal(in_child((struct confine_cfg){ .secret = false }, try_core, 0), 1);
}

TEST(a_child_keeps_one_descriptor_and_the_streams)
{
	int ends[2], before = dup(STDIN_FILENO), status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		confine_keep_descriptor(ends[0]);
		_exit(fcntl(STDERR_FILENO, F_GETFD) < 0 || fcntl(ends[0], F_GETFD) < 0 || fcntl(before, F_GETFD) >= 0 ||
		      fcntl(ends[1], F_GETFD) >= 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
	close(before);
}

TEST(without_a_sandbox_files_stay_open)
{
	assert_int_equal(in_child((struct confine_cfg){ .mode = CONFINE_OFF }, try_create, 0), 0);
	assert_int_equal(in_child((struct confine_cfg){ .mode = CONFINE_OFF }, try_fork, 0), 0);
}
