import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { signerDirOf } from "../../../../src/vault/config/installation.ts"

const installation = { configDir: "/etc/countersign", stateDir: "/var/lib/countersign" }

describe("the signers' directory", () => {
  for (const [signerDir, isTaken] of [
    ["/var/lib/signers-of-countersign", true],
    ["/srv/marks", true],
    ["/var/lib/countersign", false],
    ["/var/lib/countersign/marks", false],
    ["/var/lib/countersign-signers", false],
    ["/var/lib/counter", false],
    ["/var/lib", true],
    ["/etc/countersign.signers", false],
  ] as const) {
    it(`${isTaken ? "may" : "can't"} be ${signerDir}`, () => {
      const of = () => signerDirOf({ signerDir }, installation)
      if (isTaken) assert.equal(of(), signerDir)
      else assert.throws(of, { code: "config_invalid" })
    })
  }
})
