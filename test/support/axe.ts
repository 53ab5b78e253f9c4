import axe, { type AxeResults } from "axe-core"
import type { Page } from "playwright-core"

/** What axe finds wrong with the page as it is now: each rule with the elements that break it. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // By way of the browser's tools, which the page's policy of content doesn't bind.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source)
  const run = 'axe.run(document, { resultTypes: ["violations"] })'
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`,
  )
}
