import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { text } from "node:stream/consumers"

import type { Finding } from "../../src/commands/doctor/finding.ts"
import { keepPrinted } from "../support/canaries-of-commands.ts"
import { logIn } from "../support/console-session.ts"
import { openConsole } from "../support/console-site.ts"
import { makeInstallation, serve, type Ended } from "../support/countersign.ts"
import { exchange } from "../support/exchange.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot } from "../support/markdown.ts"
import { needsNative } from "../support/curves.ts"
import { isSummed, listedIn, summedIn } from "../support/inventory.ts"
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
    assert.ok(!packed.files.some((path) => /(?:^|\/)(?:src|test)\/|(?<!\.d)\.ts$/.test(path)))
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

  it("has every entry that the program names, with the texts of the licences of what is in them", () => {
    const sources = readdirSync(join(repositoryRoot, "src"), { recursive: true, encoding: "utf8" })
    const texts = sources
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readRepositoryFile(`src/${name}`))
    const named = texts.flatMap((text) => [
      ...text.matchAll(/(?:programFile\(|\bentry: )"([\w/-]+)"/g),
    ])
    const entries = named.map(([, entry = ""]) => entry)
    assert.ok(entries.length >= 4, entries.join())
    for (const entry of ["main", "client/create-client", "console/page/main", ...entries]) {
      assert.ok(packed.files.includes(`dist/${entry}.js`), entry)
    }
    for (const name of ["LICENSE.yaml", "LICENSE.zod", "console/page/page.html"]) {
      assert.ok(packed.files.includes(`dist/${name}`), name)
    }
  })

  it("can run what systemd starts", () => {
    assert.notEqual(statSync(join(packed.packageRoot, "systemd/launch")).mode & 0o111, 0)
  })

  it("brings countersign/client with its types, and no other types", () => {
    const types = packed.files.filter((path) => path.endsWith(".d.ts"))
    assert.ok(types.every((path) => path.startsWith("dist/client/")) && types.length > 0)
    const project = join(packed.prefix, "lib")
    const [standing = ""] = fencedBlocks(readRepositoryFile("clients/typescript/README.md"), "ts")
    const shown = standing.replace("countersign-client", "countersign/client")
    const known = `declare const url: string, token: string
declare const order: { symbol_id: number; is_buy: boolean; quantity: string }
`
    writeFileSync(join(project, "package.json"), '{"type": "module"}')
    writeFileSync(join(project, "bot.ts"), shown + known)
    writeFileSync(
      join(project, "wrong.ts"),
      `${shown}${known}// @ts-expect-error -- there is no such path\nawait client.send("/v1/none", {})\n`,
    )
    const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc")
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024"]
    const args = [compiler, ...options, "bot.ts", "wrong.ts"]
    const compiled = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" })
    assert.deepEqual([compiled.status, compiled.stdout], [0, ""])

    const used = `const {createClient} = await import("countersign/client")
      const answer = await createClient({url: "http://127.0.0.1:1", token: "cs_none"}).whoami()
      console.log(answer.code)`
    const ran = spawnSync(process.execPath, ["-e", used], { cwd: project, encoding: "utf8" })
    assert.deepEqual([ran.stdout, ran.stderr], ["no_answer\n", ""])
  })

  it("pins its dependencies' dependencies to what is tested here, by their hashes", () => {
    const written = readFileSync(join(packed.packageRoot, "npm-shrinkwrap.json"), "utf8")
    assert.equal(written, readRepositoryFile("package-lock.json"))
  })

  it("has the SHA-256 of each of its files", () => {
    assert.deepEqual(summedIn(packed.packageRoot), packed.files.filter(isSummed).sort())
  })

  it("lists each package that comes with it, as the lock file has them", () => {
    const { packages } = JSON.parse(readRepositoryFile("package-lock.json")) as {
      readonly packages: Readonly<Record<string, { version: string; dev?: true; peer?: true }>>
    }
    const locked = Object.entries(packages).flatMap(([path, { version, dev, peer }]) => {
      const name = path.split("node_modules/").at(-1)
      return name === undefined || name === "" || dev || peer ? [] : `${name}@${version}`
    })
    assert.deepEqual(listedIn(packed.packageRoot), [...new Set(locked)].sort())
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

  it("serves the console's page, its scripts and its libraries", async (t) => {
    const installation = await makeInstallation()
    t.after(() => installation.remove())
    const program = join(packed.packageRoot, "bin/countersign.js")
    const daemon = await serve(installation.dir, [], { program })
    t.after(() => daemon.stop())
    const opened = await openConsole(installation.dir, [], { program })
    t.after(() => opened.stop())
    const page = await exchange(opened.port, { path: "/" })
    const linked = [...page.text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path)
    assert.ok(linked.includes("/assets/main.js"))
    const script = await exchange(opened.port, { path: "/assets/main.js" })
    const imported = [...script.text.matchAll(/from"?\s*"(\.\/lib\/[^"]+)"/g)]
    assert.ok(imported.length > 1)
    const libraries = imported.map(([, path = ""]) => path.replace(".", "/assets"))
    for (const path of [...linked, ...libraries]) {
      assert.equal((await exchange(opened.port, { path })).status, 200, path)
    }
    const session = await logIn(opened.link)
    assert.equal((await session.look()).state.signs, "all")
    assert.equal(opened.stderr(), "")
  })

  const withoutPackages = (...names: readonly string[]): void => {
    for (const name of names) {
      rmSync(join(packed.packageRoot, "node_modules", name), { recursive: true })
    }
  }
  const curveInDoctor = async (): Promise<Finding> => {
    const { stdout } = await run("doctor", "--dir", join(packed.prefix, "none"), "--json")
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
    return findings.find(({ check }) => check === "curve") ?? assert.fail(stdout)
  }

  it("takes libsecp256k1 alone of the package that brings it: elliptic could as well be missing", async (t) => {
    if (needsNative.skip !== undefined) {
      t.skip(needsNative.skip)
      return
    }
    withoutPackages(
      "elliptic",
      "node-gyp-build",
      ...["lib", "index.js", "bindings.js"].map((name) => `secp256k1/${name}`),
    )
    assert.deepEqual(await curveInDoctor(), {
      check: "curve",
      state: "ok",
      message: "libsecp256k1 signs, in constant time.",
      fix: null,
    })
  })

  it("serves without that package too, and says that it signs in JavaScript", async () => {
    withoutPackages("secp256k1")
    const { code, stdout, stderr } = await run("demo", "--once")
    assert.equal(code, 0, `${stdout}${stderr}`)
    const { state, message } = await curveInDoctor()
    assert.equal(state, "warn")
    assert.match(message, /^Signatures are made in JavaScript, .* secp256k1 isn't installed\)\.$/)
  })
})
