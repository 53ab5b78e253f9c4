import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { verdictOf } from "../support/audit-ledger.ts"
import { installPacked } from "../support/packed.ts"
import { readLedger, type JournalEntry } from "../support/read-ledger.ts"
import type { Load } from "../support/service-load.ts"
import { hangModule, loadScript, serviceScript } from "../support/service-script.ts"
import { assertSigned, readSignedBody } from "../support/signed-body.ts"
import { needsSystemd, sectionsIn, underSystemd } from "../support/systemd.ts"

const orders = "/v1/trade/orders"
/** Three times what is promised; one second is usual. */
const longestBackMs = 6_000

const hanging = `process.on("SIGUSR2", () => {
  for (;;);
})
`

describe("countersign install-service", { ...needsSystemd(), timeout: 1_200_000 }, () => {
  let sections: ReadonlyMap<string, string>
  let entries: readonly JournalEntry[]
  let home: string
  before(async () => {
    const packed = await installPacked()
    try {
      await writeFile(join(packed.packageRoot, hangModule), hanging, { mode: 0o644 })
      const script = join(packed.prefix, loadScript)
      await mkdir(dirname(script))
      await copyFile(fileURLToPath(new URL("../support/service-load.ts", import.meta.url)), script)
      const { code, stdout, stderr } = await underSystemd(serviceScript, packed.prefix)
      assert.equal(code, 0, `${stdout}\n${stderr}`)
      sections = sectionsIn(stdout)
    } finally {
      await packed.remove()
    }
    home = await mkdtemp(join(tmpdir(), "cs-service-"))
    const archive = Buffer.from(said("ledger"), "base64")
    execFileSync("tar", ["--extract", "--gzip", "--directory", home], { input: archive })
    entries = readLedger(join(home, "ledger.db"))
  })
  after(() => rm(home, { recursive: true, force: true, maxRetries: 10 }))

  function said(title: string): string {
    const section = sections.get(title)
    assert.ok(section !== undefined, title)
    return section
  }

  function loadOn(name: string): Load {
    return JSON.parse(said(`load ${name}`)) as Load
  }

  it("archives old records once a day, by a service that sees no key", () => {
    const [timer, ...lines] = said("archive").split("\n")
    assert.equal(timer, "active")
    assert.ok(lines.includes("Nothing was archived."), lines.join("\n"))
    assert.ok(lines.some((line) => line.startsWith("Entry 1 and what follows stay: ")))
  })

  describe("as an installer", () => {
    it("changes nothing for a user who isn't root, and says so", () => {
      const refused = "countersign: This changes the system, so run it as root.\ncode 2"
      assert.equal(said("nobody"), `${refused}\n${refused}`)
    })

    it("shows what it would do and does nothing where nobody can be asked", () => {
      assert.match(
        said("unasked"),
        /^ {2}write \/etc\/systemd\/system\/countersign-vault\.service$/m,
      )
      assert.match(said("unasked"), /\ncountersign: There is no terminal .* --yes\.\ncode 2$/)
    })

    it("says what makes an installation for them, which is refused before", () => {
      assert.match(
        said("install"),
        /\nDone\.\nNext:\n {2}countersign init-service\n {2}systemctl enable --now countersign\.target\n {2}countersign status$/,
      )
      assert.match(
        said("too early"),
        /^countersign: There is no user countersign-vault; .*\ncode 1$/,
      )
    })

    it("leaves a directory to whoever has it, in which no installation is made", () => {
      const [status, ...lines] = said("somebody's").split("\n")
      assert.equal(status, "755 nobody")
      assert.match(
        lines.join("\n"),
        /^countersign: \/var\/lib\/signers-of-countersign isn't a directory of countersign-vault; .*\ncode 1$/,
      )
    })

    it("refuses a state without a configuration, and a copy into a file that is there, and makes nothing", () => {
      assert.deepEqual(
        said("half way")
          .split("\n")
          .map((line) => line.split(" ").slice(0, 5).join(" ")),
        [
          "countersign: /var/lib/countersign/keystore is there and",
          "code 1",
          "countersign: /run/copy can't be made",
          "code 2",
        ],
      )
    })

    it("makes an installation that is the vault's alone", () => {
      assert.match(
        said("init"),
        /^Made \/etc\/countersign, .*\n(?:.*\n){3}Next:\n {2}systemctl enable --now countersign\.target\n {2}countersign status\n/,
      )
      assert.deepEqual(said("owners").split("\n"), [
        "700 countersign-vault /etc/countersign",
        "600 countersign-vault /etc/countersign/countersign.yaml",
        "700 countersign-vault /var/lib/countersign",
        "600 countersign-vault /var/lib/countersign/keystore/master.json",
        "700 countersign-vault /var/lib/signers-of-countersign",
      ])
    })

    it("keeps the secret in the credential and in the copy that was asked for", () => {
      assert.equal(said("copy"), "600 root\nshown\nsame")
    })

    it("finds nothing to do when it is run again", () => {
      assert.deepEqual(said("again").split("\n"), [
        "Everything is as it should be; no file was changed.",
        '{"changed":[],"restart":[],"next":[]}',
      ])
    })

    it("has the sockets opened anew only where one of them has changed", () => {
      const services = "countersign-gate countersign-vault"
      assert.match(said("changed"), new RegExp(`after systemctl restart ${services}: `))
      assert.match(
        said("changed socket"),
        /after systemctl restart countersign\.target: \S+\.socket\.$/,
      )
    })

    it("shows what is different in a unit, puts it right and says what to restart", () => {
      assert.match(said("changed"), /^change \S+\/countersign\.target\n +- # mine\n/)
      assert.match(
        said("changed"),
        /\nDone\.\nChanged, and in force after .*: countersign\.target\.$/,
      )
    })
  })

  describe("started by systemctl start countersign.target", () => {
    it("serves as two users, in sandboxes that deny what they promise to", () => {
      const [first, ...others] = said("start").split("\n")
      assert.deepEqual(
        [first, ...others.slice(0, 5)],
        [
          "active",
          "active",
          "active",
          "countersign-vault",
          "countersign-gate",
          "denies what it says",
        ],
      )
    })

    it("shows the secret in no output, journal, environment or command line", () => {
      assert.equal(said("leaks"), "")
    })

    it("signs and forwards what comes to its port", () => {
      assert.match(said("sign"), /"signature".*\n200 daemon$/)
      assert.match(said("forward"), /"code":"0".*"order_id".*\n200 venue$/)
    })

    it("has a console whose server is who is behind sudo, and can read no secret of it", () => {
      const [owner, ids, ...others] = said("console").split("\n")
      const four = Array(4).fill("54322").join(" ")
      assert.deepEqual([owner, ids], ["countersign-vault", `Uid: ${four} Gid: ${four} Groups:`])
      assert.deepEqual(
        others,
        ["admin.secret", "keystore/master.json"]
          .map((name) => `/var/lib/countersign/${name}`)
          .flatMap((file) => [file, `cat: ${file}: Permission denied`, "code 1"])
          .concat("ended", "and its server"),
      )
    })
  })

  const failures: Readonly<Record<string, RegExp>> = {
    "an invalid policy": /Status: "\/etc\/countersign\/policies\/bot\.yaml:\d+:\d+: /,
    "a wrong credential": /Status: "The passphrase is wrong/,
    "a broken ledger": /Status: ".*ledger\.db isn't a ledger .*restore it/,
  }
  for (const [title, sentence] of Object.entries(failures)) {
    it(`has failed at once, with a sentence, after a start with ${title}`, () => {
      assert.match(said(title), /^failed\n78\n/)
      assert.match(said(title), sentence)
    })
  }

  describe("killed while it works", () => {
    for (const name of ["gate", "vault"]) {
      it(`loses no request but those at work when the ${name} is killed, and is soon back`, (t) => {
        const { signed, lost, callers, backMs } = loadOn(name)
        t.diagnostic(
          `${signed.length} signed, ${lost.length} lost, back after ${Math.round(backMs)} ms`,
        )
        assert.equal(signed.length + lost.length, 200)
        assert.ok(lost.length <= callers, `${lost.length}: ${lost.join("; ")}`)
        assert.ok(backMs > 0 && backMs < longestBackMs, `back after ${Math.round(backMs)} ms`)
      })
    }

    it("goes on with the files that were in force, says that others are on disk, and takes them by a reload", () => {
      assert.match(
        said("edited"),
        /"signature".*\n200 daemon\nThe files on disk aren't in force: policies\/bot\.yaml\..*\n.*"policy_denied".*\n403 daemon\n(?!The files on disk)/,
      )
    })

    it("was ended by the watchdog when its event loop hung, and started again", () => {
      assert.deepEqual(said("hang").split("\n"), [
        "countersign-vault.service: Failed with result 'watchdog'.",
        "countersign-gate.service: Failed with result 'watchdog'.",
      ])
    })

    it("is started anew behind the same sockets by the line that install-service recommends", () => {
      assert.deepEqual(
        said("restart")
          .split("\n")
          .filter((line) => line !== ""),
        ["the same sockets"],
      )
    })

    it("has a record of every signature, and uses no nonce twice", async () => {
      assert.equal((await verdictOf(join(home, "ledger.db"))).flaw, undefined)
      const requests = entries.filter(({ kind }) => kind === "request").map(({ row }) => row)
      const named = requests.map(
        (row) => [`${String(row["signer"]).toLowerCase()} ${String(row["nonce"])}`, row] as const,
      )
      const byNonce = new Map(named)
      assert.equal(byNonce.size, requests.length, "a nonce was recorded twice")
      const bodies = [...loadOn("gate").signed, ...loadOn("vault").signed]
      assert.equal(new Set(bodies).size, bodies.length)
      for (const body of bodies) {
        const { signer, nonce, business } = readSignedBody(body)
        assert.equal(assertSigned(orders, body), signer)
        assert.equal(byNonce.get(`${signer} ${nonce}`)?.["body"], business)
      }
    })
  })

  describe("with a policy that can't be used any more", () => {
    it("runs the last good one, and systemctl status names file, line and column", () => {
      assert.match(said("later"), /Status: ".*bot\.yaml:\d+:\d+/)
      assert.match(said("later"), /\n200 daemon$/)
    })

    it("takes the fixed one by systemctl reload", () => {
      assert.match(said("reload"), /Active: active/)
      assert.doesNotMatch(said("reload"), /Status: ".*bot\.yaml/)
    })
  })

  describe("at the end", () => {
    it("stops as a whole", () => {
      assert.equal(said("stop"), "")
    })

    it("leaves no unit or socket", () => {
      assert.match(said("uninstall"), /The services are gone\.\n/)
      assert.match(said("uninstall"), /No service is installed; no file was removed\.\n/)
      assert.equal(said("left"), "")
    })

    it("keeps keys and ledger for their user alone, whose uid nobody else can get", () => {
      assert.deepEqual(said("kept").split("\n"), [
        "700 countersign-vault /etc/countersign",
        "700 countersign-vault /var/lib/countersign",
        "700 countersign-vault /var/lib/signers-of-countersign",
        "600 countersign-vault /var/lib/countersign/ledger.db",
        "code 4", // useradd(8): the UID is in use
      ])
    })

    it("goes on signing with all of it once it is installed again, also where root has put it back", () => {
      assert.match(
        said("reinstall"),
        /^countersign: \/var\/lib\/countersign belongs to root; systemctl start .*\ncode 1$/m,
      )
      assert.match(said("reinstall"), /\n200 daemon$/)
      assert.doesNotMatch(said("reinstall"), /^\/var/m)
    })
  })
})
