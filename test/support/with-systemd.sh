#!/bin/bash
# Boots a systemd of its own in a container, runs SCRIPT in it as root, and ends with SCRIPT's exit code, or with
# 125 when it doesn't boot. Everything is ended and removed afterwards.
#
#   with-systemd.sh DIRECTORY SCRIPT
#
# The container sees this machine's /usr, and DIRECTORY at /opt/countersign, both read-only; all else of it is in
# memory. Its only network is a loopback of its own. LIMIT_SECONDS (90) bounds SCRIPT.
#
# Needs root, and: apt-get install systemd-container
set -u
directory=$(realpath "$1")
script=$(realpath "$2")
limit_seconds=${LIMIT_SECONDS:-90}
console=$(mktemp)
presets=$(mktemp)
container=
first=

give_up() {
  cat "$console" >&2
  exit 125
}

# Where nspawn puts its two groups beside this shell; nobody else would remove them.
groups_left() {
  while IFS=: read -r _ controllers path; do
    case $controllers in
    '' | name=systemd) printf '%s\n' /sys/fs/cgroup{,/unified,/systemd}"${path%/}"/{payload,supervisor} ;;
    esac
  done </proc/self/cgroup
}

end_container() {
  if [ -n "$container" ]; then
    kill -TERM "$container" 2>/dev/null
    for _ in {1..50}; do
      kill -0 "$container" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$container" 2>/dev/null
    wait "$container" 2>/dev/null
    groups_left | while read -r group; do
      [ -d "$group" ] && find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null
    done
  fi
  rm -f "$console" "$presets"
}
trap end_container EXIT
trap 'exit 143' TERM INT HUP

# inside SECONDS COMMAND…
inside() {
  timeout -k 5 "$1" nsenter --target "$first" --mount --uts --ipc --net --pid --cgroup --root --wd -- \
    env -i PATH=/opt/bin:/usr/sbin:/usr/bin HOME=/ TERM=dumb LC_ALL=C.UTF-8 "${@:2}" 8>&-
}

# Two of these would share a group, and each systemd would end the other's services.
exec 8>"${TMPDIR:-/tmp}/countersign-with-systemd.lock"
flock --timeout 300 8 || give_up

# It goes up to basic.target, without what other packages of this machine would add to that: a unit of theirs that
# fails isn't ours. What they enable by themselves is masked, and else a systemd with an empty /etc would enable it.
echo 'disable *' >"$presets"
masks=()
shopt -s nullglob
for wanted in /usr/lib/systemd/system/*.{wants,requires,upholds}/*; do
  case ${wanted##*/} in
  systemd-firstboot.service) ;; # it would ask
  systemd-* | dbus.* | *.target | kmod-static-nodes.service | dev-*.mount | sys-*.mount | proc-*.automount) continue ;;
  esac
  masks+=("systemd.mask=${wanted##*/}")
done

# The calls let through are those that nspawn forbids and that units rely on: an IP filter without bpf does nothing,
# and says nothing.
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 setsid systemd-nspawn --quiet --boot --directory=/ --volatile=yes \
  --machine="countersign-$$" --register=no --keep-unit --private-network --console=pipe \
  --system-call-filter='bpf @keyring @memlock' \
  --bind-ro="$directory:/opt/countersign" --bind-ro="$script:/opt/script" \
  --bind-ro="$presets:/etc/systemd/system-preset/00-none.preset" \
  systemd.unit=basic.target "${masks[@]}" </dev/null >"$console" 2>&1 8>&- &
container=$!

# Its first process is the child that has become systemd.
for _ in {1..200}; do
  kill -0 "$container" 2>/dev/null || give_up
  for pid in $(cat "/proc/$container/task/$container/children" 2>/dev/null); do
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != systemd ] || first=$pid
  done
  [ -z "$first" ] || break
  sleep 0.05
done
[ -n "$first" ] || give_up

state=
for _ in {1..200}; do
  state=$(inside 5 systemctl is-system-running 2>/dev/null)
  case $state in running | degraded) break ;; esac
  sleep 0.05
done
if [ "$state" != running ]; then
  echo "systemd is $state:" >&2
  inside 5 systemctl --failed --no-pager >&2
  give_up
fi

inside 5 mkdir -p /etc/systemd/system # every machine has it
inside "$limit_seconds" bash /opt/script
