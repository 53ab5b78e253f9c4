import { stripVTControlCharacters, styleText } from "node:util"

/** What a command prints for people. */
export type Line = string | Table

/** Rows under titles, in columns as wide as they need. */
export type Table = {
  readonly titles: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What lines are laid out for. */
export type Screen = {
  /** In characters; none but a terminal has an end. */
  readonly width: number
  readonly hasColours: boolean
}

export function table(titles: Table["titles"], rows: Table["rows"]): Table {
  return { titles, rows }
}

/** The lines with all their texts as `change` makes them. */
export function changed(lines: readonly Line[], change: (text: string) => string): readonly Line[] {
  return lines.map((line) => {
    if (typeof line === "string") return change(line)
    return table(
      line.titles,
      line.rows.map((row) => row.map(change)),
    )
  })
}

/** The lines as they look on a screen. */
export function textOf(lines: readonly Line[], { width, hasColours }: Screen): string {
  const laidOut = lines.flatMap((line) => (typeof line === "string" ? line : layOut(line, width)))
  const text = laidOut.join("\n")
  return hasColours ? text : stripVTControlCharacters(text)
}

export type Tone = "good" | "doubtful" | "bad"

const colours = { good: "green", doubtful: "yellow", bad: "red" } as const

/** A word that tells a state, in colour where a screen has some. */
export function toned(word: string, tone: Tone): string {
  return styleText(colours[tone], word, { validateStream: false })
}

/** Where a table doesn't fit, each row becomes a block of lines, so that nothing is cut off and a terminal breaks no row. */
function layOut({ titles, rows }: Table, width: number): readonly string[] {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))))
  const lines = all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column]))
      .join("  ")
      .trimEnd(),
  )
  if (lines.every((line) => widthOf(line) <= width)) return lines
  return rows.flatMap((row) => block(titles, row, width))
}

function widthOf(cell = ""): number {
  return stripVTControlCharacters(cell).length
}

function padded(cell: string, width = 0): string {
  return cell + " ".repeat(width - widthOf(cell))
}

/** Each cell after its title, as many on a line as fit; what goes on is indented. */
function block(
  titles: readonly string[],
  row: readonly string[],
  width: number,
): readonly string[] {
  const lines: string[] = []
  for (const [column, cell] of row.entries()) {
    const told = `${titles[column] ?? ""} ${cell}`.trim()
    const longer = `${lines.at(-1) ?? ""}  ${told}`
    if (lines.length === 0) lines.push(told)
    else if (widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(`  ${told}`)
  }
  return lines
}
