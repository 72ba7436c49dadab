/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pagein - what the files of the program share, from the parts to a run and its report. */
#pragma once

#include "rec.h"
#include "sample.h"
#include "smaps.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- memgroup.c --- */

/* A memory cgroup of version 1 or 2: its processes, paging it out, and its counters. */

struct memgroup {
	const char *path; /* folder of the cgroup; not owned */
	int version;	  /* cgroup version 1 or 2; 0: no group is used */
};

/* Takes `path` as the folder of a memory cgroup. 0, or -1 with a line in `why` that names the cure. */
int memgroup_open(struct memgroup *g, const char *path, struct why *why);

/* Whether a process is in the group or in a group below it. */
bool memgroup_has_process(const struct memgroup *g, pid_t pid);

/* 0 if reclaim of the group would write anonymous memory to swap; -1 with a line in `why`: no swap, swappiness 0, no right to
 * write the control file. */
int memgroup_check_swappable(const struct memgroup *g, struct why *why);
/* Describes the swap devices in the text of /proc/swaps by kind and name, "zram /dev/zram0; file /swap"; "" if there are none. */
void memgroup_describe_swap(const char *swaps, char *text, size_t size);
/* Whether swapped pages may stay in memory, compressed (zswap); -1: not known. */
int memgroup_zswap_is_on(void);
/* Asks the kernel to page out the group: memory.force_empty (version 1) or memory.reclaim of all its memory (version 2). Memory
 * that cannot be paged out stays, which is no error. 0 or -errno. */
int memgroup_page_out(const struct memgroup *g);

/* Bytes swapped in so far; -1: not known. Of the group if it counts them (version 2), else of the machine (*machine true). */
int64_t memgroup_swapin_bytes(const struct memgroup *g, bool *machine);
/* bytes in the swap cache, without a group of the machine; -1: not known */
int64_t memgroup_swap_cache_bytes(const struct memgroup *g);
int64_t memgroup_used_bytes(const struct memgroup *g); /* bytes charged to the group; -1: not known */

/* The most that one major fault reads, in bytes: a page and those read ahead with it (vm.page-cluster, which may change at
 * any time). */
int64_t memgroup_max_fault_bytes(void);

/* --- evict.c --- */

/* Two ways to page a process out: madvise on its mappings, and a memory hog, another process that takes the memory; and what
 * of a process is resident. */

/* Advises the kernel to page out every mapping of the process (process_madvise(2), MADV_PAGEOUT). Locked and special mappings are
 * skipped. 0; -ESRCH, -EPERM, -ENOSYS (Linux before 5.10). Pages that stay in the swap cache cannot be removed by this advice. */
int evict_advise_pageout(pid_t pid);

/* The memory hog: a command given by the user. */
struct evict_hog {
	pid_t pid;     /* also the id of its process group; 0: not running */
	int stderr_fd; /* memfd with its standard error, quoted if it fails */
};

/* Starts the hog: 0 or -errno. The kernel sends it SIGTERM when pagein dies. */
int evict_start_hog(struct evict_hog *h, char *const *command);
/* Whether the hog has ended by itself. 0: no; 1: killed by SIGKILL, as the OOM killer does when a group is full and swap is too
 * slow; -1: ended otherwise, and `why` holds the last line of its standard error, or its exit status. */
int evict_poll_hog(struct evict_hog *h, struct why *why);
/* Sends SIGUSR1 to the process group of the hog: memhog then keeps its memory and stops touching it. */
void evict_pause_hog(const struct evict_hog *h);
/* Sends SIGTERM to the process group of the hog, after five seconds SIGKILL. Returns when the hog has ended. */
void evict_stop_hog(struct evict_hog *h);

/* The memory of a process, resident and in swap, and its page faults. */
struct process_memory {
	char name[64]; /* /proc/PID/comm */
	struct smaps_sum memory;
	int64_t major, minor; /* page faults so far, of all its threads */
};

/* Reads the name, the memory and the page faults of a process. 0, -ESRCH if there is no such process (any more), -EACCES without
 * the right to read its mappings, -EPROTO. */
int resident_read_process(pid_t pid, struct process_memory *out);
/* Reads the page faults alone: does not stall the process as reading its smaps does. */
int resident_read_faults(pid_t pid, struct process_memory *out);

/* --- prober.c --- */

/* The program that sends keys and waits for their echo: a keyrepeat started here, or a running one behind two pipes. */

struct key_prober {
	int in, out; /* descriptors: requests to the prober, answers from the prober */
	pid_t pid;   /* 0: not started by us */
};

/* The times of one key, in ns of the prober's own CLOCK_MONOTONIC. */
struct prober_key_times {
	int64_t due_ns, sent_ns, answered_ns; /* sent_ns 0: could not be sent; answered_ns 0: no echo before the timeout */
	char how[16];			      /* how the echo was recognised, in keyrepeat's words */
};

/* Starts `command` (NULL-terminated), which must answer lines as keyrepeat --schedule asked does and write "ready" to descriptor
 * 3. It gets SIGTERM when pagein dies, and shares its standard error. 0, or -1 with a line in `why`. */
int prober_start(struct key_prober *p, char *const *command, int64_t patience_ns, struct why *why);
/* Connects to a running prober through "IN,OUT", the two named pipes that it reads and writes. 0, or -1 with a line in `why`. */
int prober_open_pipes(struct key_prober *p, const char *in_out, struct why *why);

/* Requests a key and waits for its answer: 0; -EPIPE when the prober has ended, -ETIMEDOUT, -EPROTO for an answer in another
 * format, -EINTR on a stop signal (proc_stop). Answers to earlier requests are discarded. */
int prober_request_key(struct key_prober *p, int64_t patience_ns, struct prober_key_times *out);

/* Ends a prober that prober_start() started; closes the pipes of any. */
void prober_close(struct key_prober *p);

/* --- judge.c --- */

/* Whether a run counts as paged out, from readings before and after the key. Pure.
 *
 * Paged out (experiments/paging/README.md): before the key at least 90 % of the private anonymous memory of every process is in
 * swap, and the pages that the key brings back are read from the device. Pages in the swap cache look swapped, too, but come back
 * by minor faults, at the speed of memory: their latency is not that of paging. */

#define JUDGE_EVICTED_PERCENT 90 /* of the anonymous memory of each process, at least: paged out */
#define JUDGE_KEPT_PERCENT 10	 /* at most: the process resisted paging */
#define JUDGE_READ_PERCENT 50	 /* of the swapped pages that came back, at least, must have been read from the device */

/* Private anonymous memory of one process just before the key, in bytes, and page faults caused by the key. */
struct judged_process {
	int64_t resident, swap;
	int64_t locked;	      /* its fair share (PSS) of what it has locked into memory, of any kind */
	int64_t swap_after;   /* bytes in swap after the echo */
	int64_t major, minor; /* page faults from the key to its echo */
};

/* Counters of the swap device. */
struct swap_readings {
	int64_t read_bytes;   /* the most that was swapped in from the key to its echo; below 0: not known */
	int64_t cached_bytes; /* in the swap cache just before the key, of the group or machine; below 0: not known */
	int64_t fault_bytes;  /* the most that one major fault reads: a page and those read ahead with it */
};

enum judge_state { JUDGE_IN_MEMORY, JUDGE_PAGED_OUT, JUDGE_KEPT, JUDGE_NOT_EVICTED, JUDGE_NOT_IN_MEMORY };
extern const char *const judge_words[]; /* names of enum judge_state in reports */

enum judge_why {
	JUDGE_CLEAR,
	JUDGE_RESIDENT,		 /* too much was still resident before the key */
	JUDGE_LOCKED,		 /* too much was still resident, because it is locked */
	JUDGE_NOTHING_ANONYMOUS, /* a process has no anonymous memory: nothing can be proven by it */
	JUDGE_NO_MAJOR_FAULT,	 /* nothing was read from the device after the key */
	JUDGE_SWAP_CACHE,	 /* more than half of the pages that came back were not read from the device */
	JUDGE_MAJOR_FAULT,	 /* a run in memory caused major faults */
	JUDGE_HOG_ENDED		 /* the hog was to stay until the second key, and ended before */
};
extern const char *const judge_reasons[]; /* a sentence for each enum judge_why; NULL for JUDGE_CLEAR */

struct judge_verdict {
	enum judge_state state;
	enum judge_why why;
	int64_t refaulted_bytes; /* came back from swap from the key to its echo */
	double read_percent;	 /* the part of refaulted_bytes read from the device (an estimate); NAN: nothing came back */
};

/* Percent of the private anonymous memory that is in swap. NAN without anonymous memory. */
double judge_evicted_percent(const struct judged_process *p);

/* State before the key: JUDGE_CLEAR if every process counts as evicted, else why not. */
enum judge_why judge_find_obstacle(const struct judged_process *p, size_t n);
/* State before the key: whether all processes have resisted paging (JUDGE_KEPT_PERCENT). */
bool judge_all_kept(const struct judged_process *p, size_t n);

/* The verdict after the key, for a run that was to be paged out and for one that was to be in memory. */
void judge_evicted_run(const struct judged_process *p, size_t n, const struct swap_readings *device, struct judge_verdict *out);
void judge_resident_run(const struct judged_process *p, size_t n, const struct swap_readings *device, struct judge_verdict *out);

/* --- cycle.c --- */

/* One run: the application is warmed up or paged out, which is verified; then the first key, a pause, the second key. */

#define CYCLE_PROCESSES 32
#define CYCLE_ROUNDS 3 /* attempts at most: a process that wakes up and pages in before the key is paged out again */

enum cycle_evict { EVICT_CGROUP, EVICT_MADVISE, EVICT_HOG, EVICT_NONE };
extern const char *const cycle_methods[];
enum hog_until { HOG_UNTIL_EVICTED, HOG_UNTIL_KEY2, HOG_UNTIL_KEY2_PAUSED };

struct cycle_cfg {
	size_t n;
	pid_t pid[CYCLE_PROCESSES];
	int method;	       /* enum cycle_evict */
	struct memgroup group; /* version 0: none */
	char *const *hog;      /* NULL-terminated command of the memory hog */
	int hog_until;	       /* enum hog_until: when the hog ends */
	bool kept;	       /* time also runs whose processes could not be paged out */
	int64_t type_ns;       /* interval of keys while the hog takes memory; 0: none */
	int64_t evict_ns;      /* time limit for paging out */
	int64_t settle_ns, pause_ns, patience_ns;
	struct key_prober *prober;
	struct row_file *log; /* of cycle_columns; NULL: none */
};

/* Memory and faults of one process around the first key. */
struct process_readings {
	struct process_memory before;
	struct judged_process judged;
	int64_t second_major, second_minor; /* faults from the first echo to the second */
};

struct timed_key {
	struct prober_key_times answer;
	bool asked;
};

/* Whether the prober does not know that the change was the echo, which came no earlier. */
bool key_is_doubtful(const struct timed_key *key);

struct cycle_run {
	int64_t number; /* from 1 */
	bool out;	/* a run that was to be paged out; else in memory */
	struct judge_verdict verdict;
	struct process_readings process[CYCLE_PROCESSES];
	struct timed_key first, second;
	struct sample typed;		       /* latencies of the --type keys, ns; to be freed */
	int64_t read_bytes, second_read_bytes; /* swapped in by the first echo, and from there to the second; -1: not known */
	int64_t most_read_bytes;	       /* by the first echo, by the whole machine: a group's counter may be seconds old */
	int64_t cached_bytes;		       /* in the swap cache just before the first key; -1: not known */
	int64_t fault_bytes;		       /* memgroup_max_fault_bytes() at the time of the first key */
	int64_t evict_ns, attempts;	       /* duration of paging out, and attempts made */
	int64_t warm_keys;
	int64_t hogs_killed; /* hogs that the kernel killed; those before all was paged out were replaced */
};

extern const char *const cycle_columns[]; /* columns of the log, schema pagein/1 */

/* Do one run: 0, with the outcome in run->verdict; -EINTR on a stop signal; -EIO with a line in `why` for anything that ends the
 * measurement: a process or the prober has ended, a hog cannot run. */
int cycle_run_resident(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why);
int cycle_run_evicted(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why);

/* Sends a key now and waits for its echo; its latency is not recorded. 0, -EINTR or -EIO as above. */
int cycle_send_warm_key(const struct cycle_cfg *cfg, struct why *why);

/* --- timeline.c --- */

/* Resident and swapped memory of processes over time, sampled by a thread during the runs.
 *
 * Only counters are read (/proc/PID/status and stat, usage of the memory cgroup), not smaps: walking page tables would delay the
 * page faults under measurement. The kernel updates some of these counters a few pages late. */

struct timeline_cfg {
	const char *path; /* output table: schema timeline/1, a row for each sample, times of CLOCK_MONOTONIC */
	const pid_t *pid; /* processes, summed up; an ended one counts 0. Must stay valid until timeline_stop() */
	size_t pids;
	const char *group; /* folder of a memory cgroup, v1 or v2; NULL: the cells of the group stay empty */
	int64_t period_ns;
};

/* One sample, the sum over all processes: bytes and page faults; -1: not known. */
struct timeline_sample {
	int64_t resident, file, swap, major, minor;
	int64_t group, group_swap, group_major;
};
/* Reads one sample; `proc` is the folder /proc, or another one in tests. */
void timeline_take_sample(const struct timeline_cfg *cfg, const char *proc, struct timeline_sample *out);

struct timeline;
struct timeline *timeline_start(const struct timeline_cfg *cfg); /* NULL with errno set */
int timeline_stop(struct timeline *t);				 /* 0, or -errno: the table is incomplete. t may be NULL */

/* --- cycle_report.c --- */

/* The figures of all runs of pagein. */

struct cycle_tally {
	int64_t of[5];	    /* runs of each judge_state */
	int64_t unanswered; /* keys without an echo before the timeout, in runs that count */
	int64_t doubtful;   /* keys of which the prober does not know whether the change was the echo, in these */
};

/* Writes the object "result" and fills *tally. `timeout_ns`: how long the prober waited for an echo. */
void report_cycles(struct rec_report *r, const struct cycle_cfg *cfg, struct cycle_run *run, size_t n, int64_t timeout_ns,
		   struct cycle_tally *tally);

/* Writes the short report for people. */
void report_say_cycles(struct rec_report *r, const struct cycle_cfg *cfg, const struct cycle_run *run, size_t n, int64_t timeout_ns,
		       const struct cycle_tally *tally);
