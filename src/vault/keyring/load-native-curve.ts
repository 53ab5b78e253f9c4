import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { err, ok, type Result } from "../../std/result.ts"
import type { Curve } from "./curve.ts"
import { nativeCurve, type Addon } from "./native-curve.ts"

/**
 * Loads libsecp256k1 from the package's own files: what was built here, else what came with it for this system. Its
 * JavaScript isn't run, which would take `elliptic` in its place without a word. The error says why there is none.
 */
export function loadNativeCurve(directory = packageDirectory()): Result<Curve, string> {
  if (directory === undefined) return err("the package secp256k1 isn't installed")
  const files = addonFiles(directory)
  let first: Result<Curve, string> | undefined
  for (const file of files) {
    const opened = openAddon(file)
    if (opened.ok) return opened
    first ??= opened
  }
  return first ?? err(`there is none for ${process.platform} on ${process.arch}`)
}

/** What Node's permission model must let the vault do: load addons, where there is one to load. */
export function nativeCurveFlags(): readonly string[] {
  const directory = packageDirectory()
  return directory !== undefined && addonFiles(directory).length > 0 ? ["--allow-addons"] : []
}

const require = createRequire(import.meta.url)

/** Those that are there. Which of a system's two C libraries is in use, loading tells. */
function addonFiles(directory: string): readonly string[] {
  const shipped = join(directory, "prebuilds", `${process.platform}-${process.arch}`)
  const names = ["secp256k1.glibc.node", "secp256k1.musl.node", "secp256k1.node"]
  const built = join(directory, "build", "Release", "secp256k1.node")
  return [built, ...names.map((name) => join(shipped, name))].filter((file) => existsSync(file))
}

function openAddon(file: string): Result<Curve, string> {
  try {
    // What the package's type declarations don't say, `Addon` does.
    const { Secp256k1 } = require(file) as { readonly Secp256k1: new () => Addon }
    return ok(nativeCurve(new Secp256k1()))
  } catch (error) {
    // It is for another C library, or this process may load none.
    return err(error instanceof Error ? firstLine(error.message) : "it isn't an addon")
  }
}

/** Without its full stop, so that it can be part of a sentence. */
function firstLine(message: string): string {
  return message.split("\n", 1).join("").replace(/\.$/, "")
}

/** `undefined` where the package isn't installed, as it is optional. */
function packageDirectory(): string | undefined {
  try {
    return fileURLToPath(new URL(".", import.meta.resolve("secp256k1/package.json")))
  } catch {
    return undefined
  }
}
