#!/usr/bin/env bash
# viz_window.sh <tilewalk>: the real window, under Xvfb with software OpenGL, driven by real keys. The window's title
# says where the viewer is. Skipped (77) where there is no Xvfb or xdotool.
set -euo pipefail
tilewalk=$1
for tool in Xvfb xdotool; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done

fail() { echo "$*"; exit 1; }
cleanup() {
  for pid in ${viewer:-} ${server:-}; do kill "$pid" 2>/dev/null || true; done
  rm -rf "${folder:-}"
}
trap cleanup EXIT

# Without a display: one line that says what is missing and what to try, and exit code 3.
status=0
message=$(env -u DISPLAY -u WAYLAND_DISPLAY "$tilewalk" view 2>&1) || status=$?
[[ $status == 3 && $message == *--screenshot* && $(wc -l <<<"$message") == 1 ]] || fail "without a display: $status $message"

# The server chooses its number itself.
exec 3< <(exec Xvfb -displayfd 1 -screen 0 1600x900x24 2>/dev/null)
server=$!
read -r -t 20 display <&3 || fail "Xvfb did not start"
export DISPLAY=:$display LIBGL_ALWAYS_SOFTWARE=1
# A graphics driver unloads itself with memory still held, where no suppression can name it; leaks of our own are
# looked for by the tests without a window.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

# Damaged settings do not keep it from opening.
folder=$(mktemp -d)
export XDG_CONFIG_HOME=$folder/config
settings=$XDG_CONFIG_HOME/tilewalk/viewer.txt
mkdir -p "${settings%/*}"
echo "scale 1e30" >"$settings"

(cd "$folder" && exec "$tilewalk" view --size 1280x720) &
viewer=$!
window=$(timeout 20 xdotool search --sync --onlyvisible --pid "$viewer" | head -n 1) || fail "no window came up"
xdotool windowfocus --sync "$window"

# expect <words>: the title comes to hold them within five seconds.
expect() {
  local n title=
  for ((n = 0; n < 50; ++n)); do
    title=$(xdotool getwindowname "$window")
    [[ $title == *"$1"* ]] && return
    sleep 0.1
  done
  fail "the title is '$title', without '$1'"
}
key() { xdotool key --delay 40 "$@"; }

expect "event 0 of 1232"
key 1 Right Right
expect "event 2 of 1232"
key Left
expect "event 1 of 1232"
key F2
expect "事件 1 / 1232"
key F2 F3 ctrl+plus question
key Escape End
expect "event 1232 of 1232"
key Home 2 space
expect "event 1"  # it plays
key space

# At rest it waits: hardly any processor time over two seconds.
ticks() { awk '{ print $14 + $15 }' "/proc/$viewer/stat"; }
sleep 1
before=$(ticks)
sleep 2
used=$(($(ticks) - before))
((used <= 8)) || fail "not at rest: $used ticks of 10 ms in 2 s"

# The middle of the way through the run, by the mouse.
xdotool mousemove --window "$window" 640 673 click 1
expect "event 6"

# A place that is typed, another algorithm by the keys, a picture.
key g
sleep 0.3
xdotool type --delay 30 "tile 9 1"
xdotool keydown Return  # held for a while: Dear ImGui 1.86 looks at keys once a frame
sleep 0.4
xdotool keyup Return
expect "event 524"
key ctrl+Left
expect "flash1_fig2"
key s
for ((n = 0; n < 50; ++n)); do [[ -s $folder/tilewalk_001.png ]] && break; sleep 0.1; done
[[ $(head -c 4 "$folder/tilewalk_001.png" | tail -c 3) == PNG ]] || fail "no picture was saved"

key F2
sleep 0.5
[[ -e $settings.damaged ]] || fail "the damaged settings were not set aside"
grep -q "language zh" "$settings" || fail "the settings were not kept"

key ctrl+q
for ((n = 0; n < 50; ++n)); do
  kill -0 "$viewer" 2>/dev/null || break
  sleep 0.1
done
status=0
wait "$viewer" || status=$?
viewer=
((status == 0)) || fail "the viewer ended with $status"
