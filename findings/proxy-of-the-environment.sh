#!/usr/bin/env bash
# With NODE_USE_ENV_PROXY=1, Node's fetch and node:http hand requests for 127.0.0.1 to HTTP_PROXY, headers and all. So does
# `request` of the package undici, which was installed on its own: the two share one global dispatcher. An agent of
# one's own asks no proxy. Whoever sends a token to loopback by the platform's defaults sends it to the proxy too.
set -euo pipefail
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund node@26.10.0 undici@8.12.4
cat >ask.js <<'JS'
import { request, Agent } from "node:http"
import { request as byUndici } from "undici"
const url = `http://127.0.0.1:${process.env.TARGET_PORT}/`
const byHttp = (agent) => new Promise((done, fail) =>
  request(url, { agent }, (answer) => answer.resume().on("end", done)).on("error", fail).end())
const ways = { fetch: () => fetch(url), "node:http": () => byHttp(undefined), undici: () => byUndici(url), "an agent of one's own": () => byHttp(new Agent()) }
await ways[process.env.WAY]()
process.exit(0)
JS
cat >run.js <<'JS'
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { once } from "node:events"
const listen = async (heard) => {
  const server = createServer((request, response) => { heard.push(request.headers.authorization); response.end() })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return server.address().port
}
const atProxy = []
const [target, proxy] = [await listen([]), await listen(atProxy)]
const seen = []
for (const WAY of ["fetch", "node:http", "undici", "an agent of one's own"]) {
  atProxy.length = 0
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${proxy}`, http_proxy: `http://127.0.0.1:${proxy}`, NO_PROXY: "", no_proxy: "", TARGET_PORT: String(target), WAY }
  await once(spawn(process.execPath, ["ask.js"], { env, stdio: "inherit" }), "exit")
  seen.push(`${WAY}: ${atProxy.length > 0 ? "to the proxy" : "direct"}`)
}
console.log(`node ${process.versions.node}\n${seen.join("\n")}`)
process.exit(0)
JS
node_modules/.bin/node run.js | tee seen
diff - seen <<'SEEN'
node 26.10.0
fetch: to the proxy
node:http: to the proxy
undici: to the proxy
an agent of one's own: direct
SEEN
