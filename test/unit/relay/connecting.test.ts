import assert from "node:assert/strict"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import { after, before, describe, it, type TestContext } from "node:test"
import { setTimeout as pass } from "node:timers/promises"

import { nextPauseMs } from "../../../src/relay/keep-server.ts"
import { relayLimits } from "../../../src/relay/relay-limits.ts"
import { makeCertificates, type Certificates } from "../../support/certificates.ts"
import { temporaryDirectory } from "../../support/link-peer.ts"
import { until } from "../../support/process-tree.ts"
import { startRelaySite, takeDials } from "../../support/relay-site.ts"
import { openDoor, type DoorAsk } from "../../support/tls-door.ts"

const directory = temporaryDirectory()
const made = (name: string, serverNames?: readonly string[]): Certificates =>
  makeCertificates(join(directory.path, name), {
    clients: ["countersign_host"],
    ...(serverNames === undefined ? {} : { serverNames }),
  })
let ours: Certificates
let others: Certificates
before(() => {
  ours = made("ours")
  others = made("others")
})
after(() => directory.remove())

/** What the relay says of a server, and that it made no connection to the vault of it. */
async function saidOf(t: TestContext, door: DoorAsk, certificates = ours): Promise<string> {
  const { address } = await openDoor(t, door)
  return saidOfAddress(t, address, certificates)
}

async function saidOfAddress(
  t: TestContext,
  address: string,
  certificates = ours,
): Promise<string> {
  const site = await startRelaySite(t, { servers: { db1: address }, certificates })
  const side = await takeDials(t, site.ledgerSocket)
  let dials = 0
  void side.next().then(() => (dials += 1))
  const { message = "" } = await site.logged("server_lost")
  assert.equal(dials, 0)
  return message.replace(address, "A")
}

const answering = (answer: (socket: Socket) => void): DoorAsk => ({
  certificates: ours,
  onAsked: answer,
})

describe("the relay doesn't connect the vault with", { timeout: 60_000 }, () => {
  it("a server whose certificate is of another authority", async (t) => {
    assert.match(await saidOf(t, { certificates: others }), /^The certificate of A isn't trusted/)
  })

  for (const [name, host] of [
    ["DNS:db1.internal", "localhost"],
    ["IP:192.0.2.1", "127.0.0.1"],
    ["DNS:localhost", "127.0.0.1"],
    ["IP:127.0.0.1", "localhost"],
  ] as const) {
    it(`${host}, where the certificate is for ${name}`, async (t) => {
      const named = made(name, [name])
      const door = await openDoor(t, { certificates: named })
      const said = await saidOfAddress(t, `${host}:${door.port}`, named)
      assert.match(said, /^The certificate of A is for another name/)
    })
  }

  it("a server with a certificate for clients", async (t) => {
    const { certificate, key } = ours.clients["countersign_host"] ?? assert.fail()
    const tls = { cert: readFileSync(certificate), key: readFileSync(key) }
    const said = await saidOf(t, { certificates: ours, tls })
    assert.match(said, /^The certificate of A isn't one for servers/)
  })

  it("a server that has no TLS 1.3", async (t) => {
    const said = await saidOf(t, { certificates: ours, tls: { maxVersion: "TLSv1.2" } })
    assert.match(said, /^A doesn't speak TLS 1\.3/)
  })

  it("a server of another protocol than PostgreSQL's", async (t) => {
    const said = await saidOf(t, { certificates: ours, tls: { ALPNProtocols: ["http/1.1"] } })
    assert.match(said, /^A and this host don't come to terms about TLS/)
  })

  it("a server that doesn't take this host's certificate", async (t) => {
    const tls = { ca: readFileSync(others.ca) }
    const door = await openDoor(t, { certificates: ours, tls, onClient: () => assert.fail() })
    const site = await startRelaySite(t, { servers: { db1: door.address }, certificates: ours })
    await takeDials(t, site.ledgerSocket)
    const { message = "" } = await site.logged("server_lost")
    assert.match(message, /ended the connection; PostgreSQL's log there says why|broke/)
    assert.equal(
      site.log.some(({ event }) => event === "server_connected"),
      false,
    )
  })

  it("a server that refuses TLS", async (t) => {
    const said = await saidOf(
      t,
      answering((socket) => socket.write("N")),
    )
    assert.match(said, /^The PostgreSQL at A takes no TLS; set ssl = on/)
  })

  for (const [what, bytes] of [
    ["one byte", "Sx"],
    ["a whole message", `S${"Z\0\0\0\x05I".repeat(20)}`],
    ["a byte after the no", "Nx"],
  ] as const) {
    it(`a server before whose TLS more came than its answer: ${what}`, async (t) => {
      const said = await saidOf(
        t,
        answering((socket) => socket.write(bytes)),
      )
      assert.match(said, /^Bytes came from A before TLS began, and none was used/)
    })
  }

  it("a server that answers with an error, of which it repeats nothing", async (t) => {
    const text = "SFATAL\0C53300\0Mcanary\0\0"
    const said = await saidOf(
      t,
      answering((socket) => socket.write(`E\0\0\0${String.fromCharCode(text.length + 4)}${text}`)),
    )
    assert.match(said, /^A answered with an error before TLS/)
    assert.doesNotMatch(said, /canary/)
  })

  it("what isn't PostgreSQL", async (t) => {
    const said = await saidOf(
      t,
      answering((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    )
    assert.match(said, /^What answers at A isn't PostgreSQL/)
  })

  it("what hangs up on it", async (t) => {
    const said = await saidOf(
      t,
      answering((socket) => socket.end()),
    )
    assert.match(said, /^A ended the connection/)
  })

  for (const [what, answer] of [
    ["says nothing", () => undefined],
    ["promises TLS and says nothing", (socket: Socket) => socket.write("S")],
  ] as const) {
    it(`a server that ${what}`, async (t) => {
      assert.match(await saidOf(t, answering(answer)), /^A doesn't answer/)
    })
  }

  it("an address where nothing listens, or which has no machine", async (t) => {
    const door = await openDoor(t, { certificates: ours })
    await door.close()
    assert.match(await saidOfAddress(t, door.address), /^Nothing listens at A/)
    assert.match(await saidOfAddress(t, "db1.invalid:5432"), /^The name of A (isn't known|can't)/)
  })
})

describe("the relay", { timeout: 60_000 }, () => {
  it("waits for the vault, and closes the server's connection meanwhile", async (t) => {
    const door = await openDoor(t, { certificates: ours })
    const site = await startRelaySite(t, { servers: { db1: door.address }, certificates: ours })
    const { message } = await site.logged("server_lost")
    assert.equal(
      message,
      `The vault takes no connection on ${site.ledgerSocket} (ENOENT); it may be starting.`,
    )
    const side = await takeDials(t, site.ledgerSocket)
    assert.equal((await side.next()).greeting, '{"server":"db1"}')
    await site.logged("server_connected")
    const { all } = door.counts()
    await pass(300) // thirty of the shortest pauses
    assert.deepEqual(door.counts(), { all, now: 1 })
  })

  it("says once that a server is lost, however often it tries, and connects when it is back", async (t) => {
    const clients: Socket[] = []
    const ask: DoorAsk = { certificates: ours, onClient: (client) => clients.push(client) }
    const door = await openDoor(t, ask)
    const site = await startRelaySite(t, { servers: { db1: door.address }, certificates: ours })
    const side = await takeDials(t, site.ledgerSocket)
    const first = await side.next()
    await site.logged("server_connected")
    const over = once(first.socket.resume(), "end")
    await door.close()
    await over
    await site.logged("server_lost", ({ message = "" }) => message.startsWith("Nothing listens"))
    await pass(300) // several attempts
    const before = site.log.length
    assert.ok(before <= 3, JSON.stringify(site.log)) // connected, broken off, nothing listens
    await openDoor(t, { ...ask, port: door.port })
    await side.next()
    await site.logged("server_connected", (entry) => site.log.indexOf(entry) >= before)
    assert.deepEqual(
      site.log.slice(before).map(({ event }) => event),
      ["server_connected"],
    )
  })

  it("connects anew when the vault has ended a connection", async (t) => {
    const door = await openDoor(t, { certificates: ours })
    const site = await startRelaySite(t, { servers: { db1: door.address }, certificates: ours })
    const side = await takeDials(t, site.ledgerSocket)
    for (let ended = 0; ended < 3; ended++) (await side.next()).socket.destroy()
    const { message } = await site.logged("server_lost")
    assert.equal(message, "The vault ended the connection.")
    await side.next()
    assert.equal(door.counts().all, 4)
  })

  it("keeps a connection to each server, and loses them one by one", async (t) => {
    const one = await openDoor(t, { certificates: ours })
    const two = await openDoor(t, { certificates: ours })
    const servers = { db1: one.address, db2: two.address }
    const site = await startRelaySite(t, { servers, certificates: ours })
    const side = await takeDials(t, site.ledgerSocket)
    const greetings = [await side.next(), await side.next()].map(({ greeting }) => greeting)
    assert.deepEqual(greetings.sort(), ['{"server":"db1"}', '{"server":"db2"}'])
    await site.logged("server_connected", ({ server }) => server === "db2")
    await one.close()
    await site.logged("server_lost", ({ server }) => server === "db1")
    assert.equal(
      site.log.some(({ event, server }) => event === "server_lost" && server === "db2"),
      false,
    )
    assert.equal(two.counts().now, 1)
  })

  it("tries every server again at once when the vault loses the one that it used", async (t) => {
    const onClient: DoorAsk["onClient"] = (client) => void client.write("x")
    const one = await openDoor(t, { certificates: ours, onClient })
    const two = await openDoor(t, { certificates: ours })
    const servers = { db1: one.address, db2: two.address }
    const limits = { shortestPauseMs: 60_000, longestPauseMs: 60_000 }
    const site = await startRelaySite(t, { servers, certificates: ours, limits })
    const side = await takeDials(t, site.ledgerSocket)
    const dials = [await side.next(), await side.next()]
    const dialOf = (name: string) =>
      dials.find(({ greeting }) => greeting.includes(name))?.socket ?? assert.fail()
    dialOf("db2").destroy()
    await site.logged("server_lost", ({ server }) => server === "db2")
    const used = dialOf("db1")
    used.write("x")
    await once(used, "data")
    used.destroy()
    assert.equal((await side.next()).greeting, '{"server":"db2"}')
  })

  it("takes a new certificate for the next connection, and leaves those there are", async (t) => {
    const names: string[] = []
    const onClient: DoorAsk["onClient"] = (client) =>
      void names.push(String(client.getPeerCertificate().subject.CN))
    const door = await openDoor(t, { certificates: ours, onClient })
    const servers = { db1: door.address }
    const site = await startRelaySite(t, { servers, certificates: ours })
    const side = await takeDials(t, site.ledgerSocket)
    await side.next()
    const renewed = makeCertificates(join(directory.path, "renewed"), { clients: ["renewed_host"] })
    const later = await openDoor(t, { certificates: renewed, onClient })
    site.writeConfig({ ...servers, db2: later.address }, renewed)
    await site.relay.reload()
    assert.equal((await side.next()).greeting, '{"server":"db2"}')
    // A client is done with TLS's handshake before its server is.
    await until(() => (names.length === 2 ? true : undefined), "the server is done too")
    assert.deepEqual(names, ["countersign_host", "renewed_host"])
    assert.deepEqual(door.counts(), { all: 1, now: 1 })
    assert.ok(site.log.some(({ event }) => event === "reloaded"))
  })

  it("ends the connection to a server that relay.yaml no longer names", async (t) => {
    const kept = await openDoor(t, { certificates: ours })
    const left = await openDoor(t, { certificates: ours })
    const servers = { db1: kept.address, db2: left.address }
    const site = await startRelaySite(t, { servers, certificates: ours })
    const side = await takeDials(t, site.ledgerSocket)
    const dials = [await side.next(), await side.next()]
    const gone = dials.find(({ greeting }) => greeting.includes("db2"))?.socket ?? assert.fail()
    const over = once(gone.resume(), "end")
    site.writeConfig({ db1: kept.address }, ours)
    await site.relay.reload()
    await over
    assert.deepEqual(kept.counts(), { all: 1, now: 1 })
  })

  it("goes on with what it has where a new relay.yaml can't be used", async (t) => {
    const door = await openDoor(t, { certificates: ours })
    const site = await startRelaySite(t, { servers: { db1: door.address }, certificates: ours })
    const side = await takeDials(t, site.ledgerSocket)
    const { socket } = await side.next()
    site.writeConfig({}, ours)
    await site.relay.reload()
    const { message } = await site.logged("reload_failed")
    assert.match(message ?? "", /relay\.yaml:1:1: .*servers/)
    socket.destroy()
    assert.equal((await side.next()).greeting, '{"server":"db1"}')
  })
})

describe("the pause before the relay's next attempt", () => {
  const pauseAfter = (beforeMs: number | undefined, hasCarried: boolean) =>
    nextPauseMs({ hasCarried }, beforeMs, relayLimits)

  it("is 100 ms, and doubles up to 2 s", () => {
    const before = [undefined, 100, 200, 400, 800, 1_600, 2_000]
    assert.deepEqual(
      before.map((beforeMs) => pauseAfter(beforeMs, false)),
      [100, 200, 400, 800, 1_600, 2_000, 2_000],
    )
  })

  it("is 100 ms again once bytes went both ways", () => {
    assert.deepEqual(
      [undefined, 100, 2_000].map((beforeMs) => pauseAfter(beforeMs, true)),
      [100, 100, 100],
    )
  })
})
