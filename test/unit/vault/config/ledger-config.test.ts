import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseConfig } from "../../../../src/vault/config/config.ts"

const read = (ledger: string) =>
  parseConfig(`keystore: {backend: keychain}\nledger: ${ledger}\n`, "countersign.yaml")

function postgres(ledger: string) {
  const config = read(ledger)
  return config.ok ? config.value.postgres : assert.fail(JSON.stringify(config.error))
}

function mistakes(ledger: string): string {
  const config = read(ledger)
  assert.ok(!config.ok, ledger)
  return config.error.map(({ line, message }) => `${line}: ${message}`).join("\n")
}

describe("ledger in countersign.yaml", () => {
  it("is this host's alone, unless it says engine: postgres", () => {
    assert.equal(postgres("{}"), undefined)
    assert.equal(postgres("{engine: sqlite, min_free: 0}"), undefined)
  })

  it("needs of PostgreSQL this host's name, and has a default for the rest", () => {
    assert.deepEqual(postgres("{engine: postgres, host: a}"), {
      host: "a",
      database: "countersign",
      role: "countersign_host",
      replicas: 1,
      commitTimeoutMs: 2_000,
      ...{ hosts: undefined, isolated: undefined },
    })
    assert.match(mistakes("{engine: postgres}"), /2: name this host, for good: host: a/)
  })

  it("takes each setting from its least to its most", () => {
    const set = (text: string) => postgres(`{engine: postgres, host: a, ${text}}`)
    assert.equal(set("replicas: 8")?.replicas, 8)
    assert.equal(set("commit_timeout: 500ms")?.commitTimeoutMs, 500)
    assert.equal(set("commit_timeout: 10s")?.commitTimeoutMs, 10_000)
    assert.equal(set("role: desk_a")?.role, "desk_a")
    for (const wrong of [
      ...["replicas: 9", "replicas: -1", "replicas: one", "commit_timeout: 499ms"],
      ...["commit_timeout: 11s", "database: Countersign", 'role: "a b"', "role: 1a"],
    ]) {
      assert.match(mistakes(`{engine: postgres, host: a, ${wrong}}`), /2: .*expected/, wrong)
    }
    for (const wrong of ["A", "a_b", "-a", "a".repeat(33)]) {
      assert.match(mistakes(`{engine: postgres, host: "${wrong}"}`), /expected/, wrong)
    }
    assert.equal(postgres(`{engine: postgres, host: ${"a".repeat(32)}}`)?.host.length, 32)
  })

  it("takes no standby only from whoever says that this is meant", () => {
    const meant = "{engine: postgres, host: a, replicas: 0, unreplicated: accepted}"
    assert.equal(postgres(meant)?.replicas, 0)
    const unsaid = "{engine: postgres, host: a, replicas: 0}"
    assert.match(mistakes(unsaid), /without a standby/)
    const contradicted = "{engine: postgres, host: a, replicas: 1, unreplicated: accepted}"
    assert.match(mistakes(contradicted), /without a standby/)
  })

  it("refuses what is for PostgreSQL where it isn't asked for", () => {
    for (const key of [
      "host: a",
      "database: d",
      "role: r",
      "replicas: 1",
      "commit_timeout: 2s",
      "isolated_cancels: {for: 5m}",
    ]) {
      assert.match(mistakes(`{${key}}`), /2: this is for engine: postgres/, key)
    }
    assert.match(mistakes("{engine: mysql}"), /expected/)
  })

  const [keyA, keyB] = ["a".repeat(64), "b".repeat(64)]
  const shared = (hosts: string, host = "a") =>
    `{engine: postgres, host: ${host}, fleet: {hosts: ${hosts}}}\narchive: off`
  const both = `{a: {key: ${keyA}}, b: {key: ${keyB}}}`

  it("has hosts sign cancels without PostgreSQL where that is said, for an hour at most, each by a slot of its own", () => {
    const slots = (a: string, b: string) => `{a: {key: ${keyA}${a}}, b: {key: ${keyB}${b}}}`
    const allowed = (hosts: string, forTime = "5m") =>
      shared(hosts, "b").replace("host:", `isolated_cancels: {for: ${forTime}}, host:`)
    const both = slots(", slot: 0", ", slot: 15")
    assert.deepEqual(postgres(allowed(both))?.isolated, { forMs: 300_000, slot: 15 })
    assert.equal(postgres(allowed(both, "1h"))?.isolated?.forMs, 3_600_000)
    assert.equal(postgres(shared(both, "b"))?.isolated, undefined)
    for (const wrong of ["61m", "0s", "on"]) mistakes(allowed(both, wrong))
    assert.match(mistakes(allowed(slots(", slot: 0", ""))), /a slot of its own for each host/)
    assert.match(mistakes(allowed(slots(", slot: 1", ", slot: 1"))), /two have one slot/)
    assert.match(mistakes(allowed(slots(", slot: 0", ", slot: 16"))), /from 0 to 15/)
    const alone = "{engine: postgres, host: a, isolated_cancels: {for: 5m}}"
    assert.match(mistakes(alone), /this needs fleet/)
  })

  it("names the hosts that share it, each with a key of its own, this one among them", () => {
    assert.deepEqual(
      postgres(shared(both))?.hosts,
      new Map([
        ["a", keyA],
        ["b", keyB],
      ]),
    )
    assert.match(mistakes(shared(both, "c")), /this host, c, isn't among them; add it/)
    assert.match(mistakes(shared(`{a: {key: ${keyA}}, b: {key: ${keyA}}}`)), /two have one key/)
    assert.match(mistakes(shared(`{a: {key: ${keyA.slice(1)}}}`)), /64 hex digits, as countersign/)
  })

  it("is shared only where nothing is archived and no file is attested", () => {
    const silent = shared(both).replace("\narchive: off", "")
    assert.match(mistakes(silent), /what several hosts share isn't archived.*at archive/)
    const attested = `${shared(both)}\nattest: required`
    assert.match(mistakes(attested), /what is accepted is one host's files.*at attest/)
  })
})
