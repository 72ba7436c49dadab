/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge - which of several files has the next packet: the next packet of each, sorted by time, at equal times by file number.
 *
 * Files that follow each other in time cost nothing; advancing takes time with the number of files that overlap. */
#pragma once

#include <stdint.h>

struct packet_merger {
	struct next_packet_of_merged_file {
		int64_t time_ns;	/* of the file's next packet */
		int row;		/* number of the file */
	} *head;		/* owned; sorted, head[0] is next */
	int n;			/* files that have a next packet */
};

int merge_init(struct packet_merger *m, int rows);	/* 0 or -ENOMEM */
void merge_free(struct packet_merger *m);
void merge_add_file(struct packet_merger *m, int row, int64_t time_ns);	/* each file once, with its first packet's time */
/* The file of head[0] has its next packet at `time_ns`. */
void merge_set_next_packet_time(struct packet_merger *m, int64_t time_ns);
/* The file of head[0] has no more packets. */
void merge_remove_ended_file(struct packet_merger *m);
