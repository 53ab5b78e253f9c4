import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import { until, untilNoneNames } from "./process-tree.ts"

const run = promisify(execFile)

/** Terminals side by side, as a person has them open: a tmux on a socket of its own. */
export type Tmux = {
  /** Opens a further terminal, with a shell that prompts in the directory `cwd`. */
  open(cwd: string): Promise<Terminal>
  /** Closes all of them. Whatever runs in them gets SIGHUP. */
  close(): Promise<void>
}

export type Terminal = {
  /** Types text, without Enter. */
  type(text: string): Promise<void>
  /** Presses one key by tmux's name of it, such as `Enter` or `C-c`. */
  press(key: string): Promise<void>
  /** All lines there ever were, joined where the terminal wrapped them, without spaces at their ends. */
  screen(): Promise<string>
  /** Waits until the screen is as `isSo` says, and returns it. @throws after half a minute. */
  until(isSo: (screen: string) => boolean, what: string): Promise<string>
}

/** Columns and rows of every terminal. */
const size = "100x40"

/** The shell of a terminal. An empty line before each prompt, since not all that prints ends its line. */
const shell = "exec env PS1='\n$ ' PS2='> ' bash --noprofile --norc --noediting"

/** Starts a tmux whose socket and settings are in the directory `home`. */
export function openTmux(home: string, environment: Readonly<Record<string, string>>): Tmux {
  const [settings, socket] = [join(home, "tmux.conf"), join(home, "tmux")]
  writeFileSync(
    settings,
    `set -g history-limit 5000\nset -g default-size ${size}\nset -g status off\n`,
  )
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const server = ["-u", "-S", socket, "-f", settings]
    const { stdout } = await run("tmux", [...server, ...args], { env: { ...environment } })
    return stdout
  }
  let isStarted = false
  return {
    open: async (cwd) => {
      const verb = isStarted ? "new-window" : "new-session"
      const pane = await tmux(verb, "-d", "-P", "-F", "#{pane_id}", "-c", cwd, shell)
      isStarted = true
      const opened = terminal(tmux, pane.trim())
      await opened.until((screen) => screen.endsWith("$"), "the shell prompts")
      return opened
    },
    close: async () => {
      if (isStarted) await tmux("kill-server").catch(() => undefined) // it may have ended by itself
      await untilNoneNames(socket)
    },
  }
}

type RunTmux = (...args: readonly string[]) => Promise<string>

function terminal(tmux: RunTmux, pane: string): Terminal {
  const screen = async (): Promise<string> => {
    const shown = await tmux("capture-pane", "-t", pane, "-p", "-J", "-S", "-")
    return shown.replaceAll(/ +$/gm, "").trim()
  }
  const send = async (...keys: readonly string[]): Promise<void> => {
    await tmux("send-keys", "-t", pane, ...keys)
  }
  return {
    type: (text) => send("-l", "--", text),
    press: (key) => send(key),
    screen,
    until: async (isSo, what) => {
      const look = async () => {
        const shown = await screen()
        return isSo(shown) ? shown : undefined
      }
      return until(look, what)
    },
  }
}
