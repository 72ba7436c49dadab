// SPDX-License-Identifier: GPL-3.0-or-later
#define _FILE_OFFSET_BITS 64
#define FUSE_USE_VERSION 312
#include "disk.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST_MAX (1 << 20) /* bytes; the kernel splits larger requests */
#define ALIGNMENT 4096
#define FILE_NODE 2
#define FILE_NAME "disk"
#define FOR_EVER 1e9 /* seconds that the kernel may cache attributes: they never change */

struct disk {
	struct disk_cfg cfg;
	struct fuse_session *session;
	struct fuse_buf request;
	char *data;	    /* REQUEST_MAX bytes, aligned; owned */
	int direct, cached; /* the backing file with O_DIRECT (-1: impossible), and without for unaligned requests */
	int64_t size;
	bool ready;
};

static char fuse_message[256]; /* last error message of the FUSE library, kept off standard error */

static void store_fuse_message(enum fuse_log_level level, const char *format, va_list args)
{
	(void)level;
	vsnprintf(fuse_message, sizeof(fuse_message), format, args);
	fuse_message[strcspn(fuse_message, "\n")] = '\0';
}

static void fill_node_stat(const struct disk *d, fuse_ino_t node, struct stat *st)
{
	*st = (struct stat){ .st_ino = node, .st_uid = geteuid(), .st_gid = getegid(), .st_blksize = ALIGNMENT };
	if (node == FILE_NODE) {
		st->st_mode = S_IFREG | 0600;
		st->st_nlink = 1;
		st->st_size = d->size;
		st->st_blocks = d->size / 512;
	} else {
		st->st_mode = S_IFDIR | 0700;
		st->st_nlink = 2;
	}
}

static void on_fuse_init(void *context, struct fuse_conn_info *conn)
{
	struct disk *d = context;

	conn->max_write = REQUEST_MAX;
	conn->max_read = REQUEST_MAX; /* must equal the mount option */
	conn->want &=
		~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE); /* splice would allocate pipes */
	d->ready = true;
}

static void on_fuse_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .ino = FILE_NODE, .attr_timeout = FOR_EVER, .entry_timeout = FOR_EVER };

	if (parent != FUSE_ROOT_ID || strcmp(name, FILE_NAME) != 0) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	fill_node_stat(fuse_req_userdata(req), FILE_NODE, &e.attr);
	fuse_reply_entry(req, &e);
}

static void on_fuse_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	fill_node_stat(fuse_req_userdata(req), node, &st);
	fuse_reply_attr(req, &st, FOR_EVER);
}

/* The size is fixed; changes of mode, owner and times (mkswap, dd) are accepted and ignored. */
static void on_fuse_setattr(fuse_req_t req, fuse_ino_t node, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	const struct disk *d = fuse_req_userdata(req);

	if ((to_set & FUSE_SET_ATTR_SIZE) && (node != FILE_NODE || attr->st_size != d->size))
		fuse_reply_err(req, EPERM);
	else
		on_fuse_getattr(req, node, fi);
}

static void on_fuse_readdir(fuse_req_t req, fuse_ino_t node, size_t size, off_t offset, struct fuse_file_info *fi)
{
	static const char *const names[] = { ".", "..", FILE_NAME };
	char out[512];
	size_t n = 0;

	(void)node;
	(void)fi;
	for (int i = (int)offset; i < 3; i++) {
		struct stat st;
		size_t entry;

		fill_node_stat(fuse_req_userdata(req), i == 2 ? FILE_NODE : FUSE_ROOT_ID, &st);
		entry = fuse_add_direntry(req, out + n, sizeof(out) - n, names[i], &st, i + 1);
		if (n + entry > size)
			break;
		n += entry;
	}
	fuse_reply_buf(req, out, n);
}

/* Reads or writes the backing file, with O_DIRECT so that every request reaches its disk; unaligned requests use the page
 * cache. 0 or -errno. */
static int access_backing(struct disk *d, enum disk_op op, size_t size, off_t offset)
{
	int fd = d->direct >= 0 ? d->direct : d->cached;
	size_t done = 0;

	while (done < size) {
		ssize_t n = op == DISK_READ ? pread(fd, d->data + done, size - done, offset + (off_t)done)
					    : pwrite(fd, d->data + done, size - done, offset + (off_t)done);

		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno == EINVAL && fd != d->cached) {
			fd = d->cached;
		} else if (!n) {
			return -EIO; /* the backing file has shrunk */
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* Bytes of a request that lie within the disk. */
static size_t clip_request(const struct disk *d, size_t size, off_t offset)
{
	if (offset < 0 || offset >= d->size)
		return 0;
	return (int64_t)size > d->size - offset ? (size_t)(d->size - offset) : size;
}

static void on_fuse_read(fuse_req_t req, fuse_ino_t node, size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct disk *d = fuse_req_userdata(req);
	int64_t start = clock_now();
	size_t n = clip_request(d, size > REQUEST_MAX ? REQUEST_MAX : size, offset);
	int err = access_backing(d, DISK_READ, n, offset);

	(void)node;
	(void)fi;
	d->cfg.wait(d->cfg.context, DISK_READ, start, (int64_t)n);
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_buf(req, d->data, n);
	d->cfg.served(d->cfg.context, DISK_READ, start, clock_now(), offset, (int64_t)n, err);
}

static void on_fuse_write(fuse_req_t req, fuse_ino_t node, const char *from, size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct disk *d = fuse_req_userdata(req);
	int64_t start = clock_now();
	size_t n = clip_request(d, size, offset);
	int err = n < size || size > REQUEST_MAX ? -ENOSPC : 0;

	(void)node;
	(void)fi;
	if (!err) {
		memcpy(d->data, from, n); /* the buffer of the request is not aligned */
		err = access_backing(d, DISK_WRITE, n, offset);
	}
	d->cfg.wait(d->cfg.context, DISK_WRITE, start, (int64_t)n);
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_write(req, n);
	d->cfg.served(d->cfg.context, DISK_WRITE, start, clock_now(), offset, (int64_t)n, err);
}

/* Opens with direct_io: the kernel passes on every read and answers none from its page cache. */
static void on_fuse_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	if (node != FILE_NODE) {
		fuse_reply_err(req, EISDIR);
		return;
	}
	fi->direct_io = 1;
	fuse_reply_open(req, fi);
}

static void on_fuse_fsync(fuse_req_t req, fuse_ino_t node, int data_only, struct fuse_file_info *fi)
{
	struct disk *d = fuse_req_userdata(req);

	(void)node;
	(void)data_only;
	(void)fi;
	fuse_reply_err(req, fdatasync(d->cached) ? errno : 0);
}

static const struct fuse_lowlevel_ops operations = {
	.init = on_fuse_init,
	.lookup = on_fuse_lookup,
	.getattr = on_fuse_getattr,
	.setattr = on_fuse_setattr,
	.readdir = on_fuse_readdir,
	.open = on_fuse_open,
	.read = on_fuse_read,
	.write = on_fuse_write,
	.fsync = on_fuse_fsync,
};

static int open_backing(struct disk *d, struct why *why)
{
	struct stat st;
	int err = 0;

	d->cached = open(d->cfg.backing, O_RDWR | O_CLOEXEC);
	if (d->cached < 0)
		err = -errno;
	else if (fstat(d->cached, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		err = -ENODEV;
	if (err)
		return why_fail(err, why, "cannot use %s: %s", d->cfg.backing,
				err == -ENODEV ? "neither a file nor a disk" : strerror(-err));
	d->direct = open(d->cfg.backing, O_RDWR | O_CLOEXEC | O_DIRECT);
	d->size = lseek(d->cached, 0, SEEK_END);
	if (d->size <= 0)
		return why_fail(-EINVAL, why, "cannot use %s: it is empty; give it a size with truncate -s SIZE or fallocate",
				d->cfg.backing);
	return 0;
}

/* Mounts, with standard error redirected: the message of fusermount3 (for ordinary users) is kept in fuse_message. */
static int mount_quietly(struct fuse_session *session, const char *folder)
{
	int words = memfd_create("words", MFD_CLOEXEC), before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), err, saved;
	bool kept = words >= 0 && before >= 0 && dup2(words, STDERR_FILENO) >= 0;
	ssize_t n;

	errno = 0;
	err = fuse_session_mount(session, folder);
	saved = errno;
	if (kept && dup2(before, STDERR_FILENO) >= 0 && err && (n = pread(words, fuse_message, sizeof(fuse_message) - 1, 0)) > 0) {
		fuse_message[n] = '\0';
		fuse_message[strcspn(fuse_message, "\n")] = '\0';
	}
	if (words >= 0)
		close(words);
	if (before >= 0)
		close(before);
	errno = saved;
	return err;
}

static int mount_fuse(struct disk *d, struct why *why)
{
	char most[64];
	char *words[] = { (char *)"slowdisk", (char *)"-o", most, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, words);
	struct stat st;
	int fd, err;

	errno = 0;
	if (stat(d->cfg.folder, &st) || !S_ISDIR(st.st_mode)) {
		err = errno ? -errno : -ENOTDIR;
		return why_fail(err, why, "cannot mount in %s: %s%s", d->cfg.folder, strerror(-err),
				err == -ENOTCONN ? "; a killed slowdisk has left a mount there: umount it" : "");
	}
	snprintf(most, sizeof(most), "fsname=slowdisk,max_read=%d", REQUEST_MAX);
	fuse_set_log_func(store_fuse_message);
	d->session = must_alloc(fuse_session_new(&args, &operations, sizeof(operations), d));
	if (mount_quietly(d->session, d->cfg.folder)) {
		err = access("/dev/fuse", F_OK) ? -ENODEV : errno ? -errno : -EIO;
		fuse_session_destroy(d->session);
		d->session = NULL;
		if (err == -ENODEV)
			why_say(why, "no /dev/fuse: FUSE is missing in this kernel or container; modprobe fuse");
		else
			why_say(why, "cannot mount in %s: %s", d->cfg.folder, fuse_message[0] ? fuse_message : strerror(-err));
		return err;
	}
	fd = fuse_session_fd(d->session);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); /* the kernel may cancel a request before it is read */
	return 0;
}

int disk_mount(struct disk **out, const struct disk_cfg *cfg, struct why *why)
{
	struct disk *d = memory_new(1, sizeof(*d));
	int err;

	*d = (struct disk){ .cfg = *cfg, .direct = -1, .cached = -1, .data = must_alloc(aligned_alloc(ALIGNMENT, REQUEST_MAX)) };
	err = open_backing(d, why);
	if (!err) {
		memset(d->data, 1, REQUEST_MAX);
		err = mount_fuse(d, why);
	}
	if (err) {
		disk_free(d);
		return err;
	}
	*out = d;
	return 0;
}

int64_t disk_size(const struct disk *d)
{
	return d->size;
}

bool disk_is_direct(const struct disk *d)
{
	return d->direct >= 0;
}

int disk_request_fd(const struct disk *d)
{
	return fuse_session_fd(d->session);
}

bool disk_is_mounted(const struct disk *d)
{
	return d->ready && !fuse_session_exited(d->session);
}

const char *disk_fuse_message(void)
{
	return fuse_message;
}

bool disk_serve(struct disk *d)
{
	int n = fuse_session_receive_buf(d->session, &d->request);

	if (n > 0)
		fuse_session_process_buf(d->session, &d->request);
	return !fuse_session_exited(d->session) && (n > 0 || n == -EINTR || n == -EAGAIN);
}

int disk_start_unmount(const struct disk *d)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid)
		return pid;
	if (!umount2(d->cfg.folder, UMOUNT_NOFOLLOW))
		_exit(0);
	if (errno == EPERM) {
		fclose(stderr); /* hides the message of fusermount3: slowdisk prints its own */
		execlp("fusermount3", "fusermount3", "-u", "--", d->cfg.folder, (char *)NULL);
	}
	_exit(errno & 0x7f);
}

void disk_free(struct disk *d)
{
	if (d->session) {
		fuse_session_unmount(d->session); /* already unmounted: only closes the descriptor */
		fuse_session_destroy(d->session);
	}
	if (d->direct >= 0)
		close(d->direct);
	if (d->cached >= 0)
		close(d->cached);
	free(d->request.mem);
	free(d->data);
	free(d);
}
