// SPDX-License-Identifier: GPL-3.0-or-later
/* readers_fuzz - the readers of what files and command lines say, and of payload that prototap decodes; one is chosen by the first
 * byte (enum reader). A reader may refuse its input with an error or with die(): anything else ends the target.
 *
 * OPTIONS: a word a line. RDP: the address of a server, a line end, the list of known certificates. X11:
 * packets as a byte (128: of the display; 64: a quarter was not captured; the rest: the length less one, by four), and that many
 * bytes. Others: the file. */
#include "cli.h"
#include "json_in.h"
#include "keyrepeat/script.h"
#include "rdp/server.h"
#include "rows_in.h"
#include "wire/flow.h"
#include "wire/key_log.h"
#include "wire/tls.h"
#include "wire/x11.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[32]; /* for readers that open files by name */
static jmp_buf refused;

static bool reading;
static int beyond; /* the first file that a reader opens */

/* What a reader has allocated is lost when it ends in die(); its files are closed. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));
int __wrap_fputs(const char *text, FILE *out);
void __wrap_exit(int status)
{
	if (!reading)
		__real_exit(status);
	longjmp(refused, 1);
}
int __wrap_fputs(const char *text, FILE *out) /* (what die() says) */
{
	(void)text, (void)out;
	return 0;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A file at `path`, of the same inode in each turn. */
static void put_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "we");

	must(f && fwrite(data, 1, size, f) == size && !fclose(f));
}

static int keep_row(void *context, char *const *cell)
{
	size_t *rows = context;
	int64_t number;

	for (int i = 0; i < 4; i++)
		if (cell[i] && rows_in_int(cell[i], &number) && rows_in_count(cell[i], &number))
			must(number == ROWS_IN_NONE || number >= 0);
	++*rows;
	return 0;
}

static void read_rows(FILE *in, unsigned long *line)
{
	static const char *const columns[] = { "key", "due_ns", "sent_ns", "note", NULL };
	size_t rows = 0;

	rows_in_read(in, "keys/1", columns, 2, keep_row, &rows, line);
}

static void read_keys(FILE *in, unsigned long *line)
{
	struct key_log log = { 0 };

	if (!key_log_read(in, &log, line)) {
		must(log.n && log.n <= KEY_LOG_MAX && log.walls + log.unsent == log.n);
		key_log_convert(&log, 0);
		key_log_free(&log);
	}
}

static void read_script(FILE *in, unsigned long *line)
{
	struct act_script script;
	const char *wrong;
	size_t at;

	if (!script_read(in, &script, &at, &wrong))
		for (size_t i = 1; i < script.n; i++)
			must(script.offset_ns[i] >= script.offset_ns[i - 1]);
	script_free(&script);
	*line = at;
}

static void read_json(const char *path)
{
	static const char *const paths[] = { "result.stalls.mean_ms", "a", "0", "a.0.b", "schema" };
	struct why why;
	struct json_document *j = json_read_file(path, &why);
	double real;
	int64_t whole;
	bool truth;

	for (size_t i = 0; j && i < sizeof(paths) / sizeof(*paths); i++) {
		if (json_get_int(j, paths[i], &whole))
			must(json_get_real(j, paths[i], &real));
		json_get_bool(j, paths[i], &truth);
		json_get_str(j, paths[i]);
	}
	if (j)
		json_free(j);
}

static void read_options(char *text)
{
	static const char *const words[] = { "one", "two", NULL };
	static bool flag;
	static int word;
	static int64_t number, time_ns, bytes, rate;
	static double real, percent;
	static const char *name;
	static struct cli_cpus cpus;
	struct cli_pids pids = { 0 };
	const struct cli_opt options[] = { { CLI_FLAG, 'f', "flag", &flag },
					   { CLI_INT, 'n', "number", &number, -5, 1e6 },
					   { CLI_REAL, 'r', "real", &real, 0, 1 },
					   { CLI_PERCENT, 'p', "percent", &percent, 0, 100 },
					   { CLI_NS, 't', "time", &time_ns, 0, 1e12 },
					   { CLI_BYTES, 'b', "bytes", &bytes, 1, 1e15 },
					   { CLI_STR, 's', "name", &name },
					   { CLI_WORD, 'w', "word", &word, .words = words },
					   { CLI_CPUS, 'c', "cpus", &cpus },
					   { CLI_PIDS, 'P', "pids", &pids },
					   { .type = CLI_END } };
	char *argv[32] = { (char[]){ "fuzz" } }, cpu_text[64], *one;
	int argc = 1;

	while (argc < 31 && (one = strsep(&text, "\n"))) {
		if (!strncmp(one, "-h", 2) || !strncmp(one, "-V", 2) || !strncmp(one, "--h", 3) || !strncmp(one, "--v", 3))
			continue; /* (they print) */
		cli_parse_rate(one, &rate);
		argv[argc++] = one;
	}
	optind = 0; /* getopt may be inside of a word of the input before */
	cli_parse(argc, argv, "fuzz [options]", "a test", options);
	must(number >= -5 && number <= 1e6 && real >= 0 && real <= 1 && percent >= 0 && percent <= 100 && time_ns >= 0 &&
	     word >= 0);
	for (int i = 1; i < cpus.n; i++)
		must(cpus.cpu[i] > cpus.cpu[i - 1]);
	cli_format_cpus(&cpus, cpu_text, sizeof(cpu_text));
	number = 0, real = 0, percent = 0, time_ns = 0, bytes = 1;
}

static void read_rdp(char *text, const char *path)
{
	char known[RDP_FINGERPRINT], address[300], again[300], *list = strchr(text, '\n');
	struct rdp_server server, same;

	if (list)
		*list = '\0';
	if (rdp_server_parse(text, &server))
		return;
	rdp_server_format(&server, address, sizeof(address));
	must(*server.host && server.port > 0 && server.port <= 65535 && strlen(address) < sizeof(address) - 1);
	if (!rdp_server_parse(address, &same)) { /* (a host of an ordinary name) */
		rdp_server_format(&same, again, sizeof(again));
		must(same.port == server.port && !strcmp(again, address));
	}
	put_file(path, list ? list + 1 : "", list ? strlen(list + 1) : 0);
	must(!rdp_find_known(path, &server, known, sizeof(known)) && strlen(known) < sizeof(known));
	must(!*known || strstr(list + 1, known));
}

static void read_x11(const uint8_t *data, size_t size)
{
	struct x11_counts *sum = x11_alloc_counts();
	struct x11_stream *x = sum ? x11_alloc_stream(sum) : NULL;
	uint64_t bytes = 0, fed = 0;

	must(x);
	while (size > 1) {
		bool display = data[0] & 128;
		uint32_t n = (data[0] & 63u) * 4 + 1, captured;
		uint8_t *piece;

		n = n < size - 1 ? n : (uint32_t)size - 1;
		captured = data[0] & 64 ? n - n / 4 : n;
		piece = malloc(captured ? captured : 1); /* of its exact size: a read beyond is seen */
		must(piece);
		memcpy(piece, data + 1, captured);
		skip_parser_feed(display ? &x->server : &x->client, piece, captured, n, display ? x11_step_server : x11_step_client,
				 x);
		free(piece);
		data += n + 1;
		size -= n + 1;
		fed += n;
	}
	for (int k = 0; k < X11_KINDS; k++)
		for (int e = 0; e < sum->extensions; e++)
			for (int i = 0; i < X11_MINORS; i++)
				bytes += sum->tally[k][e][i].bytes;
	bytes += sum->setup[0].bytes + sum->setup[1].bytes;
	must(bytes + x->client.unclaimed + x->client.undecoded + x->server.unclaimed + x->server.undecoded == fed);
	free(sum);
	free(x);
}

static void read_tls(const uint8_t *data, size_t size)
{
	struct tls_parser whole = { 0 }, pieces = { 0 };
	struct tls_counts n = { 0 }, m = { 0 };
	bool least = false;

	tls_is_start(data, size, true);
	tls_cipher_overhead(tls_server_hello_cipher(data, size), &least);
	tls_count_records(&whole, &n, 24, data, (uint32_t)size, (uint32_t)size);
	for (size_t at = 0, now; at < size; at += now) {
		now = size - at < 7 ? size - at : 7;
		tls_count_records(&pieces, &m, 24, data + at, (uint32_t)now, (uint32_t)now);
	}
	must(!memcmp(&n, &m, sizeof(n)) && n.record_bytes <= size);
	tls_stop(&whole, &n);
}

/* (a seed's first byte is the number of its reader) */
enum reader { ROWS, KEYS = 2, SCRIPT = 4, JSON, OPTIONS, X11 = 9, TLS, RDP, READERS };

static void read_text(enum reader kind, char *text, size_t size)
{
	static void (*const table[])(FILE *, unsigned long *) = { read_rows, read_rows, read_keys, read_rows, read_script };
	unsigned long line = 0;
	char path[64];
	FILE *in;

	snprintf(path, sizeof(path), "%s/file", folder);
	if (kind == JSON)
		put_file(path, text, size);
	if (kind <= SCRIPT && size) {
		in = fmemopen(text, size, "r");
		must(in);
		table[kind](in, &line);
		fclose(in);
	} else if (kind == JSON) {
		read_json(path);
	} else if (kind == OPTIONS) {
		read_options(text);
	} else if (kind == RDP) {
		read_rdp(text, path);
	}
}

static void make_folder(void)
{
	beyond = dup(STDERR_FILENO);
	must(beyond > 0 && !close(beyond));
	snprintf(folder, sizeof(folder), "/dev/shm/readers_fuzz.%d", (int)getpid());
	must(!mkdir(folder, 0700));
}

static void remove_folder(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/file", folder);
	remove(path);
	remove(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *volatile text;

	if (!*folder) {
		make_folder();
		atexit(remove_folder);
	}
	if (size < 2)
		return 0;
	if (data[0] % READERS == X11 || data[0] % READERS == TLS) {
		(data[0] % READERS == X11 ? read_x11 : read_tls)(data + 1, size - 1);
		return 0;
	}
	text = malloc(size);
	must(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	reading = true;
	if (!setjmp(refused))
		read_text(data[0] % READERS, text, size - 1);
	else
		close_range((unsigned)beyond, ~0u, 0);
	reading = false;
	free(text);
	return 0;
}
