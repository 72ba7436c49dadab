#!/bin/bash -eu
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds all targets of tests/fuzz as ClusterFuzzLite wants them: with its flags and engine, seeds and libraries beside them.
make -C tests/fuzz -j"$(nproc)" CC="$CC" SANITIZE="$CFLAGS" ENGINE="$CFLAGS $LIB_FUZZING_ENGINE" BUILD="$WORK/fuzz"
mkdir -p "$OUT/lib"
for target in "$WORK"/fuzz/*_fuzz; do
	name=${target##*/}
	cp "$target" "$OUT/"
	zip -qj "$OUT/${name}_seed_corpus.zip" {.,kits/*}/tests/fuzz/corpus/"${name%_fuzz}"{,.found}/* 2>/dev/null || [ $? = 18 ]
	ldd "$target" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libpthread|libdl|librt)\.so/ { print $3 }' | xargs -r cp -t "$OUT/lib"
	patchelf --set-rpath "\$ORIGIN/lib" "$OUT/$name"
done
