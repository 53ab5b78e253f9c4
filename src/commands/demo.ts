import { command } from "./command.ts"
import { openDemo } from "./demo/open-demo.ts"
import { playDemo } from "./demo/play-demo.ts"
import { curlLines } from "./demo/texts.ts"
import { flag } from "./options.ts"
import { nextSignal } from "./signals.ts"

/** `countersign demo` */
export const demo = command({
  description:
    "run sandbox and daemon with throw-away keys, and show an order signed and one refused",
  examples: ["countersign demo", "countersign demo --once"],
  options: { once: flag("--once", "show it and end, instead of staying up") },
  run: async ({ once }, terminal) => {
    const signal = nextSignal()
    const say = (line: string): void => void terminal.stdout.write(`${line}\n`)
    const stage = await openDemo(terminal)
    try {
      await playDemo(stage, say)
      if (once) return 0
      for (const line of curlLines(stage)) say(line)
      await Promise.race([signal, stage.broken])
      return 0
    } finally {
      await stage.close()
    }
  },
})
