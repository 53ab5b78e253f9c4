import type { Command } from "commander"

import { command, runs, withExamples } from "./command.ts"
import { openDemo } from "./demo/open-demo.ts"
import { playDemo } from "./demo/play-demo.ts"
import { curlLines } from "./demo/texts.ts"
import type { Printing } from "./print.ts"
import { nextSignal } from "./signals.ts"

/** `countersign demo` */
export function demo(): Command {
  const made = command(
    "demo",
    "run sandbox and daemon with throw-away keys, and show an order signed and one refused",
  ).option("--once", "show it and end, instead of staying up")
  withExamples(made, "countersign demo", "countersign demo --once")
  return runs<Printing & { readonly once?: boolean }>(made, async (options) => {
    const signal = nextSignal()
    const say = (line: string): void => void process.stdout.write(`${line}\n`)
    const stage = await openDemo()
    try {
      await playDemo(stage, say)
      if (options.once === true) return
      for (const line of curlLines(stage)) say(line)
      await Promise.race([signal, stage.broken])
    } finally {
      await stage.close()
    }
  })
}
