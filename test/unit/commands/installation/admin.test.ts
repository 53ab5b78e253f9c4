import assert from "node:assert/strict"
import { chmodSync, writeFileSync, symlinkSync } from "node:fs"
import { connect, createServer, type Server } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it, type TestContext } from "node:test"

import { dialAdmin, readAdminSecret } from "../../../../src/commands/installation/admin.ts"
import { adminParams, type AdminResults } from "../../../../src/link/calls/methods.ts"
import { serveLink, type LinkServer, type Methods } from "../../../../src/link/server.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { makeAdminSecret } from "../../../../src/vault/serve-sockets.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"

describe("dialling a daemon", () => {
  let directory: ReturnType<typeof temporaryDirectory>
  let daemon: LinkServer
  let socket: Server
  let secretFile: string
  /** What happens once the old secret was read and a connection is there. */
  let onConnection: () => void

  beforeEach(async () => {
    directory = temporaryDirectory()
    chmodSync(directory.path, 0o700)
    const { adminSocket, adminSecretFile } = pathsOf(installation())
    secretFile = adminSecretFile
    const path = `${directory.path}/behind.sock`
    const secret = await makeAdminSecret(adminSecretFile)
    // It answers health alone.
    const methods = { health: () => ({ state: "ready" }) } as unknown as Methods<
      typeof adminParams,
      AdminResults
    >
    daemon = await serveLink<typeof adminParams, AdminResults>({
      path,
      params: adminParams,
      methods,
      secret,
    })
    await makeAdminSecret(adminSecretFile) // the daemon's isn't in the file any more
    onConnection = () => undefined
    socket = createServer((peer) => {
      onConnection()
      const behind = connect(path)
      peer.pipe(behind).pipe(peer)
      for (const each of [peer, behind]) each.on("error", () => undefined)
    })
    await new Promise<void>((resolve) => socket.listen(adminSocket, resolve))
    putBack = () => writeFileSync(secretFile, secret, { mode: 0o600 })
  })
  afterEach(async () => {
    socket.close()
    await daemon.close()
    directory.remove()
  })
  let putBack: () => void
  const installation = () => ({ configDir: directory.path, stateDir: directory.path })

  it("tries once more with the secret that a restart put in its place meanwhile", async () => {
    onConnection = () => putBack()
    const link = await dialAdmin(installation())
    assert.deepEqual(await link?.call("health", {}), { state: "ready" })
    link?.close()
  })

  it("is refused where the secret is another daemon's and stays so", async () => {
    let connections = 0
    onConnection = () => (connections += 1)
    await assert.rejects(dialAdmin(installation()), { code: "admin_refused" })
    assert.equal(connections, 1)
  })
})

function place(t: TestContext): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  return directory.path
}

describe("the admin secret that a command reads", () => {
  it("is the one that the daemon made last", async (t) => {
    const file = join(place(t), "admin.secret")
    await makeAdminSecret(file)
    const last = await makeAdminSecret(file)
    assert.equal(await readAdminSecret(file), last)
  })

  it("is nothing where no daemon ran", async (t) => {
    assert.equal(await readAdminSecret(join(place(t), "admin.secret")), undefined)
  })

  it("isn't read where others could have put it: they would be told private keys", async (t) => {
    const directory = place(t)
    const file = join(directory, "admin.secret")
    await makeAdminSecret(file)
    chmodSync(directory, 0o777)
    await assert.rejects(readAdminSecret(file), { code: "file_unsafe" })
    chmodSync(directory, 0o700)
    chmodSync(file, 0o644)
    await assert.rejects(readAdminSecret(file), { code: "file_unsafe" })
    const link = join(directory, "link")
    symlinkSync("/etc/hostname", link)
    await assert.rejects(readAdminSecret(link), { code: "file_unsafe" })
  })
})
