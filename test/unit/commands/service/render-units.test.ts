import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { describe, it } from "node:test"

import {
  flagsByUnit,
  packagedProgram,
  renderUnit,
  type FlagsByUnit,
} from "../../../../src/commands/service/render-units.ts"
import { memoryFlags, memoryVariables } from "../../../../src/commands/daemon/process-flags.ts"
import { readRepositoryFile, repositoryRoot } from "../../../support/markdown.ts"

const names = readdirSync(`${repositoryRoot}/systemd`).filter((name) =>
  /\.(?:service|socket|target)$/.test(name),
)

/** What a program in another place would get: this checkout's paths, written as that place's. */
function flagsFor(packageRoot: string): FlagsByUnit {
  const moved = Object.entries(flagsByUnit()).map(([name, flags]) => [
    name,
    flags.map((flag) => flag.replace(repositoryRoot, packageRoot)),
  ])
  return Object.fromEntries(moved) as FlagsByUnit
}

/** The checked-in units are for the packaged Node, which knows flags that an older one doesn't. */
function withKnownFlags(text: string): string {
  const unknown = ["--allow-net", "--no-experimental-sqlite", "--disable-sigusr1"].filter(
    (flag) => !process.allowedNodeEnvironmentFlags.has(flag),
  )
  return text
    .split("\n")
    .filter((line) => !unknown.some((flag) => line === `  ${flag} \\`))
    .join("\n")
}

const elsewhere = {
  node: "/usr/local/bin/node",
  packageRoot: "/usr/local/lib/node_modules/countersign",
}

describe("the units that install-service writes", () => {
  for (const name of names) {
    const text = readRepositoryFile(`systemd/${name}`)

    it(`are for the Debian package's layout what is checked in as ${name}`, () => {
      const flags = flagsFor(packagedProgram.packageRoot)
      assert.equal(renderUnit({ name, text }, packagedProgram, flags), withKnownFlags(text))
    })

    it(`name nothing of that layout where the program lies elsewhere, in ${name}`, () => {
      const rendered = renderUnit({ name, text }, elsewhere, flagsFor(elsewhere.packageRoot))
      assert.doesNotMatch(rendered, /\/usr\/lib\/countersign/)
      assert.equal(rendered.split("\n").length, withKnownFlags(text).split("\n").length)
    })
  }

  it("keep all small, as serve does", () => {
    for (const name of Object.keys(flagsByUnit())) {
      const text = readRepositoryFile(`systemd/${name}`)
      const [, set] = /^Environment=(.*)$/m.exec(text) ?? []
      assert.deepEqual(
        Object.entries(memoryVariables)
          .map((pair) => pair.join("="))
          .join(" "),
        set,
      )
      for (const flag of memoryFlags) assert.ok(flagsByUnit()[name]?.includes(flag), name)
    }
  })

  it("start this Node with the flags that serve would give it", () => {
    const name = "countersign-vault.service"
    const text = readRepositoryFile(`systemd/${name}`)
    const rendered = renderUnit({ name, text }, elsewhere, {
      [name]: ["--permission", "--allow-worker"],
    })
    const [, start = ""] = /^(ExecStart=(?:.*\\\n)*.*)$/m.exec(rendered) ?? []
    assert.deepEqual(start.split(" \\\n  ").slice(-5), [
      "/usr/local/bin/node",
      "--permission",
      "--allow-worker",
      "/usr/local/lib/node_modules/countersign/dist/vault/main.js",
      "--config-dir /etc/countersign --state-dir /var/lib/countersign",
    ])
    assert.match(start, /^ExecStart=\/usr\/local\/lib\/node_modules\/countersign\/systemd\/launch /)
    assert.match(rendered, /^ExecPaths=.* \/usr\/local\/bin\/node$/m)
    assert.match(
      rendered,
      /^BindReadOnlyPaths=\S+\/node_modules\/countersign \/usr\/local\/bin\/node$/m,
    )
  })

  it("keep a start on one line where it was on one", () => {
    const text =
      "ExecStart=/usr/lib/countersign/systemd/launch -- /usr/lib/countersign/node --old /usr/lib/countersign/dist/gate/main.js --option x\n"
    assert.equal(
      renderUnit({ name: "g", text }, { node: "/n", packageRoot: "/p" }, { g: ["--new"] }),
      "ExecStart=/p/systemd/launch -- /n --new /p/dist/gate/main.js --option x\n",
    )
  })

  it("leave paths alone that only begin like the packaged ones", () => {
    const text =
      "A=/usr/lib/countersign-other /usr/lib/countersign/node_modules /usr/lib/countersign/node\n"
    assert.equal(
      renderUnit({ name: "x", text }, { node: "/n", packageRoot: "/p" }, {}),
      "A=/usr/lib/countersign-other /p/node_modules /n\n",
    )
  })
})
