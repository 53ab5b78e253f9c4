import { join } from "node:path"

import ts from "typescript"

import { countersign } from "../../src/commands/countersign.ts"
import { commandLinesOf, leavesOf } from "./command-tree.ts"
import { sourceFiles } from "./source-imports.ts"

/** Reads a line's commands of ours as they would be read if they were run. @throws what the command line says is wrong. */
export async function parseCommand(line: string): Promise<void> {
  for (const words of commandLinesOf(line)) {
    const program = await countersign(words) // which starts nothing
    quieten(program)
    await program.parseAsync([...words], { from: "user" })
  }
}

function quieten(command: Awaited<ReturnType<typeof countersign>>): void {
  command.configureOutput({ writeErr: () => undefined })
  for (const each of command.commands) quieten(each)
}

export type Naming = {
  /** `src/…:12`. */
  readonly place: string
  /** From the command's name on to the end of its text, with `…` in the place of each value. */
  readonly text: string
  /** It is to be typed as it stands: all of a `fix`, or what ends a text behind `run:`. */
  readonly isWhole: boolean
}

/** Every place of the source where a text names a command of ours. */
export function namings(): readonly Naming[] {
  return sourceFiles().flatMap(({ file, text }) => {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    return textsIn(source).flatMap((said) => {
      const { line } = source.getLineAndCharacterOfPosition(said.node.getStart())
      const place = `${join("src", file)}:${line + 1}`
      return namingsIn(said).map((naming) => ({ place, ...naming }))
    })
  })
}

const commandPattern = /(?<![\w./-])countersign (?=[a-z])/g

/** Where the program's name is followed by what is no command. */
const prose =
  /^countersign (?:for this system|removes them|showed them|stored;|command,|checkpoint 1|mark 1)/

function namingsIn({ node, said }: Said): readonly Omit<Naming, "place">[] {
  return [...said.matchAll(commandPattern)].flatMap(({ index }) => {
    const text = said.slice(index)
    const before = said.slice(0, index)
    const isAll = before === "" ? isFix(node) : /\b(?:run|then|is): $/.test(before)
    return prose.test(text) ? [] : [{ text, isWhole: isAll && !/[.;:`]|, /.test(text) }]
  })
}

/** Whether a text is what somebody is told to do: named so, or told as such by doctor. */
function isFix(node: ts.Node): boolean {
  if (ts.isSourceFile(node)) return false
  const isNamed =
    (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) &&
    /fix(?:es)?$/i.test(node.name.getText())
  const isTold =
    ts.isCallExpression(node) && /^(?:warn|fail|failureOf)$/.test(node.expression.getText())
  return isNamed || isTold || isFix(node.parent)
}

type Said = { readonly node: ts.Node; readonly said: string }

/** Every string and template. */
function textsIn(node: ts.Node): readonly Said[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return [{ node, said: node.text }]
  }
  const inner: Said[] = []
  ts.forEachChild(node, (child) => void inner.push(...textsIn(child)))
  return ts.isTemplateExpression(node) ? [{ node, said: filledIn(node) }, ...inner] : inner
}

/** `…` in the place of each value; where the installation is named, its options. */
function filledIn({ head, templateSpans }: ts.TemplateExpression): string {
  const parts = templateSpans.map(({ expression, literal }) => {
    const isPlace = /^(?:where|locationWords\()/.test(expression.getText())
    return (isPlace ? "--dir /d" : "…") + literal.text
  })
  return head.text + parts.join("")
}

/** The command that a text begins with; `undefined` where there is none. */
export async function leafOf(text: string): Promise<string | undefined> {
  const leaves = leavesOf(await countersign())
  const words = text
    .split(" ")
    .slice(1, 3)
    .map((word) => word.replace(/[^a-z…-].*$/s, ""))
  const isNamed = (path: string, name: string): boolean =>
    new RegExp(`^${path.replaceAll("…", "[a-z]+")}$`).test(name)
  const paths = [words.join(" "), words[0] ?? ""]
  return [...leaves.keys()].find((name) => paths.some((path) => isNamed(path, name)))
}
