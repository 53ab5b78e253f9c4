import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import {
  openRelayDoor,
  type RelayDoor,
} from "../../../../../src/vault/ledger/postgres/relay-door.ts"

describe("where the relay dials", () => {
  let directory: string
  let path: string
  let door: RelayDoor

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "cs-door-"))
    path = join(directory, "ledger.sock")
    door = await openRelayDoor({ path })
  })
  afterEach(() => {
    door.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function dial(says: string): Promise<Socket> {
    const socket = connect({ path })
    socket.on("error", () => undefined).resume()
    await once(socket, "connect")
    socket.write(says)
    return socket
  }

  /** `once` would reject with the error that a write into a closed way ends with. */
  function closed(socket: Socket): Promise<void> {
    return new Promise((resolve) => socket.once("close", () => resolve()))
  }

  it("is open to its own user alone", () => {
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it("hands over a way with the server's name, and every byte after the relay's line", async () => {
    const next = door.next(5_000)
    const socket = await dial('{"server":"db1"}\nR\0\0')
    const { server, stream } = await next
    assert.equal(server, "db1")
    const [bytes] = (await once(stream, "data")) as [Buffer]
    assert.equal(bytes.toString("latin1"), "R\0\0")
    stream.write("hello")
    stream.destroy()
    await closed(socket)
  })

  it("takes the relay's line in pieces", async () => {
    const next = door.next(5_000)
    const socket = await dial('{"ser')
    socket.write('ver":"db1"}')
    socket.write("\n")
    assert.equal((await next).server, "db1")
    socket.destroy()
  })

  for (const says of [
    '{"server":"DB1"}\n',
    '{"server": "db1"}\n',
    '{"server":"db1","server":"db2"}\n',
    `{"server":"${"a".repeat(33)}"}\n`,
    "x".repeat(100),
    "\n",
  ]) {
    it(`closes a way that begins with ${JSON.stringify(says.slice(0, 30))}, and waits for the next`, async () => {
      const next = door.next(5_000)
      await closed(await dial(says))
      const socket = await dial('{"server":"db2"}\n')
      assert.equal((await next).server, "db2")
      socket.destroy()
    })
  }

  it("closes a way on which nothing is said", async () => {
    const next = door.next(10_000)
    next.catch(() => undefined)
    await closed(await dial(""))
  })

  it("hands over a way beside 80 on which nothing is said, and cuts none that it has handed over", async () => {
    const before = door.next(5_000)
    const held = await dial('{"server":"db1"}\n')
    const { stream } = await before
    const next = door.next(5_000)
    const idle: Socket[] = []
    for (let count = 0; count < 80; count++) idle.push(await dial(""))
    const relay = await dial('{"server":"db2"}\n')
    assert.equal((await next).server, "db2")
    stream.write("still open")
    assert.equal(String((await once(held, "data"))[0]), "still open")
    for (const socket of [...idle, held, relay]) socket.destroy()
  })

  it("closes a way that nobody waits for", async () => {
    await closed(await dial('{"server":"db1"}\n'))
  })

  it("gives each way to one who waits, and closes the other", async () => {
    const next = door.next(5_000)
    const both = await Promise.all([dial('{"server":"db1"}\n'), dial('{"server":"db2"}\n')])
    const oneClosed = Promise.race(both.map(closed))
    const { stream } = await next
    await oneClosed
    stream.destroy()
  })

  it("says so when no way is opened in time", async () => {
    await assert.rejects(door.next(50), {
      code: "ledger_unavailable",
      message: "No server of PostgreSQL was reached in 0.05 s; see the relay's log.",
    })
  })
})
