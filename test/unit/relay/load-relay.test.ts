import assert from "node:assert/strict"
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { loadRelay } from "../../../src/relay/load-relay.ts"
import type { Fault } from "../../../src/std/fault.ts"
import { makeCertificates, type Certificates } from "../../support/certificates.ts"
import { temporaryDirectory } from "../../support/link-peer.ts"

const directory = temporaryDirectory()
const file = join(directory.path, "relay.yaml")
let certificates: Certificates
before(() => {
  certificates = makeCertificates(directory.path, { clients: ["host-a", "host-b"] })
})
after(() => directory.remove())

const servers = "servers:\n  - {name: db1, address: db1.internal:5432}\n"
const files = "ca: ca.crt\ncertificate: host-a.crt\nkey: host-a.key\n"

async function load(text: string) {
  writeFileSync(file, text)
  return loadRelay(file)
}

/** What loading says; the path of relay.yaml is left out of it. */
async function mistakesIn(text: string): Promise<string> {
  const fault = await load(text).then(
    () => assert.fail("it was taken"),
    (error: unknown) => error as Fault,
  )
  assert.equal(fault.code, "config_invalid")
  return fault.message.replaceAll(`${file}:`, "").replaceAll(`${directory.path}/`, "")
}

describe("relay.yaml", () => {
  it("names servers, and files from its own directory on", async () => {
    const { servers: read } = await load(servers + files)
    assert.deepEqual(read, [{ name: "db1", host: "db1.internal", port: 5432 }])
  })

  it("takes absolute paths, addresses of both families and the last port", async () => {
    const { ca, clients } = certificates
    const { certificate, key } = clients["host-a"] ?? assert.fail()
    const text = `servers:
  - {name: a, address: 192.0.2.1:1}
  - {name: b, address: "[2001:db8::1]:65535"}
ca: ${ca}
certificate: ${certificate}
key: ${key}
`
    const { servers: read } = await load(text)
    assert.deepEqual(read, [
      { name: "a", host: "192.0.2.1", port: 1 },
      { name: "b", host: "2001:db8::1", port: 65_535 },
    ])
  })

  const listOf = (count: number): string =>
    `servers:\n${Array.from({ length: count }, (_, at) => `  - {name: n${at}, address: h${at}:1}\n`).join("")}`

  it("takes eight servers, and neither nine nor none", async () => {
    assert.equal((await load(listOf(8) + files)).servers.length, 8)
    for (const wrong of [listOf(9), "servers: []\n", "servers: db1\n", ""]) {
      assert.match(await mistakesIn(wrong + files), /^1:1: expected a list of one to 8 servers/)
    }
  })

  it("takes names of up to 32 letters, digits and hyphens", async () => {
    const named = (name: string) => `servers:\n  - {name: "${name}", address: db1:5432}\n${files}`
    assert.equal((await load(named("a".repeat(32)))).servers.length, 1)
    for (const wrong of ["", "a".repeat(33), "DB1", "db_1", "db 1", 'db1\\"}\\n']) {
      assert.match(await mistakesIn(named(wrong)), /^2:6: expected 1 to 32 lower-case/)
    }
  })

  for (const wrong of [
    ...["db1", "db1:", ":5432", "db1:0", "db1:65536", "db1:05432", "db1:5432x", "db1 :5432"],
    ...[
      "2001:db8::1:5432",
      "[db1]:5432",
      "[2001:db8::1%eth0]:5432",
      "tcp://db1:5432",
      "db1:5432/x",
    ],
  ]) {
    it(`refuses ${wrong} as an address`, async () => {
      const text = `servers:\n  - {name: db1, address: "${wrong}"}\n${files}`
      assert.match(await mistakesIn(text), /^2:17: expected host:port, such as db1\.internal:5432/)
    })
  }

  it("refuses two servers of one name, and one address twice", async () => {
    const two = (name: string, address: string) =>
      `${servers}  - {name: ${name}, address: ${address}}\n${files}`
    assert.match(
      await mistakesIn(two("db1", "db2.internal:5432")),
      /^3:6: another server is called db1/,
    )
    assert.match(
      await mistakesIn(two("db2", "DB1.internal:5432")),
      /^3:17: db1 has this address already/,
    )
    assert.equal((await load(two("db2", "db1.internal:5433"))).servers.length, 2)
  })

  it("says where a key is that it doesn't know, and every mistake at once", async () => {
    const said = await mistakesIn(`${servers}${files}sslmode: disable\ncrl: x\n`)
    assert.match(said, /^6:1: unknown key "sslmode"[^\n]*\n7:1: unknown key "crl"/)
  })

  it("needs one of key and credential", async () => {
    const without = servers + "ca: ca.crt\ncertificate: host-a.crt\n"
    assert.match(
      await mistakesIn(without),
      /the certificate's key is missing; name its file as key/,
    )
    const both = `${servers}${files}credential: relay-key\n`
    assert.match(await mistakesIn(both), /^6:1: the certificate has one key; leave key or cred/)
  })

  it("says of a credential that systemd gave none", async () => {
    const text = `${servers}ca: ca.crt\ncertificate: host-a.crt\ncredential: relay-key\n`
    assert.match(
      await mistakesIn(text),
      /^5:1: systemd gave this process no credential; .*LoadCredentialEncrypted=relay-key:/,
    )
  })

  it("takes a credential from systemd's directory", async (t) => {
    const given = join(directory.path, "credentials")
    mkdirSync(given, { mode: 0o700 })
    copyFileSync(join(directory.path, "host-a.key"), join(given, "relay-key"))
    chmodSync(join(given, "relay-key"), 0o400)
    process.env["CREDENTIALS_DIRECTORY"] = given
    t.after(() => delete process.env["CREDENTIALS_DIRECTORY"])
    const text = `${servers}ca: ca.crt\ncertificate: host-a.crt\ncredential: relay-key\n`
    assert.equal((await load(text)).servers.length, 1)
  })

  for (const [what, line, name, says] of [
    ["a ca that isn't there", 3, "ca: none.crt", "doesn't exist"],
    ["a directory as ca", 3, "ca: .", "isn't a regular file"],
    ["a ca that is no certificate", 3, "ca: relay.yaml", "must hold certificates in PEM"],
    ["a key as ca", 3, "ca: host-a.key", "has a private key in it"],
    ["a ca of which one is broken", 3, "ca: broken.crt", "must hold certificates in PEM"],
    ["a certificate that isn't there", 4, "certificate: none.crt", "doesn't exist"],
    ["a key as certificate", 4, "certificate: host-a.key", "has a private key in it"],
    ["a key that isn't there", 5, "key: none.key", "doesn't exist"],
    ["a certificate as key", 5, "key: 600.crt", "must hold the certificate's key in PEM"],
    ["another certificate's key", 5, "key: host-b.key", "isn't the key of the certificate above"],
  ] as const) {
    it(`refuses ${what}, and says in which line`, async () => {
      writeFileSync(
        join(directory.path, "broken.crt"),
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      )
      copyFileSync(join(directory.path, "host-a.crt"), join(directory.path, "600.crt"))
      chmodSync(join(directory.path, "600.crt"), 0o600)
      const [key] = name.split(":")
      const text = files.replace(new RegExp(`^${key}: .*$`, "m"), name)
      const said = await mistakesIn(servers + text)
      assert.ok(said.startsWith(`${line}:1: `), said)
      assert.ok(said.includes(says), said)
    })
  }

  it("refuses a key that others can read, or that is a symlink", async () => {
    const open = join(directory.path, "open.key")
    copyFileSync(join(directory.path, "host-a.key"), open)
    symlinkSync(join(directory.path, "host-a.key"), join(directory.path, "link.key"))
    for (const [name, mode, says] of [
      ["open.key", 0o640, /open to other users; run: chmod 600/],
      ["open.key", 0o604, /open to other users; run: chmod 600/],
      ["link.key", undefined, /is a symlink/],
    ] as const) {
      if (mode !== undefined) chmodSync(open, mode)
      const text = servers + files.replace("host-a.key", name)
      await assert.rejects(load(text), { code: "file_unsafe", message: says })
    }
    chmodSync(open, 0o600)
    assert.equal((await load(servers + files.replace("host-a.key", "open.key"))).servers.length, 1)
  })

  it("has to be there, and to be text of at most 64 KiB", async () => {
    await assert.rejects(loadRelay(join(directory.path, "none.yaml")), {
      code: "config_invalid",
      message: /none\.yaml doesn't exist/,
    })
    const padded = (bytes: number) => (servers + files).padEnd(bytes, "#")
    assert.equal((await load(`${padded(65_535)}\n`)).servers.length, 1)
    await assert.rejects(load(`${padded(65_536)}\n`), { message: /is larger than 64 KiB/ })
  })
})
