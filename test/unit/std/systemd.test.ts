import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { FaultCode } from "../../../src/std/fault.ts"
import {
  listenFds,
  serviceNotify,
  type ServiceNotify,
  undenied,
  serviceExitCode,
} from "../../../src/std/systemd.ts"

const given = { LISTEN_PID: "7", LISTEN_FDS: "2", LISTEN_FDNAMES: "bot:admin" }

describe("sockets that systemd hands over", () => {
  it("are found by name, from the third descriptor on", () => {
    assert.deepEqual(
      [...listenFds({ ...given }, 7)],
      [
        ["bot", 3],
        ["admin", 4],
      ],
    )
  })

  it("are none of another process's", () => {
    assert.equal(listenFds({ ...given }, 8).size, 0)
    assert.equal(listenFds({}, 7).size, 0)
  })

  it("are named no further to whoever is started from here", () => {
    const environment: NodeJS.ProcessEnv = { ...given, PATH: "/bin" }
    listenFds(environment, 7)
    assert.deepEqual(environment, { PATH: "/bin" })
  })

  for (const [what, names] of [
    ["fewer names than sockets", "bot"],
    ["more names than sockets", "bot:admin:third"],
    ["one name twice", "bot:bot"],
  ] as const) {
    it(`are refused with ${what}`, () => {
      const read = () => listenFds({ ...given, LISTEN_FDNAMES: names }, 7)
      assert.throws(read, { code: "usage", message: /FileDescriptorName=/ })
    })
  }
})

describe("what a service tells systemd", () => {
  const sayings: Readonly<Record<string, readonly [(to: ServiceNotify) => void, string]>> = {
    "that it is ready": [(to) => to.ready("signing"), "READY=1\nSTATUS=signing"],
    "what goes on": [(to) => to.status("checking the ledger"), "STATUS=checking the ledger"],
    "that it reloads": [(to) => to.reloading("reading files"), "RELOADING=1\nSTATUS=reading files"],
    "that it stops": [(to) => to.stopping(), "STOPPING=1"],
    "that it is alive": [(to) => to.alive(), "WATCHDOG=1"],
    "one line, whatever a status holds": [
      (to) => to.status(" a\nREADY=1\r\n\tb "),
      "STATUS=a READY=1 b",
    ],
    "nothing that moves a cursor": [(to) => to.status("a\u001b[2Jb"), "STATUS=a\\u001b[2Jb"],
    "no more than systemd takes, however much a status holds": [
      (to) => to.ready("…".repeat(5_000)),
      `READY=1\nSTATUS=${"…".repeat(1_200)}`,
    ],
  }
  for (const [what, [say, expected]] of Object.entries(sayings)) {
    it(`is ${what}`, () => assert.equal(told(say), expected))
  }

  it("is nothing where nobody listens", () => {
    const notify = serviceNotify({ WATCHDOG_USEC: "5000000" })
    assert.deepEqual([notify.isHeard, notify.watchdogMs], [false, undefined])
    notify.ready("signing")
  })

  it("is no reason to stop when it can't be told", () => {
    serviceNotify({ NOTIFY_FD: "999999" }).alive()
  })

  it("comes within the watchdog's time, which systemd gives in microseconds", () => {
    const environment: NodeJS.ProcessEnv = { NOTIFY_FD: "999999", WATCHDOG_USEC: "5000000" }
    assert.equal(serviceNotify(environment).watchdogMs, 5_000)
    assert.deepEqual(environment, {})
  })
})

function told(say: (to: ServiceNotify) => void): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-notify-"))
  const path = join(directory, "told")
  const descriptor = openSync(path, "w")
  try {
    say(serviceNotify({ NOTIFY_FD: String(descriptor) }))
    return readFileSync(path, "utf8")
  } finally {
    closeSync(descriptor)
    rmSync(directory, { recursive: true })
  }
}

describe("what a sandbox doesn't deny", () => {
  const said: readonly (readonly [string | undefined, readonly string[]])[] = [
    [undefined, []],
    ["holds", []],
    ["exec", ["The sandbox doesn't deny starting other programs: install the unit as x has it."]],
    [
      "connect,write",
      [
        "The sandbox doesn't deny connections to the network, writing to the system's files: install the unit as x has it.",
      ],
    ],
    ["later", ["The sandbox doesn't deny what else it should: install the unit as x has it."]],
  ]
  for (const [word, warnings] of said) {
    it(`is told once where the launcher says ${word ?? "nothing"}`, () => {
      const environment = {
        KEPT: "1",
        ...(word === undefined ? {} : { COUNTERSIGN_SANDBOX: word }),
      }
      assert.deepEqual(undenied("x", environment), warnings)
      assert.deepEqual(environment, { KEPT: "1" })
    })
  }
})

describe("the exit code of a service that can't start", () => {
  const codes: readonly (readonly [FaultCode, 75 | 78])[] = [
    ["ledger_unavailable", 75],
    ["already_running", 75],
    ["vault_unavailable", 75],
    ["config_invalid", 78],
    ["passphrase_wrong", 78],
    ["file_unsafe", 78],
    ["internal", 78],
  ]
  for (const [code, expected] of codes) {
    it(`is ${expected} for ${code}`, () => assert.equal(serviceExitCode(code), expected))
  }
})
