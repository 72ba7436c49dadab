// SPDX-License-Identifier: GPL-3.0-or-later
/* isolate_irq - /sys/class/CLASS/NAME/device leads to the device; it or one above has its interrupts in msi_irqs/ (a number
 * each) or in `irq` (Documentation/ABI/testing/sysfs-bus-pci). Where neither is (i8042, virtio without PCI), the name of a
 * handler in /proc/irq/N/ begins with that of the device. */
#include "isolate_irq.h"
#include "cli.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const classes[] = { "block", "net", "input", "drm" };
#define CLASSES (sizeof(classes) / sizeof(*classes))
#define IRQS 4096

struct irq_search {
	const char *root;
	bool wanted[IRQS];
};

static void want(struct irq_search *s, long irq)
{
	if (irq > 0 && irq < IRQS)
		s->wanted[irq] = true;
}

/* Adds the interrupts that sysfs lists for the device (msi_irqs, irq); false if it lists none. */
static bool want_listed(struct irq_search *s, const char *device)
{
	char path[PATH_MAX + 16], text[24];
	pid_t *irq = NULL;
	size_t n = 0;
	bool listed;

	snprintf(path, sizeof(path), "%s/msi_irqs", device);
	listed = !files_numbered(path, &irq, &n);
	for (size_t i = 0; i < n; i++)
		want(s, irq[i]);
	free(irq);
	if (listed)
		return true;
	snprintf(path, sizeof(path), "%s/irq", device);
	if (files_read(path, text, sizeof(text)) || !strtol(text, NULL, 10))
		return false;
	want(s, strtol(text, NULL, 10));
	return true;
}

/* /proc/irq/1/i8042, /proc/irq/38/virtio2-input.0 */
static void want_named(struct irq_search *s, const char *name)
{
	char path[PATH_MAX];
	pid_t *irq = NULL;
	size_t n = 0, length = strlen(name);

	snprintf(path, sizeof(path), "%s/proc/irq", s->root);
	files_numbered(path, &irq, &n);
	for (size_t i = 0; i < n; i++) {
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof(path), "%s/proc/irq/%d", s->root, (int)irq[i]);
		dir = opendir(path);
		while (dir && (entry = readdir(dir)))
			if (!strncmp(entry->d_name, name, length) && (!entry->d_name[length] || strchr("-.:@", entry->d_name[length])))
				want(s, irq[i]);
		if (dir)
			closedir(dir);
	}
	free(irq);
}

/* Up from the device to the first that says its interrupts; a bus is above those that do. */
static void want_device(struct irq_search *s, const char *link)
{
	char device[PATH_MAX], all[PATH_MAX], *last;

	if (!realpath(link, device))
		return;	/* a loop, a bridge, a zram */
	strcpy(all, device);
	for (; (last = strrchr(device, '/')) && strcmp(last, "/devices"); *last = '\0')
		if (want_listed(s, device))
			return;
	for (; (last = strrchr(all, '/')) && strcmp(last, "/devices"); *last = '\0')
		want_named(s, last + 1);
}

int isolate_irq_find(struct isolate_irqs *out, const char *root)
{
	struct irq_search *s = calloc(1, sizeof(*s));
	size_t n = 0;

	*out = (struct isolate_irqs){ 0 };
	if (!s)
		return -ENOMEM;
	s->root = root;
	for (size_t c = 0; c < CLASSES; c++) {
		char path[PATH_MAX];
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof(path), "%s/sys/class/%s", root, classes[c]);
		dir = opendir(path);
		while (dir && (entry = readdir(dir))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/sys/class/%s/%s/device", root, classes[c], entry->d_name);
			want_device(s, path);
		}
		if (dir)
			closedir(dir);
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

size_t isolate_irq_steer(const struct isolate_irqs *irqs, const char *root, const cpu_set_t *cpus, struct undo *undo)
{
	struct cli_cpus list = { 0 };
	char path[PATH_MAX], text[1024];
	size_t steered = 0;

	for (int cpu = 0; cpu < CLI_CPUS_MAX && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus))
			list.cpu[list.n++] = cpu;
	cli_write_cpus(&list, text, sizeof(text));
	for (size_t i = 0; i < irqs->n; i++) {
		snprintf(path, sizeof(path), "%s/proc/irq/%d/smp_affinity_list", root, irqs->irq[i]);
		steered += !undo_write(undo, path, text);
	}
	return steered;
}
