// The life of the services, as lines of bash for a container that has the package at /opt/countersign.
// Each section's title is on a line `== title`; service.test.ts says what has to be in it.

/** Where the load script is put below the prefix. */
export const loadScript = "try/service-load.ts"
/** Below the package, since the services read nothing else. */
export const hangModule = "hang-on-signal.mjs"

const setUp = `
# Its path begins with that of the services' state, and is come to by a link.
mkdir -p /var/lib/countersign-program
mount --bind /opt/countersign /var/lib/countersign-program
ln -s /var/lib/countersign-program /var/lib/program
prefix=/var/lib/program
export PATH=$prefix/bin:$PATH
node=$prefix/bin/node
package=/var/lib/countersign-program/lib/node_modules/countersign
vault=countersign-vault.service
gate=countersign-gate.service

said() { journalctl --unit 'countersign*' --output short-monotonic --no-pager | tail --lines=60; }
status() { systemctl status --no-pager --lines=20 "$1" || :; }
shown() { systemctl show --property="$2" --value "$1"; }
is() { [ "$(shown "$1" "$2")" = "$3" ]; }
restarted() { [ "$(shown "$1" NRestarts)" -gt 0 ] && is "$1" ActiveState active; }
answers() { curl --silent --fail --max-time 5 --output /dev/null http://127.0.0.1:8420/readyz; }
load() { "$node" "$prefix/${loadScript}" "$token" "$@"; }

# send PATH: the answer's status, whose word it is, and its body
send() {
  curl --silent --max-time 30 --write-out '\\n%{http_code} %header{countersign-source}\\n' \\
    --header "Authorization: Bearer $token" --header 'Content-Type: application/json' \\
    --data '{"symbol_id": 1, "is_buy": true, "order_type": "limit", "price": "63000", "quantity": "0.1"}' \\
    "http://127.0.0.1:8420$1"
}

# in_vain TITLE: what systemd shows of a vault that must not start
in_vain() {
  echo "== $1"
  timeout 60 systemctl start "$vault" && echo started
  shown "$vault" ActiveState
  shown "$vault" ExecMainStatus
  status "$vault"
}

install_service() { countersign install-service --yes "$@"; }
init() { countersign init-service --with-key=host "$@"; }
`

const installing = `
as_nobody() { setpriv --reuid 65534 --clear-groups "$node" "$package/bin/countersign.js" "$@"; }
echo "== nobody"
as_nobody install-service --yes 2>&1 || echo "code $?"
as_nobody init-service 2>&1 || echo "code $?"
as_nobody install-service --print > /run/printed || echo "code $?"
echo "== unasked"
countersign install-service < /dev/null 2>&1 || echo "code $?"
ls -A /etc/systemd/system | grep countersign || :
echo "== too early"
init 2>&1 || echo "code $?"

signers=/var/lib/signers-of-countersign
install -d -m 755 -o nobody "$signers"
echo "== install"
install_service
echo "== somebody's"
stat --format '%a %U' "$signers"
init 2>&1 || echo "code $?"
rmdir "$signers"
systemd-tmpfiles --create countersign.conf
echo "== half way"
mkdir /var/lib/countersign/keystore
init 2>&1 || echo "code $?"
rmdir /var/lib/countersign/keystore
touch /run/copy
init --copy-secret-to /run/copy 2>&1 || echo "code $?"
rm /run/copy
find /etc/countersign /var/lib/countersign -mindepth 1
echo "== init"
init --copy-secret-to /run/copy | tee /run/said
echo "== again"
install_service
countersign install-service --json
echo "== copy"
stat --format '%a %U' /run/copy
shows=$(init --copy-secret-to /run/other 2>&1 | grep --only-matching 'systemd-creds decrypt .* -')
$shows | diff - <(tr -d '\\n' < /run/copy) && echo shown
systemd-creds decrypt --name=countersign-key /etc/countersign/countersign-key.cred - | diff - <(tr -d '\\n' < /run/copy) && echo same
echo "== owners"
stat --format '%a %U %n' /etc/countersign /etc/countersign/countersign.yaml /var/lib/countersign /var/lib/countersign/keystore/* /var/lib/signers-of-countersign
echo "== changed"
echo '# mine' >> /etc/systemd/system/countersign.target
install_service
echo "== changed socket"
echo '# mine' >> /etc/systemd/system/countersign-gate.socket
install_service
`

const starting = `
systemd-run --quiet --unit=sandbox --property=DynamicUser=yes "$node" "$package/bin/countersign.js" sandbox
countersign sandbox --print-profile > /etc/countersign/venue.yaml
printf 'policy: bot\\nrules:\\n  - {name: quote, endpoints: [placeOrder, approveAgent]}\\n' > /run/bot.yaml

echo 'policy: [' > /etc/countersign/policies/bot.yaml
in_vain "an invalid policy"
cp /run/bot.yaml /etc/countersign/policies/bot.yaml

cp /etc/countersign/countersign-key.cred /run/good.cred
head -c 32 /dev/urandom | base64 | systemd-creds encrypt --with-key=host --name=countersign-key - /etc/countersign/countersign-key.cred
in_vain "a wrong credential"
cp /run/good.cred /etc/countersign/countersign-key.cred

echo "== start"
timeout 60 systemctl start countersign.target
until_so answers
for unit in countersign.target "$vault" "$gate"; do shown "$unit" ActiveState; done
stat --format %U "/proc/$(shown "$vault" MainPID)" "/proc/$(shown "$gate" MainPID)"
journalctl --unit "$vault" --unit "$gate" --output cat --no-pager | grep sandbox_open || echo "denies what it says"

countersign keys generate --name main --role wallet
countersign keys generate --name mm --role agent --wallet main
token=$(countersign clients add bot --keys mm,main --allow-type-b | grep --only-matching 'cs_[^ ]*')
countersign agent approve mm --valid-days 30
echo "== leaks"
journalctl --no-pager | cat - /run/said /run/printed | grep --fixed-strings --file=/run/copy || :
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | grep --text --fixed-strings --file=/run/copy || :
echo "== sign"
send /sign/v1/trade/orders
echo "== forward"
send /v1/trade/orders

echo "== console"
SUDO_UID=54322 SUDO_GID=54322 SUDO_USER=alice countersign console --json < /dev/null > /run/link &
console=$!
linked() { [ -s /run/link ]; }
until_so linked
server=$(cat "/proc/$console/task/$console/children")
stat --format %U "/proc/$console"
grep --extended-regexp '^(Uid|Gid|Groups):' "/proc/\${server% }/status" | xargs
as_alice() { setpriv --reuid 54322 --regid 54322 --clear-groups "$@"; }
for file in admin.secret keystore/master.json; do
  stat --format %n "/var/lib/countersign/$file"
  as_alice cat "/var/lib/countersign/$file" 2>&1 || echo "code $?"
done
kill -HUP "$console"
wait "$console" && echo ended
[ -e "/proc/\${server% }" ] || echo "and its server"
`

const troubles = `
echo "== load gate"
load 200 "$gate"
echo "== load vault"
load 200 "$vault"

echo "== edited"
printf 'deny:\\n  - {name: stop, endpoints: [placeOrder]}\\n' | cat /run/bot.yaml - > /etc/countersign/policies/bot.yaml
killed=$(shown "$vault" MainPID)
kill -KILL "$killed"
started() { ! is "$vault" MainPID 0 && ! is "$vault" MainPID "$killed" && answers; }
until_so started
send /sign/v1/trade/orders
countersign status | head --lines=1
# It gets to the signal a second later: the files are in force once systemctl reload has answered, all the same.
busy=$(shown "$vault" MainPID)
kill -STOP "$busy"
{ sleep 1; kill -CONT "$busy"; } &
timeout 60 systemctl reload "$vault"
send /sign/v1/trade/orders
countersign status | head --lines=1
cp /run/bot.yaml /etc/countersign/policies/bot.yaml
timeout 60 systemctl reload "$vault"

echo "== hang"
for unit in "$vault" "$gate"; do
  mkdir -p "/etc/systemd/system/$unit.d"
  { printf '[Service]\\nWatchdogSec=8s\\nExecStart=\\n'
    sed -n '/^ExecStart=/,/[^\\\\]$/p' "/etc/systemd/system/$unit" | sed "s|^  --permission|  --import=$package/${hangModule} --permission|"
  } > "/etc/systemd/system/$unit.d/hang.conf"
done
systemctl daemon-reload
timeout 60 systemctl restart countersign.target
until_so answers
systemctl kill --kill-who=main --signal=USR2 "$vault" "$gate"
for unit in "$vault" "$gate"; do
  until_so restarted "$unit"
  journalctl --unit "$unit" --output cat --no-pager | grep "Failed with result 'watchdog'" | sort -u
done
rm -r "/etc/systemd/system/$vault.d" "/etc/systemd/system/$gate.d"
systemctl daemon-reload
echo "== restart"
opened() { systemctl show --property=ActiveEnterTimestampMonotonic,InvocationID 'countersign*.socket'; }
ran() { systemctl show --property=MainPID "$vault" "$gate"; }
opened > /run/opened
ran > /run/ran
timeout 60 systemctl restart countersign-gate countersign-vault
opened | diff /run/opened - && echo "the same sockets"
ran | diff --unchanged-line-format=%L --old-line-format= --new-line-format= /run/ran - || :
until_so answers

echo "== later"
printf 'policy: bot\\nrules:\\n  - {name: quote, endpoints: [placeOrdr]}\\n' > /etc/countersign/policies/bot.yaml
timeout 60 systemctl restart "$vault"
until_so answers
status "$vault"
send /sign/v1/trade/orders
echo "== reload"
cp /run/bot.yaml /etc/countersign/policies/bot.yaml
timeout 60 systemctl reload "$vault" "$gate"
told() { journalctl --unit "$gate" --output cat --no-pager | grep -q '"event":"reloaded"'; }
until_so told
fixed() { ! status "$vault" | grep -q 'Status:.*bot.yaml'; }
until_so fixed
status "$vault"
echo "== archive"
systemctl is-active countersign-archive.timer
timeout 60 systemctl start countersign-archive
journalctl --sync
journalctl --unit countersign-archive --identifier countersign-archive --output cat --no-pager

echo "== stop"
stop_all
cp -a /var/lib/countersign /run/kept
dd if=/dev/zero of=/var/lib/countersign/ledger.db bs=4096 count=4 conv=notrunc status=none
in_vain "a broken ledger"
timeout 60 systemctl stop countersign.target
rm -r /var/lib/countersign
cp -a /run/kept /var/lib/countersign
echo "== ledger"
tar --create --gzip --directory /run/kept ledger.db $(cd /run/kept && ls ledger.db-wal 2> /dev/null) | base64 --wrap=0
echo
`

const ending = `
echo "== uninstall"
timeout 60 systemctl enable --now countersign.target
countersign install-service --uninstall --yes
countersign install-service --uninstall --yes
echo "== left"
systemctl list-unit-files --no-legend 'countersign*' || :
systemctl list-units --all --no-legend --plain 'countersign*'
find / -xdev -name '*countersign*' -path '/etc/s*' 2> /dev/null || :
find /run /var/lib/countersign -type s 2> /dev/null | grep -e countersign -e admin || :
echo "== kept"
stat --format '%a %U %n' /etc/countersign /var/lib/countersign /var/lib/signers-of-countersign /var/lib/countersign/ledger.db
useradd --uid "$(id -u countersign-vault)" --no-create-home newcomer 2> /dev/null || echo "code $?"

echo "== reinstall"
install_service
chown -R root:root /var/lib/countersign "$signers"
countersign status 2>&1 || echo "code $?"
timeout 60 systemctl start countersign.target
until_so answers
find /var/lib/countersign "$signers" ! -user countersign-vault
send /sign/v1/trade/orders
`

/** All of it. */
export const serviceScript = [setUp, installing, starting, troubles, ending].join("\n")
