import assert from "node:assert/strict"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import type { Socket } from "node:net"
import { after, before, describe, it } from "node:test"
import type { TLSSocket } from "node:tls"

import { makeCertificates, type Certificates } from "../../support/certificates.ts"
import { temporaryDirectory } from "../../support/link-peer.ts"
import { startRelaySite, takeDials } from "../../support/relay-site.ts"
import { openDoor } from "../../support/tls-door.ts"

const large = 32 * 1_048_576

describe("what the relay carries", { timeout: 60_000 }, () => {
  const directory = temporaryDirectory()
  let certificates: Certificates
  before(() => {
    certificates = makeCertificates(directory.path, { clients: ["countersign_host"] })
  })
  after(() => directory.remove())

  /** A server and the vault, connected. */
  async function connected(t: Parameters<typeof openDoor>[0]) {
    const arrived = Promise.withResolvers<TLSSocket>()
    const door = await openDoor(t, {
      certificates,
      allowHalfOpen: true,
      onClient: arrived.resolve,
    })
    const site = await startRelaySite(t, { servers: { db1: door.address }, certificates })
    const side = await takeDials(t, site.ledgerSocket)
    const { socket: vault, greeting } = await side.next()
    return { site, door, side, vault, greeting, server: await arrived.promise }
  }

  it("begins at the vault with the server's name, and at the server with this host's certificate", async (t) => {
    const { greeting, server } = await connected(t)
    assert.equal(greeting, '{"server":"db1"}')
    assert.equal(server.getPeerCertificate().subject.CN, "countersign_host")
    assert.equal(server.getProtocol(), "TLSv1.3")
    assert.equal(server.alpnProtocol, "postgresql")
  })

  it("goes both ways as it is, and nothing of it is logged", async (t) => {
    const { site, vault, server } = await connected(t)
    vault.write("SELECT canary")
    assert.equal(String((await once(server, "data"))[0]), "SELECT canary")
    server.write("canary row")
    assert.equal(String((await once(vault, "data"))[0]), "canary row")
    await site.logged("server_connected")
    await site.relay.stop()
    assert.deepEqual(
      site.log.map(({ event }) => event),
      ["server_connected", "stopping"],
    )
    assert.doesNotMatch(JSON.stringify(site.log), /canary/)
  })

  for (const [from, to] of [
    ["server", "vault"],
    ["vault", "server"],
  ] as const) {
    it(`is held back in the ${from} while the ${to} doesn't read, and then arrives whole`, async (t) => {
      const ends = await connected(t)
      const bytes = randomBytes(large)
      ends[from].end(bytes)
      await untilStill(ends[from])
      const waiting = ends[from].writableLength
      assert.ok(waiting > 0, "all of it has left, though nobody reads")
      assert.equal(await hashOf(ends[to]), createHash("sha256").update(bytes).digest("hex"))
    })
  }

  it("still goes to the one that said its last word first", async (t) => {
    const { vault, server } = await connected(t)
    vault.end("goodbye")
    assert.equal(await allOf(server), "goodbye")
    server.end("last words")
    assert.equal(await allOf(vault), "last words")
  })

  it("reaches the vault to the last byte when the server ends", async (t) => {
    const { vault, server } = await connected(t)
    server.end("terminating connection")
    assert.equal(await allOf(vault), "terminating connection")
  })

  for (const [first, other] of [
    ["server", "vault"],
    ["vault", "server"],
  ] as const) {
    it(`ends when the ${first} has ended and the ${other} goes on for too long`, async (t) => {
      const ends = await connected(t)
      const { [first]: ending, [other]: talking, site } = ends
      talking.on("error", () => undefined)
      const talk = setInterval(() => talking.write("and another thing"), 10)
      t.after(() => clearInterval(talk))
      ending.end()
      ending.resume()
      talking.resume()
      await new Promise((resolve) => talking.once("close", resolve)) // it never ends by itself
      await site.logged("server_lost")
    })
  }

  it("is over on both sides when the relay stops", async (t) => {
    const { site, vault, server } = await connected(t)
    const closed = [vault, server].map((socket) => {
      socket.resume()
      return once(socket, "close")
    })
    vault.on("end", () => vault.end())
    server.on("end", () => server.end())
    await site.relay.stop()
    await Promise.all(closed)
  })
})

/** Until nothing more leaves a socket whose other end isn't read. */
async function untilStill(socket: Socket): Promise<void> {
  for (let before = -1; before !== socket.bytesWritten - socket.writableLength;) {
    before = socket.bytesWritten - socket.writableLength
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function hashOf(socket: Socket): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of socket) hash.update(chunk as Buffer)
  return hash.digest("hex")
}

/** What comes until the other side ends. The socket stays open for answers, which `node:stream/consumers` would end. */
async function allOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  await once(socket, "end")
  return Buffer.concat(chunks).toString()
}
