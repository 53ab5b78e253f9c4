#!/bin/sh
# Becomes COMMAND, with a Secret Service beside it that no other process reaches.
#
#   run.sh COMMAND [ARGUMENT…]
#
# A private bus and a keyring daemon on it run in the same unit, unlocked by the credential countersign-keyring.
# Wants STATE_DIRECTORY, RUNTIME_DIRECTORY and CREDENTIALS_DIRECTORY, as systemd sets them. Ends with 78 (75
# where bus or daemon fail) and one sentence, within half a minute, unless the keyring is open: it never makes one.
set -eu
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secret-service.sh"

[ "$#" -gt 0 ] || refuse "what to run is missing; give a command and its arguments"
assert_tools
find_places
[ -f "$keyring" ] && [ ! -L "$keyring" ] ||
  refuse "there is no keyring at $keyring, and a start makes none; make it with provision.sh, or restore it from a backup"
[ "$(count_keyrings)" = 1 ] ||
  refuse "there is more than one keyring in ${keyring%/*}; leave login.keyring alone there, moving the others away"

start_bus
start_keyring
await_unlocked
# A keyring that it can't read the daemon leaves alone and begins another one, under any password.
if [ "$(count_keyrings)" != 1 ]; then
  stop_service
  find "${keyring%/*}" -name '*.keyring' ! -name login.keyring -delete
  refuse "$keyring is damaged; restore it from a backup"
fi

export DBUS_SESSION_BUS_ADDRESS="unix:path=$bus"
exec "$@"
