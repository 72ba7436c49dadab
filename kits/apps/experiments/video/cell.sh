# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - video: a session under a scheme, with a sound server and a job in the background that runs throughout; in it a player
# shows a clip once, while the user presses Return now and then, which opens an episode. A cell is one such clip. mult: vamp leaves
# out which process plays sound (with), or not (without); none: vamp does not run.
#
# Frames carry their numbers; a program outside of the session's group (animate count) reads them from the screen. What the player
# says of itself is held against that.
. "$TP_HOME/kits/apps/experiments/families/starts.sh"
. "$TP_HOME/kits/apps/experiments/families/favour.sh"
. "$TP_HOME/kits/apps/experiments/video/clip.sh"
TRACED_APP=mousepad TRACED_JOBS="single quanta" TRACED_SECONDS=5 CEILING=60
LEAST_PERCENT=55	# of a CPU, for all frames of the clip: more than vamp's threshold

exp_check() {
	favour_check
	[ "$EXP_SWEEP" != plan ] || [ -n "$SIZE" ] ||
		exp_bad "a sweep measures its cells apart, and all must play one clip: give its size (geometry WxH)"
	[[ -z "$SIZE" || $SIZE =~ ^[1-9][0-9]{1,2}[02468]x[1-9][0-9]{1,2}[02468]$ ]] ||
		exp_bad "--geometry $SIZE: must be WxH in pixels, both even, such as 1920x1080"
}
exp_choose() { need ffmpeg ffmpeg; }
exp_find() {
	local program
	PLACE_VIDEO=$LAB_TMP/video
	SOUND_SERVER=unix:$PLACE_VIDEO/native
	favour_find
	[ "$TRACE" = 0 ] || favour_can_trace || { ABSENT+=("time quanta: $LAB_WHY"); TRACE=0; }
	place_has "$TRACED_APP" || TRACED_APP=xterm
	for program in mpv pulseaudio pactl; do
		place_has "$program" || die "-$EXIT_MISSING" "$program is missing where the session runs; thinprobe setup --app video"
	done
}

exp_cells() {
	local pair
	while IFS= read -r pair; do
		case ${SCHEME_VAMP[${pair%%$'\t'*}]} in
		'') printf '%s\tnone\n' "$pair" ;;
		host*) printf '%s\twithout\n' "$pair" ;;	# a host alone cannot tell who plays sound
		*) printf '%s\twithout\n%s\twith\n' "$pair" "$pair" ;;
		esac
	done < <(favour_pairs)
}
exp_words() {
	echo "${P[scheme]}$([ "${P[mult]}" = none ] || echo ", ${P[mult]} sound")$([ "${P[job]}" = none ] ||
		echo ", job ${P[job]}")"
}

# The clip: of the least size of which the player alone takes enough of the CPU, or of the largest.
exp_before_cells() {
	local LAB_LOG=$RUN/log LAB_WHY='' size percent=null
	for size in ${SIZE:-"${CLIP_SIZES[@]}"}; do
		exp_step "makes a video clip of $size"
		clip_make "$size" 4 "$RUN/log/try.mkv" || die "$LAB_WHY"
		place_begin group && favour_more || die "no session: $LAB_WHY"
		clip_copy "$RUN/log/try.mkv" && clip_play "$RUN/log" 4 || die "cannot play the video clip: $LAB_WHY"
		lab_stop "$SOUND"
		place_end
		percent=$(jq .needs_percent "$RUN/log/video.json")
		LC_ALL=C awk -v p="$percent" -v least="$LEAST_PERCENT" 'BEGIN { exit !(p >= least) }' && break
	done
	clip_make "$size" "$SECONDS_EACH" "$RUN/log/clip.mkv" || die "$LAB_WHY"
	run_set '.clip = {$size, needs_percent: $percent, bytes: $bytes}' --arg size "$size" --argjson percent "$percent" \
		--argjson bytes "$(stat -c %s "$RUN/log/clip.mkv")"
	rm -f "$RUN/log"/{try.mkv,video.json,seen.tsv,count.json,player.*}
	[ ! -t 1 ] || printf '\r\033[K'
}
exp_end_lab() {
	rm -f "$RUN/log/clip.mkv"
	place_down
}

# Of favour_begin: starts the session's sound server, which must be there before vamp starts. 1: LAB_WHY.
favour_more() {
	place_exec -R sh -c 'rm -rf "$1" && mkdir -p "$1/pulse" && chmod -R 777 "$1"' sh "$PLACE_VIDEO"
	sound_start || return
	SOUND=$LAB_PID
}
clip_copy() {	# clip_copy FILE; 1: LAB_WHY
	LAB_WHY="the clip could not be copied to the session"
	place_exec -R -i sh -c 'cat >"$1"' sh "$PLACE_VIDEO/clip.mkv" <"$1"
}

exp_session() {
	local name=${P[scheme]}-${P[job]}-${P[mult]}-$1
	FAVOUR_VAMP_WORDS=(--no-audio) FAVOUR_VAMP_FILES=()
	[ "${P[mult]}" != with ] || {
		FAVOUR_VAMP_WORDS=(--audio-server "$SOUND_SERVER" --log "$RUN/vamp/$name.tsv")
		FAVOUR_VAMP_FILES=(-o "$RUN/vamp/$name.tsv")
	}
	SOUND=''
	favour_begin "${P[scheme]}" "${P[job]}" "$RUN/vamp/$name.json" && LAB_LOG=$RUN/log clip_copy "$RUN/log/clip.mkv"
}
exp_end_session() {
	lab_stop ${SOUND:+"$SOUND"}
	favour_end
}

exp_run() {	# exp_run FOLDER REPEAT
	favour_lives || return
	favour_job_begin
	cpu_begin
	clip_play "$1" "$SECONDS_EACH" || return
	cpu_end
	favour_job_end
	CELL_MORE=$(jq -c '. + {video: $video[0], vamp_report: $report}' --arg report "$FAVOUR_REPORT" --slurpfile video "$1/video.json" \
		<<<"$CELL_MORE")
	rm -f "$1/video.json"
	[ "$TRACE${P[scheme]}" != 1alone ] || quanta_traced "$1"
}

# quanta.tsv: for how long tasks ran at a time, of playback, of the launch of an application, and of jobs with one thread and with
# several, each of them alone in the session.
quanta_traced() {	# quanta_traced FOLDER; 1: LAB_WHY
	local job
	mkdir -p "$RUN/log/traced"
	quanta_of "$1" video 'mpv' clip_play "$RUN/log/traced" "$SECONDS_EACH" &&
		place_exec -R mkdir -p "$LAB_TMP/home/$TRACED_APP" &&
		quanta_of "$1" launch "$TRACED_APP Xvnc" favour_launch "$TRACED_APP" "$RUN/log/traced/startup.json" || return
	for job in $TRACED_JOBS; do
		favour_job_start "$job" - && quanta_of "$1" "$job" "${JOB_NAMES[$job]}" nap "$TRACED_SECONDS" || return
		lab_stop "$FAVOUR_JOB"
		wait_until "$PLACE_PATIENCE" favour_job_over || return
		FAVOUR_JOB=''
	done
	rm -rf "$RUN/log/traced"
}
# The processes of these names while COMMAND runs. A process goes by the names of all its threads.
quanta_of() {	# quanta_of FOLDER KIND "NAME..." COMMAND...; 1: LAB_WHY
	local raw=$RUN/log/slices.tsv
	favour_traced "$raw" "${@:4}" || return
	awk -F'\t' -v kind="$2" -v names="$3" '
		BEGIN { split(names, list, " "); for (i in list) named[list[i]] }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		NR == FNR { if ($at["comm"] in named) counts[$at["pid"]]; next }
		$at["pid"] != "" && $at["pid"] in counts && $at["whole"] == 1 { printf "%s\t%.6f\n", kind, $at["ran_ns"] / 1e6 }' \
		"$raw" "$raw" >>"$1/quanta.tsv"
	rm -f "$raw"
}
exp_stop() { lab_stop "${LAB_PID_OF[player]-}" "${LAB_PID_OF[count]-}"; }

# Plays the clip in the session: FOLDER/video.json. A player that hangs is not waited for without end. 1: LAB_WHY.
clip_play() {	# clip_play FOLDER SECONDS
	local deadline due_ms=0 NOW_MS MS said seen
	now_ms
	deadline=$((NOW_MS + 3000 * $2 + 1500 * PLACE_PATIENCE))
	place_start -D -o "$1/seen.tsv" count env DISPLAY="$PROTOCOL_DISPLAY" "$TP_BIN/animate" count \
		--wait "$((3 * PLACE_PATIENCE / 2))s" --log "$1/seen.tsv" --format json
	player_start "$PLACE_VIDEO/clip.mkv"
	until lab_gone "${LAB_PID_OF[player]}" || stopped || [ "$NOW_MS" -gt "$deadline" ]; do
		now_ms
		if [ "$NOW_MS" -ge "$due_ms" ]; then
			favour_return
			seconds_ms "$PRESS"
			due_ms=$((NOW_MS + MS))
		fi
		nap 0.1
	done
	LAB_WHY="the player did not come to the end of the clip"
	lab_gone "${LAB_PID_OF[player]}" || return
	has_ended player "$LAB_LOG" || return
	lab_stop "${LAB_PID_OF[count]}"
	keep_outputs "$LAB_LOG" count
	said=$(player_said "$LAB_LOG/player.err")
	LAB_WHY="the player did not say how many frames it dropped"
	[ -n "$said" ] || return
	LAB_WHY="no frame came by on the screen: $(last_word count)"
	seen=$(clip_seen "$1/seen.tsv")
	[ -n "$seen" ] || return
	jq -n --arg said "$said" --arg ticks "$(tail -n 1 "$LAB_LOG/player.json")" --argjson seen "$seen" \
		--argjson due "$(($2 * CLIP_RATE))" --argjson rate "$CLIP_RATE" '
		($said / " " | map(tonumber)) as [$frame, $vo, $decoder] | ($ticks / " " | map(tonumber) | add / 100) as $cpu
		| ([$due / $rate, $seen.seconds] | max) as $seconds | ($vo + $decoder) as $dropped | ($due - $dropped) as $shown
		| {$due, $dropped, $shown, $seconds, cpu_s: $cpu, player_percent: (100 * $cpu / $seconds),
			needs_percent: (100 * $cpu * $rate / ([$shown, 1] | max)), fps: ($shown / $seconds),
			dropped_percent: (100 * $dropped / $due), seen: $seen.frames, seen_fps: ($seen.frames / $seconds),
			gap_ms: $seen.gap_ms}' >"$1/video.json" && [ -s "$1/video.json" ]
}

# What came by on the screen, from the rows of animate count. A player shows its first frames and then gets ready, for a second or
# two: it plays from the first frame on after which a second of the clip takes a second, within a quarter; where none in the first
# three seconds of the clip is so, from the second frame (of frames that count, no time may be left out). Its playing time begins
# when frame 0 was due by that one. Nothing, where fewer than two came.
clip_seen() {	# clip_seen ROWS
	LC_ALL=C awk -F'\t' -v rate="$CLIP_RATE" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n++; seen[n] = $at["seen_ns"] / 1e9; frame[n] = $at["frame"] }
		END {
			for (i = k = 1; i <= n && !first && frame[i] < 3 * rate; i++) {
				while (k <= n && frame[k] < frame[i] + rate) k++
				if (k > n) break
				pace = (frame[k] - frame[i]) / rate / (seen[k] - seen[i])
				if (pace > 0.75 && pace < 1.25) first = i
			}
			if (!first) first = 2
			for (i = first + 1; i <= n; i++) if (seen[i] - seen[i - 1] > gap) gap = seen[i] - seen[i - 1]
			if (n > 1) printf "{\"frames\": %d, \"seconds\": %.6f, \"gap_ms\": %.3f}\n", n,
				seen[n] + 1 / rate - seen[first] + frame[first] / rate, gap * 1000
		}' "$1"
}

# What the job pays against the baseline's mean in the same run; whom vamp took for background, by cell; counters of sound over
# time.
exp_summed() {
	favour_relate 'map(select(.job)) | group_by(.parameters.job)
		| map({key: .[0].parameters.job, value: (map(.job.bytes_per_s) | mean)}) | from_entries' '
		.job_relative = (if .job and $of[.parameters.job] then $of[.parameters.job] / .job.bytes_per_s else null end)
		| .vamp = $vamp[.vamp_report // "\(.parameters | "\(.scheme)-\(.job)-\(.mult)")-\(.repeat)"]' --argjson vamp "$(
		jq -n '[inputs | {key: (input_filename | split("/")[-1] | rtrimstr(".json")), value: (.result // empty
				| {episodes: (.episodes | length), daemon_cpu_percent}
				# (a host alone knows no process of its guest)
				+ if input_filename | test("/host[^/]*$") then {} else {
					player: ([.episodes[] | select(any(.background[]; .comm == "mpv"))] | length),
					others: ([.episodes[] | select(any(.background[]; .comm != "mpv"))] | length)} end)}]
			| from_entries' "$RUN"/vamp/*.json 2>/dev/null </dev/null)"
	sound_summed
	favour_quanta_summed
}

sound_summed() {
	local file scheme job
	rm -f "$RUN/audio.tsv"
	for file in "$RUN"/vamp/*-with-1.tsv; do
		grep -q $'\taudio\t' "$file" 2>/dev/null || continue
		[[ ${file##*/} =~ ^(.+)-([a-z]+)-with-1[.]tsv$ ]] || continue	# (a scheme may have a dash)
		scheme=${BASH_REMATCH[1]} job=${BASH_REMATCH[2]}
		[ -s "$RUN/audio.tsv" ] || printf 'schema\tscheme\tjob\ts\tcomm\taverage\n' >"$RUN/audio.tsv"
		LC_ALL=C awk -F'\t' -v scheme="$scheme" -v job="$job" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			!begun { begun = $at["time_ns"] }
			$at["event"] == "audio" {
				printf "video-audio/1\t%s\t%s\t%.3f\t%s\t%.3f\n", scheme, job, ($at["time_ns"] - begun) / 1e9, $at["comm"],
					$at["average_1000"] / 1000
			}' "$file" >>"$RUN/audio.tsv"
	done
}
