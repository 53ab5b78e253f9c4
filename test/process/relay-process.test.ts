import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"

import { gateAppDirectories, relayFlags } from "../../src/commands/daemon/process-flags.ts"
import { makeCertificates } from "../support/certificates.ts"
import { temporaryDirectory } from "../support/link-peer.ts"
import { startRelayProcess } from "../support/relay-process.ts"
import { relayYaml, takeDials } from "../support/relay-site.ts"
import { openDoor } from "../support/tls-door.ts"

const probe = fileURLToPath(new URL("../support/permission-probe.ts", import.meta.url))

/** A directory with a relay.yaml for one server, and that server. */
async function makeSite(t: TestContext, onClient?: Parameters<typeof openDoor>[1]["onClient"]) {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  const certificates = makeCertificates(directory.path, { clients: ["host-a"] })
  const door = await openDoor(t, {
    certificates,
    ...(onClient === undefined ? {} : { onClient }),
  })
  const yaml = relayYaml({ db1: door.address }, certificates)
  const configFile = join(directory.path, "relay.yaml")
  writeFileSync(configFile, yaml)
  const { certificate, key } = certificates.clients["host-a"]
  const ledgerSocket = join(directory.path, "ledger.sock")
  const given = {
    directory: directory.path,
    files: [certificates.ca, certificate, key],
    ledgerSocket,
  }
  return { given, configFile, yaml, ledgerSocket, directory }
}

describe("the relay's process", { timeout: 60_000 }, () => {
  it("carries bytes under its permission flags, and says no more than what it connected", async (t) => {
    const { given, ledgerSocket } = await makeSite(t, (client) => client.pipe(client))
    const side = await takeDials(t, ledgerSocket)
    const relay = await startRelayProcess(t, given)
    assert.deepEqual(relay.message, { type: "ready" })
    const { socket, greeting } = await side.next()
    assert.equal(greeting, '{"server":"db1"}')
    socket.write("canary")
    assert.equal(String((await once(socket, "data"))[0]), "canary")
    await relay.said("server_connected")
    assert.match(
      relay.stderr(),
      /^\{"time":"[^"]+","level":"info","event":"server_connected","server":"db1"\}\n$/,
    )
  })

  for (const stop of ["SIGTERM", "SIGINT", "disconnect"] as const) {
    it(`ends its connections and exits 0 at ${stop}`, async (t) => {
      const { given, ledgerSocket } = await makeSite(t)
      const side = await takeDials(t, ledgerSocket)
      const relay = await startRelayProcess(t, given)
      const { socket } = await side.next()
      const over = once(socket.resume(), "end")
      if (stop === "disconnect") relay.child.disconnect()
      else relay.child.kill(stop)
      assert.equal(await relay.ended, 0)
      await over
    })
  }

  it("reads relay.yaml anew at SIGHUP, and goes on where that can't be used", async (t) => {
    const { given, configFile, yaml } = await makeSite(t)
    const relay = await startRelayProcess(t, given)
    writeFileSync(configFile, "servers: none\n")
    relay.child.kill("SIGHUP")
    await relay.said("reload_failed")
    assert.match(relay.stderr(), /relay\.yaml:1:1: expected a list of one to 8 servers/)
    writeFileSync(configFile, yaml)
    relay.child.kill("SIGHUP")
    await relay.said('"reloaded"')
  })

  it("says what is wrong in relay.yaml and where, and exits 1", async (t) => {
    const { given, configFile, yaml } = await makeSite(t)
    writeFileSync(configFile, yaml.replace("db1,", "DB 1,"))
    const relay = await startRelayProcess(t, given)
    assert.deepEqual(relay.message, {
      type: "failed",
      code: "config_invalid",
      message: `${configFile}:2:6: expected 1 to 32 lower-case letters, digits and hyphens (at servers.0.name)`,
    })
    assert.equal(await relay.ended, 1)
  })
})

describe("the relay's permission flags", () => {
  it("forbid all that the relay never needs", (t) => {
    const directory = temporaryDirectory()
    t.after(() => directory.remove())
    const named = join(directory.path, "host-a.key")
    const beside = join(directory.path, "host-a.key.old")
    for (const file of [named, beside]) writeFileSync(file, "canary")
    const flags = relayFlags(gateAppDirectories(), [named])
    const child = spawnSync(process.execPath, [...flags, probe, beside, directory.path], {
      encoding: "utf8",
    })
    assert.equal(child.stderr, "")
    const results = JSON.parse(child.stdout) as Record<string, string>
    const { addon, database, protoWrite, ...others } = results
    assert.equal(addon, "ERR_DLOPEN_DISABLED")
    assert.equal(database, "ERR_UNKNOWN_BUILTIN_MODULE")
    assert.equal(protoWrite, "NO_PROTO")
    assert.equal(Object.keys(others).length, 13)
    for (const [attempt, result] of Object.entries(others)) {
      assert.equal(result, "ERR_ACCESS_DENIED", attempt)
    }
    assert.deepEqual(readdirSync(directory.path).sort(), ["host-a.key", "host-a.key.old"])
  })
})
