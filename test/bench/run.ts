// `npm run bench` runs every benchmark, `npm run bench -- NAME` runs test/bench/NAME.ts.
import { readdirSync } from "node:fs"
import { basename } from "node:path"

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== basename(import.meta.filename))
  .map((file) => file.slice(0, -".ts".length))
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !names.includes(name))

if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark ${unknown}; there is ${names.join(", ")}.\n`)
  process.exitCode = 2
} else {
  for (const name of asked.length > 0 ? asked : names) {
    process.stdout.write(`${name}\n`)
    const { bench } = (await import(`./${name}.ts`)) as { bench: () => Promise<void> }
    await bench()
  }
}
