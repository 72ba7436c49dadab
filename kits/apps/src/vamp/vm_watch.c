// SPDX-License-Identifier: GPL-3.0-or-later
#include "vm.h"
#include "memory.h"
#include "clock.h"
#include "control.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void make_fast(struct guest_state *s)
{
	for (int i = 0; i < s->vcpus; i++) {
		s->slow[i] = false;
		s->percent[i] = -1;
	}
}

void state_init(struct guest_state *s, int vcpus, int64_t now_ns)
{
	*s = (struct guest_state){ .vcpus = vcpus, .heard_ns = now_ns };
	make_fast(s);
}

/* Ends the episode, for a reason of the host's. */
static void state_end_episode(struct guest_state *s, const char *why)
{
	if (!s->episode)
		return;
	s->episode = false;
	s->ended_by = why;
	make_fast(s);
}

/* Checks the sequence number, and counts missing lines. The first line may have any number, since the agent may have started
 * before. */
static int accept_sequence(struct guest_state *s, int64_t sequence)
{
	int64_t gap = s->sequence ? sequence - s->sequence - 1 : 0;

	if (sequence == 1)
		state_end_episode(s, "new agent");
	else if (gap < 0)
		return -EPROTO;
	else if (s->lost < AGENT_SEQUENCE_MAX) /* prevents an overflow by a hostile guest */
		s->lost += gap;
	s->sequence = sequence;
	return 0;
}

void state_add_line(struct guest_state *s, const char *text, int64_t now_ns)
{
	struct agent_line line;
	int err = agent_parse(text, &line);

	s->lines++;
	s->foreign |= err == -EPROTONOSUPPORT;
	if (err || (line.word == AGENT_CPU && line.cpu >= s->vcpus) || accept_sequence(s, line.sequence)) {
		s->refused++;
		return;
	}
	s->heard_ns = now_ns;
	s->silent = false;
	if (line.word == AGENT_BEGIN) {
		state_end_episode(s, "next episode");
		s->episode = true;
		s->episodes++;
	} else if (line.word == AGENT_END) {
		state_end_episode(s, "agent");
	} else if (line.word == AGENT_CPU && s->episode) {
		s->percent[line.cpu] = line.percent;
		s->slow[line.cpu] = line.percent > 50;
	}
}

bool state_end_silent(struct guest_state *s, int64_t now_ns)
{
	if (s->silent || now_ns - s->heard_ns <= VM_SILENCE_NS)
		return false;
	s->silent = true;
	state_end_episode(s, "silence");
	return true;
}

#define LOG_NS (100 * NS_PER_MS)
#define PIECE 8192		  /* bytes read at a time */
#define PAUSE_NS (10 * NS_PER_MS) /* pause after each read: a guest that floods the port costs the host little */
#define LEAST_NS NS_PER_MS	  /* shorter intervals get no rows of their own */

const char *const vm_watch_columns[] = {
	"time_ns", "interval_ns", "vcpu", "weight", "background_percent", "run_ns", "wait_ns", NULL
};

static void read_times(struct guest_watch *w, int64_t now_ns)
{
	for (size_t i = 0; i < w->vm->n; i++) {
		struct proc_schedstat stat;

		if (w->slow[i])
			w->all[i].slow_ns += now_ns - w->accounted_ns;
		if (proc_read_schedstat(w->vm->vcpu[i].tid, &stat))
			continue; /* the thread has ended */
		if (!w->accounted_ns)
			w->base[i] = (struct vcpu_times){ 0, stat.run_ns, stat.wait_ns };
		w->all[i].run_ns = stat.run_ns - w->base[i].run_ns;
		w->all[i].wait_ns = stat.wait_ns - w->base[i].wait_ns;
	}
	w->accounted_ns = now_ns;
}

/* Writes rows for the time since the last rows, with the weights that were in force. */
static void write_rows(struct guest_watch *w)
{
	if (!w->log || w->accounted_ns - w->logged_ns < LEAST_NS)
		return;
	for (size_t i = 0; i < w->vm->n; i++) {
		rows_write_ints(w->log, w->accounted_ns, w->accounted_ns - w->logged_ns, w->vm->vcpu[i].index,
				weights_get_scaled(w->weights, w->slow[i]));
		rows_write_count(w->log, w->percent[i]);
		rows_write_ints(w->log, w->all[i].run_ns - w->logged[i].run_ns, w->all[i].wait_ns - w->logged[i].wait_ns);
		rows_end_row(w->log);
	}
	w->logged_ns = w->accounted_ns;
	memcpy(w->logged, w->all, sizeof(w->logged));
}

static int record_episode_begin(struct guest_watch *w)
{
	struct guest_episode *e;

	w->seen = w->state.episodes;
	if (w->episodes == VM_EPISODES)
		return 0;
	if (array_room(&w->episode, w->episodes))
		return -ENOMEM;
	e = &w->episode[w->episodes];
	*e = (struct guest_episode){ .started_ns = w->accounted_ns,
				     .background = w->background,
				     .vcpu = malloc(w->vm->n * sizeof(*e->vcpu)) };
	if (!e->vcpu)
		return -ENOMEM;
	memcpy(e->vcpu, w->all, w->vm->n * sizeof(*e->vcpu));
	w->episodes++;
	w->open = true;
	return 0;
}

static void record_episode_end(struct guest_watch *w)
{
	struct guest_episode *e = &w->episode[w->episodes - 1];

	e->ended_ns = w->accounted_ns;
	e->ended_by = w->state.ended_by;
	for (size_t i = 0; i < w->vm->n; i++)
		e->vcpu[i] = (struct vcpu_times){ w->all[i].slow_ns - e->vcpu[i].slow_ns, w->all[i].run_ns - e->vcpu[i].run_ns,
						  w->all[i].wait_ns - e->vcpu[i].wait_ns };
	w->open = false;
}

/* Sets the weights by the current state: once in a pause, however many lines came. */
static int apply_state(struct guest_watch *w)
{
	bool over = w->open && (!w->state.episode || w->seen != w->state.episodes);
	bool begun = w->state.episode && w->seen != w->state.episodes;

	if (over || begun || memcmp(w->slow, w->state.slow, sizeof(w->slow))) {
		read_times(w, clock_now());
		write_rows(w);
	}
	for (size_t i = 0; i < w->vm->n; i++) {
		if (w->slow[i] == w->state.slow[i])
			continue;
		if (weights_set(w->weights, i, w->state.slow[i])) {
			w->failures++;
			continue; /* retried at the agent's next line */
		}
		w->slow[i] = w->state.slow[i];
	}
	memcpy(w->percent, w->state.percent, sizeof(w->percent));
	if (over)
		record_episode_end(w);
	return begun ? record_episode_begin(w) : 0;
}

/* Asks QEMU for the registers. One that does not answer has ended. 0, or -EPROTO: it does not tell them. */
static int sample_registers(struct guest_watch *w)
{
	uint64_t task[AGENT_CPUS];
	int64_t spent_ns[AGENT_CPUS];
	json_t *answer = qmp_ask(w->qmp, "{\"execute\": \"human-monitor-command\", "
					 "\"arguments\": {\"command-line\": \"info registers -a\"}}\n");
	const char *text = json_string_value(json_object_get(answer, "return"));
	int err = text ? registers_parse(text, task, w->vm->n) : 0;

	w->closed |= !text;
	if (text && !err) {
		read_times(w, clock_now());
		for (size_t i = 0; i < w->vm->n; i++)
			spent_ns[i] = w->all[i].run_ns + w->all[i].wait_ns;
		registers_add(w->registers, w->accounted_ns, task, spent_ns);
		w->samples++;
	}
	json_decref(answer);
	return err;
}

/* In an episode a vCPU is slow as long as its register holds a background task, whatever the agent has said of it. */
static void apply_registers(struct guest_watch *w)
{
	if (!w->state.episode)
		return;
	if (w->seen != w->state.episodes)
		w->background = (int64_t)registers_judge(w->registers, clock_now());
	for (size_t i = 0; i < w->vm->n; i++) {
		w->state.slow[i] = registers_background(w->registers, i);
		w->state.percent[i] = w->state.slow[i] ? 100 : 0;
	}
}

static void read_lines(struct guest_watch *w, struct line_assembler *lines)
{
	char text[PIECE];
	ssize_t n = read(w->port, text, sizeof(text));
	int64_t now_ns = clock_now();

	w->closed = !n || (n < 0 && errno != EAGAIN && errno != EINTR);
	for (size_t at = 0; n > 0 && at < (size_t)n;) {
		const char *line;

		at += line_assemble(lines, text + at, (size_t)n - at, &line);
		if (line)
			state_add_line(&w->state, line, now_ns);
	}
}

static int poll_loop(struct guest_watch *w, const sigset_t *signals)
{
	struct line_assembler lines = { 0 };
	int64_t deaf_ns = 0, due_ns = w->log ? w->started_ns + LOG_NS : INT64_MAX, now_ns;
	int64_t sample_ns = w->registers ? w->started_ns : INT64_MAX;
	int err = 0;

	while (!err && !proc_stop && !w->closed && (now_ns = clock_now()) < w->until_ns) {
		bool deaf = now_ns < deaf_ns;
		int64_t silence_ns = w->state.silent ? INT64_MAX : w->state.heard_ns + VM_SILENCE_NS + NS_PER_MS;
		int64_t next =
			clock_earlier(clock_earlier(w->until_ns, clock_earlier(due_ns, sample_ns)), deaf ? deaf_ns : silence_ns);
		int64_t left = next > now_ns ? next - now_ns : 0;
		struct timespec ts = clock_timespec(left);
		struct pollfd port = { .fd = deaf ? -1 : w->port, .events = POLLIN };

		if (ppoll(&port, 1, &ts, signals) > 0) {
			read_lines(w, &lines);
			deaf_ns = clock_now() + PAUSE_NS;
		}
		now_ns = clock_now();
		if (now_ns >= sample_ns) {
			err = sample_registers(w);
			sample_ns = now_ns + REGISTERS_NS;
		}
		if (w->closed)
			state_end_episode(&w->state, "port closed");
		else if (!deaf && state_end_silent(&w->state, now_ns)) {
			w->silences++;
			warn("the guest's agent is silent: all vCPUs are equal until its next line");
		}
		if (w->registers)
			apply_registers(w);
		err = err ? err : apply_state(w);
		if (now_ns >= due_ns) {
			now_ns = clock_now();
			read_times(w, now_ns);
			write_rows(w);
			rows_flush(w->log);
			due_ns += (1 + (now_ns - due_ns) / LOG_NS) * LOG_NS;
		}
	}
	return err;
}

int guest_watch_run(struct guest_watch *w)
{
	int64_t cpu_ns = clock_process_cpu();
	sigset_t stops, before;
	int err, last;

	w->started_ns = clock_now();
	state_init(&w->state, (int)w->vm->n, w->started_ns);
	w->background = -1;
	if (w->qmp && !(w->registers = registers_new(w->vm->n)))
		return -ENOMEM;
	memcpy(w->percent, w->state.percent, sizeof(w->percent));
	read_times(w, w->started_ns);
	w->logged_ns = w->started_ns;
	proc_fill_stop_set(&stops); /* delivered only during the poll, so that none is missed */
	sigprocmask(SIG_BLOCK, &stops, &before);
	err = poll_loop(w, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	state_end_episode(&w->state, "end of the run");
	last = apply_state(w);
	read_times(w, clock_now());
	write_rows(w);
	w->ended_ns = w->accounted_ns;
	w->cpu_ns = clock_process_cpu() - cpu_ns;
	return err ? err : last;
}

void guest_watch_free(struct guest_watch *w)
{
	for (size_t i = 0; i < w->episodes; i++)
		free(w->episode[i].vcpu);
	free(w->episode);
	registers_free(w->registers);
}
