import type { Result } from "../run-case.ts"

/** Lines of a table: a row for each subject, a column for each figure, with half the spread in percent. */
export function tableOf(results: readonly Result[]): readonly string[] {
  const columns = [...new Set(results.flatMap(({ figures }) => Object.keys(figures)))]
  const rows = results.map(({ subject, figures }) => [
    subject,
    ...columns.map((name) => {
      const spread = figures[name]
      if (spread === undefined) return ""
      const { median, least, most } = spread
      const percent = Math.round(((most - least) / 2 / median) * 100)
      return `${shown(median)} ±${String(percent).padStart(2)}%`
    }),
  ])
  return alignedLines([["", ...columns], ...rows])
}

/** The first column to the left, the others to the right. */
export function alignedLines(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("   ")
      .trimEnd(),
  )
}

/** Three digits that count. */
export function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en")
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
