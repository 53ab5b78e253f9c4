import type { IncomingMessage } from "node:http"

import { secretPattern } from "./secret.ts"
import type { Halves } from "./sessions.ts"

/** Carries the page's half of a session. */
const proofHeader = "countersign-console"

/** A browser sends cookies of 127.0.0.1 to every port of it, so another port's console needs another name. */
function cookieName(port: number): string {
  return `countersign_console_${port}`
}

/** `Set-Cookie` that hands the browser its half, or takes it back where that is empty. */
export function sessionCookie(cookie: string, port: number): Readonly<Record<string, string>> {
  const age = cookie === "" ? "; Max-Age=0" : ""
  return { "Set-Cookie": `${cookieName(port)}=${cookie}; Path=/; HttpOnly; SameSite=Strict${age}` }
}

/** Both halves, or `undefined` where there isn't exactly one of each. */
export function halvesOf(request: IncomingMessage, port: number): Halves | undefined {
  const cookie = onlySecret(cookieValues(request, `${cookieName(port)}=`))
  const proof = onlySecret(request.headersDistinct[proofHeader] ?? [])
  return cookie === undefined || proof === undefined ? undefined : { cookie, proof }
}

/** Every value under our name. Another port of this host can set one too, which is no reason to pick one. */
function cookieValues({ headersDistinct }: IncomingMessage, start: string): readonly string[] {
  return (headersDistinct["cookie"] ?? [])
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
}

function onlySecret(values: readonly string[]): string | undefined {
  const [value = ""] = values
  return values.length === 1 && secretPattern.test(value) ? value : undefined
}
