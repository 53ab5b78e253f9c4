import { dirname, join, relative } from "node:path"

import type { AST, Rule } from "eslint"

import { importTable, mayImport, modules, rowOf } from "./import-table.ts"

const sources = join(import.meta.dirname, "..", "src")

type Kind = "type" | "value"

/** What the parser makes of an import, of a re-export, and of `import()`. */
type Import = {
  readonly loc: AST.SourceLocation
  readonly source: { readonly value?: unknown } | null
  readonly importKind?: Kind
  readonly exportKind?: Kind
  readonly specifiers?: readonly { readonly importKind?: Kind }[]
}

/** Lint's rule for import-table.ts: what a file below src/ imports is resolved, and looked up. */
export const imports: Rule.RuleModule = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const file = relative(sources, context.filename)
    const check = (node: Import): void => {
      const name = node.source?.value
      const message = typeof name === "string" ? breachOf(file, name, isOfTypes(node)) : undefined
      if (message !== undefined) context.report({ loc: node.loc, message })
    }
    const listener: Readonly<Record<string, (node: Import) => void>> = {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
    return listener as Rule.RuleListener // the parser is typescript-eslint's, and so are its nodes
  },
}

/** `import type`, or types alone in the braces. */
function isOfTypes({ importKind, exportKind, specifiers = [] }: Import): boolean {
  if (importKind === "type" || exportKind === "type") return true
  return specifiers.length > 0 && specifiers.every((each) => each.importKind === "type")
}

/** Why a file may not import that; `undefined` where it may. */
function breachOf(file: string, name: string, isTypeOnly: boolean): string | undefined {
  const row = rowOf(file, importTable)
  if (row === undefined) return "This file is in no row of lint/import-table.ts."
  if (name.startsWith(".")) {
    const target = join(dirname(file), name)
    if (mayImport(file, target, isTypeOnly)) return undefined
    return `${row.why} lint/import-table.ts lets it import no ${target}.`
  }
  const word = row.never?.find((each) => modules[each]?.test(name))
  return word === undefined ? undefined : `${row.why} It never imports ${word}.`
}
