import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { after, before, beforeEach, describe, it } from "node:test"

import { makeBuilds, needsDpkg, type Builds } from "../support/debian-package.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot, sectionOf } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"

const { version } = JSON.parse(readRepositoryFile("package.json")) as { readonly version: string }
const published = [
  `countersign-${version}.cdx.json`,
  `countersign-${version}.tgz`,
  `countersign-client-${version}.tar.gz`,
  `countersign-client-${version}.tgz`,
  `countersign_${version}_amd64.deb`,
  `countersign_client-${version}-py3-none-any.whl`,
]
const deb = `countersign_${version}_amd64.deb`
const page = readRepositoryFile("docs/releases.md")
const [check = ""] = fencedBlocks(sectionOf(page, "Check a release"), "sh")
const [makeKey = ""] = fencedBlocks(sectionOf(page, "The key"), "sh")
const shippedList = readRepositoryFile("docs/release-signers")

const ssh = needs("ssh-keygen", "apt-get install openssh-client")

describe("a release", { timeout: 600_000, ...needsDpkg(), ...ssh }, () => {
  let builds: Builds
  /** As it was built and signed, and a copy of it for one test. */
  let made: string
  let release: string
  let signers: string
  before(async () => {
    builds = await makeBuilds()
    made = join(builds.home, "made")
    release = join(builds.home, "release")
    signers = join(builds.home, "signers")
    const checkout = join(builds.home, "checkout")
    await cp(repositoryRoot, checkout, { recursive: true, filter: isSource })
    await symlink(join(repositoryRoot, "node_modules"), join(checkout, "node_modules"))
    const args = ["run", "--silent", "release", "--", "--to", made, "--node", builds.tarball]
    const built = spawnSync("npm", args, {
      cwd: checkout,
      encoding: "utf8",
      env: { ...process.env, SOURCE_DATE_EPOCH: "1750000000" },
    })
    assert.equal(built.status, 0, built.stderr)
    makeKeyNamed("releases")
    makeKeyNamed("another")
    await writeFile(signers, `${shippedList}${lineOf(await publicKey("releases"))}`)
    assert.deepEqual(sign(made, "releases"), { code: 0, said: "" })
  })
  after(() => builds.remove())
  beforeEach(async () => {
    await rm(release, { recursive: true, force: true })
    await cp(made, release, { recursive: true })
    await cp(signers, join(release, "release-signers"))
  })

  it("has every package, the list of what comes with the daemon, and a sum of each", async () => {
    assert.deepEqual((await readdir(made)).sort(), ["SHA256SUMS", "SHA256SUMS.sig", ...published])
    const sums = (await readFile(join(made, "SHA256SUMS"), "utf8")).trim().split("\n")
    assert.deepEqual(
      sums.map((line) => line.slice(66)),
      published,
    )
  })

  it("is good by the commands of docs/releases.md, which say so of each file", () => {
    const { code, said } = verify()
    assert.equal(code, 0, said)
    const [signature = "", ...files] = said.trim().split("\n")
    assert.match(
      signature,
      /^Good "countersign-release" signature for releases@countersign with ED25519 key SHA256:/,
    )
    assert.deepEqual(
      files,
      published.map((name) => `${name}: OK`),
    )
  })

  it("is refused with a changed byte in a file", async () => {
    const path = join(release, deb)
    const bytes = await readFile(path)
    bytes[bytes.length >> 1]! ^= 1
    await writeFile(path, bytes)
    const { code, said } = verify()
    assert.notEqual(code, 0)
    assert.match(said, new RegExp(`^${deb}: FAILED$`, "m"))
  })

  it("is refused without a file, and good for the others where that is asked", async () => {
    await rm(join(release, deb))
    const { code, said } = verify()
    assert.notEqual(code, 0)
    assert.match(said, new RegExp(`^${deb}: FAILED open or read$`, "m"))
    const part = verify("--ignore-missing ")
    assert.equal(part.code, 0, part.said)
    assert.ok(!part.said.includes(deb))
  })

  it("is refused with a changed list of sums, before any file is looked at", async () => {
    await appendFile(join(release, "SHA256SUMS"), `${"0".repeat(64)}  more\n`)
    assertNotSigned()
  })

  it("is refused when another key has signed it, and when the list has no key yet", async () => {
    const all = `${shippedList}${lineOf(await publicKey("another"))}`
    await writeFile(join(release, "release-signers"), all)
    assertNotSigned()
    await writeFile(join(release, "release-signers"), shippedList.replaceAll(/^[^#].*\n/gm, ""))
    assertNotSigned()
  })

  it("is refused with the key's signature of something else", async () => {
    await rm(join(release, "SHA256SUMS.sig"))
    const args = ["-Y", "sign", "-q", "-f", join(builds.home, "releases"), "-n", "file"]
    assert.equal(spawnSync("ssh-keygen", [...args, "SHA256SUMS"], { cwd: release }).status, 0)
    assertNotSigned()
  })

  it("is signed by no key that users don't know, of nothing but files, and of something", async () => {
    await rm(join(release, "release-signers"))
    const unknown = sign(release, "another")
    assert.deepEqual([unknown.code, unknown.said.includes("doesn't list this key")], [1, true])
    assert.ok(!(await readdir(release)).includes("SHA256SUMS.sig"))

    await mkdir(join(release, "folder"))
    assert.match(sign(release, "releases").said, /^folder is no file/)
    assert.ok(!(await readdir(release)).includes("SHA256SUMS"))

    await rm(release, { recursive: true })
    await mkdir(release)
    assert.match(sign(release, "releases").said, /there is nothing to sign/)
  })

  function makeKeyNamed(name: string): void {
    const line = `${makeKey.trim().replace("-f releases", `-f ${name}`)} -q -N ''`
    const { status, stderr } = spawnSync("sh", ["-c", line], { cwd: builds.home, encoding: "utf8" })
    assert.equal(status, 0, stderr)
  }

  async function publicKey(name: string): Promise<string> {
    return (await readFile(join(builds.home, `${name}.pub`), "utf8")).trim()
  }

  /** Runs what the page says, in the release's directory. */
  function verify(option = ""): { readonly code: number | null; readonly said: string } {
    const line = check.replace("--strict ", `--strict ${option}`)
    return said(spawnSync("sh", ["-c", line], { cwd: release, encoding: "utf8" }))
  }

  function assertNotSigned(): void {
    const { code, said } = verify()
    assert.notEqual(code, 0)
    assert.ok(!said.includes(": OK"), said)
  }

  function sign(directory: string, key: string) {
    const signer = join(repositoryRoot, "packaging/release/sign.ts")
    const args = [signer, "--in", directory, "--key", join(builds.home, key), "--signers", signers]
    return said(spawnSync(process.execPath, args, { encoding: "utf8" }))
  }
})

function lineOf(key: string): string {
  return `releases@countersign namespaces="countersign-release" ${key}\n`
}

function said(ended: { status: number | null; stdout: string; stderr: string }) {
  return { code: ended.status, said: `${ended.stdout}${ended.stderr}` }
}

function isSource(path: string): boolean {
  return ![".git", "node_modules", "dist"].includes(relative(repositoryRoot, path))
}
