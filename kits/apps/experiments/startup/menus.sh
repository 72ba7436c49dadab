# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# menus.sh - the static model of Wu, Zhang, Gu & Sun (2005): the menus of an application are a tree, its leaves all the events that
# the application knows (F_a); what users of a class ask for is a part of them (F_i), and what all classes ask for is U_a.
#
# The trees are walked once, before the cells (menus.py): RUN/menus.tsv. What follows from them is in RUN/models.tsv, a row for each
# application, and RUN/profiles.tsv, a row for each event of each class of users.

# Where the menus cannot be walked on the server: sets MENUS to 0, and adds the reason to ABSENT.
menus_can() {
	local said
	[ "$MENUS" = 1 ] || return 0
	said=$(lab_exec server /usr/bin/python3 -c 'import gi; gi.require_version("Atspi", "2.0")' 2>&1) &&
		lab_exec server test -e /usr/share/dbus-1/services/org.a11y.Bus.service && lab_has server dbus-run-session && return
	MENUS=0 said=${said##*$'\n'}
	ABSENT+=("menus of the applications: ${said:-no bus of AT-SPI}; thinprobe setup --app menus")
}

# Each application is started with a message bus and a home of its own, without what makes a measured start like the next. Its
# display is told to it alone: the bus of AT-SPI would leave its address there.
menus_walk() {
	local app LAB_LOG=$RUN/log
	[ "$MENUS" = 1 ] && [ ! -s "$RUN/menus.tsv" ] || return 0
	lab_put server "$TP_HOME/kits/apps/experiments/startup/menus.py" "$LAB_LOG/menus.py" || return 0
	for app in ${APPS//,/ }; do
		exp_step "reads the menus of $app"
		application "$app"
		lab_exec server mkdir -p "$LAB_TMP/home/menus-$app"
		lab_start -o "$LAB_LOG/menus-$app.tsv" server "menus-$app" env -u DISPLAY "${APP_ENVIRONMENT[@]}" SAL_USE_VCLPLUGIN=gtk3 \
			HOME="$LAB_TMP/home/menus-$app" env -u NO_AT_BRIDGE -u GTK_A11Y -u DBUS_SESSION_BUS_ADDRESS dbus-run-session -- \
			/usr/bin/python3 "$LAB_LOG/menus.py" "$app" "$PROTOCOL_DISPLAY" \
			"$LAB_LOG/menus-$app.tsv" "${APP_COMMAND[@]}"
		lab_wait "$LAB_PID" || {
			! stopped || return 0
			run_set '.lab.missing += ["menus of \($app): \($why)"]' --arg app "$app" --arg why "$(last_word \
				"menus-$app")"
		}
	done
	awk 'NR == 1 || FNR > 1' "$LAB_LOG"/menus-*.tsv 2>/dev/null | put_whole "$RUN/menus.tsv" || :
}

# menus_models: RUN/models.tsv. Degree: the most entries of a menu. A shortcut hands an event on to the application itself.
# menus_profiles: RUN/profiles.tsv. Names are compared without regard to case. An event that is behind an item of the menus, such as
# the choice of a file, is one of a dialog; one without a path is none of the menus.
menus_rows='def rows: [inputs | split("\t")] | .[0] as $head
		| .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries);
	def mean: if . == [] then null else add / length end;
	def same: ascii_downcase;
	# what all classes ask for, by application
	def common: [.classes[] | [.events[] | [.application, .path]] | unique] | if . == [] then [] else
		. as $all | .[0] | map(select(. as $e | all($all[]; index([$e])))) end;
	def table($schema; $columns): (["schema"] + $columns | @tsv), (.[] | [$schema, .[$columns[]]] | @tsv);'
menus_models='rows | group_by(.application) | map((map(select(.kind == "event"))) as $events
	| (map(select(.kind != "event").children | tonumber) | map(select(. > 0))) as $degrees | .[0].application as $app
	| {application: $app, events: ($events | length), menus: (map(select(.kind == "menu")) | length),
		depth: (map(.depth | tonumber) | max), degree: ($degrees | max), mean_degree: ($degrees | mean),
		shortcuts: ($events | map(select(.shortcut != "")) | length), mean_depth: ($events | map(.depth | tonumber) | mean),
		mean_depth_keys: ($events | map(if .shortcut != "" then 1 else .depth | tonumber end) | mean),
		asked: ([$model.classes[].events[] | select(.application == $app).path] | unique | length),
		common: ($model | common | map(select(.[0] == $app)) | length)})
	| table("menu-model/1"; ["application", "events", "menus", "depth", "degree", "mean_degree", "shortcuts", "mean_depth",
		"mean_depth_keys", "asked", "common"])'
menus_profiles='rows as $nodes | ($model | common) as $common
	| [$model.classes[] | .class as $class | .events[] | .path as $path | .application as $app
		| ($nodes | map(select(.application == $app))) as $tree | select($tree != [])
		| (first($tree[] | select(.kind == "event" and (.path | same) == ($path | same))) // null) as $item
		| (first($tree[] | select(.kind == "event" and (.path as $p | $path | same | startswith("\($p | same)/"))))
			// null) as $before
		| {class: $class, application: $app, event: $path, count, shortcut,
			place: (if $item then "menu" elif $before then "dialog" elif $path | contains("/") then "none" else "no menu" end),
			tree_path: ($item // $before // {}).path, tree_depth: ($item // $before // {}).depth,
			tree_shortcut: ($item // $before // {}).shortcut,
			common: (if $common | index([[$app, $path]]) then 1 else 0 end)}]
	| table("menu-profile/1"; ["class", "application", "event", "count", "shortcut", "place", "tree_path", "tree_depth",
		"tree_shortcut", "common"])'

menus_sum() {	# menus_sum RUN
	local name filter model
	[ -s "$1/menus.tsv" ] || return 0
	model=$(jq -c .settings.model "$1/run.json")
	for name in models profiles; do
		[ "$name" = models ] && filter=$menus_models || filter=$menus_profiles
		jq -Rrn --argjson model "$model" "$menus_rows $filter" "$1/menus.tsv" >"$1/$name.tsv.new" &&
			mv "$1/$name.tsv.new" "$1/$name.tsv" || return
	done
}
