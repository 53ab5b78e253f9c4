// What a package says of itself, so that others can check it: the packages that came with it, and a sum of each file.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** Files of every package, in its root. */
export const inventory = { packages: "sbom.cdx.json", sums: "SHA256SUMS" } as const

type Component = { readonly "bom-ref": string; readonly name: string; readonly version: string }
type Locked = { readonly version: string; readonly dev?: boolean; readonly peer?: boolean }
type Lock = { readonly packages: Readonly<Record<string, Locked>> }
type Bom = {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/**
 * The packages that come with ours, by the lock file in `root`, in CycloneDX's JSON as npm writes it: of those
 * whose path from the package on `isThere` tells of. What npm would make anew each time (number, time) is left out: the same lock gives the same text.
 */
export function packagesOf(root: string, isThere: (name: string) => boolean = () => true): string {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"]
  const made = execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })
  const bom = JSON.parse(made) as Bom & { serialNumber?: string }
  delete bom.serialNumber
  const { component } = bom.metadata
  const shipped = new Set(shippedIn(root, isThere))
  const components = bom.components.filter(({ name, version }) => shipped.has(`${name}@${version}`))
  const refs = new Set([component, ...components].map((each) => each["bom-ref"]))
  const kept = {
    ...bom,
    // npm calls a package of no registry by its directory.
    metadata: { component: { ...component, name: "countersign" } },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((each) => ({ ...each, dependsOn: each.dependsOn?.filter((ref) => refs.has(ref)) })),
  }
  return `${JSON.stringify(kept, undefined, 2)}\n`
}

/** As `name@version`. npm 11's own `--omit=dev` leaves out of a bill what development needs too. */
function shippedIn(root: string, isThere: (path: string) => boolean): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock
  return Object.entries(packages)
    .filter(([path, { dev, peer }]) => path !== "" && dev !== true && peer !== true)
    .filter(([path]) => isThere(path))
    .map(([path, { version }]) => `${path.split("node_modules/").at(-1) ?? ""}@${version}`)
}

/** The SHA-256 of each of these files below `directory`, as `sha256sum --check` reads them; directories are passed over. */
export function sumsOf(directory: string, paths: readonly string[]): string {
  return paths
    .filter((path) => statSync(join(directory, path)).isFile())
    .map((path) => `${sha256(join(directory, path))}  ${path}\n`)
    .join("")
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex")
}
