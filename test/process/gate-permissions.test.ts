import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { gateAppDirectories, gatePermissionFlags } from "../../src/commands/daemon/process-flags.ts"
import { orderText } from "../support/bot.ts"
import { startFakeVault, signedBody } from "../support/fake-vault.ts"
import { askHttp, jsonHeaders } from "../support/gate.ts"
import { askRaw } from "../support/ask-raw.ts"
import { startGateProcess } from "../support/gate-process.ts"
import { temporaryDirectory } from "../support/link-peer.ts"
import { httpText, startRawVenue } from "../support/raw-venue.ts"

const strangeHeaders = "__proto__: x\r\nconstructor: x\r\n"

const probe = fileURLToPath(new URL("../support/permission-probe.ts", import.meta.url))

describe("the gate's permission flags", () => {
  it("forbid all that the gate never needs", (t) => {
    const directory = temporaryDirectory()
    t.after(() => directory.remove())
    const secretFile = join(directory.path, "admin.secret")
    writeFileSync(secretFile, "canary")
    const flags = gatePermissionFlags(gateAppDirectories())
    const child = spawnSync(process.execPath, [...flags, probe, secretFile, directory.path], {
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
    assert.deepEqual(readdirSync(directory.path), ["admin.secret"])
  })

  it("leave the gate all that it needs, without a warning", async (t) => {
    const vault = await startFakeVault()
    t.after(() => vault.close())
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.write(httpText('{"code":"0"}')),
    })
    const args = ["--port", "0", "--bot-socket", vault.path, "--upstream", venue.base]
    const gate = await startGateProcess(t, args)
    assert.equal(gate.message.type, "ready")
    const port = gate.message.port ?? 0
    const post = (path: string) =>
      askHttp(port, { method: "POST", path, headers: jsonHeaders, body: orderText })
    assert.equal((await askHttp(port, { path: "/healthz" })).status, 200)
    assert.equal((await askHttp(port, { path: "/readyz" })).status, 200)
    assert.equal((await post("/sign/v1/trade/orders")).text, signedBody)
    assert.equal((await post("/v1/trade/orders")).headers["countersign-source"], "venue")
    assert.equal(gate.stderr(), "")
  })

  it("leave a gate alive that is sent headers named as what every object has", async (t) => {
    const vault = await startFakeVault()
    t.after(() => vault.close())
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.write(httpText('{"code":"0"}', "200 OK", strangeHeaders)),
    })
    const args = ["--port", "0", "--bot-socket", vault.path, "--upstream", venue.base]
    const gate = await startGateProcess(t, args)
    const port = gate.message.port ?? 0
    const host = `Host: 127.0.0.1:${port}\r\nConnection: close\r\n`
    for (const path of ["/v1/trade/orders", "/healthz", "/nowhere"]) {
      for (const name of ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"]) {
        const reply = await askRaw(port, `POST ${path} HTTP/1.1\r\n${host}${name}: x\r\n\r\n`)
        assert.ok(reply !== undefined && reply.status < 500, `${name} to ${path}`)
      }
    }
    const order = { method: "POST", headers: jsonHeaders, body: orderText }
    const forwarded = await askHttp(port, { ...order, path: "/v1/trade/orders" })
    assert.equal(forwarded.headers["countersign-source"], "venue")
    assert.equal(gate.stderr(), "")
  })

  it("keep NODE_OPTIONS and SIGUSR1 from opening an inspector", async (t) => {
    const gate = await startGateProcess(t, ["--port", "0", "--bot-socket", "/nowhere"])
    gate.child.kill("SIGUSR1")
    gate.child.kill("SIGTERM")
    await gate.ended
    assert.doesNotMatch(gate.stderr(), /Debugger/)
  })
})

describe("the gate's own directories", () => {
  it("hold this package and its dependencies, each once", () => {
    const directories = gateAppDirectories()
    assert.ok(directories.some((directory) => probe.startsWith(`${directory}/`)))
    const express = fileURLToPath(import.meta.resolve("express"))
    assert.equal(directories.filter((directory) => express.startsWith(`${directory}/`)).length, 1)
  })
})
