import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { text } from "node:stream/consumers"

import { keepPrinted } from "../support/canaries-of-commands.ts"
import type { Ended } from "../support/countersign.ts"
import { readRepositoryFile, repositoryRoot } from "../support/markdown.ts"
import { installPacked, type Packed } from "../support/packed.ts"

/** What npm puts into every package, whatever "files" says. */
const always = ["package.json", "README.md", "LICENSE"]

describe("the npm package", { timeout: 600_000 }, () => {
  let packed: Packed
  before(async () => {
    packed = await installPacked()
  })
  after(() => packed.remove())

  /** Runs the command that npm has linked, with the Node that lies beside it. */
  async function run(...args: readonly string[]): Promise<Ended> {
    const bin = join(packed.prefix, "bin")
    const child = spawn(join(bin, "countersign"), args, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 120_000,
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    })
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit") as Promise<[number | null]>,
    ])
    keepPrinted(args, { stdout, stderr })
    return { code, stdout, stderr }
  }

  function packageFile(): Readonly<Record<string, unknown>> {
    const written = readFileSync(join(packed.packageRoot, "package.json"), "utf8")
    return JSON.parse(written) as Readonly<Record<string, unknown>>
  }

  it("holds what package.json lists as its files, and nothing else", () => {
    const listed = packageFile()["files"] as readonly string[]
    const others = packed.files.filter(
      (path) =>
        !always.includes(path) &&
        !listed.some((entry) => path === entry || path.startsWith(`${entry}/`)),
    )
    assert.deepEqual(others, [])
    assert.ok(!packed.files.some((path) => /(?:^|\/)(?:src|test)\/|\.ts$/.test(path)))
  })

  for (const directory of ["systemd", "policies", "docs"]) {
    it(`has all of ${directory}/`, () => {
      const files = readdirSync(join(repositoryRoot, directory), {
        recursive: true,
        encoding: "utf8",
      })
        .map((name) => join(directory, name))
        .filter((path) => statSync(join(repositoryRoot, path)).isFile())
      assert.deepEqual(
        files.filter((path) => !packed.files.includes(path)),
        [],
      )
    })
  }

  it("has a compiled file for each of src/, and can run what systemd starts", () => {
    const sources = readdirSync(join(repositoryRoot, "src"), { recursive: true, encoding: "utf8" })
    for (const name of sources.filter((each) => each.endsWith(".ts"))) {
      assert.ok(packed.files.includes(`dist/${name.replace(/ts$/, "js")}`), name)
    }
    assert.notEqual(statSync(join(packed.packageRoot, "systemd/launch")).mode & 0o111, 0)
  })

  it("pins its dependencies' dependencies to what is tested here, by their hashes", () => {
    const written = readFileSync(join(packed.packageRoot, "npm-shrinkwrap.json"), "utf8")
    assert.equal(written, readRepositoryFile("package-lock.json"))
  })

  it("runs nothing when it is installed", () => {
    const scripts = Object.keys(packageFile()["scripts"] as object)
    assert.deepEqual(
      scripts.filter((name) => /install|^prepare$/.test(name)),
      [],
    )
  })

  it("says its version", async () => {
    const { version } = JSON.parse(readRepositoryFile("package.json")) as { version: string }
    assert.deepEqual(await run("--version"), { code: 0, stdout: `${version}\n`, stderr: "" })
  })

  it("serves from where npm put it: an order goes through and another is refused", async () => {
    const { code, stdout, stderr } = await run("demo", "--once")
    assert.equal(code, 0, `${stdout}${stderr}`)
    assert.match(stdout, /policy_denied/)
  })
})
