import { createHash } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { run } from "./run.ts"

/** The one Node that the package brings, and npm's hash of its tarball. */
const pinned = JSON.parse(readFileSync(new URL("node.json", import.meta.url), "utf8")) as {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

/** Fetches Node's tarball through npm, whatever registry that is set to. */
export function fetchedNode(directory: string): Buffer {
  const { name, version } = pinned
  const quietly = ["--ignore-scripts", "--prefer-offline", "--loglevel=error"]
  run("npm", ["pack", `${name}@${version}`, ...quietly, "--pack-destination", directory])
  return readFileSync(join(directory, `${name}-${version}.tgz`))
}

/**
 * Unpacks Node and its licence from a tarball to `directory`, as `bin/node` and `LICENSE`. The bytes that are hashed are the
 * bytes that are unpacked: nothing is read from a file twice.
 *
 * @throws when it isn't the pinned tarball; then nothing is unpacked.
 */
export function unpackNode(tarball: Buffer, directory: string): void {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
  if (integrity !== pinned.integrity) {
    throw new Error(
      `The tarball isn't ${pinned.name} ${pinned.version}: its hash isn't the one in packaging/deb/node.json; nothing was unpacked.`,
    )
  }
  mkdirSync(directory)
  const wanted = ["package/bin/node", "package/LICENSE"]
  const where = ["--directory", directory, "--strip-components=1", "--no-same-owner"]
  run("tar", ["--extract", "--gzip", ...where, "--file=-", ...wanted], { input: tarball })
}
