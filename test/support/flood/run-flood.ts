import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { json } from "node:stream/consumers"

import { addClient, makeTradingKeys, writePolicy } from "../trading-keys.ts"
import type { FloodAsk, Flooded } from "./flooder.ts"
import type { FloodName, Tokens } from "./floods.ts"
import type { Spell, VictimAsk } from "./victim.ts"

const victims = `policy: victim
applies_to: {clients: [victim]}
rules:
  - {name: all, endpoints: [placeOrder, cancelOrder]}
`

const neighbours = `policy: neighbour
applies_to: {clients: [neighbour]}
rules:
  - {name: small, endpoints: [placeOrder, placeBatch], max_quantity: "0.5"}
  - {name: get-out, endpoints: [cancelOrder]}
hold:
  - {name: other, endpoints: [placeOrder], symbols: [ETH-PERP]}
`

export type FloodTokens = Tokens & { readonly victim: string }

/** Gives an installation keys, the policies of a victim and a neighbour, and their clients and one without a policy. */
export async function populate(dir: string): Promise<FloodTokens> {
  await writePolicy(dir, victims, "victim.yaml")
  await writePolicy(dir, neighbours, "neighbour.yaml")
  await makeTradingKeys(dir)
  const [victim, neighbour, outsider] = [
    await addClient(dir, "victim", ["--keys", "mm"]),
    await addClient(dir, "neighbour", ["--keys", "mm"]),
    await addClient(dir, "outsider", ["--keys", "mm"]),
  ]
  return { victim, neighbour, outsider }
}

/** What a victim sees in a spell. */
export async function spell(ask: VictimAsk): Promise<Spell> {
  const child = start("victim.ts")
  child.stdin.end(JSON.stringify(ask))
  return (await json(child.stdout)) as Spell // of victim.ts
}

/** The same while a neighbour floods. */
export async function spellUnder(
  name: FloodName,
  ask: VictimAsk,
  tokens: Tokens,
): Promise<{ readonly spell: Spell; readonly flooded: Flooded }> {
  const child = start("flooder.ts")
  const lines = createInterface({ input: child.stdout })
  const flood: FloodAsk = { port: ask.port, name, tokens }
  child.stdin.write(`${JSON.stringify(flood)}\n`)
  await once(lines, "line")
  const seen = await spell(ask)
  child.stdin.end("\n")
  const [last] = (await once(lines, "line")) as [string]
  return { spell: seen, flooded: JSON.parse(last) as Flooded } // of flooder.ts
}

type Child = ChildProcess & {
  readonly stdin: NodeJS.WritableStream
  readonly stdout: NodeJS.ReadableStream
}

function start(program: string): Child {
  const stdio = ["pipe", "pipe", "inherit"] as const
  return spawn(process.execPath, [join(import.meta.dirname, program)], {
    stdio: [...stdio],
  })
}

/** The middle one; not a number of none. */
export function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
