/**
 * The libraries of the console's page, by the names under which its code imports them: each file that is
 * needed, and no other. lit-html's are those for browsers; Node itself would be given others.
 */
export function libraryFiles(): ReadonlyMap<string, URL> {
  const litHtml = new URL("../", import.meta.resolve("lit-html"))
  return new Map([
    ["lib/lit-html.js", new URL("lit-html.js", litHtml)],
    ["lib/directive.js", new URL("directive.js", litHtml)],
    ["lib/directive-helpers.js", new URL("directive-helpers.js", litHtml)],
    ["lib/directives/repeat.js", new URL("directives/repeat.js", litHtml)],
    ["lib/uplot.js", new URL(import.meta.resolve("uplot/dist/uPlot.esm.js"))],
    ["lib/uplot.css", new URL(import.meta.resolve("uplot/dist/uPlot.min.css"))],
  ])
}
