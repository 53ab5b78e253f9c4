import { fetchDirect } from "../../client/fetch-direct.ts"
import { Fault } from "../../std/fault.ts"
import type { Stage } from "./stage.ts"
import { demoRequests, type DemoRequest } from "./texts.ts"

/**
 * Plays the demo's requests through the daemon and says what came of each.
 *
 * @throws {Fault} `internal` when one of them ends in another way than it should.
 */
export async function playDemo(stage: Stage, say: (line: string) => void): Promise<void> {
  say(
    `The daemon listens on ${stage.daemonUrl}, the sandbox plays the venue on ${stage.sandboxUrl}.`,
  )
  for (const request of demoRequests(stage)) {
    say("")
    say(request.title)
    say(`  → POST ${request.path}  ${JSON.stringify(request.body)}`)
    const { status, source, text } = await post(stage, request)
    say(`  ← ${status} from the ${source}: ${text}`)
    if (status !== request.expectedStatus || !text.includes(request.expectedText)) {
      throw new Fault(
        "internal",
        `The demo expected ${request.expectedStatus} with ${request.expectedText}.`,
      )
    }
    const where = refusedWhere(text)
    if (where !== undefined) say(`    refused by ${where}`)
  }
}

async function post(stage: Stage, { path, body, key }: DemoRequest) {
  const response = await fetchDirect(`${stage.daemonUrl}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${stage.token}`,
      "Content-Type": "application/json",
      "Countersign-Key": key,
    },
    body: JSON.stringify(body),
  })
  const source = response.headers.get("Countersign-Source") ?? "unknown"
  return { status: response.status, source, text: await response.text() }
}

function refusedWhere(text: string): string | undefined {
  const { data } = JSON.parse(text) as {
    data: { file?: string; line?: number; rule?: string } | null
  }
  if (data?.file === undefined || data.line === undefined) return undefined
  return `rule ${data.rule ?? ""}, ${data.file}:${data.line}`
}
