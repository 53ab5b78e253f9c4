import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import { needsSystemd, sectionsIn, underSystemd, unitsInPlace } from "../support/systemd.ts"

// Each attempt is made twice by test/support/sandbox-probe.pl: in the unit, whose ExecStart= it takes, and outside
// as the same user, where file modes allow it. So what is denied is denied by the unit.

/** Directories that anybody may write to, with a file that anybody may read. */
const openPlaces = ["etc", "home", "opt", "run", "srv", "var"].map((name) => `/${name}/open`)
const listeners = [
  "tcp:0.0.0.0:4242",
  ...["/opt", "/run", "/srv", "/var"].map((path) => `unix:${path}/open/socket`),
  "abstract:open",
]
const venue = "tcp:192.0.2.7:4242"
const loopback = "tcp:127.0.0.1:4242"

/** Of a program that its start doesn't take. The loader, which each program names, would start any other. */
const starts = ["exec:/usr/bin/true", "exec:/bin/bash", "loader:/usr/bin/true", "memfd:"]
/** The call that reads another process's memory, which is tried on its own. */
const peek = "peek:"

const vault = {
  denied: [
    ...[loopback, venue, "tcp:127.0.0.1:8420", "abstract:open"],
    ...listeners.filter((place) => place.startsWith("unix:")),
    ...openPlaces.flatMap((path) => [`write:${path}/new`, `read:${path}/file`]),
    ...["read:/tmp/file", "write:/dev/shm/new", "read:/proc/1/cmdline", peek],
    ...starts,
    ...["/var/lib/countersign", "/tmp", "/var/tmp"].map((path) => `exec_own:${path}`),
  ],
  allowed: [
    ...["/var/lib/countersign", "/var/lib/signers-of-countersign", "/tmp", "/var/tmp"].map(
      (path) => `write:${path}/new`,
    ),
    ...["/etc/countersign/countersign-key.cred", "/proc/sys/kernel/random/boot_id"].map(
      (path) => `read:${path}`,
    ),
    "exec:/usr/bin/perl",
  ],
  credential: "read:/run/credentials/countersign-vault.service/countersign-key",
} as const

/** It is the vault's user's. */
const archive = {
  denied: [
    ...vault.denied.filter((attempt) => !/:\/(?:var\/)?tmp$/.test(attempt)),
    ...["keystore", "ledger.key"].map((name) => `read:/var/lib/countersign/${name}`),
    ...["read:/etc/countersign", "write:/var/lib/signers-of-countersign/new", "exec:/usr/bin/true"],
  ],
  allowed: ["write:/var/lib/countersign/new", "unix:/var/lib/countersign/admin.sock"],
} as const

/** What is denied to each of the two that speak IP. */
const ofBoth = [
  ...["/etc/countersign", "/var/lib/countersign", "/var/lib/signers-of-countersign"].map(
    (path) => `read:${path}`,
  ),
  ...["unix:/var/lib/countersign/admin.sock", "unix:/run/open/socket", "unix:/var/open/socket"],
  ...openPlaces.map((path) => `write:${path}/new`),
  ...["/tmp/new", "/var/tmp/new", "/dev/shm/new"].map((path) => `write:${path}`),
  ...openPlaces.filter((path) => path !== "/etc/open").map((path) => `read:${path}/file`),
  ...["read:/tmp/file", "read:/proc/1/cmdline", peek, "bind:127.0.0.1:4243"],
  ...starts,
]

const botSocket = "unix:/run/countersign/bot.sock"
const ledgerSocket = "unix:/run/countersign-relay/ledger.sock"

const gate = {
  denied: [...ofBoth, "read:/etc/countersign-relay", ledgerSocket],
  allowed: [botSocket, "read:/etc/passwd", loopback, venue],
} as const

const relay = {
  denied: [...ofBoth, "read:/etc/countersign-gate", botSocket],
  allowed: [
    ...[ledgerSocket, "read:/etc/countersign-relay/relay.yaml", "read:/etc/passwd"],
    ...[loopback, venue],
  ],
} as const

const sockets = [
  botSocket,
  ledgerSocket,
  "unix:/var/lib/countersign/admin.sock",
  "unix:/run/countersign/gate.sock",
  "tcp:127.0.0.1:8420",
]

const units = [
  ...[
    "countersign-vault.service",
    "countersign-vault-bot.socket",
    "countersign-vault-admin.socket",
  ],
  ...["countersign-gate.service", "countersign-gate.socket", "countersign-gate-unix.socket"],
  ...["countersign-relay.service", "countersign-vault-ledger.socket"],
  "countersign-archive.timer",
]

/** Which of `sockets` somebody reaches. */
const reached: Readonly<Record<string, readonly string[]>> = {
  nobody: ["tcp:127.0.0.1:8420"],
  "a member of countersign-bots": ["unix:/run/countersign/gate.sock", "tcp:127.0.0.1:8420"],
  "the gate's user": sockets.filter((socket) => !/admin|ledger/.test(socket)),
  "the relay's user": [ledgerSocket, "tcp:127.0.0.1:8420"],
  root: sockets,
}

const probe = "/usr/bin/perl /opt/countersign/test/support/sandbox-probe.pl"
const quoted = (attempts: readonly string[]): string => attempts.join(" ")

const script = `
${unitsInPlace()}
head -c 32 /dev/urandom | systemd-creds encrypt --with-key=host --name=countersign-key - /etc/countersign/countersign-key.cred
chown countersign-vault /etc/countersign/countersign-key.cred
setpriv --reuid countersign-relay --regid countersign-relay --clear-groups touch /etc/countersign-relay/relay.yaml

for place in ${quoted(openPlaces)}; do
  install -d -m 777 "$place"
  echo open > "$place/file"
done
echo open > /tmp/file
ip address add 192.0.2.7/32 dev lo
${probe} --listen ${quoted(listeners)} > /run/listening &
until_so grep --quiet listening /run/listening

# probes SERVICE NAME ATTEMPT…: NAME is the drop-in's; one that isn't to stay has an empty STAY
probes() {
  install -d "/etc/systemd/system/$1.service.d"
  printf '[Service]\\nExecStart=\\nExecStart=%s\\nRestart=no\\nWatchdogSec=0\\n' "${probe} \${STAY---stay} \${*:3}" \\
    > "/etc/systemd/system/$1.service.d/$2.conf"
  systemctl daemon-reload
  timeout 120 systemctl restart "$1.service"
  journalctl --sync # what a service said may be on its way yet
  journalctl _SYSTEMD_INVOCATION_ID="$(systemctl show --property InvocationID --value "$1.service")" --output cat | grep -P '\\t'
}
# outside USER GROUPS ATTEMPT…: GROUPS are options of setpriv
outside() { setpriv --reuid "$1" --regid "$1" $2 ${probe} "\${@:3}"; }

timeout 30 systemctl start countersign-gate.socket countersign-gate-unix.socket
echo "== vault inside"
probes countersign-vault probe ${quoted([...vault.denied, ...vault.allowed, vault.credential])}
echo "== sockets of the vault"
stat --format '%n %a %U:%G' /run/countersign/bot.sock /run/countersign-relay/ledger.sock /var/lib/countersign/admin.sock
echo "== gate beside closed modes"
probes countersign-gate probe ${vault.credential} unix:/var/lib/countersign/admin.sock read:/etc/countersign
echo "== vault outside"
outside countersign-vault --clear-groups ${quoted([...vault.denied, ...vault.allowed])}
echo "== archive outside"
install -d -o countersign-vault /var/lib/countersign/keystore
install -o countersign-vault -m 600 /dev/null /var/lib/countersign/ledger.key
outside countersign-vault --clear-groups ${quoted([...archive.denied, ...archive.allowed])}
echo "== archive inside"
install -d /etc/systemd/system/countersign-archive.service.d
# The probe is run by Perl, and asked for once it has ended.
printf '[Service]\\nExecPaths=/usr/bin/perl\\nRemainAfterExit=yes\\n' > /etc/systemd/system/countersign-archive.service.d/perl.conf
STAY= probes countersign-archive probe ${quoted([...archive.denied, ...archive.allowed])}
systemctl stop countersign-archive

# What the modes forbid by themselves is opened, so that the unit is left to deny it.
chmod 777 /etc/countersign* /var/lib/countersign /var/lib/signers-of-countersign
chmod 777 /var/lib/countersign/admin.sock /run/countersign/bot.sock /run/countersign-relay/ledger.sock
echo "== gate inside"
probes countersign-gate probe ${quoted([...gate.denied, ...gate.allowed])}
echo "== gate outside"
outside countersign-gate --clear-groups ${quoted([...gate.denied, ...gate.allowed])}
echo "== gate behind gate-egress.conf"
cp /opt/countersign/systemd/drop-ins/gate-egress.conf /etc/systemd/system/countersign-gate.service.d/
probes countersign-gate probe ${loopback} ${venue} unix:/run/countersign/bot.sock
echo "== gate with the venue named"
sed -i 's#^\\#IPAddressAllow=203.*#IPAddressAllow=192.0.2.0/24#' /etc/systemd/system/countersign-gate.service.d/gate-egress.conf
probes countersign-gate probe ${loopback} ${venue}
echo "== relay inside"
probes countersign-relay probe ${quoted([...relay.denied, ...relay.allowed])}
echo "== relay outside"
outside countersign-relay --clear-groups ${quoted([...relay.denied, ...relay.allowed])}
echo "== relay behind relay-egress.conf"
cp /opt/countersign/systemd/drop-ins/relay-egress.conf /etc/systemd/system/countersign-relay.service.d/
probes countersign-relay probe ${loopback} ${venue} ${ledgerSocket}
chmod 700 /etc/countersign* /var/lib/countersign /var/lib/signers-of-countersign
chmod 600 /var/lib/countersign/admin.sock
chmod 660 /run/countersign/bot.sock /run/countersign-relay/ledger.sock

echo "== nobody"
setpriv --reuid nobody --regid nogroup --clear-groups ${probe} ${quoted(sockets)}
echo "== a member of countersign-bots"
setpriv --reuid nobody --regid nogroup --groups countersign-bots ${probe} ${quoted(sockets)}
echo "== the gate's user"
outside countersign-gate "--groups countersign-gate" ${quoted(sockets)}
echo "== the relay's user"
outside countersign-relay "--groups countersign-relay" ${quoted(sockets)}
echo "== root"
${probe} ${quoted(sockets)}

echo "== restarted"
timeout 120 systemctl start countersign.target
timeout 120 systemctl restart countersign.target
systemctl is-active ${units.join(" ")} || :
echo "== stopped"
stop_all
systemctl is-active ${units.join(" ")} || :

ends_with() {
  printf '[Service]\\nExecStart=\\nExecStart=/usr/bin/perl -e "exit %s"\\nRestart=on-failure\\n' "$1" > "/etc/systemd/system/$unit.d/probe.conf"
  systemctl daemon-reload
}
echo "== what may pass"
ends_with 75
since_ms=$(date +%s%3N)
systemctl start --no-block "$unit"
until_so eval '[ "$(systemctl show --property NRestarts --value "$unit")" -gt 0 ]'
echo $(($(date +%s%3N) - since_ms))
timeout 60 systemctl stop countersign-vault-bot.socket countersign-vault-admin.socket countersign-vault-ledger.socket "$unit"

echo "== failed for good"
ends_with 78
timeout 30 systemctl start countersign-vault-admin.socket
${probe} unix:/var/lib/countersign/admin.sock > /run/asked
are_closed() { ! systemctl is-active countersign-vault-bot.socket countersign-vault-admin.socket countersign-vault-ledger.socket | grep --quiet '^active'; }
until_so are_closed
until_so is_failed
systemctl show --property ExecMainStatus,NRestarts "$unit"
${probe} unix:/var/lib/countersign/admin.sock
echo "== started again"
rm "/etc/systemd/system/$unit.d/probe.conf"
probes countersign-vault probe write:/var/lib/countersign/new
systemctl is-active countersign-vault-bot.socket countersign-vault-admin.socket countersign-vault-ledger.socket
`

describe("the sandboxes of the units", { ...needsSystemd(), timeout: 900_000 }, () => {
  let said: ReadonlyMap<string, string>
  before(async () => {
    const { code, stdout, stderr } = await underSystemd(script)
    assert.equal(code, 0, `${stdout}\n${stderr}`)
    said = sectionsIn(stdout)
  })
  const outcomes = (title: string): ReadonlyMap<string, string> => {
    const lines = (said.get(title) ?? "").split("\n").filter((line) => line.includes("\t"))
    return new Map(lines.map((line) => line.split("\t") as [string, string]))
  }
  const possibleIn = (title: string): readonly string[] =>
    [...outcomes(title)].filter(([, outcome]) => outcome === "yes").map(([attempt]) => attempt)

  for (const [name, { denied, allowed }] of Object.entries({ vault, archive, gate, relay })) {
    for (const attempt of denied) {
      it(`denies the ${name} what its user could do outside: ${attempt}`, () => {
        assert.equal(outcomes(`${name} outside`).get(attempt), "yes")
        const inside = outcomes(`${name} inside`).get(attempt)
        assert.notEqual(inside, undefined)
        assert.notEqual(inside, "yes")
      })
    }
    for (const attempt of allowed) {
      it(`lets the ${name} ${attempt}`, () => {
        assert.equal(outcomes(`${name} inside`).get(attempt), "yes")
      })
    }
  }

  it("gives the vault its credential, and the gate not even under closed modes alone", () => {
    assert.equal(outcomes("vault inside").get(vault.credential), "yes")
    assert.equal(outcomes("gate beside closed modes").size, 3)
    assert.deepEqual(possibleIn("gate beside closed modes"), [])
  })

  it("keeps the gate behind gate-egress.conf from all but this machine and what is named", () => {
    assert.deepEqual(possibleIn("gate behind gate-egress.conf"), [
      loopback,
      "unix:/run/countersign/bot.sock",
    ])
    assert.deepEqual(possibleIn("gate with the venue named"), [loopback, venue])
  })

  it("keeps the relay behind relay-egress.conf from all but this machine", () => {
    assert.deepEqual(possibleIn("relay behind relay-egress.conf"), [loopback, ledgerSocket])
  })

  it("gives the vault's sockets to the vault's user, one to the gate's group, one to the relay's", () => {
    assert.deepEqual((said.get("sockets of the vault") ?? "").split("\n"), [
      "/run/countersign/bot.sock 660 countersign-vault:countersign-gate",
      "/run/countersign-relay/ledger.sock 660 countersign-vault:countersign-relay",
      "/var/lib/countersign/admin.sock 600 countersign-vault:countersign-vault",
    ])
  })

  for (const [who, those] of Object.entries(reached)) {
    it(`lets ${who} connect to ${those.join(", ")} and no other socket`, () => {
      assert.equal(outcomes(who).size, sockets.length)
      assert.deepEqual(possibleIn(who), those)
    })
  }

  for (const [act, state] of [
    ["restarted", "active"],
    ["stopped", "inactive"],
  ] as const) {
    it(`is all ${state} once countersign.target is ${act}, sockets included`, () => {
      const states = (said.get(act) ?? "").split("\n")
      assert.deepEqual(
        states,
        units.map(() => state),
      )
    })
  }

  it("tries again after two seconds and no sooner what may pass, such as a full disk", () => {
    const untilNextMs = Number(said.get("what may pass"))
    assert.ok(untilNextMs >= 2_000, `${untilNextMs} ms`)
  })

  it("leaves a vault failed that failed for good, whoever goes on connecting", () => {
    const failed = said.get("failed for good") ?? ""
    assert.match(failed, /^ExecMainStatus=78$/m)
    assert.match(failed, /^NRestarts=0$/m)
    assert.deepEqual(possibleIn("failed for good"), [])
  })

  it("listens again once it is started again", () => {
    assert.match(said.get("started again") ?? "", /\tyes\nactive\nactive\nactive$/)
  })
})
