import assert from "node:assert/strict"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"

import { serviceNotify, type ServiceNotify } from "../../../src/std/service-notify.ts"

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
