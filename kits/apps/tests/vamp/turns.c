// SPDX-License-Identifier: GPL-3.0-or-later
/* turns - a parallel job in quanta of 100 us: THREADS threads hand a token round; who has it works 100 us. Until killed. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#define QUANTUM_NS 100000

static sem_t turn[64];
static int threads;

static long cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static void *work(void *arg)
{
	long me = (long)arg;

	for (;;) {
		while (sem_wait(&turn[me]))
			;
		for (long until = cpu_ns() + QUANTUM_NS; cpu_ns() < until;)
			;
		sem_post(&turn[(me + 1) % threads]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	threads = argc > 1 ? atoi(argv[1]) : 4;
	if (threads < 1 || threads > 64)
		return 2;
	for (long i = 0; i < threads; i++) {
		sem_init(&turn[i], 0, i == 0);
		if (i && pthread_create(&t, NULL, work, (void *)i))
			return 1;
	}
	work(NULL);
}
