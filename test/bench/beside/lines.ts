import type { Socket } from "node:net"

/** Cuts what comes into lines; what it gives writes one, all of a tick together. */
export function lines(socket: Socket, take: (line: string) => void): (line: string) => void {
  let rest = ""
  let out: string[] = []
  socket.setEncoding("utf8").on("data", (text: string) => {
    const come = (rest + text).split("\n")
    rest = come.pop() ?? ""
    for (const line of come) take(line)
  })
  return (line) => {
    out.push(line)
    if (out.length > 1) return
    process.nextTick(() => {
      socket.write(`${out.join("\n")}\n`)
      out = []
    })
  }
}
