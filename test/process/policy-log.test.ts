import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { quotePolicy, writePolicy } from "../support/trading-keys.ts"

describe("countersign policy log", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await writePolicy(installation.dir, quotePolicy("1"))
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await countersign([...args, "--dir", installation.dir])
    assert.equal(code, 0, stderr)
    return stdout
  }
  const log = (...more: readonly string[]) => run("policy", "log", ...more)
  /** What is told of the last time that files changed. */
  const last = async (): Promise<string> => (await log()).trimEnd().split("\n\n").at(-2) ?? ""

  it("tells when the first files came into force, by the daemon itself", async () => {
    assert.match(
      await last(),
      /^\d{4}-\S+Z  #\d+  by the daemon itself \(a start, [^)]*\)  [0-9a-f]{64}\n {8}the first files$/,
    )
  })

  it("tells who had a reload, and what of it allows more", async () => {
    await writePolicy(installation.dir, quotePolicy("2"))
    await run("policy", "reload")
    assert.match(
      await last(),
      /by \S+ \(uid \d+\), policy reload  [0-9a-f]{64}\nWIDENS  policies\/trading\.yaml rules\/quote\/max_quantity: "1" → "2"$/,
    )
  })

  it("tells of a rollback, whose files an earlier entry has", async () => {
    await run("policy", "rollback")
    assert.match(
      await last(),
      /, policy rollback  [0-9a-f]{64}\n        policies\/trading\.yaml rules\/quote\/max_quantity: "2" → "1"$/,
    )
  })

  it("says how to undo the last", async () => {
    assert.match(await log(), /\n\nTo go back to .*: countersign policy rollback\n$/)
  })

  it("tells of files that a start found, and nothing of a start that found the same", async () => {
    await writePolicy(installation.dir, quotePolicy("3"))
    await daemon.stop()
    await run("policy", "reload") // a rollback stands, which no start ends by itself
    for (let starts = 0; starts < 2; starts++) {
      daemon = await serve(installation.dir)
      if (starts === 0) await daemon.stop()
    }
    assert.match(await last(), /by the daemon itself [^]*"1" → "3"$/)
    assert.equal((await log()).split("\n\n").length, 5)
  })

  it("doesn't take a reload that was refused for whoever changes files next", async () => {
    const file = join(installation.dir, "policies/trading.yaml")
    await writePolicy(installation.dir, `${readFileSync(file, "utf8")}rulez: []\n`)
    assert.equal((await countersign(["policy", "reload", "--dir", installation.dir])).code, 1)
    await daemon.stop()
    await writePolicy(installation.dir, quotePolicy("4"))
    daemon = await serve(installation.dir)
    assert.match(await last(), /by the daemon itself [^]*"3" → "4"$/)
  })

  it("has only what came since a moment, measured from what was in force then", async () => {
    type Log = { readonly changes: readonly { readonly at: number; readonly seq: number }[] }
    const { changes } = await countersignJson<Log>(["policy", "log", "--dir", installation.dir])
    const { at = 0, seq } = changes.at(-1) ?? {}
    const since = (ms: number) => log("--since", new Date(ms).toISOString())
    assert.match(await since(at), new RegExp(`^\\S+  #${seq}  [^]*"3" → "4"\\n\\nTo go back`))
    assert.equal(await since(at + 1), "No other files came into force since then.\n")
  })

  it("answers where no daemon runs", async () => {
    await daemon.stop()
    assert.match(await last(), /"3" → "4"$/)
  })
})
