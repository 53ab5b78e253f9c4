// `npm run bench` measures everything that isn't on demand, `npm run bench -- NAME…` what is named. README.md tells more.
import { writeFile } from "node:fs/promises"
import { availableParallelism, loadavg } from "node:os"

import { cases } from "./cases.ts"
import { installBeside } from "./install-beside.ts"
import { readOptions, type Options } from "./options.ts"
import { barLines } from "./report/bars.ts"
import { plotOf } from "./report/plot.ts"
import { shown, tableOf } from "./report/table.ts"
import { runCase, type Result } from "./run-case.ts"

// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const options = readOptions(process.argv.slice(2))
const unknown = options.names.find((name) => cases.every((each) => each.name !== name))

if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark ${unknown}; --list shows which there are.\n`)
  process.exitCode = 2
} else if (options.isList) {
  print(cases.map(({ name, what, isOnDemand }) => `${name}${isOnDemand ? "*" : ""}: ${what}`))
  print(["* only when it is named"])
} else {
  await measure(options)
}

async function measure({ names, settings, jsonFile, svgFile }: Options): Promise<void> {
  await installBeside()
  const [busy = 0] = loadavg()
  if (busy > availableParallelism() / 4)
    print([`Something else is at work here: load ${shown(busy)}.`, ""])
  const results: Result[] = []
  const asked = cases.filter(({ name, isOnDemand = false }) =>
    names.length === 0 ? !isOnDemand : names.includes(name),
  )
  for (const each of asked) {
    print([`${each.name}: ${each.what}`])
    const report = await runCase(each, settings)
    results.push(...report.results)
    print([...tableOf(report.results), ...report.skipped, ""])
  }
  print(barLines(results))
  const machine = { node: process.version, cores: availableParallelism() }
  const report = { at: new Date().toISOString(), ...machine, loadBefore: busy, settings, results }
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`)
  if (svgFile !== undefined) await writeFile(svgFile, plotOf(results))
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""))
}
