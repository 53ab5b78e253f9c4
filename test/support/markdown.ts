import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The repository's root, without a slash at its end. */
export const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")

/** The text of a file of the repository. */
export function readRepositoryFile(path: string): string {
  return readFileSync(`${repositoryRoot}/${path}`, "utf8")
}

/** The texts of all pages of a folder, one after the other. */
export function readPagesOf(folder: string): string {
  const names = readdirSync(`${repositoryRoot}/${folder}`).filter((name) => name.endsWith(".md"))
  return names
    .toSorted()
    .map((name) => readRepositoryFile(`${folder}/${name}`))
    .join("\n")
}

/** What stands under a heading, down to the next one of its level or above. @throws when there is no such heading. */
export function sectionOf(text: string, title: string): string {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === title)
  assert.notEqual(start, -1, `there is a heading "${title}"`)
  const level = /^#+/.exec(lines[start] ?? "")?.[0].length ?? 1
  const next = lines.findIndex(
    (line, index) => index > start && new RegExp(`^#{1,${level}} `).test(line),
  )
  return lines.slice(start + 1, next === -1 ? undefined : next).join("\n")
}

/** The cells of every table's rows, without those of its head. */
export function tableRows(text: string): readonly (readonly string[])[] {
  const lines = text.split("\n")
  const isRow = (line: string | undefined): boolean => line?.startsWith("|") === true
  const isRule = (line: string | undefined): boolean => /^\|[\s:|-]+\|$/.test(line ?? "")
  return lines
    .filter((line, index) => isRow(line) && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
}

/** The texts of a fenced block's language, in order. */
export function fencedBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , block]) => block ?? "")
}

/** All that stands in backticks, apart from fenced blocks. */
export function codesIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "")
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "")
}
