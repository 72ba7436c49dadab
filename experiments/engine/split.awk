# SPDX-License-Identifier: GPL-3.0-or-later
# split.awk - of a table NAME-N for each word N of a list: the rows whose columns `by`, joined by commas, are that word.
# -v list="light,vnc light,x11" -v by="app protocol" -v name=NAME

BEGIN { FS = "\t"; n = split(list, word, " "); columns = split(by, column, " ") }
NR == 1 {
	for (i = 1; i <= NF; i++) at[$i] = i
	for (i = 1; i <= n; i++) print >(file[word[i]] = name "-" i)
	next
}
{
	key = $at[column[1]]
	for (i = 2; i <= columns; i++) key = key "," $at[column[i]]
	if (key in file) print >file[key]
}
