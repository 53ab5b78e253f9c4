import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { problemText } from "../../../../src/std/yaml-file.ts"
import { parseConfig } from "../../../../src/vault/config/config.ts"

function read(lines: string) {
  return parseConfig(`keystore: {backend: memory}\n${lines}`, "countersign.yaml")
}

describe("notify in countersign.yaml", () => {
  it("is off unless it names a webhook", () => {
    for (const lines of ["", "notify: {}\n"]) {
      const config = read(lines)
      assert.ok(config.ok && config.value.webhook === undefined)
    }
  })

  for (const url of [
    "https://hooks.example/services/T0/B0/x",
    "https://hooks.example:8443/x?token=y",
    "http://127.0.0.1:9000/x",
    "http://localhost/x",
    "http://[::1]:9000/x",
    `https://hooks.example/${"x".repeat(2_048 - 22)}`,
  ]) {
    it(`takes ${url.slice(0, 60)}`, () => {
      const config = read(`notify: {webhook: ${JSON.stringify(url)}}\n`)
      assert.ok(config.ok && config.value.webhook === url)
    })
  }

  for (const url of [
    "http://hooks.example/secret-path",
    "http://127.0.0.1.example/secret-path",
    "https://user:secret-path@hooks.example/",
    "https://user@hooks.example/secret-path",
    "https://hooks.example/secret-path#part",
    "https://hooks.example/secret path",
    "https:\\\\hooks.example/secret-path",
    "ftp://hooks.example/secret-path",
    "file:///secret-path",
    "secret-path",
    "",
    `https://hooks.example/${"x".repeat(2_049 - 22)}`,
  ]) {
    it(`refuses ${JSON.stringify(url.slice(0, 60))}, and doesn't quote it`, () => {
      const config = read(`notify: {webhook: ${JSON.stringify(url)}}\n`)
      assert.ok(!config.ok)
      const told = config.error.map(problemText).join()
      assert.match(told, /^countersign\.yaml:2:\d+: .*expected https:/)
      assert.doesNotMatch(told, /secret|hooks/)
    })
  }

  it("refuses what else is in it", () => {
    assert.ok(!read("notify: {webhok: https://hooks.example/x}\n").ok)
    assert.ok(!read("notify: https://hooks.example/x\n").ok)
  })
})
