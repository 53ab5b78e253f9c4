import assert from "node:assert/strict"
import { dirname } from "node:path"
import { describe, it } from "node:test"

import { importsOf, sourceFiles } from "../support/source-imports.ts"
import { circlesIn, linesOfCode, looseFiles, mutualFolders, readImports } from "./house.ts"

const maxLooseFiles = 24

/**
 * Lines of code in what must be trusted. A change that needs more names here what it adds them for, and adds them;
 * one that needs fewer lowers the first figure.
 */
const trustedLines = [
  { lines: 23_417, what: "what it takes to judge, record and sign" },
  { lines: 200, what: "how far a price feed is believed" },
  { lines: 130, what: "one time for all that ends, and what reduces risk under a doubted clock" },
  {
    lines: 255,
    what: "lanes, batches that can't be counted, sums by a field, large orders held or denied",
  },
  { lines: 124, what: "each client's part of what is shared, lists and files in parts" },
  {
    lines: 173,
    what: "one value that tells what is signed, and why not more, also of a stop that has ended",
  },
  { lines: 140, what: "keys that leave nothing in memory" },
  { lines: 60, what: "what the interface lets an order have, and what was accepted" },
  { lines: 90, what: "cancels that could be orders, and texts too long for a deny" },
  { lines: 54, what: "who asked for what an operator changes" },
  { lines: 6, what: "each client's part of the rate budgets, as an operator is shown it" },
  {
    lines: 61,
    what: "alarms that are kept until they are told, and the targets that they are told to",
  },
  { lines: 25, what: "judging and reserving in a turn that the compiler keeps whole" },
  { lines: 48, what: "requests that must have an idempotency key" },
  { lines: 80, what: "the same body, that isn't signed again within a time" },
  {
    lines: 38,
    what: "what waits for a person: an alarm, and how its body is read, for words that are made elsewhere",
  },
  { lines: 116, what: "limits that count for ever" },
  { lines: 128, what: "prices that the gate polls, and a price's age that is told in time" },
  { lines: 78, what: "clients that are changed, their tokens' end, and reports after it" },
  { lines: 13, what: "a back-up that begins while something is written" },
  {
    lines: 400,
    what: "a ledger that is elsewhere too, and that others append to: its setting, a commit that waits, what is followed",
  },
  {
    lines: 107,
    what: "cancels of a host that can't reach PostgreSQL: its setting, its nonces, and what stops the rest",
  },
  { lines: 6, what: "a moment by both clocks, and until which one a signature is handed on" },
  { lines: 12, what: "what an act was made of, and what a copy that is closed or isolated has" },
  { lines: 17, what: "prices that several hosts are fed at once" },
  {
    lines: 18,
    what: "the name that a ledger keeps on PostgreSQL, and batches that come page by page",
  },
  {
    lines: 264,
    what: "files that come into force by a person's act alone, and one hash for a set of them",
  },
  {
    lines: 165,
    what: "raises that end, since when an alarm is so, panic lines and clients without keys",
  },
  { lines: 221, what: "nonces, polls and rows that clients share" },
  { lines: 184, what: "key files as tools write them, secrets by pipe, what YAML doesn't allow" },
  { lines: 90, what: "KWallet and KeePassXC told apart, items that are double, empty or left" },
  { lines: 65, what: "what the venue put off, sent again as it is" },
  { lines: 108, what: "a person's word bound to what was shown" },
  { lines: 45, what: "which order of a batch is refused, and what to send" },
  { lines: 45, what: "connections that are shared by owner" },
  {
    lines: 58,
    what: "files on disk parsed only where they are others; a held batch by symbol and side",
  },
  {
    lines: 45,
    what: "what a check couldn't read isn't called broken; what a session with PostgreSQL relies on",
  },
  {
    lines: 290,
    what: "rows of other hosts read by their shape and bounds, and appended by a function of the database",
  },
  { lines: 18, what: "a copy of a ledger, told at its first start" },
  { lines: 20, what: "others' words in quotation marks, and files that are one word of a command" },
  {
    lines: 1_889,
    what: "the order of the ledger on PostgreSQL, what is told of it, and whom other hosts heard (ledger/postgres)",
  },
]

/** Folders that know all of an open vault; what others need of it they name. */
const wholeVault: readonly string[] = ["vault"]

/** Folders that import each other, with the reason. */
const mutual: Readonly<Record<string, string>> = {
  "console/page ↔ console/page/views": "a view calls back, by the types of what is shown",
  "vault/ledger/audit ↔ vault/ledger/sqlite":
    "the ledger's thread runs the jobs of both, and what checks the chain reads as the store does",
  "vault/ledger/records ↔ vault/process":
    "a reservation is asked for at the time that is made beside the clocks, and the log tells what was recorded",
}

describe("circlesIn", () => {
  const asImports = (arrows: Readonly<Record<string, readonly string[]>>) =>
    new Map(Object.entries(arrows).map(([from, to]) => [from, new Set(to)]))

  it("finds none where all imports lead one way", () => {
    assert.deepEqual(circlesIn(asImports({ a: ["b", "c"], b: ["c"], c: [] })), [])
  })

  it("finds a circle of two, and a longer one beside it", () => {
    const arrows = { a: ["b"], b: ["a", "c"], c: ["d"], d: ["e"], e: ["c"], f: ["a"] }
    const circles = circlesIn(asImports(arrows))
    assert.deepEqual(new Set(circles.map(String)), new Set(["a,b", "c,d,e"]))
  })
})

describe("the sources", () => {
  const imports = readImports()

  it("are all read", () => {
    assert.ok(imports.size > 400, String(imports.size))
    assert.ok(imports.get("vault/request/sign-request.ts")?.size)
  })

  it("import each other in no circle, types included", () => {
    assert.deepEqual(circlesIn(imports), [])
  })

  it(`lie in folders of at most ${maxLooseFiles} files`, () => {
    const full = [...looseFiles()].filter(([, count]) => count > maxLooseFiles)
    assert.deepEqual(full, [])
  })

  it("lie in folders that import each other only where a reason is given", () => {
    assert.deepEqual(mutualFolders(imports), Object.keys(mutual).sort())
  })

  it("know all of a vault only where one is opened and its parts are handed out", () => {
    const knowing = [...imports].filter(([, targets]) => targets.has("vault/vault.ts"))
    assert.deepEqual([...new Set(knowing.map(([file]) => dirname(file)))].sort(), wholeVault)
  })

  it("load PostgreSQL's part of the ledger only where a ledger is there, or is moved there", () => {
    const part = "vault/ledger/postgres/"
    const outside = sourceFiles().filter(
      ({ file }) => !file.startsWith(part) && !file.startsWith("commands/ledger/"),
    )
    const loading = outside.flatMap(importsOf).filter(({ target }) => target.startsWith(part))
    const atOnce = loading.filter(({ isTypeOnly, isDynamic }) => !isTypeOnly && !isDynamic)
    assert.deepEqual(atOnce, [])
    assert.deepEqual(
      loading.filter(({ isDynamic }) => isDynamic).map(({ file }) => file),
      ["vault/open-vault.ts"],
    )
  })

  it("that must be trusted (vault, venue, link, std) have no more lines than they are allowed", (t) => {
    const lines = linesOfCode("vault", "venue", "link", "std")
    const allowed = trustedLines.reduce((sum, each) => sum + each.lines, 0)
    t.diagnostic(`${lines} lines of code must be trusted, of ${allowed}`)
    assert.ok(lines <= allowed, `${lines} of ${allowed}`)
  })
})
