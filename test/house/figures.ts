import { importsOf, type SourceFile } from "../support/source-imports.ts"

/** What a reader has to go through, of each kind. */
export type Figures = {
  /** Lines of code in what must be trusted: vault, venue, link and std. */
  readonly trustedLines: number
  /** Those of them that a vault loads whose ledger is on its own host. */
  readonly loadedLines: number
  /** Types that are declared in what must be trusted. */
  readonly trustedTypes: number
  readonly sourceLines: number
  readonly sourceFiles: number
}

export function figuresOf(sources: readonly SourceFile[]): Figures {
  const trusted = sources.filter(({ file }) => /^(?:vault|venue|link|std)\//.test(file))
  const loaded = loadedFrom("vault/main.ts", sources)
  return {
    trustedLines: linesOf(trusted),
    loadedLines: linesOf(trusted.filter(({ file }) => loaded.has(file))),
    trustedTypes: trusted.flatMap(({ text }) => text.match(declaration) ?? []).length,
    sourceLines: linesOf(sources),
    sourceFiles: sources.length,
  }
}

const declaration = /^(?:export )?(?:type|interface) \w/gm

/** Without blank lines and those that begin as comments do. */
function linesOf(sources: readonly SourceFile[]): number {
  const lines = sources.flatMap(({ text }) => text.split("\n"))
  return lines.filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line)).length
}

/** What a single host never loads. */
const ofSeveralHosts = "vault/ledger/postgres/"
/** What a process or a thread of its own begins with. */
const program = /programFile\("([^"]+)"\)/g

function loadedFrom(entry: string, sources: readonly SourceFile[]): ReadonlySet<string> {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const loaded = new Set<string>()
  const visit = (file: string): void => {
    const source = byFile.get(file)
    if (source === undefined || loaded.has(file) || file.startsWith(ofSeveralHosts)) return
    loaded.add(file)
    for (const { target, isTypeOnly } of importsOf(source)) if (!isTypeOnly) visit(target)
    for (const [, name] of source.text.matchAll(program)) visit(`${name}.ts`)
  }
  visit(entry)
  return loaded
}
