import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { statusLines, type DaemonStatus } from "../../../src/commands/status/status-lines.ts"
import { alarm } from "../../../src/contract/alarms.ts"
import type { Reason, Signing } from "../../../src/contract/signing.ts"
import { inPipe } from "../../support/in-pipe.ts"
import { statusView } from "../../support/status-view.ts"

const nowMs = Date.UTC(2026, 10, 24, 12)
const dayMs = 86_400_000

const key: DaemonStatus["keys"][number] = {
  name: "mm",
  address: `0x${"a1".repeat(20)}`,
  role: "agent",
  wallet: "main",
  targets: [],
  network: "0x00",
  approval: "approved",
  expires_at: nowMs + 23.5 * dayMs,
  last_used: nowMs - 61_000,
  locked: false,
}

const client: DaemonStatus["clients"][number] = {
  name: "bot",
  keys: ["mm"],
  rights: [],
  allow_type_b: false,
  forward_only: false,
  idempotency_by: "header",
  expires_at: null,
  expired: false,
  revoked: false,
}

const limit: DaemonStatus["limits"][number] = {
  raised_until: null,
  policy: "desk",
  limit: "daily",
  file: "policies/desk.yaml",
  line: 9,
  mode: "enforce",
  per: "client",
  for: "bot",
  of: "",
  max: "50000",
  used: "12000.5",
}

const refusal: DaemonStatus["last_refusals"][number] = {
  record: "rec_1",
  at: nowMs - 5_000,
  client: "bot",
  operation: "placeOrder",
  code: "policy_denied",
  reason: "max_quantity",
  by: "desk/quote",
  message: "Too much.",
  times: 1,
}

const status: DaemonStatus = {
  ...statusView,
  daemon: "running",
  fleet: null,
  raises: [],
  policy_hash: "f".repeat(64),
  network: "0x00",
  records: 12,
  keys: [key],
  clients: [client, { ...client, name: "old", revoked: true }],
  limits: [limit],
  last_refusals: [refusal],
  started_by: "service",
  warnings: [{ message: "Look here.", fix: "countersign policy check --dir /d" }],
}

function shown(changes: Partial<DaemonStatus> = {}): string {
  return inPipe(statusLines({ ...status, ...changes }, nowMs))
}

describe("what is alike in a status", () => {
  it("is one line of refusals, with how often", () => {
    const lines = shown({
      last_refusals: [refusal, { ...refusal, times: 3 }, { ...refusal, client: "two" }],
    })
    assert.match(lines, /bot +policy_denied ×4 /)
    assert.equal(lines.match(/policy_denied/g)?.length, 2)
  })

  it("is told for each freeze by the command that ends it", () => {
    const freeze = { by: "operator", reason: "r", cancels: true, since: nowMs }
    const lines = shown({
      freezes: [
        { scope: "client", name: "bot", ...freeze },
        { scope: "all", name: null, ...freeze },
      ],
    })
    assert.match(
      lines,
      /countersign thaw --client bot ends it\.\n.*\n +countersign thaw --all ends it\./,
    )
  })
})

describe("the status of everything", () => {
  it("is one screen with daemon, keys, limits, refusals and warnings", () => {
    assert.deepEqual(shown().split("\n"), [
      "daemon    running; the vault's pid is 4711",
      "signing   signs what policies allow",
      "split     the vault is a service with a user of its own: a boundary, as long as nothing else runs as that user",
      `policies  ${"f".repeat(64)}`,
      "records   12",
      "clients   bot, old (revoked)",
      "",
      "KEY  ROLE   ADDRESS                                     APPROVAL  LEFT  LAST USED",
      `mm   agent  0x${"a1".repeat(20)}  approved  23 d  61 s ago`,
      "",
      "LIMIT       FOR  USED     MAX    LEFT",
      "desk/daily  bot  12000.5  50000  37999.5",
      "",
      "REFUSED  CLIENT  CODE           WHY",
      "5 s ago  bot     policy_denied  max_quantity by desk/quote",
      "",
      "warning: Look here.",
      "  fix: countersign policy check --dir /d",
    ])
  })

  it("has a line for a host among several", () => {
    const others = [{ name: "b", connected: false }]
    const fleet = { host: "a", entry: 7, hash: "ab", others }
    assert.match(shown({ fleet }), /^fleet {5}host a, with entry 7; b not connected$/m)
  })

  it("leaves out what there is nothing of", () => {
    assert.deepEqual(
      statusLines(
        { ...status, keys: [], clients: [], limits: [], last_refusals: [], warnings: [] },
        0,
      ).slice(5),
      [
        "clients   none",
        "",
        "No keys yet; countersign keys generate or countersign keys import makes one.",
      ],
    )
  })

  it("says what a daemon that `countersign serve` started is worth as one user", () => {
    assert.match(shown({ started_by: "serve" }), /^split +gate and vault are one user .*accidents/m)
    assert.doesNotMatch(shown({ started_by: null }), /^split/m)
  })

  it("says of a stopped daemon that its ledger was read, and no pid", () => {
    const [first = ""] = shown({ daemon: "stopped" }).split("\n")
    assert.equal(first, "daemon    stopped; this was read from its ledger")
  })

  it("says what is signed in the vault's words, with each reason and what to do about it", () => {
    const reason: Reason = {
      ...{ code: "locked", scope: "all", name: null, signs: "nothing", note: null },
      ...{ message: "The keys are locked.", fix: "countersign unlock --dir /d" },
    }
    const words = "signs nothing: The keys are locked"
    const state: Signing = { signs: "nothing", words, reasons: [reason] }
    assert.deepEqual(shown({ state }).split("\n").slice(1, 4), [
      "signing   signs nothing: The keys are locked",
      "locked: The keys are locked.",
      "  fix: countersign unlock --dir /d",
    ])
    const reasons = Array.from({ length: 12 }, () => reason)
    assert.match(shown({ state: { ...state, reasons } }), /^and 2 more; countersign status --json/m)
  })

  it("says which keys are locked, where a daemon runs", () => {
    const keys = [{ ...key, locked: true }]
    assert.match(shown({ keys }), / approved, locked +23 d/)
    assert.doesNotMatch(shown({ keys, daemon: "stopped" }), /locked/)
    assert.doesNotMatch(shown({ keys: [{ ...key, locked: true, approval: "revoked" }] }), /locked/)
  })

  it("asks no approval of a wallet key", () => {
    const wallet = { ...key, role: "wallet", approval: "unknown", expires_at: null } as const
    assert.match(shown({ keys: [wallet] }), /^mm +wallet +0x\w{40} +- +- +61 s ago$/m)
    assert.match(shown({ keys: [{ ...wallet, locked: true }] }), /0x\w{40} +locked +- /)
    assert.match(shown({ keys: [{ ...wallet, approval: "removed" }] }), /0x\w{40} +removed +- /)
  })

  const ends: readonly (readonly [number | null, string])[] = [
    [null, "-"],
    [nowMs + 2 * dayMs, "2 d"],
    [nowMs + 2 * dayMs - 1, "47 h"],
    [nowMs + 1, "0 s"],
    [nowMs, "ended"],
    [nowMs - 1, "ended"],
  ]
  for (const [at, left] of ends) {
    it(`shows ${left} for an agent that ends at ${at === null ? "no time known" : at - nowMs}`, () => {
      const text = shown({ keys: [{ ...key, expires_at: at }] })
      assert.match(text, new RegExp(`approved +${left} +61 s ago$`, "m"))
    })
  }

  for (const approval of ["unknown", "revoked", "retired", "removed"] as const) {
    it(`shows no time left of an approval that is ${approval}`, () => {
      assert.match(
        shown({ keys: [{ ...key, approval }] }),
        new RegExp(`${approval} +- +61 s ago$`, "m"),
      )
    })
  }

  it("shows that a key never signed", () => {
    assert.match(shown({ keys: [{ ...key, last_used: null }] }), /23 d +never$/m)
  })
})

describe("a freeze in the status", () => {
  const freeze = {
    scope: "client",
    name: "bot",
    reason: "a bot's \u001b[2Jwords",
    by: "bot",
    cancels: true,
    since: nowMs,
  } as const

  it("comes first of all, without what could move the cursor", () => {
    const lines = shown({ freezes: [freeze] }).split("\n")
    const [line = "", ...others] = lines.filter((each) => each.startsWith("FROZEN    "))
    assert.deepEqual(others, [])
    assert.equal(lines.indexOf(line), 0)
    assert.match(lines[1] ?? "", /countersign thaw/)
    assert.match(line, /bot/)
    assert.ok(line.includes("\\u001b[2Jwords"))
    assert.equal(line.includes("\u001b"), false)
  })
})

describe("the limits in the status", () => {
  it("come with the least left first, and never less than nothing", () => {
    const limits = [
      { ...limit, limit: "half", used: "5", max: "10" },
      { ...limit, limit: "over", used: "11", max: "10" },
      { ...limit, limit: "none", used: "0", max: "1" },
      { ...limit, limit: "almost", used: "899.9", max: "1000", mode: "observe" as const },
    ]
    const lines = shown({ limits })
      .split("\n")
      .filter((line) => line.startsWith("desk/"))
    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/).filter((_, column) => column !== 1)),
      [
        ["desk/over", "11", "10", "0"],
        ["desk/almost (observed)", "899.9", "1000", "100.1"],
        ["desk/half", "5", "10", "5"],
        ["desk/none", "0", "1", "1"],
      ],
    )
  })

  for (const [count, more] of [
    [8, undefined],
    [9, "and 1 more; countersign limits show lists them"],
    [99, "and 91 more; countersign limits show lists them"],
    [100, "and many more; countersign limits show lists them"],
  ] as const) {
    it(`${more === undefined ? "are all there" : "are cut off and counted"} when there are ${count}`, () => {
      const limits = Array.from({ length: count }, () => limit)
      const lines = shown({ limits }).split("\n")
      assert.equal(lines.filter((line) => line.startsWith("desk/")).length, 8)
      assert.equal(
        lines.find((line) => line.includes(" more; ")),
        more,
      )
    })
  }
})

describe("what waits for a person in the status", () => {
  it("is told, with the command that shows it, as long as anything does", () => {
    const hold: DaemonStatus["holds"][number] = {
      ...{ id: "hold_1", state: "pending", client: "bot", key: "mm", operation: "placeOrder" },
      ...{
        target: null,
        policy: "desk",
        rule: "large",
        body: "{}",
        shape: { kind: "order" } as const,
        worst_case: "",
        expires_at: 0,
      },
    }
    assert.match(shown({ holds: [hold] }), /^WAITING for a person: countersign held list shows/m)
    assert.doesNotMatch(shown(), /WAITING/)
  })
})

describe("an account that isn't read, in the status", () => {
  it("is told with where to look", () => {
    const said = { subject: "main", fact: "The account main wasn't read for 2 min", advice: "look" }
    assert.match(
      shown({ alarms: [alarm("account_unread", said)] }),
      /^account_unread: The account main wasn't read for 2 min\.\n {2}fix: look$/m,
    )
  })
})

describe("the refusals in the status", () => {
  it("say how often they came, and what else is known where no rule said no", () => {
    const plain = { ...refusal, code: "unknown_endpoint", reason: null, by: null, times: 12 }
    const text = shown({ last_refusals: [plain] })
    assert.match(text, /^5 s ago +bot +unknown_endpoint ×12 +Too much\.$/m)
  })

  it("name the limit that was spent", () => {
    const spent = { ...refusal, code: "limit_exhausted", reason: null, by: "desk/daily" }
    assert.match(shown({ last_refusals: [spent] }), / limit_exhausted +desk\/daily$/m)
  })

  it("show a bot's text without what could move the cursor", () => {
    const message = "No such path: /v1/\u001b[2J\u202e"
    const text = shown({ last_refusals: [{ ...refusal, reason: null, by: null, message }] })
    assert.ok(text.includes("/v1/\\u001b[2J\\u202e"))
    assert.equal(text.includes("\u001b"), false)
  })
})
