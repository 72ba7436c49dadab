// SPDX-License-Identifier: GPL-3.0-or-later
/* prototap - counts the traffic of a display protocol: bytes, packets, messages, updates and their stalls.
 *
 * wire/source.c reads packets, live or from files; run.c hands them to wire/meter.c, which counts them, and to watch/ with
 * --every; run_report.c writes the result. This file reads options, opens and closes. */
#include "proc.h"
#include "run.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define WAITS_MAX 65535 /* intervals of early data, 2 MB: enough for some hundred flows with the most holes */

enum { SNAPLEN = 262144, BUFFER_BYTES = 32 << 20 };

static struct server_ports ports;
static struct run_cfg cfg = { .ports = &ports,
			      .period_ns = 50 * NS_PER_MS,
			      .merge_ns = 10 * NS_PER_MS,
			      .flows = 20,
			      .flows_max = 32768,
			      .snaplen = SNAPLEN,
			      .buffer_bytes = BUFFER_BYTES,
			      .ready_fd = STDERR_FILENO,
			      .traffic_bin_ns = 100 * NS_PER_MS };
#define KEEP_LIVE 7 /* earlier tables; of a capture that was kept, none is deleted */
static struct interval_cfg write_cfg = { .rotate_bytes = 64 << 20 };
static struct rec_cfg out_cfg;
static int sandbox; /* enum confine_mode */

static int read_idle(const char *text, void *value)
{
	return idle_add_update_count(value, text);
}

static int read_ports(const char *text, void *value)
{
	cfg.port_name = cfg.port_name ? "those ports" : text;
	return ports_parse_list(value, text);
}

static int read_server(const char *text, void *value)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t *to = value;

	cfg.by_address = true;
	cfg.server_name = text;
	if (inet_pton(AF_INET6, text, to) == 1)
		return 0;
	memcpy(to, prefix, sizeof(prefix));
	return inet_pton(AF_INET, text, to + sizeof(prefix)) == 1 ? 0 : -1;
}

static const struct cli_opt options[] = {
	{ CLI_STR, 'i', "interface", &cfg.interface, .help = "live: capture on this interface; any: all", .meta = "IF" },
	{ CLI_CALL, 0, "port", &ports, .help = "only these server ports; 6000-6063 and x11:PORT belong to X11 displays",
	  .call = read_ports, .meta = "[x11:|server:]PORT[-PORT],..." },
	{ CLI_CALL, 0, "server", cfg.server, .help = "only connections of the server at this address", .call = read_server,
	  .meta = "ADDRESS" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .help = "live: stop after this time (default: on a signal)" },
	{ CLI_FILE, 'w', "write", &cfg.write_path, .help = "live: also write the packets (pcap)" },
	{ CLI_NS, 0, "period", &cfg.period_ns, 1e5, 1e10,
	  .help = "time between keys; longer gaps between updates are stalls (50ms)" },
	{ CLI_NS, 0, "merge", &cfg.merge_ns, 1e3, 1e10, .help = "messages closer than this are one update (10ms)" },
	{ CLI_INT, 0, "warmup", &cfg.warmup, 0, 1e6, .help = "leave the first N updates out of all figures of stalls (0)" },
	{ CLI_FILE, 0, "keys", &cfg.latency.keys, .help = "read: keys typed during the capture, from keyrepeat --log" },
	{ CLI_WORD, 0, "pairing", &cfg.latency.pairing, .help = "with --keys: pair keys with updates, or only write rows (blocks)",
	  .words = latency_pairings },
	{ CLI_WORD, 0, "assume", &cfg.latency.assume, .help = "with --keys; coalescing: one update answers several keys (nothing)",
	  .words = latency_assumes },
	{ CLI_CALL, 0, "idle", &cfg.latency.noise, .help = "with --keys: COUNT updates in TIME without keys; may be repeated",
	  .call = read_idle, .meta = "COUNT/TIME" },
	{ CLI_FILE, 0, "rows", &cfg.latency.rows, .help = "write a row for each update and key" },
	{ CLI_FILE, 0, "traffic", &cfg.traffic, .help = "write packets and bytes each way, per time bin" },
	{ CLI_NS, 0, "traffic-bin", &cfg.traffic_bin_ns, 1e6, 3600 * NS_PER_S, .help = "length of a time bin (100ms)" },
	{ CLI_NS, 0, "every", &cfg.every_ns, 1e8, 3600 * NS_PER_S, .help = "report each connection at intervals of this length" },
	{ CLI_FILE, 0, "intervals", &write_cfg.table, .help = "with --every: write a row for each interval and connection" },
	{ CLI_FILE, 0, "metrics", &write_cfg.metrics, .help = "with --every: write the latest interval, for node_exporter" },
	{ CLI_BYTES, 0, "rotate", &write_cfg.rotate_bytes, 4096, 1e12,
	  .help = "with --intervals: begin a new file at this size and each day (64M)" },
	{ CLI_INT, 0, "keep", &write_cfg.keep, 1, 1000,
	  .help = "with --intervals: keep this many earlier files (live: 7; read: all)" },
	{ CLI_FLAG, 0, "who", &write_cfg.who,
	  .help = "with live --every: if the server is to blame, name the local program with most CPU time" },
	{ CLI_WORD, 0, "decode", &cfg.decode, .help = "count messages of this unencrypted protocol (none)", .words = run_decodes },
	{ CLI_INT, 0, "flows", &cfg.flows, 0, 100000, .help = "list this many connections, those with most bytes (20)" },
	{ CLI_INT, 0, "flows-max", &cfg.flows_max, 1, 10000000, .help = "follow at most this many connections at a time (32768)" },
	{ CLI_INT, 0, "snaplen", &cfg.snaplen, 96, 262144, .help = "live: keep this many bytes of each packet (262144)",
	  .meta = "BYTES" },
	{ CLI_BYTES, 0, "buffer", &cfg.buffer_bytes, 1 << 20, 1 << 30, .help = "live: the kernel's buffer for packets (32M)" },
	{ CLI_FLAG, 0, "promiscuous", &cfg.promiscuous, .help = "live: also take packets for other machines" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "live: write \"ready\" to this descriptor (2)", .meta = "FD" },
	{ CLI_INT, 0, "parent", &cfg.parent, 1, 1e9, .help = "live: end when this process does, which must be the parent",
	  .meta = "PID" },
	CONFINE_OPTIONS(sandbox),
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static void check_options(bool live, char **file, int files)
{
	const struct rec_output_path place[] = {
		{ "-o", out_cfg.path },	  { "--rows", cfg.latency.rows },     { "--traffic", cfg.traffic },
		{ "-w", cfg.write_path }, { "--intervals", write_cfg.table }, { "--metrics", write_cfg.metrics }
	};

	const struct {
		bool wrong;
		const char *what;
	} rules[] = {
		{ !out_cfg.path && (is_stdout(cfg.latency.rows) || is_stdout(cfg.traffic) || is_stdout(write_cfg.table)),
		  "--rows, --traffic and --intervals - need -o FILE: the report goes elsewhere" },
		{ !cfg.latency.keys && (cfg.latency.assume || cfg.latency.pairing || cfg.latency.noise.window_ns),
		  "--pairing, --assume and --idle are for --keys" },
		{ cfg.traffic_bin_ns != 100 * NS_PER_MS && !cfg.traffic, "--traffic-bin is for --traffic FILE" },
		{ !cfg.every_ns && (write_cfg.table || write_cfg.metrics), "--intervals and --metrics are for --every TIME" },
		{ (write_cfg.rotate_bytes != 64 << 20 || write_cfg.keep) && (!write_cfg.table || is_stdout(write_cfg.table)),
		  "--rotate and --keep are for --intervals FILE" },
		{ write_cfg.who && !(live && cfg.every_ns), "--who is for prototap live with --every" },
		{ write_cfg.who && out_cfg.detail == REC_QUIET, "--who names programs in the lines that -q leaves out" },
		{ is_stdout(write_cfg.metrics), "--metrics needs a file" },
		{ cfg.every_ns && cfg.latency.keys, "--keys is not for --every" },
		{ cfg.merge_ns > cfg.period_ns, "--merge is longer than --period: no update is longer than a key's period" },
		{ live && cfg.latency.keys,
		  "--keys is for prototap read: write the capture with -w, and read it with its keys afterwards" },
		{ live && files, "live takes no files: prototap read FILE..." },
		{ live && !cfg.interface, "live needs an interface: -i IF" },
		{ live && !ports.spans, "live needs --port: which connections are the protocol's" },
		{ live && is_stdout(cfg.write_path), "-w needs a file: standard output carries the report" },
		{ !live && !files, "read needs a file: prototap read FILE..." },
		{ !live && (cfg.interface || cfg.write_path || cfg.time_ns || cfg.snaplen != SNAPLEN ||
			    cfg.buffer_bytes != BUFFER_BYTES || cfg.promiscuous || cfg.ready_fd != STDERR_FILENO || cfg.parent),
		  "-i, -w, -t, --snaplen, --buffer, --promiscuous, --ready-fd and --parent are for prototap live" },
	};

	rec_refuse_same_outputs(place, sizeof(place) / sizeof(*place));
	for (int i = 0; i < files; i++)
		rec_refuse_output_of_input(place, sizeof(place) / sizeof(*place), file[i]);
	if (cfg.latency.keys)
		rec_refuse_output_of_input(place, sizeof(place) / sizeof(*place), cfg.latency.keys);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].wrong)
			die_usage("%s", rules[i].what);
}

static void open_source(struct run_state *run, char **files, int n)
{
	char filter[CAPTURE_FILTER];
	struct why why;
	struct capture_cfg from = { .interface = cfg.interface,
				    .filter = filter,
				    .write_path = cfg.write_path,
				    .snaplen = (int)cfg.snaplen,
				    .buffer_bytes = cfg.buffer_bytes,
				    .promiscuous = cfg.promiscuous };

	if (run->live && ports_write_filter(&ports, filter, sizeof(filter)))
		die_usage("too many ports");
	run->source = run->live ? source_open_live(&from, &why) : source_open_files(files, n, &why);
	if (!run->source && run->again)
		exit(SUPERVISE_NOT_YET); /* the interface is down, or disappeared again */
	if (!run->source)
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
	if (run->again)
		warn("%s is back", cfg.interface);
	if (run->live)
		capture_list_offloads(cfg.interface, run->offloads, sizeof(run->offloads));
}

/* Returns the exit status of the run. A live capture without a packet is no error; one whose intervals were asked for has lost
 * something. */
static int find_exit_status(const struct run_state *run)
{
	struct why why;
	bool empty = run_is_empty(run, &why), silent = empty && run->live && cfg.every_ns && !run->again;
	bool lossy = silent || ((run->live || !empty) && run_has_losses(run, &why));

	if (proc_stop && (!run->live || cfg.time_ns))
		return EXIT_INTERRUPTED; /* a live capture without -t is meant to end by a signal */
	return empty && !run->live ? EXIT_RUN : lossy ? EXIT_LOSSY : EXIT_OK;
}

/* Opens the report, and the files of rows. */
static struct rec_report *open_run_report(struct run_state *run)
{
	struct rec_report *out = rec_must_open(&out_cfg, "prototap");
	struct why why;

	if (latency_open(&run->latency, &cfg.latency, &why))
		die(EXIT_RUN, "%s", why.text);
	run->traffic.rows = rows_must_open(cfg.traffic, "traffic/1", traffic_columns);
	return out;
}

static void open_intervals(struct run_state *run)
{
	int err;

	if (!cfg.every_ns)
		return;
	if (run->live && !write_cfg.keep)
		write_cfg.keep = KEEP_LIVE;
	write_cfg.append = run->again;
	write_cfg.terminal = isatty(STDERR_FILENO);
	write_cfg.line = run->live && out_cfg.detail != REC_QUIET &&
			 (write_cfg.terminal || write_cfg.who || (!write_cfg.table && !write_cfg.metrics));
	write_cfg.ports = cfg.port_name;
	write_cfg.interface = cfg.interface;
	write_cfg.tells_silence = run->live && !run->again;
	err = writer_open(&run->writer, &write_cfg);
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", write_cfg.table, strerror(-err));
	run->intervals = (struct intervals){ .every_ns = cfg.every_ns,
					     .merge_ns = cfg.merge_ns,
					     .period_ns = cfg.period_ns,
					     .ports = &ports,
					     .rfb = cfg.decode == 1,
					     .dropped = -1,
					     .row = writer_add_row,
					     .end = writer_end_interval,
					     .context = &run->writer };
}

static void give_up_rights(struct run_state *run, pid_t parent)
{
	struct confine_cfg confine = { .profile = cfg.every_ns ? CONFINE_RECORD : CONFINE_DECODE,
				       .mode = sandbox,
				       .files = { out_cfg.path, write_cfg.table, write_cfg.metrics } };
	struct why why;
	int err = drop_privileges(&confine, run->privileges, sizeof(run->privileges), &why);

	if (err)
		die(EXIT_RUN, "cannot drop privileges: %s", why.text);
	/* with the rights that are left; after a restart, a failure is no reason to end */
	err = cfg.every_ns && write_cfg.metrics && !run->again ? writer_write_metrics(&run->writer, -1) : 0;
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", write_cfg.metrics, strerror(-err));
	/* not before: the kernel forgets the signal when the user id changes */
	if (parent && proc_end_with_parent(SIGTERM, parent))
		proc_stop = SIGTERM;
}

/* The meter's settings, and the observers that the options ask for. */
static struct meter_cfg make_meter_cfg(struct run_state *run)
{
	const struct key_log *typed = cfg.latency.keys ? &run->latency.typed : NULL;
	struct meter_cfg meter = { .ports = &ports,
				   .waits_max = WAITS_MAX,
				   .server = cfg.by_address ? cfg.server : NULL,
				   .typed = typed,
				   .decode = cfg.decode,
				   .period_ns = cfg.period_ns,
				   .merge_ns = cfg.merge_ns,
				   .warmup = (uint64_t)cfg.warmup,
				   .watch = cfg.every_ns > 0,
				   .flows_max = (uint32_t)cfg.flows_max,
				   .flows_shown = (uint32_t)cfg.flows };

	if (getrandom(&meter.seed, sizeof(meter.seed), 0) < 0)
		meter.seed = (uint64_t)clock_now();
	if (run->latency.tap.context)
		meter.tap[meter.taps++] = run->latency.tap;
	if (cfg.every_ns)
		meter.tap[meter.taps++] = (struct meter_observer){ .context = &run->intervals,
								   .packet = interval_add_packet,
								   .data = interval_add_data };
	if (run->traffic.rows) {
		run->traffic.bin_ns = cfg.traffic_bin_ns;
		run->traffic.typed = typed;
		meter.tap[meter.taps++] = (struct meter_observer){ .context = &run->traffic,
								   .packet = traffic_add_packet,
								   .data = traffic_add_payload };
	}
	return meter;
}

static void count_all_packets(struct run_state *run)
{
	struct meter_cfg meter;
	struct why why, lost;

	if (!run->live && source_begin(run->source, false, &why))
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
	run->link = source_link_layer(run->source)->type;
	if (latency_read_keys(&run->latency, &why))
		die(EXIT_RUN, "%s", why.text);
	meter = make_meter_cfg(run);
	if ((run->live ? run_live : run_files)(run, &meter, &why))
		die(EXIT_RUN, "%s", why.text);
	if (latency_finish(&run->latency, run->meter.last_ns, &why))
		die(EXIT_RUN, "%s",
		    (run->meter.decoded[DECODED_SHORT] && run_is_empty(run, &lost)) ||
				    (run->meter.one_way && run_has_losses(run, &lost))
			    ? lost.text
			    : why.text);
}

/* The tables end with the live capture, or with the last packet of a file. The interval under way then counts as one, too. */
static void finish_tables(struct run_state *run)
{
	int64_t end_ns = run->live ? run->until_ns : run->meter.last_ns;
	int err = 0;

	if (run->traffic.rows) {
		traffic_finish(&run->traffic, end_ns);
		err = rows_close(run->traffic.rows);
	}
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", cfg.traffic, strerror(-err));
	if (!cfg.every_ns)
		return;
	if (run->intervals.start_ns)
		intervals_finish(&run->intervals, end_ns);
	intervals_free(&run->intervals);
	run->unwritten = writer_close(&run->writer);
}

int main(int argc, char **argv)
{
	static struct run_state run = { .cfg = &cfg, .until_ns = INT64_MAX };
	static struct rec_report *out; /* static: no leak is reported where die() ends the program */
	pid_t parent;		       /* of the supervised process; 0: it is not supervised */
	int64_t start;
	int at, status, err;

	at = cli_parse(argc, argv, "prototap live -i IF --port P,... [-t TIME] [-w FILE] | prototap read FILE... [options]",
		       "Counts bytes, packets, messages, updates and stalls of a display protocol, live or in pcap(ng) files.",
		       options);
	if (at == argc || (strcmp(argv[at], "live") != 0 && strcmp(argv[at], "read") != 0))
		die_usage("give a command: prototap live, or prototap read");
	run.live = !strcmp(argv[at++], "live");
	check_options(run.live, argv + at, argc - at);
	if (run.live)
		proc_require_ready_fd((int)cfg.ready_fd);
	proc_require_parent(cfg.parent);
	/* These files cannot be gone on with. */
	parent = run.live && cfg.every_ns && !cfg.write_path && !cfg.latency.rows && !cfg.traffic ? getpid() : 0;
	start = clock_now();
	if (parent)
		run.again = supervise_fork(cfg.interface, cfg.time_ns ? start + cfg.time_ns : 0);
	if (run.again && cfg.time_ns)
		cfg.time_ns = start + cfg.time_ns > clock_now() ? start + cfg.time_ns - clock_now() : 1;
	run.quiet = out_cfg.detail == REC_QUIET || cfg.every_ns;
	proc_catch_stop(); /* before the output is opened, which a signal would leave half written */
	open_source(&run, argv + at, argc - at);
	out = open_run_report(&run);
	open_intervals(&run);
	give_up_rights(&run, parent ? parent : (pid_t)cfg.parent);
	count_all_packets(&run);
	finish_tables(&run);
	if (parent && *run.error.text && !proc_stop)
		exit(SUPERVISE_GONE); /* without a report: the next one goes on */
	run_report(out, &run, argv + at);
	status = find_exit_status(&run);
	meter_free(&run.meter);
	latency_free(&run.latency);
	err = source_close(run.source);
	if (err)
		warn("%s is incomplete: %s", cfg.write_path, strerror(-err));
	if (err && status == EXIT_OK)
		status = EXIT_LOSSY;
	rec_must_close(out);
	return status;
}
