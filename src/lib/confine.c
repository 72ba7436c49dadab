// SPDX-License-Identifier: GPL-3.0-or-later
#include "confine.h"
#include "files.h"
#include "proc.h"

#include <asm/termbits.h>
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const confine_words[] = { "auto", "strict", NULL };
const struct confine_profile confine_profiles[] = {
	[CONFINE_DECODE] = { "decode", 0 },
	[CONFINE_DISPLAY] = { "display", CONFINE_SHARES },
	[CONFINE_RECORD] = { "record", CONFINE_CREATES },
	[CONFINE_CALL] = { "call", CONFINE_CREATES | CONFINE_CONNECTS },
	[CONFINE_PROXY] = { "proxy", CONFINE_CREATES | CONFINE_CONNECTS | CONFINE_LISTENS },
	[CONFINE_SERVE] = { "serve", CONFINE_LISTENS | CONFINE_FORKS },
	{ NULL, 0 },
};

static char state[176] = "none";
static int mode_in_force; /* enum confine_mode */

const char *confine_state(void)
{
	return state;
}

/* --- landlock: the kernel's interface (landlock(7)), which headers of older systems lack in part --- */

enum { RULESET_VERSION = 1, RULE_PATH = 1, RULE_PORT = 2, BIND_TCP = 1, CONNECT_TCP = 2, SCOPE_ALL = 3 };
enum { WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, REMOVE_FILE = 1 << 5, MAKE_REG = 1 << 8, TRUNCATE = 1 << 14 };
#define ACCESS_FIRST 0x1fff /* all of version 1; later versions add REFER, TRUNCATE (3) and IOCTL_DEV (5) */
#define ACCESS_REFER (1 << 13)
#define ACCESS_IOCTL (1 << 15)
#define ABI_REFER 2
#define ABI_TRUNCATE 3
#define ABI_TCP 4
#define ABI_IOCTL 5
#define ABI_SCOPE 6

struct landlock_rules {
	int fd, abi;
	struct {
		uint64_t files, net, scoped;
	} handled;
};

/* What programs and libraries read at any time: libraries, time zone, certificates, counters of the kernel. */
static const char *const system_files[] = {
	"/usr",	       "/lib",	       "/etc/ld.so.cache",     "/etc/localtime", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
	"/etc/gnutls", "/etc/pki/tls", "/etc/crypto-policies", "/proc",		 "/sys/devices",   "/sys/class/net",
	NULL
};

/* 0 or -errno. */
static int allow_path(const struct landlock_rules *r, const char *path, uint64_t access)
{
	struct {
		uint64_t allowed;
		int32_t fd;
	} __attribute__((packed)) rule = { .fd = open(path, O_PATH | O_CLOEXEC) };
	struct stat st;
	int err;

	if (rule.fd < 0)
		return -errno;
	if (!fstat(rule.fd, &st) && !S_ISDIR(st.st_mode))
		access &= READ_FILE | WRITE_FILE | TRUNCATE;
	rule.allowed = access & r->handled.files;
	err = syscall(SYS_landlock_add_rule, r->fd, RULE_PATH, &rule, 0) ? -errno : 0;
	close(rule.fd);
	return err;
}

/* What is to be written or read later must be allowed now: found out at the end, it would cost the whole measurement. */
static int must_allow_path(const struct landlock_rules *r, const char *path, uint64_t access, struct why *why)
{
	int err = allow_path(r, path, access);

	if (!err || err == -ENOENT || err == -ENOTDIR || err == -EBADFD) /* EBADFD: a pipe or socket, which landlock leaves open */
		return 0;
	return why_fail(err, why, "the sandbox cannot leave %s open: %s (--no-sandbox goes without it)", path, strerror(-err));
}

static int must_allow_port(const struct landlock_rules *r, uint64_t port, struct why *why)
{
	struct {
		uint64_t allowed, port;
	} rule = { CONNECT_TCP, port };

	if (r->abi < ABI_TCP || !syscall(SYS_landlock_add_rule, r->fd, RULE_PORT, &rule, 0) || errno == EAFNOSUPPORT)
		return 0;
	return why_fail(-errno, why, "the sandbox cannot leave port %d open: %s (--no-sandbox goes without it)", (int)port,
			strerror(errno));
}

/* The folder of a file that is written later, also through a symbolic link. False: it is no file, or a device. */
static bool find_folder(const char *path, char folder[static PATH_MAX])
{
	char real[PATH_MAX];

	if (!path || !strcmp(path, "-") || files_is_descriptor(path))
		return false;
	if (!realpath(path, real))
		snprintf(real, sizeof(real), "%s", path);
	strcpy(folder, dirname(real));
	return true;
}

static int allow_files(const struct landlock_rules *r, const struct confine_cfg *cfg, unsigned needs, struct why *why)
{
	/* a finished report is renamed, within its folder */
	uint64_t access = REMOVE_FILE | MAKE_REG | (needs & CONFINE_CREATES ? READ_FILE | WRITE_FILE | TRUNCATE : 0);
	char folder[PATH_MAX];
	int err = 0;

	for (const char *const *path = system_files; *path; path++)
		allow_path(r, *path, READ_FILE | READ_DIR);
	for (int i = 0; i < 2 && !err; i++)
		if (cfg->read[i])
			err = must_allow_path(r, cfg->read[i], READ_FILE, why);
	for (int i = 0; i < CONFINE_FILES && !err; i++) {
		if (find_folder(cfg->files[i], folder))
			err = must_allow_path(r, folder, access, why);
		else if (cfg->files[i] && needs & CONFINE_CREATES)
			err = must_allow_path(r, cfg->files[i], READ_FILE | WRITE_FILE | TRUNCATE, why);
	}
	return err;
}

/* Makes the rules while all files can still be reached. r->fd: below 0 where the kernel has no landlock, with r->abi = -errno.
 * 0, or -errno with the reason in `why`. */
static int make_rules(struct landlock_rules *r, const struct confine_cfg *cfg, struct why *why)
{
	unsigned needs = confine_profiles[cfg->profile].needs;
	int err;

	*r = (struct landlock_rules){ .fd = -1 };
	r->abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
	if (r->abi > 0) {
		r->handled.files = (uint64_t)(ACCESS_FIRST | (r->abi >= ABI_REFER ? ACCESS_REFER : 0) |
					      (r->abi >= ABI_TRUNCATE ? TRUNCATE : 0) | (r->abi >= ABI_IOCTL ? ACCESS_IOCTL : 0));
		r->handled.net = r->abi < ABI_TCP ? 0 : needs & CONFINE_LISTENS ? CONNECT_TCP : CONNECT_TCP | BIND_TCP;
		r->handled.scoped = r->abi < ABI_SCOPE ? 0 : SCOPE_ALL;
		r->fd = (int)syscall(SYS_landlock_create_ruleset, &r->handled, sizeof(r->handled), 0);
	}
	if (r->fd < 0) {
		r->abi = -errno;
		return 0;
	}
	err = allow_files(r, cfg, needs, why);
	for (size_t i = 0; i < cfg->ports && needs & CONFINE_CONNECTS && !err; i++)
		err = must_allow_port(r, cfg->port[i], why);
	return err;
}

/* --- seccomp --- */

/* Ordinary work on what is open: any other call fails with EPERM, so that a library that tries one goes on without. */
static const char work_calls[] =
	"read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek _llseek close close_range dup dup2 dup3 "
	"flock fsync fdatasync ftruncate ftruncate64 fallocate fadvise64 sendfile sendfile64 pipe pipe2 poll ppoll "
	"ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait "
	"epoll_pwait2 eventfd2 signalfd4 timerfd_create timerfd_settime timerfd_gettime fstat fstat64 newfstatat fstatat64 stat stat64 "
	"lstat lstat64 statx access faccessat faccessat2 readlink readlinkat getcwd getdents64 statfs fstatfs rename renameat "
	"renameat2 unlink unlinkat umask mmap mmap2 munmap mprotect mremap madvise msync mincore brk mlock mlock2 munlock mlockall "
	"munlockall membarrier rt_sigaction rt_sigprocmask rt_sigreturn sigreturn rt_sigtimedwait rt_sigtimedwait_time64 "
	"rt_sigpending rt_sigsuspend sigaltstack restart_syscall pause alarm setitimer getitimer timer_create timer_settime "
	"timer_settime64 timer_gettime timer_delete timer_getoverrun nanosleep clock_nanosleep clock_nanosleep_time64 clock_gettime "
	"clock_gettime64 clock_getres clock_getres_time64 gettimeofday time times futex futex_time64 futex_waitv set_robust_list "
	"get_robust_list set_tid_address set_thread_area rseq arch_prctl prctl seccomp landlock_create_ruleset landlock_add_rule "
	"landlock_restrict_self capget capset sched_yield sched_getaffinity sched_getscheduler sched_getparam "
	"sched_get_priority_min sched_get_priority_max getpriority getcpu getrusage getrlimit ugetrlimit setrlimit getrandom "
	"uname sysinfo getpid gettid getppid getpgrp getuid getuid32 geteuid "
	"geteuid32 getgid getgid32 getegid getegid32 wait4 waitid exit exit_group send sendto sendmsg sendmmsg recv recvfrom recvmsg "
	"recvmmsg recvmmsg_time64 shutdown getsockname getpeername getsockopt setsockopt accept accept4";
static const char share_calls[] = "shmget shmat shmdt shmctl", socket_calls[] = "connect bind", listen_calls[] = "listen",
		  fork_calls[] = "kill tgkill";

/* What none of these programs or their libraries ever does, but code that has taken one over does first: run a program, look into
 * other processes, change the kernel, leave the confinement by a namespace, or pass by this filter (io_uring). */
static const char fatal_calls[] =
	"execve execveat ptrace process_vm_readv process_vm_writev pidfd_getfd init_module finit_module delete_module kexec_load "
	"kexec_file_load bpf perf_event_open userfaultfd setns unshare mount umount2 pivot_root chroot move_mount open_by_handle_at "
	"io_uring_setup io_uring_enter io_uring_register";

#define NEW_NAMESPACE \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | (uint64_t)CLONE_NEWNET)
#define WRITE_FLAGS (O_ACCMODE | O_CREAT | O_TRUNC)

static int add_calls(scmp_filter_ctx filter, uint32_t action, const char *names)
{
	char name[40];
	int used, err = 0;

	for (; !err && sscanf(names, "%39s%n", name, &used) == 1; names += used) {
		int number = seccomp_syscall_resolve_name(name);

		if (number != __NR_SCMP_ERROR)
			err = seccomp_rule_add(filter, action, number, 0);
		if (err == -EDOM) /* not of this architecture */
			err = 0;
	}
	return err;
}

/* Allows the call where argument `at`, of these bits, has this value. */
static int add_masked(scmp_filter_ctx filter, int number, unsigned at, uint64_t bits, uint64_t value)
{
	int err =
		number < 0 ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 1, SCMP_CMP(at, SCMP_CMP_MASKED_EQ, bits, value));

	return err == -EDOM ? 0 : err;
}

/* Calls that are allowed where this argument has this value: of none of them another use does good.
 * ioctl: the last asks for libpcap whether an interface is down or gone; not TIOCSTI, which types into the terminal.
 * fcntl: not F_SETOWN and F_SETSIG, by which a descriptor sends any signal to any process.
 * socket: not AF_UNIX, which landlock does not know: behind such a socket, programs wait to run what they are told.
 * The others: 0 is the calling thread; a limit on another process's CPU time would kill it. */
static const struct limited_call {
	int number;
	unsigned at, value, needs; /* needs: of enum confine_need, one of them; 0: always */
} limited_calls[] = {
	{ SCMP_SYS(ioctl), 1, TCGETS, 0 },
	{ SCMP_SYS(ioctl), 1, TCGETS2, 0 },
	{ SCMP_SYS(ioctl), 1, TIOCGWINSZ, 0 },
	{ SCMP_SYS(ioctl), 1, FIONREAD, 0 },
	{ SCMP_SYS(ioctl), 1, FIONBIO, 0 },
	{ SCMP_SYS(ioctl), 1, SIOCGIFFLAGS, 0 },
#define FCNTL(command) \
	{ SCMP_SYS(fcntl), 1, command, 0 }, \
	{ \
		SCMP_SYS(fcntl64), 1, command, 0 \
	}
	FCNTL(F_DUPFD),
	FCNTL(F_DUPFD_CLOEXEC),
	FCNTL(F_GETFD),
	FCNTL(F_SETFD),
	FCNTL(F_GETFL),
	FCNTL(F_SETFL),
	FCNTL(F_GETLK),
	FCNTL(F_SETLK),
	FCNTL(F_SETLKW),
	{ SCMP_SYS(prlimit64), 0, 0, 0 },
	{ SCMP_SYS(sched_setaffinity), 0, 0, 0 },
	{ SCMP_SYS(sched_setscheduler), 0, 0, 0 },
	{ SCMP_SYS(sched_setparam), 0, 0, 0 },
	{ SCMP_SYS(socket), 0, AF_INET, CONFINE_CONNECTS | CONFINE_LISTENS },
	{ SCMP_SYS(socket), 0, AF_INET6, CONFINE_CONNECTS | CONFINE_LISTENS },
};

static int add_limited_calls(scmp_filter_ctx filter, unsigned needs)
{
	const uint64_t write = needs & CONFINE_CREATES ? 0 : WRITE_FLAGS, kind = needs & CONFINE_FORKS ? 0 : CLONE_THREAD;
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(limited_calls) / sizeof(*limited_calls); i++) {
		const struct limited_call *c = &limited_calls[i];

		err = c->needs && !(c->needs & needs) ? 0 : add_masked(filter, c->number, c->at, UINT32_MAX, c->value);
	}
	if (!err && !(needs & CONFINE_FORKS)) /* raise() and abort(); a child of a process that forks has another id */
		err = add_masked(filter, SCMP_SYS(tgkill), 0, UINT32_MAX, (uint64_t)getpid());
	if (!err)
		err = add_masked(filter, SCMP_SYS(openat), 2, write, 0);
	if (!err)
		err = add_masked(filter, SCMP_SYS(open), 1, write, 0);
	if (!err)
		err = add_masked(filter, SCMP_SYS(clone), 0, NEW_NAMESPACE | kind, kind);
	/* its flags are in memory, which a filter does not see; without it, glibc calls clone */
	return err ? err : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

/* Under sanitizers, whose leak check stops the threads by ptrace, there is no filter. 0 or -errno. */
static int filter_calls(unsigned needs)
{
#ifdef CONFINE_WITHOUT_SECCOMP
	(void)needs;
	return -ENOTSUP;
#endif
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err = filter ? 0 : -ENOMEM;

	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!err) /* no other mitigation of Spectre than without a filter: it would slow down what is measured */
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	if (!err)
		err = add_calls(filter, SCMP_ACT_ALLOW, work_calls);
	if (!err)
		err = add_calls(filter, SCMP_ACT_KILL_PROCESS, fatal_calls);
	if (!err && needs & CONFINE_SHARES)
		err = add_calls(filter, SCMP_ACT_ALLOW, share_calls);
	if (!err && needs & (CONFINE_CONNECTS | CONFINE_LISTENS))
		err = add_calls(filter, SCMP_ACT_ALLOW, socket_calls);
	if (!err && needs & CONFINE_LISTENS)
		err = add_calls(filter, SCMP_ACT_ALLOW, listen_calls);
	if (!err && needs & CONFINE_FORKS)
		err = add_calls(filter, SCMP_ACT_ALLOW, fork_calls);
	if (!err)
		err = add_limited_calls(filter, needs);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

/* --- capabilities --- */

bool confine_has_rights(void)
{
	return !capng_get_caps_process() && capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE;
}

/* Whether the report could not be put in its place, or a password read, without CAP_DAC_OVERRIDE and CAP_FOWNER. */
static bool needs_override(const struct confine_cfg *cfg)
{
	char folder[PATH_MAX];
	struct stat at, file;
	bool needs = false;

	for (int i = 0; i < 2; i++)
		needs = needs || (cfg->read[i] && faccessat(AT_FDCWD, cfg->read[i], R_OK, AT_EACCESS) && errno == EACCES);
	for (int i = 0; i < CONFINE_FILES && !needs; i++) {
		if (!find_folder(cfg->files[i], folder))
			continue;
		needs = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0;
		if (!needs && !stat(folder, &at) && at.st_mode & S_ISVTX && !stat(cfg->files[i], &file))
			needs = at.st_uid != geteuid() && file.st_uid != geteuid();
	}
	return needs;
}

/* Keeps them where it fails without. Applies the capabilities chosen so far. */
static int keep_override(const struct confine_cfg *cfg)
{
	bool needs;

	if (capng_updatev(CAPNG_ADD, CAPNG_PERMITTED, CAP_DAC_OVERRIDE, CAP_FOWNER, -1) || capng_apply(CAPNG_SELECT_CAPS))
		return -EPERM;
	needs = needs_override(cfg);
	return capng_updatev(needs ? CAPNG_ADD : CAPNG_DROP, needs ? CAPNG_EFFECTIVE : CAPNG_PERMITTED, CAP_DAC_OVERRIDE,
			     CAP_FOWNER, -1);
}

static int drop_capabilities(const struct confine_cfg *cfg)
{
	static const capng_type_t both = CAPNG_EFFECTIVE | CAPNG_PERMITTED;
	bool had[CAP_LAST_CAP + 1], bounds;

	if (capng_get_caps_process())
		return -EPERM;
	if (!confine_has_rights() && !cfg->uid)
		return 0;
	for (unsigned i = 0; i <= CAP_LAST_CAP; i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, i);
	capng_clear(CAPNG_SELECT_ALL);
	if (cfg->uid)
		return capng_change_id((int)cfg->uid, (int)cfg->gid, CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) ? -EPERM : 0;
	/* That needs CAP_SETPCAP; with no_new_privs, the bounding set gives no capability back anyway. */
	bounds = !capng_apply(CAPNG_SELECT_BOUNDS);
	(void)bounds;
	for (unsigned i = 0; i <= CAP_LAST_CAP; i++)
		if (had[i] && cfg->keep >> i & 1 && capng_update(CAPNG_ADD, both, i))
			return -EPERM;
	if (had[CAP_DAC_OVERRIDE] && had[CAP_FOWNER] && keep_override(cfg))
		return -EPERM;
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}

/* --- what others handed down --- */

static pid_t *handed; /* descriptors that were open when the program began */
static size_t handed_n;

__attribute__((constructor)) static void note_descriptors(void)
{
	files_list_numeric_names("/proc/self/fd", &handed, &handed_n);
	for (size_t i = 0; i < handed_n; i++)
		if (handed[i] <= STDERR_FILENO || fcntl(handed[i], F_GETFD) != 0)
			handed[i--] = handed[--handed_n];
}

/* Whether a path names what is open at the descriptor, as /dev/fd/63. */
static bool is_named(const struct confine_cfg *cfg, int fd)
{
	const char *const path[] = { cfg->read[0], cfg->read[1], cfg->files[0], cfg->files[1], cfg->files[2], cfg->files[3] };
	struct stat at, is;
	bool named = false;

	if (fstat(fd, &is))
		return false;
	for (size_t i = 0; i < sizeof(path) / sizeof(*path) && !named; i++)
		named = path[i] && !stat(path[i], &at) && at.st_dev == is.st_dev && at.st_ino == is.st_ino;
	return named;
}

/* Locks, pipes and files of whoever started the program. What it made its own, it marked to be closed by exec. */
static void close_handed(const struct confine_cfg *cfg)
{
	for (size_t i = 0; i < handed_n; i++)
		if (!fcntl(handed[i], F_GETFD) && !is_named(cfg, handed[i]))
			close(handed[i]);
	handed_n = 0; /* their numbers may be used again */
}

void confine_keep_descriptor(int fd)
{
	proc_close_range(STDERR_FILENO + 1, fd - 1);
	proc_close_range(fd + 1, INT_MAX);
}

/* The environment has tokens and keys of whoever started the program. What we and libraries read of it stays, and what marks the
 * processes of a lab or a test. */
static const char *const kept_variables[] = { "PATH=", "HOME=",	     "USER=",	"LOGNAME=",	   "LANG",	"LC_",	 "TZ=",
					      "TERM=", "COLUMNS=",   "TMPDIR=", "XDG_STATE_HOME=", "SSL_CERT_", "WLOG_", "LAB_",
					      "TP_",   "THINPROBE_", "BATS_",	"TEST_WORK=",	   NULL };

/* --- memory --- */

/* Private memory that can be written counts; shared memory and mapped files that can only be read do not. */
static int limit_memory(size_t bytes)
{
	struct rlimit limit = { bytes, bytes };

#ifdef CONFINE_WITHOUT_SECCOMP /* sanitizers keep a record of all addresses */
	bytes = 0;
#endif
	return bytes && setrlimit(RLIMIT_DATA, &limit) ? -errno : 0;
}

/* Nobody but root reads its memory, while it runs or after a crash (a limit of 0 alone would not stop a handler of cores). */
static int hide_memory(void)
{
#ifdef CONFINE_WITHOUT_SECCOMP /* the leak check of sanitizers reads it */
	return 0;
#endif
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) ? -errno : 0;
}

/* --- all of them --- */

int confine_apply(const struct confine_cfg *cfg, struct why *why)
{
	struct landlock_rules rules = { .fd = -1 };
	char files[80], calls[80] = "seccomp";
	int err;

	mode_in_force = cfg->mode;
	close_handed(cfg);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return why_fail(-errno, why, "%s", strerror(errno));
	err = cfg->mode != CONFINE_OFF ? make_rules(&rules, cfg, why) : 0;
	if (err) {
		close(rules.fd);
		return err;
	}
	err = drop_capabilities(cfg);
	if (err)
		return why_fail(err, why, "%s", strerror(-err));
	strcpy(state, "off");
	if (cfg->mode == CONFINE_OFF)
		return 0;
	proc_keep_variables(kept_variables);
	err = limit_memory(cfg->memory_bytes);
	if (!err && cfg->secret)
		err = hide_memory();
	if (err)
		return why_fail(err, why, "%s", strerror(-err));
	if (rules.fd >= 0 && syscall(SYS_landlock_restrict_self, rules.fd, 0))
		rules.abi = -errno;
	if (rules.fd >= 0)
		close(rules.fd);
	if (rules.abi > 0)
		snprintf(files, sizeof(files), "landlock %d", rules.abi);
	else
		snprintf(files, sizeof(files), "no landlock (%s)", strerror(-rules.abi));
	err = filter_calls(confine_profiles[cfg->profile].needs);
	if (err)
		snprintf(calls, sizeof(calls), "no seccomp (%s)", strerror(-err));
	snprintf(state, sizeof(state), "%s, %s", files, calls);
	if (cfg->mode == CONFINE_STRICT && (err || rules.abi < ABI_TCP))
		return why_fail(-ENOTSUP, why, "--sandbox strict: %s here; it needs landlock %d or later (Linux 6.7) and seccomp",
				state, ABI_TCP);
	return 0;
}

void confine_must_apply(const struct confine_cfg *cfg)
{
	struct why why;

	if (confine_apply(cfg, &why))
		die(EXIT_RUN, "cannot give up rights: %s", why.text);
}

void confine_tighten(enum confine_profile_number profile)
{
	struct why why;

	confine_apply(&(struct confine_cfg){ .profile = profile, .mode = mode_in_force }, &why);
}
