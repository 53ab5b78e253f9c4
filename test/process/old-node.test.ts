import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { temporaryDirectory } from "../support/link-peer.ts"
import { repositoryRoot } from "../support/markdown.ts"

/** What makes the Node that runs it say that it is an old one. The one that is started in its place isn't told so. */
const asOldNode =
  "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})"

/** A program of ours beside a Node, as `npm ci` leaves them; `main` is what is run. */
function checkout(t: TestContext, main: string): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  for (const path of ["bin", "src", "node_modules/node/bin"])
    mkdirSync(join(directory.path, path), { recursive: true })
  cpSync(join(repositoryRoot, "bin"), join(directory.path, "bin"), { recursive: true })
  writeFileSync(join(directory.path, "package.json"), '{"type":"module"}')
  writeFileSync(join(directory.path, "src/main.ts"), main)
  const node = `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} "$@"\n`
  writeFileSync(join(directory.path, "node_modules/node/bin/node"), node, { mode: 0o755 })
  return join(directory.path, "bin/countersign.js")
}

describe("bin/countersign.js on a Node that is too old", () => {
  it("goes on with the Node beside it, with its arguments and its exit code", (t) => {
    const bin = checkout(
      t,
      "console.log(process.versions.node, ...process.argv.slice(2)); process.exitCode = 3",
    )
    const ended = spawnSync(process.execPath, ["--import", asOldNode, bin, "status", "--json"], {
      encoding: "utf8",
    })
    assert.equal(ended.stdout, `${process.versions.node} status --json\n`)
    assert.equal(ended.status, 3)
  })

  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    it(`passes on ${signal}, and ends by it where the other did`, async (t) => {
      const bin = checkout(t, "console.log('runs'); setInterval(() => undefined, 1_000)")
      const child = spawn(process.execPath, ["--import", asOldNode, bin], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      t.after(() => child.kill("SIGKILL"))
      const ended = once(child, "close")
      await once(child.stdout, "data")
      child.kill(signal)
      assert.deepEqual(await ended, [null, signal])
    })
  }

  it("says where a newer one comes from, if there is none beside it", (t) => {
    const directory = temporaryDirectory()
    t.after(() => directory.remove())
    cpSync(join(repositoryRoot, "bin"), join(directory.path, "bin"), { recursive: true })
    writeFileSync(join(directory.path, "package.json"), '{"type":"module"}')
    const bin = join(directory.path, "bin/countersign.js")
    const ended = spawnSync(process.execPath, ["--import", asOldNode, bin], { encoding: "utf8" })
    assert.equal(ended.status, 1)
    assert.match(ended.stderr, /^countersign needs Node 24 or newer; this is Node 20\.1\.0\. /)
    assert.match(ended.stderr, /Debian package.*npm ci/)
  })
})
