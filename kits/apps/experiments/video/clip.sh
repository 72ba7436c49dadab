# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# clip.sh - a clip with sound, made on the spot, whose frames can be told on the screen (animate write), and the player.

CLIP_RATE=24
CLIP_SIZES=(1280x720 1600x900 1920x1080 2240x1260 2560x1440 3200x1800)
VIEW_WIDTH=960 VIEW_HEIGHT=540	# as it is shown: every larger clip is scaled to it, which is part of the player's work

# clip_make SIZE SECONDS FILE; 1: LAB_WHY. The mark is made larger, so that its cells are at least 4 pixels on the screen.
clip_make() {
	local width=${1%x*} scale
	scale=$(((width + VIEW_WIDTH - 1) / VIEW_WIDTH))
	"$TP_BIN/animate" write - --frames "$(($2 * CLIP_RATE))" --geometry 40x32 --content flat -o /dev/null |
		ffmpeg -v error -y -f lavfi -i "testsrc2=size=$1:rate=$CLIP_RATE" -f rawvideo -pixel_format bgr0 -video_size 40x32 \
			-framerate "$CLIP_RATE" -i - -f lavfi -i sine=frequency=440 \
			-filter_complex "[1]scale=$((40 * scale)):$((32 * scale)):flags=neighbor[mark];[0][mark]overlay=0:0" \
				-map 2:a -t "$2" \
			-c:v libx264 -preset veryfast -pix_fmt yuv420p -c:a aac "$3" 2>"$LAB_LOG/ffmpeg.err"
	local said="${PIPESTATUS[*]}"
	LAB_WHY="the clip could not be made: $(last_word ffmpeg)"
	[ "$said" = '0 0' ] && [ -s "$3" ]
}

# Without a configuration of its own, and nothing that is drawn over the picture. What it says last has the frame at the end, and
# how many it has dropped before the screen and in the decoder; the shell around it tells the CPU time, in ticks.
PLAYER=(mpv --no-config --vo=x11 --ao=pulse --hwdec=no --framedrop=decoder+vo --sws-allow-zimg=no
	--geometry=+0+0 --autofit-larger="${VIEW_WIDTH}x$VIEW_HEIGHT" --no-border --osd-level=0 --no-osc --no-input-default-bindings \
		--cursor-autohide=always
	'--msg-level=all=warn,statusline=status'
	--term-status-msg='frame ${estimated-frame-number} dropped ${frame-drop-count} ${decoder-frame-drop-count}')

player_start() {	# player_start CLIP
	place_start player env HOME="$PLACE_VIDEO" XAUTHORITY="$LAB_TMP/home/.Xauthority" DISPLAY="$PROTOCOL_DISPLAY" \
		PULSE_SERVER="$SOUND_SERVER" sh -c '"$@"; status=$?; cut -d " " -f 16,17 /proc/$$/stat; exit "$status"' sh \
			"${PLAYER[@]}" "$1"
}

# player_said NAME: "FRAME DROPPED-BEFORE-THE-SCREEN DROPPED-IN-THE-DECODER" of the last line that has them.
player_said() {
	tr '\r' '\n' <"$1" | LC_ALL=C awk '{ sub(/^\033\[K/, "") } $1 == "frame" && $3 == "dropped" { said = $2 " " $4 " " $5 }
		END { print said }'
}

# A sound server without a sound card, for the session alone. 1: LAB_WHY.
sound_start() {
	place_start sound env HOME="$PLACE_VIDEO" PULSE_RUNTIME_PATH="$PLACE_VIDEO/pulse" XDG_RUNTIME_DIR="$PLACE_VIDEO/pulse" \
		pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no --disable-shm=yes --realtime=no \
			--high-priority=no \
		--log-level=error -L "module-native-protocol-unix socket=$PLACE_VIDEO/native auth-anonymous=1" \
		-L "module-null-sink sink_name=null"
	LAB_WHY="the sound server did not start: $(LAB_LOG=$RUN/log last_word sound)"
	wait_until 10 sound_answers
}
sound_answers() { place_exec env HOME="$PLACE_VIDEO" PULSE_SERVER="$SOUND_SERVER" timeout 5 pactl info >/dev/null 2>&1; }
