import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { FaultCode } from "../../../src/std/fault.ts"
import { serviceExitCode } from "../../../src/std/service-exit-code.ts"

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
