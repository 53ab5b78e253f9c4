import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * What can become of a network between a relay and a server. `cut`: connections break, and none is made; `still`: they
 * last, and nothing gets through; `deaf`, `mute`: nothing to the relay, nothing from it; `slow`: all comes late.
 */
export const partings = ["cut", "still", "deaf", "mute", "slow"] as const
export type Parting = (typeof partings)[number]

/** A way to a server of a network's own. What is held back arrives once it is whole again, as TCP has it. */
export type Network = {
  readonly port: number
  part(how: Parting): void
  mend(): void
  close(): Promise<void>
}

const slowMs = 50

/** A part of a network that holds what it is given for as long as it is shut. */
type Direction = { open: Promise<void>; readonly shut: () => void; readonly release: () => void }

/** Starts it whole, on a free port. */
export async function startNetwork(toPort: number): Promise<Network> {
  const [there, back] = [direction(), direction()]
  const sockets = new Set<Socket>()
  const state: { how: Parting | undefined } = { how: undefined }
  const delayMs = (): number => (state.how === "slow" ? slowMs : 0)

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (state.how === "cut") {
      near.destroy()
      return
    }
    const far = connect({ port: toPort, host: "127.0.0.1", allowHalfOpen: true })
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay())
      socket.on("close", () => sockets.delete(socket))
    }
    carry({ from: near, to: far }, there, delayMs)
    carry({ from: far, to: near }, back, delayMs)
  })
  await listen(server)
  return {
    port: (server.address() as AddressInfo).port,
    part(how) {
      state.how = how
      if (how === "cut") for (const socket of sockets) socket.destroy()
      if (how === "still" || how === "mute") there.shut()
      if (how === "still" || how === "deaf") back.shut()
    },
    mend() {
      state.how = undefined
      for (const each of [there, back]) each.release()
    },
    async close() {
      const closed = once(server.close(), "close")
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function listen(server: Server): Promise<void> {
  await once(server.listen(0, "127.0.0.1"), "listening")
}

function direction(): Direction {
  let release = (): void => undefined
  const self: Direction = {
    open: Promise.resolve(),
    shut() {
      self.open = new Promise((resolve) => (release = resolve))
    },
    release: () => release(),
  }
  return self
}

/** Ends and breaks travel as bytes do: nobody hears of them through what is shut. */
function carry(
  { from, to }: { readonly from: Socket; readonly to: Socket },
  way: Direction,
  delayMs: () => number,
): void {
  let last = Promise.resolve()
  const inOrder = (deliver: () => void): void => {
    const dueMs = performance.now() + delayMs()
    last = last.then(async () => {
      const leftMs = dueMs - performance.now()
      if (leftMs > 0) await sleep(leftMs)
      await way.open
      deliver()
    })
  }
  from.on("data", (chunk: Buffer) => inOrder(() => to.writable && to.write(chunk)))
  from.on("end", () => inOrder(() => to.end()))
  from.on("error", () => undefined) // closed next
  from.on("close", () => inOrder(() => to.destroySoon()))
}
