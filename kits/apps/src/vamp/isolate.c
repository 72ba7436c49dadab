// SPDX-License-Identifier: GPL-3.0-or-later
/* isolate - runs the background on CPUs of its own while an episode lasts (section 3.3 of Kim et al. 2014).
 *
 * By sched_setaffinity of each thread, not by cpusets: moving a process into a cgroup waits for an RCU grace period of the kernel
 * (milliseconds), setting an affinity does not, and no controller must be delegated. New threads and processes inherit the
 * affinity.
 *
 * Interrupts: /sys/class/CLASS/NAME/device is a link to the device; the device or one above it has its interrupts in msi_irqs/
 * (one number each) or in `irq` (Documentation/ABI/testing/sysfs-bus-pci). If neither is there (i8042, virtio without PCI), a
 * handler in /proc/irq/N/ has a name that begins with that of the device. */
#include "cli.h"
#include "downcast.h"
#include "clock.h"
#include "throttle.h"
#include "files.h"
#include "audio.h"
#include "isolate.h"
#include "scope.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the file: "cpuN user nice system idle iowait irq softirq steal ...". */
int cpu_ticks_read(FILE *stat, struct cpu_ticks *cpu, int room)
{
	int64_t user, nice, system, idle, wait, irq, softirq, steal;
	char line[512];
	int n = 0, i;

	memset(cpu, 0, (size_t)room * sizeof(*cpu));
	while (stat && fgets(line, sizeof(line), stat) && !strncmp(line, "cpu", 3)) {
		if (line[3] == ' ' || /* the sum of all CPUs */
		    sscanf(line,
			   "cpu%d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &i,
			   &user, &nice, &system, &idle, &wait, &irq, &softirq, &steal) != 9 ||
		    i < 0 || i >= room)
			continue;
		cpu[i] = (struct cpu_ticks){ idle + wait, steal, user + nice + system + idle + wait + irq + softirq + steal };
		n = i + 1 > n ? i + 1 : n;
	}
	return n;
}

#define IRQS 4096

struct irq_search {
	const char *root;
	bool wanted[IRQS];
};

static void add_irq(struct irq_search *s, long irq)
{
	if (irq > 0 && irq < IRQS)
		s->wanted[irq] = true;
}

/* Adds the interrupts that sysfs lists for the device (msi_irqs, irq); false if it lists none. */
static bool add_sysfs_irqs(struct irq_search *s, const char *device)
{
	char path[PATH_MAX + 16], text[24];
	pid_t *irq = NULL;
	size_t n = 0;
	bool listed;

	snprintf(path, sizeof(path), "%s/msi_irqs", device);
	listed = !files_list_numeric_names(path, &irq, &n) && n; /* empty: the device does not use MSI */
	for (size_t i = 0; i < n; i++)
		add_irq(s, irq[i]);
	free(irq);
	if (listed)
		return true;
	snprintf(path, sizeof(path), "%s/irq", device);
	if (files_read_line(path, text, sizeof(text)) || !strtol(text, NULL, 10))
		return false;
	add_irq(s, strtol(text, NULL, 10));
	return true;
}

/* Adds the interrupts whose handler in /proc/irq has this name: /proc/irq/1/i8042, /proc/irq/38/virtio2-input.0. */
static void add_handler_irqs(struct irq_search *s, const char *name)
{
	char path[PATH_MAX];
	size_t folder = (size_t)snprintf(path, sizeof(path), "%s/proc/irq/", s->root);
	glob_t found;

	snprintf(path + folder, sizeof(path) - folder, "*/%s*", name);
	if (glob(path, GLOB_NOSORT, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *next = strrchr(found.gl_pathv[i], '/') + 1 + strlen(name);

		if (!*next || strchr("-.:@", *next))
			add_irq(s, strtol(found.gl_pathv[i] + folder, NULL, 10));
	}
	globfree(&found);
}

/* Goes up from the device to the first one whose interrupts sysfs lists; a bus is above its devices. */
static void add_device_irqs(struct irq_search *s, const char *link)
{
	char device[PATH_MAX], all[PATH_MAX], *last;

	if (!realpath(link, device))
		return; /* no hardware: a loop device, a bridge, a zram */
	strcpy(all, device);
	for (; (last = strrchr(device, '/')) && strcmp(last, "/devices"); *last = '\0')
		if (add_sysfs_irqs(s, device))
			return;
	for (; (last = strrchr(all, '/')) && strcmp(last, "/devices"); *last = '\0')
		add_handler_irqs(s, last + 1);
}

int isolate_find_irqs(struct device_irq_list *out, const char *root)
{
	struct irq_search *s = calloc(1, sizeof(*s));
	char path[PATH_MAX];
	glob_t found;
	size_t n = 0;

	*out = (struct device_irq_list){ 0 };
	if (!s)
		return -ENOMEM;
	s->root = root;
	snprintf(path, sizeof(path), "%s/sys/class/{block,net,input,drm}/*/device", root);
	if (!glob(path, GLOB_BRACE | GLOB_NOSORT, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_device_irqs(s, found.gl_pathv[i]);
		globfree(&found);
	}
	for (int irq = 0; irq < IRQS; irq++)
		n += s->wanted[irq];
	out->irq = calloc(n ? n : 1, sizeof(*out->irq));
	for (int irq = 0; out->irq && irq < IRQS; irq++)
		if (s->wanted[irq])
			out->irq[out->n++] = irq;
	free(s);
	return out->irq ? 0 : -ENOMEM;
}

/* Routes the interrupts to these CPUs. Returns how many the kernel accepted: it refuses some (NVMe has a queue for each CPU). */
static size_t route_irqs(const struct device_irq_list *irqs, const cpu_set_t *cpus, struct undo_recorder *undo)
{
	struct cli_cpus list = { 0 };
	char path[PATH_MAX], text[1024];
	size_t steered = 0;

	for (int cpu = 0; cpu < CLI_CPUS_MAX && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus))
			list.cpu[list.n++] = cpu;
	cli_format_cpus(&list, text, sizeof(text));
	for (size_t i = 0; i < irqs->n; i++) {
		snprintf(path, sizeof(path), "/proc/irq/%d/smp_affinity_list", irqs->irq[i]);
		steered += !undoable_write_file(undo, path, text);
	}
	return steered;
}

#define FULL_PERCENT 95
#define GROW_EVERY NS_PER_S

struct isolate_throttle {
	struct throttle throttle;
	const struct process_scope *scope;
	const struct audio_watch *audio; /* NULL: sound is not watched */
	struct undo_recorder *undo;
	cpu_set_t all;
	int cpus;
	struct device_irq_list irqs;
	struct background_tag *tag; /* background processes of the episode; owned */
	size_t tags, mark, steered;
	int foreground; /* number of CPUs of the foreground; 0: no episode */
	int64_t looked_ns, busy, ticks;
};

/* The first n of the usable CPUs. */
static cpu_set_t first_cpus(const struct isolate_throttle *s, int n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t cpu = 0; n > 0 && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &s->all)) {
			CPU_SET(cpu, &set);
			n--;
		}
	return set;
}

static void read_busy_ticks(struct isolate_throttle *s, int64_t now_ns)
{
	cpu_set_t set = first_cpus(s, s->foreground);
	struct cpu_ticks cpu[CPU_SETSIZE];
	FILE *f = fopen("/proc/stat", "re");
	int n = cpu_ticks_read(f, cpu, CPU_SETSIZE);

	s->busy = s->ticks = 0;
	for (size_t i = 0; i < (size_t)n; i++)
		if (CPU_ISSET(i, &set)) {
			s->busy += cpu[i].all - cpu[i].idle;
			s->ticks += cpu[i].all;
		}
	if (f)
		fclose(f);
	s->looked_ns = now_ns;
}

struct cpu_restriction {
	struct undo_recorder *undo;
	const cpu_set_t *to;
};

/* Restricts a thread to those of its allowed CPUs that are in `to`; if there are none, leaves it. Returns an error only if the
 * list of changes is full. */
static int restrict_thread(void *placing, pid_t tid, bool *changed)
{
	const struct cpu_restriction *p = placing;
	struct undo_setting was;
	cpu_set_t is, set;

	if (undo_first_setting(p->undo, UNDO_AFFINITY, tid, &was) || sched_getaffinity(tid, sizeof(is), &is))
		return 0;
	CPU_AND(&set, &was.set, p->to);
	if (!CPU_COUNT(&set) || CPU_EQUAL(&set, &is))
		return 0;
	*changed = true;
	return undoable_set_cpus(p->undo, tid, 0, &set) == -ENOSPC ? -ENOSPC : 0;
}

static bool is_background(const struct isolate_throttle *s, const struct scope_process *p)
{
	for (size_t i = 0; i < s->tags; i++)
		if (s->tag[i].pid == p->pid && s->tag[i].start == p->start)
			return true;
	return false;
}

static int pin_processes(struct isolate_throttle *s)
{
	cpu_set_t foreground = first_cpus(s, s->foreground), background;
	struct scope_process *process;
	size_t n;
	int err = scope_list(s->scope, &process, &n);

	CPU_XOR(&background, &s->all, &foreground);
	if (err)
		return err;
	/* The background first: when the foreground gets its CPUs, these are free. */
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; !err && i < n; i++)
			if (is_background(s, &process[i]) == !turn)
				err = scope_change_threads(process[i].pid, restrict_thread,
							   &(struct cpu_restriction){ s->undo, turn ? &foreground : &background });
	free(process);
	return err;
}

static const struct throttle_hooks isolate_ops;

static int end_episode(struct throttle *f)
{
	struct isolate_throttle *s = DOWNCAST(f, struct isolate_throttle, f->ops == &isolate_ops);

	if (!s->foreground)
		return 0;
	s->foreground = 0;
	free(s->tag);
	s->tag = NULL;
	s->tags = 0;
	return undo_revert(s->undo, s->mark) ? -EIO : 0;
}

static int begin_episode(struct throttle *f, const struct background_tag *tag, size_t n)
{
	struct isolate_throttle *s = DOWNCAST(f, struct isolate_throttle, f->ops == &isolate_ops);
	cpu_set_t foreground;
	int err;

	end_episode(f);
	s->tag = malloc((n ? n : 1) * sizeof(*tag));
	if (!s->tag)
		return -ENOMEM;
	for (s->tags = 0; s->tags < n; s->tags++)
		s->tag[s->tags] = tag[s->tags];
	s->mark = undo_mark(s->undo);
	s->foreground = s->audio && audio_is_playing(s->audio) && s->cpus > 2 ? 2 : 1;
	err = pin_processes(s);
	if (err) {
		end_episode(f);
		return err;
	}
	foreground = first_cpus(s, s->foreground);
	s->steered = route_irqs(&s->irqs, &foreground, s->undo);
	read_busy_ticks(s, clock_now());
	return 0;
}

static int64_t do_periodic_work(struct throttle *f, int64_t now_ns)
{
	struct isolate_throttle *s = DOWNCAST(f, struct isolate_throttle, f->ops == &isolate_ops);
	int64_t busy = s->busy, ticks = s->ticks;

	if (!s->foreground)
		return INT64_MAX;
	if (now_ns - s->looked_ns < GROW_EVERY)
		return s->looked_ns + GROW_EVERY;
	read_busy_ticks(s, now_ns);
	if (s->foreground < s->cpus - 1 && (s->busy - busy) * 100 > (s->ticks - ticks) * FULL_PERCENT) {
		s->foreground++;
		read_busy_ticks(s, now_ns); /* the next interval has one CPU more */
		pin_processes(s);
	}
	return now_ns + GROW_EVERY;
}

static void close_throttle(struct throttle *f)
{
	struct isolate_throttle *s = DOWNCAST(f, struct isolate_throttle, f->ops == &isolate_ops);

	end_episode(f);
	free(s->irqs.irq);
	free(s);
}

static void describe_throttle(const struct throttle *f, char *text, size_t size)
{
	const struct isolate_throttle *s = DOWNCAST(f, const struct isolate_throttle, f->ops == &isolate_ops);

	if (s->foreground)
		snprintf(text, size, "background on %d of %d CPUs: %zu processes; %zu of %zu interrupts of devices to the others",
			 s->cpus - s->foreground, s->cpus, s->tags, s->steered, s->irqs.n);
	else
		snprintf(text, size, "background on at most %d of %d CPUs: no episode", s->cpus - 1, s->cpus);
}

static const struct throttle_hooks isolate_ops = { begin_episode, do_periodic_work, end_episode, close_throttle,
						   describe_throttle };

int isolate_open(struct throttle **out, const struct process_scope *scope, const struct audio_watch *audio, bool interrupts,
		 struct undo_recorder *undo, struct why *why)
{
	struct isolate_throttle *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (!err && sched_getaffinity(0, sizeof(s->all), &s->all))
		err = -errno;
	if (!err && CPU_COUNT(&s->all) < 2)
		err = -ENOTSUP;
	if (!err && interrupts)
		err = isolate_find_irqs(&s->irqs, "");
	if (err) {
		if (err == -ENOTSUP)
			why_say(why, "isolation needs two CPUs, and this process may use one: leave --isolate out");
		else
			why_say(why, "cannot isolate: %s", strerror(-err));
		free(s);
		return err;
	}
	s->throttle.ops = &isolate_ops;
	s->scope = scope;
	s->audio = audio;
	s->undo = undo;
	s->cpus = CPU_COUNT(&s->all);
	*out = &s->throttle;
	return 0;
}
