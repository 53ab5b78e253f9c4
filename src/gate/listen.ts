import type { Server } from "node:http"
import { createServer, type ListenOptions, type Server as NetServer } from "node:net"

import { Fault } from "../std/fault.ts"
import type { GateServer } from "./gate-server.ts"

type ListenPlaces = {
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

/** Asks whether a gate could listen on an address, before one is started. @throws {Fault} as {@link listen} does. */
export async function assertCanListen(host: string, port: number): Promise<void> {
  const cause = (error: NodeJS.ErrnoException): Fault => addressFault(error, host, port)
  const server = await listenOn(createServer(), { host, port }, cause)
  await new Promise((resolve) => server.close(resolve))
}

function listenOn<Listening extends NetServer>(
  server: Listening,
  where: ListenOptions & { readonly fd?: number },
  faultOf: (cause: NodeJS.ErrnoException) => Fault,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(faultOf(error)))
    server.listen(where, () => resolve(server))
  })
}

function descriptorFault(cause: NodeJS.ErrnoException, name: string): Fault {
  return new Fault(
    "port_unusable",
    `Can't serve the socket that systemd handed over as ${name} (${cause.code ?? "unknown"}); its unit must listen on a stream.`,
    { cause },
  )
}

/** A host as a URL has it: an IPv6 address in brackets (RFC 3986 §3.2.2). */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host
}

/** Why an address can't be listened on. */
export function addressFault(
  cause: Pick<NodeJS.ErrnoException, "code">,
  host: string,
  port: number,
): Fault {
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
