// SPDX-License-Identifier: GPL-3.0-or-later
/* isolate - how busy CPUs were, from the text of a /proc/stat; interrupts of a user's devices, on a tree in place of /sys. */
#include <sys/stat.h>
#include <unistd.h>

#include "vamp/isolate.h"
#include "../../../../../tests/unit/folder.h"
#include "stage.h"

TEST(busy_is_all_but_idle_and_waiting_for_a_disk)
{
	char text[] = "cpu  111 0 0 999 0 0 0 0 0 0\ncpu0 1 2 3 40 50 6 7 8 0 0\ncpu2 10 20 30 400 500 60 70 80 0 0\nintr 5\n";
	FILE *f = fmemopen(text, sizeof(text) - 1, "r");
	struct cpu_ticks cpu[4];

	assert_int_equal(cpu_ticks_read(f, cpu, 4), 3);
	assert_int_equal(cpu[0].all - cpu[0].idle, 27);
	assert_int_equal(cpu[0].all, 117);
	assert_int_equal(cpu[0].stolen, 8);
	assert_int_equal(cpu[1].all, 0); /* not online */
	assert_int_equal(cpu[2].all - cpu[2].idle, 270);
	assert_int_equal(cpu[2].all, 1170);
	rewind(f);
	assert_int_equal(cpu_ticks_read(f, cpu, 2), 1);
	assert_int_equal(cpu[0].all, 117);
	fclose(f);
}

static void directory(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	mkdir(path, 0755);
}

static void file(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s", name);
	*strrchr(path, '/') = '\0';
	directory(path);
	write_to(text, "%s/%s", folder, name);
}

static void device(const char *class, const char *name, const char *path)
{
	char link[256], to[256];

	snprintf(link, sizeof(link), "sys/class/%s/%s", class, name);
	directory(link);
	snprintf(link, sizeof(link), "%s/sys/class/%s/%s/device", folder, class, name);
	snprintf(to, sizeof(to), "%s/sys/devices/%s", folder, path);
	directory(to + strlen(folder) + 1);
	assert_int_equal(symlink(to, link), 0);
}

TEST_WITH(make_folder, remove_folder, interrupts_of_devices_are_found)
{
	static const int wanted[] = { 1, 9, 36, 38, 39 };
	struct device_irq_list irqs;

	file("sys/devices/pci0/02.0/msi_irqs/36", "msix\n"); /* a disk, of virtio */
	device("block", "vda", "pci0/02.0/virtio1");
	file("sys/devices/pci0/03.0/irq", "9\n"); /* a card with a single legacy interrupt */
	directory("sys/devices/pci0/03.0/msi_irqs");
	device("net", "eth0", "pci0/03.0");
	device("input", "input0", "platform/i8042/serio0/input/input0"); /* a handler's name */
	directory("proc/irq/1/i8042");
	device("input", "input1", "platform/a.mmio/virtio2"); /* the device's name, and more */
	directory("proc/irq/38/virtio2-input.0");
	directory("proc/irq/39/virtio2-config");
	directory("sys/class/net/lo");			     /* no hardware */
	file("sys/devices/pci0/05.0/msi_irqs/50", "msix\n"); /* some other device */
	directory("proc/irq/40/virtio20-rng");
	directory("proc/irq/41/ttyS0");
	assert_int_equal(isolate_find_irqs(&irqs, folder), 0);
	assert_int_equal(irqs.n, sizeof(wanted) / sizeof(*wanted));
	for (size_t i = 0; i < irqs.n; i++)
		assert_int_equal(irqs.irq[i], wanted[i]);
	free(irqs.irq);
}
