import type { Result, Spread } from "../run-case.ts"
import { shown } from "./table.ts"

const [widthPx, labelPx, rowPx, titlePx, barPx] = [900, 210, 22, 44, 540]

/**
 * An SVG with a group for each case: its first figure as bars, from zero on, each with a line from the least to the
 * most that a round found.
 */
export function plotOf(results: readonly Result[]): string {
  let topPx = 0
  const parts: string[] = []
  for (const [name, rows] of Map.groupBy(results, (result) => result.case)) {
    const figure = Object.keys(rows[0]?.figures ?? {})[0] ?? ""
    parts.push(`<g font-weight="bold">${textAt(8, topPx + 28, `${name}, ${figure}`)}</g>`)
    parts.push(...barsOf(rows, { figure, topPx: topPx + titlePx }))
    topPx += titlePx + rows.length * rowPx
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${topPx + 16}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n")
}

type Place = { readonly figure: string; readonly topPx: number }

function barsOf(rows: readonly Result[], { figure, topPx }: Place): readonly string[] {
  const most = Math.max(...rows.map(({ figures }) => figures[figure]?.most ?? 0))
  return rows.flatMap(({ subject, figures }, index) => {
    const spread = figures[figure]
    if (spread === undefined) return []
    return barOf(subject, spread, {
      pxOf: (value) => (value / most) * barPx,
      topPx: topPx + index * rowPx,
    })
  })
}

function barOf(
  subject: string,
  { median, least, most }: Spread,
  { pxOf, topPx }: { readonly pxOf: (value: number) => number; readonly topPx: number },
): readonly string[] {
  const middlePx = topPx + rowPx / 2
  const [fromPx, toPx] = [labelPx + pxOf(least), labelPx + pxOf(most)].map(rounded)
  return [
    textAt(8, middlePx + 4, subject),
    `<rect x="${labelPx}" y="${topPx + 3}" width="${rounded(pxOf(median))}" height="${rowPx - 6}" fill="${subject.startsWith("sign") ? "#2563eb" : "#94a3b8"}"/>`,
    `<path d="M${fromPx} ${middlePx}H${toPx}" stroke="black"/>`,
    textAt(labelPx + barPx + 12, middlePx + 4, shown(median)),
  ]
}

function textAt(xPx: number, yPx: number, text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<text x="${xPx}" y="${yPx}">${escaped}</text>`
}

function rounded(px: number): number {
  return Math.round(px * 10) / 10
}
