// A session is two secrets: one that the browser keeps in a cookie, out of reach of scripts, and one that the
// page sends by itself, since browsers send a cookie to every port of the host. The vault checks both.

import type { IncomingMessage } from "node:http"

import type { ConsoleSession } from "../../link/console-methods.ts"
import { headerValues } from "../headers.ts"
import type { Problem } from "../problem.ts"

/** Carries the page's half. */
export const proofHeader = "countersign-console"

const cookieName = "countersign_console"
const attributes = "Path=/console; HttpOnly; SameSite=Strict"

// What can't be one doesn't reach the vault.
const wellFormed = /^[A-Za-z0-9_-]{43}$/

/** Both halves, or `undefined` where there isn't exactly one of each. */
export function readSession(request: IncomingMessage): ConsoleSession | undefined {
  const cookie = onlyOne(cookieValues(request))
  const proof = onlyOne(headerValues(request, proofHeader))
  return cookie === undefined || proof === undefined ? undefined : { cookie, proof }
}

/** The problem of a request without a session. */
export const sessionMissing: Problem = {
  code: "unauthorized",
  message: "There is no session here; run countersign console, and open the link that it prints.",
}

/** `Set-Cookie` that hands the browser its half. */
export function sessionCookie(cookie: string, maxAgeMs: number): string {
  const seconds = Math.max(0, Math.floor(maxAgeMs / 1_000))
  return `${cookieName}=${cookie}; ${attributes}; Max-Age=${seconds}`
}

/** `Set-Cookie` that takes it back. */
export const noSessionCookie = sessionCookie("", 0)

/** Every value under our name. Another port of this host can set one too, which is no reason to pick one. */
function cookieValues(request: IncomingMessage): readonly string[] {
  return headerValues(request, "cookie")
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1))
}

function onlyOne(values: readonly string[]): string | undefined {
  const [value = ""] = values
  return values.length === 1 && wellFormed.test(value) ? value : undefined
}
