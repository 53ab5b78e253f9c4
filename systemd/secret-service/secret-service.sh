# What run.sh and provision.sh share: a bus and a keyring daemon for one unit alone. They read it; it does
# nothing by itself.
# shellcheck shell=sh

# For each of: the bus, the keyring. Waiting for both and giving up stays far below half a minute.
step_seconds=6

here=$(cd "$(dirname "$0")" && pwd)
bus_pid=
keyring_pid=
keyring_password=countersign-keyring

# refuse SENTENCE [CODE]: the unit isn't started again after 78 (EX_CONFIG), and is after 75 (EX_TEMPFAIL).
refuse() {
  echo "${0##*/}: $1" >&2
  exit "${2:-78}"
}

# Ends both at once and waits for them: nothing outlives a refusal.
stop_service() {
  for pid in $keyring_pid $bus_pid; do
    kill -KILL "$pid" 2>/dev/null || :
    wait "$pid" 2>/dev/null || :
  done
  keyring_pid=
  bus_pid=
}
trap stop_service EXIT
trap 'exit 143' TERM INT HUP

assert_tools() {
  for tool in dbus-daemon gnome-keyring-daemon busctl setpriv timeout; do
    command -v "$tool" >/dev/null ||
      refuse "$tool isn't installed; run: apt-get install dbus gnome-keyring systemd util-linux"
  done
}

# Sets state, runtime, credential, keyring and bus from what systemd tells a unit, and makes runtime.
find_places() {
  # systemd puts a colon between several directories of a unit; COUNTERSIGN_KEYRING_HOME says which one.
  state=${COUNTERSIGN_KEYRING_HOME:-${STATE_DIRECTORY:-}}
  state=${state%%:*}
  runtime=${RUNTIME_DIRECTORY:-}
  runtime=${runtime%%:*}
  [ -d "$state" ] || refuse "no STATE_DIRECTORY was given; the unit needs StateDirectory="
  [ -d "$runtime" ] || refuse "no RUNTIME_DIRECTORY was given; the unit needs RuntimeDirectory="
  # Ours alone, whatever mode the unit's own directory has.
  runtime=$runtime/secret-service
  rm -rf "$runtime"
  mkdir -m 700 "$runtime"
  credential=${CREDENTIALS_DIRECTORY:-}/$keyring_password
  [ -s "$credential" ] && [ -r "$credential" ] ||
    refuse "the credential $keyring_password is missing or empty; the unit needs LoadCredentialEncrypted=$keyring_password:/etc/countersign/keyring.cred"
  # dbus-daemon looks its clients up, and turns away those that it doesn't find.
  id -un >/dev/null 2>&1 ||
    refuse "the user $(id -u) has no entry in passwd; give the unit a static User=, not DynamicUser="
  keyring=$state/keyrings/login.keyring
  bus=$runtime/bus
}

# How many keyrings there are. One is ours; a second could only be one that nobody meant.
count_keyrings() {
  set -- "$state"/keyrings/*.keyring
  if [ -e "$1" ]; then echo "$#"; else echo 0; fi
}

# apart COMMAND…: becomes it, with nothing of the unit but what it needs: no credential, no listening or
# notifying socket. It is killed when this script, or what this script became, ends.
apart() {
  umask 077
  exec env -i PATH="$PATH" HOME="$state" XDG_DATA_HOME="$state" XDG_RUNTIME_DIR="$runtime" \
    DBUS_SESSION_BUS_ADDRESS="unix:path=$bus" GSETTINGS_BACKEND=memory LC_ALL=C.UTF-8 \
    setpriv --pdeathsig KILL "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}

uptime_seconds() {
  read -r up _ </proc/uptime
  echo "${up%%.*}"
}

start_bus() {
  apart dbus-daemon --config-file="$here/bus.conf" --nofork --nopidfile --nosyslog >/dev/null &
  bus_pid=$!
  last=$(($(uptime_seconds) + step_seconds))
  until [ -S "$bus" ]; do
    { kill -0 "$bus_pid" 2>/dev/null && [ "$(uptime_seconds)" -lt "$last" ]; } ||
      refuse "dbus-daemon doesn't listen at $bus; its own words are above" 75
    sleep 0.05
  done
}

# The daemon takes all of its input as the password, opens the keyring with it, and ends with its bus.
start_keyring() {
  apart gnome-keyring-daemon --components=secrets --unlock --foreground <"$credential" >/dev/null &
  keyring_pid=$!
}

# busctl prints "b true" or "b false"; a daemon that hangs is left to timeout, busctl's own limit not being kept.
ask_locked() {
  timeout -k 1 2 busctl --address="unix:path=$bus" get-property org.freedesktop.secrets \
    /org/freedesktop/secrets/aliases/default org.freedesktop.Secret.Collection Locked 2>/dev/null || :
}

# Returns once the default collection is unlocked.
await_unlocked() {
  last=$(($(uptime_seconds) + step_seconds))
  until locked=$(ask_locked) && [ "$locked" = "b false" ]; do
    { kill -0 "$keyring_pid" 2>/dev/null && [ "$(uptime_seconds)" -lt "$last" ]; } || refuse_keyring
    sleep 0.1
  done
}

refuse_keyring() {
  [ "$locked" != "b true" ] ||
    refuse "the password in the credential $keyring_password doesn't open $keyring; give the unit the credential that this keyring was made with"
  refuse "gnome-keyring-daemon doesn't answer on its bus; its own words are above" 75
}
