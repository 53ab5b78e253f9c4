import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

const folder = join(import.meta.dirname, "../../../../src/console/page")

/** What would make markup, an address or code of a text, which may be a bot's. */
const sinks =
  /\b(?:innerHTML|outerHTML|insertAdjacentHTML|setHTML\w*|srcdoc|unsafe\w+|document\.write|eval|new Function)\b|\b(?:href|src|style|action|on\w+)=\$\{/

/** Where a secret would outlive its session, or be seen. */
const traces =
  /\b(?:localStorage|indexedDB|document\.cookie|console\.(?:log|error|warn|info|debug)|pushState)\b/

describe("the console's sources", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const sources = files.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))

  it("make text of what a bot sent, and nothing else", () => {
    assert.ok(sources.includes("main.ts"))
    for (const name of sources) assert.doesNotMatch(textOf(name), sinks, name)
  })

  it("keep a session where it ends with its tab, and write it nowhere", () => {
    for (const name of sources) assert.doesNotMatch(textOf(name), traces, name)
  })
})

function textOf(name: string): string {
  return readFileSync(join(folder, name), "utf8")
}
