import assert from "node:assert/strict"
import type { Server } from "node:http"
import { join } from "node:path"
import type { TestContext } from "node:test"

import { createGateServer, portOf } from "../../src/gate/gate-server.ts"
import { hostsByPort } from "../../src/gate/http/admit.ts"
import { openGateMetrics } from "../../src/gate/http/metrics.ts"
import { gateLimits, type GateLimits } from "../../src/gate/process/gate-limits.ts"
import type { LogEntry } from "../../src/gate/process/log.ts"
import type { GateSettings } from "../../src/gate/settings.ts"
import { createUpstream, parseBaseUrl, type Upstream } from "../../src/gate/upstream/upstream.ts"
import { connectBotLink } from "../../src/contract/client.ts"
import { assertConforms, headerMap } from "../contract/conform.ts"
import { exchange } from "./exchange.ts"
import { startFakeVault, token, type FakeVault } from "./fake-vault.ts"
import { temporaryDirectory } from "./link-peer.ts"

export type HttpAsk = {
  readonly method?: string
  readonly path: string
  /** Sent besides Host and Content-Length; an array sends a header more than once. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

export type HttpReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The text as an envelope; fails the test when it isn't one. */
  readonly envelope: { code: string; msg: string; data: Record<string, unknown> }
}

export type TestGate = {
  readonly port: number
  readonly vault: FakeVault
  readonly logged: readonly LogEntry[]
  /** The server on `port`. */
  readonly http: Server
  /** Has the gate serve a Unix socket too, and tells its path. */
  openUnix(): Promise<string>
  ask(ask: HttpAsk): Promise<HttpReply>
  /** Posts JSON with a token. */
  post(path: string, body?: string | Buffer, headers?: HttpAsk["headers"]): Promise<HttpReply>
  stop(): Promise<void>
}

export type TestGateOptions = {
  readonly script?: Parameters<typeof startFakeVault>[0]
  readonly upstream?: Upstream | string
  readonly limits?: Partial<GateLimits>
  readonly allowedHosts?: readonly string[]
  readonly clock?: () => number
  /** In place of `upstream` and `allowedHosts`. */
  readonly settings?: () => GateSettings | undefined
}

export const jsonHeaders = {
  "content-type": "application/json",
  authorization: `Bearer ${token}`,
}

/** Runs a gate on a free port of 127.0.0.1 before a fake vault, until the test ends. */
export async function startGate(t: TestContext, options: TestGateOptions = {}): Promise<TestGate> {
  const vault = await startFakeVault(options.script)
  const link = connectBotLink(vault.path)
  const logged: LogEntry[] = []
  const settings: GateSettings = {
    upstream:
      typeof options.upstream === "string"
        ? testUpstream(t, options.upstream, options.limits)
        : options.upstream,
    hosts: hostsByPort(options.allowedHosts ?? []),
  }
  const gate = createGateServer({
    link,
    settings: {
      get current() {
        return options.settings === undefined ? settings : options.settings()
      },
    },
    log: (entry) => logged.push(entry),
    logsRequests: true,
    metrics: openGateMetrics(),
    clock: options.clock ?? (() => performance.now()),
    limits: { stopMs: 500, ...options.limits },
  })
  const http = gate.open()
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const port = portOf(http)
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= gate.stop())
  t.after(async () => {
    await stop()
    link.close()
    await vault.close()
  })
  // A fake vault takes anything, so what it is asked needn't be right.
  const ask = async (what: HttpAsk): Promise<HttpReply> => {
    const reply = await exchange(port, what)
    assertConforms(exchanged(what, reply))
    return reply
  }
  const openUnix = async (): Promise<string> => {
    const directory = temporaryDirectory()
    t.after(() => directory.remove())
    const path = join(directory.path, "gate.sock")
    const unix = gate.open()
    await new Promise<void>((resolve) => unix.listen(path, resolve))
    return path
  }
  return {
    port,
    vault,
    logged,
    http,
    openUnix,
    ask,
    post: (path, body = "{}", headers = {}) =>
      ask({ method: "POST", path, body, headers: { ...jsonHeaders, ...headers } }),
    stop,
  }
}

/** An upstream to `base` with the gate's limits or smaller ones, closed when the test ends. */
export function testUpstream(
  t: TestContext,
  base: string,
  {
    ca,
    proxy,
    ...limits
  }: Partial<GateLimits> & { readonly ca?: string; readonly proxy?: string } = {},
): Upstream {
  const upstream = createUpstream({
    baseUrl: parseBaseUrl(base),
    limits: { ...gateLimits, ...limits },
    ...(ca !== undefined && { ca }),
    ...(proxy !== undefined && { proxy: new URL(proxy) }),
  })
  t.after(() => upstream.close())
  return upstream
}

/**
 * One HTTP request on a connection of its own, to a port of 127.0.0.1 or to a Unix socket. What a gate answers,
 * and what it took, is held against its contract.
 */
export async function askHttp(to: number | string, ask: HttpAsk): Promise<HttpReply> {
  const reply = await exchange(to, ask)
  const asked = { headers: headerMap(ask.headers ?? {}), body: String(ask.body) }
  assertConforms({ ...exchanged(ask, reply), asked })
  return reply
}

function exchanged({ method = "GET", path }: HttpAsk, { status, headers, text }: HttpReply) {
  return { method, path, status, headers: headerMap(headers), text }
}

/** Reads an answer that must be an envelope, and nothing but one. */
export function readEnvelope(text: string): HttpReply["envelope"] {
  const value = JSON.parse(text) as HttpReply["envelope"]
  const acts = value.code === "0" ? [] : ["do"]
  assert.deepEqual(Object.keys(value), ["code", "msg", "data", ...acts, "trace_code"])
  return value
}

/** Asserts that `reply` is the daemon's own refusal with this status and code. */
export function assertRefused(reply: HttpReply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.envelope.code], [status, code])
  assert.equal(reply.headers["countersign-source"], "daemon")
  assert.match(String(reply.headers["content-type"]), /^application\/json/)
  assert.notEqual(reply.envelope.msg, "")
  for (const name of Object.keys(reply.headers)) assert.doesNotMatch(name, /^access-control-/)
}
