# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# rdp_client.sh - what plug-ins share whose client is keyrepeat itself, on libfreerdp. Plug-ins say  . "$LAB_HERE/rdp_client.sh"
# (which has viewer.sh, too) and call
#
#   rdp_client_can                   0, or prints what keyrepeat lacks in the client role, and fails
#   rdp_port N                       sets PROTOCOL_PORT, free in the server role: 3389 for N=1 where that is free
#   rdp_client SESSION FINGERPRINT   PROTOCOL_PORT of the server role is its target, with the server's certificate and RDP_PASSWORD
#   rdp_meet SESSION OPTION...       connects to that target for a second, with these options of keyrepeat; prints its report
#   rdp_certificate FOLDER KEY CERT  makes both files in that folder of the server role; prints the certificate's fingerprint

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

# (Nothing listens on port 1.)
rdp_client_can() { keyrepeat_loads rdp:127.0.0.1:1 --watch patch --connect 1s --known-servers /dev/null; }

rdp_port() {
	PROTOCOL_PORT=$((3388 + $1))
	while lab_listens server "$PROTOCOL_PORT"; do PROTOCOL_PORT=$((PROTOCOL_PORT + 100)); done
}

# keyrepeat finds the certificates, and the password, which all sessions of a protocol share: protocol_stop removes both files.
rdp_client() {
	local stored=$LAB_RUN/${PROTOCOL_NAME%%:*}
	PROTOCOL_TARGET=rdp:root@$(lab_url server):$PROTOCOL_PORT
	PROTOCOL_OPTIONS=(--password-file "$stored.password" --known-servers "$stored.known")
	[ -n "$RDP_PASSWORD" ] || PROTOCOL_OPTIONS+=(--no-password)
	RDP_KNOWN=$(grep -vF "$(lab_url server):$PROTOCOL_PORT " <<<"${RDP_KNOWN-}")$'\n'"$(lab_url server):$PROTOCOL_PORT $2"
	lab_put client - "$stored.known" <<<"$RDP_KNOWN" && lab_put client - "$stored.password" <<<"$RDP_PASSWORD" ||
		protocol_failed "$1" "cannot store password and certificate for keyrepeat${LAB_AT_client-}" \
			"$LAB_LOG/${PROTOCOL_NAME%%:*}-$1.err"
}

rdp_meet() {
	lab_exec client "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" "${PROTOCOL_OPTIONS[@]}" --rate 0 -t 1s --format json "${@:2}" \
		</dev/null 2>>"$LAB_LOG/${PROTOCOL_NAME%%:*}-$1.err"
}

rdp_certificate() {
	# shellcheck disable=SC2016
	lab_exec server sh -c 'umask 077; cd "$1" &&
		openssl req -x509 -newkey rsa:2048 -nodes -keyout "$2" -out "$3" -days 2 -subj /CN=thinprobe &&
		openssl x509 -in "$3" -noout -fingerprint -sha256 | sed "s/.*=//" | tr A-F a-f' sh "$@"
}
