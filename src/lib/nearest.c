// SPDX-License-Identifier: GPL-3.0-or-later
#include "nearest.h"

#include <string.h>

/* Optimal string alignment: as Levenshtein's distance, with swaps of neighbours. */
size_t nearest_distance(const char *word, size_t n, const char *name)
{
	size_t d[NEAREST_LETTERS + 1][NEAREST_LETTERS + 1], columns = strlen(name), most = n < 4 ? 1 : 2;

	if (n > NEAREST_LETTERS || columns > NEAREST_LETTERS)
		return NEAREST_FAR;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= columns; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= columns; j++) {
			size_t least = d[i - 1][j - 1] + (word[i - 1] != name[j - 1]);

			least = d[i - 1][j] + 1 < least ? d[i - 1][j] + 1 : least;
			least = d[i][j - 1] + 1 < least ? d[i][j - 1] + 1 : least;
			if (i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1] &&
			    d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[n][columns] > most || d[n][columns] >= n || d[n][columns] >= columns ? NEAREST_FAR : d[n][columns];
}
