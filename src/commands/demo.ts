import { command } from "./cli/command.ts"
import { flag } from "./cli/options.ts"
import { withStopSignal } from "./cli/signals.ts"
import { openDemo } from "./demo/open-demo.ts"
import { playDemo } from "./demo/play-demo.ts"
import { curlLines } from "./demo/texts.ts"

/** `countersign demo` */
export const demo = command({
  description:
    "run sandbox and daemon with throw-away keys, and show an order signed and one refused",
  examples: ["countersign demo", "countersign demo --once"],
  options: { once: flag("--once", "show it and end, instead of staying up") },
  run: async ({ once }, terminal) => {
    const say = (line: string): void => void terminal.stdout.write(`${line}\n`)
    await withStopSignal(async (stopped) => {
      const stage = await openDemo(terminal)
      try {
        await playDemo(stage, say)
        if (once) return
        for (const line of curlLines(stage)) say(line)
        await Promise.race([stopped, stage.broken, terminal.unread])
      } finally {
        await stage.close()
      }
    }, "SIGHUP")
    return 0
  },
})
