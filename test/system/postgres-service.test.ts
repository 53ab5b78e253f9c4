import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import { fencedBlocks, readRepositoryFile, sectionOf } from "../support/markdown.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import {
  inContainer,
  needsSystemd,
  sectionsIn,
  underSystemd,
  unitsInPlace,
} from "../support/systemd.ts"

const page = readRepositoryFile("docs/headless.md")
const linesUnder = (title: string): readonly string[] => fencedBlocks(sectionOf(page, title), "sh")
const [install = "", start = ""] = linesUnder("A keystore under a credential")
const [keys = ""] = linesUnder("Keys and clients")

/** A service that signs is moved to PostgreSQL; then everything that it needs is taken away for a while. */
const script = `
${unitsInPlace()}
${inContainer(install)}
${start}
until_so are_serving
(
${keys}
) > /run/printed
token=$(grep '^cs_' /run/printed)
allow_orders
echo "== before"
order "$token"
stop_all

echo 'u postgres - "PostgreSQL" /run/postgres' | systemd-sysusers -
node=/opt/countersign/node_modules/.bin/node
systemd-run --quiet --unit=db --property=KillMode=mixed "$node" /opt/countersign/test/support/stay-primary.ts /run/db
until_so test -e /run/db
. /run/db

install -d -m 700 -o countersign-relay /etc/countersign-relay
install -m 600 -o countersign-relay "$db_ca" /etc/countersign-relay/ca.crt
install -m 600 -o countersign-relay "$db_certificate" /etc/countersign-relay/host-a.crt
install -m 600 -o countersign-relay "$db_key" /etc/countersign-relay/host-a.key
cat > /etc/countersign-relay/relay.yaml <<YAML
servers:
  - { name: db1, address: 127.0.0.1:$db_port }
ca: ca.crt
certificate: host-a.crt
key: host-a.key
YAML
chown countersign-relay /etc/countersign-relay/relay.yaml
chmod 600 /etc/countersign-relay/relay.yaml
echo 'ledger: { engine: postgres, host: a, replicas: 0, unreplicated: accepted }' >> /etc/countersign/countersign.yaml
sql() { setpriv --reuid postgres --regid postgres --clear-groups psql -XAtq --host="$db_data" --port="$db_port" --username=admin --dbname=countersign --set=ON_ERROR_STOP=1; }
countersign ledger move $dirs | sql

# signs TITLE: an order, once the services are up again
is_ready() { curl --silent --fail --max-time 5 --output /dev/null http://127.0.0.1:8420/readyz; }
signs() {
  echo "== $1"
  until_so is_ready
  order "$token"
}
main() { systemctl show --property MainPID --value "$1"; }

timeout 60 systemctl start countersign.target
signs moved
echo "== users"
stat --format %U "/proc/$(main countersign-vault)" "/proc/$(main countersign-relay)"
echo "== relay"
systemctl show --property StatusText --value countersign-relay
echo "== entries"
sql <<< 'SELECT sum(last_seq - first_seq + 1) > 3 FROM countersign.batches'

timeout 60 systemctl restart countersign-vault
signs "vault restarted"

systemctl kill --signal=KILL countersign-relay
signs "relay killed"

echo "== server stopped"
systemctl kill --kill-who=all --signal=STOP db
order "$token"
systemctl kill --kill-who=all --signal=CONT db
signs "server back"

timeout 120 systemctl restart countersign.target
signs "all restarted"
echo "== doctor"
countersign doctor $dirs --json || :
`

type Answered = {
  readonly status: number
  readonly json: { readonly code?: string; readonly nonce?: number }
}

const options = { ...needsSystemd(), ...needsPostgres, timeout: 600_000 }

describe("the services with the ledger on PostgreSQL", options, () => {
  let said: ReadonlyMap<string, string>
  before(async () => {
    const { code, stdout, stderr } = await underSystemd(script)
    assert.equal(code, 0, `${stdout}\n${stderr}`)
    said = sectionsIn(stdout)
  })

  const answeredIn = (title: string): Answered => JSON.parse(said.get(title) ?? "") as Answered

  it("sign as before, with the relay as a user of its own, once the ledger is moved", () => {
    assert.equal(answeredIn("moved").status, 200)
    assert.equal(said.get("users"), "countersign-vault\ncountersign-relay")
    assert.equal(said.get("entries"), "t")
  })

  it("say by systemctl status that the server is connected", () => {
    assert.equal(said.get("relay"), "db1: connected")
  })

  for (const title of ["vault restarted", "relay killed", "server back", "all restarted"]) {
    it(`sign by themselves after this: ${title}`, () => {
      assert.equal(answeredIn(title).status, 200)
    })
  }

  it("sign nothing while the server stands still", () => {
    const { status, json } = answeredIn("server stopped")
    assert.deepEqual([status, json.code], [503, "ledger_unavailable"])
  })

  it("give each order a higher nonce than the last", () => {
    const titles = ["before", "moved", "vault restarted", "relay killed", "server back"]
    const nonces = [...titles, "all restarted"].map((title) => answeredIn(title).json.nonce ?? 0)
    assert.deepEqual(
      nonces,
      nonces.toSorted((one, other) => one - other),
    )
    assert.equal(new Set(nonces).size, nonces.length)
  })

  it("let doctor ask the server how it stands", () => {
    const { findings } = JSON.parse(said.get("doctor") ?? "") as {
      readonly findings: readonly { readonly check: string; readonly state: string }[]
    }
    const states = findings.filter(({ check }) => check === "postgres").map(({ state }) => state)
    assert.ok(states.includes("ok") && !states.includes("fail"), states.join())
  })
})
