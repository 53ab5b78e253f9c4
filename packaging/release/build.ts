// Builds all that is published, into an empty directory: `npm run release -- --to DIRECTORY [--node FILE]`.
// packaging/release/sign.ts signs it, where the key is.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import { run } from "../deb/run.ts"
import { inventory } from "../inventory.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const { values } = parseArgs({ options: { to: { type: "string" }, node: { type: "string" } } })
if (values.to === undefined) throw new Error("Say where to build it: --to DIRECTORY.")
const to = resolve(values.to)
mkdirSync(to, { recursive: true })
if (readdirSync(to).length > 0)
  throw new Error(`${to} isn't empty: what lies there would be signed.`)

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string
}
run("npm", ["pack", "--loglevel=error", "--pack-destination", to], { cwd: root })
const packed = join(to, `countersign-${version}.tgz`)
const sbom = run("tar", [
  "--extract",
  "--to-stdout",
  "--file",
  packed,
  `package/${inventory.packages}`,
])
writeFileSync(join(to, `countersign-${version}.cdx.json`), sbom)
build("client")
build("deb", ...(values.node === undefined ? [] : ["--node", resolve(values.node)]))
for (const name of readdirSync(to).sort()) console.log(join(to, name))

function build(part: string, ...args: readonly string[]): void {
  run(process.execPath, [join(root, "packaging", part, "build.ts"), "--to", to, ...args])
}
