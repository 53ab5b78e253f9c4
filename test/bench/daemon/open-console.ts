import { spawn } from "node:child_process"
import { once } from "node:events"

import { bin } from "../../support/published.ts"
import type { Settings } from "../case.ts"
import { builtProgram } from "./built-program.ts"
import type { Site } from "./make-site.ts"

/** Starts a console and reads what its page is told, once a second. Resolves when the first of it came; what it gives ends it. */
export async function openConsole(
  { dir }: Pick<Site, "dir">,
  { program }: Pick<Settings, "program">,
): Promise<() => Promise<void>> {
  const launcher = program === "built" ? await builtProgram() : bin
  const console = spawn(process.execPath, [launcher, "console", "--dir", dir], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(console, "exit")
  const [printed] = (await once(console.stdout, "data")) as [Buffer]
  const [link = ""] = printed.toString().split("\n")
  const look = await logIn(new URL(link))
  await look()
  const leave = new AbortController()
  const looking = (async () => {
    while (!leave.signal.aborted) await look()
  })()
  return async () => {
    leave.abort()
    await looking
    console.kill()
    await ended
  }
}

/** Uses a link up, and gives what the page does again and again then. */
async function logIn({ origin, hash }: URL): Promise<() => Promise<void>> {
  const headers = { origin, "content-type": "application/json" }
  const post = (path: string, body: object, more: Readonly<Record<string, string>> = {}) =>
    fetch(`${origin}${path}`, {
      ...{ method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) },
    })
  const opened = await post("/session", { secret: hash.slice(1) })
  const { proof } = (await opened.json()) as { readonly proof: string }
  const [cookie = ""] = opened.headers.getSetCookie().map((each) => each.split(";")[0] ?? "")
  return async () => {
    const answer = await post("/look", {}, { cookie, "countersign-console": proof })
    await answer.text()
    if (!answer.ok) throw new Error(`the console answered ${answer.status}`)
  }
}
