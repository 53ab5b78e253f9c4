// What is published: `node packaging/bundle.ts [--to DIRECTORY]` makes dist/ of src/. docs/decisions/bundle.md says why.
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import { build, type BuildOptions, type Plugin } from "esbuild"

/** Of processes and threads by their paths from src/ on, as `programFile` takes them; and what bots import. */
const entries = [
  "main",
  "console/serve/main",
  "gate/main",
  "relay/main",
  "vault/main",
  "vault/ledger/sqlite/sqlite-worker",
  "vault/keyring/keychain/keychain-process",
  "client/create-client",
]

/** Of the console's page, besides its code. */
const pageFiles = [".html", ".css", ".svg"]

/** Packages of a great many small files. The others stay packages. */
const inlined = ["zod", "yaml"]

/** What zod would say in other languages, which is half of it. Nothing here asks for it. */
const withoutLanguages: Plugin = {
  name: "without-languages",
  setup(bundle) {
    const filter = /zod\/v4\/locales\/index\.js$/
    bundle.onLoad({ filter }, () => ({ contents: "export {}" }))
  },
}

/** What is served beside the console's page, wherever it is imported from. */
const servedLibraries: Plugin = {
  name: "served-libraries",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.{1,2}\/lib\/.*\.js$/ }, ({ path }) => ({
      path: path.replace(/^\.{1,2}\//, "./"),
      external: true,
    }))
  },
}

const root = fileURLToPath(new URL("..", import.meta.url))
const { values } = parseArgs({ options: { to: { type: "string", default: join(root, "dist") } } })
const dist = values.to

rmSync(dist, { recursive: true, force: true })
// One at a time: what a process has of a module it has once, and nothing of it is another's.
for (const entry of entries) await bundle(entry, forNode())
await bundle("console/page/main", {
  platform: "browser",
  target: "es2024",
  plugins: [servedLibraries],
})
for (const name of readdirSync(join(root, "src/console/page"))) {
  if (!pageFiles.includes(extname(name))) continue
  copyFileSync(join(root, "src/console/page", name), join(dist, "console/page", name))
}
for (const name of inlined) {
  copyFileSync(join(root, "node_modules", name, "LICENSE"), join(dist, `LICENSE.${name}`))
}

async function bundle(entry: string, options: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [`src/${entry}.ts`],
    outbase: "src",
    outdir: dist,
    bundle: true,
    format: "esm",
    // Where node_modules/ really lies is this machine's affair: the same sources give the same bytes everywhere.
    preserveSymlinks: true,
    logLevel: "warning",
    ...options,
  })
}

/** What is imported on demand, each command above all, is a part of its own. */
function forNode(): BuildOptions {
  return {
    platform: "node",
    target: "node24",
    splitting: true,
    chunkNames: "parts/[name]-[hash]",
    external: packages().filter((name) => !inlined.includes(name)),
    // The same sources as what Node would take, but as modules.
    alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") },
    plugins: [withoutLanguages],
  }
}

function packages(): readonly string[] {
  const text = readFileSync(join(root, "package.json"), "utf8")
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(text) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  > // ours
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}
