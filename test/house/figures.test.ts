import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { sourceFiles } from "../support/source-imports.ts"
import { figuresOf, type Figures } from "./figures.ts"

/** They only fall: whoever makes one smaller writes the smaller one here. */
const figures: Figures = {
  trustedLines: 24_373,
  loadedLines: 22_151,
  trustedTypes: 509,
  sourceLines: 48_478,
  sourceFiles: 433,
}

/** What a feature needed besides, each with what for. */
const added: readonly ({ readonly what: string } & Partial<Figures>)[] = [
  // Orders that fill, positions, equity, funding and liquidation, and the truth of them: nothing that is trusted.
  { what: "a market in the sandbox", sourceLines: 1_370, sourceFiles: 21 },
  // One setting of countersign.yaml; what acts on it is the gate's.
  {
    ...{ what: "a way that is kept warm", trustedLines: 4, loadedLines: 4 },
    ...{ sourceLines: 58, sourceFiles: 1 },
  },
  // What an account may come to: read at the venue by the gate, judged by the vault.
  {
    ...{ what: "guards on exposure", trustedLines: 1_347, loadedLines: 1_338, trustedTypes: 41 },
    ...{ sourceLines: 1_796, sourceFiles: 19 },
  },
  // The gate alone understands venue.yaml's pointers, and a client may read in its place: no line more is trusted.
  { what: "accounts that the gate or a client reads", sourceLines: 187, sourceFiles: 4 },
  // By the worst price that an order's own fields allow, for limits and guards.
  {
    ...{ what: "what orders may lose at once", trustedLines: 88, loadedLines: 88 },
    ...{ trustedTypes: 1, sourceLines: 88 },
  },
  {
    ...{ what: "reduce-only orders with nothing to reduce", trustedLines: 63, loadedLines: 63 },
    ...{ trustedTypes: 2, sourceLines: 73, sourceFiles: 1 },
  },
  {
    ...{ what: "readings that can't be, and what they free", trustedLines: 161, loadedLines: 161 },
    ...{ trustedTypes: 6, sourceLines: 175, sourceFiles: 3 },
  },
  // Marks that readings move and the ledger keeps; trips, and a person's word on them.
  {
    ...{ what: "guards on losses", trustedLines: 1_001, loadedLines: 973, trustedTypes: 18 },
    ...{ sourceLines: 1_215, sourceFiles: 12 },
  },
  // A second view of the same files, and keys of its own; the sandbox plays the venue.
  {
    ...{ what: "paper", trustedLines: 138, loadedLines: 138, trustedTypes: 1 },
    ...{ sourceLines: 335, sourceFiles: 5 },
  },
  // A signature bound to a recorded check, clients that get no signed body, what of an order would fit.
  {
    ...{ what: "bounds for agents", trustedLines: 253, loadedLines: 249, trustedTypes: 5 },
    ...{ sourceLines: 357, sourceFiles: 2 },
  },
  // A client of the daemon's: nothing of it is trusted.
  { what: "tools over the Model Context Protocol", sourceLines: 950, sourceFiles: 16 },
  // A person's word for further requests like one that was held.
  {
    ...{ what: "grants", trustedLines: 310, loadedLines: 307, trustedTypes: 7 },
    ...{ sourceLines: 505, sourceFiles: 7 },
  },
  // The venue's words for an order, kept with its outcome; the rest reads ledger and files beside the daemon.
  {
    ...{ what: "audit find and policy diff", trustedLines: 20, loadedLines: 16 },
    ...{ sourceLines: 436, sourceFiles: 8 },
  },
  // What guards leave room for, by policy check, in cases and in the console.
  {
    ...{ what: "guards before operators", trustedLines: 3, loadedLines: 3 },
    ...{ sourceLines: 474, sourceFiles: 5 },
  },
  // By the command itself; of the vault what it judges by the files on disk.
  {
    ...{ what: "a reload that is told beforehand", trustedLines: 17, loadedLines: 17 },
    ...{ sourceLines: 182, sourceFiles: 2 },
  },
  // Counted and told by the gate.
  {
    ...{ what: "alarms of the venue and of refusals, and PagerDuty", trustedLines: 20 },
    ...{ loadedLines: 20, sourceLines: 253, sourceFiles: 4 },
  },
]

describe("what a reader has to go through", () => {
  const now = figuresOf(sourceFiles())
  for (const name of Object.keys(figures) as (keyof Figures)[]) {
    it(`only becomes less: ${name}`, (t) => {
      const most = added.reduce((sum, each) => sum + (each[name] ?? 0), figures[name])
      t.diagnostic(`${now[name]} of ${most}`)
      assert.ok(now[name] <= most, `${now[name]}, and no more than ${most} are allowed`)
      assert.ok(most - now[name] <= most / 100, `${now[name]} now: write that in place of ${most}`)
    })
  }
})

describe("figures", () => {
  const source = (file: string, ...lines: readonly string[]) => ({ file, text: lines.join("\n") })

  it("count lines of code, types, files, and what a single host's vault loads", () => {
    const { trustedLines, loadedLines, trustedTypes, ...all } = figuresOf([
      source(
        "vault/main.ts",
        'import { a } from "./a.ts"',
        'import type { B } from "./b.ts"',
        "a()",
      ),
      source("vault/a.ts", "/** A thread. */", 'export const a = programFile("std/c")', ""),
      source("vault/b.ts", "export type B = 1", "type C = 2"),
      source("vault/ledger/postgres/d.ts", "export const d = 1"),
      source("std/c.ts", 'import { d } from "../vault/ledger/postgres/d.ts"', "// d"),
      source("gate/main.ts", "type E = 3"),
    ])
    assert.deepEqual([trustedLines, loadedLines, trustedTypes], [8, 5, 2])
    assert.deepEqual(all, { sourceLines: 9, sourceFiles: 6 })
  })
})
