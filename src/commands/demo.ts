import { sandboxProfile } from "../sandbox/profile.ts"
import { command, flag } from "./cli/command.ts"
import { withStopSignal, type Terminal } from "./cli/terminal.ts"
import { addBot, botPolicy, curlLines, playOrders } from "./demo/play-orders.ts"
import { addAgent, agentFiles, playTools, serverLines } from "./demo/play-tools.ts"
import { openStage, type Stage } from "./demo/stage.ts"

/** `countersign demo` */
export const demo = command({
  description:
    "run sandbox and daemon with throw-away keys, and show an order signed and one refused",
  examples: ["countersign demo", "countersign demo --once", "countersign demo --mcp"],
  options: {
    once: flag("--once", "show it and end, instead of staying up"),
    mcp: flag("--mcp", "show it of an agent that trades on paper by its tools"),
  },
  run: async ({ once, mcp }, terminal) => {
    await withStopSignal(async (stopped) => {
      const { stage, play, goOn } = mcp ? await toolDemo(terminal) : await orderDemo(terminal)
      const { daemonUrl, sandboxUrl } = stage
      const say = (line: string): void => void terminal.stdout.write(`${line}\n`)
      try {
        say(`The daemon listens on ${daemonUrl}, the sandbox plays the venue on ${sandboxUrl}.`)
        await play(say)
        if (once) return
        for (const line of goOn) say(line)
        await Promise.race([stopped, stage.broken, terminal.unread])
      } finally {
        await stage.close()
      }
    }, "SIGHUP")
    return 0
  },
})

/** What is shown, and the lines with which somebody goes on from there. */
type Demo = {
  readonly stage: Stage
  readonly play: (say: (line: string) => void) => Promise<void>
  readonly goOn: readonly string[]
}

async function orderDemo(terminal: Terminal): Promise<Demo> {
  const files = (url: string) => {
    return { venueText: sandboxProfile({ url, asOf: new Date() }), policyText: botPolicy }
  }
  const stage = await openStage({ isOpen: false, files, add: addBot }, terminal)
  return { stage, play: (say) => playOrders(stage, say), goOn: curlLines(stage) }
}

async function toolDemo(terminal: Terminal): Promise<Demo> {
  const stage = await openStage({ isOpen: true, files: agentFiles, add: addAgent }, terminal)
  return { stage, play: (say) => playTools(stage, say), goOn: serverLines(stage) }
}
