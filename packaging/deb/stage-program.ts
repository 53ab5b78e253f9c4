import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"

import { inventory, packagesOf, sumsOf } from "../inventory.ts"
import { pathsIn } from "./paths-in.ts"
import { run } from "./run.ts"

const place = "usr/lib/countersign"

/** Puts the program where the package has it: what npm would publish, its production dependencies, and Node. */
export function stageProgram({
  root,
  node,
  tree,
}: {
  readonly root: string
  readonly node: string
  readonly tree: string
}): void {
  const program = join(tree, place)
  mkdirSync(program, { recursive: true })
  copyFileSync(join(node, "bin/node"), join(program, "node"))
  for (const name of published(root).filter((path) => !made.includes(path))) {
    mkdirSync(dirname(join(program, name)), { recursive: true })
    cpSync(join(root, name), join(program, name), { recursive: true })
  }
  bundle(root, join(program, "dist"))
  install(root, program)
  const isThere = (path: string): boolean => existsSync(join(program, path))
  writeFileSync(join(program, inventory.packages), packagesOf(root, isThere))
  writeFileSync(join(program, inventory.sums), sumsOf(program, pathsIn(program)))
}

/** Of the files that npm publishes, those that npm's scripts make: what is bundled here too, and the lock of what is brought along. */
const made: readonly string[] = ["dist", "npm-shrinkwrap.json", ...Object.values(inventory)]

/** As `npm run build` does, but not into the checkout. */
function bundle(root: string, directory: string): void {
  run(process.execPath, [join(root, "packaging/bundle.ts"), "--to", directory])
}

/** For Debian's C library whatever this machine's is. The lock file's hashes say what is installed; no script runs. */
function install(root: string, program: string): void {
  const forNpmAlone = ["package-lock.json", ".npmrc"]
  for (const name of ["package.json", ...forNpmAlone]) {
    copyFileSync(join(root, name), join(program, name))
  }
  const platform = ["--os=linux", "--cpu=x64", "--libc=glibc"]
  const only = ["--omit=dev", "--omit=peer", "--ignore-scripts", ...platform]
  const quietly = ["--prefer-offline", "--no-audit", "--loglevel=error"]
  run("npm", ["ci", "--prefix", program, ...only, ...quietly], { cwd: program })
  // npm's own notes, and links to programs that nothing here starts.
  for (const name of [...forNpmAlone, "node_modules/.package-lock.json", "node_modules/.bin"]) {
    rmSync(join(program, name), { recursive: true, force: true })
  }
  for (const name of unused) rmSync(join(program, "node_modules", name), { recursive: true })
}

/** Of secp256k1 the addon for this system alone is loaded: not those for others, its JavaScript, or what that needs. */
const unused: readonly string[] = [
  ...["darwin-arm64", "win32-x64", "linux-x64/secp256k1.musl.node"].map(
    (name) => `secp256k1/prebuilds/${name}`,
  ),
  ...["src", "lib", "index.js", "bindings.js", "elliptic.js"].map((name) => `secp256k1/${name}`),
  ...["elliptic", "bn.js", "brorand", "hash.js", "hmac-drbg", "minimalistic-assert"],
  ...["minimalistic-crypto-utils", "node-addon-api", "node-gyp-build"],
]

function published(root: string): readonly string[] {
  const text = readFileSync(join(root, "package.json"), "utf8")
  return (JSON.parse(text) as { readonly files: readonly string[] }).files
}
