import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { temporaryDirectory } from "../support/link-peer.ts"
import { startNotifySocket } from "../support/notify-socket.ts"

const launch = fileURLToPath(new URL("../../systemd/launch", import.meta.url))

/** Becomes `env` and reads what it was given. */
function run(options: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const ended = spawnSync(launch, [...options, "--", "/usr/bin/env"], {
    encoding: "utf8",
    env: environment,
  })
  const variables = Object.fromEntries(
    ended.stdout.split("\n").map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? ["", ""]),
  ) as Readonly<Record<string, string>>
  return { status: ended.status, stderr: ended.stderr, variables }
}

const sentences = (things: readonly string[]): string =>
  things
    .map((thing) => `The sandbox doesn't deny ${thing}, which the unit file says it does.\n`)
    .join("")

describe("systemd/launch", () => {
  it("is a program that everyone may run", () => {
    assert.equal(statSync(launch).mode & 0o111, 0o111)
    assert.equal(readFileSync(launch, "utf8").split("\n")[0], "#!/usr/bin/perl")
  })

  it("says what isn't denied, in sentences and to the program, and leaves no file behind", () => {
    const { status, stderr, variables } = run(["--denied=connect,write,exec"])
    assert.equal(status, 0)
    assert.equal(variables["COUNTERSIGN_SANDBOX"], "connect,write,exec")
    for (const thing of ["connections to 127.0.0.1", "starting /bin/true", "starting /bin/sh"]) {
      assert.ok(stderr.includes(sentences([thing])), thing)
    }
    assert.match(stderr, /doesn't deny writing in \/etc,/)
    const left = ["/etc", "/usr", "/var", "/run"].flatMap((directory) => readdirSync(directory))
    assert.deepEqual(
      left.filter((name) => name.includes("countersign-launch")),
      [],
    )
  })

  it("finds a directory, a file and a socket that should be hidden", (t) => {
    const directory = temporaryDirectory()
    t.after(() => directory.remove())
    const socket = join(directory.path, "socket")
    const server = createServer()
    t.after(() => server.close())
    server.listen(socket)
    const paths = [directory.path, "/etc/passwd", socket]
    const seen = run(["--denied=state", `--hidden=${["/nowhere", ...paths].join(",")}`])
    assert.equal(seen.variables["COUNTERSIGN_SANDBOX"], "state")
    assert.equal(seen.stderr, sentences(paths.map((path) => `opening ${path}`)))
  })

  it("says that all holds where it does, and nothing where nothing was asked", () => {
    const held = run(["--denied=state", "--hidden=/nowhere"])
    assert.deepEqual([held.variables["COUNTERSIGN_SANDBOX"], held.stderr], ["holds", ""])
    assert.equal(run([]).variables["COUNTERSIGN_SANDBOX"], undefined)
  })

  it("marks its sentences as warnings for the journal", () => {
    const { stderr } = run(["--denied=state", "--hidden=/etc"], { JOURNAL_STREAM: "1:1" })
    assert.equal(stderr, `<4>${sentences(["opening /etc"])}`)
  })

  it("connects the notify socket, and hands on no variable that Node would obey", async (t) => {
    const { path } = await startNotifySocket(t)
    const { variables } = run([], { NOTIFY_SOCKET: path, NODE_OPTIONS: "--inspect", KEPT: "1" })
    assert.match(variables["NOTIFY_FD"] ?? "", /^\d+$/)
    assert.deepEqual(
      ["NOTIFY_SOCKET", "NODE_OPTIONS", "KEPT"].map((name) => variables[name]),
      [undefined, undefined, "1"],
    )
  })

  const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["an option it doesn't know", ["--deny=exec", "--", "/bin/true"], /option --deny=exec/],
    ["a word it can't try", ["--denied=all", "--", "/bin/true"], /can't try all; it knows connect/],
    ["no program", ["--denied=exec"], /needs a program/],
    ["a program that isn't there", ["--", "/nowhere/node"], /\/nowhere\/node can't be started/],
  ]
  for (const [what, args, says] of mistakes) {
    it(`ends with 78 at ${what}`, () => {
      const ended = spawnSync(launch, args, { encoding: "utf8", env: {} })
      assert.equal(ended.status, 78)
      assert.match(ended.stderr, says)
    })
  }

  it("ends with 78 where systemd can't be told", () => {
    const { status, stderr } = run([], { NOTIFY_SOCKET: "/nowhere/notify" })
    assert.equal(status, 78)
    assert.match(stderr, /^launch: systemd's notify socket can't be reached/)
  })
})
