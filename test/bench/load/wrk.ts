import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import type { Load, LoadAsk } from "./load.ts"

const run = promisify(execFile)

/** Debian's package `wrk`: one thread that sends the requests in turn over all connections. */
export async function runWrk({ url, posts, connections, seconds }: LoadAsk): Promise<Load> {
  const directory = await mkdtemp(join(tmpdir(), "cs-wrk-"))
  try {
    const script = join(directory, "load.lua")
    await writeFile(script, luaOf(posts), { mode: 0o600 }) // it has tokens
    const args = [
      "-t1",
      `-c${connections}`,
      `-d${Math.ceil(seconds)}s`,
      "--timeout",
      "30s",
      "-s",
      script,
      url,
    ]
    const { stdout } = await run("wrk", args)
    return loadOf(stdout)
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Lua reads the same escapes as JSON, and these requests are ASCII. */
function luaOf(posts: readonly string[]): string {
  return `local posts = {${posts.map((post) => JSON.stringify(post)).join(",\n")}}
local turn = 0
function request()
  turn = turn % #posts + 1
  return posts[turn]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"micros":%d,"failed":%d,"p50":%d,"p99":%d,"p999":%d}\\n',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
`
}

/** Times in microseconds. */
type Summary = Readonly<Record<"requests" | "micros" | "failed" | "p50" | "p99" | "p999", number>>

function loadOf(stdout: string): Load {
  const [line = ""] = /^\{.*\}$/m.exec(stdout) ?? []
  const { requests, micros, failed, p50, p99, p999 } = JSON.parse(line) as Summary // written above
  if (failed > 0) {
    throw new Error(
      `${failed} of ${requests} requests failed; --load node says how the first one did.`,
    )
  }
  const perSecond = requests / (micros / 1_000_000)
  return { requests, perSecond, p50Ms: p50 / 1_000, p99Ms: p99 / 1_000, p999Ms: p999 / 1_000 }
}
