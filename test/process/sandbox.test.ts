import assert from "node:assert/strict"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"

import { countersign, countersignProcess, sandbox } from "../support/countersign.ts"

const account = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

describe("countersign sandbox", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`says where it listens, answers, and ends with 0 on ${signal}`, async () => {
      const venue = await sandbox(["--account", account])
      const response = await fetch(`${venue.url}/v1/trade/open-orders`)
      assert.equal(response.status, 200)
      await response.arrayBuffer()
      assert.equal(await venue.stop(signal), 0)
    })
  }

  it("ends with 1 and one sentence when the port is in use", async () => {
    const venue = await sandbox()
    const { port } = new URL(venue.url)
    const second = await countersignProcess(["sandbox", "--port", port])
    await venue.stop()
    assert.equal(second.code, 1)
    assert.equal(
      second.stderr,
      `countersign: Port ${port} is in use; choose another with --port.\n`,
    )
  })

  for (const args of [
    ["--port", "x"],
    ["--port", "65536"],
    ["--account", "0x1"],
    ["--fault", "rain"],
    ["--seed", "x"],
    ["--nothing"],
  ]) {
    it(`ends with 2 and says why for ${args.join(" ")}`, async () => {
      const ended = await countersign(["sandbox", ...args])
      assert.equal(ended.code, 2)
      assert.notEqual(ended.stderr, "")
      assert.equal(ended.stdout, "")
    })
  }

  it("keeps its state in a file, and has the faults that were asked for", async () => {
    const directory = await mkdtemp(join(tmpdir(), "cs-sandbox-"))
    try {
      const file = join(directory, "state.jsonl")
      const fault = ["--fault", "latency,ms=5,times=2", "--seed", "7"]
      const venue = await sandbox(["--account", account, "--state", file, ...fault])
      const response = await fetch(`${venue.url}/__sandbox/fault`)
      const { data } = (await response.json()) as { data: { list: readonly { kind: string }[] } }
      assert.deepEqual(
        data.list.map(({ kind }) => kind),
        ["latency"],
      )
      assert.equal(await venue.stop("SIGTERM"), 0)
      const line = await readFile(file, "utf8")
      assert.equal(line, `{"accounts":["${account.toLowerCase()}"]}\n`)
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    }
  })

  it("prints a profile that init takes for its venue", async () => {
    const { code, stdout } = await countersign(["sandbox", "--print-profile", "--port", "9001"])
    assert.equal(code, 0)
    assert.match(stdout, /^base_url: http:\/\/127\.0\.0\.1:9001$/m)
  })
})
