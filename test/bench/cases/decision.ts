import { judge } from "../../../src/vault/policy/judge.ts"
import type { JudgedRequest } from "../../../src/vault/policy/match/judged-request.ts"
import type { Policy } from "../../../src/vault/policy/terms.ts"
import {
  circumstances,
  decimal,
  marketOrder,
  order,
  placing,
  placingBatch,
  policiesOf,
} from "../../support/policy-case.ts"
import type { Case, Subject } from "../case.ts"
import { policyTexts } from "../daemon/policy-texts.ts"

/** Judging alone, without reading, recording or signing. */
export const decision: Case = {
  name: "decision",
  what: "judging one request in process, by how many rules there are",
  open({ seconds }) {
    const small = order({ quantity: decimal("0.01"), flags: ["post_only"] })
    const requests = {
      "allowed by the last": placing(small),
      "refused by all": placing(marketOrder()),
      "batch of 10": placingBatch(...Array.from({ length: 10 }, () => small)),
    }
    const subjects = [20, 100, 1_000].flatMap((count) => {
      const policies = policiesOf(...policyTexts(count))
      return Object.entries(requests).map(([what, request]) => {
        const name = `${what}, ${count.toLocaleString("en")} rules`
        return judging(name, { request, policies, seconds: seconds / 10 })
      })
    })
    return Promise.resolve({ subjects, close: () => Promise.resolve() })
  },
}

type Ask = {
  readonly request: JudgedRequest
  readonly policies: readonly Policy[]
  readonly seconds: number
}

/** Processor time, so that what else the machine does counts less. */
function judging(name: string, { request, policies, seconds }: Ask): Subject {
  const given = circumstances()
  const microsEach = (): number => {
    const start = process.cpuUsage()
    let spentMicros = 0
    let count = 0
    while (spentMicros < seconds * 1_000_000) {
      for (let turn = 0; turn < 50; turn++) judge(request, policies, given)
      count += 50
      const { user, system } = process.cpuUsage(start)
      spentMicros = user + system
    }
    return spentMicros / count
  }
  return {
    name,
    measure() {
      microsEach() // as a warm-up
      return Promise.resolve({ µs: microsEach() })
    },
  }
}
