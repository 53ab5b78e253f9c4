import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import { needsSystemd, sectionsIn, underSystemd, unitsInPlace } from "../support/systemd.ts"

const node = "/opt/countersign/node_modules/.bin/node --input-type=module --eval"
const relay = "countersign-relay.service"
const relayUnits = `${relay} countersign-vault-ledger.socket`

/** In the vault's place stands what holds its sockets. Nothing is signed here. */
const script = `
${unitsInPlace()}
said_by_relay() { journalctl --unit ${relay} --output cat --no-pager --since "@$since"; }
is_connected() { said_by_relay | grep --quiet server_connected; }
restart_relay() {
  since=$(date +%s.%N)
  timeout 60 systemctl restart ${relay}
  until_so is_connected
}
invocation() { systemctl show --property InvocationID --value ${relay}; }

echo "== without relay.yaml"
timeout 60 systemctl start ${relayUnits}
systemctl is-active ${relayUnits} || :

mkdir -p /etc/systemd/system/countersign-vault.service.d /etc/systemd/system/${relay}.d
cat > /etc/systemd/system/countersign-vault.service.d/held.conf <<'CONF'
[Service]
LoadCredentialEncrypted=
ExecStart=
ExecStart=/usr/bin/perl /opt/countersign/test/support/sandbox-probe.pl --stay
WatchdogSec=0
CONF
systemctl daemon-reload

${node} '
  const { makeCertificates } = await import("/opt/countersign/test/support/certificates.ts")
  makeCertificates("/run/made", { clients: ["host-a"] })'
cat > /run/door.mjs <<'JS'
const { openDoor } = await import("/opt/countersign/test/support/tls-door.ts")
const [ca, serverCertificate, serverKey] = ["ca.crt", "server.crt", "server.key"].map((name) => "/run/made/" + name)
const certificates = { ca, serverCertificate, serverKey, clients: {} }
const onClient = (client) => console.log(client.getPeerCertificate().subject.CN)
await openDoor({ after: () => undefined }, { certificates, port: 5432, onClient })
const { writeFileSync } = await import("node:fs")
writeFileSync("/run/door-open", "")
JS
/opt/countersign/node_modules/.bin/node /run/door.mjs > /run/clients &
until_so test -e /run/door-open

install -m 600 -o countersign-relay /run/made/ca.crt /run/made/host-a.crt /run/made/host-a.key /etc/countersign-relay
yaml=/etc/countersign-relay/relay.yaml
printf 'servers:\\n  - {name: db1, address: 127.0.0.1:5432}\\nca: ca.crt\\ncertificate: host-a.crt\\nkey: host-a.key\\n' > $yaml
chown countersign-relay $yaml

echo "== connected"
restart_relay
said_by_relay | grep -e '^[{]' -e deny
systemctl show --property StatusText --value ${relay}
ps --no-headers -o user:32 -p "$(systemctl show --property MainPID --value ${relay})"
until_so grep --quiet host-a /run/clients
sort -u /run/clients

echo "== handed to the vault"
tr '\\0' '\\n' < "/proc/$(systemctl show --property MainPID --value countersign-vault.service)/environ" | grep LISTEN_FDNAMES

echo "== reloaded"
since=$(date +%s.%N)
before=$(invocation)
timeout 60 systemctl reload ${relay}
until_so eval 'said_by_relay | grep --quiet reloaded'
[ "$before" = "$(invocation)" ] && echo the same

echo "== restarted with the vault"
since=$(date +%s.%N)
timeout 60 systemctl restart countersign-vault.service
until_so is_connected
[ "$before" = "$(invocation)" ] || echo another
systemctl is-active ${relayUnits}

echo "== with a credential"
systemd-creds setup > /dev/null
systemd-creds encrypt --with-key=host --name=relay-key /etc/countersign-relay/host-a.key /etc/countersign-relay/relay-key.cred
rm /etc/countersign-relay/host-a.key
cp /opt/countersign/systemd/drop-ins/relay-credential.conf /etc/systemd/system/${relay}.d/
systemctl daemon-reload
sed -i 's/^key: .*/credential: relay-key/' $yaml
restart_relay
systemctl show --property StatusText --value ${relay}

echo "== with a mistake"
sed -i 's/name: db1/name: DB1/' $yaml
timeout 60 systemctl restart ${relay} || :
systemctl is-active ${relay} || :
systemctl show --property ExecMainStatus,NRestarts,StatusText ${relay}

echo "== stopped"
sed -i 's/name: DB1/name: db1/' $yaml
restart_relay
stop_all
systemctl is-active ${relayUnits} || :
`

describe("the relay's unit", { ...needsSystemd(), timeout: 600_000 }, () => {
  let said: ReadonlyMap<string, string>
  before(async () => {
    const { code, stdout, stderr } = await underSystemd(script)
    assert.equal(code, 0, `${stdout}\n${stderr}`)
    said = sectionsIn(stdout)
  })
  const lines = (title: string): readonly string[] => (said.get(title) ?? "").split("\n")

  it("isn't started without a relay.yaml, nor is its socket, and neither has failed", () => {
    assert.deepEqual(lines("without relay.yaml"), ["inactive", "inactive"])
  })

  it("connects a server with the vault from within its sandbox, which denies what it says", () => {
    const [entry = "", status, user, ...clients] = lines("connected")
    const { level, event, server } = JSON.parse(entry) as Record<string, string>
    assert.deepEqual(
      { level, event, server },
      { level: "info", event: "server_connected", server: "db1" },
    )
    assert.equal(status, "db1: connected")
    assert.equal(user, "countersign-relay")
    assert.deepEqual(clients, ["host-a"])
  })

  it("hands the ledger's socket to the vault by its name, beside the other two", () => {
    const [names = ""] = lines("handed to the vault")
    assert.deepEqual(names.replace("LISTEN_FDNAMES=", "").split(":").sort(), [
      "admin",
      "bot",
      "ledger",
    ])
  })

  it("reads relay.yaml anew at a reload, as the same process", () => {
    assert.deepEqual(lines("reloaded"), ["the same"])
  })

  it("is started anew with the vault, and its socket stays", () => {
    assert.deepEqual(lines("restarted with the vault"), ["another", "active", "active"])
  })

  it("takes its key from a credential with the drop-in", () => {
    assert.deepEqual(lines("with a credential"), ["db1: connected"])
  })

  it("has failed at once, with a sentence, after a start with a mistake in relay.yaml", () => {
    const [state, ...shown] = lines("with a mistake")
    assert.equal(state, "failed")
    assert.ok(shown.includes("ExecMainStatus=78") && shown.includes("NRestarts=0"), String(shown))
    const sentence = /^StatusText=\/etc\/countersign-relay\/relay\.yaml:2:\d+: expected 1 to 32/m
    assert.match(shown.join("\n"), sentence)
  })

  it("is stopped with the target, and its socket too", () => {
    assert.deepEqual(lines("stopped"), ["inactive", "inactive"])
  })
})
