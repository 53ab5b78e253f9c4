import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { before, describe, it } from "node:test"

import type { Command } from "commander"
import { parse } from "yaml"

import { countersign } from "../../../src/commands/countersign.ts"
import { fullMetrics, metricsIn, metricsNamedIn } from "../../support/full-metrics.ts"
import { codesIn, readRepositoryFile, repositoryRoot, tableRows } from "../../support/markdown.ts"
import { needs } from "../../support/needs.ts"

type Alert = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: {
    readonly summary: string
    readonly description: string
    readonly command: string
    readonly page: string
  }
}
type Case = {
  readonly name: string
  readonly promql_expr_test: readonly {
    readonly expr: string
    readonly exp_samples: readonly unknown[]
  }[]
}

const { groups } = parse(readRepositoryFile("docs/alerts.yml")) as {
  groups: readonly { rules: readonly Alert[] }[]
}
const alerts = groups.flatMap(({ rules }) => rules)
const casesFile = "test/unit/docs/alerts.test.yml"
const { tests: cases } = parse(readRepositoryFile(casesFile)) as { tests: readonly Case[] }
const promtool = needs("promtool", "apt-get install prometheus")

let text = ""
before(async () => {
  text = await fullMetrics()
})

describe("docs/metrics.md", () => {
  it("lists every metric with its type and labels, and no other", () => {
    const listed = tableRows(readRepositoryFile("docs/metrics.md")).map(
      ([metric = "", type = "", labels = ""]) => ({
        name: codesIn(metric)[0] ?? "",
        type,
        labels: [...codesIn(labels)].sort(),
      }),
    )
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
    assert.deepEqual(listed.sort(byName), [...metricsIn(text).values()].sort(byName))
  })

  it("is of text that promtool finds nothing wrong with", promtool, () => {
    assert.equal(runPromtool(["check", "metrics"], text), "")
  })
})

describe("docs/alerts.yml", () => {
  it("is what promtool takes for rules", promtool, () => {
    assert.match(runPromtool(["check", "rules", "docs/alerts.yml"]), /SUCCESS: \d+ rules found/)
  })

  it("fires where it should, and nowhere else", promtool, () => {
    assert.match(runPromtool(["test", "rules", casesFile]), /SUCCESS/)
  })

  it("names only metrics that there are", () => {
    const there = metricsIn(text)
    for (const { alert, expr } of alerts) {
      const named = metricsNamedIn(expr)
      assert.ok(named.length > 0 || expr.startsWith('up{job="countersign"}'), alert)
      for (const name of named) assert.ok(there.has(name), `${alert}: ${name}`)
    }
  })

  it("has for every alert a case in which it fires and one in which it doesn't", () => {
    assert.deepEqual(
      cases.map(({ name }) => name),
      alerts.map(({ alert }) => alert),
    )
    for (const { name, promql_expr_test: tests } of cases) {
      const expected = tests.map(({ expr, exp_samples: samples }) => [expr, samples.length])
      const exprOf = (instance: string) =>
        `count(ALERTS{alertname="${name}", alertstate="firing", instance="${instance}"})`
      assert.deepEqual(expected, [
        [exprOf("firing"), 1],
        [exprOf("quiet"), 0],
      ])
    }
  })

  it("names with each alert a command that there is, and a section that says more", async () => {
    const commands = commandsOf(await countersign())
    for (const { alert, labels, annotations } of alerts) {
      assert.ok(["critical", "warning"].includes(labels.severity), alert)
      const { summary, description, command, page } = annotations
      assert.ok(summary !== "" && description !== "", alert)
      const ours = command.replace(/^countersign /, "")
      assert.ok(commands.includes(ours) || command === "timedatectl set-ntp true", command)
      const [file = "", anchor = ""] = page.split("#")
      assert.ok(anchorsOf(file).includes(anchor), page)
    }
  })
})

describe("docs/grafana-dashboard.json", () => {
  const { panels } = JSON.parse(readRepositoryFile("docs/grafana-dashboard.json")) as {
    panels: readonly {
      id: number
      title: string
      type: string
      targets?: readonly { expr: string }[]
    }[]
  }
  const plots = panels.filter(({ type }) => type !== "row")
  const expressions = plots.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  it("has a query in every panel, and each panel's id once", () => {
    for (const { title, targets = [] } of plots) assert.ok(targets.length > 0, title)
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  })

  it("names only metrics that there are", () => {
    const there = metricsIn(text)
    for (const expression of expressions) {
      const named = metricsNamedIn(expression)
      assert.ok(named.length > 0, expression)
      for (const name of named) assert.ok(there.has(name), `${name} in ${expression}`)
    }
  })

  it("shows every metric", () => {
    const shown = new Set(expressions.flatMap(metricsNamedIn))
    const missing = [...metricsIn(text).keys()].filter((name) => !shown.has(name))
    assert.deepEqual(missing, [])
  })
})

function runPromtool(args: readonly string[], input = ""): string {
  return execFileSync("promtool", args, {
    ...{ cwd: repositoryRoot, input, encoding: "utf8", stdio: "pipe", timeout: 60_000 },
  })
}

/** `limits show`, in one line of the command tree. */
function commandsOf(program: Command, before = ""): readonly string[] {
  return program.commands.flatMap((each) => {
    const name = `${before}${each.name()}`
    return [name, ...commandsOf(each, `${name} `)]
  })
}

/** Headings as GitHub links them. */
function anchorsOf(file: string): readonly string[] {
  return [...readRepositoryFile(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  )
}
