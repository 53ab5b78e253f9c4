import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { repositoryRoot } from "./markdown.ts"

/** One import of a source file, with paths from `src/` on. */
export type SourceImport = {
  readonly file: string
  /** A path from `src/` on for a file of ours, else the module's own name. */
  readonly target: string
  readonly isOurs: boolean
  readonly isTypeOnly: boolean
  /** By `import(…)`, which loads when it is reached. */
  readonly isDynamic: boolean
}

/** A source file's path from `src/` on, and its text. */
export type SourceFile = { readonly file: string; readonly text: string }

/** Every TypeScript file under `src/`. */
export function sourceFiles(): readonly SourceFile[] {
  const root = join(repositoryRoot, "src")
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
}

// `from "x"`; `import "x"` and `import.meta.resolve("x")`; `import("x")`.
const fromPattern =
  /^(?:import|export)\s+(type\s+)?((?:\w+\s*,\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+))\s+from\s+"([^"]+)"/gm
const barePattern = /(?:^import\s+|\bimport(\(|\.meta\.resolve\()\s*)"([^"]+)"/gm

/** Every import and re-export of a source file, dynamic ones included, and of what it only looks where it lies. */
export function importsOf({ file, text }: SourceFile): readonly SourceImport[] {
  const named = [...text.matchAll(fromPattern)].map(([, type, names = "", name = ""]) => ({
    name,
    isTypeOnly: type !== undefined || isListOfTypes(names),
    isDynamic: false,
  }))
  const bare = [...text.matchAll(barePattern)].map(([, way, name = ""]) => ({
    name,
    isTypeOnly: false,
    isDynamic: way === "(",
  }))
  return [...named, ...bare].map(({ name, ...kind }) => {
    const isOurs = name.startsWith(".")
    return { file, target: isOurs ? join(dirname(file), name) : name, isOurs, ...kind }
  })
}

/** `{ type A, type B }` */
function isListOfTypes(names: string): boolean {
  const list = /^\{([\s\S]*)\}$/.exec(names)?.[1]
  return (
    list
      ?.split(",")
      .filter((name) => name.trim() !== "")
      .every((name) => /^\s*type\s/.test(name)) ?? false
  )
}
