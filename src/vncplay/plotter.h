/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plotter - hands a table to gnuplot and has it draw a figure of plots/vncplay.gp. */
#ifndef THINPROBE_PLOTTER_H
#define THINPROBE_PLOTTER_H

#include <stdio.h>

/* A temporary table, removed by plotter_draw. NULL with errno. */
FILE *plotter_table(char *path, size_t size);
/* `figure`: a word that plots/vncplay.gp knows. Closes the table, writes the SVG (whole or not at
 * all), removes the table. 0, or -1 with `why`. */
int plotter_draw(FILE *table, const char *path, const char *figure, const char *svg, char *why, size_t size);

#endif
