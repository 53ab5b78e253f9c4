import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { vaultFlags } from "../../src/commands/daemon/process-flags.ts"
import { pathsOf } from "../../src/vault/config/installation.ts"
import { connectRaw } from "../support/link-peer.ts"
import { makeTestInstallation } from "../support/open-test-vault.ts"

const probe = fileURLToPath(new URL("../support/vault-network-probe.ts", import.meta.url))

/** As of Node 24 the permission model knows no network; there the unit file alone holds. */
const canDropNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net")

describe("the vault, once it is ready", () => {
  it("can open no connection, start no process or thread, load no addon and write nothing but its state", async (t) => {
    const { installation, ...made } = await makeTestInstallation()
    t.after(() => made.remove())
    const venue = createServer((socket) => socket.end())
    t.after(() => venue.close())
    venue.listen(0, "127.0.0.1")
    await once(venue, "listening")
    const { port } = venue.address() as AddressInfo
    const peer = await connectRaw(port) // it can be reached
    peer.socket.destroy()

    const { configDir, stateDir } = installation
    const args = ["--config-dir", configDir, "--state-dir", stateDir]
    const child = spawn(
      process.execPath,
      [
        ...vaultFlags(installation, { passphraseFile: undefined, usesKeychain: false }),
        probe,
        ...args,
      ],
      {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        env: {
          PROBE_TCP_PORT: String(port),
          PROBE_ADMIN_SOCKET: pathsOf(installation).adminSocket,
        },
      },
    )
    assert.ok(child.stdout && child.stderr)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    assert.equal(stderr, "")
    const refused = canDropNetwork ? "ERR_ACCESS_DENIED" : "done"
    assert.deepEqual(JSON.parse(stdout), {
      said: "ready",
      connect: refused,
      listen: refused,
      unix: refused,
      spawn: "ERR_ACCESS_DENIED",
      addon: "ERR_ACCESS_DENIED",
      thread: "ERR_ACCESS_DENIED",
      writeOutside: "ERR_ACCESS_DENIED",
    })
  })
})
