# name.jq - what an application is called in the figures.
include "lib";

if $app == "light" then (if any(.rows[]; .app == "own") then "the server's own application" else "light: vim in an xterm" end)
else "heavy: \(cost // .run.settings.cost_ms // 0 | plain) ms of CPU a \(.run.settings.cost_per // "redraw")" end
