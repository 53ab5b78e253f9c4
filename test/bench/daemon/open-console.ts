import { spawn } from "node:child_process"
import { once } from "node:events"

import { maxParts } from "../../../src/console/page/read-looks.ts"
import type { Settings } from "../case.ts"
import { launcherOf } from "./built-program.ts"
import type { Site } from "./make-site.ts"

/** A console without a page. */
export type BenchConsole = {
  /** What a page does for as long as it is open: it looks once a second, and reads what was before where it was just opened. */
  readonly open: (page: { readonly readsBack: boolean }) => () => Promise<void>
  close(): Promise<void>
}

/** Starts a console, and uses its link up. Resolves when the first look came. */
export async function openConsole(
  { dir }: Pick<Site, "dir">,
  { program }: Pick<Settings, "program">,
): Promise<BenchConsole> {
  const launcher = await launcherOf(program)
  const console = spawn(process.execPath, [launcher, "console", "--dir", dir], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(console, "exit")
  const [printed] = (await once(console.stdout, "data")) as [Buffer]
  const [link = ""] = printed.toString().split("\n")
  const call = await logIn(new URL(link))
  let { news } = (await call("/look", {})) as LookAnswer
  return {
    open({ readsBack }) {
      const leave = new AbortController()
      const reading = readOn(call, news.last, leave.signal)
      const back = readsBack ? readBack(call, news.first, leave.signal) : undefined
      return async () => {
        leave.abort()
        ;[news] = await Promise.all([reading, back])
      }
    },
    async close() {
      console.kill()
      await ended
    },
  }
}

type Call = (path: string, body: object) => Promise<unknown>
type Part = { readonly first: number; readonly last: number; readonly is_end: boolean }
type LookAnswer = { readonly news: Part }

/** Looks once a second, from an entry on, and gives what the last look had. */
async function readOn(call: Call, from: number, signal: AbortSignal): Promise<Part> {
  for (let after = from; ;) {
    const { news } = (await call("/look", { after })) as LookAnswer
    if (signal.aborted) return news
    after = news.last
  }
}

/** Reads what was before an entry. */
async function readBack(call: Call, from: number, signal: AbortSignal): Promise<void> {
  let before = from
  for (let part = 0; part < maxParts && !signal.aborted; part += 1) {
    const { first, is_end: isEnd } = (await call("/history", { before })) as Part
    if (isEnd) return
    before = first
  }
}

/** Uses a link up, and gives what calls as the page does then. */
async function logIn({ origin, hash }: URL): Promise<Call> {
  const headers = { origin, "content-type": "application/json" }
  const post = (path: string, body: object, more: Readonly<Record<string, string>> = {}) =>
    fetch(`${origin}${path}`, {
      ...{ method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) },
    })
  const opened = await post("/session", { secret: hash.slice(1) })
  const { proof } = (await opened.json()) as { readonly proof: string }
  const [cookie = ""] = opened.headers.getSetCookie().map((each) => each.split(";")[0] ?? "")
  return async (path, body) => {
    const answer = await post(path, body, { cookie, "countersign-console": proof })
    if (!answer.ok) throw new Error(`the console answered ${answer.status}`)
    return answer.json()
  }
}
