import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parse } from "yaml"

import { alarm, alarmNames } from "../../../src/contract/alarms.ts"
import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"

const section = sectionOf(readRepositoryFile("docs/operations/alarms.md"), "What is told")

/** Alarms whose rule of Prometheus has another name, or that have none. */
const otherwise: Readonly<Record<string, string | undefined>> = {
  vault_unreachable: "CountersignDown",
  clock_stops_orders: undefined,
  account_contradiction: undefined,
  price_ageing: undefined,
  price_held_back: undefined,
  price_drift: undefined,
  price_unconfirmed: "CountersignPriceStale",
}

describe("the alarms of docs/operations/alarms.md", () => {
  it("are all that there are, each with its severity", () => {
    const listed = tableRows(section).map(([name = "", severity = ""]) => [
      codesIn(name)[0],
      severity,
    ])
    const said = { subject: "", fact: "", advice: "" }
    const known = alarmNames.map((name) => [name, alarm(name, said).severity])
    assert.deepEqual(listed, known)
  })

  it("have the names and severities of docs/alerts.yml", () => {
    const { groups } = parse(readRepositoryFile("docs/alerts.yml")) as {
      groups: readonly {
        rules: readonly { alert: string; labels: { severity: string } }[]
      }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    const severities = new Map(rules.map(({ alert, labels }) => [alert, labels.severity]))
    const said = { subject: "", fact: "", advice: "" }
    for (const name of alarmNames) {
      const rule = name in otherwise ? otherwise[name] : ruleNameOf(name)
      if (rule !== undefined) assert.equal(severities.get(rule), alarm(name, said).severity, name)
    }
  })
})

function ruleNameOf(name: string): string {
  const words = name.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return `Countersign${words.join("")}`
}
