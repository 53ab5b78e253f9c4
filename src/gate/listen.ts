import type { Server } from "node:http"
import type { ListenOptions } from "node:net"

import { Fault } from "../std/fault.ts"
import type { GateServer } from "./gate-server.ts"

export type ListenPlaces = {
  /** Sockets that listen already, by the name that systemd gives them; they come before the address. */
  readonly descriptors: ReadonlyMap<string, number>
  readonly host: string
  readonly port: number
}

/** Has the gate listen: on every socket that was handed over, or else on the address. @throws {Fault} */
export function listen(
  gate: GateServer,
  { descriptors, host, port }: ListenPlaces,
): Promise<readonly Server[]> {
  const places = [...descriptors].map(([name, fd]) =>
    listenOn(gate.open(), { fd }, (cause) => descriptorFault(cause, name)),
  )
  if (places.length > 0) return Promise.all(places)
  const address = listenOn(gate.open(), { host, port }, (cause) => addressFault(cause, host, port))
  return Promise.all([address])
}

function listenOn(
  http: Server,
  where: ListenOptions & { readonly fd?: number },
  faultOf: (cause: NodeJS.ErrnoException) => Fault,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    http.once("error", (error) => reject(faultOf(error)))
    http.listen(where, () => resolve(http))
  })
}

function descriptorFault(cause: NodeJS.ErrnoException, name: string): Fault {
  return new Fault(
    "port_unusable",
    `Can't serve the socket that systemd handed over as ${name} (${cause.code ?? "unknown"}); its unit must listen on a stream.`,
    { cause },
  )
}

function addressFault(cause: NodeJS.ErrnoException, host: string, port: number): Fault {
  return cause.code === "EADDRINUSE"
    ? new Fault(
        "port_in_use",
        `Port ${port} on ${host} is in use; stop the other program or choose another port.`,
        { cause },
      )
    : new Fault(
        "port_unusable",
        `Can't listen on ${host} port ${port} (${cause.code ?? "unknown"}); choose another.`,
        { cause },
      )
}
