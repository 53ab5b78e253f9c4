import assert from "node:assert/strict"
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  countersignProcess,
  makeInstallation,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { guardedAccount } from "../support/guarded-account.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { assertRefused, copyOf } from "../support/refused-start.ts"
import { writePolicy } from "../support/trading-keys.ts"

const policy = `policy: x
rules:
  - {name: y, endpoints: [placeOrder], max_quantity: "1"}
`

/** Every file with a key that it has already. */
const files = [
  ["countersign.yaml", "keystore"],
  ["venue.yaml", "domain"],
  ["policies/x.yaml", "policy"],
] as const

describe("countersign serve refuses", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await writePolicy(installation.dir, policy, "x.yaml")
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  function itRefuses(what: string, says: RegExp, spoil: (dir: string) => void): void {
    it(what, async () => {
      const place = copyOf(installation)
      spoil(place.dir)
      // It reads them before it starts anything.
      await assertRefused(place, { says, by: countersign })
    })
  }

  for (const [name, key] of files) {
    const append = (line: string) => (dir: string) => appendFileSync(join(dir, name), line)
    const at = `/d/${name}:\\d+:`
    itRefuses(
      `an unknown key in ${name}`,
      sentence(`${at}1: unknown key "nonsense"`),
      append("nonsense: 1\n"),
    )
    itRefuses(
      `a key that is twice in ${name}`,
      sentence(`${at}1: this key is there already; .+`),
      append(`${key}: 1\n`),
    )
    itRefuses(`a syntax error in ${name}`, sentence(`${at}\\d+: .+`), append("open: [1\n"))
    itRefuses(
      `bytes that aren't text in ${name}`,
      sentence(`/d/${name} isn't UTF-8 text\\.`),
      (dir) => appendFileSync(join(dir, name), Buffer.from([0x23, 0xff, 0x0a])),
    )
    itRefuses(
      `${name} when others can change it`,
      sentence(`/d/${name} can be changed by others; run: chmod go-w /.*/${name}`),
      (dir) => chmodSync(join(dir, name), 0o620),
    )
    itRefuses(
      `a symlink for ${name}`,
      sentence(`/d/${name} is a symlink, which isn't followed; have the file itself there\\.`),
      (dir) => {
        renameSync(join(dir, name), `${dir}.real`)
        symlinkSync(`${dir}.real`, join(dir, name))
      },
    )
  }

  itRefuses(
    "a symlink for policies",
    sentence("/d/policies is a symlink; put the directory itself there\\."),
    (dir) => {
      renameSync(join(dir, "policies"), `${dir}.policies`)
      symlinkSync(`${dir}.policies`, join(dir, "policies"))
    },
  )

  for (const name of ["countersign.yaml", "venue.yaml", "policies"]) {
    itRefuses(
      `an installation without ${name}`,
      sentence(`/d/${name} doesn't exist; run countersign init --dir \\S+ first\\.`),
      (dir) => rmSync(join(dir, name), { recursive: true }),
    )
  }

  for (const name of ["", "/policies"]) {
    itRefuses(
      `a directory d${name} that others can change`,
      sentence(`/d${name} can be changed by others; run: chmod go-w /.*/d${name}`),
      (dir) => chmodSync(`${dir}${name}`, 0o770),
    )
  }

  itRefuses(
    "a typo in a rule",
    sentence(`policies/x\\.yaml:3:40: unknown key "max_quantty".*`),
    (dir) => edit(join(dir, "policies/x.yaml"), "max_quantity", "max_quantty"),
  )
  itRefuses(
    "a rule for a symbol that the table doesn't have",
    sentence("policies/x\\.yaml:3:\\d+: .*DOGE-PERP.*"),
    (dir) =>
      edit(join(dir, "policies/x.yaml"), "max_quantity", "symbols: [DOGE-PERP], max_quantity"),
  )
  itRefuses(
    "an account that the gate couldn't be read by",
    sentence(
      "/d/venue\\.yaml:\\d+:\\d+: expected signed, or .+ \\(at account\\.positions\\.sign\\)",
    ),
    (dir) => appendFileSync(join(dir, "venue.yaml"), guardedAccount.replace("signed", "unsigned")),
  )
  itRefuses(
    "two operations with one action tag",
    sentence(
      "venue\\.yaml:13:17: cancelOrder can't have the action tag 99: it is modifyOrder's \\(line 12\\)",
    ),
    (dir) => {
      edit(
        join(dir, "venue.yaml"),
        /cancelOrder: \{action_tag: \d+/,
        "cancelOrder: {action_tag: 99",
      )
      edit(
        join(dir, "venue.yaml"),
        /modifyOrder: \{action_tag: \d+/,
        "modifyOrder: {action_tag: 99",
      )
    },
  )
  itRefuses(
    "an operation with placeOrder's action tag",
    sentence(
      "venue\\.yaml:13:17: cancelOrder can't have the action tag 7: it is placeOrder's \\(built in\\)",
    ),
    (dir) =>
      edit(
        join(dir, "venue.yaml"),
        /cancelOrder: \{action_tag: \d+/,
        "cancelOrder: {action_tag: 7",
      ),
  )
  itRefuses(
    "another action tag than the one that the interface discloses",
    sentence(
      "venue\\.yaml:12:\\d+: the interface discloses placeOrder's action_tag as 7, not 9; remove it",
    ),
    (dir) =>
      edit(join(dir, "venue.yaml"), "endpoints:\n", "endpoints:\n  placeOrder: {action_tag: 9}\n"),
  )
  itRefuses(
    "to listen off loopback unless that is meant",
    sentence(
      "countersign\\.yaml:\\d+:\\d+: listening off loopback shows the daemon to the network; .*",
    ),
    (dir) => appendFileSync(join(dir, "countersign.yaml"), "listen: {host: 0.0.0.0}\n"),
  )

  it("several mistakes at once, each told in a line of its own, as policy check tells them", async () => {
    const { dir } = copyOf(installation)
    edit(join(dir, "policies/x.yaml"), "policy: x", "policy: x\nlimit: 1\ndenny: 2")
    const started = await countersignProcess(["serve", "--dir", dir, "--port", "0"])
    assert.match(
      started.stderr,
      /^countersign: \/.*x\.yaml:2:1: unknown key "limit"; did you mean "limits"\?\n\/.*x\.yaml:3:1: unknown key "denny"; did you mean "deny"\?\n$/,
    )
    assert.deepEqual(await countersign(["policy", "check", "--dir", dir]), started)
  })
})

/** The whole of what is said, after the program's name. */
function sentence(pattern: string): RegExp {
  return new RegExp(`^countersign: (?:/.*)?${pattern}\\n$`)
}

function edit(file: string, what: string | RegExp, by: string): void {
  const text = readFileSync(file, "utf8")
  const edited = text.replace(what, by)
  assert.ok(edited !== text, `${file} has no ${what}`)
  writeFileSync(file, edited)
}
