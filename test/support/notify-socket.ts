import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { TestContext } from "node:test"
import { fileURLToPath } from "node:url"

import { temporaryDirectory } from "./link-peer.ts"
import { until } from "./process-tree.ts"

const receiver = fileURLToPath(new URL("notify-receiver.pl", import.meta.url))

/** Hears what a service tells systemd, sd_notify(3): what NOTIFY_SOCKET names. */
export type NotifySocket = {
  readonly path: string
  /** What has arrived, in order: each as it was sent, with its lines. */
  messages(): readonly string[]
  /**
   * The first message that fits and arrived at or after place `from` (0 if left out), waiting for it.
   * `messages().length` before an act is the `from` that hears only what follows.
   */
  until(match: RegExp, from?: number): Promise<string>
  close(): Promise<void>
}

/** A datagram socket like systemd's, in a process of its own (Node has none); closed after the test. */
export async function startNotifySocket(t: Pick<TestContext, "after">): Promise<NotifySocket> {
  const directory = temporaryDirectory()
  const path = join(directory.path, "notify")
  const child = spawn("/usr/bin/perl", [receiver, path], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const lines: string[] = []
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
  const messages = () => lines.slice(1).map((line) => Buffer.from(line, "hex").toString("utf8"))
  async function close(): Promise<void> {
    child.stdin.end()
    await ended
    directory.remove()
  }
  t.after(close)
  await until(() => (lines[0] === "listening" ? true : undefined), "the notify socket listens")
  return {
    path,
    messages,
    until: (match, from = 0) =>
      until(
        () =>
          messages()
            .slice(from)
            .find((each) => match.test(each)),
        `${match} is heard`,
      ),
    close,
  }
}
