#!/bin/sh
# Makes the keyring that run.sh opens, once, under the credential countersign-keyring. It never touches one that
# is there.
#
#   provision.sh
#
# Wants STATE_DIRECTORY, RUNTIME_DIRECTORY and CREDENTIALS_DIRECTORY, as systemd sets them.
set -eu
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secret-service.sh"

least_bytes=32

assert_tools
find_places
[ "$(count_keyrings)" = 0 ] && [ ! -e "$keyring" ] && [ ! -L "$keyring" ] ||
  refuse "there is a keyring in ${keyring%/*} already, and it stays as it is; to begin anew, move it away"
# The daemon takes a password up to its first zero byte: one that starts with it would leave the file open to all.
password_bytes=$(tr -d '\0' <"$credential" | wc -c)
[ "$password_bytes" -ge "$least_bytes" ] && [ "$password_bytes" -eq "$(wc -c <"$credential")" ] ||
  refuse "the credential $keyring_password must be random text of $least_bytes bytes or more; head -c 32 /dev/urandom | base64 makes one"

start_bus
start_keyring
await_unlocked
[ -s "$keyring" ] || refuse "gnome-keyring-daemon made no $keyring; its own words are above"
stop_service
echo "Made $keyring."
