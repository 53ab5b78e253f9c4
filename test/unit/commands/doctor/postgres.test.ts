// What doctor makes of what a PostgreSQL says. With real ones: test/system/postgres-fleet-daemons.test.ts.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  fleetFindings,
  unaskedFinding,
  serverFindings,
  standbyFindings,
} from "../../../../src/commands/doctor/postgres-findings.ts"
import type { Finding } from "../../../../src/commands/doctor/finding.ts"
import {
  askServer,
  type ServerSays,
  type ServerStand,
} from "../../../../src/commands/installation/ask-daemon.ts"
import { fleetStatus, fleetWords } from "../../../../src/commands/status/fleet-status.ts"

const nowMs = Date.UTC(2026, 10, 25)

const says: ServerSays = {
  now_ms: nowMs,
  version: "15.18",
  timeline: "0000001A",
  system: "7412345678901234567",
  standbys: "FIRST 1 (db2)",
  senders: [{ name: "db2", sync: null }],
  off: null,
  rights: null,
  roles: null,
  sessions: { a: 0, b: 400, c: 900 },
  entries: { a: 12, b: 11 },
}

const stand = {
  ...{ host: "a", hosts: ["a", "b", "c"], replicas: 1, entry: 12, hash: "ab".repeat(32) },
  ...{ round_trip_ms: 0.42, asked_ms: nowMs - 1, answered_ms: nowMs + 1 },
}

const found = (changes: Partial<ServerSays> = {}, ofStand: Partial<ServerStand> = {}) =>
  serverFindings({ ...stand, server: { ...says, ...changes }, ...ofStand }, true)
const wrongIn = (findings: readonly Finding[]) =>
  findings.flatMap(({ state, message }) => (state === "ok" ? [] : [`${state}: ${message}`]))

describe("doctor on PostgreSQL", () => {
  it("finds nothing wrong where nothing is, and tells which it is", () => {
    const findings = found()
    assert.deepEqual(wrongIn(findings), [])
    const said = findings.map(({ message }) => message)
    assert.ok(said.includes("It is PostgreSQL 15.18, system 7412345678901234567, timeline 26."))
    assert.ok(said.includes("A round trip takes 0.4 ms."))
  })

  for (const [ms, state] of [
    [5, "ok"],
    [5.1, "warn"],
    [20, "warn"],
    [20.1, "fail"],
  ] as const) {
    it(`is ${state} with a round trip of ${ms} ms`, () => {
      const trip = found({}, { round_trip_ms: ms }).find(({ message }) => message.includes("trip"))
      assert.equal(trip?.state, state)
    })
  }

  it("warns of a clock that is off for certain, and not for the time that the answer took", () => {
    assert.deepEqual(wrongIn(found({}, { asked_ms: nowMs - 2_000 })), [])
    assert.match(wrongIn(found({ now_ms: nowMs + 181 })).join(), /^warn: .* at least 180 ms apart/)
    assert.match(wrongIn(found({ now_ms: nowMs - 181 })).join(), /^warn: .* at least 180 ms apart/)
  })

  it("fails where a power loss takes what was durable, and warns without checksums", () => {
    const wrong = wrongIn(found({ off: ["fsync", "full_page_writes", "data_checksums"] }))
    assert.deepEqual(
      wrong.map((each) => each.split(" ", 2).join(" ")),
      ["fail: fsync", "fail: full_page_writes", "warn: It"],
    )
  })

  it("fails where the role could change what is recorded, and warns of rights that can't", () => {
    for (const right of ["superuser", "createrole", "owner", "change"])
      assert.match(wrongIn(found({ rights: [right] })).join(), /^fail: The role /, right)
    for (const right of ["createdb", "replication", "insert"])
      assert.match(wrongIn(found({ rights: [right] })).join(), /^warn: The role /, right)
    assert.match(wrongIn(found({ roles: ["pg_write_all_data"] })).join(), /^fail: .*pg_write_all/)
    assert.deepEqual(wrongIn(found({ roles: ["pg_monitor", "pg_read_all_stats"] })), [])
  })

  it("has names that PostgreSQL tells in quotation marks, on one line, and in no command", () => {
    const name = "x;\nfix: $(reboot) run: reboot"
    const told = [
      ...found({ rights: [name], roles: [name] }),
      ...standbyFindings(
        { ...says, standbys: `ANY 1 ("${name}", b)`, senders: [{ name, sync: null }] },
        { isFleet: true, replicas: 1 },
      ),
      ...fleetFindings({ ...stand, server: { ...says, sessions: { [name]: 1 } } }),
    ].filter(({ message, fix }) => `${message} ${fix}`.includes("reboot"))
    assert.equal(told.length, 4)
    for (const { message, fix } of told) {
      assert.doesNotMatch(message.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""), /reboot|\n/)
      assert.doesNotMatch(fix ?? "", /reboot/)
    }
  })

  it("warns where the role may not look, and where the answer can't be read", () => {
    for (const server of ["closed", "unreadable"] as const)
      assert.match(wrongIn(found({}, { server })).join(), /^warn: /)
  })
})

describe("doctor on standbys", () => {
  const wrong = (changes: Partial<ServerSays>, isFleet = true, replicas = 1) =>
    wrongIn(standbyFindings({ ...says, ...changes }, { isFleet, replicas })).join("\n")

  for (const standbys of ["ANY 1 (b, c)", "any 1 (b,c)", "FIRST 1 (b, c)", "1 (b, c)", "b, c"]) {
    it(`fails for several hosts, and warns for one, where an old primary could keep one of '${standbys}'`, () => {
      const changes = { standbys, senders: [{ name: "c", sync: "quorum" }] }
      assert.match(wrong(changes), /^fail: .*one of 2 standbys.*the hosts split in two/)
      assert.match(wrong(changes, false), /^warn: .*what it commits is lost/)
    })
  }

  it("fails where any standby will do, and where two go by the name", () => {
    const any = { standbys: "FIRST 1 (*)", senders: [{ name: "b", sync: "sync" }] }
    assert.match(wrong(any), /^fail: .*any standby/)
    const alike = [says.senders?.[0], { name: "DB2", sync: null }].flatMap((each) => each ?? [])
    assert.match(wrong({ senders: alike }), /^fail: .*one of 2 standbys/)
  })

  it("finds nothing wrong where each that is named is waited for", () => {
    const two = ["b", "c"].map((name) => ({ name, sync: "sync" }))
    for (const standbys of ["FIRST 2 (b, c)", "ANY 2 (b, c)", '2 ("b", c)'])
      assert.equal(wrong({ standbys, senders: two }, true, 2), "", standbys)
    const quoted = {
      standbys: '"my "" standby, 1"',
      senders: [{ name: 'my " standby, 1', sync: null }],
    }
    assert.equal(wrong(quoted), "")
    assert.equal(wrong({ standbys: "" }, true, 0), "")
  })

  it("fails where fewer are there than commits wait for, or wait for fewer than replicas", () => {
    for (const senders of [
      null,
      [],
      [{ name: "db3", sync: null }],
      [{ name: "db2", sync: "async" }],
    ])
      assert.match(wrong({ senders }), /^fail: .*: none; commits wait for 1/)
    assert.match(wrong({}, true, 2), /^fail: Commits wait for 1 standbys, and .* asks for 2/)
    assert.match(wrong({ standbys: "" }), /^fail: Commits wait for 0 standbys/)
  })
})

describe("doctor on the hosts of a ledger", () => {
  const all = (changes: Partial<ServerSays>) =>
    fleetFindings({ ...stand, server: { ...says, ...changes } })

  it("says which of them are there, and what each added last", () => {
    const findings = all({})
    assert.deepEqual(wrongIn(findings), [])
    assert.deepEqual(
      findings.map(({ message }) => message),
      [
        "This is host a of a, b, c. Its last entry is 12.",
        "Host b is connected. The last entry that it added is 11.",
        "Host c is connected.",
      ],
    )
  })

  it("warns of one that isn't connected, that stands still, or that isn't listed", () => {
    assert.match(wrongIn(all({ sessions: { a: 0, c: 0 } })).join(), /^warn: Host b isn't connected/)
    const still = { a: 0, b: 0, c: 190_000 }
    assert.match(wrongIn(all({ sessions: still })).join(), /^warn: Host c .* still for 3 min/)
    const strange = { a: 0, b: 0, c: 0, d: 0 }
    assert.match(wrongIn(all({ sessions: strange })).join(), /^warn: Host "d" is connected, and/)
  })

  it("says what countersign.yaml has where no daemon can ask, and where the log is", () => {
    const named = { host: "b", replicas: 1, hosts: new Map([["a", ""]]) }
    const { state, message } = unaskedFinding(named, { stateDir: "/x" })
    assert.equal(state, "warn")
    assert.match(message, /this is host b of a, and commits wait for 1 standbys/)
    const fixes = ["/x", "/var/lib/countersign"].map(
      (stateDir) => unaskedFinding(named, { stateDir }).fix,
    )
    assert.match(fixes.join("\n"), /countersign serve prints.*\n.*journalctl -u countersign-vault/)
  })
})

describe("what a vault is asked of its PostgreSQL", () => {
  const admin = (said: string | null) => ({
    call: (() => Promise.resolve({ said })) as unknown as Parameters<typeof askServer>[0]["call"],
  })

  it("is nothing where the ledger is this host's alone", async () => {
    assert.equal(await askServer(admin(null)), undefined)
    assert.equal(await fleetStatus(admin(null)), null)
  })

  it("is told apart from a server's answer that can't be read", async () => {
    const answers = [JSON.stringify(says), null, "{", JSON.stringify({ ...says, sessions: "b" })]
    const servers = []
    for (const said of answers) {
      const read = await askServer(admin(JSON.stringify({ ...stand, said })))
      servers.push(typeof read?.server === "string" ? read.server : "read")
    }
    assert.deepEqual(servers, ["read", "closed", "unreadable", "unreadable"])
  })

  it("is a line of status", async () => {
    const lineFor = async (said: string | null) => {
      const fleet = await fleetStatus(admin(JSON.stringify({ ...stand, said })))
      return fleet && fleetWords(fleet)
    }
    const away = { ...says, sessions: { a: 0, c: 0 } }
    assert.equal(await lineFor(JSON.stringify(says)), "host a, with entry 12; b, c connected")
    assert.equal(
      await lineFor(JSON.stringify(away)),
      "host a, with entry 12; c connected; b not connected",
    )
    assert.match((await lineFor(null)) ?? "", /; nobody can tell who else is connected$/)
    const alone = { ...stand, hosts: ["a"], said: JSON.stringify(says) }
    assert.equal(await fleetStatus(admin(JSON.stringify(alone))), null)
  })

  it("is left out of status where it doesn't answer", async () => {
    const call = () => Promise.reject(new Error("gone"))
    assert.equal(await fleetStatus({ call }), null)
  })
})
