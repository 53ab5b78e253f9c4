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
      assert.deepEqual(config.ok && config.value.notify, [])
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
      assert.deepEqual(config.ok && config.value.notify, [
        { name: "webhook", form: "json", severity: "warning", url },
      ])
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

  it("takes targets of each form, with files for their secrets", () => {
    const config = read(`notify:
  - {name: desk, form: slack, url_file: slack-url, severity: critical}
  - {name: phone, form: telegram, url_file: telegram-url}
  - {name: push, form: ntfy, url_file: ntfy-url, secret_file: ntfy-token}
  - {name: ours, form: json, url_file: ops-url, secret_file: ops-key}
  - {name: here, form: json, url: "http://127.0.0.1:9000/alarms"}
  - {name: duty, form: pagerduty, secret_file: pagerduty-key, severity: critical}
`)
    assert.ok(config.ok)
    assert.deepEqual(
      config.value.notify.map(({ name, form, severity }) => `${name} ${form} ${severity}`),
      [
        "desk slack critical",
        "phone telegram warning",
        "push ntfy warning",
        "ours json warning",
        "here json warning",
        "duty pagerduty critical",
      ],
    )
  })

  it("posts to PagerDuty in the United States, unless it names another address", () => {
    const url = (more: string) => {
      const config = read(`notify:\n  - {name: a, form: pagerduty, secret_file: s${more}}\n`)
      const [target] = config.ok ? config.value.notify : []
      return target !== undefined && "url" in target ? target.url : undefined
    }
    const eu = "https://events.eu.pagerduty.com/v2/enqueue"
    assert.equal(url(""), "https://events.pagerduty.com/v2/enqueue")
    assert.equal(url(`, url: "${eu}"`), eu)
    assert.equal(url(', url: "http://events.eu.pagerduty.com/v2/enqueue"'), undefined)
  })

  for (const [what, line, told] of [
    ["PagerDuty without a key's file", "{name: a, form: pagerduty}", /at notify\.0\.secret_file/],
    [
      "a file for PagerDuty's address, which is no secret",
      "{name: a, form: pagerduty, secret_file: s, url_file: u}",
      /unknown key "url_file"/,
    ],
    ["a target without an address", "{name: a, form: slack}", /at notify\.0\.url_file/],
    ["a json target without an address", "{name: a, form: json}", /expected url_file/],
    [
      "two addresses",
      '{name: a, form: json, url: "https://x.example", url_file: u}',
      /expected url_file/,
    ],
    [
      "an address with a secret in it",
      '{name: a, form: slack, url: "https://x.example/secret-path"}',
      /unknown key "url"/,
    ],
    [
      "a secret where the form has none",
      "{name: a, form: telegram, url_file: u, secret_file: s}",
      /unknown key "secret_file"/,
    ],
    ["a form that there isn't", "{name: a, form: irc, url_file: u}", /at notify\.0\.form/],
    [
      "another severity",
      "{name: a, form: slack, url_file: u, severity: info}",
      /at notify\.0\.severity/,
    ],
    ["a path for a file's name", "{name: a, form: slack, url_file: ../u}", /no path/],
    ["no file's name", "{name: a, form: slack, url_file: ..}", /no path/],
  ] as const) {
    it(`refuses ${what}, where it stands`, () => {
      const config = read(`notify:\n  - ${line}\n`)
      assert.ok(!config.ok)
      const texts = config.error.map(problemText).join("\n")
      assert.match(texts, /^countersign\.yaml:3:\d+: /)
      assert.match(texts, told)
      assert.doesNotMatch(texts, /secret-path/)
    })
  }

  it("refuses two targets of one name, and more than eight", () => {
    const one = (name: string) => `  - {name: ${name}, form: slack, url_file: u}\n`
    assert.ok(!read(`notify:\n${one("a")}${one("a")}`).ok)
    const many = (count: number) => Array.from({ length: count }, (_, n) => one(`t${n}`)).join("")
    assert.ok(read(`notify:\n${many(8)}`).ok)
    assert.ok(!read(`notify:\n${many(9)}`).ok)
  })
})
