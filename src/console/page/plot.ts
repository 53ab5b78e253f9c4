import uPlot from "./lib/uplot.js"
import { shownMs, type Series } from "./rates.ts"
import { clockWords, shortNumber } from "./words.ts"

type Line = readonly (number | null)[]

/** Two lines over the last five minutes. */
export type Plot = ReturnType<typeof openPlot>

const heightPixels = 116

/** Draws into `place`, as wide as it is, in the colours that the style sheet gives the page. */
function openPlot(place: Element, unit: string) {
  const plot = new uPlot(optionsOf(place, unit), [[], [], []], place as HTMLElement)
  let drawn: uPlot.AlignedData = [[], [], []]
  new ResizeObserver(() => {
    plot.setSize({ width: place.clientWidth, height: heightPixels })
  }).observe(place)
  // What the colours are is read when it draws.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.setData(drawn))
  return {
    draw(atSeconds: readonly number[], lines: readonly [first: Line, second: Line]): void {
      drawn = [[...atSeconds], ...lines.map((line) => [...line])] as uPlot.AlignedData
      plot.setData(drawn)
    },
  }
}

/** The plots of the page, made once their places are there. */
export function drawPlots(series: Series, openPlots: WeakMap<Element, Plot>): void {
  const { atSeconds, signedPerSecond, refusedPerSecond, p50Ms, p99Ms } = series
  const drawIn = (id: string, unit: string, lines: readonly [Line, Line]): void => {
    const place = document.getElementById(id)
    if (place === null) return
    const plot = openPlots.get(place) ?? openPlot(place, unit)
    openPlots.set(place, plot)
    plot.draw(atSeconds, lines)
  }
  drawIn("plot-rate", "", [signedPerSecond, refusedPerSecond])
  drawIn("plot-latency", " ms", [p50Ms, p99Ms])
}

function optionsOf(place: Element, unit: string): uPlot.Options {
  const colour = (name: string) => () => getComputedStyle(place).getPropertyValue(name)
  const axis = {
    stroke: colour("--quiet"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  }
  const line = { width: 1.5, points: { show: false } }
  return {
    width: place.clientWidth,
    height: heightPixels,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, __, last) => [last - shownMs / 1_000, last] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...axis,
        ...{ size: 22, gap: 4, space: 90 },
        values: (_, splits) => splits.map((second) => clockWords(second * 1_000).slice(0, 5)),
      },
      {
        ...axis,
        ...{ size: 52, gap: 6, space: 30 },
        values: (_, splits) => splits.map((value) => `${shortNumber(value)}${unit}`),
      },
    ],
    series: [{}, { ...line, stroke: colour("--first") }, { ...line, stroke: colour("--second") }],
  }
}
