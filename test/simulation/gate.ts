import type { BotResults } from "../../src/link/calls/methods.ts"
import type { Outcome } from "../../src/link/calls/both-ways.ts"
import { askedBy, batchParams, signParams, type Asked } from "./asked.ts"
import type { Calls } from "./calls.ts"
import type { Moment } from "./checker/checker.ts"
import type { Purpose, Told, Wanted } from "./events.ts"
import { bots } from "./site.ts"

const faults = ["ledger_unavailable", "keyring_locked"]

/** A request that was forwarded, of which something may be reported. */
type Forwarded = { readonly asked: Asked; readonly record: string }

/** Asks for bots, and tells what became of what it forwarded. */
export class Gate {
  /** How many cancels were signed. */
  cancelled = 0
  readonly #calls: Calls
  readonly #isCalm: boolean
  #forwarded: readonly Forwarded[] = []

  /** `isCalm`: the clock never leaps. */
  constructor(calls: Calls, isCalm: boolean) {
    this.#calls = calls
    this.#isCalm = isCalm
  }

  sign(bot: number, wanted: Wanted, purpose: Purpose): void {
    const asked = askedBy(bot, wanted, purpose)
    this.#calls.ask({
      name: `${asked.bot.name} signs`,
      ask: ({ bots: methods }) => methods.sign(signParams(asked)),
      heard: (answer, since) => this.#hear(asked, answer, since),
      faults,
    })
  }

  batch(bot: number, wanted: readonly Wanted[]): void {
    const asked = wanted.map((each) => askedBy(bot, each, "return"))
    this.#calls.ask({
      name: `${bots[bot]!.name} signs a batch`,
      ask: ({ bots: methods }) => methods.signBatch(batchParams(bots[bot]!, asked)),
      heard: (answer, since) => {
        if (answer.kind === "refused") return answer.refusal.code
        return answer.results
          .map((each, index) => this.#hear(asked[index]!, each, since))
          .join("; ")
      },
      faults,
    })
  }

  #hear(asked: Asked, answer: BotResults["sign"], since: Moment): string {
    const { checker } = this.#calls
    checker.answered(asked, answer, { since, ...this.#underWay() })
    if (answer.kind === "refused") return answer.refusal.code
    if (asked.lane === "cancel") this.cancelled += 1
    if (answer.kind === "answered") return `told the answer ${answer.record}`
    if (asked.purpose === "forward") {
      this.#forwarded = [...this.#forwarded, { asked, record: answer.record }]
    }
    return `signed ${answer.record}`
  }

  /** What is on its way to the disk. What a store lost that broke was counted all the same. */
  #underWay() {
    const store = this.#calls.machine.life?.store
    return { appended: store?.queued ?? [], isCalm: this.#isCalm && store?.isBroken === false }
  }

  report(nth: number, told: Told): void {
    const about = this.#forwarded.at(-1 - nth)
    if (about === undefined) return
    const { asked, record } = about
    const outcome = outcomeOf(told, asked)
    this.#calls.ask({
      name: `the gate says of ${record}: ${told}`,
      ask: ({ bots: methods }) => methods.report({ token: asked.bot.token, record, outcome }),
      heard: (answer, since) => {
        if (answer.kind === "refused") return answer.refusal.code
        this.#calls.checker.durableSince(
          since,
          (row) => row.kind === "outcome" && row.record === record,
        )
        return "noted"
      },
      faults: ["ledger_unavailable", "name_unknown"],
    })
  }
}

function outcomeOf(told: Told, { idempotency }: Asked): Outcome {
  const answer = idempotency === undefined ? {} : { answer: { body: "e30=" } }
  switch (told) {
    case "sent":
    case "unsent":
      return { kind: told }
    case "withdrawn":
      return { kind: "unsent", withdrawn: true }
    case "unknown":
      return { kind: "unknown", status: null }
    case "accepted":
      return { kind: "accepted", status: 200, code: "0", ...answer }
    case "refused":
      return { kind: "refused", status: 400, code: "1", ...answer }
    case "refused again":
      return { kind: "refused", status: 400, code: "1", again: true, ...answer }
  }
}
