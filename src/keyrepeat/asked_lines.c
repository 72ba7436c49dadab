// SPDX-License-Identifier: GPL-3.0-or-later
#include "asked_lines.h"
#include "array.h"
#include "clock.h"
#include "say.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Takes one line. False at the end of the input, or when there is nothing to ask for any more. */
static bool take_next_line(struct asked_talk *talk)
{
	struct pollfd in = { .fd = talk->in_fd, .events = POLLIN };
	char c;

	while (!sender_ended(&talk->asked->sender)) {
		ssize_t n;

		if (poll(&in, 1, 50) <= 0)
			continue;
		n = read(talk->in_fd, &c, 1);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		if (n == 1 && c == '\n')
			return true;
	}
	return false;
}

/* Before a key is asked for, not while it is under way. */
static int make_block_room(struct train *t)
{
	return array_room(&t->key, t->blocks) || array_room(&t->block, t->blocks) || array_room(&t->wall, t->blocks) ? -ENOMEM : 0;
}

static int print_answer(const struct asked_talk *talk, const struct pair_key *key, enum asked_how how)
{
	char line[160], sent[24] = "none", answered[24] = "none";
	size_t done = 0, length;

	if (key->sent_ns)
		snprintf(sent, sizeof(sent), "%lld", (long long)key->sent_ns);
	if (key->answer_ns)
		snprintf(answered, sizeof(answered), "%lld", (long long)key->answer_ns);
	length = (size_t)snprintf(line, sizeof(line), "%zu\t%lld\t%s\t%s\t%s\n", talk->train.blocks,
				  (long long)key->due_ns, sent, answered, asked_words[how]);
	while (done < length) {
		ssize_t n = write(talk->out_fd, line + done, length - done);

		if (n < 0 && errno != EINTR)
			return -EPIPE;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int asked_lines_run(struct asked_talk *talk)
{
	struct train *t = &talk->train;
	int err = 0;

	*t = (struct train){ .base = talk->asked->base, .begin_ns = clock_now() };
	while (!(err = make_block_room(t)) && take_next_line(talk)) {
		size_t i = t->blocks;
		enum asked_how how = asked_key(talk->asked, talk->key, &t->key[i]);

		t->key[i].skipped = i < talk->skip;
		t->block[i] = (struct train_block){ .first = i, .n = 1, .begin_ns = t->key[i].due_ns, .end_ns = clock_now() };
		clock_read_offset(&t->wall[i]);
		t->walls = t->due = ++t->blocks;
		talk->count[how]++;
		talk->sent += t->key[i].sent_ns != 0;
		err = print_answer(talk, &t->key[i], how);
		if (err)
			break;
	}
	t->end_ns = clock_now();
	t->end = talk->asked->sender.end;
	t->blocked_ns = talk->asked->sender.blocked_ns;
	return err;
}

static void add_latency(struct sample *s, const struct pair_key *key, int64_t from_ns)
{
	if (key->answer_ns)
		sample_add(s, key->answer_ns - from_ns);
	else
		sample_add_censored(s, key->censored_ns - from_ns);
}

void asked_lines_report(struct rec *r, const struct asked_talk *talk)
{
	struct sample due = { 0 }, sent = { 0 };
	const struct train *t = &talk->train;

	for (size_t i = 0; i < t->blocks && talk->asked->watch != WATCH_NONE; i++) {
		if (t->key[i].skipped)
			continue;
		add_latency(&due, &t->key[i], t->key[i].due_ns);
		if (t->key[i].sent_ns)
			add_latency(&sent, &t->key[i], t->key[i].sent_ns);
	}
	rec_object(r, "result");
	rec_int(r, "keys_due", (int64_t)t->blocks);
	rec_int(r, "keys_sent", (int64_t)talk->sent);
	rec_int(r, "keys_answered", (int64_t)(t->blocks - talk->count[ASKED_NONE]));
	rec_int(r, "in_doubt", (int64_t)talk->count[ASKED_DOUBT]);
	rec_timing(r, "latency_from_due_ms", &due, NS_PER_MS);
	rec_timing(r, "latency_from_sent_ms", &sent, NS_PER_MS);
	rec_say(r, "%s keys asked for, %s answered: p50 %s ms, at most %s ms", say_count((int64_t)t->blocks),
		say_count((int64_t)(t->blocks - talk->count[ASKED_NONE])), say_quantile(&due, 0.5, NS_PER_MS),
		say_quantile(&due, 1, NS_PER_MS));
	rec_real(r, "longest_block_ms", (double)t->blocked_ns / NS_PER_MS, 3);
	rec_end(r);
	sample_free(&due);
	sample_free(&sent);
}
